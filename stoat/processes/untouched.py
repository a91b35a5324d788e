"""Running a command as if Stoat were not there: our streams, our terminal, our process group."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from stoat.processes.ending import end_tree
from stoat.processes.identity import identity_of
from stoat.processes.spawning import NotStarted

TIMED_OUT = 124
NOT_EXECUTABLE = 126
NOT_FOUND = 127

_FORWARDED = frozenset({signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT})
_WATCHED = _FORWARDED | {signal.SIGCHLD}

_FROM_KERNEL = 0x80
"""siginfo's SI_KERNEL: nobody called kill(); it was the terminal, and that told the whole group."""

_LOOK_AGAIN = 0.5
"""Seconds after which we look for ourselves, in case another thread of ours took the news of the command's end."""


class Outcome(NamedTuple):
    """How a command ended: the shell's exit code, the signal that ended it, whether our limit did, how long it ran.

    `received` are the signals that reached us meanwhile: who has more to run stops there. `why` says in words why
    it could not be started, when the code is 126 or 127 for that reason.
    """

    code: int
    signal: int | None
    timed_out: bool
    seconds: float
    received: frozenset[int] = frozenset()
    why: str = ""


def run_untouched(
    argv: Sequence[str],
    *,
    cwd: Path,
    env: Mapping[str, str],
    timeout: float | None = None,
    grace: float = 5.0,
) -> Outcome:
    """Run a command to its end on our own streams and terminal; call it from the main thread.

    The code is the command's own, 128 + n when signal n ended it, 127 and 126 when it was not found or not
    executable, and 124 when it was still running after `timeout` seconds: then it ends with everything it started
    (TERM, `grace` seconds, KILL). INT, TERM, HUP and QUIT that are sent to us are passed on, once. NotStarted when
    `cwd` is no directory.
    """
    if not cwd.is_dir():
        raise NotStarted(f"{argv[0]} could not be started: {cwd} is not a directory")
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()  # what we said before the command comes before what it says
    # A name of its own, so that a command that runs commands this way is found with all of theirs.
    marker = (f"STOAT_RUN_{os.urandom(6).hex()}", "1")
    begun = time.monotonic()
    received: set[int] = set()
    with _signals_noted() as noted:
        try:
            # close_fds=False: what our caller left open for its children (make's job server, `<(…)`) is meant
            # for the command; what Python opens is never inherited. It shares our process group, so the
            # terminal's keys reach it as they reach us, and stopping one stops both.
            command = subprocess.Popen(list(argv), cwd=cwd, env={**env, marker[0]: marker[1]}, close_fds=False)
        except OSError as error:
            code = NOT_FOUND if isinstance(error, FileNotFoundError) else NOT_EXECUTABLE
            why = f"{argv[0]}: {error.strerror}"
            return Outcome(code, None, False, time.monotonic() - begun, why=why)
        with _signals_waiting():
            timed_out = not _wait(command, None if timeout is None else begun + timeout, noted, received)
            if timed_out:
                _end(command, grace, marker)
    received.update(noted)
    seconds = time.monotonic() - begun
    returned = command.returncode
    ended_by = -returned if returned is not None and returned < 0 else None
    code = TIMED_OUT if timed_out else returned if ended_by is None else 128 + ended_by
    return Outcome(code, ended_by, timed_out, seconds, frozenset(received))


@contextmanager
def _signals_noted() -> Iterator[list[int]]:
    """Note the signals that would end us; the list grows as they come. The command starts with none of this."""
    noted: list[int] = []
    # Were SIGCHLD ignored, as some callers leave it, the exit code would be lost and read as 0.
    before = {signal.SIGCHLD: signal.signal(signal.SIGCHLD, signal.SIG_DFL)}
    for number in _FORWARDED:
        # Who ignores one (nohup) has us and the command ignore it.
        if signal.getsignal(number) != signal.SIG_IGN:
            before[number] = signal.signal(number, lambda number, _: noted.append(number))
    try:
        yield noted
    finally:
        for number, handler in before.items():
            if handler is not None:
                signal.signal(number, handler)


@contextmanager
def _signals_waiting() -> Iterator[None]:
    """Keep the watched signals waiting for `_next_signal`, which learns more of them than a handler does.

    Only this thread can be held from taking them: one that another thread takes is noted by its handler. It is done
    after the command is started, which would inherit it.
    """
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, _WATCHED)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def _wait(command: subprocess.Popen[bytes], deadline: float | None, noted: list[int], received: set[int]) -> bool:
    """Wait for the command's end, passing signals on; False when the deadline came first."""
    while command.poll() is None:
        left = _LOOK_AGAIN if deadline is None else deadline - time.monotonic()
        if left <= 0:
            return False
        number, by_terminal = _next_signal(0 if noted else min(left, _LOOK_AGAIN))
        if number not in _FORWARDED and noted:
            number = noted.pop(0)
            by_terminal = _is_a_key(number)
        if number in _FORWARDED:
            received.add(number)
            if not by_terminal:
                command.send_signal(number)
    return True


def _next_signal(seconds: float) -> tuple[int, bool]:
    """The next watched signal within `seconds` (0 for none), and whether the terminal sent it to all of our group."""
    if sys.platform == "darwin":
        # No sigtimedwait there, and no word on who sent it.
        pending = signal.sigpending() & _WATCHED
        if not pending:
            time.sleep(min(seconds, 0.2))
            return 0, False
        number = signal.sigwait(pending)
        return number, _is_a_key(number)
    told = signal.sigtimedwait(_WATCHED, seconds)
    return (0, False) if told is None else (told.si_signo, told.si_code == _FROM_KERNEL)


def _is_a_key(number: int) -> bool:
    """Whether a signal whose sender we do not know was likely a key: then the command, in our group, has it too."""
    if number not in (signal.SIGINT, signal.SIGQUIT):
        return False
    for stream in range(3):
        try:
            return os.tcgetpgrp(stream) == os.getpgrp()
        except OSError:
            continue  # not a terminal, or not ours
    return False


def _end(command: subprocess.Popen[bytes], grace: float, marker: tuple[str, str]) -> None:
    identity = identity_of(command.pid)
    if identity is not None:
        end_tree(identity, grace, marker=marker)
    try:
        command.wait(1)
    except subprocess.TimeoutExpired:
        return  # it is another user's (sudo), or stuck in the kernel: we do not wait for it for ever
