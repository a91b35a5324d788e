"""One thing that a rule found wrong, and the field it is about."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterator
from typing import NamedTuple

from stoat.plan.characters import FORBIDDEN

Path = tuple[str | int, ...]
"""The way to a field from the top of a plan's document: `("nodes", 3, "steps", 0, "cwd")`."""

_MOST_OPTIONS = 500


class Finding(NamedTuple):
    """What is wrong at `path`, and what to do. With `at_key` it is about the field's being there, not its value.

    A path may name what is missing: its place is then that of the nearest thing around it that is there.
    """

    path: Path
    what: str
    do: str = ""
    at_key: bool = False


def did_you_mean(word: str, options: Collection[str]) -> str | None:
    """The question that names the option nearest to `word`, if one is near; None also where it would take long."""
    if len(options) > _MOST_OPTIONS:
        return None
    near = difflib.get_close_matches(word, options, n=1)
    return f"did you mean {near[0]!r}?" if near else None


def listed(words: Collection[str]) -> str:
    """Words for a sentence: `a, b or c`."""
    *most, last = words
    return f"{', '.join(most)} or {last}" if most else last


def one_of(path: Path, value: str | None, options: Collection[str]) -> Iterator[Finding]:
    """A value that is set must be one of the options."""
    if value is not None and value not in options:
        field = path[-1]
        yield Finding(path, f"{value!r} is no {field}", did_you_mean(value, options) or f"write {listed(options)}")


def one_line(path: Path, value: str | None) -> Iterator[Finding]:
    """A text that is shown in one line must be one."""
    if value is not None and ("\n" in value or "\t" in value):
        yield Finding(path, f"`{path[-1]}` goes over more than one line", "write it in one line, without tabs")


def one_word(path: Path, value: str | None) -> Iterator[Finding]:
    """A name has no white space in it."""
    if value is not None and len(value.split()) > 1:
        yield Finding(path, f"`{path[-1]}` has white space in it: {value!r}", "write one word")


def relative_path(path: Path, value: str | None) -> Iterator[Finding]:
    """A place in a repository: relative to its root, with forward slashes, never climbing out."""
    if value is None:
        return
    do = "write it relative to the repository's root"
    if "\\" in value:
        yield Finding(path, f"{value!r} has a backslash in it", "write forward slashes")
    elif value.startswith(("/", "~")) or value[1:2] == ":":
        yield Finding(path, f"{value!r} is not inside the repository", do)
    elif ".." in value.split("/"):
        yield Finding(path, f"{value!r} climbs out with '..'", do)
    else:
        yield from one_line(path, value)


def no_controls(path: Path, value: object) -> Iterator[Finding]:
    """No text anywhere in `value` holds a character that has no place in a plan."""
    if isinstance(value, str):
        if found := FORBIDDEN.search(value):
            what = f"the character U+{ord(found[0]):04X} cannot stand in a text"
            yield Finding(path, f"`{path[0]}`: {what}", "take it out")
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from no_controls((*path, key), key)
            yield from no_controls((*path, key), inner)
    elif isinstance(value, list | tuple):
        for index, inner in enumerate(value):
            yield from no_controls((*path, index), inner)
