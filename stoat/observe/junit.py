"""JUnit XML as test runners write it: its counts, and what it says about the scenarios that somebody waits for.

A test case is a scenario `{Feature}/{Scenario}` when one of these spells it:

    property     a `<property name="stoat.spec" value="Feature/Scenario"/>` of the case
    class name   `classname` and `name`, and what follows any dot of `classname` (behave writes `file.Feature`)
    suite        the `name` of the enclosing `<testsuite>` and the case's `name`

and the same with a trailing `[…]` of the case's name left out, so that every row of a table counts as its scenario.
Several cases of one scenario are green only together; one that was skipped says nothing.
"""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO
from xml.etree.ElementTree import Element, ParseError

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import iterparse

from stoat.errors import Invalid, Problem

SPEC_PROPERTY = "stoat.spec"
_BAD = {"failure", "error"}


@dataclass
class Results:
    """What one or more reports add up to. `seconds` is the sum of the cases' times, None when none said it."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0
    seconds: float | None = None
    green: set[str] = field(default_factory=set)
    red: set[str] = field(default_factory=set)

    @property
    def total(self) -> int:
        """How many test cases there were."""
        return self.passed + self.failed + self.skipped


def read(files: Collection[Path], wanted: Collection[str] = ()) -> Results:
    """Add up reports, and tell the `wanted` scenarios apart: `green` and `red`; those in neither were not run.

    Invalid, naming the file and the line, for what is not JUnit XML or tries what a report never needs (DTDs,
    entities). Memory stays small whatever the size of a report.
    """
    results = Results()
    problems = []
    for file in files:
        try:
            with file.open("rb") as source:
                _add(results, source, frozenset(wanted))
        except ParseError as broken:
            line, column = broken.position
            problems.append(Problem(line, column + 1, f"{file}: is not XML: {broken}", "give the runner's JUnit file"))
        except DefusedXmlException as hostile:
            what = f"{file}: declares {type(hostile).__name__.removesuffix('Forbidden') or 'a DTD'}"
            problems.append(Problem(0, 0, what, "no report needs that; it is not read"))
        except _NotJUnit as other:
            problems.append(Problem(1, 1, f"{file}: is no JUnit report: {other}", "give the runner's JUnit file"))
        except OSError as failed:
            problems.append(Problem(0, 0, f"{file}: cannot be read: {failed.strerror}", "see that it is there"))
    if problems:
        raise Invalid(problems)
    results.green -= results.red
    return results


class _NotJUnit(Exception):
    pass


def _add(results: Results, source: IO[bytes], wanted: frozenset[str]) -> None:
    above: list[Element] = []
    suites: list[str] = []
    for event, element in iterparse(source, events=("start", "end"), forbid_dtd=True):
        name = element.tag.rpartition("}")[2]
        if event == "start":
            if not above and name not in ("testsuites", "testsuite"):
                raise _NotJUnit(f"it begins with <{name}>")
            above.append(element)
            if name == "testsuite":
                suites.append(element.get("name", ""))
            continue
        above.pop()
        if name == "testsuite":
            suites.pop()
        elif name == "testcase":
            _case(results, element, suites[-1] if suites else "", wanted)
        if above and name not in ("property", "properties", *_BAD, "skipped"):
            # What was read is let go of at once, or a report of 100 MB would be a tree of 1 GB.
            above[-1].remove(element)
        elif name in _BAD:
            element.text = None


def _case(results: Results, case: Element, suite: str, wanted: frozenset[str]) -> None:
    marks = {child.tag.rpartition("}")[2] for child in case}
    bad = bool(marks & _BAD)
    skipped = not bad and "skipped" in marks
    results.failed += bad
    results.skipped += skipped
    results.passed += not bad and not skipped
    with contextlib.suppress(ValueError):
        results.seconds = (results.seconds or 0.0) + float(case.get("time", "").replace(",", ""))
    if wanted and not skipped:
        (results.red if bad else results.green).update(spec for spec in _spelled(case, suite) if spec in wanted)


def _spelled(case: Element, suite: str) -> Iterator[str]:
    for found in case.iter():
        if found.tag.rpartition("}")[2] == "property" and found.get("name") == SPEC_PROPERTY:
            yield found.get("value") or (found.text or "").strip()
    written = case.get("name", "")
    whole_class = case.get("classname", "")
    for name in {written, written.partition("[")[0].rstrip() if written.endswith("]") else written}:
        yield f"{suite}/{name}"
        yield f"{whole_class}/{name}"
        start = whole_class.find(".")
        while start >= 0:
            yield f"{whole_class[start + 1 :]}/{name}"
            start = whole_class.find(".", start + 1)
