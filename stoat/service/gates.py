"""Running commands as evidence: one command under `gate exec`, or a gate's declared steps.

A command is never failed or kept waiting for Stoat's own trouble: no store, a locked ref, an unknown node are a
warning; it runs, and its code is what comes out.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from stoat import clock
from stoat.errors import NotFound, Refused, StoatError
from stoat.gitstore import opening as finding
from stoat.observe import reserved, tree
from stoat.plan import commands
from stoat.plan.events.evidence import GateFinished, GateStarted
from stoat.plan.ids import NodeRef, same_repository
from stoat.plan.nodes import Step, repository_of
from stoat.plan.reservations import Reservation
from stoat.plan.state import PlanState
from stoat.plan.variables import CLAIM, NODE, PLAN, RUN_TAG
from stoat.processes import NotStarted, Outcome, identity_of, machine_name, run_untouched
from stoat.processes.untouched import TIMED_OUT
from stoat.service.recording import Recorder, Warn
from stoat.service.session import Session, mint, node_of

__all__ = ["TIMED_OUT", "StepRun", "execute", "run", "steps_of"]

START_PATIENCE = 2.0
"""Seconds that the record of a start may keep a command waiting, in the worst case; it is made anyway, meanwhile."""
END_PATIENCE = 25.0
"""Seconds that the record of an end may keep us after the command ended, before it is spooled."""
_NO_DIRECTORY = 127


class StepRun(NamedTuple):
    """A declared step that ran: its id, the exit code (124: timed out), how long it took."""

    step: str
    code: int
    seconds: float


def execute(
    opening: Callable[[], Session], ref: NodeRef | None, step: str | None, argv: Sequence[str], *, tag: str,
    directory: Path, cwd: str | None = None, env: Mapping[str, str] | None = None, timeout: float | None = None,
    store: Path | None = None, warn: Warn,
) -> Outcome:  # fmt: skip
    """Run a command untouched, record it as evidence for the node (or one of its steps), and give how it ended.

    It runs in `directory`, or in `cwd` below the top of the checkout there, with `env` over this process's
    environment and with its tag (`tag`, with the step behind it); without `ref` it only runs. `store` is the flag
    that `opening` went by, if any. `warn` is told of everything that kept the record from being made. Refused, and
    nothing run, when `cwd` is outside that checkout: what ran there would be no evidence of its commit.
    """
    environ = {**os.environ, **(env or {}), RUN_TAG: f"{tag}/{step}" if step else tag}
    top = tree.checkout_at(directory)
    place, seen = (directory, directory) if cwd is None else _within(top or directory, cwd)
    if ref is None:
        with _seen_by_others(ref, None, warn):
            return _run(argv, place, environ, timeout, warn)
    where = tree.below(top, tree.as_entered(place) if cwd is None else place) if top is not None else None
    recorder = Recorder(opening, ref, step, _claim_of(ref), directory, warn)
    run, command, machine, before = mint("r"), tuple(argv), machine_name(), tree.tree_of(seen)
    identity = identity_of(os.getpid())
    recorder.record(
        GateStarted(
            node=ref.node, run=run, command=command, machine=machine, step=step, cwd=where, limit=timeout,
            process=identity.key if identity else None, tree=before,
        ),
        START_PATIENCE,
    )  # fmt: skip
    started = clock.now()
    with _seen_by_others(ref, recorder.session, warn):
        outcome = _run(argv, place, environ, timeout, warn)
    finished = GateFinished(
        node=ref.node, run=run, command=command, machine=machine, step=step, exit_code=outcome.code,
        seconds=round(outcome.seconds, 3), signal=_signal_name(outcome.signal), timed_out=outcome.timed_out,
        limit=timeout, started=started, before=before, after=tree.tree_of(seen), cwd=where,
    )  # fmt: skip
    _record_end(recorder, finished, lambda: _common(directory, store), warn)
    return outcome


def steps_of(session: Session, ref: NodeRef, step: str | None) -> tuple[PlanState, tuple[Step, ...]]:
    """The plan, and the node's declared steps (only `step`, where it is given), each with a command to run.

    Refused when it declares none or one has no command, NotFound when it has no such step.
    """
    plan, node = node_of(session.state(), ref)
    steps = node.spec.steps
    if not steps:
        raise Refused(f"{ref} declares no steps", hint=f"run its command yourself: stoat gate exec {ref} -- COMMAND")
    if step is not None:
        steps = tuple(one for one in steps if one.id == step)
        if not steps:
            known = ", ".join(one.id for one in node.spec.steps)
            raise NotFound(f"{ref} has no step {step!r}", hint=f"its steps are: {known}")
    for one in steps:
        if not one.run:
            raise Refused(
                f"step {one.id} of {ref} declares no command",
                hint=f"run it yourself: stoat gate exec {ref} --step {one.id} -- COMMAND",
            )
    return plan, steps


def run(
    session: Session, ref: NodeRef, step: str | None, checkout: Path, *, warn: Warn, begin: Callable[[Step], None]
) -> Iterator[StepRun]:
    """Run a gate's declared steps one after the other in a checkout, each as `execute` would; all of them, red or not.

    `begin` is called before each. Refused when the checkout is another repository's than the node's.
    """
    plan, steps = steps_of(session, ref, step)
    wanted, here = repository_of(plan.header, plan.nodes[ref.node].spec), tree.repository_at(checkout)
    if wanted and here and not same_repository(wanted, here):
        raise Refused(f"{ref} runs in {wanted}, not in this checkout of {here}", hint="name the other with --checkout")
    top = tree.top_of(checkout)
    for one in steps:
        begin(one)
        outcome = execute(
            lambda: session, ref, one.id, commands.argv_of(one.run or ""), tag=str(ref), directory=top, cwd=one.cwd,
            env=one.env, timeout=clock.duration(one.timeout) if one.timeout else None, warn=warn,
        )  # fmt: skip
        yield StepRun(one.id, outcome.code, outcome.seconds)
        if outcome.received:
            return  # somebody wants all of this to end


def _within(top: Path, cwd: str) -> tuple[Path, Path]:
    """Where to run, and the checkout that it proves something of: a submodule's own commit is not the checkout's."""
    place = top / cwd
    if not place.resolve().is_relative_to(top.resolve()):
        raise Refused(
            f"{cwd!r} is outside the checkout at {top}, whose commit a run is evidence of",
            hint="give a directory below its top, or stand in the other checkout",
        )
    return place, top


@contextmanager
def _seen_by_others(ref: NodeRef | None, session: Session | None, warn: Warn) -> Iterator[None]:
    """Have the runners of this machine see that a command runs: a node that wants it to itself waits until it ended."""
    from stoat.derive import reservations
    from stoat.derive.wording import machine as say

    plan, node = ref if ref is not None else ("", "")
    store = str(session.store.common.resolve()) if session is not None else ""
    first = reservations.reserved_against(reserved.exclusive(), (store, plan, node))
    if first is not None:
        warn(say.gate_during(say.node(first)))
    me = identity_of(os.getpid())
    one = Reservation(
        id=mint("g"), kind="gate", since=clock.now(), plan=plan, node=node, process=me.key if me is not None else None
    )
    with reserved.noted(one):
        yield


def _run(argv: Sequence[str], place: Path, environ: Mapping[str, str], timeout: float | None, warn: Warn) -> Outcome:
    try:
        outcome = run_untouched(argv, cwd=place, env=environ, timeout=timeout)
    except NotStarted as failed:
        outcome = Outcome(_NO_DIRECTORY, None, False, 0.0, why=failed.message)
    if outcome.why:
        warn(outcome.why)
    return outcome


def _record_end(recorder: Recorder, finished: GateFinished, common: Callable[[], Path], warn: Warn) -> None:
    try:
        try:
            recorder.record(finished, END_PATIENCE)
        except KeyboardInterrupt:
            warn("interrupted while the result was being recorded")
        kept = recorder.keep(common)
        if kept is not None:
            warn(f"the result waits in {kept}; the next stoat command records it")
    except (OSError, StoatError) as trouble:
        warn(f"the result could not be kept: {trouble}")
    finally:
        recorder.close()


def _common(directory: Path, store: Path | None) -> Path:
    return finding.common_directory(finding.locate(directory, store, os.environ))


def _claim_of(ref: NodeRef) -> str | None:
    """The claim that this process works under, if it is one on this node."""
    of = (os.environ.get(PLAN, ref.plan), os.environ.get(NODE, ref.node))
    return os.environ.get(CLAIM) if of == ref else None


def _signal_name(number: int | None) -> str | None:
    if number is None:
        return None
    try:
        return signal.Signals(number).name
    except ValueError:
        return str(number)
