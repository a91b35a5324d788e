"""A session: one actor at one store, standing in one directory. Every use case takes one first.

    session = open_session(Path.cwd())
    session.answers().plans["my-plan"].nodes      what is derived, derived again only when something changed
    session.commit(decide)                        append what `decide(state, now)` gives, or nothing
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from stoat.clock import Time
from stoat.clock import now as clock_now
from stoat.errors import NotAPerson, NotFound, Refused
from stoat.gitstore import names, opening
from stoat.gitstore.log import Appended, Change, Store
from stoat.plan.events.base import Actor
from stoat.plan.facts import Facts
from stoat.plan.ids import DIGITS, NodeRef, split_ref
from stoat.plan.state import NodeState, PlanState, State
from stoat.plan.variables import AGENT, SESSION
from stoat.service import spool

if TYPE_CHECKING:
    from stoat.derive.answers import Answers


@dataclass
class _Memo:
    """The last answers of a session, and what they were derived from."""

    commit: str = ""
    facts: Facts | None = None
    answers: Answers | None = None


@dataclass(frozen=True)
class Session:
    """A store, who speaks, and where they stand. Not for several threads at once: open one each."""

    store: Store
    actor: Actor
    directory: Path
    _memo: _Memo = field(default_factory=_Memo, repr=False, compare=False)

    def state(self) -> State:
        """The state folded at the store's tip."""
        return self.store.state()

    def facts(self) -> Facts:
        """What is seen just now: this machine's name and runners, the recorded processes that are dead, the test
        runs that are lost, what keeps the machine to itself, and of GitHub what the last sweep saw and did not
        record."""
        from stoat.observe import live, reserved
        from stoat.observe.github.now import read_now
        from stoat.observe.silence import lost_runs
        from stoat.processes import machine_name

        return Facts(
            machine=machine_name(),
            runners=live.read_runners(self.store.common),
            dead=live.dead_processes(self.state()),
            lost=lost_runs(self.store.common, self.state().published()),
            github=read_now(self.store.common),
            exclusive=reserved.exclusive(),
            store=str(self.store.common.resolve()),
        )

    def answers(self, now: Time | None = None) -> Answers:
        """Everything derived at `now` (default: the clock); the last answers are given again while they hold."""
        from stoat.derive.derivation import derive

        now = now or clock_now()
        # The state last: what was seen meanwhile may be newer than when anybody looked, and never the other way round.
        facts, state, memo = self.facts(), self.state(), self._memo
        last = memo.answers
        same = last is not None and (memo.commit, memo.facts) == (state.commit, facts)
        if same and last is not None and last.at <= now and (last.until is None or now < last.until):
            return last
        answers = derive(state, facts, now, last)
        memo.commit, memo.facts, memo.answers = state.commit, facts, answers
        return answers

    def commit(self, decide: Callable[[State, Time], Change | None]) -> Appended:
        """Append what `decide` gives on the newest state, all or nothing; Refused and its kin come from `decide`.

        Refused as well for a person without a name: reading needs none, but what is said is said by somebody.
        """
        if not self.actor.name:
            raise Refused("git does not know who you are", f"{names.IDENTIFY}; or --by NAME")
        return self.store.append(decide, self.actor)

    def person(self) -> None:
        """Raises NotAPerson unless it is a person who speaks."""
        if self.actor.as_ != "person":
            raise NotAPerson(
                f"only a person may decide this, and {self.actor.name} is an agent ({AGENT} is set)",
                hint="ask for it: stoat ask PLAN/NODE 'what you need decided'",
            )


def open_session(
    directory: Path, *, store: Path | None = None, by: str | None = None, environ: Mapping[str, str] | None = None
) -> Session:
    """The session of this process: its store, and who it speaks for.

    `store` and `by` are the flags --store and --by; `environ` stands in for the process's environment. NotFound
    where there is no store, StoreUnreadable where there is one that cannot be read.
    """
    environ = os.environ if environ is None else environ
    opened = Store.open(opening.locate(directory, store, environ))
    spool.deliver(opened)
    return Session(opened, actor_of(opened.settings, by, environ), directory)


def actor_of(settings: Mapping[str, str], by: str | None, environ: Mapping[str, str]) -> Actor:
    """Who speaks, in which session; a person whom nothing names may read and not append."""
    return names.actor(settings, environ, by, environ.get(SESSION) or None)


def mint(prefix: str) -> str:
    """A short random id: `mint("q")` gives something like `q-7m2kx0a9`. 40 bits: never two alike within a plan."""
    return f"{prefix}-{''.join(secrets.choice(DIGITS) for _ in range(8))}"


def parse_ref(text: str) -> NodeRef:
    """`PLAN/NODE` taken apart; NotFound when it is not written that way."""
    ref = split_ref(text)
    if ref is None:
        raise NotFound(f"{text!r} is not a node", hint="a node is written PLAN/NODE; see `stoat status PLAN`")
    return ref


def plan_of(state: State, slug: str) -> PlanState:
    """The plan of that slug; NotFound (with the plans there are) when there is none."""
    plan = state.plan(slug)
    if plan is None:
        known = ", ".join(state.plans)
        raise NotFound(
            f"there is no plan {slug!r}",
            hint=f"the plans are: {known}" if known else "there is none yet; import one: stoat plan import FILE",
        )
    return plan


def node_of(state: State, ref: NodeRef) -> tuple[PlanState, NodeState]:
    """The plan and the node that `ref` names; NotFound when either is not there."""
    plan = plan_of(state, ref.plan)
    node = plan.nodes.get(ref.node)
    if node is None:
        raise NotFound(f"plan {ref.plan} has no node {ref.node!r}", hint=f"see its nodes: stoat status {ref.plan}")
    return plan, node
