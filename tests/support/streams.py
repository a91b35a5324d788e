"""Streams of wire events as a publisher would send them: `Publisher(run_id)` says one thing after the other.

Each event has a later time than the one before. `events` is what was said so far.
"""

from __future__ import annotations

from typing import Any

from stoat import clock

RUN = "5b0c9d8e-0000-4000-8000-000000000001"
BEGIN = "2026-12-01T09:00:00.000Z"

Event = dict[str, Any]


class Publisher:
    """A run that tells what it does. With `fresh` its workers count a retry's attempts from one again."""

    def __init__(self, run_id: str = RUN, *, begin: str = BEGIN, fresh: bool = False) -> None:
        self.run_id = run_id
        self.events: list[Event] = []
        self._begin = begin
        self._fresh = fresh
        self._ticks = 0

    def at(self) -> str:
        """The next moment."""
        self._ticks += 1
        return clock.plus(self._begin, self._ticks * 0.1)

    def say(self, type: str, **fields: Any) -> Event:
        """Any event."""
        event = {"type": type, "runId": self.run_id, **fields}
        self.events.append(event)
        return event

    def start(self, tag: str | None = "demo/suite", total: int | None = None, **fields: Any) -> Event:
        """run_started."""
        about = {"suite": "Suite", "repository": "acme/parcels", "branch": "main", "mode": "mtp"} | fields
        return self.say("run_started", **about, startedAt=self.at(), totalScenarios=total, tag=tag)

    def finish(
        self, exit_code: int = 0, passed: int = 0, failed: int = 0, on_retry: int = 0, indeterminate: int = 0
    ) -> Event:
        """run_finished."""
        return self.say(
            "run_finished", exitCode=exit_code, passed=passed, failed=failed, passedOnRetry=on_retry,
            indeterminate=indeterminate, finishedAt=self.at(),
        )  # fmt: skip

    def scenario(self, uid: str, *outcomes: str, steps: int = 2, reason: str = "it failed") -> None:
        """A scenario from its start to its end, with an attempt for each outcome."""
        feature, _, name = uid.partition("/")
        for number, outcome in enumerate(outcomes, 1):
            said = 1 if self._fresh else number
            if number > 1:
                self.say(
                    "retry_scheduled", uid=uid, nextAttempt=number, disposition="Recycle", reason=f"{reason} {number}"
                )
            self.say("scenario_started", uid=uid, feature=feature, scenario=name, attempt=said, at=self.at())
            for place in range(1, steps + 1):
                # The id is that of the template, and both steps come from one.
                took = {"uid": uid, "stepId": "Then it is", "scenarioElapsedMs": place * 10}
                self.say("step_started", **took, kind="Then", text=f"it is {place}", stepNumber=place, totalSteps=steps)
                took["scenarioElapsedMs"] += 5
                self.say("step_finished", **took, status="success", durationMs=5 * number)
            error = None if outcome.startswith(("Clean", "Pass")) else f"expected {number}"
            self.say(
                "scenario_finished", uid=uid, outcome=outcome, attempts=said, durationMs=10 * number,
                errorMessage=error, at=self.at(),
            )  # fmt: skip

    def forwarded(self, uid: str, *states: str) -> None:
        """A test of a foreign worker, as a supervisor forwards it, once for each state."""
        for state in states:
            self.say("test_started", uid=uid, displayName=f"Shown {uid}", lane=0, at=self.at())
            self.say(
                "test_finished", uid=uid, displayName=f"Shown {uid}", state=state, durationMs=7, lane=0, at=self.at()
            )

    def lane(self, lane: int, *uids: str, crashed: bool = False) -> None:
        """A lane's pass over some scenarios."""
        self.say("lane_started", lane=lane, uids=list(uids), at=self.at())
        self.say("lane_finished", lane=lane, outcomes=len(uids), crashed=crashed, at=self.at())
