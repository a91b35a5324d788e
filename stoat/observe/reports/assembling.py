"""Cases of one or more reports → the wire events of one run.

| case                                  | events                                                                   |
|---------------------------------------|--------------------------------------------------------------------------|
| passed, failed, unknown               | `scenario_started`, its steps, `scenario_finished`                       |
| an attempt before the last            | a `scenario_finished` of its own and a `retry_scheduled`                 |
| unfinished                            | `scenario_started` alone                                                 |
| skipped                               | as passed, with the state Skipped beside it: nothing was proved          |
| rows of a scenario, spec or outline   | one scenario, told at the end: red when any row is, its rows as steps    |
| a name that was there before          | a scenario of its own, ` (2)` behind its name: no result hides another   |
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from stoat import clock
from stoat.clock import Time
from stoat.observe.reports.cases import Attempt, Case, Line, Outcome, Suite
from stoat.plan.monitor.shown import RunSummary
from stoat.plan.specs import own_names, shorter_names

Event = dict[str, Any]

WORDS: dict[Outcome, str] = {"passed": "CleanPass", "failed": "Failed", "unknown": "Aborted"}
"""The wire's word for how a case ended that had one attempt."""
ROW = "Example"
"""The kind of a step that is a row of its scenario."""

_TEMPLATE = re.compile(r"<[^<>]+>")
_ROW_STATUS: dict[Outcome, str] = {
    "passed": "Passed", "failed": "Failed", "skipped": "Skipped", "unknown": "Unknown", "unfinished": "Unknown",
}  # fmt: skip
_WORST: tuple[Outcome, ...] = ("failed", "unknown", "unfinished", "passed", "skipped")


class Opening(NamedTuple):
    """What is known of a run before its reports are read. `at` is when they are added."""

    run: str
    mode: str
    at: Time
    suite: str = ""
    tag: str | None = None
    repository: str | None = None
    branch: str | None = None
    commit: str | None = None
    dirty: bool | None = None
    machine: str | None = None


class Assembly:
    """A run in the making: give it all that reports say, then `end` it; its counts are right from then on.

    `wanted` are specs that somebody waits for: all cases that go by that name are rows of that scenario. `green` and
    `red` tell them apart; those in neither were not run.
    """

    def __init__(self, opening: Opening, wanted: Iterable[str] = ()) -> None:
        self.passed = self.failed = self.skipped = self.on_retry = self.unknown = self.unfinished = 0
        self.seconds: float | None = None
        self.suite = opening.suite
        self.started: Time | None = None
        self.finished: Time | None = None
        self.green: set[str] = set()
        self.red: set[str] = set()
        self._opening = opening
        self._wanted = frozenset(wanted)
        self._outlines = [(_pattern(spec), spec) for spec in self._wanted if _TEMPLATE.search(spec)]
        self._begun = False
        self._began = opening.at
        self._latest: Time | None = None
        self._seen: set[int] = set()
        self._again: dict[str, int] = {}
        self._rows: dict[str, list[Case]] = {}
        self._shorter: dict[str, set[int]] = {}

    @property
    def exit_code(self) -> int:
        """As a runner would have ended: 0 green, 1 red, 2 neither."""
        return 1 if self.failed else 2 if self.unknown or self.unfinished else 0

    @property
    def summary(self) -> RunSummary:
        """The run in one line, once it has ended."""
        opening = self._opening
        decided = self.passed + self.failed + self.skipped + self.unknown
        return RunSummary(
            run_id=opening.run, suite=self.suite or opening.mode, repository=opening.repository or "",
            branch=opening.branch, mode=opening.mode, finished=True, orphaned=False, exit_code=self.exit_code,
            scenarios=decided + self.unfinished, started_at=self._began, finished_at=self.finished,
            tag=opening.tag, total_scenarios=None, scenarios_finished=decided,
            passed=self.passed - self.on_retry + self.skipped, failed=self.failed, passed_on_retry=self.on_retry,
            indeterminate=self.unknown, skipped=self.skipped,
        )  # fmt: skip

    def take(self, said: Suite | Case) -> Iterator[Event]:
        """The events of the next thing that a report says."""
        if isinstance(said, Suite):
            self.suite = self.suite or said.name
            self.started = min(filter(None, (self.started, said.started)), default=None)
            return
        yield from self._begin()
        self._latest = max(filter(None, (self._latest, said.at)), default=None)
        for attempt in said.attempts:
            if attempt.milliseconds is not None:
                self.seconds = (self.seconds or 0.0) + attempt.milliseconds / 1000
        known = self._specs_of(said)
        if known:
            for uid in sorted(known):
                self._rows.setdefault(uid, []).append(said)
        elif said.row is not None:
            self._rows.setdefault(said.uid, []).append(said)
        else:
            yield from self._scenario(self._renamed(said))

    def end(self) -> Iterator[Event]:
        """The scenarios of several rows, and the end of the run."""
        yield from self._begin()
        together, alone = self._parted()
        for case in alone:
            yield from self._scenario(self._renamed(case))
        for uid, rows in together.items():
            feature, _, scenario = uid.partition("/")
            whole = _together(feature, scenario, rows)
            yield from self._scenario(whole if uid in self._wanted else self._renamed(whole))
            if uid in self._wanted and whole.attempts[-1].outcome in ("passed", "failed"):
                (self.green if whole.attempts[-1].outcome == "passed" else self.red).add(uid)
        ended = [self._latest] if self._latest else []
        if self.started:
            ended.append(clock.plus(self.started, self.seconds or 0.0))
        self.finished = max(ended, default=self._opening.at)
        yield self._event(
            "run_finished", exitCode=self.exit_code,
            passed=self.passed - self.on_retry + self.skipped, failed=self.failed, passedOnRetry=self.on_retry,
            indeterminate=self.unknown, skipped=self.skipped, finishedAt=self.finished,
        )  # fmt: skip

    def _begin(self) -> Iterator[Event]:
        if self._begun:
            return
        self._begun = True
        opening = self._opening
        self._began = self.started or opening.at
        yield self._event(
            "run_started", suite=self.suite or opening.mode, repository=opening.repository, branch=opening.branch,
            mode=opening.mode, startedAt=self._began, totalScenarios=None, tag=opening.tag,
            commit=opening.commit, dirty=opening.dirty, machine=opening.machine,
        )  # fmt: skip

    def _specs_of(self, case: Case) -> frozenset[str]:
        """The specs that a case goes by, of those that one waits for; `_shorter` has it for each that is less than its
        own name."""
        if not self._wanted:
            return frozenset()
        known = self._wanted & {*own_names(case.feature, case.scenario), *(case.spelled() if case.spelled else ())}
        if case.row is not None:
            known |= {spec for pattern, spec in self._outlines if pattern.fullmatch(case.uid)}
        shorter = (self._wanted - known).intersection(shorter_names(case.feature, case.scenario))
        for spec in shorter:
            self._shorter.setdefault(spec, set()).add(id(case))
        return known | shorter

    def _parted(self) -> tuple[dict[str, list[Case]], list[Case]]:
        """The rows of each scenario of several, and the cases that are no row of any: where a case has a spec for its
        own name, those that would go by it for short are tests of their own."""
        kept = {}
        for uid, rows in self._rows.items():
            short = self._shorter.get(uid, set())
            kept[uid] = [row for row in rows if id(row) not in short] or rows
        used = {id(row) for rows in kept.values() for row in rows}
        alone = {id(row): row for rows in self._rows.values() for row in rows if id(row) not in used}
        return kept, list(alone.values())

    def _renamed(self, case: Case) -> Case:
        """The case under a name of its own: several tests of one name are several scenarios."""
        uid, other = case.uid, case
        while hash(other.uid) in self._seen:
            self._again[uid] = self._again.get(uid, 1) + 1
            other = case._replace(scenario=f"{case.scenario} ({self._again[uid]})")
        self._seen.add(hash(other.uid))
        return other

    def _scenario(self, case: Case) -> Iterator[Event]:
        last = case.attempts[-1]
        number = len(case.attempts)
        self._count(last.outcome, number)
        uid, at = case.uid, case.at or self.started or self._opening.at
        for place, attempt in enumerate(case.attempts, 1):
            yield self._event("scenario_started", uid=uid, feature=case.feature, scenario=case.scenario, attempt=place,
                              at=at)  # fmt: skip
            if place == number:
                yield from self._lines(uid, case.lines)
            if attempt.outcome == "skipped":
                yield self._event("scenario_finished", uid=uid, outcome="CleanPass", attempts=place, state="Skipped",
                                  durationMs=attempt.milliseconds, errorMessage=attempt.message, at=at)  # fmt: skip
            elif attempt.outcome != "unfinished":
                yield self._event("scenario_finished", uid=uid, outcome=_word(attempt, place), attempts=place,
                                  durationMs=attempt.milliseconds, errorMessage=attempt.message, at=at)  # fmt: skip
            if place < number:
                yield self._event("retry_scheduled", uid=uid, nextAttempt=place + 1, disposition="Retry",
                                  reason=(attempt.message or "failed").partition("\n")[0])  # fmt: skip

    def _lines(self, uid: str, lines: tuple[Line, ...]) -> Iterator[Event]:
        for place, line in enumerate(lines, 1):
            step = f"{place}"
            yield self._event("step_started", uid=uid, stepId=step, kind=line.kind, text=line.text, stepNumber=place,
                              totalSteps=len(lines))  # fmt: skip
            yield self._event("step_finished", uid=uid, stepId=step, status=line.status, durationMs=line.milliseconds,
                              errorMessage=line.message)  # fmt: skip

    def _count(self, outcome: Outcome, attempts: int) -> None:
        self.passed += outcome == "passed"
        self.on_retry += outcome == "passed" and attempts > 1
        self.failed += outcome == "failed"
        self.skipped += outcome == "skipped"
        self.unknown += outcome == "unknown"
        self.unfinished += outcome == "unfinished"

    def _event(self, type: str, **fields: Any) -> Event:
        event = {"type": type, "runId": self._opening.run}
        for name, value in fields.items():
            if value is not None:
                event[name] = value
        return event


def _word(attempt: Attempt, place: int) -> str:
    return "PassOnRetry" if attempt.outcome == "passed" and place > 1 else WORDS.get(attempt.outcome, "Aborted")


def _pattern(outline: str) -> re.Pattern[str]:
    return re.compile(".+".join(re.escape(part) for part in _TEMPLATE.split(outline)), re.DOTALL)


def _together(feature: str, scenario: str, rows: list[Case]) -> Case:
    """Several rows as their scenario: the worst of them decides, as many attempts as the row that took most."""
    if len(rows) == 1:
        return rows[0]._replace(feature=feature, scenario=scenario)
    ended = [row.attempts[-1] for row in rows]
    worst = next(outcome for outcome in _WORST if any(one.outcome == outcome for one in ended))
    longest = max(rows, key=lambda row: len(row.attempts))
    took = [one.milliseconds for one in ended if one.milliseconds is not None]
    why = next((one.message for one in ended if one.outcome == worst and worst != "passed"), None)
    lines = tuple(
        Line(ROW, row.row or row.scenario, _ROW_STATUS[row.attempts[-1].outcome], row.attempts[-1].milliseconds,
             row.attempts[-1].message)
        for row in rows
    )  # fmt: skip
    last = Attempt(worst, sum(took) if took else None, why)
    at = min(filter(None, (row.at for row in rows)), default=None)
    return Case(feature, scenario, (*longest.attempts[:-1], last), lines, at=at)
