"""A checkout as something to look up names in: bounded, read-only, and never out of it."""

from __future__ import annotations

import os
import posixpath
import stat
from itertools import islice
from pathlib import Path

from stoat.observe.projects.shell import is_sure

LONGEST_FILE = 1_000_000
"""Bytes of a file that is read; a longer one says nothing."""
MOST_NAMES = 2000
"""Entries of a directory that are looked at; one with more says nothing."""


class Checkout:
    """Directories and files below `top`, by their path from there with forward slashes (`""` is the top itself).

    What cannot be seen counts as there: only what is known to be missing is ever said to be.
    """

    def __init__(self, top: Path) -> None:
        self._top = top
        self._real = os.path.realpath(top)
        self._read: dict[str, bytes | None] = {}
        self._names: dict[str, tuple[str, ...] | None] = {}

    def place(self, cwd: str, name: str) -> str | None:
        """Where `name` is as seen from `cwd`; None when it is outside, or only a shell could tell."""
        if not is_sure(name) or name.startswith("/") or name[1:2] == ":" or "\\" in name:
            return None
        joined = posixpath.normpath(posixpath.join(cwd, name))
        return None if joined == ".." or joined.startswith("../") else "" if joined == "." else joined

    def has(self, place: str) -> bool:
        """Whether there is anything there, a broken link counting as nothing."""
        mode = self._mode(place)
        return mode is None or mode != 0

    def has_directory(self, place: str) -> bool:
        """Whether there is a directory there."""
        mode = self._mode(place)
        return mode is None or stat.S_ISDIR(mode)

    def has_file(self, place: str) -> bool:
        """Whether there is something there that is no directory."""
        mode = self._mode(place)
        return mode is None or (mode != 0 and not stat.S_ISDIR(mode))

    def read(self, place: str) -> bytes | None:
        """A plain file's content; None when it is not one, is too long, or leads out of the checkout."""
        if place not in self._read:
            self._read[place] = self._read_anew(place)
        return self._read[place]

    def names(self, place: str) -> tuple[str, ...] | None:
        """The names in a directory, sorted; None when it cannot be listed or has too many."""
        if place not in self._names:
            try:
                with os.scandir(self._top / place) as entries:
                    found = [entry.name for entry in islice(entries, MOST_NAMES + 1)]
                self._names[place] = tuple(sorted(found)) if len(found) <= MOST_NAMES else None
            except (OSError, ValueError):
                self._names[place] = None
        return self._names[place]

    def _mode(self, place: str) -> int | None:
        """What is there, 0 for nothing, None when that cannot be seen."""
        try:
            return (self._top / place).stat().st_mode
        except (FileNotFoundError, NotADirectoryError):
            return 0
        except (OSError, ValueError):
            return None

    def _read_anew(self, place: str) -> bytes | None:
        path = os.path.realpath(self._top / place)
        if os.path.commonpath((self._real, path)) != self._real:
            return None
        try:
            # What is no plain file may never end, or keep whoever opens it waiting.
            handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        except (OSError, ValueError):
            return None
        try:
            about = os.fstat(handle)
            if not stat.S_ISREG(about.st_mode) or about.st_size > LONGEST_FILE:
                return None
            with os.fdopen(handle, "rb", closefd=False) as file:
                data = file.read(LONGEST_FILE + 1)
        except OSError:
            return None
        finally:
            os.close(handle)
        return data if len(data) <= LONGEST_FILE else None


def above(place: str) -> list[str]:
    """A directory and those around it, up to the checkout's top."""
    found = [place]
    while found[-1]:
        found.append(posixpath.dirname(found[-1]))
    return found
