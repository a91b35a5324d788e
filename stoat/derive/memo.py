"""What one derivation leaves to the next, and which nodes have to be looked at again because something touched them.

JUDGE: its own verdict, and all that follows · PLACE: readiness, launch and stance · TELL: only its answer.

Everything is kept by a node's index in the graph. A node is touched when its state is another object, its claim began
or ran out, a process it hangs on died, something that it reads of GitHub is different (`watched.py`), its plan's header
or decisions changed, or its neighbourhood did. Touching too many nodes costs time, touching too few gives wrong
answers: a test compares every warm answer with a cold one.
"""

from __future__ import annotations

from msgspec import Struct

from stoat.clock import Time
from stoat.derive.answers import Launch, NodeAnswer, WaitsOn
from stoat.derive.graph import Graph, Order, same_shape
from stoat.derive.stance import Standing
from stoat.derive.verdict import Verdict
from stoat.derive.watched import Watched, changed
from stoat.plan.facts import Facts
from stoat.plan.nodes import REVIEW
from stoat.plan.state import Claim, Mark, NodeState, PlanState

JUDGE = 1
PLACE = 2
TELL = 4


class Local(Struct, frozen=True, gc=False):
    """What is decided of a node by itself: readiness, launch, stance, its running lease, and how its users see it."""

    ready: bool
    readiness: str
    launch: Launch | None
    standing: Standing
    shown: WaitsOn
    rank: int
    claim: Claim | None


class Memo:
    """The intermediate results of a derivation, by index."""

    __slots__ = (
        "answers", "archived", "at", "facts", "final", "github", "graph", "held", "local", "many", "order", "plans",
        "raw", "root", "root_rank", "states", "undone", "waits",
    )  # fmt: skip

    def __init__(
        self, plans: dict[str, PlanState], facts: Facts, held: Mark | None, at: Time, graph: Graph, github: Watched
    ) -> None:
        self.plans = plans
        self.facts = facts
        self.held = held
        self.at = at
        self.archived = frozenset(slug for slug, plan in plans.items() if plan.archived is not None)
        self.graph = graph
        self.github = github
        self.order: Order | None = None
        self.states: list[NodeState] = [node for plan in plans.values() for node in plan.nodes.values()]
        count = len(self.states)
        self.raw: list[Verdict | None] = [None] * count
        self.final: list[Verdict | None] = [None] * count
        self.undone = bytearray(count)
        self.many = [0] * count
        self.local: list[Local | None] = [None] * count
        self.waits: list[tuple[WaitsOn, ...]] = [()] * count
        self.root: list[WaitsOn | None] = [None] * count
        self.root_rank = [0] * count
        self.answers: list[NodeAnswer | None] = [None] * count

    def plan_at(self, i: int) -> PlanState:
        """The plan of a node."""
        return self.plans[self.graph.plan_of[i]]


def follow(
    old: Memo, plans: dict[str, PlanState], facts: Facts, held: Mark | None, at: Time, github: Watched
) -> tuple[Memo, bytearray]:
    """A memo for the next derivation, filled from an earlier one, and what touched each node since.

    Of a touched node JUDGE is set, or PLACE where only its surroundings look different; 0 is an untouched one.
    """
    same_nodes = _same_nodes(old, plans)
    memo = Memo(plans, facts, held, at, old.graph, github)
    if same_nodes and memo.archived == old.archived:
        changed = [i for i, (a, b) in enumerate(zip(old.states, memo.states, strict=True)) if a is not b]
        if same_shape(old.states, memo.states, changed):
            _copy(old, memo)
            touched = bytearray(len(memo.states))
            for i in changed:
                touched[i] |= JUDGE
            _touch(old, memo, touched)
            return memo, touched
    memo.graph = Graph(plans)
    touched = _carry(old, memo)
    _touch(old, memo, touched)
    return memo, touched


def _same_nodes(old: Memo, plans: dict[str, PlanState]) -> bool:
    if list(old.plans) != list(plans):
        return False
    return all(
        plan is before or list(plan.nodes) == list(before.nodes)
        for plan, before in zip(plans.values(), old.plans.values(), strict=True)
    )


def _copy(old: Memo, memo: Memo) -> None:
    memo.order = old.order
    memo.raw, memo.final, memo.undone = old.raw[:], old.final[:], old.undone[:]
    memo.many, memo.local, memo.answers = old.many[:], old.local[:], old.answers[:]
    memo.waits, memo.root, memo.root_rank = old.waits[:], old.root[:], old.root_rank[:]


def _carry(old: Memo, memo: Memo) -> bytearray:
    """Move what is known to the nodes' new places. Without an order, leverage is worked out anew."""
    touched = bytearray(len(memo.states))
    graph, before = memo.graph, old.graph
    for i, ref in enumerate(graph.refs):
        j = before.index.get(ref)
        if j is None:
            touched[i] |= JUDGE
            continue
        memo.raw[i], memo.final[i], memo.undone[i] = old.raw[j], old.final[j], old.undone[j]
        memo.many[i], memo.local[i], memo.answers[i] = old.many[j], old.local[j], old.answers[j]
        memo.waits[i], memo.root[i], memo.root_rank[i] = old.waits[j], old.root[j], old.root_rank[j]
        if old.states[j] is not memo.states[i] or before.missing.get(j) != graph.missing.get(i):
            touched[i] |= JUDGE
        if memo.states[i].review is not None:
            touched[i] |= JUDGE  # the node that mends a finding of it may have come or gone
    for j in old.order.circle_of if old.order is not None else ():
        place = graph.index.get(before.refs[j])
        if place is not None:
            touched[place] |= PLACE
    return touched


def _touch(old: Memo, memo: Memo, touched: bytearray) -> None:
    _by_time_and_processes(old, memo, touched)
    _by_github(old, memo, touched)
    start = 0
    for slug, plan in memo.plans.items():
        stop = start + len(plan.nodes)
        before = old.plans.get(slug)
        if before is not None and before is not plan:
            _by_plan(before, plan, memo, touched, range(start, stop))
        paused = before is not None and before.paused is not plan.paused
        reserved = old.facts.exclusive != memo.facts.exclusive
        if paused or reserved or old.held is not memo.held or _runners(old.facts, slug) != _runners(memo.facts, slug):
            for i in range(start, stop):
                local, verdict = memo.local[i], memo.final[i]
                if local is not None and verdict is not None and (local.ready or verdict.finished):
                    touched[i] |= PLACE
        start = stop


def _by_time_and_processes(old: Memo, memo: Memo, touched: bytearray) -> None:
    before, now = old.facts, memo.facts
    died = (before.dead, before.lost, before.machine) != (now.dead, now.lost, now.machine)
    for i, node in enumerate(memo.states):
        if node.claim is not None and node.lease(old.at, old.facts) != node.lease(memo.at, memo.facts):
            touched[i] |= JUDGE
        if died and (node.running or node.attempt is not None):
            touched[i] |= JUDGE


def _by_github(old: Memo, memo: Memo, touched: bytearray) -> None:
    keys = frozenset(changed(old.github, memo.github, old.at, memo.at))
    if keys:
        for i, verdict in enumerate(memo.raw):
            if verdict is not None and verdict.reads and not keys.isdisjoint(verdict.reads):
                touched[i] |= JUDGE


def _by_plan(before: PlanState, plan: PlanState, memo: Memo, touched: bytearray, nodes: range) -> None:
    if (
        before.header is not plan.header
        or before.archived is not plan.archived
        or before.approved is not plan.approved
        or before.approved_seq != plan.approved_seq
    ):
        for i in nodes:
            touched[i] |= JUDGE
    elif before.moved_seq != plan.moved_seq or before.branch_tip != plan.branch_tip:
        for i in nodes:
            spec = memo.states[i].spec
            if spec.reverify is not None or spec.kind == REVIEW:
                touched[i] |= JUDGE


def _runners(facts: Facts, slug: str) -> list[object]:
    return [runner for runner in facts.runners if runner.plan == slug]
