"""From state, facts and the time to every answer: judge, connect, place, trace, tell (the map is in `__init__.py`).

Pure, and warm: given the answers of an earlier moment it looks again only at what was touched since (memo.py).
"""

from __future__ import annotations

from collections.abc import Iterator

from stoat.clock import Time
from stoat.derive.answers import Answers, NodeAnswer, PlanAnswer
from stoat.derive.assembly import decision, node_answer
from stoat.derive.blockers import trace
from stoat.derive.graph import Graph, ranked
from stoat.derive.launch import Runners
from stoat.derive.memo import JUDGE, Memo, follow
from stoat.derive.needs import needs
from stoat.derive.positions import place
from stoat.derive.runners import none as no_runner
from stoat.derive.settling import connect, judge
from stoat.derive.watched import Watched
from stoat.derive.wording.text import ago_changes
from stoat.plan.facts import Facts
from stoat.plan.state import State


class Derived(Answers, kw_only=True):
    """Answers that carry what the next derivation can build on."""

    memo: Memo


def derive(state: State, facts: Facts, now: Time, previous: Answers | None = None) -> Answers:
    """Everything that can be said of all plans at `now`. `previous` makes it quick and never changes the result."""
    plans = state.plans
    held = state.machine(facts.machine).held if facts.machine else None
    if isinstance(previous, Derived):
        github = Watched(state.repositories(), facts.github, previous.memo.github)
        memo, touched = follow(previous.memo, plans, facts, held, now, github)
    else:
        github = Watched(state.repositories(), facts.github)
        memo = Memo(plans, facts, held, now, Graph(plans), github)
        touched = bytearray([JUDGE]) * len(memo.states)
    runners = Runners(facts, held, plans)
    judge(memo, touched)
    connect(memo, touched)
    place(memo, touched, runners)
    trace(memo, touched)
    _tell(memo, touched)
    return _collect(memo, runners)


def _tell(memo: Memo, touched: bytearray) -> None:
    """Put together the answer of every touched node."""
    for i, touch in enumerate(touched):
        if not touch:
            continue
        verdict, local = memo.final[i], memo.local[i]
        assert verdict is not None and local is not None
        memo.answers[i] = node_answer(
            memo.plan_at(i), memo.states[i], verdict, local, memo.many[i], memo.waits[i], memo.root[i]
        )


def _collect(memo: Memo, runners: Runners) -> Derived:
    answers: list[NodeAnswer] = [answer for answer in memo.answers if answer is not None]
    refs, plan_of = memo.graph.refs, memo.graph.plan_of
    plans: dict[str, PlanAnswer] = {}
    places: list[int] = []
    start = 0
    for slug, plan in memo.plans.items():
        stop = start + len(plan.nodes)
        known = runners.shown(plan)
        places.extend(range(stop - start))
        plans[slug] = PlanAnswer(
            plan=slug,
            title=plan.header.title or slug,
            at=memo.at,
            archived=plan.archived is not None,
            done=sum(verdict is not None and verdict.status == "done" for verdict in memo.final[start:stop]),
            total=stop - start,
            spent_usd=plan.spent_usd,
            spent_at_least=plan.spent_at_least,
            attempts=plan.attempts,
            lead=decision(plan.lead),
            runner=known[0] if known else no_runner(plan),
            runners=known,
            nodes=tuple(answers[start:stop]),
        )
        start = stop
    chosen = [i for i, answer in enumerate(answers) if answer.ready]
    order = ranked(refs, memo.many, places, chosen)
    return Derived(
        at=memo.at,
        plans=plans,
        by_ref=dict(zip(refs, answers, strict=True)),
        ready=tuple((plan_of[i], answers[i]) for i in order),
        needs=needs(memo, runners),
        until=min(_ends(memo), default=None),
        memo=memo,
    )


def _ends(memo: Memo) -> Iterator[Time]:
    """When the leases end that do (one that has outlived its time is its process's, and that is no matter of time),
    and when it is longer ago that something unseen was last seen."""
    for local in memo.local:
        claim = local.claim if local is not None else None
        if claim is not None and claim.expires_at > memo.at:
            yield claim.expires_at
    for seen_at in memo.github.ages():
        yield ago_changes(seen_at, memo.at)
