"""The frame of the command line: version, help, unknown names, where the store is, and how errors end."""

from __future__ import annotations

import os
import pty
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from stoat.cli import commands
from stoat.derive.wording import later
from tests.support.command import Stoat
from tests.support.gitrepo import GitRepo, MakeRepo


def test_the_version_is_one_line(tmp_path: Path) -> None:
    assert re.fullmatch(r"stoat \d+\.\d+\.\d+\n", Stoat(tmp_path).ok("--version"))


def test_the_version_and_the_help_load_nothing_heavy(tmp_path: Path) -> None:
    heavy = {"flask", "pygit2", "ruamel", "rich", "pydantic", "watchdog", "psutil", "msgspec", "stoat.service"}
    for flag in ("--version", "--help"):
        code = f"import sys; sys.argv = ['stoat', {flag!r}]\nfrom stoat.cli.main import main\ntry: main()\n"
        code += "except SystemExit: pass\nprint(*sys.modules, sep='\\n', file=sys.stderr)"
        ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, check=True)
        loaded = set(ran.stderr.splitlines())
        assert heavy & loaded == set(), flag


def test_the_help_groups_every_command_and_gives_an_example_of_each(tmp_path: Path) -> None:
    said = Stoat(tmp_path).ok("--help")
    for section, entries in commands.SECTIONS.items():
        assert f"\n{section}\n" in said
        for entry in entries:
            assert f"\n  {entry.name} " in said
            assert f"$ {entry.example}\n" in said
    assert max(map(len, said.splitlines())) <= 120


def test_no_command_at_all_shows_the_help(tmp_path: Path) -> None:
    ran = Stoat(tmp_path).run()
    assert "Usage: stoat" in ran.out + ran.err


def test_a_mistyped_command_is_answered_with_the_one_that_was_meant(tmp_path: Path) -> None:
    ran = Stoat(tmp_path).run("stattus")
    assert (ran.code, ran.out) == (2, "")
    assert "there is no command 'stattus'; did you mean `stoat status`?" in ran.err


def test_an_unknown_command_is_answered_with_those_there_are(tmp_path: Path) -> None:
    ran = Stoat(tmp_path).run("xyzzy")
    assert (ran.code, ran.out) == (2, "")
    assert ", ".join(commands.ENTRIES) in " ".join(ran.err.split())


@pytest.mark.parametrize(
    "arguments",
    [["claim"], ["status", "--nope"], ["claim", "demo/parser", "--lease", "soon"], ["-C", "/nowhere", "status"]],
)
def test_wrong_usage_is_two(stoat: Stoat, arguments: list[str]) -> None:
    ran = stoat.run(*arguments)
    assert (ran.code, ran.out) == (2, "")
    assert "Error: " in ran.err


def test_what_is_not_there_is_said_with_a_hint_and_three(stoat: Stoat) -> None:
    ran = stoat.run("status", "nope")
    assert ran == (3, "", "there is no plan 'nope'\nhint: the plans are: demo\n")
    said = "plan demo has no node 'nope'\nhint: see its nodes: stoat status demo\n"
    assert stoat.run("done", "demo/nope").err == said
    assert stoat.run("done", "nothing").code == 3


def test_outside_a_repository_the_way_in_is_named(tmp_path: Path) -> None:
    ran = Stoat(tmp_path).run("status")
    assert ran.code == 3
    assert "is in no git repository" in ran.err
    assert "\nhint: go to one, or name it with --store" in ran.err


def test_a_repository_without_a_store_is_told_to_init(make_repo: MakeRepo) -> None:
    ran = Stoat(make_repo().path).run("status")
    assert ran.code == 3
    assert ran.err.endswith("hint: stoat init\n")


def test_a_store_that_cannot_be_read_is_four_and_never_begun_anew(stoat: Stoat, repo: GitRepo) -> None:
    ref = repo.path / ".git" / "refs" / "stoat" / "state"
    ref.write_bytes(b"")
    for arguments in (["status"], ["init"], ["ready", "--json"], ["claim", "demo/bare"]):
        ran = stoat.run(*arguments)
        assert (ran.code, ran.out) == (4, ""), arguments
        assert "hint: " in ran.err
    assert ref.read_bytes() == b""


def test_the_store_is_found_by_flag_variable_setting_and_place(
    repo: GitRepo, make_repo: MakeRepo, tmp_path: Path
) -> None:
    elsewhere, store = Stoat(tmp_path), str(repo.path)
    expected = {"demo"}

    def plans(stoat: Stoat, *flags: str, **env: str) -> set[str]:
        import json

        ran = stoat.run(*flags, "status", "--json", env=env)
        assert ran.code == 0, ran.err
        return {plan["plan"] for plan in json.loads(ran.out)["plans"]}

    assert plans(elsewhere, "-C", store) == expected
    assert plans(elsewhere, "--store", store) == expected
    assert plans(elsewhere, STOAT_STORE=store) == expected
    other = make_repo("other")
    other.run_git("config", "stoat.store", store)
    assert plans(Stoat(other.path)) == expected
    nested = repo.path / "deep" / "er"
    nested.mkdir(parents=True)
    assert plans(Stoat(nested)) == expected


def test_git_variables_of_another_repository_mislead_nobody(stoat: Stoat, make_repo: MakeRepo) -> None:
    other = make_repo("other")
    env = {"GIT_DIR": str(other.path / ".git"), "GIT_WORK_TREE": str(other.path), "GIT_INDEX_FILE": "/nowhere"}
    assert stoat.json("status", env=env)["plans"][0]["plan"] == "demo"
    stoat.ok("approve", "demo/parser", env=env)
    assert other.run_git("for-each-ref", "refs/stoat") == ""


def test_it_is_the_same_in_another_language_and_encoding(stoat: Stoat) -> None:
    german = {"LANG": "de_DE.UTF-8", "LC_ALL": "de_DE.UTF-8", "LANGUAGE": "de"}
    assert stoat.run("status", "demo", env=german).out == stoat.run("status", "demo").out
    ascii_only = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"}
    assert stoat.run("needs", env=ascii_only).code == 0


def test_who_speaks_is_gits_user_unless_it_is_said(stoat: Stoat, repo: GitRepo) -> None:
    stoat.ok("note", "demo", "one")
    stoat.ok("--by", "Carol", "note", "demo", "two")
    stoat.ok("note", "demo", "three", "--by", "Dora")
    stoat.ok("ask", "demo/parser", "four?", env={"STOAT_AGENT": "alf", "STOAT_SESSION": "s-1"})
    authors = repo.run_git("log", "-4", "--format=%an", "stoat/state").splitlines()
    assert authors == ["alf", "Dora", "Carol", "Ada Tester"]
    assert "Stoat-Actor: agent\nStoat-Session: s-1" in repo.run_git("log", "-1", "--format=%B", "stoat/state")


def test_reading_needs_no_name_and_saying_does(stoat: Stoat, repo: GitRepo) -> None:
    repo.run_git("config", "user.name", "")
    env = {"GIT_CONFIG_GLOBAL": "/dev/null"}
    assert stoat.run("status", env=env).code == 0
    ran = stoat.run("note", "demo", "x", env=env)
    assert (ran.code, ran.out) == (3, "")
    assert "git does not know who you are" in ran.err


def test_a_reader_that_goes_away_is_no_error(stoat: Stoat) -> None:
    process = stoat.start("status", "demo", "--json")
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    assert process.wait(60) == 0
    assert process.stderr.read() == b""


def test_text_from_outside_cannot_command_a_terminal(stoat: Stoat, repo: GitRepo) -> None:
    stoat.ok("ask", "demo/parser", "\x1b[31mred\x1b]0;title\x07 \u202eevil\u2066 \x9b2J\nnext")
    shown = stoat.ok("questions")
    assert "\\u001b[31mred\\u001b]0;title\\u0007 \\u202eevil\\u2066 \\u009b2J next" in shown
    leader, follower = pty.openpty()
    process = stoat.start("questions", "--json")
    process.communicate()
    drawn = subprocess.Popen(
        [sys.executable, "-m", "stoat", "questions"], cwd=repo.path, stdout=follower, stderr=follower,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "200"},
    )  # fmt: skip
    assert drawn.wait(60) == 0
    os.close(follower)
    seen = b""
    while chunk := _read(leader):
        seen += chunk
    os.close(leader)
    assert b"\\u001b[31mred" in seen
    assert b"\x07" not in seen
    assert b"\x1b[31mred" not in seen
    assert "\u202e".encode() not in seen


def _read(leader: int) -> bytes:
    try:
        return os.read(leader, 65536)
    except OSError:
        return b""


@pytest.mark.parametrize("in_the_way", [None, "", "logs"])
def test_an_error_of_its_own_is_one_sentence_and_a_file(
    stoat: Stoat, repo: GitRepo, tmp_path: Path, in_the_way: str | None
) -> None:
    place = repo.path / ".git" / "stoat"
    if in_the_way is not None:
        shutil.rmtree(place / in_the_way, ignore_errors=True)
        (place / in_the_way).write_text("in the way")
    code = (
        "import sys; sys.argv = ['stoat', 'status']\n"
        "from stoat.service import reading\n"
        "def broken(session): raise RuntimeError('wires \\u001b[0m crossed')\n"
        "reading.overview = broken\n"
        "from stoat.cli.main import main\nmain()"
    )
    env = {**os.environ, "TMPDIR": str(tmp_path)}
    words = [sys.executable, "-c", code]
    ran = subprocess.run(words, cwd=repo.path, env=env, capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout) == (1, "")
    assert "Traceback" not in ran.stderr
    said, hint = ran.stderr.splitlines()
    assert said == "stoat failed by itself: RuntimeError: wires \\u001b[0m crossed"
    log = Path(hint.partition("the details are in ")[2])
    assert log.parent == (place / "logs" if in_the_way is None else tmp_path)
    assert "Traceback" in log.read_text(encoding="utf-8")


def test_nodes_and_plans_complete_from_the_store(stoat: Stoat) -> None:
    def completed(*words: str) -> set[str]:
        env = {
            "_STOAT_COMPLETE": "complete_bash",
            "COMP_WORDS": " ".join(["stoat", *words]),
            "COMP_CWORD": str(len(words)),
        }
        code = "import sys; sys.argv = ['stoat']\nfrom stoat.cli.main import main\nmain()"
        ran = subprocess.run(
            [sys.executable, "-c", code], cwd=stoat.directory, env={**os.environ, **env}, capture_output=True,
            text=True, check=False,
        )  # fmt: skip
        return set(ran.stdout.split())

    assert completed("claim", "demo/s") == {"demo/suite", "demo/send"}
    assert completed("claim", "de") == {"demo/"}
    assert completed("status", "") == {"demo"}
    assert {"claim", "cloud"} <= completed("cl")


@pytest.mark.parametrize("words", [*((name,) for name in later.COMMANDS), ("issues", "land")], ids=" ".join)
def test_a_name_that_is_taken_says_that_its_work_comes_with_a_later_version(
    stoat: Stoat, words: tuple[str, ...]
) -> None:
    ran = stoat.run(*words, "whatever", "--any=1")
    assert (ran.code, ran.out) == (3, "")
    assert ran.err.endswith("comes with a later version\nhint: see what there is now: stoat --help\n")
    assert "comes with a later version." in " ".join(stoat.ok(*words, "--help").split())


def test_the_help_names_what_comes_later_in_one_line_and_not_as_if_it_worked(stoat: Stoat) -> None:
    said = stoat.ok("--help").splitlines()
    assert f"later: {', '.join(later.COMMANDS)}" in said
    assert not [line for line in said if line.startswith(tuple(f"  {name} " for name in later.COMMANDS))]
