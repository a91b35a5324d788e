"""What the holder of a node says while it works, and what of it is recorded."""

from __future__ import annotations

import pytest
from msgspec import to_builtins

from stoat.errors import Invalid, NotFound, Refused
from stoat.plan.ids import NodeRef
from stoat.plan.state import WorkStep
from stoat.service import claims, decisions, nodes, run_list, runs, working
from stoat.service.session import Session
from tests.service.conftest import As

PARSER = NodeRef("demo", "parser")
STEPS = (WorkStep(id="read", title="Read it"), WorkStep(id="test", title="Test it", run_tag="demo/suite"))


@pytest.fixture
def alf(speak: As) -> Session:
    """The agent that holds the parser."""
    decisions.approve(speak("ada"), [PARSER])
    claims.claim(speak("ada"), *PARSER, holder="alf")
    return speak("alf", "agent")


def test_what_one_is_at_is_on_the_claim_and_the_same_again_is_not_recorded(alf: Session) -> None:
    first = working.activity(alf, PARSER, "reading")
    assert (first.note, first.holder) == ("reading", "alf")
    tip = alf.store.tip()
    assert working.activity(alf, PARSER, "reading") == first
    assert alf.store.tip() == tip
    assert working.activity(alf, PARSER, "writing").note == "writing"
    assert alf.store.tip() != tip


def test_a_sign_of_life_cuts_no_lease_short(alf: Session) -> None:
    long = claims.report(alf, *PARSER, lease=3 * 3600)
    assert working.activity(alf, PARSER, "reading").expires_at >= long.expires_at


def test_who_waits_keeps_the_node_that_it_holds(alf: Session, speak: As, monkeypatch: pytest.MonkeyPatch) -> None:
    tip = alf.store.tip()
    working.keep(alf, PARSER)
    working.keep(speak("bob", "agent"), PARSER)
    working.keep(alf, NodeRef("demo", "suite"))
    assert alf.store.tip() == tip
    before = working.shown(alf, alf.state(), PARSER).expires_at
    monkeypatch.setattr(working, "QUIET", 0.0)
    working.keep(alf, PARSER)
    assert working.shown(alf, alf.state(), PARSER).expires_at > before
    assert alf.store.tip() != tip


def test_steps_are_declared_reported_and_shown_and_change_no_status(alf: Session) -> None:
    before = alf.answers().by_ref["demo/parser"].status
    working.declare_steps(alf, PARSER, STEPS)
    told = working.activity(alf, PARSER, "testing", step="test", state="done")
    assert [(one.id, one.state) for one in told.steps] == [("read", "pending"), ("test", "done")]
    assert nodes.show(alf, PARSER)["workSteps"] == to_builtins(told.steps)
    assert alf.answers().by_ref["demo/parser"].status == before
    claims.release(alf, *PARSER)
    assert not nodes.show(alf, PARSER)["workSteps"]


def test_beside_a_step_is_what_its_test_runs_came_to(alf: Session) -> None:
    report = alf.directory / "report.xml"
    report.write_text('<testsuite name="s"><testcase classname="a" name="b"/></testsuite>', encoding="utf-8")
    added = runs.add(alf, [report], "demo/suite/unit", "junit")
    shown = working.declare_steps(alf, PARSER, STEPS)
    assert shown.steps[0].observed is None
    assert shown.steps[1].observed is not None
    assert shown.steps[1].observed.run_id == added.run_id


def test_only_the_holder_says_so_and_a_tag_is_one(alf: Session, speak: As) -> None:
    with pytest.raises(Refused, match="held by alf"):
        working.activity(speak("bob", "agent"), PARSER, "reading")
    with pytest.raises(Refused, match="nobody holds"):
        working.declare_steps(alf, NodeRef("demo", "suite"), STEPS)
    with pytest.raises(NotFound, match="no step"):
        working.activity(alf, PARSER, "reading", step="none")
    with pytest.raises(Invalid, match="is not a tag"):
        working.declare_steps(alf, PARSER, [WorkStep(id="a", title="A", run_tag="nowhere")])


def test_the_newest_runs_of_many_tags_are_those_of_each_and_the_log_is_read_once(
    alf: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    report = alf.directory / "report.xml"
    report.write_text('<testsuite name="s"><testcase classname="a" name="b"/></testsuite>', encoding="utf-8")
    for tag in ("demo/suite/unit", "demo/bare", "demo/suite/lint", "demo/suite/unit/one", "demo/suite"):
        runs.add(alf, [report], tag, "junit")
    tags = ["demo/suite", "demo/suite/unit", "demo/suite/lint", "demo/bare", "demo/parser", "demo/suite/uni"]
    each = {tag: next(iter(run_list.listed(alf, tag, 1)), None) for tag in tags}
    reads: list[str] = []
    history = alf.store.history
    monkeypatch.setattr(alf.store, "history", lambda name, **more: (reads.append(name), history(name, **more))[1])
    assert run_list.newest(alf, tags) == {tag: run for tag, run in each.items() if run is not None}
    assert reads == ["plans/demo"]
    assert run_list.newest(alf, []) == {}
    assert reads == ["plans/demo"]
