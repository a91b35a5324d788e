"""Activity has only news, newest first; history has everything, oldest first."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from stoat.derive import timeline
from stoat.derive.timeline import Line
from stoat.derive.wording import events as say
from stoat.plan import fold
from stoat.plan.events.attempts import (
    AgentSpawned,
    AttemptExited,
    AttemptJudged,
    AttemptStarted,
    CostReported,
    GaveUp,
    WorktreeFreed,
    WorktreeParked,
)
from stoat.plan.events.authoring import NodeAdded
from stoat.plan.events.base import Actor, Event, Unknown
from stoat.plan.events.claims import Claimed, ClaimReleased, ClaimRenewed
from stoat.plan.events.decisions import NodeApproved, NoteAdded
from stoat.plan.events.evidence import GateFinished, GateStarted, RunRecorded, Tree
from stoat.plan.events.landings import Landed, LandingParked
from stoat.plan.events.plans import PlanCreated
from stoat.plan.events.sync import Rejected
from stoat.plan.nodes import Header, Node

JO = Actor("jo", "person")
BOT = Actor("bot", "agent", session="s-1")
RAN: dict[str, Any] = {"run": "r-1", "command": ("make",), "machine": "box", "exit_code": 0, "seconds": 3.0}


def told(*events: Event | Unknown, node: str | None = None) -> list[Line]:
    """The Activity of events given oldest first."""
    stamped = [_stamp(event, at) for at, event in enumerate(events)]
    return list(timeline.activity("p", [(event, f"c{at}") for at, event in enumerate(stamped)][::-1], node))


def _stamp(event: Event | Unknown, at: int) -> Event | Unknown:
    if isinstance(event, Unknown):
        return event
    return replace(event, id=str(at), at=f"2026-11-30T12:{at:02}:00.000Z", by=event.by if event.by.name else JO)


def renewed(note: str | None = None, claim: str = "c") -> ClaimRenewed:
    return ClaimRenewed(node="a", claim=claim, note=note, by=BOT)


def claimed(note: str | None = None, claim: str = "c") -> Claimed:
    return Claimed(node="a", claim=claim, holder="bot", note=note, by=BOT)


def test_a_line_names_the_node_who_and_whether_it_was_observed_or_asserted() -> None:
    landed, said = told(claimed("start"), Landed(node="b", branch="x", commit="c" * 40, onto="integ", tip="d" * 40,
                                                 how="rebased", commits=2, by=Actor("r", "runner")))  # fmt: skip
    assert (said.node, said.by, said.by_kind, said.session, said.observed) == ("a", "bot", "agent", "s-1", False)
    assert (said.type, said.text, said.commit, said.at) == (
        "claimed", "bot claimed it: start", "c0", "2026-11-30T12:00:00.000Z"
    )  # fmt: skip
    assert (landed.node, landed.by, landed.by_kind, landed.observed) == ("b", "r", "runner", True)
    assert landed.text == "landed on integ (rebased, 2 commits, ddddddd)"


@pytest.mark.parametrize(
    ("events", "texts"),
    [
        ([claimed(), renewed(), renewed()], ["bot claimed it"]),
        ([claimed(), renewed("x"), renewed("x"), renewed("y")], ["y", "x", "bot claimed it"]),
        ([claimed("x"), renewed("x")], ["bot claimed it: x"]),
        ([claimed("x"), renewed(), renewed("x")], ["bot claimed it: x"]),
        ([claimed(), renewed("x"), renewed("y"), renewed("x")], ["x", "y", "x", "bot claimed it"]),
        ([claimed("x"), claimed(claim="d"), renewed("x", claim="d")], ["x", "bot claimed it", "bot claimed it: x"]),
        ([renewed("x")], ["x"]),
        ([claimed(), renewed("x"), NodeApproved(node="a"), renewed("x")], ["gave the go-ahead", "x", "bot claimed it"]),
    ],
)
def test_a_renewal_is_a_line_only_when_its_note_changed(events: list[Event], texts: list[str]) -> None:
    assert [line.text for line in told(*events)] == texts


def test_starts_whose_end_is_a_line_are_no_news_and_history_has_them() -> None:
    events: list[Event] = [
        GateStarted(node="a", run="r-1", command=("make",), machine="box"),
        AgentSpawned(node="a", attempt=1, process="x"),
        GateFinished(node="a", **RAN),
    ]
    assert [line.type for line in told(*events)] == ["gate_finished"]
    kept = list(timeline.history("p", [(event, None) for event in events]))
    assert [line.type for line in kept] == ["gate_started", "agent_spawned", "gate_finished"]


def test_it_can_be_of_one_node() -> None:
    events = [NodeApproved(node="a"), NodeApproved(node="b"), NoteAdded(text="plan"), NoteAdded(text="x", node="a")]
    assert [line.text for line in told(*events, node="a")] == ["noted: x", "gave the go-ahead"]


def test_it_reads_no_further_than_it_is_asked_to() -> None:
    def endless() -> Any:
        while True:
            yield _stamp(NodeApproved(node="a"), 0), None

    assert next(timeline.activity("p", endless())).text == "gave the go-ahead"


def test_what_this_version_does_not_know_is_a_line_too() -> None:
    unknown = fold.decode_line(b'{"type":"node_danced","node":"a","at":"2026-11-30T12:00:00.000Z"}')
    assert isinstance(unknown, Unknown)
    (line,) = told(unknown)
    assert (line.type, line.node) == ("node_danced", "a")
    assert line.text == "has the type node_danced, which this version does not know"


@pytest.mark.parametrize(
    ("event", "text"),
    [
        (PlanCreated(header=Header(plan="p")), "created the plan"),
        (NodeAdded(node="a", spec=Node(id="a", kind="slice")), "added a slice node"),
        (GateFinished(node="a", step="s", **RAN), "step s passed in 3s"),
        (GateFinished(node="a", **{**RAN, "exit_code": 2}), "the gate failed (exit 2) in 3s"),
        (GateFinished(node="a", **{**RAN, "exit_code": 137, "signal": "SIGKILL"}),
         "the gate failed (killed by SIGKILL) in 3s"),
        (GateFinished(node="a", step="postgres", timed_out=True, limit=1200.0, **{**RAN, "seconds": 1203.0}),
         "step postgres timed out (limit 20m) after 20m 3s"),
        (GateFinished(node="a", after=Tree(dirty=True), **RAN),
         "the gate passed in 3s, on a tree with uncommitted changes"),
        (RunRecorded(node="a", run="r", source="junit", state="passed", machine="m", passed=3, specs_passed=("F/a",)),
         "a run passed (junit: 3 passed, 0 failed; 1 of 1 spec green)"),
        (ClaimReleased(node="a", claim="c", why="done"), "released it: done"),
        (AttemptStarted(node="a", attempt=1, claim="c", runner="r", machine="m", launcher="remote", worktree="",
                        branch="b", base="", base_ref="", log="l"),
         "attempt 1 is handed to a cloud agent with remote"),
        (AttemptStarted(node="a", attempt=1, claim="c", runner="r", machine="m", launcher="claude", worktree="w",
                        branch="b", base="a" * 40, base_ref="origin/main", log="l"),
         "attempt 1 started with claude, from origin/main (aaaaaaa)"),
        (AttemptExited(node="a", attempt=1, exit_code=0), "the agent of attempt 1 exited (0)"),
        (AttemptJudged(node="a", attempt=1, outcome="failed", detail="red"), "attempt 1: failed, red"),
        (GaveUp(node="a", why="2 attempts"), "gave up on it: 2 attempts"),
        (CostReported(node="a", usd=1.5, turns=3), "it cost $1.50 in 3 turns"),
        (WorktreeParked(node="a", why="a rebase was left in it"),
         "its worktree cannot be used: a rebase was left in it"),
        (WorktreeFreed(node="a"), "its worktree can be used again"),
        (LandingParked(node="a", commit="c", why="w", files=("x.py",)), "could not be landed: conflict in x.py"),
        (Rejected(event={"type": "claimed"}, why="taken"), "claimed from another clone was rejected: taken"),
    ],
)  # fmt: skip
def test_what_is_said(event: Event, text: str) -> None:
    assert say.told(event) == text
