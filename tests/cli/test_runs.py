"""`stoat runs`: reports become evidence, and every run on record can be looked at."""

from __future__ import annotations

from pathlib import Path

from tests.support.command import Stoat
from tests.support.gitrepo import GitRepo

GREEN = '<testcase classname="parcels.Parcels" name="Send one"/>'
RED = '<testcase classname="Parcels" name="Lose one"><failure/></testcase>'


def report(repo: GitRepo, *cases: str, name: str = "report.xml") -> str:
    path = repo.path / ".git" / name
    path.write_text(f"<testsuite name='s'>{''.join(cases)}</testsuite>", encoding="utf-8")
    return str(path)


def test_a_slice_is_done_when_all_its_specs_are_green(stoat: Stoat, repo: GitRepo) -> None:
    said = stoat.ok("runs", "add", report(repo, GREEN), "--tag", "demo/send")
    assert said.splitlines()[1:] == ["  ✓ Parcels/Send one", "  ○ absent: Parcels/Lose one"]
    assert stoat.json("status", "demo")["nodes"][3]["status"] != "done"
    assert stoat.run("runs", "add", report(repo, GREEN, RED), "--tag", "demo/send").code == 0
    assert stoat.json("status", "demo")["nodes"][3]["status"] == "failed"
    mended = report(repo, RED.replace("<failure/>", ""))
    added = stoat.json("runs", "add", mended, "--tag", "demo/send")
    assert (added["state"], added["specsPassed"], added["specsAbsent"]) == (
        "passed", ["Parcels/Lose one"], ["Parcels/Send one"],
    )  # fmt: skip
    assert stoat.json("status", "demo")["nodes"][3]["status"] == "done"
    shown = stoat.json("runs", "show", added["runId"])
    assert shown["run"]["commit"] == repo.head()
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


def test_a_step_is_the_worst_of_its_units_and_each_is_shown(stoat: Stoat, repo: GitRepo) -> None:
    for unit, case in (("a.net9", GREEN), ("b/c.net8", RED)):
        stoat.ok("runs", "add", report(repo, case), "--tag", f"demo/suite/unit/{unit}")
    (step, _) = stoat.json("status", "demo")["nodes"][1]["steps"]
    assert (step["state"], [(unit["id"], unit["state"]) for unit in step["units"]]) == (
        "failed", [("a.net9", "passed"), ("b/c.net8", "failed")]
    )  # fmt: skip
    assert step["run"] == step["units"][1]["run"]
    lines = [line.split() for line in stoat.ok("node", "show", "demo/suite", "--offline").splitlines()]
    assert ["unit", "a.net9", "passed:"] in [line[:3] for line in lines]
    assert [run["tag"] for run in stoat.json("runs", "list", "--tag", "demo/suite/unit/b/c.net8")] == [
        "demo/suite/unit/b/c.net8"
    ]
    stoat.ok("gate", "run", "demo/suite", "--step", "unit")
    (step, _) = stoat.json("status", "demo")["nodes"][1]["steps"]
    assert (step["state"], step["units"]) == ("passed", [])


def test_what_is_no_evidence_is_refused(stoat: Stoat, repo: GitRepo, tmp_path: Path) -> None:
    nothing = report(repo, "<testcase name='x'><skipped/></testcase>")
    for arguments, said in (
        ([nothing, "--tag", "demo/send"], "nothing ran"),
        ([nothing, "--tag", "demo"], "'demo' is not a tag"),
        ([nothing, "--tag", "demo/nope"], "has no node 'nope'"),
        ([str(tmp_path / "missing.xml"), "--tag", "demo/send"], "cannot be read"),
        ([nothing, "--tag", "demo/send", "--format", "ctrf"], "is not JSON"),
        ([nothing, "--tag", "demo/send", "--format", "xls"], "'xls' is not a format"),
    ):
        ran = stoat.run("runs", "add", *arguments)
        assert (ran.code, ran.out) == (3, ""), arguments
        assert said in ran.err
    ran = stoat.run("runs", "show", "r-none")
    assert (ran.code, ran.err) == (3, "there is no run 'r-none'\nhint: see them with `stoat runs list`\n")
