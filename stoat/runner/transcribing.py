"""What agents' tools say for programs, told in the logs that people follow, as it comes."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from pathlib import Path

from stoat.observe.agents.telling import told
from stoat.plan.characters import spelled
from stoat.plan.state import Attempt
from stoat.runner import endings
from stoat.runner.profiles import Result
from stoat.runner.state import Job, Run, RunState

_AT_ONCE = 4 * 1024 * 1024
"""Bytes of one agent's output that are told in one poll, so that a flood of it keeps no other agent waiting."""


def transcribe(run: Run, state: RunState) -> RunState:
    """The step: add to every agent's log what its tool said since the last poll."""
    jobs = {node: _transcribed(run, state, job) if job.kind == "agent" else job for node, job in state.jobs.items()}
    return replace(state, jobs=jobs)


def finish(run: Run, state: RunState, job: Job) -> None:
    """Add what is left of an agent that has ended."""
    before = -1
    while job.told > before:
        before = job.told
        job = _transcribed(run, state, job, last=True)


def size_of(attempt: Attempt) -> int:
    """How much an agent that is taken over has said so far: its last runner told that, all but the very last of it."""
    try:
        return Path(attempt.output).stat().st_size if attempt.output is not None else 0
    except OSError:
        return 0


def tell_end(run: Run, attempt: Attempt) -> None:
    """Add the last message of an agent that ended while no runner was here."""
    final = endings.said(run, attempt, None).final
    if final:
        with contextlib.suppress(OSError), Path(attempt.log).open("ab") as log:
            log.write(f"{spelled(final)}\n".encode(errors="replace"))


def _transcribed(run: Run, state: RunState, job: Job, *, last: bool = False) -> Job:
    node = state.plan.nodes.get(job.node)
    attempt = node.attempt if node is not None else None
    if attempt is None or attempt.output is None or attempt.number != job.attempt:
        return job
    form = endings.form_of(run, attempt)
    with contextlib.suppress(OSError):
        return replace(job, told=_tell(form, Path(attempt.output), job.log, job.told, whole_lines=not last))
    return job


def _tell(form: Result, output: Path, log: Path, start: int, *, whole_lines: bool) -> int:
    """Tell the output from byte `start` on in the log; gives the byte up to which that was done.

    A line that is longer than what is read at once is told as far as it goes, and the rest of it is passed over.
    """
    with output.open("rb") as file:
        file.seek(max(0, start - 1))
        before = file.read(1) if start else b"\n"
        read = file.read(_AT_ONCE)
    begin = 0 if before == b"\n" else read.find(b"\n") + 1 or len(read)
    is_full, end = len(read) == _AT_ONCE, read.rfind(b"\n") + 1
    if end < begin or (is_full and not end) or not (is_full or whole_lines):
        end = len(read)
    lines = [
        text
        for number, line in enumerate(read[begin:end].splitlines())
        if (text := told(form, line, first=start == 0 and number == 0)) is not None
    ]
    if lines:
        with log.open("ab") as file:
            file.write(("\n".join(lines) + "\n").encode(errors="replace"))
    return start + end
