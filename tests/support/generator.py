"""Stores of any size, for benchmarks and scale tests: plans whose nodes have been worked as a runner works them."""

from __future__ import annotations

from collections.abc import Iterator

from stoat.gitstore.log import Change, Store
from stoat.plan import streams
from stoat.plan.events.attempts import AgentSpawned, AttemptExited, AttemptJudged, AttemptStarted
from stoat.plan.events.authoring import NodeAdded
from stoat.plan.events.base import Actor, Event
from stoat.plan.events.claims import Claimed, ClaimReleased, ClaimRenewed
from stoat.plan.events.evidence import GateFinished, GateStarted, Tree
from stoat.plan.events.plans import PlanCreated
from stoat.plan.nodes import GATE, Header, Node, Step

MAKER = Actor("generator", "runner")
BATCH = 500
WIDTH = 50
"""Nodes a layer: each node waits for two of the layer before it."""


def plan_events(slug: str, nodes: int, events: int) -> Iterator[Event]:
    """A plan of `nodes` gates in layers, and what happened to them, `events` in all.

    The first nodes are worked to green over and over until the events are used up; the later ones stay untouched, so
    that about half of the plan is done and one layer is ready.
    """
    yield PlanCreated(header=Header(plan=slug, title=f"Generated plan {slug}"))
    for index in range(nodes):
        yield NodeAdded(node=_name(index), spec=_node(index))
    left = events - nodes - 1
    worked = max(1, nodes // 2)
    turn = 0
    while left > 0:
        index, attempt = turn % worked, turn // worked + 1
        for event in _work(slug, index, attempt):
            if left <= 0:
                return
            yield event
            left -= 1
        turn += 1


def fill(store: Store, *, plans: int, nodes: int, events: int) -> list[str]:
    """Append `plans` generated plans with `nodes` nodes and `events` events in all; gives their slugs."""
    slugs = [f"generated-{number}" for number in range(plans)]
    for slug in slugs:
        batch: list[tuple[str, Event]] = []
        for event in plan_events(slug, nodes // plans, events // plans):
            batch.append((streams.of_plan(slug), event))
            if len(batch) == BATCH:
                _append(store, slug, batch)
                batch = []
        if batch:
            _append(store, slug, batch)
    return slugs


def _append(store: Store, slug: str, batch: list[tuple[str, Event]]) -> None:
    change = Change(tuple(batch), f"{slug}: generated")
    store.append(lambda _state, _now: change, MAKER)


def _name(index: int) -> str:
    return f"node-{index:05}"


def _node(index: int) -> Node:
    layer, place = divmod(index, WIDTH)
    above = (layer - 1) * WIDTH
    depends_on = () if layer == 0 else (_name(above + place), _name(above + (place + 1) % WIDTH))
    return Node(
        id=_name(index),
        kind=GATE,
        title=f"Generated gate number {index}",
        brief="Make the suite of this part green.\nKeep the public interface as it is.",
        steps=(Step(id="tests", run="make test"),),
        depends_on=depends_on,
    )


def _work(slug: str, index: int, attempt: int) -> Iterator[Event]:
    node, claim, run = _name(index), f"c-{index}-{attempt}", f"r-{index}-{attempt}"
    tree = Tree(commit=f"{index:040x}", branch=f"stoat/{slug}/{node}", dirty=False)
    command = ("make", "test")
    yield Claimed(node=node, claim=claim, holder="stoat-runner")
    yield AttemptStarted(
        node=node, attempt=attempt, claim=claim, runner="stoat-runner", machine="box", launcher="claude",
        worktree=f"/code/project-{node}", branch=f"stoat/{slug}/{node}", base=f"{index:040x}", base_ref="origin/main",
        log=f"/code/stoat-agent-{node}.log",
    )  # fmt: skip
    yield AgentSpawned(node=node, attempt=attempt, process=f"box:boot:{index}:{attempt}")
    yield GateStarted(node=node, run=run, command=command, machine="box", step="tests", tree=tree)
    yield ClaimRenewed(node=node, claim=claim)
    yield GateFinished(
        node=node, run=run, command=command, machine="box", step="tests", exit_code=0, seconds=12.5, before=tree,
        after=tree,
    )  # fmt: skip
    yield AttemptExited(node=node, attempt=attempt, exit_code=0, seconds=60.0)
    yield AttemptJudged(node=node, attempt=attempt, outcome="done", detail="its tagged run is green")
    yield ClaimReleased(node=node, claim=claim)
