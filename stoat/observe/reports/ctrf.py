"""CTRF (ctrf.io's JSON) → cases, one at a time.

A test's name is its scenario and its suite the feature. `retryAttempts` are the attempts before the last one; some
writers list the last one there too, which is told from the numbers. `pending` is a test that was not run, as `skipped`
is, unless its `rawStatus` says that it was begun; `other` is neither red nor green.

A report whose summary says more failures than it shows has a failed case for it, one that says more tests, or that the
run did not finish (`extra.finished`, as Stoat's own export has it), an undecided one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from stoat import clock
from stoat.clock import Time
from stoat.observe.reports import json_text
from stoat.observe.reports.cases import (
    Attempt,
    Case,
    Line,
    Outcome,
    Suite,
    contradiction,
    message,
    name,
)
from stoat.observe.reports.trouble import Trouble
from stoat.plan.specs import WHOLE_RUN, own_names

BEGUN = "unfinished"
"""The rawStatus of a pending test that had begun."""

_OF_THE_RUN = {
    "extra.finished", "results.summary.tests", "results.summary.failed", "results.summary.skipped",
    "results.summary.pending",
}  # fmt: skip
_OUTCOMES: dict[str, Outcome] = {
    "passed": "passed", "failed": "failed", "skipped": "skipped", "pending": "skipped", "other": "unknown",
}  # fmt: skip
_STEP_STATUS = {"passed": "Passed", "failed": "Failed", "skipped": "Skipped", "pending": "Pending", "other": "Unknown"}


def read(file: Path) -> Iterator[Suite | Case]:
    """What a report says: its Suite first, then every test. Trouble for what is no CTRF. OSError."""
    import ijson

    suite = _suite(file)
    yield suite
    said: dict[str, Any] = {}
    shown: Counter[str] = Counter()
    for number, test in enumerate(ijson.items(_overheard(file, said), "results.tests.item"), 1):
        case = _case(test, number)
        shown[test["status"]] += 1
        shown[case.scenario] += case.scenario == WHOLE_RUN
        yield case
    last = _whole_run(said, shown)
    if last is not None:
        yield Case(suite.name or name(file.stem), WHOLE_RUN, (last,), at=suite.started)


def _overheard(file: Path, said: dict[str, Any]) -> Iterator[tuple[str, str, Any]]:
    """All of the report, and what it says of the whole run put into `said`: that may be before its tests or after."""
    for prefix, event, value in json_text.events(file):
        if prefix in _OF_THE_RUN:
            said[prefix.rpartition(".")[2]] = value
        yield prefix, event, value


def _whole_run(said: dict[str, Any], shown: Counter[str]) -> Attempt | None:
    """What the report comes to by what it says of the whole run, beside its tests; None for nothing more."""
    tests, failed, off = (_whole(said.get(counted)) or 0 for counted in ("tests", "failed", "skipped"))
    seen = sum(shown[status] for status in _OUTCOMES)
    off += (_whole(said.get("pending")) or 0) - shown["skipped"] - shown["pending"]
    last = contradiction(failed, shown["failed"], tests, seen + max(0, off))
    if last is None and said.get("finished") is False and not shown[WHOLE_RUN]:
        return Attempt("unknown", None, "the run did not finish")
    return last


def _suite(file: Path) -> Suite:
    """The tool and the start; the report is not read further than where both are known."""
    tool, started, found = "", None, False
    for prefix, event, value in json_text.events(file):
        if prefix == "" and event in ("start_array", "string", "number", "boolean", "null"):
            break
        if prefix == "reportFormat" and value != "CTRF":
            raise Trouble(0, 0, f"is no CTRF report: its reportFormat is {name(value)!r}", "see --format")
        if prefix == "results.tool.name" and isinstance(value, str):
            tool = name(value)
        elif prefix == "results.summary.start":
            started = _time(value)
        elif prefix == "results.tests" and event == "start_array":
            found = True
            break
    if not found:
        raise Trouble(0, 0, "is no CTRF report: it has no results.tests", "see --format")
    return Suite(tool, started)


def _case(test: Any, number: int) -> Case:
    if not isinstance(test, dict) or not isinstance(test.get("name"), str) or test.get("status") not in _OUTCOMES:
        raise Trouble(0, 0, f"is no CTRF report: results.tests[{number - 1}] has no name or no known status",
                      "see ctrf.io for the form of a test")  # fmt: skip
    suites = _suites(test.get("suite"))
    outcome = _OUTCOMES[test["status"]]
    if test["status"] == "pending" and test.get("rawStatus") == BEGUN:
        outcome = "unfinished"
    last = Attempt(outcome, _whole(test.get("duration")) if outcome != "unfinished" else None, _why(test))
    steps = tuple(_line(step) for step in _list(test.get("steps")))
    feature = name(suites[0] if suites else test.get("filePath") or "")
    return Case(
        feature, name(" > ".join((*suites[1:], test["name"]))) or "(unnamed)", (*_before(test), last), steps,
        at=_time(test.get("start")),
        spelled=partial(_spelled, suites, test["name"], test.get("filePath"), test.get("extra")),
    )  # fmt: skip


def _before(test: dict[str, Any]) -> tuple[Attempt, ...]:
    """The attempts before the last one, in their order."""
    retries = _whole(test.get("retries"))
    told = [one for one in _list(test.get("retryAttempts")) if one.get("status") in _OUTCOMES]
    told.sort(key=lambda one: _whole(one.get("attempt")) or 0)
    numbers = [_whole(one.get("attempt")) for one in told]
    last = retries + 1 if retries is not None else None
    if told and (numbers[-1] == last or (last is None and test.get("status") == "passed" == told[-1]["status"])):
        told.pop()
    before = [Attempt(_OUTCOMES[one["status"]], _whole(one.get("duration")), _why(one)) for one in told]
    while retries is not None and len(before) < min(retries, 100):
        before.append(Attempt("failed"))
    return tuple(before)


def _why(said: dict[str, Any]) -> str | None:
    short, trace = (said[key] if isinstance(said.get(key), str) else "" for key in ("message", "trace"))
    return message(trace if short.strip() in trace else f"{short}\n{trace}" if trace else short)


def _line(step: dict[str, Any]) -> Line:
    extra = step["extra"] if isinstance(step.get("extra"), dict) else {}
    status = _STEP_STATUS.get(str(step.get("status")), "Unknown")
    raw = extra.get("status")
    return Line(
        name(extra.get("kind", "")), name(step.get("name", "")), name(raw) if raw else status,
        _whole(extra.get("durationMs")), message(extra.get("errorMessage")),
    )  # fmt: skip


def _suites(written: Any) -> tuple[str, ...]:
    if isinstance(written, str):
        return (written,) if written else ()
    return tuple(part for part in _list(written, str) if part)


def _spelled(suites: tuple[str, ...], title: str, path: Any, extra: Any) -> set[str]:
    """A test by each of its suites, with and without those around it, by its file, and by the id of Stoat's export."""
    known = {f"{path}/{title}"} if isinstance(path, str) else set()
    uid = extra.get("uid") if isinstance(extra, dict) else None
    if isinstance(uid, str):
        known |= set(own_names("", uid))
    for depth, suite in enumerate(suites):
        inner = " > ".join((*suites[depth + 1 :], title))
        known |= {f"{suite}/{title}", f"{suite}/{inner}", f"{' > '.join(suites[: depth + 1])}/{inner}"}
    return known


def _list(value: Any, kind: type = dict) -> list[Any]:
    return [item for item in value if isinstance(item, kind)] if isinstance(value, list) else []


def _whole(value: Any) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 2**53:
        return None
    return round(value)


def _time(value: Any) -> Time | None:
    """Milliseconds since 1970; None for none, and for 0, which many write for "not known"."""
    number = _whole(value)
    if not number or number > 253_402_300_799_000:
        return None
    return clock.since_epoch(number / 1000)
