"""Until when agents wait for a limit of their account, and in which session a node's next agent works."""

from __future__ import annotations

import itertools

import pytest
from msgspec.structs import replace

from stoat.clock import plus
from stoat.derive import quota, resume
from stoat.plan.state import Attempt, Limited, LimitKind, Mark, NodeState, PlanState, Question
from tests.support.states import BEFORE, NOW, node, plan

TRIED = Attempt(
    number=1, claim="c1", started=BEFORE, runner="r", machine="box", launcher="claude", worktree="/w", branch="b",
    base="0" * 40, base_ref="origin/main", log="/l", seq=5, session="s1", exited_at=BEFORE,
)  # fmt: skip


def limited(kind: LimitKind, resets_at: str | None = None, at: str = NOW, **more: object) -> NodeState:
    limit = Limited(kind=kind, text="You've hit your limit", at=at, resets_at=resets_at)
    return node("a", attempt=replace(TRIED, **{"outcome": "limited", "limit": limit, **more}))


@pytest.mark.parametrize(
    ("kind", "resets_in", "waits", "stops_all"),
    [
        ("usage", 3600, 3600 + 120, True),
        ("usage", None, 1800, True),
        ("usage", -600, 120, False),  # it reset before the agent's end was seen
        ("spend", None, 1800, True),
        ("rate", 30, 30 + 120, False),
        ("rate", None, 120, False),
        ("overloaded", None, 120, False),
        ("overloaded", 9999, 120, False),
    ],
)
def test_a_limit_keeps_its_launcher_or_its_node_from_starting_for_a_while(
    kind: LimitKind, resets_in: float | None, waits: float, stops_all: bool
) -> None:
    stopped = limited(kind, None if resets_in is None else plus(NOW, resets_in))
    plans = [plan("other"), plan("p", stopped, node("b"))]
    for after, still in ((0.0, True), (waits - 1, True), (waits, False), (waits + 1, False)):
        now = plus(NOW, after)
        pause = quota.pause(plans, launcher="claude", machine="box", now=now)
        assert (pause is not None) == (still and stops_all)
        own = quota.waits_until(stopped, launcher="claude", machine="box", now=now)
        assert own == (plus(NOW, waits) if still else None)
        if pause is not None:
            assert (pause.until, pause.kind, pause.nodes) == (plus(NOW, waits), kind, ("p/a",))


@pytest.mark.parametrize(
    "stopped",
    [
        limited("usage", launcher="codex"),
        limited("usage", machine="other"),
        replace(limited("usage"), restarted_seq=9, restarted=Mark("jo", NOW)),
    ],
)
def test_a_limit_of_another_account_or_one_that_a_person_restarted_stops_nobody(stopped: NodeState) -> None:
    assert quota.pause([plan("p", stopped)], launcher="claude", machine="box", now=NOW) is None
    assert quota.waits_until(stopped, launcher="claude", machine="box", now=NOW) is None


def test_a_limit_counts_also_where_the_work_was_done_all_the_same() -> None:
    done = limited("usage", plus(NOW, 60), outcome="done")
    assert quota.pause([plan("p", done)], launcher="claude", machine="box", now=NOW) is not None


@pytest.mark.parametrize(("restarted", "held"), [(None, True), (BEFORE, True), (NOW, False), (plus(NOW, 60), False)])
def test_a_pause_holds_no_node_that_a_person_restarted_since(restarted: str | None, held: bool) -> None:
    pause = quota.pause([plan("p", limited("usage", plus(NOW, 60)))], launcher="claude", machine="box", now=NOW)
    assert pause is not None
    assert quota.holds(pause, node("b", restarted=Mark("jo", restarted) if restarted else None)) == held


def test_of_several_limits_the_one_that_ends_last_counts_and_all_nodes_are_named() -> None:
    early, late = limited("usage", plus(NOW, 60)), limited("usage", plus(NOW, 600))
    plans = [plan("p", early), plan("q", late)]
    pause = quota.pause(plans, launcher="claude", machine="box", now=NOW)
    assert pause is not None
    assert (pause.until, pause.nodes) == (plus(NOW, 720), ("p/a", "q/a"))
    later = quota.pause(plans, launcher="claude", machine="box", now=plus(NOW, 300))
    assert later is not None
    assert (later.until, later.nodes) == (plus(NOW, 720), ("q/a",))


def asking(state: str, seq: int = 7) -> PlanState:
    answer = None if state == "open" else Mark("jo", NOW, "three" if state == "answered" else None)
    question = Question(
        id="q1", node="a", question="3 or 5?", asked_by="x", at=NOW, seq=seq, state=state, answer=answer
    )  # type: ignore[arg-type]
    return plan("p", node("a"), questions={"q1": question})


def test_a_session_goes_on_after_a_limit_and_after_its_questions_were_settled_and_else_never() -> None:
    outcomes = [None, "done", "failed", "nothing", "given-back", "lost", "limited"]
    for outcome, state, seq in itertools.product(outcomes, ["open", "answered", "dismissed"], [3, 7]):
        asked = asking(state, seq)
        found = resume.decide(
            asked, node("a", attempt=replace(TRIED, outcome=outcome)), launcher="claude", machine="box"
        )
        if outcome == "limited":
            assert found == resume.Resume("s1", "limited")
        elif outcome == "given-back" and state != "open" and seq > TRIED.seq:
            assert found == resume.Resume("s1", "answered", tuple(asked.questions.values()))
        else:
            assert found is None, (outcome, state, seq)


@pytest.mark.parametrize(
    ("resumes", "process", "goes_on"), [(True, None, True), (True, "m:b:1:2", False), (False, None, False)]
)
def test_a_session_that_was_to_go_on_and_never_began_again_goes_on(
    resumes: bool, process: str | None, goes_on: bool
) -> None:
    lost = node("a", attempt=replace(TRIED, outcome="lost", resumes=resumes, process=process))
    settled = asking("answered", 3)
    found = resume.decide(settled, lost, launcher="claude", machine="box")
    assert found == (resume.Resume("s1", "unbegun", tuple(settled.questions.values())) if goes_on else None)
    assert resume.decide(asking("open", 3), lost, launcher="claude", machine="box") is None


@pytest.mark.parametrize(
    "tried",
    [
        node("a"),
        node("a", attempt=replace(TRIED, outcome="limited", session=None)),
        node("a", attempt=replace(TRIED, outcome="limited", launcher="codex")),
        node("a", attempt=replace(TRIED, outcome="limited", machine="other")),
        node("a", attempt=replace(TRIED, outcome="limited"), restarted_seq=9),
    ],
)
def test_no_session_goes_on_that_is_not_there_for_this_launcher_on_this_machine(tried: NodeState) -> None:
    assert resume.decide(asking("answered"), tried, launcher="claude", machine="box") is None
