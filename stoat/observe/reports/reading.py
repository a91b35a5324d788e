"""Report files of one format as the events of one run, and which format a file is."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Literal, TypeVar, get_args

from stoat.errors import Invalid, Problem
from stoat.observe.reports import bobcat, cucumber, json_text, junit
from stoat.observe.reports import ctrf as ctrf_
from stoat.observe.reports.assembling import Assembly, Event, Opening
from stoat.observe.reports.cases import Case, Suite
from stoat.observe.reports.trouble import Trouble

Format = Literal["junit", "ctrf", "cucumber", "bobcat"]
_Said = TypeVar("_Said")
FORMATS: tuple[Format, ...] = get_args(Format)

_READERS: dict[Format, Callable[[Path], Iterator[Suite | Case]]] = {
    "cucumber": cucumber.read, "ctrf": ctrf_.read, "junit": junit.read,
}  # fmt: skip

_HEAD = 4096
_BOMS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")
_CTRF = re.compile(rb'\{\s*"(?:reportFormat"\s*:\s*"CTRF"|results"\s*:\s*\{\s*"tool"\s*:)')
_CUCUMBER = re.compile(rb'\{\s*"(?:meta|source|gherkinDocument|parseError|testRunStarted)"\s*:\s*\{')
_BOBCAT = re.compile(rb'\{(?=[^{}\n]*"runId"\s*:)(?=[^{}\n]*"type"\s*:\s*"[a-z_]+")')


def events(files: Sequence[Path], format: Format, opening: Opening, assembly: Assembly) -> Iterator[Event]:
    """All events of the run that these files report, lazily; `assembly` has the counts when they have all been taken.

    Invalid at the end of what can be read, with every problem of every file, each with its line and what to do. What
    came before that is nothing to be kept.
    """
    problems: list[Problem] = []
    if format == "bobcat":
        yield from _guarded(files[0], lambda file: bobcat.read(bobcat.only(files), opening), problems)
    else:
        for file in files:
            for said in _guarded(file, _READERS[format], problems):
                yield from assembly.take(said)
        if not problems:
            yield from assembly.end()
    if problems:
        raise Invalid(problems)


def recognised(file: Path) -> Format | None:
    """The format of a file where its first bytes leave no doubt, else None.

    Invalid where it cannot be read, and for one that is empty or cut off before its format shows.
    """
    try:
        with file.open("rb") as source:
            head = source.read(_HEAD)
    except OSError as failed:
        raise Invalid([_unreadable(file, failed)]) from None
    for bom in _BOMS:
        head = head.removeprefix(bom)
    head = head.replace(b"\0", b"").lstrip()
    if head.startswith(b"<"):
        return "junit"
    if _CTRF.match(head):
        return "ctrf"
    if _CUCUMBER.match(head):
        return "cucumber"
    if _BOBCAT.match(head):
        return "bobcat"
    if not head:
        raise Invalid([Problem(0, 0, f"{file}: is empty", "see whether the runner ended before it wrote its report")])
    if head.startswith(b"{") and (trouble := _cut_off(file)) is not None:
        raise Invalid([trouble.of(file)])
    return None


def _cut_off(file: Path) -> Trouble | None:
    """What is wrong with JSON that ends too early; None for any other text."""
    try:
        for _ in json_text.events(file):
            pass
    except Trouble as trouble:
        return trouble if trouble.what == json_text.ENDS else None
    except OSError as failed:
        raise Invalid([_unreadable(file, failed)]) from None
    return None


def _guarded(file: Path, read: Callable[[Path], Iterator[_Said]], problems: list[Problem]) -> Iterator[_Said]:
    try:
        yield from read(file)
    except Trouble as trouble:
        problems.append(trouble.of(file))
    except OSError as failed:
        problems.append(_unreadable(file, failed))


def _unreadable(file: Path, failed: OSError) -> Problem:
    return Problem(0, 0, f"{file}: cannot be read: {failed.strerror}", "see that it is there")
