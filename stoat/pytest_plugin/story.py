"""A run told as wire events: what pytest reports goes in, what a monitor understands comes out.

It knows neither pytest nor any transport. Attempts are counted here, and what a run amounts to at its end.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from stoat.pytest_plugin.names import COLLECTION, Name

Event = dict[str, Any]

LONGEST_MESSAGE = 8_000
"""How much of an error's text is published, in characters."""


@dataclass
class Test:
    """One test as far as it has got in its present attempt; `again` says that another one is to come."""

    __test__ = False

    name: Name
    uid: str
    attempt: int = 1
    state: Literal["running", "again", "over"] = "running"
    called: bool = False
    error: str | None = None
    skipped: str | None = None
    unlogged: str | None = None
    seconds: float = 0.0


class Report(NamedTuple):
    """A phase of a test as pytest reports it.

    `skipped` is why it did not count (a skip, an expected failure); `part` says that it is of one subtest; `unlogged`
    is the error of a call that its plugin ("flaky") kept from being reported, "" when that call passed.
    """

    when: str
    outcome: str
    seconds: float = 0.0
    message: str = ""
    part: bool = False
    unlogged: str | None = None
    lane: int | None = None


@dataclass
class Story:
    """The events of one run, handed to `post` as they come about. `now` gives the time as the wire has it.

    With `owned` somebody else tells that the run started and finished.
    """

    run_id: str
    post: Callable[[Event], None]
    now: Callable[[], str]
    owned: bool = False
    tests: dict[str, Test] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    skips: int = 0
    total: int | None = None
    begun: bool = False
    _before: list[Event] = field(default_factory=list)
    _uids: dict[str, int] = field(default_factory=dict)
    _lanes: dict[int, int] = field(default_factory=dict)

    def begin(self, header: Mapping[str, Any], total: int | None) -> None:
        """The run has started, with so many tests, if that is known. What was told before it follows it."""
        if self.begun:
            return
        self.begun, self.total = True, total
        if not self.owned:
            self.post({"type": "run_started", "runId": self.run_id, **header, "totalScenarios": total})
        for event in self._before:
            self.post(event)
        self._before.clear()

    def start(self, key: str, name: Name, at: str | None = None) -> Test:
        """A test starts, or starts again; the same start told twice is one."""
        test = self.tests.get(key)
        if test is None or test.state == "over":
            # The same test twice in one run (--keep-duplicates) is a row more of it, not a second attempt.
            seen = self._uids[name.uid] = self._uids.get(name.uid, 0) + 1
            test = self.tests[key] = Test(name, name.uid if seen == 1 else f"{name.uid}[{seen}]")
            self._tell_start(test, at)
        elif test.state == "again":
            goes_on = test.unlogged == ""
            if test.unlogged:
                self._retry(test, test.unlogged, None)
            test.state, test.unlogged = "running", None
            if not goes_on:
                self._tell_start(test, at)
        return test

    def report(self, key: str, report: Report) -> None:
        """A phase of a test that was started is over; after the last one its outcome is known."""
        test = self.tests[key]
        if test.state == "again" and report.when in ("call", "teardown"):
            return  # of the attempt that is over
        if test.state != "running":
            test = self.start(key, test.name)
        test.seconds += report.seconds
        if report.outcome == "rerun":
            self._retry(test, report.message or "the test failed", report.lane)
            return
        if report.outcome == "failed":
            test.error = test.error or report.message or "the test failed"
        elif report.outcome == "skipped" and not report.part:
            test.skipped = report.message
        test.called = test.called or report.when == "call"
        test.unlogged = report.unlogged
        if report.when in ("setup", "call"):
            return
        if test.called or test.error is not None or test.skipped is not None:
            self._decide(test, report.lane)
        else:
            # Its call was never reported: a plugin means to run it again.
            test.state, test.unlogged = "again", test.unlogged or ""

    def broken(self, name: Name, message: str) -> None:
        """Something could not be collected: nobody knows what the tests in it would have said."""
        key = f"{name.uid} {COLLECTION}"
        if key in self.tests:
            return
        test = self.start(key, Name(name.feature, COLLECTION))
        test.error = message
        self._finish(test, "Aborted", None)

    def worker_up(self, lane: int, process: int | None) -> None:
        """A worker is ready for tests."""
        self._lanes[lane] = 0
        at = self.now()
        self._tell({"type": "worker_started", "purpose": "Lane", "lane": lane, "processId": process, "at": at})
        self._tell({"type": "lane_started", "lane": lane, "uids": [], "at": at})

    def worker_down(self, lane: int, fault: str | None) -> None:
        """A worker has ended, or with `fault` died."""
        at = self.now()
        if fault is not None:
            fall = {"lane": lane, "fault": fault[:LONGEST_MESSAGE], "exitCode": None, "standardError": None, "at": at}
            self._tell({"type": "worker_faulted", **fall})
        if lane not in self._lanes:
            return
        done = self._lanes.pop(lane)
        self._tell({"type": "lane_finished", "lane": lane, "outcomes": done, "crashed": fault is not None, "at": at})

    def finish(self, exit_code: int, **more: Any) -> None:
        """The run is over: whatever has no outcome is aborted, and what all of it amounts to is told.

        A run that broke, or of which something never ran while nothing failed, is indeterminate: never green.
        """
        for test in self.tests.values():
            if test.state != "over":
                test.error = test.error or test.unlogged or "the run ended before the test did"
                self._finish(test, "Aborted", None)
        failed, unknown = self.counts.get("Failed", 0), self.counts.get("Aborted", 0)
        if not failed:
            unknown += max((self.total or 0) - len(self.tests), 0)
            if exit_code not in (0, 1) and not unknown:
                unknown = 1
        if self.owned:
            return
        self._tell({
            "type": "run_finished", "exitCode": exit_code, "passed": self.counts.get("CleanPass", 0), "failed": failed,
            "passedOnRetry": self.counts.get("PassOnRetry", 0), "indeterminate": unknown, "skipped": self.skips,
            "finishedAt": self.now(), **more,
        })  # fmt: skip

    def _decide(self, test: Test, lane: int | None) -> None:
        if test.error is not None:
            self._finish(test, "Failed", lane)
        else:
            self.skips += test.skipped is not None
            ran = test.skipped is None
            self._finish(test, "PassOnRetry" if ran and test.attempt > 1 else "CleanPass", lane)

    def _finish(self, test: Test, outcome: str, lane: int | None) -> None:
        test.state = "over"
        self.counts[outcome] = self.counts.get(outcome, 0) + 1
        if lane is not None:
            self._lanes[lane] = self._lanes.get(lane, 0) + 1
        self._tell_finish(test, outcome, lane)

    def _retry(self, test: Test, reason: str, lane: int | None) -> None:
        """The attempt is over and did not do; whoever runs the tests says when the next one starts."""
        test.error = reason
        self._tell_finish(test, "Failed", lane)
        test.attempt += 1
        test.state, test.called = "again", False
        test.error = test.skipped = test.unlogged = None
        test.seconds = 0.0
        self._tell({
            "type": "retry_scheduled", "uid": test.uid, "nextAttempt": test.attempt, "disposition": "Rerun",
            "reason": reason[:LONGEST_MESSAGE],
        })  # fmt: skip

    def _tell_start(self, test: Test, at: str | None) -> None:
        self._tell({
            "type": "scenario_started", "uid": test.uid, "feature": test.name.feature, "scenario": _scenario(test),
            "attempt": test.attempt, "at": at or self.now(),
        })  # fmt: skip

    def _tell_finish(self, test: Test, outcome: str, lane: int | None) -> None:
        event: Event = {
            "type": "scenario_finished", "uid": test.uid, "outcome": outcome, "attempts": test.attempt,
            "durationMs": round(test.seconds * 1000), "at": self.now(),
            "errorMessage": test.error[:LONGEST_MESSAGE] if test.error is not None else None,
        }  # fmt: skip
        if test.error is None and test.skipped is not None:
            event |= {"state": "Skipped", "reason": test.skipped[:LONGEST_MESSAGE]}
        if lane is not None:
            event["lane"] = lane
        self._tell(event)

    def _tell(self, event: Event) -> None:
        event["runId"] = self.run_id
        if self.begun:
            self.post(event)
        else:
            self._before.append(event)


def _scenario(test: Test) -> str:
    return test.uid[len(test.name.feature) + 1 :]
