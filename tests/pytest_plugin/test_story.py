"""The story of a run: attempts, outcomes and what it amounts to, without any pytest."""

from __future__ import annotations

from typing import Any

import pytest

from stoat.plan.monitor.fold import fold
from stoat.plan.monitor.run import Run
from stoat.pytest_plugin.names import Name
from stoat.pytest_plugin.story import LONGEST_MESSAGE, Report, Story

RUN = "0fd1a1a4-3c5c-4a60-9a0a-6d0d6a0f0001"
IT = Name("f", "s")


class Told:
    """A story and the events that it told, with a clock that goes on a second at every look."""

    def __init__(self, total: int | None = 1, owned: bool = False) -> None:
        self.events: list[dict[str, Any]] = []
        self.seconds = 0
        self.story = Story(RUN, self.events.append, self.now, owned)
        self.story.begin({"suite": "s", "mode": "pytest", "tag": "p/n"}, total)

    def now(self) -> str:
        self.seconds += 1
        return f"2026-12-01T00:{self.seconds // 60:02}:{self.seconds % 60:02}.000Z"

    def phases(self, *phases: str, key: str = "k", name: Name = IT, start: bool = True) -> Told:
        """One attempt: `setup`, `call!` (failed), `call-` (skipped), `call~` (to be run again)."""
        if start:
            self.story.start(key, name)
        marks = {"!": "failed", "-": "skipped", "~": "rerun"}
        for phase in phases:
            outcome = marks.get(phase[-1], "passed")
            when = phase.rstrip("".join(marks))
            self.story.report(key, Report(when, outcome, 0.25, "" if outcome == "passed" else f"{when} trouble"))
        return self

    def finish(self, code: int) -> dict[str, Any]:
        self.story.finish(code)
        assert all(event["runId"] == RUN for event in self.events)
        return self.events[-1]

    def folded(self) -> Run:
        run = None
        for event in self.events:
            run = fold(run, event)
        assert run is not None
        return run


@pytest.mark.parametrize(
    ("phases", "outcome", "message"),
    [
        (("setup", "call", "teardown"), "CleanPass", None),
        (("setup", "call!", "teardown"), "Failed", "call trouble"),
        (("setup!", "teardown"), "Failed", "setup trouble"),
        (("setup", "call", "teardown!"), "Failed", "teardown trouble"),
        (("setup", "call!", "teardown!"), "Failed", "call trouble"),
        (("setup-", "teardown"), "CleanPass", None),
        (("setup-", "teardown!"), "Failed", "teardown trouble"),
        (("setup", "call-", "teardown"), "CleanPass", None),
        (("setup", "???!"), "Failed", "??? trouble"),
    ],
)
def test_a_test_comes_to_what_its_phases_say(phases: tuple[str, ...], outcome: str, message: str | None) -> None:
    told = Told().phases(*phases)
    finished = told.events[-1]
    assert (finished["type"], finished["outcome"], finished["errorMessage"]) == ("scenario_finished", outcome, message)
    assert finished["durationMs"] == 250 * len(phases)


def test_what_was_skipped_is_a_clean_pass_that_says_so() -> None:
    told = Told().phases("setup-", "teardown")
    assert (told.events[-1]["state"], told.events[-1]["reason"]) == ("Skipped", "setup trouble")
    assert told.finish(0)["skipped"] == 1
    again = Told().phases("setup", "call~").phases("setup-", "teardown")
    counts = again.finish(0)
    assert (counts["passed"], counts["passedOnRetry"], counts["skipped"]) == (1, 0, 1)
    assert again.folded().scenarios[IT.uid].skipped


@pytest.mark.parametrize("starts_again", [True, False])
@pytest.mark.parametrize("teardown_told", [True, False])
def test_a_rerun_is_a_second_attempt_however_its_plugin_tells_it(starts_again: bool, teardown_told: bool) -> None:
    told = Told().phases("setup", "call~", *(("teardown",) if teardown_told else ()))
    told.phases("setup", "call", "teardown", start=starts_again)
    assert [(event["type"], event.get("outcome")) for event in told.events[1:]] == [
        ("scenario_started", None),
        ("scenario_finished", "Failed"),
        ("retry_scheduled", None),
        ("scenario_started", None),
        ("scenario_finished", "PassOnRetry"),
    ]
    finished = told.finish(0)
    assert (finished["passed"], finished["passedOnRetry"], finished["failed"]) == (0, 1, 0)
    run = told.folded()
    assert run.scenarios["f/s"].retry_reasons == ("call trouble",)
    assert [attempt.outcome for attempt in run.scenarios["f/s"].attempts] == ["Failed", "PassOnRetry"]
    assert run.verdict == "passed"


def test_reruns_that_do_not_help_leave_it_failed_once() -> None:
    told = Told().phases("setup", "call~").phases("setup", "call~").phases("setup", "call!", "teardown")
    assert told.events[-1]["attempts"] == 3
    assert told.finish(1)["failed"] == 1
    assert told.folded().verdict == "failed"


def test_a_call_that_a_plugin_kept_to_itself_is_an_attempt_too() -> None:
    told = Told()
    told.story.start("k", IT)
    told.story.report("k", Report("setup", "passed"))
    told.story.report("k", Report("teardown", "passed", unlogged="assert 0"))
    told.phases("setup", "call", "teardown")
    assert [event["type"] for event in told.events[2:4]] == ["scenario_finished", "retry_scheduled"]
    assert told.events[-1]["outcome"] == "PassOnRetry"


def test_a_call_that_passed_and_is_made_again_is_no_retry() -> None:
    told = Told()
    told.story.start("k", IT)
    told.story.report("k", Report("teardown", "passed", unlogged=""))
    told.phases("setup", "call", "teardown")
    assert told.events[-1]["outcome"] == "CleanPass"
    assert [event["type"] for event in told.events[1:]] == ["scenario_started", "scenario_finished"]


def test_the_same_test_twice_is_two_rows_of_it_and_not_a_retry() -> None:
    told = Told(2).phases("setup", "call!", "teardown").phases("setup", "call", "teardown")
    assert set(told.folded().scenarios) == {"f/s", "f/s[2]"}
    assert told.finish(1)["failed"] == 1


def test_two_tests_of_one_name_are_told_apart() -> None:
    told = Told(2).phases("setup", "call", "teardown", key="a").phases("setup", "call!", "teardown", key="b")
    assert set(told.folded().scenarios) == {"f/s", "f/s[2]"}


def test_a_failed_subtest_counts_and_a_skipped_one_does_not() -> None:
    told = Told()
    told.story.start("k", IT)
    told.story.report("k", Report("call", "skipped", part=True, message="no"))
    told.phases("call", "teardown", start=False)
    assert "state" not in told.events[-1]
    told.story.start("l", Name("f", "t"))
    told.story.report("l", Report("call", "failed", part=True, message="no"))
    told.phases("call", "teardown", key="l", name=Name("f", "t"), start=False)
    assert told.events[-1]["outcome"] == "Failed"


@pytest.mark.parametrize(
    ("ran", "total", "code", "indeterminate", "verdict"),
    [
        (("setup", "call", "teardown"), 1, 0, 0, "passed"),
        (("setup", "call", "teardown"), 3, 0, 2, "unknown"),  # pytest.exit(returncode=0) half-way
        (("setup", "call!", "teardown"), 3, 1, 0, "failed"),  # -x
        (("setup",), 3, 2, 3, "unknown"),  # Ctrl-C within a test
        (("setup", "call", "teardown"), 1, 3, 1, "unknown"),  # an internal error
        (("setup", "call", "teardown"), 1, 1, 0, "failed"),  # a plugin makes it fail: coverage
        ((), 0, 5, 1, "unknown"),  # nothing was collected
        ((), None, 4, 1, "unknown"),
    ],
)
def test_a_run_is_green_only_when_all_of_it_ran(
    ran: tuple[str, ...], total: int | None, code: int, indeterminate: int, verdict: str
) -> None:
    told = Told(total)
    if ran:
        told.phases(*ran)
    assert told.finish(code)["indeterminate"] == indeterminate
    assert told.folded().verdict == verdict


def test_a_module_that_could_not_be_collected_is_told_once_and_leaves_the_run_unknown() -> None:
    told = Told(0)
    for _ in range(2):
        told.story.broken(Name("tests.test_a", "tests.test_a"), "SyntaxError")
    assert [event["uid"] for event in told.events[1:]] == ["tests.test_a/(collection)"] * 2
    assert told.finish(2)["indeterminate"] == 1
    assert told.folded().verdict == "unknown"


def test_what_comes_before_the_start_is_told_after_it() -> None:
    events: list[dict[str, Any]] = []
    story = Story(RUN, events.append, lambda: "2026-12-01T00:00:00.000Z")
    story.worker_up(0, 12)
    assert events == []
    story.begin({}, 3)
    assert [event["type"] for event in events] == ["run_started", "worker_started", "lane_started"]


def test_a_run_that_somebody_else_owns_has_no_start_and_no_end() -> None:
    told = Told(owned=True).phases("setup", "call", "teardown")
    told.story.finish(0)
    assert [event["type"] for event in told.events] == ["scenario_started", "scenario_finished"]


def test_lanes_say_how_many_tests_they_decided_and_that_they_crashed() -> None:
    told = Told(2)
    told.story.worker_up(0, 12)
    told.story.start("k", IT)
    told.story.report("k", Report("call", "passed", lane=0))
    told.story.report("k", Report("teardown", "passed", lane=0))
    told.story.worker_down(0, "Not properly terminated")
    told.story.worker_down(0, None)
    assert [event["type"] for event in told.events[-2:]] == ["worker_faulted", "lane_finished"]
    assert (told.events[-1]["outcomes"], told.events[-1]["crashed"]) == (1, True)
    lane = next(iter(told.folded().lanes.values()))
    assert (lane.status, lane.outcomes, lane.process_id) == ("crashed", 1, 12)


def test_a_long_error_is_cut() -> None:
    told = Told()
    told.story.start("k", IT)
    told.story.report("k", Report("setup", "failed", message="x" * 100_000))
    told.phases("teardown", start=False)
    assert len(told.events[-1]["errorMessage"]) == LONGEST_MESSAGE


@pytest.mark.parametrize(
    ("rows", "state"),
    [
        ({"f/s[1]": "setup call teardown", "f/s[2]": "setup call teardown"}, "green"),
        ({"f/s[1]": "setup call teardown", "f/s[2]": "setup call! teardown"}, "red"),
        ({"f/s[1]": "setup call teardown", "f/s[2]": "setup- teardown"}, "green"),
        ({"f/s[1]": "setup- teardown", "f/s[2]": "setup- teardown"}, "neither"),
        ({"f/s[1]": "setup call teardown", "f/s[2]": "setup"}, "neither"),
        ({"f/s": "setup call teardown", "f/s[2]": "setup call! teardown"}, "red"),
        ({"f/s more[1]": "setup call teardown", "f/s[2] more": "setup call! teardown"}, "neither"),
    ],
)
def test_the_rows_of_a_table_decide_the_spec_of_their_scenario(rows: dict[str, str], state: str) -> None:
    told = Told(len(rows))
    for uid, phases in rows.items():
        told.phases(*phases.split(), key=uid, name=Name("f", uid.removeprefix("f/")))
    told.finish(1)
    expected = {"green": (("f/s",), ()), "red": ((), ("f/s",)), "neither": ((), ())}[state]
    assert told.folded().specs(("f/s", "f/other")) == expected
