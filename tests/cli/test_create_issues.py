"""`stoat create-issues`: a person's word, shown with the plan."""

from __future__ import annotations

from tests.support.command import Stoat


def test_a_person_lets_runners_create_issues_and_the_plan_shows_it(stoat: Stoat) -> None:
    assert stoat.json("plan", "show", "demo")["createsIssues"] is None
    assert stoat.ok("create-issues", "demo", "--by", "Ada") == "runners create the issues that it lacks for demo\n"
    assert "already" in stoat.ok("create-issues", "demo")
    assert stoat.json("plan", "show", "demo")["createsIssues"]["by"] == "Ada"
    assert "note: Ada lets runners create" in stoat.run("plan", "show", "demo").err
    assert "lets runners create its issues on GitHub" in stoat.ok("log", "demo")
    assert stoat.ok("create-issues", "demo", "--off") == "runners create no issues for demo\n"
    assert stoat.json("plan", "show", "demo")["createsIssues"] is None
    assert stoat.ok("plan", "export", "demo") == stoat.ok("plan", "show", "demo"), "it is no part of what is written"


def test_an_agent_cannot_and_a_plan_that_is_not_there_is_named(stoat: Stoat) -> None:
    refused = stoat.run("create-issues", "demo", env={"STOAT_AGENT": "alf"})
    assert refused.code == 3 and "only a person may decide this" in refused.err
    assert stoat.run("create-issues", "nothing").code == 3
