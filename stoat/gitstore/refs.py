"""The ref itself: where it stands, and moving it by compare-and-swap.

Absent, unreadable and readable are three different things; only `absent` is None.
"""

from __future__ import annotations

# ruff: noqa: PTH115, PTH116, PTH208 -- hundreds of open files are looked at, and a Path for each costs more
import math
import os
import re
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from stoat.clock import duration_text
from stoat.errors import RefMoved, StoreUnreadable, Unreachable

if TYPE_CHECKING:
    import pygit2

REF = "refs/stoat/state"
LOCK = f"{REF}.lock"
SETTLED = 1.0
"""Seconds after which a lock file is not one that comes and goes, so that it is worth asking who has it."""

_LONGEST = 4096
_HEX = re.compile(rb"[0-9a-f]{40}")
_PACKED_LINE = re.compile(rb"#.*|\^[0-9a-f]{40}|[0-9a-f]{40} \S+.*|")
RESCUE = (
    f"nothing was changed; `git fsck --no-reflogs --lost-found` lists commits that no ref holds, "
    f"and `git update-ref {REF} COMMIT` puts one back"
)


class Blocked(Unreachable):
    """The ref is where it was and could not be moved: something is in the way, perhaps only for a moment.

    `age` is that of the lock file in the way, in seconds; endless when it is something else.
    """

    def __init__(self, message: str, hint: str | None, age: float) -> None:
        super().__init__(message, hint)
        self.age = age


def read_tip(common: Path) -> str | None:
    """The commit id that the ref holds, None when there is no such ref; StoreUnreadable for anything else."""
    path = f"{common}/{REF}"
    try:
        # Every append and every answer begins here: pathlib would cost as much as the three calls.
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            content = os.read(descriptor, _LONGEST)
        finally:
            os.close(descriptor)
    except FileNotFoundError:
        return _packed_tip(common)
    except IsADirectoryError:
        if any(file.is_file() for file in Path(path).rglob("*")):
            raise _unreadable("there are refs below it, so it cannot exist itself") from None
        return _packed_tip(common)
    except NotADirectoryError:
        raise _unreadable("a ref named refs/stoat is in its way") from None
    except OSError as error:
        raise _unreadable(f"{path} cannot be read ({error.strerror})") from error
    value = content.strip()
    if _HEX.fullmatch(value):
        return value.decode()
    if not value:
        raise _unreadable(f"its file {path} is empty, as after a power cut or a full disk")
    if value.startswith(b"ref:"):
        raise _unreadable(f"it is a symbolic ref to {value[4:].strip().decode('utf-8', 'replace')}")
    raise _unreadable(f"its file {path} does not hold a commit id")


def prepare(sync: bool) -> None:
    """Have libgit2 fsync the ref and its directory, or not. It asks once, when it first looks at a ref."""
    import pygit2

    pygit2.option(pygit2.enums.Option.ENABLE_FSYNC_GITDIR, sync)


def settle(common: Path) -> None:
    """Make a move that was made without libgit2's fsync durable, with everything journalled before it.

    One fsync of the ref's file: its rename is in that journal as well. Unreachable when the disk does not confirm it.
    """
    try:
        handle = os.open(common / REF, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return  # git packed the ref meanwhile, and made sure of what it wrote
    try:
        os.fsync(handle)
    except OSError as error:
        hint = f"look at the disk; what was appended shows in `git log {REF}` if it is there"
        raise Unreachable(f"{REF} moved, and the disk did not confirm it: {error.strerror}", hint) from error
    finally:
        os.close(handle)


def move(repository: pygit2.Repository, common: Path, old: str | None, new: str) -> None:
    """Move the ref from `old` (None: it must not exist) to `new`.

    RefMoved when it is no longer at `old`; Blocked when something else is in the way, which is then named.
    """
    import pygit2

    try:
        if old is None:
            repository.references.create(REF, new)
        else:
            reference = repository.references[REF]
            if str(reference.target) != old:
                raise RefMoved(f"{REF} moved")
            reference.set_target(new)
    except (pygit2.GitError, OSError, ValueError, KeyError) as error:
        # A lost race shows as any of these, depending on the moment; what the ref holds now tells it from trouble.
        tip = read_tip(common)
        if tip == new:
            return
        if tip != old:
            raise RefMoved(f"{REF} moved") from error
        raise _in_the_way(common, error) from error


def locked(common: Path) -> Blocked | None:
    """The lock file that keeps the ref where it is, with its age and whoever has it open; None when there is none."""
    for lock in (common / LOCK, common / "packed-refs.lock"):
        try:
            age = max(time.time() - lock.lstat().st_mtime, 0.0)
        except OSError:
            continue
        said = f"{REF} is locked by {lock}, which is {duration_text(age)} old"
        by_hand = "if no git or Stoat process is at work here, a crash left it behind and it can be removed by hand"
        who = openers(lock) if age >= SETTLED else None
        if who:
            return Blocked(f"{said}; {', '.join(who)} has it open", "wait for that process, or end it", age)
        if who is not None:
            said += "; no live process that can be seen here has it open"
        return Blocked(said, by_hand, age)
    return None


def openers(path: Path) -> list[str] | None:
    """The live processes that are seen to have the file open (`git, process 7`); None where that cannot be asked."""
    found = []
    try:
        wanted = path.stat()
        pids = [name for name in os.listdir("/proc") if name.isdigit()]
    except OSError:
        return None
    for pid in pids:
        # Processes come and go, and others' are not shown.
        with suppress(OSError):
            for handle in os.listdir(f"/proc/{pid}/fd"):
                link = f"/proc/{pid}/fd/{handle}"
                # By name first: to look at any file whatever may hang, where a network drive is gone.
                with suppress(OSError):
                    if path.name in os.readlink(link) and os.path.samestat(os.stat(link), wanted):
                        name = Path(f"/proc/{pid}/comm").read_text(encoding="utf-8", errors="replace").strip()
                        found.append(f"{name}, process {pid},")
                        break
    return found


def _in_the_way(common: Path, error: Exception) -> Blocked:
    """Why the ref could not be moved, and what to do: a lock file, or libgit2's own words."""
    lock = locked(common)
    if lock is not None:
        return lock
    if not os.access(common, os.W_OK):
        return Blocked(f"{common} is read-only for you, so nothing can be appended", None, math.inf)
    return Blocked(f"{REF} could not be moved: {error}", None, math.inf)


def _packed_tip(common: Path) -> str | None:
    path = common / "packed-refs"
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise _unreadable(f"{path} cannot be read ({error.strerror})") from error
    found = re.search(rb"^(.*) " + re.escape(REF.encode()) + rb"\r?$", content, re.MULTILINE)
    if found:
        if _HEX.fullmatch(found[1]):
            return found[1].decode()
        raise _unreadable(f"its line in {path} does not hold a commit id")
    for number, line in enumerate(content.split(b"\n"), 1):
        if not _PACKED_LINE.fullmatch(line):
            raise _unreadable(f"{path} is damaged in line {number}, so it may be listed there or not")
    return None


def _unreadable(why: str) -> StoreUnreadable:
    return StoreUnreadable(f"{REF} is there but cannot be read: {why}", RESCUE)
