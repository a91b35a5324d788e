"""One scenario of a run: its attempts, as its own worker published them or as a supervisor forwarded them.

Attempt numbers are floors. A worker that runs a retry counts from one again, so the number that a retry was scheduled
under is the true one; and nothing that is heard late or twice takes an attempt back that was already seen.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from stoat.clock import Time
from stoat.plan.monitor import wire
from stoat.plan.monitor.steps import Step, StepLog
from stoat.plan.monitor.wire import Event

CLEAN_PASS, PASS_ON_RETRY, FAILED, ABORTED = "CleanPass", "PassOnRetry", "Failed", "Aborted"
PASSES = (CLEAN_PASS, PASS_ON_RETRY)
SKIPPED = "Skipped"
_FOREIGN_PASSES = ("Passed", SKIPPED)


class Attempt(Struct):
    """One attempt. `said` is the number that its start gave, before any floor; `told` the one that its finish gave.

    `reason` is why it was tried again; `state` the framework's own word for how it ended, such as Skipped.
    """

    number: int
    said: int = 0
    started_at: Time | None = None
    finished_at: Time | None = None
    outcome: str | None = None
    told: int = 0
    duration_ms: int | None = None
    error_message: str | None = None
    disposition: str | None = None
    reason: str | None = None
    state: str | None = None
    log: StepLog | None = None

    def take_end(self, other: Attempt) -> None:
        """Take over how another attempt ended, which then is undecided."""
        for field in ("outcome", "told", "finished_at", "duration_ms", "error_message", "state"):
            setattr(self, field, getattr(other, field))
            setattr(other, field, 0 if field == "told" else None)

    @property
    def steps(self) -> tuple[Step, ...]:
        """Its steps, in their order."""
        return self.log.read() if self.log is not None else ()


class Scenario(Struct):
    """A scenario. `own` says that its worker published it; what a supervisor forwarded of it counts only without that.

    `tries` has its own attempts by number, `retries` why each number was tried, `spare` the starts that opened none.
    `cursor` is the attempt whose start was heard last, which is where a step belongs: an earlier one's in a replay.
    """

    uid: str
    names: tuple[str, str] | None = None
    display: str | None = None
    number: int = 1
    cursor: int = 1
    pinned: int = 0
    spare: dict[Time, int] = {}
    own: bool = False
    tries: dict[int, Attempt] = {}
    retries: dict[int, tuple[str, str]] = {}
    forwarded: dict[Time, Attempt] = {}
    forwarded_start: Time | None = None
    total_steps: int | None = None
    touched_types: tuple[Mapping[str, Any], ...] | None = None
    lane: wire.Lane | None = None

    @property
    def feature(self) -> str:
        """Its feature: as announced, else what is before the first slash of its uid."""
        if self.names is not None:
            return self.names[0]
        return self.uid.partition("/")[0] if "/" in self.uid else ""

    @property
    def scenario(self) -> str:
        """Its name within the feature: as announced or displayed, else from its uid."""
        if self.names is not None:
            return self.names[1]
        if self.display and not self.own:
            return self.display
        return self.uid.partition("/")[2] if "/" in self.uid else self.uid

    @property
    def attempts(self) -> tuple[Attempt, ...]:
        """All attempts that were heard of, in order; the last one runs, or ran last. Never empty."""
        known = dict(self.tries) if self.own else self._foreign()
        last = self.number if self.own else max(known, default=1)
        for number in (last, *(following - 1 for following in self.retries)):
            known.setdefault(number, Attempt(number))
        for number, attempt in known.items():
            attempt.disposition, attempt.reason = self.retries.get(number + 1, (None, None))
        return tuple(known[number] for number in sorted(known) if number <= last)

    @property
    def current(self) -> Attempt:
        """The attempt that runs, or ran last."""
        return self.attempts[-1]

    @property
    def outcome(self) -> str | None:
        """CleanPass, PassOnRetry, Failed, Aborted or another word of the publisher's; None while it is not decided."""
        if not self.own:
            return self.current.outcome
        held = self.tries.get(self.number)
        return held.outcome if held is not None else None

    @property
    def skipped(self) -> bool:
        """Whether it counts as passed without having run."""
        last = self.tries.get(self.number) if self.own else self.current
        return last is not None and last.outcome == CLEAN_PASS and last.state == SKIPPED

    @property
    def retry_reasons(self) -> tuple[str, ...]:
        """Why it was tried again, each time."""
        return tuple(reason for _, (_, reason) in sorted(self.retries.items()))

    def start(self, event: Event) -> None:
        """scenario_started: a new attempt where its number, or the one that a retry pinned, was not seen yet."""
        self.own = True
        self.names = (wire.text(event, "feature") or self.feature, wire.text(event, "scenario") or self.scenario)
        self.total_steps = wire.whole(event, "totalSteps") or self.total_steps
        said, at = max(1, wire.whole(event, "attempt") or 1), wire.moment(event, "at")
        known = [one for one in self.tries.values() if at is not None and (one.said, one.started_at) == (said, at)]
        if known:
            self.cursor = known[-1].number
            self._rewind(known[-1])
            if at is not None and (known[-1].finished_at or "") > at:
                return  # the very start of an attempt that is over: heard again, and not the one that a retry waits for
        pinned, self.pinned = self.pinned, 0
        number = max(said, pinned, self.number)
        if number > self.number:
            self._open(number, said, at)
        elif (current := self._try(number)).said == 0:
            current.said, current.started_at = said, at
        elif at is None and said == current.said:
            self._rewind(current)
        elif at is not None and not known:
            self.spare[at] = said

    def finish(self, event: Event) -> None:
        """scenario_finished: how the current attempt ended, or an earlier one that is heard of late."""
        self.own = True
        told, at = max(1, wire.whole(event, "attempts") or 1), wire.moment(event, "at")
        if told > self.number:
            self._open(told, 0, None)
        self.touched_types = wire.objects(event, "touchedTypes") or self.touched_types
        attempt = self._ended(told, at)
        if attempt.outcome is not None and (told, at or "") < (attempt.told, attempt.finished_at or ""):
            return
        attempt.told, attempt.finished_at, attempt.state = told, at, wire.text(event, "state")
        attempt.outcome = wire.text(event, "outcome") or FAILED
        attempt.duration_ms, attempt.error_message = wire.whole(event, "durationMs"), wire.text(event, "errorMessage")

    def retry(self, event: Event) -> None:
        """retry_scheduled: the number that the next start takes, unless that attempt was seen already."""
        following = wire.whole(event, "nextAttempt") or self.number + 1
        self.retries[following] = (wire.text(event, "disposition") or "", wire.text(event, "reason") or "")
        if following <= self.number:
            return
        if self.spare:  # its start was heard first
            at = max(self.spare)
            self._open(following, self.spare.pop(at), at)
        else:
            self.pinned = max(following, self.pinned)

    def step(self) -> StepLog:
        """The steps of the attempt whose start was heard last, for a step event of the worker's own."""
        self.own = True
        attempt = self._try(self.cursor)
        if attempt.log is None:
            attempt.log = StepLog()
        return attempt.log

    def forward_start(self, event: Event) -> None:
        """test_started: a supervisor saw a foreign worker begin it."""
        self.display = wire.text(event, "displayName") or self.display
        lane = wire.lane(event)
        self.lane = self.lane if lane is None else lane
        at = wire.moment(event, "at")
        if at is not None and (self.forwarded_start is None or at > self.forwarded_start):
            self.forwarded_start = at

    def forward_finish(self, event: Event) -> None:
        """test_finished: how it ended in the foreign worker. A state that nobody knows is a failure."""
        self.display = wire.text(event, "displayName") or self.display
        lane = wire.lane(event)
        self.lane = self.lane if lane is None else lane
        state, at = wire.text(event, "state") or "", wire.moment(event, "at")
        self.forwarded[at or ""] = Attempt(
            0, finished_at=at, outcome=CLEAN_PASS if state in _FOREIGN_PASSES else FAILED, state=state,
            duration_ms=wire.whole(event, "durationMs"), error_message=wire.text(event, "errorMessage"),
        )  # fmt: skip

    def _rewind(self, attempt: Attempt) -> None:
        if attempt.log is not None:
            attempt.log.rewind()

    def _try(self, number: int) -> Attempt:
        return self.tries.setdefault(number, Attempt(number))

    def _open(self, number: int, said: int, at: Time | None) -> None:
        """Begin attempt `number`. A start that is older than the current one is an earlier attempt's, heard late."""
        current = self._try(self.number)
        if at is not None and current.started_at is not None and at < current.started_at:
            self.tries[self.number] = Attempt(self.number, current.said, at)
            current.number, current.said = number, said
            self.tries[number] = current
        else:
            opened = self._try(number)
            opened.said, opened.started_at = said, at
            if at is not None and current.finished_at is not None and current.finished_at > at:
                # It ended after this attempt began: it is this attempt that ended.
                opened.take_end(current)
        self.number = self.cursor = number

    def _ended(self, told: int, at: Time | None) -> Attempt:
        """The attempt that a finish speaks of: the newest that had begun by then."""
        current = self._try(self.number)
        if at is None:
            late = told < self.number and current.outcome is not None and told < current.told
            return self._try(told) if late else current
        for number in sorted(self.tries, reverse=True):
            started = self.tries[number].started_at
            if number >= told and (started is None or started <= at):
                return self.tries[number]
        return self._try(told) if told < self.number else current

    def _foreign(self) -> dict[int, Attempt]:
        """The attempts as they were forwarded, by number: one for each time that it ended, and one that runs."""
        ends, failed = sorted(self.forwarded), False
        known = {}
        for number, at in enumerate(ends, 1):
            attempt = known[number] = self.forwarded[at]
            attempt.number = number
            if attempt.outcome != FAILED:
                attempt.outcome = PASS_ON_RETRY if failed and attempt.state != SKIPPED else CLEAN_PASS
            failed = failed or attempt.outcome == FAILED
        if self.forwarded_start is not None and (not ends or "" < ends[-1] < self.forwarded_start):
            known[len(ends) + 1] = Attempt(len(ends) + 1, started_at=self.forwarded_start)
        return known
