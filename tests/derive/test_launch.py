"""Why a ready node is not launched, row by row, and how the plan's runner is shown."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from stoat.derive.derivation import derive
from stoat.plan.facts import DriftFact, Facts, HeldBack, RunnerFact
from stoat.plan.reservations import Reservation
from stoat.plan.state import Mark, NodeState, Parked
from tests.support.states import (
    BEFORE,
    JO,
    NOW,
    answer,
    attempt,
    claim,
    derived,
    done,
    issue,
    node,
    piece,
    plan,
    runner,
    state,
)  # fmt: skip

IN_REPO = {"specs": ("F/a",), "repo": "o/r"}


def launch(given: NodeState, *runners: RunnerFact, held: Mark | None = None) -> tuple[str, str] | None:
    facts = Facts(machine="box", runners=runners)
    machine = ("box", held) if held else None
    found = answer("p/a", plan("p", given), facts=facts, machine=machine).launch
    return (found.reason, found.detail) if found else None


READY = piece("a")
BUSY = {"running": {"x": 1, "y": 1}}
WAITS = HeldBack("resource", "waiting on postgres")

CASES = [
    (READY, [runner()], ("next", "its runner launches it next")),
    (READY, [runner(state="waiting")], ("next", "its runner launches it next")),
    (READY, [], ("no-runner", "no runner: stoat run-plan p CHECKOUT --watch")),
    (READY, [runner("other")], ("no-runner", "no runner: stoat run-plan p CHECKOUT --watch")),
    (READY, [runner(state="gone")], ("no-runner", "runner r-1 is gone: stoat run-plan p /code/x --watch")),
    (READY, [runner(state="paused", paused_by="jo", paused_at=BEFORE)],
     ("paused", "runner paused by jo at 2026-11-30 11:00Z")),
    (READY, [runner(state="disconnected", pid=7)],
     ("no-runner", "runner r-1 is disconnected (it said nothing for half a minute); if it was stopped, this lets it go"
      " on: kill -CONT 7")),
    (READY, [runner(state="stopping")], ("stopping", "runner r-1 is stopping")),
    (READY, [runner(state="limited")], ("limited", "runner r-1 waits for a usage limit to reset")),
    (READY, [runner(state="limited", limited_until=BEFORE)],
     ("limited", "runner r-1 waits for a usage limit to reset, and goes on at 2026-11-30 11:00Z")),
    (READY, [runner(**BUSY)], ("waiting-for-slot", "waiting for a slot (2/2 in use)")),
    (READY, [runner(reasons={"a": WAITS})], ("resource", "waiting on postgres")),
    (READY, [runner(reasons={"a": HeldBack("held", "no fresh base")})], ("held", "no fresh base")),
    (READY, [runner(reasons={"a": HeldBack("of-a-newer-version", "the moon is full")})], ("held", "the moon is full")),
    (READY, [runner(reasons={"b": WAITS})], ("next", "its runner launches it next")),
    (READY, [runner(state="paused", reasons={"a": WAITS})], ("paused", "runner paused")),
    (node("a"), [runner()], ("go-ahead", "awaiting a person's go-ahead")),
    (node("a"), [], ("go-ahead", "awaiting a person's go-ahead")),
    (node("a", go_ahead=JO), [runner()], ("next", "its runner launches it next")),
    (piece("a", gave_up=Mark("r-1", BEFORE, "2 attempts")), [runner()], ("held", "given up on: 2 attempts")),
    (piece("a", cloud=JO), [runner()], ("held", "kept for a cloud agent")),
    (issue("a", cloud=JO, go_ahead=JO), [runner(cloud="box-cloud")], ("next", "its runner launches it next")),
    (piece("a", cloud=JO), [runner(cloud="box-cloud")], ("held", "kept for a cloud agent")),
    (issue("a", cloud=JO, go_ahead=JO), [runner(cloud="box-cloud", parallel=0)],
     ("next", "its runner launches it next")),
    (issue("a", cloud=JO, go_ahead=JO), [runner(cloud="box-cloud", state="gone")], ("held", "kept for a cloud agent")),
    (issue("a", cloud=JO, go_ahead=JO), [runner(cloud="box-cloud"), runner(runner_id="r-2")],
     ("next", "its runner launches it next")),
    (piece("a", open_questions=1), [runner()], ("held", "its agent asked a person and waits for the answer")),
    (issue("a", go_ahead=JO), [runner(repo="o/r")],
     ("held", "no GitHub sweep has seen o/r#7 yet (`stoat sweep` looks)")),
    (issue("a"), [runner(repo="o/r")], ("go-ahead", "awaiting a person's go-ahead")),
    (issue("a", number=None), [runner(repo="o/r")], ("held", "not bound to an issue")),
    (node("a", "review", spec={"agent": "cloud"}), [], ("held", "kept for a cloud agent")),
    (piece("a", attempt=attempt()), [runner()], ("held", "its last attempt is not judged yet")),
    (piece("a", attempt=attempt(outcome="failed")), [runner()], ("next", "its runner launches it next")),
    (node("a", "slice", spec=IN_REPO), [runner(repo="o/r")], ("next", "its runner launches it next")),
    (node("a", "slice", spec=IN_REPO), [runner(repo="O/R")], ("next", "its runner launches it next")),
    (node("a", "slice", spec=IN_REPO), [runner(state="gone", repo="O/R")],
     ("no-runner", "runner r-1 is gone: stoat run-plan p /code/x --watch")),
    (node("a", "slice", spec=IN_REPO), [runner(repo="o/other")],
     ("no-runner", "in o/r, and the runner works o/other: stoat run-plan p CHECKOUT-OF-o/r --watch")),
    (node("a", "slice", spec=IN_REPO), [runner(repo=None)],
     ("no-runner", "in o/r, and the runner works /code/x: stoat run-plan p CHECKOUT-OF-o/r --watch")),
    (node("a", "slice", spec=IN_REPO), [runner(repo="o/x"), runner(repo="o/r", runner_id="r-2", **BUSY)],
     ("waiting-for-slot", "waiting for a slot (2/2 in use)")),
    (READY, [runner(state="paused"), runner(runner_id="r-2")], ("next", "its runner launches it next")),
    (piece("a", claim=claim()), [runner()], None),
    (node("a", spec={"assignee": "person"}), [runner()], None),
    (node("a", "person"), [runner()], None),
    (node("a", "publish", spec={"package": "F"}), [runner()], None),
    (done("a"), [runner()], None),
    (piece("a", "gone"), [runner()], None),
]  # fmt: skip


@pytest.mark.parametrize(("given", "runners", "expected"), CASES)
def test_every_row(given: NodeState, runners: list[RunnerFact], expected: tuple[str, str] | None) -> None:
    assert launch(given, *runners) == expected


def test_a_held_machine_holds_every_launch() -> None:
    assert launch(READY, runner(), held=Mark("jo", BEFORE, "benchmarks")) == (
        "held", "this machine is held by jo: benchmarks"
    )  # fmt: skip
    elsewhere = derived(plan("p", READY), facts=Facts(machine="other", runners=(runner(),)), machine=("box", JO))
    assert elsewhere.by_ref["p/a"].launch.reason == "next"  # type: ignore[union-attr]


def test_what_builds_on_work_that_could_not_be_landed_is_held() -> None:
    parked = Parked(why="conflict", at=BEFORE, commit="a" * 40)
    up = piece("up", green=("F/a", "F/b"), parked=parked)
    found = answer("p/a", plan("p", up, piece("a", "up")), facts=Facts(runners=(runner(),)))
    assert found.ready
    assert found.launch is not None and found.launch.reason == "held"
    assert found.launch.detail == "waits until the work of `up` has landed"


def test_the_order_in_which_runners_are_seen_does_not_matter() -> None:
    runners = [runner(runner_id=f"r-{n}", state=one) for n, one in enumerate(("paused", "limited", "gone", "stopping"))]
    given = plan("p", READY)
    found = {
        (answers.by_ref["p/a"].launch, answers.plans["p"].runner)
        for answers in (derived(given, facts=Facts(runners=tuple(order))) for order in (runners, runners[::-1]))
    }
    assert len(found) == 1


def test_the_status_document_shows_the_runner() -> None:
    def shown(*runners: RunnerFact) -> tuple[object, ...]:
        one = derived(plan("p"), facts=Facts(runners=runners)).plans["p"].runner
        return (one.state, one.paused and one.paused.by, one.parallel, one.slots_in_use, one.runner_id, one.host)

    assert shown() == ("none", None, None, 0, None, None)
    assert shown(runner(running={"x": 1})) == ("running", None, 2, 1, "r-1", "box")
    paused = runner(state="paused", paused_by="jo", paused_at=BEFORE)
    assert shown(paused) == ("paused", "jo", 2, 0, "r-1", "box")
    assert shown(runner(state="gone", running={"x": 1})) == ("gone", None, 2, 0, "r-1", "box")
    assert shown(runner(state="gone", since="1"), runner(runner_id="r-2", since="2"))[4] == "r-2"


PAUSED = Mark("jo", BEFORE)


@pytest.mark.parametrize(
    ("state", "shown", "reason"),
    [("running", "paused", "paused"), ("waiting", "paused", "paused"), ("paused", "paused", "paused"),
     ("stopping", "stopping", "stopping"), ("limited", "limited", "limited"), ("gone", "gone", "no-runner"),
     ("disconnected", "disconnected", "no-runner"), (None, "none", "no-runner")],
)  # fmt: skip
def test_a_persons_pause_holds_whatever_the_runner_has_said_of_it_yet(
    state: str | None, shown: str, reason: str
) -> None:
    facts = Facts(runners=(runner(state=state),) if state else ())
    answers = derived(plan("p", READY, paused=PAUSED), facts=facts)
    one, launch = answers.plans["p"].runner, answers.by_ref["p/a"].launch
    assert (one.state, launch and launch.reason) == (shown, reason)
    assert one.paused is not None and one.paused.by == "jo"
    if reason == "paused":
        assert launch is not None and launch.detail == "runner paused by jo at 2026-11-30 11:00Z"


def test_a_pause_is_seen_by_a_warm_derivation() -> None:
    facts, going = Facts(runners=(runner(),)), plan("p", READY, piece("b"))
    first = derived(going, facts=facts)
    held = replace(going, paused=PAUSED)
    held.nodes = going.nodes
    second = derive(state(held), facts, NOW, first)
    assert [one.launch and one.launch.reason for one in second.plans["p"].nodes] == ["paused", "paused"]
    third = derive(state(going), facts, NOW, second)
    assert [one.launch and one.launch.reason for one in third.plans["p"].nodes] == ["next", "next"]


def test_a_runner_says_which_agents_are_at_work_and_one_that_is_away_what_it_was_doing() -> None:
    one = plan("p", piece("a", attempt=attempt(model="m")), piece("b"))
    here = derived(one, facts=Facts(runners=(runner(running={"a": 1, "b": 2}),))).plans["p"].runner
    assert [(it.node, it.attempt, it.since, it.model) for it in here.running] == [
        ("a", 1, BEFORE, "m"), ("b", 2, None, None),
    ]  # fmt: skip
    assert here.start == ""
    away = derived(one, facts=Facts(runners=(runner(state="gone", was={"a": 1}),))).plans["p"].runner
    assert (away.running, away.was, away.start) == ((), ("a",), "stoat run-plan p /code/x --watch")
    silent = derived(one, facts=Facts(runners=(runner(state="disconnected", pid=7),))).plans["p"].runner
    assert silent.start == "kill -CONT 7"


def test_runners_of_several_checkouts_are_all_shown_and_one_that_was_replaced_is_not() -> None:
    facts = Facts(
        runners=(
            runner(runner_id="old", state="gone", since="1"), runner(runner_id="new", since="2"),
            runner(runner_id="other", checkout="/code/y", state="disconnected", since="3"),
        )
    )  # fmt: skip
    assert [one.runner_id for one in derived(plan("p"), facts=facts).plans["p"].runners] == ["new", "other"]


@pytest.mark.parametrize(
    ("seen", "said"),
    [(DriftFact(at=NOW, base="origin/main"), None),
     (DriftFact(at=NOW, base="origin/main", behind=2), "next is 2 commits behind origin/main, and would merge cleanly"),
     (DriftFact(at=NOW, problem="no remote"), "how next stands to its base is unknown: no remote")],
)  # fmt: skip
def test_how_the_branch_stands_to_its_base_is_shown_where_there_is_anything_to_say(
    seen: DriftFact, said: str | None
) -> None:
    facts = Facts(runners=(runner(drift=seen),))
    assert derived(plan("p", header={"branch": "next"}), facts=facts).plans["p"].runner.drift == said


ALONE = Reservation(id="t", kind="turn", since=NOW, store="/s", plan="q", node="x", exclusive=True)


@pytest.mark.parametrize(
    ("alone", "runners", "said"),
    [
        (ALONE, [runner()], ("held", "machine reserved for q/x")),
        (ALONE, [runner(**BUSY)], ("held", "machine reserved for q/x")),
        (ALONE, [runner(reasons={"a": WAITS})], ("held", "machine reserved for q/x")),
        (ALONE, [runner(state="paused")], ("paused", "runner paused")),
        (ALONE, [], ("no-runner", "no runner: stoat run-plan p CHECKOUT --watch")),
        (replace(ALONE, plan="p", node="a"), [runner()], ("next", "its runner launches it next")),
        (replace(ALONE, plan="p", node="a", store="/t"), [runner()], ("held", "machine reserved for p/a")),
        (replace(ALONE, kind="agent"), [runner()], ("held", "machine reserved for q/x")),
    ],
)
def test_a_machine_that_an_exclusive_node_has_keeps_every_other_node_back(
    alone: Reservation, runners: list[RunnerFact], said: tuple[str, str]
) -> None:
    facts = Facts(machine="box", runners=tuple(runners), exclusive=(alone,), store="/s")
    launch = answer("p/a", plan("p", READY), facts=facts).launch
    assert launch is not None and (launch.reason, launch.detail) == said


def test_it_changes_neither_status_nor_readiness() -> None:
    def seen(*runners: RunnerFact) -> tuple[object, ...]:
        one = answer("p/a", plan("p", issue("a")), facts=Facts(runners=runners))
        return one.status, one.detail, one.ready, one.readiness

    assert seen() == seen(runner()) == seen(runner(state="paused"))


def test_no_plan_no_answer() -> None:
    assert state().plans == {} and derived().ready == ()
