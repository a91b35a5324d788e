"""Ending a process with everything that it started, and waiting for processes that may not be our children.

Signals go only to what is verified at that moment: through a pidfd, which can never mean another process, or to a
whole group that is led by one of ours. Only the group's signal reaches what forks faster than it can be looked at.
"""

from __future__ import annotations

import os
import select
import signal
import time
from collections.abc import Collection, Iterable

from stoat.processes import seeing
from stoat.processes.identity import Identity, find, find_marked, identify

_PAUSE = 0.2
"""Seconds between two looks where the system cannot tell us that a process ended (no pidfd)."""

_KILLED_WITHIN = 2.0
"""Seconds that a process gets to vanish after KILL; only one stuck in the kernel needs longer."""

_SWEEPS = 50
"""How often a tree that forks faster than it is frozen is looked at again."""

_EMPTY_LOOKS = 3
"""Looks in a row that must find nothing new: a look takes longer than a process that forks and exits lives."""


def wait_for_end(identities: Collection[Identity], seconds: float) -> frozenset[Identity]:
    """Those that have ended (zombies are), as soon as any has, or after `seconds`; they need not be our children.

    What runs on another machine is never waited for: it counts as ended here, so ask only about our own.
    """
    deadline = time.monotonic() + seconds
    while True:
        ended = frozenset(identity for identity in identities if find(identity) is None)
        left = deadline - time.monotonic()
        if ended or left <= 0 or not identities:
            return ended
        _sleep_until_one_ends(identities, left)


def _sleep_until_one_ends(identities: Iterable[Identity], seconds: float) -> None:
    if not hasattr(os, "pidfd_open"):
        time.sleep(min(seconds, _PAUSE))
        return
    poll = select.poll()
    handles: list[int] = []
    try:
        for identity in identities:
            try:
                handles.append(os.pidfd_open(identity.pid))
            except ProcessLookupError:
                return  # it ended since it was looked for
            if find(identity) is None:
                return
            poll.register(handles[-1], select.POLLIN)
        poll.poll(seconds * 1000)
    finally:
        for handle in handles:
            os.close(handle)


def interrupt(identity: Identity, patience: float) -> bool:
    """Ask one process to end as Ctrl-C does, and give it so many seconds; whether it has ended.

    An agent's tool then says what it cost, which it does not on TERM. A process that no longer is what `identity` names
    is not signalled.
    """
    _signal(identity, signal.SIGINT)
    return not _outlast({identity}, patience)


def end_tree(identity: Identity, grace: float, *, marker: tuple[str, str] | None = None) -> tuple[Identity, ...]:
    """End a process, its descendants and what else is in a group or session it leads; gives those that would not go.

    All get TERM, then `grace` seconds, then KILL. `marker` (a name and value of the environment) adds what was
    started with it: a daemon that cut every tie, also when `identity` itself ended long ago. A process that no
    longer is what `identity` names is not signalled, nor are we ourselves and our ancestors.
    """
    ours, groups = _freeze({identity}, marker)
    _signal_all(ours, signal.SIGTERM)
    _signal_groups(groups, signal.SIGTERM)
    _signal_all(ours, signal.SIGCONT)
    _signal_groups(groups, signal.SIGCONT)
    _outlast(ours, grace)
    # Also when all of them went: what they forked on their way out is somebody else's child by now.
    left, groups = _freeze(ours | {identity}, marker, groups)
    _signal_all(left, signal.SIGKILL)
    _signal_groups(groups, signal.SIGKILL)
    return tuple(sorted(_outlast(left, _KILLED_WITHIN)))


def _outlast(identities: set[Identity], seconds: float) -> set[Identity]:
    """Those that still run after `seconds`; returns early when none does."""
    deadline = time.monotonic() + seconds
    while (living := {one for one in identities if find(one) is not None}) and time.monotonic() < deadline:
        wait_for_end(living, deadline - time.monotonic())
    return living


def _freeze(
    roots: set[Identity], marker: tuple[str, str] | None, known: frozenset[int] = frozenset()
) -> tuple[set[Identity], frozenset[int]]:
    """Stop everything that belongs to the roots, and look again until there is no more of it.

    What is stopped cannot fork, and cannot die and leave its children to somebody else, while we are still looking.
    A group is stopped as a whole: the kernel misses none of it, however fast it forks. `known` are the groups that
    an earlier look, moments ago, knew to be ours. Gives what was seen, and the groups.
    """
    frozen: set[Identity] = set()
    groups, empty = known, 0
    for _ in range(_SWEEPS):
        ours, led = _collect(roots | frozen, marker)
        groups |= led
        _signal_groups(groups, signal.SIGSTOP)
        found = ours - frozen
        empty = 0 if found else empty + 1
        if empty == _EMPTY_LOOKS:
            break
        _signal_all(found, signal.SIGSTOP)
        frozen |= found
    return frozen, groups


def _collect(roots: set[Identity], marker: tuple[str, str] | None) -> tuple[set[Identity], frozenset[int]]:
    """The roots that run, their descendants, the members of groups and sessions that a root leads, and the marked.

    Also gives the groups that are led by one of ours: they are ours as a whole.
    """
    everything = seeing.see_all()
    spared = _ourselves(everything)
    leaders = {root.pid for root in roots}
    ours = {root.pid for root in roots if _is_seen(root, everything)} - spared
    if marker is not None:
        ours |= {identity.pid for identity in find_marked(*marker) if identity.pid in everything} - spared
    while True:
        # A group's number is not given away while it has a member, so one of ours in it vouches for a dead leader.
        groups = {group for pid in ours for group in (everything[pid].group, everything[pid].session)}
        heads = ours | (groups & leaders) - spared
        more = {seen.pid for seen in everything.values() if heads & {seen.parent, seen.group, seen.session}} - (
            ours | spared
        )
        if not more:
            led = heads & {everything[pid].group for pid in ours}
            return {identify(everything[pid]) for pid in ours if not everything[pid].zombie}, frozenset(led - spared)
        ours |= more


def _is_seen(root: Identity, everything: dict[int, seeing.Seen]) -> bool:
    seen = everything.get(root.pid)
    # A zombie still holds its pid, its group and its children's memory of it, so it may lead to what is left.
    return seen is not None and identify(seen) == root


def _ourselves(everything: dict[int, seeing.Seen]) -> set[int]:
    """Our own pid and those of all our ancestors: a mark that we inherited must not turn against us."""
    pid = os.getpid()
    spared = {0, 1}
    while pid not in spared:
        spared.add(pid)
        if pid in everything:
            pid = everything[pid].parent
    return spared


def _signal_all(identities: Iterable[Identity], number: signal.Signals) -> None:
    for identity in identities:
        _signal(identity, number)


def _signal_groups(groups: Iterable[int], number: signal.Signals) -> None:
    """Signal every member of groups that were known to be ours a moment ago; never our own group."""
    for group in groups:
        if group != os.getpgrp():
            try:
                os.killpg(group, number)
            except (ProcessLookupError, PermissionError):
                continue


def _signal(identity: Identity, number: signal.Signals) -> None:
    """Signal exactly this process; nothing when it has ended, is not verifiably this one, or is not ours to signal."""
    try:
        if not hasattr(os, "pidfd_open"):
            if find(identity) is not None:
                os.kill(identity.pid, number)
            return
        handle = os.pidfd_open(identity.pid)
        try:
            if find(identity) is not None:
                signal.pidfd_send_signal(handle, number)
        finally:
            os.close(handle)
    except (ProcessLookupError, PermissionError):
        return
