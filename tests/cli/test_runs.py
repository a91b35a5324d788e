"""`stoat runs`: reports become evidence, every run can be looked at and written out, and what is flaky is listed."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.support.command import Stoat
from tests.support.gitrepo import GitRepo

GREEN = '<testcase classname="parcels.Parcels" name="Send one" time="0.25"/>'
RED = '<testcase classname="Parcels" name="Lose one"><failure message="gone">gone at x\nline 2</failure></testcase>'
FLAKY = '<testcase classname="Parcels" name="Send one"><flakyFailure message="first"/></testcase>'


def report(repo: GitRepo, *cases: str, name: str = "report.xml") -> str:
    path = repo.path / ".git" / name
    path.write_text(f"<testsuite name='s'>{''.join(cases)}</testsuite>", encoding="utf-8")
    return str(path)


def add(stoat: Stoat, file: str, tag: str = "demo/send") -> str:
    return str(stoat.json("runs", "add", file, "--tag", tag)["runId"])


def test_a_slice_is_done_when_all_its_specs_are_green(stoat: Stoat, repo: GitRepo) -> None:
    said = stoat.ok("runs", "add", report(repo, GREEN), "--tag", "demo/send")
    assert said.splitlines()[1:] == ["  ✓ Parcels/Send one", "  ○ absent: Parcels/Lose one"]
    assert stoat.json("status", "demo")["nodes"][3]["status"] != "done"
    assert stoat.run("runs", "add", report(repo, GREEN, RED), "--tag", "demo/send").code == 0
    assert stoat.json("status", "demo")["nodes"][3]["status"] == "failed"
    mended = report(repo, RED.replace("<failure", "<system-out").replace("</failure", "</system-out"))
    added = stoat.json("runs", "add", mended, "--tag", "demo/send")
    assert (added["state"], added["format"], added["specsPassed"], added["specsAbsent"]) == (
        "passed", "junit", ["Parcels/Lose one"], ["Parcels/Send one"],
    )  # fmt: skip
    assert stoat.json("status", "demo")["nodes"][3]["status"] == "done"
    shown = stoat.json("runs", "show", added["runId"])
    assert (shown["run"]["commit"], shown["run"]["archived"]) == (repo.head(), True)
    (scenario,) = shown["scenarios"]
    assert (scenario["uid"], scenario["outcome"], scenario["steps"]) == ("Parcels/Lose one", "CleanPass", [])


def test_several_reports_are_one_run_of_one_step(stoat: Stoat, repo: GitRepo) -> None:
    files = [report(repo, GREEN, name="1.xml"), report(repo, RED, name="2.xml")]
    stoat.ok("runs", "add", *files, "--tag", "demo/suite/unit")
    runs = stoat.json("runs", "list", "--tag", "demo/suite")
    seen = [(run["tag"], run["passed"], run["failed"], run["mode"]) for run in runs]
    assert seen == [("demo/suite/unit", 1, 1, "junit")]
    assert stoat.json("runs", "list", "--tag", "demo/suite/lint") == []
    assert stoat.json("status", "demo")["nodes"][1]["steps"][0]["state"] == "failed"


def test_a_report_of_a_step_that_the_node_does_not_declare_is_kept_and_said(stoat: Stoat, repo: GitRepo) -> None:
    ran = stoat.run("runs", "add", report(repo, GREEN), "--tag", "demo/suite/typo")
    said = "stoat: demo/suite has no step 'typo': such a run counts for nothing; its steps are: unit, lint\n"
    assert (ran.code, ran.err) == (0, said)
    assert len(stoat.json("runs", "list", "--tag", "demo/suite/typo")) == 1


def test_a_run_is_shown_with_its_scenarios_and_what_went_wrong(stoat: Stoat, repo: GitRepo) -> None:
    skipped = '<testcase classname="Parcels" name="Later"><skipped/></testcase>'
    run = add(stoat, report(repo, FLAKY, RED, skipped))
    detail = stoat.json("runs", "show", run)["run"]
    first, second, third, *rest = stoat.ok("runs", "show", run).splitlines()
    assert first == f"{run}: failed (1 of 2, 1 skipped), demo/send"
    assert second == f"s by {detail['by']} on main at {repo.head()[:10]}, machine {detail['machine']}"
    assert third.startswith("from ? to 20")
    assert rest == [
        "  ○ Parcels/Later (skipped)",
        "  ✗ Parcels/Lose one",
        "      gone at x",
        "      line 2",
        "  ✓ Parcels/Send one (attempt 2)",
    ]


def test_what_is_no_evidence_is_refused_and_leaves_nothing(stoat: Stoat, repo: GitRepo, tmp_path: Path) -> None:
    nothing = report(repo, "<testcase name='x'><skipped/></testcase>")
    text = report(repo, name="text.txt")
    Path(text).write_text("ok 1 - TAP")
    empty, cut = report(repo, name="empty.xml"), report(repo, name="cut.json")
    Path(empty).write_text("\n")
    Path(cut).write_text('{"specVersion": "0.0.0",\n"results": {"tests": [{"name": "a')
    ctrf = report(repo, name="ctrf.json")
    Path(ctrf).write_text('{"reportFormat":"CTRF","results":{"tests":[]}}')
    for arguments, said in (
        ([nothing, "--tag", "demo/send"], "nothing ran"),
        ([nothing, "--tag", "demo"], "'demo' is not a tag"),
        ([nothing, "--tag", "demo/send/"], "'demo/send/' is not a tag"),
        ([nothing, "--tag", "demo/send/unit/"], "'demo/send/unit/' is not a tag"),
        ([nothing, "--tag", "demo/send//unit"], "'demo/send//unit' is not a tag"),
        ([nothing, "--tag", "demo/nope"], "has no node 'nope'"),
        ([str(tmp_path / "missing.xml"), "--tag", "demo/send"], "cannot be read"),
        ([text, "--tag", "demo/send"], "does not say what it is\nhint: name it with --format"),
        ([empty, "--tag", "demo/send"], "empty.xml: is empty"),
        ([cut, "--tag", "demo/send"], "cut.json:2:34: is not JSON: it ends before its report does"),
        ([nothing, ctrf, "--tag", "demo/send"], "the files are of several formats"),
        ([nothing, "--tag", "demo/send", "--format", "ctrf"], "report.xml:1:1: is not JSON"),
        ([nothing, "--tag", "demo/send", "--format", "xls"], "'xls' is not a format"),
    ):
        ran = stoat.run("runs", "add", *arguments)
        assert (ran.code, ran.out) == (3, ""), arguments
        assert said in ran.err
    ran = stoat.run("runs", "show", "r-none")
    assert (ran.code, ran.err) == (3, "there is no run 'r-none'\nhint: see them with `stoat runs list`\n")
    assert stoat.json("runs", "list") == []
    assert [file for file in (repo.path / ".git" / "stoat" / "runs").rglob("*") if file.is_file()] == []


def test_a_run_is_written_out_for_other_tools(stoat: Stoat, repo: GitRepo) -> None:
    run = add(stoat, report(repo, FLAKY, RED))
    assert json.loads(stoat.ok("runs", "export", run))["results"]["summary"]["flaky"] == 1
    assert ElementTree.fromstring(stoat.ok("runs", "export", run, "--format", "junit")).get("failures") == "1"
    events = [json.loads(line) for line in stoat.ok("runs", "export", run, "--format", "ndjson").splitlines()]
    assert (events[0]["type"], events[0]["tag"], events[-1]["type"]) == ("run_started", "demo/send", "run_finished")


def test_what_cannot_be_written_out_says_why(stoat: Stoat) -> None:
    for arguments, said in (
        (
            ["r", "--format", "xml"],
            "'xml' is not a format that runs are written in\nhint: one of: ctrf, junit, ndjson\n",
        ),
        (["r-none"], "there is no run 'r-none'\nhint: see them with `stoat runs list`\n"),
        (["../../x", "--format", "ndjson"], "there is no run '../../x'\nhint: see them with `stoat runs list`\n"),
    ):
        ran = stoat.run("runs", "export", *arguments)
        assert (ran.code, ran.out, ran.err) == (3, "", said)


def test_the_flaky_ledger_says_what_is_flaky_and_how(stoat: Stoat, repo: GitRepo) -> None:
    assert stoat.ok("runs", "flaky") == "nothing flaky in the runs that are known\nin 0 runs\n"
    run = add(stoat, report(repo, FLAKY))
    header, line, window = stoat.ok("runs", "flaky").splitlines()
    assert window.startswith("in 1 run from 2")
    assert header.lower().split() == ["scenario", "tag", "flaky", "how", "runs", "last", "seen", "in"]
    assert "Parcels/Send one" in line and "passed on a retry 1×" in line and run in line
    assert stoat.json("runs", "flaky", "--tag", "demo/suite") == {
        "flaky": [], "runs": 0, "since": None, "until": None,
    }  # fmt: skip


def test_a_run_goes_by_the_beginning_of_its_id(stoat: Stoat, repo: GitRepo) -> None:
    first, second = add(stoat, report(repo, FLAKY)), add(stoat, report(repo, RED))
    assert stoat.ok("runs", "show", second[:7]) == stoat.ok("runs", "show", second)
    assert stoat.ok("runs", "export", first[:7]) == stoat.ok("runs", "export", first)
    for command in ("show", "export"):
        ran = stoat.run("runs", command, "r-")
        assert ran.code == 3 and first in ran.err and second in ran.err and "hint: write more of the id" in ran.err


def test_hostile_names_reach_no_terminal(stoat: Stoat, repo: GitRepo) -> None:
    bad = f"{GREEN}<testcase classname='P' name='a\u202eb'><failure>x\u202ey</failure></testcase>"
    run = add(stoat, report(repo, bad))
    assert "\u202e" not in stoat.ok("runs", "show", run)


@pytest.mark.parametrize(
    ("outcomes", "exit_code", "said"),
    [
        ((), 0, "undecided (0 of 0)"),
        ((), 5, "failed (0 of 0)"),
        (("Aborted",), 5, "undecided (0 of 1)"),
        (("CleanPass",), 2, "undecided (1 of 1)"),
        (("CleanPass",), 1, "failed (1 of 1)"),
        (("CleanPass", "Failed"), 2, "failed (1 of 2)"),
        (("CleanPass",), 0, "passed (1 of 1)"),
    ],
)
def test_a_run_is_listed_as_it_counts(
    stoat: Stoat, repo: GitRepo, outcomes: tuple[str, ...], exit_code: int, said: str
) -> None:
    run, at = "11111111-2222-3333-4444-555555555555", "2026-12-01T03:00:00.000Z"
    events = [
        {"type": "run_started", "suite": "suite", "repository": "here", "mode": "pytest", "startedAt": at},
        *(
            {"type": "scenario_finished", "uid": f"F/{n}", "outcome": outcome, "attempts": 1, "durationMs": 1}
            for n, outcome in enumerate(outcomes)
        ),
        {"type": "run_finished", "exitCode": exit_code, "passed": outcomes.count("CleanPass"), "passedOnRetry": 0,
         "failed": outcomes.count("Failed"), "indeterminate": outcomes.count("Aborted"), "finishedAt": at},
    ]  # fmt: skip
    archive = repo.path / ".git" / "stoat" / "runs" / f"{run}.ndjson"
    archive.parent.mkdir(parents=True)
    archive.write_text("".join(json.dumps({"runId": run, **event}) + "\n" for event in events), encoding="utf-8")
    assert said in stoat.ok("runs", "list")
