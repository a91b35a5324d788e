"""Scope, slots, stop conditions, questions: what a run starts and what it does not."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from stoat.clock import now
from stoat.gitstore.log import Change
from stoat.plan.events.claims import Claimed, ClaimReleased
from stoat.service import decisions, questions
from stoat.service.session import parse_ref
from tests.runner.conftest import World
from tests.support.waiting import wait_until

pytestmark = pytest.mark.slow

FOUR = "nodes: [{id: a, kind: change}, {id: b, kind: change}, {id: c, kind: change}, {id: d, kind: change}]"


def when(condition: Callable[[], object], then: Callable[[], object]) -> threading.Thread:
    """Do something beside the run, once a condition holds."""

    def wait() -> None:
        wait_until(condition, 30)
        then()

    thread = threading.Thread(target=wait)
    thread.start()
    return thread


def a_directory(place: Path) -> None:
    place.mkdir()


def a_dangling_link(place: Path) -> None:
    place.symlink_to("nowhere")


@pytest.mark.parametrize("make", [Path.touch, a_directory, a_dangling_link])
def test_a_stop_file_of_any_kind_stops_claims_and_is_no_failure(world: World, make: Callable[[Path], None]) -> None:
    world.plan(FOUR)
    make(world.repo.path / ".stoat-stop")
    assert world.run() == 0
    assert world.starts() == []
    assert world.said(".stoat-stop is in the project directory")


def test_a_stop_file_that_appears_lets_running_agents_finish(world: World) -> None:
    world.plan(FOUR)
    for node in "abcd":
        world.agent(node, "(TOLD.parent / 'up').touch(); wait_for('go'); commit(NODE)")

    def stop() -> None:
        (world.repo.path / ".stoat-stop").touch()
        wait_until(lambda: world.said("stopping"), 30)
        world.signal("go")

    beside = when((world.place / "up").exists, stop)
    assert world.run(parallel=1, watch=True) == 0
    beside.join()
    assert world.starts() == ["a"]
    assert world.said("'a' is finished")


def test_attempts_in_a_row_that_get_nowhere_stop_the_run_with_1(world: World) -> None:
    world.plan(FOUR)
    for node in "abcd":
        world.agent(node, "pass")
    assert world.run(parallel=1, settle_seconds=0.0, limits={"failures": 3}) == 1
    assert len(world.starts()) == 3
    assert world.said("3 attempts in a row got nowhere")


def test_budgets_handed_out_stop_the_run_before_they_pass_the_total(world: World) -> None:
    world.plan(FOUR)
    world.profile_as(budgetArguments=["{budget}"])
    world.agent("a", "tell('budget', sys.argv[2]); commit('a')")
    assert world.run(parallel=1, limits={"total_usd": 2.5, "budget_usd": 1.0}) == 0
    assert world.starts() == ["a", "b"]
    assert [words[5] for words in world.told() if words[4] == "budget"] == ["1"]


def test_reported_costs_are_recorded_and_stop_the_run(world: World) -> None:
    world.plan(FOUR)
    world.profile_as(result="claude-json", sessionArguments=["{session}"])
    for node in "abcd":
        result = '{"type": "result", "total_cost_usd": 0.75, "num_turns": 3, "session_id": "%s"}'
        world.agent(node, f"commit(NODE); print('thinking'); print({result!r} % sys.argv[2])")
    assert world.run(parallel=1, limits={"total_usd": 1.0}) == 0
    assert world.starts() == ["a", "b"]
    assert world.node("a").spent_usd == 0.75
    assert world.node("a").turns == 3
    assert world.said("agents reported $1.50, the limit is $1")
    assert world.said("agent for 'b' exited (0)", "this run: $1.50")


def test_a_scoped_run_launches_only_what_it_was_scoped_to(world: World) -> None:
    world.plan("nodes: [{id: a, kind: change}, {id: b, kind: change, depends_on: [a]}, {id: c, kind: change}]")
    assert world.run(only=frozenset({"b"})) == 0
    assert world.starts() == []
    assert world.run(only=frozenset({"b"}), ignore_dependencies=True) == 0
    assert world.starts() == ["b"]
    assert world.run(skip=frozenset({"c"})) == 0
    assert world.starts() == ["b", "a"]


def test_no_more_agents_than_slots_and_resources(world: World) -> None:
    world.plan(f"resources: {{db: {{capacity: 1}}}}\n{FOUR.replace('kind: change', 'kind: change, uses: [db]')}")
    world.agent("a", "time.sleep(0.2); commit(NODE)")
    assert world.run(parallel=4) == 0
    running = 0
    for words in world.told():
        running += {"starts": 1, "ends": -1}.get(words[4], 0)
        assert running <= 1
    assert world.said("waiting on db")


def test_an_expedited_node_goes_first_and_it_is_said(world: World) -> None:
    world.plan(FOUR)
    decisions.expedite(world.session, parse_ref("p/c"))
    assert world.run(parallel=1) == 0
    assert world.starts() == ["c", "a", "b", "d"]
    assert world.said("⇡ 'c' is expedited by Ada — launching next")


def test_what_waits_for_a_person_or_is_nothing_for_this_checkout_is_said_once(world: World) -> None:
    world.plan(
        """
        nodes:
          - {id: a, kind: change}
          - {id: film, kind: change, assignee: person}
          - {id: far, kind: change, agent: cloud}
          - {id: other, kind: test-run-gate, repo: else/where}
          - {id: bug, kind: issue, repo: o/n, issue: 7}
        """,
        approve=False,
    )
    assert world.run() == 4
    assert world.starts() == []
    assert len(world.said("⚠ a: awaiting a person's go-ahead")) == 1
    assert len(world.said("⚠ film: kept for a person")) == 1
    assert len(world.said("⚠ far: kept for a cloud agent")) == 1
    assert len(world.said("⚠ other: in else/where, and this checkout's remote names no repository")) == 1
    assert len(world.said("⚠ bug: awaiting a person's go-ahead")) == 1


def test_a_question_holds_the_node_and_its_answer_reaches_the_next_agent(world: World) -> None:
    world.plan("nodes: [{id: a, kind: change}]")
    world.agent("a", "stoat('ask', 'p/a', 'Tabs or spaces?')")
    assert world.run() == 0
    assert world.starts() == ["a"]
    assert world.said("'a' asks: Tabs or spaces?")
    assert world.node("a").tries == 0
    [asked] = world.session.state().plans["p"].questions.values()
    questions.answer(world.session, asked.id, "Spaces, four of them.")
    world.agent("a", "tell('answer', 'Spaces, four of them.' in PROMPT); commit('a')")
    assert world.run() == 0
    assert [words[5] for words in world.told() if words[4] == "answer"] == ["True"]


def test_a_node_that_is_restarted_while_its_agent_runs_is_stopped_and_begun_again(world: World) -> None:
    world.plan("nodes: [{id: a, kind: change}]")
    world.agent("a", "wait_for('go') if ATTEMPT == 1 else commit('a')")
    beside = when(lambda: world.starts() and world.node("a").attempt.process, lambda: world.restart("a"))  # type: ignore[union-attr]
    assert world.run() == 0
    beside.join()
    assert world.said("'a' was restarted: its agent is stopped")
    assert world.starts() == ["a", "a"]
    assert [words[4] for words in world.told() if words[4] == "ends"] == ["ends"]
    assert world.node("a").tries == 0


def test_an_agent_whose_claim_somebody_else_took_is_stopped(world: World) -> None:
    world.plan("nodes: [{id: a, kind: change}]")
    world.agent("a", "wait_for('go')")

    def take() -> None:
        held = world.node("a").claim
        assert held is not None
        entries = [ClaimReleased(node="a", claim=held.id), Claimed(node="a", claim="c-eve", holder="eve")]
        world.session.commit(lambda state, moment: Change([("plans/p", entry) for entry in entries], "p: eve takes a"))

    beside = when(lambda: world.starts() and world.node("a").attempt.process, take)  # type: ignore[union-attr]
    assert world.run() == 0
    beside.join()
    assert world.said("'a' is now held by eve: our agent on it is stopped")
    assert world.said("⚠ a: held by eve")
    claim = world.node("a").claim
    assert claim is not None and claim.id == "c-eve" and claim.expires_at > now()


def test_a_held_machine_starts_nothing(world: World) -> None:
    from stoat.processes import machine_name

    world.plan("nodes: [{id: a, kind: change}]")
    decisions.hold(world.session, machine_name(), why="battery")
    assert world.run() == 0
    assert world.said("Ada holds this machine (battery)")
    assert world.starts() == []


def test_once_is_one_poll_and_the_next_run_takes_over(world: World) -> None:
    world.plan("nodes: [{id: a, kind: change}]")
    world.agent("a", "wait_for('go'); commit('a')")
    assert world.run(once=True) == 0
    assert world.said("leaving a at work")
    world.signal("go")
    assert world.run() == 0
    assert world.starts() == ["a"]
