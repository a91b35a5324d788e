"""What a run comes to, event by event: attempts, steps, forwarded tests, lanes, and what it proves."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from stoat.plan.monitor.fold import fold
from stoat.plan.monitor.run import Run
from stoat.plan.monitor.scenario import Scenario
from stoat.plan.monitor.shown import detail, summary
from tests.support.streams import RUN, Publisher


def folded(events: Iterable[dict[str, Any]]) -> Run:
    """The run of these events."""
    run = Run(RUN)
    for event in events:
        fold(run, event)
    return run


def the(publisher: Publisher, uid: str = "Send/One") -> Scenario:
    """One scenario of what was published."""
    return folded(publisher.events).scenarios[uid]


def outcomes(scenario: Scenario) -> list[tuple[int, str | None]]:
    """Each attempt with how it ended."""
    return [(attempt.number, attempt.outcome) for attempt in scenario.attempts]


@pytest.fixture
def says() -> Publisher:
    """A run that says things."""
    return Publisher()


def test_an_event_of_a_run_nobody_heard_of_begins_it() -> None:
    run = fold(None, {"type": "run_heartbeat", "runId": RUN.upper(), "at": "2026-12-01T09:00:00Z"})
    assert (run.run_id, run.finished, run.orphaned) == (RUN, False, False)


@pytest.mark.parametrize("event", [{}, {"type": "x"}, {"type": "x", "runId": 7}, {"type": "x", "runId": "../x"}])
def test_what_belongs_to_no_run_is_no_event(event: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="no event"):
        fold(None, event)


def test_types_and_fields_nobody_knows_only_say_that_it_lives(says: Publisher) -> None:
    says.start()
    before = detail(folded(says.events))
    says.say("scenario_dreamt", uid="Send/One", of="sheep")
    says.say("run_heartbeat", at=says.at(), mood="good")
    assert detail(folded(says.events)) == before


@pytest.mark.parametrize("wrong", [7, None, "x", [], {}, True, 2**70, float("nan"), float("inf")])
def test_a_field_of_a_wrong_shape_is_as_if_it_were_not_there(wrong: Any) -> None:
    says = Publisher()
    says.start(total=1)
    says.scenario("Send/One", "Failed", "PassOnRetry")
    says.lane(0, "Send/One")
    says.forwarded("a-test", "Passed")
    says.say("worker_faulted", lane=0, fault="died", exitCode=139, standardError="boom", at=says.at())
    says.say("test_stalled", uid="a-test", displayName="A", inFlightMs=9, at=says.at())
    says.say("run_progress", elapsedMs=1, done=1, total=2, inFlight=1, at=says.at())
    says.finish(0, on_retry=1)
    for event in says.events:
        for name in event:
            if name not in ("type", "runId"):
                assert detail(folded([*says.events, {**event, name: wrong}])).run.run_id == RUN
                detail(folded([{**event, name: wrong}]))


class TestAttempts:
    """Numbers never go back, and what was before is kept."""

    def test_a_clean_pass_has_one(self, says: Publisher) -> None:
        says.scenario("Send/One", "CleanPass")
        assert outcomes(the(says)) == [(1, "CleanPass")]

    @pytest.mark.parametrize("fresh", [False, True])
    def test_a_retry_is_the_number_it_was_scheduled_under_however_its_worker_counts(self, fresh: bool) -> None:
        says = Publisher(fresh=fresh)
        says.scenario("Send/One", "Failed", "Failed", "PassOnRetry")
        scenario = the(says)
        assert outcomes(scenario) == [(1, "Failed"), (2, "Failed"), (3, "PassOnRetry")]
        assert scenario.retry_reasons == ("it failed 2", "it failed 3")
        assert [one.reason for one in scenario.attempts] == ["it failed 2", "it failed 3", None]
        assert [one.error_message for one in scenario.attempts] == ["expected 1", "expected 2", None]
        assert [len(one.steps) for one in scenario.attempts] == [2, 2, 2]
        shown = detail(folded(says.events)).scenarios[0]
        assert (shown.attempt, shown.attempts, shown.outcome, shown.duration_ms) == (3, 3, "PassOnRetry", 30)

    def test_a_new_attempt_has_no_outcome_and_no_steps_and_keeps_the_one_before(self, says: Publisher) -> None:
        says.scenario("Send/One", "Failed")
        says.say("retry_scheduled", uid="Send/One", nextAttempt=2, disposition="", reason="again")
        says.say("scenario_started", uid="Send/One", feature="Send", scenario="One", attempt=1, at=says.at())
        shown = detail(folded(says.events)).scenarios[0]
        assert (shown.outcome, shown.attempt, shown.attempts, shown.steps) == (None, 2, None, ())
        assert outcomes(the(says)) == [(1, "Failed"), (2, None)]

    def test_the_number_of_a_finish_is_a_floor_and_so_is_what_was_seen(self, says: Publisher) -> None:
        says.say("scenario_started", uid="Send/One", feature="Send", scenario="One", attempt=3, at=says.at())
        says.say("scenario_finished", uid="Send/One", outcome="Failed", attempts=1, durationMs=4)
        shown = detail(folded(says.events)).scenarios[0]
        assert (shown.outcome, shown.attempt, shown.attempts) == ("Failed", 3, 3)
        says.say("scenario_finished", uid="Send/One", outcome="PassOnRetry", attempts=5, durationMs=4)
        shown = detail(folded(says.events)).scenarios[0]
        assert (shown.outcome, shown.attempt, shown.attempts) == ("PassOnRetry", 5, 5)

    def test_a_start_of_an_attempt_that_was_seen_changes_nothing(self, says: Publisher) -> None:
        says.scenario("Send/One", "Failed", "PassOnRetry")
        before = detail(folded(says.events))
        for event in [one for one in says.events if one["type"] == "scenario_started"]:
            assert detail(folded([*says.events, event])) == before

    def test_a_start_heard_again_does_not_take_the_number_that_a_retry_waits_with(self, says: Publisher) -> None:
        says.scenario("Send/One", "Failed")
        says.say("retry_scheduled", uid="Send/One", nextAttempt=2, disposition="", reason="again")
        again = next(one for one in says.events if one["type"] == "scenario_started")
        assert outcomes(folded([*says.events, again]).scenarios["Send/One"]) == [(1, "Failed")]

    def test_a_retry_is_pinned_even_when_every_event_has_the_same_time(self) -> None:
        at = "2026-12-01T09:00:00Z"
        says = Publisher()
        for _ in range(2):
            says.say("scenario_started", uid="Send/One", feature="Send", scenario="One", attempt=1, at=at)
            says.say("scenario_finished", uid="Send/One", outcome="Failed", attempts=1, durationMs=1, at=at)
            says.say("retry_scheduled", uid="Send/One", nextAttempt=2, disposition="", reason="again")
        assert outcomes(the(says)) == [(1, "Failed"), (2, "Failed")]

    def test_an_attempt_that_nobody_announced_is_there_all_the_same(self, says: Publisher) -> None:
        says.say("scenario_finished", uid="Send/One", outcome="Failed", attempts=2, durationMs=1)
        assert outcomes(the(says))[-1] == (2, "Failed")

    def test_names_come_from_the_uid_until_somebody_says_them(self, says: Publisher) -> None:
        says.say("retry_scheduled", uid="Send/One/more", nextAttempt=2, disposition="", reason="")
        says.say("step_started", uid="alone", stepId="s", kind="Given", text="x")
        run = folded(says.events)
        assert [(one.feature, one.scenario) for one in run.scenarios.values()] == [("Send", "One/more"), ("", "alone")]

    def test_types_that_were_touched_stay_when_a_later_word_has_none(self, says: Publisher) -> None:
        touched = [{"name": "A", "fullName": "N.A", "assemblyName": "N"}]
        end = {"uid": "Send/One", "outcome": "CleanPass", "attempts": 1, "durationMs": 1}
        says.say("scenario_finished", **end, touchedTypes=touched)
        says.say("scenario_finished", **end)
        assert the(says).touched_types == tuple(touched)


class TestForwarded:
    """Tests of foreign workers, which a supervisor forwards."""

    @pytest.mark.parametrize(
        ("state", "outcome"),
        [("Passed", "CleanPass"), ("Skipped", "CleanPass"), ("Failed", "Failed"), ("Error", "Failed"),
         ("Timeout", "Failed"), ("Cancelled", "Failed"), ("Wobbly", "Failed"), ("", "Failed"), ("passed", "Failed")],
    )  # fmt: skip
    def test_a_state_that_nobody_knows_is_a_failure_and_a_skip_a_clean_pass(self, state: str, outcome: str) -> None:
        says = Publisher()
        says.forwarded("guid-1", state)
        scenario = the(says, "guid-1")
        assert (scenario.outcome, scenario.current.state, scenario.scenario) == (outcome, state, "Shown guid-1")

    def test_it_runs_until_it_finished_and_again_when_it_starts_anew(self, says: Publisher) -> None:
        says.say("test_started", uid="t", displayName="T", at=says.at())
        assert the(says, "t").outcome is None
        says.forwarded("t", "Failed")
        assert the(says, "t").outcome == "Failed"
        says.say("test_started", uid="t", displayName="T", at=says.at())
        assert outcomes(the(says, "t")) == [(1, "Failed"), (2, None)]
        says.forwarded("t", "Passed")
        assert outcomes(the(says, "t")) == [(1, "Failed"), (2, "PassOnRetry")]

    @pytest.mark.parametrize("first", ["own", "forwarded"])
    @pytest.mark.parametrize("own", ["scenario", "step"])
    def test_the_workers_own_word_wins_in_either_order(self, first: str, own: str) -> None:
        mine, theirs = Publisher(), Publisher()
        if own == "scenario":
            mine.scenario("Send/One", "CleanPass")
        else:
            mine.say("step_started", uid="Send/One", stepId="s", kind="Given", text="x")
        theirs.forwarded("Send/One", "Failed")
        events = mine.events + theirs.events if first == "own" else theirs.events + mine.events
        scenario = folded(events).scenarios["Send/One"]
        assert scenario.outcome == ("CleanPass" if own == "scenario" else None)
        assert scenario.scenario == "One"


class TestLanes:
    """A lane's passes, and what is heard of them again."""

    def test_a_lane_runs_finishes_and_is_handed_more(self, says: Publisher) -> None:
        says.say("worker_started", purpose="Lane", lane=1, processId=77, at=says.at())
        says.say("lane_started", lane=1, uids=["Send/One", "Send/Two"], at=says.at())
        says.scenario("Send/One", "CleanPass")
        says.say("scenario_started", uid="Send/Two", feature="Send", scenario="Two", attempt=1, at=says.at())
        (lane,) = detail(folded(says.events)).lanes
        assert (lane.lane, lane.status, lane.passes, lane.process_id) == (1, "running", 1, 77)
        assert (lane.uids, lane.running) == (("Send/One", "Send/Two"), ("Send/Two",))
        says.say("lane_finished", lane=1, outcomes=2, crashed=True, at=says.at())
        (lane,) = detail(folded(says.events)).lanes
        assert (lane.status, lane.outcomes) == ("crashed", 2)

    @pytest.mark.parametrize(
        ("said", "kept"),
        [
            ({"Send/One": "Failed", "Send/Two": "CleanPass"}, {"Send/One": "Failed", "Send/Two": "CleanPass"}),
            ([{"uid": "Send/One"}], [{"uid": "Send/One"}]), ({}, {}), (3, 3), (None, None), ("all", None), (True, None),
        ],
    )  # fmt: skip
    def test_what_a_pass_came_to_is_kept_as_it_was_said(self, says: Publisher, said: Any, kept: Any) -> None:
        says.say("lane_finished", lane=0, outcomes=said, crashed=False, at=says.at())
        (lane,) = detail(folded(says.events)).lanes
        assert lane.outcomes == kept

    def test_a_lane_that_is_handed_more_runs_again(self, says: Publisher) -> None:
        says.lane(1, "Send/One")
        says.lane(1, "Send/Two")
        (lane,) = detail(folded(says.events)).lanes
        assert (lane.status, lane.passes, lane.uids, lane.outcomes) == ("finished", 2, ("Send/Two",), 1)

    def test_an_older_start_or_finish_is_heard_again_and_changes_nothing(self, says: Publisher) -> None:
        says.lane(0, "Send/One")
        old = list(says.events)
        says.say("lane_started", lane=0, uids=["Send/Two"], at=says.at())
        before = detail(folded(says.events))
        assert before.lanes[0].passes == 2
        for event in [*old, says.events[-1]]:
            assert detail(folded([*says.events, event])) == before

    def test_a_finish_that_overtook_its_start_is_of_that_pass(self, says: Publisher) -> None:
        says.lane(0, "Send/One")
        assert detail(folded(says.events[::-1])) == detail(folded(says.events))

    @pytest.mark.parametrize("type", ["resource_recycled", "worker_faulted", "test_stalled"])
    def test_the_same_recycle_fault_or_stall_counts_once(self, says: Publisher, type: str) -> None:
        fields = {"resource": "postgres", "fault": "died", "lane": 0, "uid": "a", "displayName": "A", "inFlightMs": 5}
        for at in ("2026-12-01T09:00:02Z", "2026-12-01T09:00:01Z", "2026-12-01T09:00:02Z"):
            says.say(type, **fields, at=at)
        shown = detail(folded(says.events))
        found = (*shown.recycles, *shown.worker_faults, *shown.stalls)
        assert [one.at for one in found] == ["2026-12-01T09:00:01.000Z", "2026-12-01T09:00:02.000Z"]

    def test_progress_never_goes_back(self, says: Publisher) -> None:
        for elapsed, done in ((1000, 3), (3000, 9), (2000, 6)):
            says.say("run_progress", elapsedMs=elapsed, done=done, total=12, inFlight=2, at=says.at())
        progress = folded(says.events).progress
        assert progress is not None and (progress.done, progress.total) == (9, 12)


class TestVerdict:
    """What a run is evidence of."""

    @pytest.mark.parametrize(
        ("exit_code", "passed", "failed", "on_retry", "indeterminate", "verdict"),
        [
            (0, 3, 0, 0, 0, "passed"), (0, 2, 0, 1, 0, "passed"), (0, 0, 0, 1, 0, "passed"),
            (1, 2, 1, 0, 0, "failed"), (2, 2, 1, 0, 1, "failed"), (0, 2, 1, 0, 0, "failed"),
            (2, 2, 0, 0, 1, "unknown"), (2, 3, 0, 0, 0, "unknown"), (0, 2, 0, 0, 1, "unknown"),
            (1, 3, 0, 0, 0, "failed"), (139, 3, 0, 0, 0, "failed"), (0, 0, 0, 0, 0, "unknown"),
        ],
    )  # fmt: skip
    def test_one_failure_is_red_and_what_nobody_knows_is_neither(
        self, exit_code: int, passed: int, failed: int, on_retry: int, indeterminate: int, verdict: str
    ) -> None:
        says = Publisher()
        says.start()
        says.finish(exit_code, passed, failed, on_retry, indeterminate)
        assert folded(says.events).verdict == verdict

    def test_a_run_in_which_everything_was_skipped_proves_nothing(self, says: Publisher) -> None:
        says.forwarded("t", "Skipped")
        says.finish(0, passed=1)
        assert folded(says.events).verdict == "unknown"

    def test_one_that_goes_on_has_none_and_counts_what_it_has(self, says: Publisher) -> None:
        says.start(total=9)
        for uid, outcome in (("F/a", "CleanPass"), ("F/b", "Failed"), ("F/c", "Aborted"), ("F/d", "Odd")):
            says.scenario(uid, outcome)
        says.scenario("F/e", "Failed", "PassOnRetry")
        says.say("scenario_started", uid="F/f", feature="F", scenario="f", attempt=1, at=says.at())
        run = folded(says.events)
        shown = summary(run)
        assert run.verdict is None
        assert (shown.passed, shown.failed, shown.passed_on_retry, shown.indeterminate) == (1, 1, 1, 2)
        assert (shown.scenarios, shown.scenarios_finished, shown.total_scenarios) == (6, 5, 9)

    def test_what_the_end_says_of_its_counts_is_what_counts(self, says: Publisher) -> None:
        says.scenario("F/a", "CleanPass")
        says.finish(1, passed=40, failed=2, on_retry=3, indeterminate=1)
        shown = summary(folded(says.events))
        assert (shown.passed, shown.failed, shown.passed_on_retry, shown.indeterminate) == (40, 2, 3, 1)

    def test_specs_are_those_that_were_seen_to_pass_or_fail(self, says: Publisher) -> None:
        says.scenario("F/green", "CleanPass")
        says.scenario("F/late", "Failed", "PassOnRetry")
        says.scenario("F/red", "Failed")
        says.scenario("F/cut", "Aborted")
        says.forwarded("F/skipped", "Skipped")
        wanted = ("F/red", "F/late", "F/skipped", "F/cut", "F/green", "F/none")
        assert folded(says.events).specs(wanted) == (("F/late", "F/green"), ("F/red",))

    def test_what_failed_and_was_skipped_then_is_skipped_and_no_pass_on_retry(self, says: Publisher) -> None:
        says.forwarded("F/a", "Failed", "Skipped")
        run = folded(says.events)
        assert (run.scenarios["F/a"].skipped, run.counts.passed_on_retry, run.specs(("F/a",))) == (True, 0, ((), ()))

    def test_how_far_it_is_its_supervisor_knows_best(self, says: Publisher) -> None:
        says.start(total=120)
        says.scenario("F/a", "CleanPass")
        for uid in ("F/a", "F/b", "F/b"):
            says.say("test_stalled", uid=uid, displayName=uid, inFlightMs=9, at=says.at())
        assert folded(says.events).done == (1, 120, 1)
        says.say("run_progress", elapsedMs=5, done=37, total=118, inFlight=2, at=says.at())
        assert folded(says.events).done == (37, 118, 1)

    def test_events_that_its_publisher_dropped_are_told(self, says: Publisher) -> None:
        says.finish(0, passed=9)["droppedEvents"] = 3
        assert detail(folded(says.events)).dropped_events == 3

    def test_an_orphan_is_one_no_longer_when_it_says_something(self, says: Publisher) -> None:
        run = folded([says.start()])
        run.orphaned = True
        assert run.verdict is None
        assert not fold(run, says.say("run_heartbeat", at=says.at())).orphaned
