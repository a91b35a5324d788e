"""Which scenario a JUnit test case is, as each tool writes it.

    property        a `<property name="stoat.spec" value="Feature/Scenario"/>` of the case says it
    behave          `classname` is `file.Feature`, rows of an outline end in ` -- @1.2 title`
    cucumber        `classname` is the feature, rows end in ` - #1.2: name` or ` - Examples - Example #1.2`
    jest-junit      `classname` and `name` both are the whole title; the suite is the outermost `describe`
    any other       `classname` and `name`, or the enclosing suite and `name`

Beside that one name a case goes by other spellings, under which a slice may wait for it: what follows any dot of the
feature (as in a run that publishes: docs/pytest.md), the enclosing suite, a title split at ` > `; each also without a
trailing `[…]`, so that every row of a parametrised test counts as its scenario.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from stoat.observe.reports.cases import name as _name
from stoat.plan.specs import shorter_names

_BEHAVE_ROW = re.compile(r"(.*?) -- @\d+(?:\.\d+)?\b.*")
_CUCUMBER_ROW = re.compile(r"(.*?)(?: - Examples)? - (?:Example )?#\d+(?:\.\d+)?(?:: .*)?")
_BEHAVE_STATUS = {
    "passed", "failed", "skipped", "untested", "undefined", "error", "hook_error", "cleanup_error", "pending",
    "pending_warn", "xfailed", "xpassed",
}  # fmt: skip
_FILE_PART = re.compile(r"[a-z0-9_\-]+")
_TITLES = (" > ", " › ")


class Written(NamedTuple):
    """What a report says of a case: the enclosing suite's name, the case's own attributes, its `stoat.spec`s."""

    suite: str
    classname: str
    name: str
    status: str = ""
    specs: tuple[str, ...] = ()


class Named(NamedTuple):
    """Feature and scenario, and `row` when it is one of several cases of it."""

    feature: str
    scenario: str
    row: str | None


def named(case: Written, stem: str) -> Named:
    """The scenario that a case is; `stem` is the report's file name without its end, which behave speaks through."""
    feature, scenario, row = _one(case, stem)
    return Named(_name(feature), _name(scenario) or "(unnamed)", row)


def spelled(case: Written, one: Named) -> frozenset[str]:
    """Every name that a spec may have for a case."""
    return frozenset(_spelled(case, f"{one.feature}/{one.scenario}"))


def _one(case: Written, stem: str) -> tuple[str, str, str | None]:
    if case.specs:
        feature, _, scenario = case.specs[0].partition("/")
        return feature, scenario, case.name
    if case.status in _BEHAVE_STATUS and case.classname == case.suite and "." in case.classname:
        found = _BEHAVE_ROW.fullmatch(case.name)
        return _behave_feature(case.classname, stem), found[1] if found else case.name, case.name if found else None
    feature = case.classname or case.suite
    if found := _CUCUMBER_ROW.fullmatch(case.name):
        return feature, found[1], case.name
    if case.classname == case.name and case.suite:
        return case.suite, case.name.removeprefix(f"{case.suite} "), None
    return feature, case.name, None


def _behave_feature(classname: str, stem: str) -> str:
    """`sub.parcels.Parcels v1.2` → `Parcels v1.2`: the file's part is in the report's name, or looks like it."""
    if stem.startswith("TESTS-") and classname.startswith(f"{stem[6:]}."):
        return classname[len(stem) - 5 :]
    parts = classname.split(".")
    at = 1
    while at < len(parts) - 1 and _FILE_PART.fullmatch(parts[at]):
        at += 1
    return ".".join(parts[at:])


def _spelled(case: Written, uid: str) -> Iterator[str]:
    yield uid
    yield from case.specs
    written = case.name
    if case.classname != uid.rpartition(f"/{written}")[0]:
        yield from shorter_names(case.classname, written)
    for name in {written, written.partition("[")[0].rstrip() if written.endswith("]") else written}:
        yield f"{case.suite}/{name}"
        yield f"{case.classname}/{name}"
        for between in _TITLES:
            at = name.find(between)
            while at >= 0:
                yield f"{name[:at]}/{name[at + len(between) :]}"
                at = name.find(between, at + 1)
