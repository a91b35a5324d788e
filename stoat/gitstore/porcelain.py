"""The one door to the git command: fixed environment and settings, so that a call means the same everywhere.

    git(directory, *args) -> Ran(code, out, err)   GitFailed unless it exits 0 (check=False: look at the code)
    zsplit(text) -> list[str]                      the records of a `-z` answer
    legible(text) -> str                           a file name or git's words as text that can be stored

Nothing here prints, waits at a prompt, opens an editor or outlives its time limit.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, NamedTuple

from stoat.errors import StoatError

# What may come in from outside: how to reach and sign in to a remote, who commits, where the user's settings
# are. Every other GIT_* points at some repository, index or object store (a hook's, an outer git's), or
# changes output.
_KEPT = re.compile(
    r"GIT_(?:(?:AUTHOR|COMMITTER)_(?:NAME|EMAIL|DATE)"
    r"|SSH|SSH_COMMAND|SSH_VARIANT|ASKPASS|PROXY_COMMAND|PROXY_SSL_\w+|SSL_\w+|HTTP_\w+"
    r"|ALLOW_PROTOCOL|PROTOCOL_FROM_USER|EXEC_PATH|DISCOVERY_ACROSS_FILESYSTEM"
    r"|CONFIG_GLOBAL|CONFIG_SYSTEM|CONFIG_NOSYSTEM|CONFIG_COUNT|CONFIG_(?:KEY|VALUE)_\d+)"
)

_FORCED = {
    # English messages, while hooks still read UTF-8; LANGUAGE would win over it and is dropped below.
    "LC_ALL": "C.UTF-8",
    "GIT_TERMINAL_PROMPT": "0",
    "GCM_INTERACTIVE": "never",
    # `:` is git's own "no editor". The variables win over core.editor, so they are what has to be set.
    "GIT_EDITOR": ":",
    "GIT_SEQUENCE_EDITOR": ":",
    "GIT_MERGE_AUTOEDIT": "no",
    "GIT_PAGER": "cat",
    "GIT_ADVICE": "0",
    # `git status` must not take index.lock in a tree where an agent is committing.
    "GIT_OPTIONAL_LOCKS": "0",
}

_PINNED = {
    # the shape of output
    "color.ui": "never",
    "column.ui": "never",
    "core.quotePath": "false",
    "core.abbrev": "40",
    "i18n.logOutputEncoding": "UTF-8",
    "log.showSignature": "false",
    "advice.detachedHead": "false",
    "advice.skippedCherryPicks": "false",
    # which refs and files an operation may touch beside those it was asked to
    "rebase.updateRefs": "false",
    "rebase.autoSquash": "false",
    "rebase.autoStash": "false",
    "rebase.rebaseMerges": "false",
    "merge.autoStash": "false",
    "merge.verifySignatures": "false",
    "rerere.enabled": "false",
    "rerere.autoUpdate": "false",
    "submodule.recurse": "false",
    "fetch.recurseSubmodules": "false",
    "fetch.pruneTags": "false",
    "branch.autoSetupMerge": "false",
    # processes that would live on behind our back; the store starts its own maintenance
    "gc.auto": "0",
    "maintenance.auto": "false",
    "core.fsmonitor": "false",
}

_PINS = tuple(word for key, value in _PINNED.items() for word in ("-c", f"{key}={value}"))

_GRACE = 5.0  # seconds in which a git that is told to stop can remove its lock files
_LOOK_AGAIN = 0.02  # seconds


class Ran(NamedTuple):
    """What a git command came to: its exit code and outputs (bytes that are not UTF-8 as surrogates)."""

    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        """The lines of its output. A ref's name and a subject may hold what Unicode calls a line break besides."""
        return self.out.removesuffix("\n").split("\n") if self.out else []


class GitFailed(StoatError):
    """git did not do what it was asked: `command` is its arguments, `code` None if we ended it."""

    def __init__(
        self, directory: Path, command: tuple[str, ...], ran: Ran | None, why: str, hint: str | None = None
    ) -> None:
        super().__init__(f"git {' '.join(command[:2])} in {directory}: {why}", hint)
        self.directory = directory
        self.command = command
        self.code = ran.code if ran else None
        self.out = ran.out if ran else ""
        self.err = ran.err if ran else why
        self.why = why


class GitTimedOut(GitFailed):
    """git took longer than it was given and was ended."""


def environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """This process's environment without what would redirect git, with what keeps it quiet, then `extra`."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_") or _KEPT.fullmatch(name)}
    kept.pop("LANGUAGE", None)
    return {**kept, **_FORCED, **(extra or {})}


def git(
    directory: Path,
    *args: str,
    check: bool = True,
    timeout: float | None = None,
    input: bytes | None = None,
    env: Mapping[str, str] | None = None,
    inherit: Sequence[int] = (),
) -> Ran:
    """Run git in `directory` and give its exit code and outputs.

    Raises GitFailed when git or the directory is missing or (with `check`) the exit code is not 0, and
    GitTimedOut after `timeout` seconds, with its processes ended. `input` is its standard input; `env` lays
    over the environment; `inherit` are open files that it and what it starts keep open (a lock).
    """
    # Files, not pipes: what a hook leaves running may hold them open for as long as it likes.
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err, contextlib.ExitStack() as stack:
        stdin: int | IO[bytes] = subprocess.DEVNULL
        if input is not None:
            stdin = stack.enter_context(tempfile.TemporaryFile())
            stdin.write(input)
            stdin.seek(0)
        try:
            process = subprocess.Popen(
                ("git", "--no-pager", *_PINS, *args),
                cwd=directory,
                env=environment(env),
                stdin=stdin,
                stdout=out,
                stderr=err,
                # Its own session: no terminal to ask at, no Ctrl-C halfway through, one group to end.
                start_new_session=True,
                pass_fds=inherit,
            )
        except OSError as error:
            if not directory.is_dir():
                raise GitFailed(directory, args, None, "there is no such directory") from error
            why = f"git cannot be started ({error.strerror})"
            raise GitFailed(directory, args, None, why, "install git 2.39 or newer") from error
        try:
            process.wait(timeout)
        except subprocess.TimeoutExpired:
            _end(process)
            raise GitTimedOut(directory, args, None, f"no answer within {timeout:g} seconds") from None
        except BaseException:
            _end(process)
            raise
        ran = Ran(process.returncode, _text(out), _text(err))
    if check and ran.code != 0:
        raise failure(directory, args, ran)
    return ran


def failure(directory: Path, command: tuple[str, ...], ran: Ran) -> GitFailed:
    """The error for a command that ran and failed: git's own sentence, and a hint where one is known."""
    said = [line.strip() for line in ran.err.splitlines() if line.strip()]
    last = said[-1] if said else f"exit code {ran.code}"
    why = next((line for line in said if line.startswith(("fatal:", "error:"))), last)
    hint = None
    if "dubious ownership" in ran.err:
        setting = next((line for line in said if line.startswith("git config")), None)
        setting = setting or f"git config --global --add safe.directory {directory}"
        hint = f"the repository belongs to another user; if you trust it: {setting}"
    return GitFailed(directory, command, ran, legible(why), hint)


def zsplit(text: str) -> list[str]:
    """The records of NUL-separated output; the NUL after the last one ends it and starts no other."""
    return text.removesuffix("\0").split("\0") if text else []


def legible(text: str) -> str:
    """`text` with each byte that is not UTF-8 spelled out (`\\xff`), as records and people can hold it."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode("utf-8", "surrogateescape")


def _end(process: subprocess.Popen[bytes]) -> None:
    """TERM first, so that git removes its lock files, then KILL for the whole group; then the leader is reaped.

    In this order: until its leader is reaped, the group's number cannot be given to anybody else.
    """
    if process.returncode is not None:
        return  # reaped already: the number may be another group's by now
    gone = contextlib.suppress(ProcessLookupError, PermissionError)  # of a group of zombies, macOS says EPERM
    with gone:
        os.killpg(process.pid, signal.SIGTERM)
    deadline = time.monotonic() + _GRACE
    while not _has_exited(process.pid) and time.monotonic() < deadline:
        time.sleep(_LOOK_AGAIN)
    with gone:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _has_exited(pid: int) -> bool:
    """Whether a child has exited, which it still has to be reaped for. Never yes where the system cannot tell."""
    if not hasattr(os, "waitid"):
        return False
    return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is not None
