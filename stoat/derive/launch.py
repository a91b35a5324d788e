"""Why a ready node is not being launched, or that it is next. It is shown beside the status and never changes it.

Asked for a node that is ready, of a kind that a runner launches, not kept for a person, and held by nobody. The first
row that applies:

| what                                                              | reason           |
|-------------------------------------------------------------------|------------------|
| the node itself is kept from every runner (holds.py)              | held             |
| … because it needs a go-ahead and has none                        | go-ahead         |
| … for a cloud agent, and a runner hands it over: stopping, paused, held, else next | as below |
| no runner of the plan that answers in a checkout of its repository | no-runner       |
| that runner is stopping                                           | stopping         |
| that runner waits for a usage limit                               | limited          |
| a person paused the plan                                          | paused           |
| this machine is held                                              | held             |
| this machine is reserved for another, exclusive node              | held             |
| what the runner itself said of the node (a resource is full …)    | resource, held … |
| all its slots are taken                                           | waiting-for-slot |
| none                                                              | next             |

With several runners that could take it, the one nearest to launching speaks.
"""

from __future__ import annotations

from collections.abc import Mapping

from stoat.derive import runners as shown_as
from stoat.derive.answers import Launch, LaunchReason, RunnerShown
from stoat.derive.here import Here
from stoat.derive.holds import hold_of
from stoat.derive.reservations import reserved_against
from stoat.derive.wording import launch as say
from stoat.derive.wording import machine
from stoat.derive.wording.text import machine_held
from stoat.plan.facts import Facts, HeldBack, RunnerFact
from stoat.plan.ids import same_repository
from stoat.plan.nodes import ISSUE, Node, repository_of
from stoat.plan.state import Mark, PlanState

_NEAREST: tuple[LaunchReason, ...] = (
    "next", "waiting-for-slot", "resource", "held", "paused", "limited", "stopping",
)  # fmt: skip


class Runners:
    """The runners on this machine, its hold, and the exclusive node that has it; answers for one derivation, the same
    question only once."""

    def __init__(self, facts: Facts, held: Mark | None, plans: Mapping[str, PlanState]) -> None:
        self.of_plan: dict[str, list[RunnerFact]] = {}
        for runner in sorted(facts.runners, key=lambda one: (one.since, one.runner_id)):
            plan = plans.get(runner.plan)
            paused = plan.paused if plan is not None else None
            self.of_plan.setdefault(runner.plan, []).append(shown_as.seen(runner, paused))
        self._held = held
        self._exclusive = facts.exclusive
        self._store = facts.store
        self._answers: dict[tuple[str, str | None], tuple[Launch, dict[str, HeldBack]]] = {}

    def shown(self, plan: PlanState) -> tuple[RunnerShown, ...]:
        """The plan's runners, those that answer first: one that went away is shown only where nobody took its place."""
        known = self.of_plan.get(plan.slug, [])
        there = [one for one in known if one.is_reachable]
        worked = {one.checkout for one in there}
        away = [one for one in known if not one.is_reachable and one.checkout not in worked]
        away.sort(key=lambda one: one.state == "gone")
        return tuple(shown_as.shown(one, plan) for one in (*there, *away))

    def on(self, slug: str, repository: str | None) -> Launch:
        """How the plan's runners stand to nodes of a repository (None: of any)."""
        return self._ask(slug, repository)[0]

    def hands_over(self, slug: str, node: Node) -> bool:
        """Whether a runner hands the node over to a cloud agent: an issue that it did not fail with."""
        able = [one for one in self.of_plan.get(slug, ()) if one.is_reachable and one.cloud is not None]
        return node.kind == ISSUE and any(node.id not in one.reasons for one in able)

    def said(self, slug: str, repository: str | None, node: str) -> Launch | None:
        """What the runner of a repository's nodes itself said of one of them; None when it said nothing."""
        held = self._ask(slug, repository)[1].get(node)
        if held is None:
            return None
        return Launch("resource" if held.reason == "resource" else "held", held.detail)

    def reserved(self, slug: str, node: str) -> Launch | None:
        """That the machine is reserved for another node than this one; None when it is not."""
        first = reserved_against(self._exclusive, (self._store, slug, node))
        return Launch("held", machine.reserved(machine.node(first))) if first is not None else None

    def _ask(self, slug: str, repository: str | None) -> tuple[Launch, dict[str, HeldBack]]:
        key = (slug, repository)
        answer = self._answers.get(key)
        if answer is None:
            answer = self._answers[key] = self._decide(slug, repository)
        return answer

    def _decide(self, slug: str, repository: str | None) -> tuple[Launch, dict[str, HeldBack]]:
        known = self.of_plan.get(slug, [])
        alive = [runner for runner in known if runner.is_reachable]
        fitting = [runner for runner in alive if repository is None or same_repository(runner.repo, repository)]
        if not fitting:
            return Launch("no-runner", say.no_runner(slug, repository, known, alive)), {}
        heard = [(self._of_runner(runner), runner.reasons) for runner in fitting]
        return min(heard, key=lambda one: _NEAREST.index(one[0].reason))

    def _of_runner(self, runner: RunnerFact) -> Launch:
        if runner.state == "stopping":
            return Launch("stopping", say.stopping(runner))
        if runner.state == "limited":
            return Launch("limited", say.limited(runner))
        if runner.state == "paused":
            return Launch("paused", say.paused(runner))
        if self._held is not None:
            return Launch("held", machine_held(self._held))
        if len(runner.running) >= runner.parallel:
            return Launch("waiting-for-slot", say.no_slot(len(runner.running), runner.parallel))
        return Launch("next", say.NEXT)


def decide(here: Here, runners: Runners) -> Launch:
    """Why the node is not being launched, or that it is next."""
    holder = here.claim.holder if here.claim is not None else None
    verdict = here.verdict
    hold = hold_of(
        here.plan, here.node, status=verdict.status, detail=verdict.detail, holder=holder, upstream=here.unlanded
    )
    repository = repository_of(here.plan.header, here.node.spec)
    if hold is not None and hold.reason == "cloud" and runners.hands_over(here.slug, here.node.spec):
        # Its agent clones its own repository, takes no slot here, and has another account.
        found = runners.on(here.slug, None)
        return Launch("next", say.NEXT) if found.reason in ("waiting-for-slot", "limited") else found
    if hold is not None:
        return Launch("go-ahead" if hold.reason == "go-ahead" else "held", say.held(hold))
    found = runners.on(here.slug, repository)
    if found.reason in ("next", "waiting-for-slot"):
        reserved = runners.reserved(here.slug, here.id)
        return reserved or runners.said(here.slug, repository, here.id) or found
    return found
