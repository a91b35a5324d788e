"""Steps whose ids repeat, and whose starts and finishes are heard in whatever order."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from stoat.plan.monitor.steps import StepLog

Said = tuple[str, dict[str, Any]]


def began(number: int | None = None, elapsed: int | None = None, step: str = "X", **more: Any) -> Said:
    """step_started."""
    return "start", {
        "stepId": step, "kind": "Given", "text": f"{step} {number}", "stepNumber": number,
        "scenarioElapsedMs": elapsed, **more,
    }  # fmt: skip


def ended(status: str = "success", elapsed: int | None = None, step: str = "X", took: int = 5) -> Said:
    """step_finished."""
    return "finish", {"stepId": step, "status": status, "durationMs": took, "scenarioElapsedMs": elapsed}


def read(*said: Said) -> list[tuple[str, str]]:
    """Each step's text with its status."""
    log = StepLog()
    for take, event in said:
        getattr(log, take)(event)
    return [(step.text, step.status) for step in log.read()]


def test_a_finish_goes_to_the_first_occurrence_that_still_runs() -> None:
    two = [began(1), began(2)]
    assert read(*two, ended("failed")) == [("X 1", "failed"), ("X 2", "running")]
    assert read(*two, ended("failed"), ended("ok")) == [("X 1", "failed"), ("X 2", "ok")]
    assert read(began(1), ended("failed"), began(2), ended("ok")) == [("X 1", "failed"), ("X 2", "ok")]


def test_two_occurrences_may_end_in_the_same_words() -> None:
    assert read(began(1), ended(), began(2), ended()) == [("X 1", "success"), ("X 2", "success")]


def test_a_finish_heard_again_is_not_the_next_occurrences() -> None:
    first = [began(1, 0), ended("success", 10)]
    assert read(*first, first[1], began(2, 12)) == [("X 1", "success"), ("X 2", "running")]
    assert read(*first, began(2, 12), first[1]) == [("X 1", "success"), ("X 2", "running")]
    assert read(began(1), ended("failed"), ended("failed"), began(2)) == [("X 1", "failed"), ("X 2", "running")]


def test_every_order_of_timed_steps_is_the_same() -> None:
    said = [began(1, 0), ended("failed", 10), began(2, 12), ended("success", 20), began(3, 21, step="Y")]
    for order in itertools.permutations(said):
        assert read(*order) == [("X 1", "failed"), ("X 2", "success"), ("Y 3", "running")]


def test_a_start_is_its_numbers_and_without_one_its_ids() -> None:
    assert read(began(1), began(1), began(1, step="Y")) == [("Y 1", "running")]
    assert read(began(), began(), ended()) == [("X None", "success")]
    assert read(began(elapsed=1), began(elapsed=2), ended(elapsed=3)) == [("X None", "success"), ("X None", "running")]


def test_a_step_without_number_and_time_that_comes_again_after_its_end_is_two() -> None:
    plain = [began(), ended("failed"), began(), ended("success")]
    assert read(*plain) == [("X None", "failed"), ("X None", "success")]
    assert read(*plain[:3]) == [("X None", "failed"), ("X None", "running")]
    # They may end alike, and another's may stand between.
    alike = [began(), ended(), began(step="Y"), ended(step="Y"), began(), ended()]
    assert [status for _, status in read(*alike)] == ["success"] * 3
    assert read(*[one for one in plain for _ in range(2)]) == read(*plain)


@pytest.mark.parametrize("cut", range(7))
def test_an_attempt_without_numbers_that_is_told_once_more_has_the_same_steps(cut: int) -> None:
    said = [began(), ended(), began(), ended("failed"), began(), ended()]
    log = StepLog()
    for part in (said[:cut], said, said):
        log.rewind()
        for take, event in part:
            getattr(log, take)(event)
    assert [step.status for step in log.read()] == ["success", "failed", "success"]


def test_a_finish_whose_start_was_lost_is_told_once() -> None:
    assert read(ended("failed"), ended("failed")) == [("", "failed")]
    assert read(ended("failed"), began(1)) == [("X 1", "failed")]


def test_steps_are_in_the_order_of_their_numbers() -> None:
    assert [text for text, _ in read(began(3), began(1), began(step="Z"), began(2))] == ["X 1", "X 2", "X 3", "Z None"]


@pytest.mark.parametrize("after", [False, True])
def test_progress_is_of_the_running_occurrence(after: bool) -> None:
    log = StepLog()
    log.start(began(1, 0)[1])
    if after:
        log.finish(ended(elapsed=5)[1])
    for elapsed, row in ((10, 1), (30, 3), (20, 2)):
        log.advance({"stepId": "X", "row": row, "totalRows": 9, "elapsedMs": elapsed})
    (step,) = log.read()
    assert (step.progress is None) is after
    assert after or (step.progress is not None and step.progress.row == 3)
