"""A stream heard doubled, cut, in another order: the run is the same, as far as the events can tell."""

from __future__ import annotations

import random
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from stoat.plan.monitor.fold import fold
from stoat.plan.monitor.run import Run
from stoat.plan.monitor.shown import RunDetail, detail
from tests.support.streams import RUN, Publisher

Events = list[dict[str, Any]]

ENDS = ("CleanPass", "Failed", "PassOnRetry", "Aborted")


@st.composite
def streams(draw: st.DrawFn, retries: int = 2) -> Events:
    """What a run of a few scenarios says, in order; each is tried again at most so often."""
    says = Publisher(fresh=draw(st.booleans()))
    says.start(total=draw(st.one_of(st.none(), st.integers(0, 9))))
    for place in range(draw(st.integers(0, 3))):
        tries = ["Failed"] * draw(st.integers(0, retries))
        says.scenario(f"F/{place}", *tries, draw(st.sampled_from(ENDS)), steps=draw(st.integers(0, 3)))
    for place in range(draw(st.integers(0, 2))):
        says.forwarded(
            f"t{place}", *draw(st.lists(st.sampled_from(["Passed", "Failed", "Skipped", "Odd"]), max_size=3))
        )
    for _ in range(draw(st.integers(0, 2))):
        says.lane(draw(st.integers(0, 1)), "F/0", "F/1", crashed=draw(st.booleans()))
    for type in draw(st.lists(st.sampled_from(["resource_recycled", "worker_faulted", "test_stalled"]), max_size=3)):
        says.say(type, resource="db", fault="died", uid="t0", displayName="T", inFlightMs=3, lane=1, at=says.at())
    if draw(st.booleans()):
        says.finish(draw(st.sampled_from([0, 1, 2])), 2, 0, 1, 0)
    return says.events


def read(events: Events) -> RunDetail:
    """What a run of these events is shown as."""
    run = Run(RUN)
    for event in events:
        fold(run, event)
    return detail(run)


def told(shown: RunDetail) -> Any:
    """What does not hang on which attempt a step was of: an event of a step does not say that."""
    scenarios = [(one.uid, one.outcome, one.attempt, one.attempts, one.retry_reasons) for one in shown.scenarios]
    return shown.run, scenarios, shown.recycles, shown.worker_faults, shown.stalls


@given(streams())
def test_a_stream_heard_twice_is_a_stream_heard_once(events: Events) -> None:
    assert read(events + events) == read(events)


@given(streams(), st.data())
def test_a_stream_of_an_older_publisher_heard_again_is_a_stream_heard_once(events: Events, data: st.DataObject) -> None:
    later = ("stepNumber", "scenarioElapsedMs", "totalSteps")
    old = [{name: value for name, value in event.items() if name not in later} for event in events]
    assert read(old + old) == read(old)
    assert read([event for event in old for _ in range(2)]) == read(old)
    cut = data.draw(st.integers(0, len(old)))
    assert told(read(old[:cut] + old)) == told(read(old))


@given(streams())
def test_every_event_heard_twice_in_a_row_is_heard_once(events: Events) -> None:
    assert read([event for event in events for _ in range(2)]) == read(events)


@given(streams(), st.data())
def test_a_batch_that_was_sent_again_changes_nothing(events: Events, data: st.DataObject) -> None:
    begin = data.draw(st.integers(0, len(events)))
    end = data.draw(st.integers(begin, len(events)))
    assert told(read(events[:end] + events[begin:])) == told(read(events))


@given(streams(retries=0), st.data())
def test_nor_does_it_change_the_steps_of_what_was_tried_once(events: Events, data: st.DataObject) -> None:
    begin = data.draw(st.integers(0, len(events)))
    end = data.draw(st.integers(begin, len(events)))
    assert read(events[:end] + events[begin:]) == read(events)


@given(streams(), st.data())
def test_a_cut_stream_that_is_sent_again_from_the_beginning_is_whole(events: Events, data: st.DataObject) -> None:
    cut = data.draw(st.integers(0, len(events)))
    assert read(events[:cut] + events) == read(events)


@given(streams(), st.randoms(use_true_random=False))
def test_any_order_gives_the_same_outcomes_attempts_and_counts(events: Events, chance: random.Random) -> None:
    shuffled = [event for event in events if not event["type"].startswith("lane_")]
    chance.shuffle(shuffled)
    assert told(read(shuffled)) == told(read([one for one in events if not one["type"].startswith("lane_")]))


@given(streams(retries=0), st.randoms(use_true_random=False))
def test_any_order_of_scenarios_tried_once_gives_the_same_steps_too(events: Events, chance: random.Random) -> None:
    once = [event for event in events if not event["type"].startswith("lane_")]
    shuffled = list(once)
    chance.shuffle(shuffled)
    assert read(shuffled).scenarios == read(once).scenarios


@given(streams(), st.randoms(use_true_random=False))
def test_any_order_leaves_a_lane_on_its_newest_pass(events: Events, chance: random.Random) -> None:
    lanes = [event for event in events if event["type"].startswith("lane_")]
    shuffled = list(lanes)
    chance.shuffle(shuffled)

    def newest(of: Events) -> Any:
        # How many passes there were cannot be told of starts that came in the wrong order.
        return [(one.lane, one.started_at, one.finished_at, one.status, one.outcomes) for one in read(of).lanes]

    assert newest(shuffled) == newest(lanes)


@given(st.permutations(range(12)))
def test_two_streams_that_are_heard_into_each_other_stay_two(order: list[int]) -> None:
    runs: dict[str, Run] = {}
    both = []
    for run_id in ("r-1", "r-2"):
        says = Publisher(run_id)
        says.start()
        says.scenario("F/a", "CleanPass", steps=1)
        says.finish(0, 1)
        both += says.events
    for place in sorted(order, key=lambda place: (order[place], place)):
        event = both[place]
        runs[event["runId"]] = fold(runs.get(event["runId"]), event)
    assert {run_id: (run.verdict, run.heard) for run_id, run in runs.items()} == {
        "r-1": ("passed", 6), "r-2": ("passed", 6),
    }  # fmt: skip
