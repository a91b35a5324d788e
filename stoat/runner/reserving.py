"""A node's part of this machine: had before it is claimed, kept while its process runs, given back when that ended.

Reservations are beside the store (`observe/reserved.py`), so that the runners of all plans and stores count what each
other has. They are put in order at every look: this runner has what its jobs have, whatever became of it before.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from stoat import clock
from stoat.derive import capacity, reservations
from stoat.derive.capacity import Short
from stoat.derive.holds import Hold
from stoat.derive.reservations import Shared
from stoat.derive.schedule import Offer
from stoat.derive.wording import machine as say
from stoat.errors import Refused
from stoat.gitstore.porcelain import GitFailed
from stoat.observe import machine_limits, pressure, reserved
from stoat.observe.reserved import Seen
from stoat.plan.reservations import Limits, Reservation, ReservationKind
from stoat.processes import identity_of
from stoat.runner import ports
from stoat.runner.state import Job, Run, RunState
from stoat.service.session import mint

_TURN = 60.0
"""Seconds for which a turn lasts at least without being said anew: a poll that lands or fetches takes a while."""
_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9.-]*")


class Reserved(NamedTuple):
    """The proof that a node has its part of the machine: claiming demands it, and only `take` makes one. Its ports are
    in the note of its worktree, where a later runner finds them too."""

    claim: str


def look(run: Run, state: RunState) -> Shared:
    """What is taken on the machine now, by this run too; its own reservations are put in order first. What keeps that
    from being seen or said is in it, as what cannot be read."""
    try:
        return _shared(run, state, _settled(run, state))
    except (Refused, GitFailed, OSError) as problem:
        seen = reserved.look()
        return _shared(run, state, Seen(seen.live, (*seen.unreadable, str(problem))))


def wanted(run: Run, state: RunState, offer: Offer, kind: ReservationKind = "agent", claim: str = "") -> Reservation:
    """What a node takes of the machine."""
    return Reservation(
        id=_id(kind, claim), kind=kind, since=clock.now(), store=_store(run), plan=run.plan, node=offer.node,
        runner=_me(), claim=claim, uses=reservations.uses(offer.uses, state.plan.header.resources),
        exclusive=offer.alone,
    )  # fmt: skip


def take(run: Run, state: RunState, offer: Offer, worktree: Path, kind: ReservationKind = "agent") -> Reserved | Hold:
    """Have the node's part of the machine, all of it, with its ports; or what keeps it from that.

    A verification has no claim of its own: the one of the proof is empty. Refused where no port is free or what the
    worktree had cannot be read, GitFailed where the worktree cannot be asked, OSError where nothing can be written.
    """
    claim = mint("c") if kind == "agent" else ""
    one = wanted(run, state, offer, kind, claim)
    with reserved.locked() as table:
        if table is None:
            return Hold(offer.node, "scarce", say.busy())
        hold = reservations.why_not(one, _shared(run, state, Seen(table.live, table.unreadable)))
        if hold is not None:
            return hold
        given = ports.allot(one, run.options.ports, ports.kept(worktree), table.live)
        table.put(replace(one, ports=given))
        for turn in [other for other in table.live if other.kind == "turn" and other.of == one.of]:
            table.drop(turn)
    ports.keep(worktree, given)
    return Reserved(claim)


def take_a_turn(run: Run, state: RunState, offer: Offer) -> bool:
    """Have the machine kept for an exclusive node until it is free; False where it is another one's turn.

    It is said anew at every poll, well before it is over.
    """
    now, lasts = clock.now(), max(_TURN, 4 * run.options.poll_seconds)
    one = replace(wanted(run, state, offer, "turn"), until=clock.plus(now, lasts))
    with reserved.locked() as table:
        if table is None or table.unreadable:
            return False
        first = reservations.reserver(table.live)
        if first is None:
            table.put(one)
        elif first.of == one.of and first.until is not None and clock.seconds_between(now, first.until) < lasts / 2:
            table.put(replace(first, until=one.until))
        return first is None or first.of == one.of


def has_a_turn(run: Run, offer: Offer, shared: Shared) -> bool:
    """Whether the machine is kept for that node already."""
    return any(one.kind == "turn" and one.of == (_store(run), run.plan, offer.node) for one in shared.live)


def end_turns(run: Run, holds: Sequence[Hold]) -> None:
    """Let go of the machine where it is kept for a node of this run that would not start now whatever ends."""
    waiting = {hold.node for hold in holds if hold.reason == "alone"}
    over = [one for one in reserved.read() if one.kind == "turn" and _is_mine(run, one) and one.node not in waiting]
    for one in over:
        reserved.remove(one.id)


def let_go(run: Run) -> None:
    """At the end of a run: only what runs keeps what it has."""
    for one in reserved.read():
        if _is_mine(run, one) and one.process is None:
            reserved.remove(one.id)


def short(run: Run, shared: Shared) -> Short | None:
    """What the machine has too little of for one more agent; None when nothing."""
    agents = sum(one.kind == "agent" for one in shared.live)
    return capacity.short(pressure.look(run.project.root.parent), limits(), agents)


def limits() -> Limits:
    """What the machine takes on, as the people of all its stores set it."""
    return capacity.strictest(machine_limits.limits())


def say_limits(run: Run, state: RunState) -> None:
    """Let the runners of other stores know what this store's person set for the machine. A disk that refuses it is no
    reason to poll no further: where nothing can be reserved, `look` and `take` say so."""
    with contextlib.suppress(OSError):
        machine_limits.keep_limits(Path(_store(run)), state.state.machine(run.machine).limits)


def _settled(run: Run, state: RunState) -> Seen:
    """The reservations that are alive, once this run's are what its jobs are."""
    looked = reserved.look()
    seen = looked.live
    jobs = [job for job in state.jobs.values() if not job.ended()]
    right = [_of_job(run, state, job, seen) for job in jobs]
    mine = {one.id for one in right}
    over = [one for one in seen if _is_mine(run, one) and one.kind != "turn" and one.id not in mine]
    news = [one for one in right if one not in seen]
    if not over and not news:
        return looked
    with reserved.locked() as table:
        if table is None:
            return looked
        for one in over:
            table.drop(one)
        for one in news:
            table.put(one)
        return Seen(table.live, table.unreadable)


def _of_job(run: Run, state: RunState, job: Job, seen: tuple[Reservation, ...]) -> Reservation:
    """The reservation of a job: the one that was made for it, with what runs by now; of an adopted one, a new one."""
    kind: ReservationKind = "verify" if job.kind == "verify" else "agent"
    process = None if job.kind == "setup" else job.identity.key
    made = next((one for one in seen if one.kind == kind and _is_of(run, one, job)), None)
    if made is None:
        made = replace(wanted(run, state, job.offer, kind, job.claim), ports=ports.kept(job.worktree))
    return replace(made, runner=_me(), process=process)


def _is_of(run: Run, one: Reservation, job: Job) -> bool:
    if one.of != (_store(run), run.plan, job.node):
        return False
    if job.kind != "verify":
        return one.claim == job.claim
    return one.process == job.identity.key or (one.process is None and one.runner == _me())


def _shared(run: Run, state: RunState, seen: Seen) -> Shared:
    by_hand = reservations.claimed_by_hand(_claims(state), seen.live)
    return Shared(live=seen.live, unreadable=seen.unreadable, by_hand=by_hand, agents=limits().agents)


def _claims(state: RunState) -> list[tuple[str, str]]:
    """The running claims of the store as (PLAN/NODE, id), but for those of runners' attempts and of cloud agents."""
    found = []
    for slug, plan in state.state.plans.items():
        for name, node in plan.nodes.items():
            claim = node.lease(state.now) if node.claim is not None else None
            if claim is None or claim.where == "cloud" or plan.archived is not None:
                continue
            if node.attempt is None or node.attempt.claim != claim.id:
                found.append((f"{slug}/{name}", claim.id))
    return found


def _is_mine(run: Run, one: Reservation) -> bool:
    return one.runner == _me() and (one.store, one.plan) == (_store(run), run.plan)


def _id(kind: ReservationKind, claim: str) -> str:
    return claim if _PLAIN.fullmatch(claim) else mint(kind)


def _store(run: Run) -> str:
    return str(run.session.store.common.resolve())


def _me() -> str:
    return key_of(os.getpid())


@cache
def key_of(pid: int) -> str:
    """What tells the reservations of that runner from all others; Refused where its process cannot be seen."""
    identity = identity_of(pid)
    if identity is None:
        raise Refused(
            f"this process ({pid}) cannot be seen here, so nobody could tell what it has of the machine",
            hint="let it see its own processes (is /proc mounted?): stoat doctor says what else is missing",
        )
    return identity.key
