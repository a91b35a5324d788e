"""Cucumber Messages (`--format message`: one envelope a line) → cases, one at a time.

A pickle is a row of its scenario when its scenario has examples, and goes by the scenario's name as the feature file
has it. Undefined, pending and ambiguous steps are failures; a scenario in which no step ran proves nothing. What went
wrong outside of every scenario (a feature file that does not parse, a hook of the run, a run that says of itself that
it failed) is a failed case of its own, so that no report reads green whose run was red.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import msgspec
from msgspec import Struct, field

from stoat import clock
from stoat.clock import Time
from stoat.errors import UNDECODABLE
from stoat.observe.reports import lines
from stoat.observe.reports.cases import Attempt, Case, Line, Outcome, Suite, message, name
from stoat.observe.reports.trouble import Trouble

_RED = ("FAILED", "AMBIGUOUS", "UNDEFINED", "PENDING")
_KINDS = {"Context": "Given", "Action": "When", "Outcome": "Then"}
_LONGEST = 1e9
"""Seconds: what is longer is no length of time."""
_UNREAD = (b'{"attachment"', b'{"source"', b'{"stepDefinition"', b'{"hook"', b'{"parameterType"', b'{"testStepStarted"')


class _Span(Struct):
    seconds: int | float = 0
    nanos: int | float = 0

    @property
    def milliseconds(self) -> int | None:
        """As a length of time."""
        total = self.seconds + self.nanos / 1e9
        return round(total * 1000) if 0 <= total < _LONGEST else None

    @property
    def time(self) -> Time | None:
        """As seconds since 1970."""
        total = self.seconds + self.nanos / 1e9
        return clock.since_epoch(total) if 0 < total < 2.5e11 else None


class _Cell(Struct):
    value: str = ""


class _Row(Struct):
    id: str = ""
    cells: list[_Cell] = []


class _Examples(Struct, rename="camel"):
    table_body: list[_Row] = []


class _Scenario(Struct):
    id: str = ""
    name: str = ""
    examples: list[_Examples] = []


class _Child(Struct):
    scenario: _Scenario | None = None
    rule: _Rule | None = None


class _Rule(Struct):
    name: str = ""
    children: list[_Child] = []


class _Document(Struct):
    feature: _Rule | None = None
    uri: str = ""


class _PickleStep(Struct):
    id: str
    text: str = ""
    type: str = ""


class _Pickle(Struct, rename="camel"):
    id: str
    uri: str = ""
    name: str = ""
    ast_node_ids: list[str] = []
    steps: list[_PickleStep] = []


class _TestStep(Struct, rename="camel"):
    id: str
    pickle_step_id: str | None = None


class _TestCase(Struct, rename="camel"):
    id: str
    pickle_id: str
    test_steps: list[_TestStep] = []


class _Started(Struct, rename="camel"):
    id: str
    test_case_id: str
    attempt: int = 0
    timestamp: _Span = field(default_factory=_Span)


class _Result(Struct, rename="camel"):
    status: str = "UNKNOWN"
    message: str | None = None
    duration: _Span = field(default_factory=_Span)
    will_be_retried: bool = False


class _StepFinished(Struct, rename="camel"):
    test_case_started_id: str
    test_step_id: str
    test_step_result: _Result


class _Finished(Struct, rename="camel"):
    test_case_started_id: str
    will_be_retried: bool = False


class _Implementation(Struct):
    name: str = ""


class _Meta(Struct):
    implementation: _Implementation = field(default_factory=_Implementation)


class _RunStarted(Struct):
    timestamp: _Span = field(default_factory=_Span)


class _RunFinished(Struct):
    success: bool | None = None
    message: str | None = None


class _Source(Struct):
    uri: str | None = None


class _ParseError(Struct):
    source: _Source = field(default_factory=_Source)
    message: str = ""


class _HookFinished(Struct):
    result: _Result


class _Envelope(Struct, rename="camel"):
    meta: _Meta | None = None
    gherkin_document: _Document | None = None
    pickle: _Pickle | None = None
    test_case: _TestCase | None = None
    test_run_started: _RunStarted | None = None
    test_case_started: _Started | None = None
    test_step_finished: _StepFinished | None = None
    test_case_finished: _Finished | None = None
    test_run_finished: _RunFinished | None = None
    test_run_hook_finished: _HookFinished | None = None
    parse_error: _ParseError | None = None


def read(file: Path) -> Iterator[Suite | Case]:
    """What a report says: its Suite, and every case as it ends. Trouble for what is no whole report. OSError."""
    decode = msgspec.json.Decoder(_Envelope).decode
    report = _Report()
    number = 0
    for number, line, whole in lines.read(file):
        if line.startswith(_UNREAD):
            continue
        if number == 1 and line.startswith(b"["):
            raise Trouble(1, 1, "is Cucumber's older JSON", "let the runner write messages, or JUnit XML")
        try:
            envelope = decode(line)
        except UNDECODABLE as why:
            raise lines.broken(number, line, whole, why) from None
        yield from report.take(envelope)
    if not report.known:
        raise Trouble(1, 1, "has no message of Cucumber's", "see --format")
    if not report.finished:
        raise Trouble(number, 1, "ends before its run does: it has no testRunFinished",
                      "it was cut off: see how the run ended, and give the whole file")  # fmt: skip
    yield from report.end()


class _Going:
    """A case that was started: its results so far, by step."""

    def __init__(self, started: _Started) -> None:
        self.started = started
        self.results: dict[str, _Result] = {}
        self.retried = False


class _Report:
    """All that later messages refer to by id: of documents the names only."""

    def __init__(self) -> None:
        self.known = self.finished = False
        self._red = False
        self._said_red: str | None = None
        self._features: dict[str, tuple[str, str | None, _Scenario]] = {}
        self._rows: dict[str, str] = {}
        self._pickles: dict[str, _Pickle] = {}
        self._cases: dict[str, _TestCase] = {}
        self._going: dict[str, _Going] = {}
        self._before: dict[str, list[Attempt]] = {}
        self._name = ""

    def take(self, envelope: _Envelope) -> Iterator[Suite | Case]:
        """What one message adds."""
        if envelope.test_step_finished is not None:
            step = envelope.test_step_finished
            if going := self._going.get(step.test_case_started_id):
                going.results[step.test_step_id] = step.test_step_result
                going.retried = going.retried or step.test_step_result.will_be_retried
        elif envelope.test_case_started is not None:
            self._going[envelope.test_case_started.id] = _Going(envelope.test_case_started)
        elif envelope.test_case_finished is not None:
            yield from self._finish(envelope.test_case_finished)
        elif envelope.pickle is not None:
            self._pickles[envelope.pickle.id] = envelope.pickle
        elif envelope.test_case is not None:
            self._cases[envelope.test_case.id] = envelope.test_case
        elif envelope.gherkin_document is not None:
            self._document(envelope.gherkin_document)
        elif envelope.meta is not None:
            self.known = True
            self._name = name(envelope.meta.implementation.name)
        elif envelope.test_run_started is not None:
            self.known = True
            yield Suite(self._name, envelope.test_run_started.timestamp.time)
        elif envelope.test_run_finished is not None:
            self.finished = True
            if envelope.test_run_finished.success is False:
                self._said_red = message(envelope.test_run_finished.message) or "it says that it failed"
        elif envelope.test_run_hook_finished is not None:
            if envelope.test_run_hook_finished.result.status in _RED:
                yield self._beside("(a hook of the run)", envelope.test_run_hook_finished.result.message)
        elif envelope.parse_error is not None:
            yield self._beside(envelope.parse_error.source.uri or "(a feature file)", envelope.parse_error.message)

    def end(self) -> Iterator[Case]:
        """What began and never ended, and a red run in which no case was red."""
        for going in self._going.values():
            case = self._case(going)
            if case is not None:
                yield case._replace(attempts=(*case.attempts[:-1], Attempt("unfinished")))
        if self._said_red is not None and not self._red:
            yield self._beside("(the run itself)", self._said_red)

    def _beside(self, scenario: str, why: str | None) -> Case:
        self._red = True
        return Case(self._name or "cucumber", name(scenario), (Attempt("failed", None, message(why)),))

    def _document(self, document: _Document) -> None:
        if document.feature is None:
            return
        feature = name(document.feature.name) or name(document.uri)
        groups: list[tuple[str | None, list[_Child]]] = [(None, document.feature.children)]
        for rule, children in groups:
            for child in children:
                if child.rule is not None and len(groups) < 10_000:
                    groups.append((child.rule.name, child.rule.children))
                elif child.scenario is not None:
                    self._features[child.scenario.id] = (feature, rule, child.scenario)
                    for examples in child.scenario.examples:
                        for row in examples.table_body:
                            self._rows[row.id] = ", ".join(cell.value for cell in row.cells)

    def _finish(self, finished: _Finished) -> Iterator[Case]:
        going = self._going.pop(finished.test_case_started_id, None)
        case = self._case(going) if going is not None else None
        if going is None or case is None:
            return
        if finished.will_be_retried or going.retried:
            self._before[going.started.test_case_id] = list(case.attempts)
            return
        self._before.pop(going.started.test_case_id, None)
        self._red = self._red or case.attempts[-1].outcome == "failed"
        yield case

    def _case(self, going: _Going) -> Case | None:
        test = self._cases.get(going.started.test_case_id)
        pickle = self._pickles.get(test.pickle_id) if test is not None else None
        if test is None or pickle is None:
            return None
        found = next((self._features[node] for node in pickle.ast_node_ids if node in self._features), None)
        feature, rule, scenario = found or (name(pickle.uri), None, _Scenario(name=pickle.name))
        row = next((self._rows[node] for node in pickle.ast_node_ids if node in self._rows), None)
        title = name(scenario.name) or name(pickle.name) or "(unnamed)"
        return Case(
            feature, title, (*self._before.get(test.id, ()), _attempt(going)), tuple(_lines(going, test, pickle)),
            row=None if row is None else f"{name(pickle.name)}: {name(row)}", at=going.started.timestamp.time,
            spelled=partial(_spelled, feature, rule, title, pickle.name),
        )  # fmt: skip


def _attempt(going: _Going) -> Attempt:
    results = list(going.results.values())
    said = {result.status for result in results}
    outcome: Outcome = "unknown"
    if said & set(_RED):
        outcome = "failed"
    elif "SKIPPED" in said:
        outcome = "skipped"
    elif said == {"PASSED"}:
        outcome = "passed"
    took = [spent for result in results if (spent := result.duration.milliseconds) is not None]
    red = [result for status in _RED for result in results if result.status == status]
    why = message(red[0].message) or f"a step is {red[0].status.lower()}" if red else None
    return Attempt(outcome, sum(took) if took else None, why)


def _lines(going: _Going, test: _TestCase, pickle: _Pickle) -> Iterator[Line]:
    """The steps, in their order; hooks only where they were red."""
    steps = {step.id: step for step in pickle.steps}
    for planned in test.test_steps:
        result = going.results.get(planned.id)
        step = steps.get(planned.pickle_step_id or "")
        if result is None or (step is None and result.status not in _RED):
            continue
        kind, text = ("Hook", "a hook") if step is None else (_KINDS.get(step.type, "Step"), name(step.text))
        took = result.duration.milliseconds
        yield Line(kind, text, result.status.capitalize(), took, message(result.message))


def _spelled(feature: str, rule: str | None, scenario: str, row: str) -> set[str]:
    """A pickle by its scenario's name and by its own, in the feature or in its rule."""
    titles = (scenario, name(row))
    known = {f"{feature}/{title}" for title in titles}
    if rule is not None:
        known |= {f"{name(rule)}/{title}" for title in titles}
        known |= {f"{feature}/{name(rule)} - {title}" for title in titles}
    return known
