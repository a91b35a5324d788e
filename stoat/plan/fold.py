"""From lines to state: decode events, fold them into the part of the state that their stream is.

Pure. What cannot be taken (a type of a newer version, a torn line, an event about a node that is not there) is
reported as a Trouble with its line and stepped over; the rest of the stream goes on.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Iterator, Sequence
from functools import reduce
from operator import or_
from typing import Any, NamedTuple

import msgspec

from stoat.errors import UNDECODABLE, Refused
from stoat.plan import streams
from stoat.plan.events import FAMILIES
from stoat.plan.events.base import Event, PlanEvent, Unknown
from stoat.plan.events.github import GitHubEvent
from stoat.plan.events.machines import MachineEvent
from stoat.plan.events.plans import PlanCreated
from stoat.plan.github import GitHubState
from stoat.plan.state import MachineState, OtherState, Part, PlanState

FOLD_VERSION = 13
"""Raised whenever the shape or the meaning of a part changes, so that no cache of another version is read."""

EVENT_TYPES: dict[str, type] = {
    cls.__struct_config__.tag: cls  # type: ignore[attr-defined]
    for family in FAMILIES.values()
    for cls in family
}
"""The event classes by the `type` they are written with."""

_decoder: msgspec.json.Decoder[Event] = msgspec.json.Decoder(reduce(or_, EVENT_TYPES.values()))
_encoder = msgspec.json.Encoder()
_packer = msgspec.msgpack.Encoder()
_BEYOND = 1 << 63
_unpackers: dict[type, msgspec.msgpack.Decoder[Any]] = {
    cls: msgspec.msgpack.Decoder(cls) for cls in (PlanState, MachineState, GitHubState, OtherState)
}


class _Envelope(msgspec.Struct):
    """What can be read of an event of any type."""

    type: str
    node: Any = None
    at: str = ""


class Trouble(NamedTuple):
    """A line that was stepped over: its index in what was folded (0-based), and why."""

    line: int
    what: str


def encode_event(event: Event) -> bytes:
    """An event as its line, without the line end. The actor's email stays out: it is the commit's.

    Refused for one with a number that no line can hold: what is recorded has to be readable for ever.
    """
    for number in _numbers(msgspec.to_builtins(event)):
        # JSON writes null for what is not finite, and no cache takes more than 64 bits.
        if not math.isfinite(number) or not -_BEYOND <= number < _BEYOND:
            raise Refused(
                f"{number} is no number that can be recorded ({event.__struct_config__.tag})",
                hint="give a finite one of a size that means something",
            )
    return _encoder.encode(event)


def decode_line(line: bytes) -> Event | Unknown:
    """A line as an event of a known type, or as Unknown with the line kept byte for byte."""
    try:
        return _decoder.decode(line)
    except UNDECODABLE as problem:
        return _unknown(line, str(problem))


def fold_part(stream: str, part: Part | None, lines: Sequence[bytes]) -> tuple[Part, list[Trouble]]:
    """Fold a stream's next lines into its part (None: the stream begins here). The part given is left as it was."""
    troubles: list[Trouble] = []
    if streams.plan_of(stream) is not None:
        return _fold_plan(part if isinstance(part, PlanState) else None, lines, troubles), troubles
    if stream.startswith(streams.MACHINES):
        machine = copy.copy(part) if isinstance(part, MachineState) else MachineState()
        for index, line in enumerate(lines):
            machine.seq += 1
            event = decode_line(line)
            if isinstance(event, MachineEvent):
                event.fold(machine)
            else:
                troubles.append(Trouble(index, _misplaced(event, "a machine's")))
        return machine, troubles
    if streams.repository_of(stream) is not None:
        return _fold_repository(part if isinstance(part, GitHubState) else None, lines, troubles), troubles
    return OtherState(seq=(part.seq if part else 0) + len(lines)), troubles


def encode_part(part: Part) -> bytes:
    """A part as bytes for the cache."""
    return _packer.encode(part)


def decode_part(stream: str, data: bytes) -> Part:
    """A part from the cache's bytes; ValueError when they are not one."""
    if streams.plan_of(stream) is not None:
        cls: type = PlanState
    elif streams.repository_of(stream) is not None:
        cls = GitHubState
    else:
        cls = MachineState if stream.startswith(streams.MACHINES) else OtherState
    try:
        part: Part = _unpackers[cls].decode(data)
    except UNDECODABLE as problem:
        raise ValueError(str(problem)) from problem
    return part


def _fold_plan(before: PlanState | None, lines: Sequence[bytes], troubles: list[Trouble]) -> Part:
    plan = None
    if before is not None:
        plan = copy.copy(before)
        plan.nodes, plan.questions = dict(before.nodes), dict(before.questions)
    skipped = 0
    for index, line in enumerate(lines):
        event = decode_line(line)
        if plan is None:
            if isinstance(event, PlanCreated):
                plan = event.begin()
                plan.seq = skipped + 1
            else:
                skipped += 1
                troubles.append(Trouble(index, "comes before its plan was created"))
            continue
        plan.seq += 1
        if not isinstance(event, PlanEvent):
            troubles.append(Trouble(index, _misplaced(event, "a plan's")))
            continue
        try:
            event.fold(plan)
        except KeyError as missing:
            troubles.append(Trouble(index, f"speaks of {missing}, which the plan does not have"))
        except ValueError as problem:
            troubles.append(Trouble(index, str(problem)))
    return plan if plan is not None else OtherState(seq=skipped)


def _fold_repository(before: GitHubState | None, lines: Sequence[bytes], troubles: list[Trouble]) -> GitHubState:
    repository = copy.copy(before) if before is not None else GitHubState()
    repository.issues, repository.pulls = dict(repository.issues), dict(repository.pulls)
    for index, line in enumerate(lines):
        repository.seq += 1
        event = decode_line(line)
        if isinstance(event, GitHubEvent):
            event.fold(repository)
        else:
            troubles.append(Trouble(index, _misplaced(event, "a repository's")))
    return repository


def _numbers(value: Any) -> Iterator[int | float]:
    """Every number in what an event is made of, however deep."""
    if isinstance(value, dict):
        for inside in value.values():
            yield from _numbers(inside)
    elif isinstance(value, list | tuple):
        for inside in value:
            yield from _numbers(inside)
    elif isinstance(value, int | float):
        yield value


def _misplaced(event: Event | Unknown, where: str) -> str:
    return event.why if isinstance(event, Unknown) else f"does not belong to {where} stream"


def _unknown(line: bytes, why: str) -> Unknown:
    try:
        envelope = msgspec.json.decode(line, type=_Envelope)
    except UNDECODABLE:
        return Unknown(line, None, f"is not an event ({why})")
    if envelope.type not in EVENT_TYPES:
        why = f"has the type {envelope.type}, which this version does not know"
    node = envelope.node if isinstance(envelope.node, str) else None
    return Unknown(line, envelope.type, why, node, envelope.at)
