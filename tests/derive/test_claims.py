"""Who may take a node: nobody what is done or held, agents only what is ready and theirs to do."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from stoat.derive import claims
from stoat.derive.claims import Refusal
from stoat.plan.events.base import ActorKind
from stoat.plan.facts import Facts
from stoat.plan.ids import NodeRef
from stoat.plan.reservations import Reservation
from stoat.plan.state import Attempt, Mark, NodeState, PlanState
from tests.support.states import (
    BEFORE,
    JO,
    LATER,
    NOW,
    attempt,
    claim,
    done,
    gate,
    issue,
    node,
    piece,
    plan,
    review,
    run,
    state,
)  # fmt: skip

LOOK = "see what can be taken with `stoat ready`"


def ask(
    *plans: PlanState, actor: ActorKind = "agent", now: str = NOW, held: Mark | None = None, ignore: bool = False
) -> Refusal | None:
    of = state(*plans, machine=("box", held) if held else None)
    return claims.refusal(of, Facts(machine="box"), now, NodeRef("p", "a"), actor=actor, ignore_dependencies=ignore)


EVERYBODY: dict[str, tuple[NodeState, dict[str, Any], Mark | None, str]] = {
    "archived": (piece("a"), {"archived": JO}, None, f"plan p is archived (jo, {JO.at})"),
    "done": (done("a"), {}, None, "p/a is done: jo marked it done at 2026-11-30 11:00Z"),
    "done and held": (done("a"), {}, JO, "p/a is done: jo marked it done at 2026-11-30 11:00Z"),
    "taken": (piece("a", claim=claim()), {}, None, "p/a is held by bot until 2026-11-30 12:30Z"),
    "machine held": (piece("a"), {}, Mark("jo", BEFORE, "benchmarks"), "this machine is held by jo: benchmarks"),
}
AGENTS: dict[str, tuple[NodeState, str, str]] = {
    "a person's kind": (node("a", "person"), "p/a is kept for a person", LOOK),
    "a person's node": (node("a", spec={"assignee": "person"}), "p/a is kept for a person", LOOK),
    "finished": (
        node("a", go_ahead=JO, attempt=attempt(outcome="done")),
        "p/a is finished: committed on stoat/p/a, merge when ready",
        LOOK,
    ),
    "no go-ahead": (issue("a"), "p/a awaits a person's go-ahead", "a person gives it: stoat approve p/a"),
    "not ready": (piece("a", "b", "gone"), "p/a is not ready: waiting on `b`, `gone`", LOOK),
    "not ready elsewhere": (piece("a", "q/b"), "p/a is not ready: waiting on `q/b`", LOOK),
}


@pytest.mark.parametrize("actor", ["person", "agent", "runner"])
@pytest.mark.parametrize("case", EVERYBODY)
def test_what_nobody_may_take(case: str, actor: ActorKind) -> None:
    given, more, held, message = EVERYBODY[case]
    refused = ask(plan("p", given, **more), actor=actor, held=held)
    assert refused is not None and refused.message == message and refused.hint


@pytest.mark.parametrize("actor", ["person", "agent", "runner"])
@pytest.mark.parametrize(("store", "name", "free"), [("/s", "a", True), ("/s", "x", False), ("/t", "a", False)])
def test_while_the_machine_is_reserved_only_the_node_that_has_it_may_be_taken(
    actor: ActorKind, store: str, name: str, free: bool
) -> None:
    alone = Reservation(id="t", kind="turn", since=BEFORE, store=store, plan="p", node=name, exclusive=True)
    facts = Facts(machine="box", exclusive=(alone,), store="/s")
    refused = claims.refusal(state(plan("p", piece("a"))), facts, NOW, NodeRef("p", "a"), actor=actor)
    assert (refused is None) == free
    if refused is not None:
        assert (refused.message, "stoat machine" in refused.hint) == (f"machine reserved for p/{name}", True)


@pytest.mark.parametrize("case", AGENTS)
def test_what_agents_may_not_take_and_a_person_may(case: str) -> None:
    given, message, hint = AGENTS[case]
    plans = plan("p", given, node("b")), plan("q", node("b"))
    for actor in ("agent", "runner"):
        refused = ask(*plans, actor=actor)  # type: ignore[arg-type]
        assert refused == Refusal(message, hint)
    assert ask(*plans, actor="person") is None


def test_what_is_ready_may_be_taken() -> None:
    assert ask(plan("p", piece("a", "b"), done("b"))) is None
    assert ask(plan("p", issue("a", go_ahead=JO))) is None
    assert ask(plan("p", gate("a", evidence={"": run(result="failed")}))) is None


def test_a_lapsed_claim_bars_nobody_from_its_very_last_moment_on() -> None:
    held = plan("p", piece("a", claim=claim()))
    assert ask(held, now="2026-11-30T12:29:59.999Z") is not None
    assert ask(held, now=LATER) is None


ALIVE = attempt(claim="c-1", machine="box", process="agent")


@pytest.mark.parametrize("actor", ["person", "agent", "runner"])
def test_a_holder_whose_agent_is_alive_here_is_never_dispossessed(actor: ActorKind) -> None:
    held = plan("p", piece("a", claim=claim(), attempt=ALIVE))
    refused = ask(held, actor=actor, now="2026-11-30T18:00:00.000Z")
    assert refused is not None
    assert refused.message == "p/a is held by bot, whose agent is still at work on this machine"


@pytest.mark.parametrize(
    ("given", "dead"),
    [
        (ALIVE, {"agent"}),
        (replace(ALIVE, claim="c-0"), set()),
        (replace(ALIVE, machine="elsewhere"), set()),
        (replace(ALIVE, process=None), set()),
        (replace(ALIVE, exited_at=BEFORE), set()),
        (replace(ALIVE, outcome="failed"), set()),
    ],
    ids=["dead", "another claim's", "on another machine", "nobody saw it", "exited", "judged"],
)
def test_only_a_live_agent_of_this_machine_outlives_its_lease(given: Attempt, dead: set[str]) -> None:
    of = state(plan("p", piece("a", claim=claim(), attempt=given)))
    facts = Facts(machine="box", dead=frozenset(dead))
    assert claims.refusal(of, facts, "2026-11-30T18:00:00.000Z", NodeRef("p", "a")) is None
    nowhere = Facts(machine="", dead=frozenset(dead))
    assert claims.refusal(of, nowhere, "2026-11-30T18:00:00.000Z", NodeRef("p", "a")) is None


def test_dependencies_may_be_vouched_for_and_nothing_else() -> None:
    assert ask(plan("p", piece("a", "b"), node("b")), ignore=True) is None
    assert ask(plan("p", issue("a", "b"), node("b")), ignore=True) is not None


def test_a_review_bars_what_waits_on_it_until_what_it_found_is_mended() -> None:
    accepted = review("Wrong lane").decided("f1", state="accepted", by="jo", at=BEFORE, fix="fix")
    waits = [piece("a", "r"), node("r", "review", "fix", review=accepted)]
    refused = ask(plan("p", *waits, node("fix")))
    assert refused is not None and "waiting on `r`" in refused.message
    assert ask(plan("p", *waits, done("fix"))) is None
    mended = ask(plan("p", node("a", "review", "fix", review=accepted), done("fix")))
    assert mended is not None and "p/a is done" in mended.message


def test_a_pass_that_proves_less_bars_what_waits_on_it_and_is_done_only_while_nothing_does() -> None:
    dirty = {"": run(dirty=True)}
    assert ask(plan("p", piece("a", "g"), gate("g", evidence=dirty))) is not None
    refused = ask(plan("p", gate("a", evidence=dirty)))
    assert refused is not None and refused.message.startswith("p/a is done: its run passed")
    assert ask(plan("p", gate("a", evidence=dirty), piece("z", "a"))) is None


def test_a_node_that_is_not_there_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        ask(plan("p", piece("b")))
    with pytest.raises(KeyError):
        ask(plan("q", piece("a")))
