"""Writing loose objects: whole or not at all, and on the disk before the ref moves.

A file per object and an fsync for each would cost more than the whole of `git commit`. On ext4 and XFS the objects are
only written out (sync_file_range) and the one fsync of the ref, which follows (refs.settle), commits the one journal
that has their names and sizes: what git calls core.fsyncMethod=batch. Everywhere else each file and directory is
fsynced.
"""

from __future__ import annotations

# ruff: noqa: PTH102, PTH105, PTH108, PTH116 -- a Path for each object costs as much as writing it
import ctypes
import hashlib
import os
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import NamedTuple, cast

_ONE_JOURNAL = {"ext3", "ext4", "xfs"}
_START, _START_AND_WAIT = 2, 7  # SYNC_FILE_RANGE_WRITE, and the same with a wait before and after


class Loose(NamedTuple):
    """An object as it lies in its file: id (hex) and compressed bytes."""

    oid: str
    data: bytes


def loose(kind: bytes, content: bytes) -> Loose:
    """Content as a loose object. Trees are stored as they are: ids do not compress, and packing sees to the rest."""
    whole = b"%b %d\0%b" % (kind, len(content), content)
    return Loose(hashlib.sha1(whole).hexdigest(), zlib.compress(whole, 0 if kind == b"tree" else 1))


def put(directory: Path, objects: Iterable[Loose], sync: bool) -> None:
    """Write objects into the object directory; those that are there already stay. OSError when it cannot be done."""
    with putting(directory, objects, sync):
        pass


@contextmanager
def putting(directory: Path, objects: Iterable[Loose], sync: bool) -> Iterator[None]:
    """As `put`, with room for other work while the disk writes: only at the end of the block they are on it."""
    descriptors: list[int] = []
    folders: set[str] = set()
    try:
        for each in objects:
            folder = f"{directory}/{each.oid[:2]}"
            descriptors.append(_put(str(directory), folder, each))
            folders.add(folder)
        started = sync and one_journal(directory) and _write_out(descriptors, _START)
        yield
        if sync and not (started and _write_out(descriptors, _START_AND_WAIT)):
            _flush(directory, descriptors, folders)
    finally:
        for descriptor in descriptors:
            os.close(descriptor)


def present(directory: Path, each: Loose) -> bool:
    """Whether the object's file is there and as long as it should be."""
    try:
        return os.stat(f"{directory}/{each.oid[:2]}/{each.oid[2:]}").st_size == len(each.data)
    except OSError:
        return False


def absent(directory: Path, objects: Sequence[Loose]) -> list[Loose]:
    """Those of the objects whose own loose file is not there."""
    return [each for each in objects if not present(directory, each)]


def _put(directory: str, folder: str, each: Loose) -> int:
    """Write one object under a name that nobody sees, then link it; gives the open file."""
    path = f"{folder}/{each.oid[2:]}"
    descriptor, temporary = _unnamed(directory)
    try:
        view = memoryview(each.data)
        while view:
            view = view[os.write(descriptor, view) :]
        for _ in range(5):
            try:
                _link(descriptor, temporary, path)
                break
            except FileExistsError:
                if os.stat(path).st_size >= len(each.data):
                    break
                # Only a crash leaves a shorter file under this name; the whole object takes its place.
                _replace(descriptor, temporary, path)
                break
            except FileNotFoundError:
                # Git removes empty folders while it packs, even between these two calls.
                with suppress(FileExistsError):
                    os.mkdir(folder)
        else:
            raise FileNotFoundError(2, "the folder of a new object does not stay", path)
    except BaseException:
        os.close(descriptor)
        raise
    finally:
        if temporary:
            with suppress(FileNotFoundError):
                os.unlink(temporary)
    return descriptor


def _unnamed(directory: str) -> tuple[int, str]:
    """A new file in the object directory: without a name where the system can, else under git's temporary name."""
    with suppress(OSError, AttributeError):
        return os.open(directory, os.O_RDWR | os.O_TMPFILE | os.O_CLOEXEC, 0o444), ""
    temporary = f"{directory}/tmp_obj_{os.urandom(8).hex()}"
    return os.open(temporary, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o444), temporary


def _link(descriptor: int, temporary: str, path: str) -> None:
    if temporary:
        os.link(temporary, path)
    else:
        # src_dir_fd makes Python call linkat, the only one that follows the link in /proc to the open file.
        os.link(f"/proc/self/fd/{descriptor}", path, src_dir_fd=descriptor, follow_symlinks=True)


def _replace(descriptor: int, temporary: str, path: str) -> None:
    if not temporary:
        temporary = f"{path}.{os.urandom(4).hex()}"
        _link(descriptor, "", temporary)
    os.replace(temporary, path)


def one_journal(directory: Path) -> bool:
    """Whether one fsync, of anything written later, also makes what is put into this object directory durable."""
    return _writer_out() is not None and _file_system(os.stat(directory).st_dev) in _ONE_JOURNAL


def _flush(directory: Path, descriptors: list[int], folders: set[str]) -> None:
    for descriptor in descriptors:
        os.fsync(descriptor)
    for folder in (*sorted(folders), str(directory)) if descriptors else ():
        opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)


def _write_out(descriptors: list[int], how: int) -> bool:
    """Have the system write the files' bytes out (sync_file_range); whether it took all of them."""
    call = _writer_out()
    return call is not None and all([call(descriptor, 0, 0, how) == 0 for descriptor in descriptors])


@cache
def _writer_out() -> Callable[[int, int, int, int], int] | None:
    try:
        call = ctypes.CDLL(None, use_errno=True).sync_file_range
    except (AttributeError, OSError):
        return None
    call.argtypes = [ctypes.c_int, ctypes.c_int64, ctypes.c_int64, ctypes.c_uint]
    return cast("Callable[[int, int, int, int], int]", call)


@cache
def _file_system(device: int) -> str:
    """The type of the file system with that device number; nothing when the system does not say."""
    wanted = f"{os.major(device)}:{os.minor(device)}"
    with suppress(OSError, ValueError):
        for line in Path("/proc/self/mountinfo").read_text(encoding="utf-8", errors="replace").splitlines():
            fields = line.split(" ")
            if fields[2] == wanted:
                return fields[fields.index("-") + 1]
    return ""
