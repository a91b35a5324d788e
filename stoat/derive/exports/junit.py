"""A run as JUnit XML, as CI systems read it: a feature is a suite, a scenario a case, retries are as in Surefire.

JUnit has no word for "nobody knows": what was aborted or never ended is `skipped` with its reason, so that no CI shows
red what is not, and the case's `status` has the own word. A run that did not finish is in error all the same: all that
it shows may be green, and a report that ends is read as a whole one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import groupby
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from stoat.derive.exports import statuses
from stoat.plan.monitor.run import Run
from stoat.plan.monitor.scenario import Scenario
from stoat.plan.specs import FINISHED_PROPERTY, SPEC_PROPERTY, WHOLE_RUN

_UNFIT = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML has no way to write."""


def export(run: Run) -> bytes:
    """The document, UTF-8."""
    root = Element("testsuites", name=_fit(run.suite or run.mode or "stoat"))
    order = {one.uid: place for place, one in enumerate(run.scenarios.values())}
    first: dict[str, int] = {}
    for one in run.scenarios.values():
        first.setdefault(one.feature, order[one.uid])
    ordered = sorted(run.scenarios.values(), key=lambda one: (first[one.feature], order[one.uid]))
    for feature, scenarios in groupby(ordered, key=lambda one: one.feature):
        _suite(root, run, feature, list(scenarios))
    _count(root, run.scenarios.values())
    whole = statuses.of_whole(run)
    if whole is not None:
        _whole(root, run, whole)
    indent(root)
    body: bytes = tostring(root, encoding="utf-8")
    return b'<?xml version="1.0" encoding="UTF-8"?>\n' + body + b"\n"


def _suite(root: Element, run: Run, feature: str, scenarios: list[Scenario]) -> None:
    suite = SubElement(root, "testsuite", name=_fit(feature))
    _count(suite, scenarios)
    if run.started_at is not None:
        suite.set("timestamp", run.started_at)
    for one in scenarios:
        _case(suite, one)


def _count(element: Element, scenarios: Iterable[Scenario]) -> None:
    words = [statuses.of_scenario(one) for one in scenarios]
    element.set("tests", str(len(words)))
    element.set("failures", str(words.count("failed")))
    element.set("errors", "0")
    element.set("skipped", str(len(words) - words.count("failed") - words.count("passed")))
    element.set("time", _seconds(sum(one.current.duration_ms or 0 for one in scenarios)))


def _whole(root: Element, run: Run, whole: statuses.Whole) -> None:
    """A suite for what none of the run's scenarios shows."""
    counted = "errors" if not run.finished else "failures" if whole.status == "failed" else "skipped"
    root.set("tests", str(int(root.get("tests", "0")) + 1))
    root.set(counted, str(int(root.get(counted, "0")) + 1))
    suite = SubElement(root, "testsuite", name=_fit(run.suite or run.mode or "stoat"), tests="1", failures="0",
                       errors="0", skipped="0", time="0.000")  # fmt: skip
    suite.set(counted, "1")
    if not run.finished:
        SubElement(SubElement(suite, "properties"), "property", name=FINISHED_PROPERTY, value="false")
    case = SubElement(suite, "testcase", classname=suite.get("name", ""), name=WHOLE_RUN, time="0.000")
    if counted == "skipped":
        case.set("status", "aborted")
    _told(case, counted.removesuffix("s") if counted != "skipped" else counted, whole.message)


def _case(suite: Element, one: Scenario) -> None:
    case = SubElement(suite, "testcase", classname=_fit(one.feature), name=_fit(one.scenario))
    case.set("time", _seconds(one.current.duration_ms or 0))
    attempts = one.attempts
    if one.uid != (f"{one.feature}/{one.scenario}" if one.feature else one.scenario):
        SubElement(SubElement(case, "properties"), "property", name=SPEC_PROPERTY, value=_fit(one.uid))
    match statuses.of_scenario(one):
        case "failed":
            _told(case, "failure", attempts[0].error_message)
            for later in attempts[1:]:
                _told(case, "rerunFailure", later.error_message)
        case "passed":
            for earlier in attempts[:-1]:
                _told(case, "flakyFailure", earlier.error_message or earlier.reason)
        case "skipped":
            _told(case, "skipped", one.current.error_message)
        case "pending":
            case.set("status", statuses.UNFINISHED)
            _told(case, "skipped", "it began and did not end")
        case _:
            case.set("status", (one.outcome or "").lower())
            _told(case, "skipped", one.current.error_message or f"{one.outcome}: neither passed nor failed")
    steps = [f"{step.kind} {step.text} ... {step.status}".strip() for step in one.current.steps]
    if steps:
        SubElement(case, "system-out").text = _fit("\n".join(steps))


def _told(case: Element, tag: str, message: str | None) -> None:
    mark = SubElement(case, tag)
    if message:
        mark.set("message", _fit(message.strip().partition("\n")[0]))
        mark.text = _fit(message)


def _seconds(milliseconds: int) -> str:
    return f"{max(0, milliseconds) / 1000:.3f}"


def _fit(text: str) -> str:
    return _UNFIT.sub("\ufffd", text)
