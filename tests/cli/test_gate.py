"""`stoat gate`: the command runs untouched whatever Stoat's own trouble, and what it came to is on record."""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import Stoat
from tests.support.gitrepo import GitRepo, MakeRepo
from tests.support.waiting import wait_until

PRINT_TAG = "import os; print(os.environ['BOBCAT_RUN_TAG'], os.environ.get('EXTRA'), os.getcwd())"


def newest(stoat: Stoat) -> dict[str, Any]:
    run: dict[str, Any] = stoat.json("runs", "list")[0]
    return run


def test_the_commands_streams_and_code_are_its_own(stoat: Stoat) -> None:
    code = "import sys; print(sys.stdin.read().upper(), end=''); print('bad', file=sys.stderr); sys.exit(7)"
    import subprocess

    process = stoat.start("gate", "exec", "demo/bare", "--", sys.executable, "-c", code, stdin=subprocess.PIPE)
    out, err = process.communicate(b"words\n", timeout=60)
    assert (process.returncode, out, err) == (7, b"WORDS\n", b"bad\n")


def test_what_ran_is_recorded_with_its_commit_and_whether_it_was_clean(stoat: Stoat, repo: GitRepo) -> None:
    stoat.ok("gate", "exec", "demo/bare", "--", "true")
    run = newest(stoat)
    assert (run["tag"], run["exitCode"], run["finished"], run["suite"]) == ("demo/bare", 0, True, "true")
    assert (run["commit"], run["branch"], run["dirty"], run["by"]) == (repo.head(), "main", False, "Ada Tester")
    assert stoat.json("status", "demo")["nodes"][2]["status"] == "done"
    stoat.ok("gate", "exec", "demo/bare", "--", "touch", "left-behind")
    assert newest(stoat)["dirty"] is True
    subjects = repo.run_git("log", "-4", "--format=%s", "stoat/state").splitlines()
    assert subjects == ["demo: bare passed", "demo: bare starts"] * 2


def test_a_step_runs_with_its_tag_directory_and_variables(stoat: Stoat, repo: GitRepo) -> None:
    (repo.path / "src" / "deep er").mkdir(parents=True)
    nested = Stoat(repo.path / "src")
    said = nested.ok(
        "gate", "exec", "demo/suite", "--step", "unit", "--cwd", "src/deep er", "--env", "EXTRA=a=b", "--",
        sys.executable, "-c", PRINT_TAG,
    )  # fmt: skip
    assert said == f"demo/suite/unit a=b {repo.path / 'src' / 'deep er'}\n"
    assert newest(stoat)["tag"] == "demo/suite/unit"


@pytest.mark.parametrize(
    ("command", "flags", "code"),
    [
        (["no-such-program-at-all"], [], 127),
        (["/etc/hostname"], [], 126),
        (["sh", "-c", "kill -TERM $$"], [], 143),
        (["sleep", "30"], ["--timeout", "1s"], 124),
        (["true"], ["--cwd", "nowhere"], 127),
    ],
)
def test_every_other_end_has_the_code_a_shell_gives_it(
    stoat: Stoat, command: list[str], flags: list[str], code: int
) -> None:
    assert stoat.run("gate", "exec", "demo/bare", *flags, "--", *command).code == code
    run = newest(stoat)
    assert (run["exitCode"], run["timedOut"]) == (code, code == 124)
    assert stoat.json("status", "demo")["nodes"][2]["status"] == "failed"


@pytest.mark.parametrize("where", ["/tmp", "..", "../..", "src/../..", "link"])
def test_a_directory_outside_the_checkout_is_refused_and_nothing_runs(stoat: Stoat, repo: GitRepo, where: str) -> None:
    (repo.path / "link").symlink_to(repo.path.parent)
    ran = repo.path / "ran"
    for flags in ((), ("--step", "unit")):
        refused = stoat.run("gate", "exec", "demo/suite", *flags, "--cwd", where, "--", "touch", str(ran))
        assert (refused.code, ran.exists()) == (3, False)
        assert "outside the checkout" in refused.err and "below its top" in refused.err
    assert stoat.json("runs", "list") == []


def test_no_trouble_of_stoats_own_reaches_the_command(stoat: Stoat, make_repo: MakeRepo, tmp_path: Path) -> None:
    def ends_with(there: Stoat, ref: str, said: str) -> None:
        ran = there.run("gate", "exec", ref, "--", "sh", "-c", "echo ran; exit 5")
        assert (ran.code, ran.out) == (5, "ran\n")
        assert said in ran.err
        assert ran.err.startswith("stoat: ")

    ends_with(Stoat(tmp_path), "demo/bare", "in no git repository")
    ends_with(Stoat(make_repo("bare").path), "demo/bare", "has no store")
    ends_with(stoat, "demo/nope", "has no node 'nope'; see its nodes: stoat status demo")
    ends_with(stoat, "nope/bare", "no plan 'nope'")
    ends_with(stoat, "what is this", "is not written PLAN/NODE")


def test_a_step_that_the_node_does_not_declare_is_said_and_changes_nothing(stoat: Stoat) -> None:
    ran = stoat.run("gate", "exec", "demo/suite", "--step", "nope", "--", "sh", "-c", "exit 5")
    said = "stoat: demo/suite has no step 'nope': such a run counts for nothing; its steps are: unit, lint\n"
    assert (ran.code, ran.err) == (5, said)
    assert newest(stoat)["exitCode"] == 5
    assert stoat.run("gate", "exec", "demo/suite", "--step", "unit", "--", "true").err == ""


@pytest.mark.slow
def test_a_result_that_cannot_be_recorded_is_kept_for_the_next_command(stoat: Stoat, repo: GitRepo) -> None:
    lock = repo.path / ".git" / "refs" / "stoat" / "state.lock"
    ran = stoat.run("gate", "exec", "demo/bare", "--", "sh", "-c", f"touch '{lock}'; echo ran; exit 5")
    assert (ran.code, ran.out) == (5, "ran\n")
    assert "the result waits in" in ran.err
    spool = repo.path / ".git" / "stoat" / "spool"
    assert len(list(spool.iterdir())) == 1
    lock.unlink()
    run = newest(stoat)
    assert (run["exitCode"], run["finished"]) == (5, True)
    assert list(spool.iterdir()) == []
    tip = repo.head("refs/stoat/state")
    stoat.ok("status")
    assert repo.head("refs/stoat/state") == tip


@pytest.mark.slow
def test_a_store_that_cannot_be_read_keeps_neither_the_command_nor_its_result(stoat: Stoat, repo: GitRepo) -> None:
    ref = repo.path / ".git" / "refs" / "stoat" / "state"
    tip = ref.read_bytes()
    ref.write_bytes(b"")
    ran = stoat.run("gate", "exec", "demo/bare", "--", "sh", "-c", "echo ran; exit 5")
    assert (ran.code, ran.out) == (5, "ran\n")
    ref.write_bytes(tip)
    assert newest(stoat)["exitCode"] == 5


def test_a_wrapper_that_is_killed_leaves_an_orphaned_run(stoat: Stoat, tmp_path: Path) -> None:
    begun = tmp_path / "begun"
    process = stoat.start("gate", "exec", "demo/bare", "--", "sh", "-c", f"echo $$ > '{begun}'; exec sleep 60")
    pid = int(wait_until(lambda: begun.exists() and begun.read_text(), 60, "the command"))
    assert newest(stoat)["finished"] is False
    assert stoat.json("status", "demo")["nodes"][2]["status"] == "running"
    process.send_signal(signal.SIGKILL)
    process.communicate()
    os.kill(pid, signal.SIGKILL)
    run = newest(stoat)
    assert (run["finished"], run["orphaned"]) == (False, True)
    assert stoat.json("status", "demo")["nodes"][2]["status"] != "running"
    stoat.ok("gate", "exec", "demo/bare", "--", "true")
    assert stoat.json("status", "demo")["nodes"][2]["status"] == "done"


def test_a_long_run_keeps_the_lease_it_runs_under(stoat: Stoat) -> None:
    agent = {"STOAT_AGENT": "alf", "STOAT_PLAN": "demo", "STOAT_NODE": "bare"}
    claim = stoat.json("claim", "demo/bare", "--lease", "4s", env=agent)
    agent["STOAT_CLAIM"] = claim["claimId"]
    stoat.ok("gate", "exec", "demo/bare", "--", "sleep", "6", env=agent)
    lines = stoat.json("log", "demo/bare", "--history")["lines"]
    assert [line["type"] for line in lines].count("claim_renewed") >= 1


def test_a_gates_steps_all_run_each_under_its_own_id(stoat: Stoat) -> None:
    ran = stoat.run("gate", "run", "demo/suite")
    assert ran.code == 1
    assert ran.out.startswith("hello\n")
    words = [line.split() for line in ran.out.splitlines()[1:]]
    assert [row[:2] for row in words] == [["STEP", "RESULT"], ["unit", "passed"], ["lint", "failed"]]
    assert "── unit: echo hello && true" in ran.err
    steps = stoat.json("status", "demo")["nodes"][1]["steps"]
    assert [(step["id"], step["state"]) for step in steps] == [("unit", "passed"), ("lint", "failed")]
    assert stoat.run("gate", "run", "demo/suite", "--step", "unit").code == 0


def test_what_has_no_steps_to_run_is_refused(stoat: Stoat) -> None:
    ran = stoat.run("gate", "run", "demo/bare")
    assert (ran.code, ran.out) == (3, "")
    assert ran.err == (
        "demo/bare declares no steps\nhint: run its command yourself: stoat gate exec demo/bare -- COMMAND\n"
    )
    ran = stoat.run("gate", "run", "demo/suite", "--step", "nope")
    assert (ran.code, ran.err) == (3, "demo/suite has no step 'nope'\nhint: its steps are: unit, lint\n")


def test_a_gate_of_another_repository_does_not_run_here(stoat: Stoat, repo: GitRepo, tmp_path: Path) -> None:
    document = tmp_path / "other.yaml"
    node = {"id": "g", "kind": "test-run-gate", "repo": "o/n", "steps": [{"id": "s", "run": "pwd"}]}
    document.write_text(json.dumps({"schema": 1, "plan": "other", "nodes": [node]}), encoding="utf-8")
    stoat.ok("plan", "import", str(document))
    assert stoat.run("gate", "run", "other/g").code == 0
    repo.run_git("remote", "add", "origin", "https://github.com/o/another.git")
    ran = stoat.run("gate", "run", "other/g")
    assert (ran.code, ran.out) == (3, "")
    assert "other/g runs in o/n, not in this checkout of o/another" in ran.err
    there = repo.clone(tmp_path / "there")
    there.run_git("config", "stoat.repo", "O/N")
    ran = stoat.run("gate", "run", "other/g", "--checkout", str(there.path))
    assert ran.out.splitlines()[0] == str(there.path)


@pytest.mark.parametrize(
    "flags", [["--env", "nothing"], ["--env", "=x"], ["--env", "BOBCAT_RUN_TAG=x"], ["--timeout", "long"]]
)
def test_flags_that_mean_nothing_are_wrong_usage(stoat: Stoat, flags: list[str]) -> None:
    ran = stoat.run("gate", "exec", "demo/bare", *flags, "--", "touch", "ran")
    assert ran.code == 2
    assert not (stoat.directory / "ran").exists()


@pytest.mark.parametrize(("code", "state"), [(0, "passed"), (3, "failed")])
def test_the_units_that_a_command_publishes_are_its_steps_and_its_red_exit_fails_them_all(
    stoat: Stoat, repo: GitRepo, code: int, state: str
) -> None:
    report = repo.path / ".git" / "r.xml"
    report.write_text("<testsuite name='s'><testcase classname='C' name='t'/></testsuite>", encoding="utf-8")
    script = f'"{sys.executable}" -m stoat runs add "$1" --tag "$BOBCAT_RUN_TAG/Core.net9.0" && exit {code}'
    ran = stoat.run("gate", "exec", "demo/suite", "--step", "lint", "--", "sh", "-c", script, "sh", str(report))
    assert ran.code == code, ran.err
    step = stoat.json("status", "demo")["nodes"][1]["steps"][1]
    assert [(unit["id"], unit["state"]) for unit in step["units"]] == [("Core.net9.0", "passed")]
    assert (step["state"] in ("passed", "mismatch")) == (state == "passed")
    if code:
        assert step["detail"].startswith("failed (exit 3) although its unit Core.net9.0 passed")


def test_a_branch_that_is_behind_its_remote_one_proves_less(stoat: Stoat, repo: GitRepo) -> None:
    repo.run_git("branch", "published")
    repo.run_git("branch", "--quiet", "--set-upstream-to", "published")
    ahead = repo.run_git("commit-tree", "-p", "HEAD", "-m", "x", "HEAD^{tree}")
    repo.run_git("update-ref", "refs/heads/published", ahead)
    stoat.ok("gate", "exec", "demo/bare", "--", "true")
    shown = stoat.json("status", "demo")["nodes"][2]
    assert shown["status"] == "done"
    assert shown["detail"].endswith("on main while it was behind its remote")
