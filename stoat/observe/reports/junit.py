"""JUnit XML as test runners write it → cases, one at a time: memory stays small whatever the size of a report.

Read element by element, and nothing is kept but the case at hand: what a test printed is not even looked at. A
report never needs a DTD, so one that has it is refused, and with it entities, outside files and their bombs. Which
scenario a case is says `junit_names.py`.

| in the case                                | means                                                  |
|--------------------------------------------|--------------------------------------------------------|
| `failure`, `error`                         | failed                                                 |
| `rerunFailure`, `rerunError` beside it     | its later attempts, which failed too                   |
| `flakyFailure`, `flakyError` without it    | failed attempts before one that passed                 |
| `skipped`, or a status that says so        | skipped                                                |

A suite that says more failures than it shows has a failed case of its own, one that says more tests an undecided one.
In a report of Go's, where a package has every name once, a name again is a later attempt (`gotestsum --rerun-fails`).
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import ParseError

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import XMLParser

from stoat import clock
from stoat.clock import Time
from stoat.observe.reports import junit_names
from stoat.observe.reports.cases import (
    MAX_TEXT,
    Attempt,
    Case,
    Outcome,
    Suite,
    contradiction,
    message,
    milliseconds,
    name,
)
from stoat.observe.reports.trouble import Trouble
from stoat.plan.specs import FINISHED_PROPERTY, SPEC_PROPERTY, WHOLE_RUN

CHUNK = 1 << 16
MAX_DEPTH = 100
MAX_TAG = 8 << 20
"""Bytes of one tag with its attributes. More is no report, and could only be held in memory whole."""

_BAD = {"failure", "error"}
_FLAKY = {"flakyFailure", "flakyError"}
_RERUN = {"rerunFailure", "rerunError"}
_MARKS = _BAD | _FLAKY | _RERUN | {"skipped"}
_UNREAD = {"system-out", "system-err"}
_SKIPPED = {"skipped", "notrun", "disabled", "ignored"}
_RED = {"failed", "error", "failure", "broken", "timedout"}
_OPEN: dict[str, Outcome] = {"aborted": "unknown", "unfinished": "unfinished"}
"""Statuses of a skipped case by which Stoat's own export says that nobody knows."""
_DECIMAL_COMMA = re.compile(r"\d+,(?!\d{3}\b)\d+")
_PYTESTS = {"name", "errors", "failures", "skipped", "tests", "time", "timestamp", "hostname"}
_CATCH2 = "tbd"
"""The `hostname` of Catch2, whose `tests` are assertions."""
_INCORRECT = "encoding specified in XML declaration is incorrect"


def read(file: Path) -> Iterator[Suite | Case]:
    """What a report says: a Suite for every outermost suite as it begins, and every case as it ends.

    Trouble, with the line and what to do, for what is not JUnit XML or tries what a report never needs. OSError.
    """
    report = _Report(file.stem)
    parser = XMLParser(target=report, forbid_dtd=True)
    expat = report.expat = parser.parser
    fed = 0
    try:
        with file.open("rb") as source:
            while chunk := source.read(CHUNK):
                fed += len(chunk)
                parser.feed(chunk)
                if fed - expat.CurrentByteIndex > MAX_TAG:
                    raise Trouble(*_here(expat), f"has a tag of more than {MAX_TAG >> 20} MB", "no report needs that")
                yield from report.taken()
        parser.close()
        yield from report.taken()
    except ParseError as broken:
        raise _broken(broken, fed) from None
    except DefusedXmlException as hostile:
        what = type(hostile).__name__.removesuffix("Forbidden")
        raise Trouble(*_here(expat), f"declares {'a ' if what == 'DTD' else ''}{what}",
                      "no report needs that; it is not read") from None  # fmt: skip
    except (LookupError, ValueError) as unknown:
        raise Trouble(*_here(expat), f"is in an encoding that cannot be read: {unknown}", "write it as UTF-8") from None


def _broken(broken: ParseError, fed: int) -> Trouble:
    line, column = broken.position
    why = str(broken).partition(": line ")[0]
    if not fed:
        return Trouble(1, 1, "is not XML: it is empty", "see whether the runner ended before it wrote its report")
    if why in ("no element found", "unclosed token", "unclosed CDATA section"):
        return Trouble(line, column + 1, f"is not XML: it ends before its report does ({why})",
                       "it was cut off: see how the run ended, and give the whole file")  # fmt: skip
    do = "declare the encoding that it is written in" if _INCORRECT in why else "give the runner's JUnit file"
    return Trouble(line, column + 1, f"is not XML: {why}", do)


def _here(expat: Any) -> tuple[int, int]:
    return expat.CurrentLineNumber, expat.CurrentColumnNumber + 1


@dataclass
class _Suite:
    """An open suite: what it said of itself, and what was seen below it. Go's failures wait for its end.

    `tests` is None where the writer counts something else than cases by it. With `subtests` it counts those that passed
    too, which leave no other trace: nobody can tell them from cases that are missing, but for those that are missing
    all, or that were skipped. Every failed attempt is one of the `red`, every attempt one of the `cases`: some writers
    count those.
    """

    name: str
    declared: int
    tests: int | None = None
    off: int = 0
    subtests: bool = False
    red: int = 0
    cases: int = 0
    skipped: int = 0
    go: bool = False
    finished: bool = True
    waiting: dict[str, Case] = field(default_factory=dict)


class _Report:
    """What the XML parser calls. It keeps the open suites and the open case, and lets go of what was `taken`."""

    def __init__(self, stem: str) -> None:
        self.stem = stem
        self.expat: Any = None
        self._out: list[Suite | Case] = []
        self._depth = 0
        self._suites: list[_Suite] = []
        self._at: Time | None = None
        self._case: dict[str, str] | None = None
        self._specs: list[str] = []
        self._marks: list[tuple[str, str, str]] = []
        self._mark: tuple[str, str] | None = None
        self._property: str | None = None
        self._text: list[str] = []
        self._room = 0

    def taken(self) -> list[Suite | Case]:
        """All that was read since it was asked for last."""
        taken, self._out = self._out, []
        return taken

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """An element begins."""
        tag = tag.rpartition("}")[2]
        self._depth += 1
        if self._depth == 1 and tag not in ("testsuites", "testsuite"):
            raise Trouble(*_here(self.expat), f"is no JUnit report: it begins with <{name(tag)}>",
                          "give the runner's JUnit file")  # fmt: skip
        if self._depth > MAX_DEPTH:
            raise Trouble(*_here(self.expat), f"is nested deeper than {MAX_DEPTH}", "no report needs that")
        if tag in ("testsuite", "testsuites"):
            self._begin(tag, attributes)
        elif tag == "testcase":
            if self._case is not None:
                raise Trouble(*_here(self.expat), "has a test case within a test case", "give the runner's JUnit file")
            self._case, self._specs, self._marks = attributes, [], []
        elif tag in _MARKS:
            self._mark = (tag, attributes.get("message") or attributes.get("type") or "")
            self._listen()
        elif tag == "property":
            self._properties(attributes)
        elif tag == "stackTrace" and self._mark is not None:
            self._listen()
        elif tag in _UNREAD:
            self.expat.CharacterDataHandler = None

    def end(self, tag: str) -> None:
        """An element ends."""
        tag = tag.rpartition("}")[2]
        self._depth -= 1
        if tag in _UNREAD:
            self.expat.CharacterDataHandler = self.data
        elif tag == "stackTrace":
            self._room = 0
        elif tag in _MARKS and self._mark is not None:
            if self._case is not None:
                self._marks.append((tag, self._mark[1], self._heard()))
            elif tag in _BAD and self._suites:
                self._suites[-1].declared += 1
            self._mark = None
        elif tag == "property" and self._property is not None:
            self._specs.append(self._property or self._heard().strip())
            self._property = None
        elif tag == "testcase" and self._case is not None:
            self._finish(self._case)
            self._case = None
        elif tag in ("testsuite", "testsuites"):
            self._close(self._suites.pop())

    def data(self, text: str) -> None:
        """Text. It is kept only where something listens, and so much as a message may have."""
        if self._room > 0:
            self._text.append(text)
            self._room -= len(text)

    def _listen(self) -> None:
        self._text, self._room = [], MAX_TEXT + 1

    def _heard(self) -> str:
        text, self._text, self._room = "".join(self._text), [], 0
        return text

    def _begin(self, tag: str, attributes: dict[str, str]) -> None:
        declared = sum(_count(attributes, counted) for counted in ("failures", "errors"))
        off = sum(_count(attributes, counted) for counted in ("skipped", "disabled"))
        started = _time(attributes.get("timestamp", ""))
        self._at = started or self._at
        known = any(suite.name for suite in self._suites)
        tests = None if attributes.get("hostname") == _CATCH2 else _count(attributes, "tests")
        subtests = _is_pytests(attributes, self._suites)
        suite = _Suite(attributes.get("name", ""), declared, tests, off, subtests)
        self._suites.append(suite)
        if not known and (suite.name or started):
            self._out.append(Suite(name(suite.name), started))

    def _properties(self, attributes: dict[str, str]) -> None:
        said = attributes.get("name", "")
        if said == "go.version" and self._suites:
            self._suites[-1].go = True
        elif said == FINISHED_PROPERTY and self._suites:
            self._suites[-1].finished = attributes.get("value") != "false"
        elif said == SPEC_PROPERTY and self._case is not None:
            self._property = attributes.get("value", "")
            self._listen()

    def _finish(self, written: dict[str, str]) -> None:
        suite = self._suites[-1]
        attempts = _attempts(self._marks, written.get("status", "").lower(), written.get("result", "").lower(),
                             _seconds(written.get("time", "")))  # fmt: skip
        names = junit_names.Written(suite.name, written.get("classname", ""), written.get("name", ""),
                                    written.get("status", ""), tuple(self._specs))  # fmt: skip
        known = junit_names.named(names, self.stem)
        case = Case(known.feature, known.scenario, attempts, row=known.row, at=self._at,
                    spelled=partial(junit_names.spelled, names, known))  # fmt: skip
        if not suite.finished and case.scenario == WHOLE_RUN:
            # An error to others; that nobody knows how a run would have ended is no red.
            attempts = (*attempts[:-1], attempts[-1]._replace(outcome="unknown"))
            case = case._replace(attempts=attempts)
        failed = attempts[-1].outcome == "failed"
        skips = sum(mark[0] == "skipped" for mark in self._marks)
        marked = len(self._marks) - skips
        for above in self._suites:
            above.red += max(failed, marked)
            above.cases += max(len(attempts), marked, 1)
            above.skipped += max(attempts[-1].outcome not in ("passed", "failed"), skips)
        earlier = suite.waiting.pop(case.uid, None) if suite.go else None
        if earlier is not None:
            case = case._replace(attempts=earlier.attempts + attempts)
        if suite.go and failed:
            suite.waiting[case.uid] = case
        else:
            self._out.append(case)

    def _close(self, suite: _Suite) -> None:
        self._out.extend(suite.waiting.values())
        shown = suite.cases + max(0, suite.off - suite.skipped)
        if suite.subtests and suite.cases and suite.off <= suite.skipped:
            shown = max(shown, suite.tests or 0)
            for above in self._suites:
                above.cases += max(0, shown - suite.cases)
        last = contradiction(suite.declared, suite.red, suite.tests or 0, shown)
        if last is None:
            return
        feature = name(suite.name) or name(self.stem)
        self._out.append(Case(feature, "(the suite itself)", (last,), at=self._at))
        for above in self._suites:
            above.red += max(0, suite.declared - suite.red)
            above.cases += max(0, (suite.tests or 0) - suite.cases)


def _count(attributes: dict[str, str], counted: str) -> int:
    with contextlib.suppress(ValueError):
        return max(0, int(attributes.get(counted, "0")))
    return 0


def _is_pytests(attributes: dict[str, str], above: list[_Suite]) -> bool:
    """Whether pytest wrote this suite: it has all that pytest always writes, and its name or its root has pytest's."""
    named = attributes.get("name") == "pytest" or any(suite.name == "pytest tests" for suite in above)
    return named and attributes.keys() >= _PYTESTS


def _attempts(marks: list[tuple[str, str, str]], status: str, result: str, took: float | None) -> tuple[Attempt, ...]:
    """The attempts of a case in their order: what failed before, what decides, and what was tried after it."""
    said = {tag for tag, _, _ in marks}
    last: Outcome = "passed"
    if said & _BAD or status in _RED:
        last = "failed"
    elif "skipped" in said or status in _SKIPPED or result in _SKIPPED:
        last = _OPEN.get(status, "skipped")
    elif said & _RERUN:
        last = "failed"
    before = [Attempt("failed", None, _said(mark)) for mark in marks if mark[0] in _FLAKY]
    after = [Attempt("failed", None, _said(mark)) for mark in marks if mark[0] in _RERUN]
    deciding = [_said(mark) for mark in marks if mark[0] in (_BAD if last == "failed" else {"skipped"})]
    why = message("\n".join(filter(None, deciding)))
    if last == "failed" and after:
        first = [Attempt("failed", None, why)] if said & _BAD else []
        chain = [*before, *first, *after]
        return (*chain[:-1], chain[-1]._replace(milliseconds=milliseconds(took)))
    return (*before, Attempt(last, milliseconds(took), why))


def _said(mark: tuple[str, str, str]) -> str:
    _, short, text = mark
    text = text.strip("\r\n").rstrip()
    return text if short.strip() in text else f"{short}\n{text}" if text else short


def _seconds(written: str) -> float | None:
    with contextlib.suppress(ValueError):
        return float(written.replace(",", "." if _DECIMAL_COMMA.fullmatch(written) else ""))
    return None


def _time(written: str) -> Time | None:
    with contextlib.suppress(ValueError, OverflowError):
        return clock.text(clock.parse(written))
    return None
