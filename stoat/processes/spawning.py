"""Starting an agent or any other program that is to outlive us: its own session, no terminal, a file for output."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from stoat.errors import StoatError
from stoat.processes.identity import Identity, identity_of


class NotStarted(StoatError):
    """A program could not be started at all: it is not there, may not be run, or its directory is gone."""


class Process:
    """A program that we started; it runs on when we end, and `identity` finds it again."""

    def __init__(self, started: subprocess.Popen[bytes], identity: Identity) -> None:
        self._started = started
        self.identity = identity

    @property
    def pid(self) -> int:
        """Its process id, which is its session's and its group's too."""
        return self.identity.pid

    def poll(self) -> int | None:
        """Its exit code once it has ended (128 + the signal that ended it), None while it runs."""
        return _code(self._started.poll())

    def wait(self, seconds: float) -> int | None:
        """As `poll`, after waiting up to `seconds` for the end. What it left running is not waited for."""
        try:
            return _code(self._started.wait(seconds))
        except subprocess.TimeoutExpired:
            return None


def _code(returned: int | None) -> int | None:
    return returned if returned is None or returned >= 0 else 128 - returned


def spawn(
    argv: Sequence[str],
    *,
    cwd: Path,
    env: Mapping[str, str],
    output: Path,
    stdout: Path | None = None,
    stdin: Path = Path(os.devnull),
) -> Process:
    """Start a program in a session of its own, with exactly this environment; NotStarted when that cannot be done.

    Both of its output streams are appended to the file `output`, or standard output to `stdout` where that is given: a
    pipe would freeze it once nobody reads, and would stay open as long as any daemon that it leaves. It inherits no
    other handle, so no lock of ours outlives us.

    We may be killed before we record the process that we started. Put a mark that is unique to the attempt into
    `env`, and `find_marked` finds what was started, whoever started it.
    """
    try:
        with stdin.open("rb") as source, output.open("ab") as target, (stdout or output).open("ab") as spoken:
            started = subprocess.Popen(
                list(argv),
                cwd=cwd,
                env=dict(env),
                stdin=source,
                stdout=spoken,
                stderr=target,
                start_new_session=True,
                close_fds=True,
            )
    except ValueError as error:
        # A NUL ends an argument for the system, so that there is no way to hand one over.
        raise NotStarted(
            f"{argv[0]} could not be started: what it is to be given cannot be passed on ({error})"
        ) from error
    except OSError as error:
        where = error.filename or argv[0]
        raise NotStarted(f"{argv[0]} could not be started: {error.strerror} ({where})") from error
    identity = identity_of(started.pid)
    if identity is None:
        # Until we ask for its exit code it stays, as a zombie at least: /proc must be hidden from us.
        started.kill()
        raise NotStarted(f"{argv[0]} was started, but process {started.pid} cannot be seen")
    return Process(started, identity)
