"""What a person owes the plans, most held up first.

| of                                                               | a need                                       |
|------------------------------------------------------------------|----------------------------------------------|
| a `you` card                                                     | its own                                      |
| a done node that could not be landed, or is landing              | its own                                      |
| a red branch, and all nodes of a plan whose pull request it holds | one `main-red` of the plan and of no node    |
| a limit that a runner reached, or an account without money        | one `limit` of the plan and of no node       |
| a base that would conflict with the plan's branch                 | one `drift` of the plan and of no node       |
| too little disk for another worktree                              | one `disk` of the plan and of no node        |

A runner that is gone or does not answer has no say; a usage limit that resets by itself is no need.
"""

from __future__ import annotations

from collections.abc import Iterable

from stoat.derive.answers import LaunchReason, Need, NeedKind
from stoat.derive.graph import downstream
from stoat.derive.launch import Runners
from stoat.derive.limits import StopReason
from stoat.derive.mainred import Red
from stoat.derive.memo import Memo
from stoat.derive.runners import stop_of
from stoat.derive.wording import commands, merging
from stoat.derive.wording import stance as say
from stoat.derive.wording.drift import conflict
from stoat.derive.wording.runner import reached
from stoat.plan.facts import RunnerFact
from stoat.plan.state import PlanState

REACHED: frozenset[StopReason] = frozenset({"budget", "cost", "time", "failures"})
"""The stop conditions that are limits; the others are a person's word."""


def needs(memo: Memo, runners: Runners) -> tuple[Need, ...]:
    """The needs of all active plans. Ties keep the order of plans and of their nodes, those of whole plans last."""
    found = sorted((*_each(memo), *_red_branches(memo), *_of_runners(memo, runners)), key=lambda need: -need.holds)
    return tuple(found)


def _each(memo: Memo) -> Iterable[Need]:
    for i, local in enumerate(memo.local):
        if local is None or local.standing.owed is None:
            continue
        owed = local.standing.owed
        yield Need(
            plan=memo.graph.plan_of[i],
            node=memo.states[i].spec.id,
            kind=owed.kind,
            why=owed.why,
            holds=_holds(memo, i),
            since=owed.since,
            action=owed.action,
            resume=owed.resume,
        )


def _red_branches(memo: Memo) -> Iterable[Need]:
    held: dict[str, dict[tuple[str, str], list[tuple[int, Red]]]] = {}
    for i, verdict in enumerate(memo.final):
        turn, slug = verdict.turn if verdict is not None else None, memo.graph.plan_of[i]
        if turn is not None and turn.red is not None and slug not in memo.archived:
            branch = turn.red.repo.lower(), turn.red.branch.name
            held.setdefault(slug, {}).setdefault(branch, []).append((i, turn.red))
    for slug, branches in held.items():
        for nodes in branches.values():
            red = nodes[0][1]
            names = tuple(dict.fromkeys(one.pull for _, one in nodes))
            yield Need(
                plan=slug,
                node=None,
                kind="main-red",
                why=merging.main_red_holds(red.branch, red.repo if len(branches) > 1 else None, names),
                holds=sum(_holds(memo, i) for i, _ in nodes),
                since=red.branch.red_at,
                action=red.link,
            )


def _of_runners(memo: Memo, runners: Runners) -> Iterable[Need]:
    """What the runners of plans called a person for, the same only once."""
    for slug, plan in memo.plans.items():
        found: dict[tuple[NeedKind, str], Need] = {}
        for fact in runners.of_plan.get(slug, ()) if plan.archived is None else ():
            for need in _said_by(fact, plan, memo):
                found.setdefault((need.kind, need.why), need)
        yield from found.values()


def _said_by(fact: RunnerFact, plan: PlanState, memo: Memo) -> Iterable[Need]:
    if not fact.is_reachable:
        return
    slug, branch = plan.slug, plan.header.branch
    start = commands.run_plan(slug, fact.checkout)
    if fact.stopped is not None and fact.stopped.reason in REACHED:
        why = say.reached_limit(reached(stop_of(fact)))
        yield Need(plan=slug, node=None, kind="limit", why=why, holds=_held(memo, slug, "stopping"),
                   since=fact.stopped.at, action=start)  # fmt: skip
    if fact.spend is not None:
        nodes = [node for node in fact.limited if node in plan.nodes]
        action = commands.restart(slug, nodes[0]) if nodes else start
        yield Need(plan=slug, node=None, kind="limit", why=say.out_of_money(fact.spend),
                   holds=_held(memo, slug, "limited"), since=None, action=action)  # fmt: skip
    if fact.disk is not None:
        yield Need(plan=slug, node=None, kind="disk", why=fact.disk, holds=_held(memo, slug, "held"), since=None,
                   action=commands.prune())  # fmt: skip
    if fact.drift is not None and fact.drift.problem is None and fact.drift.conflicts and branch is not None:
        yield Need(plan=slug, node=None, kind="drift", why=conflict(branch, fact.drift), holds=0,
                   since=fact.drift.at, action=commands.catch_up(slug, fact.integration, fact.drift.base))  # fmt: skip


def _held(memo: Memo, slug: str, reason: LaunchReason) -> int:
    """How many nodes of the plan are not launched for that reason."""
    return sum(
        local is not None and local.launch is not None and local.launch.reason == reason
        for name, local in zip(memo.graph.plan_of, memo.local, strict=True)
        if name == slug
    )


def _holds(memo: Memo, i: int) -> int:
    """How many undone nodes wait for it. A done one's leverage is 0; while its work is not landed it holds them too."""
    return memo.many[i] if memo.undone[i] else len(downstream(memo.graph, i, memo.undone))
