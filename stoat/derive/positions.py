"""Where each node stands among the others: ready or not, why it is not launched, and whose turn it is."""

from __future__ import annotations

from msgspec.structs import replace

from stoat.derive import launch, readiness, stance
from stoat.derive.answers import NeedKind, Stance, WaitsOn
from stoat.derive.graph import circle
from stoat.derive.here import Here
from stoat.derive.launch import Runners
from stoat.derive.memo import TELL, Local, Memo
from stoat.derive.wayback import way_back
from stoat.derive.wording import stance as say
from stoat.plan.state import PlanState, Question

RANKS: dict[Stance | None, int] = {"you": 0, "broken": 1, "held": 2, "waiting": 3, "moving": 4, None: 5}
"""Of several blockers a waiting node names the one that something has to be done about."""


class _Lookups:
    """What many nodes ask for, found once: open questions by plan and node, the ways around circles."""

    def __init__(self, memo: Memo) -> None:
        self._memo = memo
        self._questions: dict[str, dict[str, Question]] = {}
        self._ways: dict[int, tuple[str, ...]] = {}

    def question(self, plan: PlanState, node: str) -> Question | None:
        """The oldest open question about a node."""
        if plan.slug not in self._questions:
            found: dict[str, Question] = {}
            for asked in plan.questions.values():
                if asked.state == "open":
                    found.setdefault(asked.node, asked)
            self._questions[plan.slug] = found
        return self._questions[plan.slug].get(node)

    def way(self, group: int | None) -> tuple[str, ...]:
        """A way around a circle, as refs; empty for None."""
        if group is None or self._memo.order is None:
            return ()
        if group not in self._ways:
            graph = self._memo.graph
            self._ways[group] = tuple(graph.refs[i] for i in circle(graph, self._memo.order.circles[group]))
        return self._ways[group]


def place(memo: Memo, touched: bytearray, runners: Runners) -> None:
    """Decide every touched node's position; whoever waits for it is touched where it looks different now."""
    lookups = _Lookups(memo)
    for i, touch in enumerate(touched):
        if not touch & ~TELL:
            continue
        here = _here(memo, i, lookups)
        is_ready = readiness.ready(here)
        reason = None
        if is_ready and here.launched and here.claim is None and not here.for_a_person:
            reason = launch.decide(here, runners)
        asked = lookups.question(here.plan, here.id) if here.node.open_questions else None
        standing = stance.decide(here, is_ready, reason, runners, asked)
        if standing.owed is not None:
            back = way_back(here.node, standing.owed.kind, here.claim, memo.facts)
            standing = replace(standing, owed=replace(standing.owed, resume=back)) if back is not None else standing
        owed = standing.owed.kind if standing.owed else None
        landing, status = here.verdict.landing, here.verdict.status
        why = say.landing_pulls(landing) if landing else say.short(standing.stance, status, standing.why, owed)
        shown = WaitsOn(memo.graph.plan_of[i], here.id, why)
        rank = RANKS[_landing(here, owed) if landing else standing.stance]
        phrase = readiness.phrase(here, is_ready, _undone_names(memo, i) if here.blocked else ())
        before = memo.local[i]
        memo.local[i] = Local(is_ready, phrase, reason, standing, shown, rank, here.claim)
        if before is None or before.shown != shown or before.rank != rank:
            for user in memo.graph.users[i]:
                touched[user] |= TELL


def _landing(here: Here, owed: NeedKind | None) -> Stance | None:
    """How a done node that is landing counts among blockers: somebody owes it something, or a red branch holds it."""
    turn = here.verdict.turn
    if owed is not None:
        return "you"
    return "held" if turn is not None and turn.red is not None else None


def _here(memo: Memo, i: int, lookups: _Lookups) -> Here:
    node, verdict = memo.states[i], memo.final[i]
    assert verdict is not None and memo.order is not None
    claim = node.lease(memo.at, memo.facts)
    missing = memo.graph.missing.get(i, ())
    blocked, unlanded = bool(missing), None
    for other in memo.graph.deps[i]:
        if memo.undone[other]:
            blocked = True
        elif unlanded is None and memo.states[other].parked is not None:
            unlanded = memo.states[other].spec.id
    orphaned = (
        claim is not None
        and node.attempt is not None
        and node.attempt.claim == claim.id
        and node.attempt.process in memo.facts.dead
    )
    way = lookups.way(memo.order.circle_of.get(i))
    return Here(memo.plan_at(i), node, verdict, claim, blocked, missing, way, unlanded, orphaned)


def _undone_names(memo: Memo, i: int) -> tuple[str, ...]:
    """The dependencies that are not done, as the node names them; those that exist nowhere last."""
    graph = memo.graph
    slug = graph.plan_of[i]
    names = [
        memo.states[other].spec.id if graph.plan_of[other] == slug else graph.refs[other]
        for other in graph.deps[i]
        if memo.undone[other]
    ]
    return (*names, *graph.missing.get(i, ()))
