"""Waiting: what is looked at, when again, and when it is over."""

from __future__ import annotations

import json
import threading
import time

import pytest

from stoat.errors import NotFound, Unreachable
from stoat.observe.archive import Archive
from stoat.service import awaiting
from tests.service.conftest import As
from tests.support.streams import RUN, Publisher


def test_it_looks_again_only_when_something_changed() -> None:
    looks, changes = [], iter([1, 1, 1, 2, *[2] * 1000])

    def look() -> str | None:
        looks.append(time.monotonic())
        return "seen" if len(looks) == 2 else None

    assert awaiting.wait(look, lambda: next(changes), 30) == "seen"
    assert len(looks) == 2
    assert looks[1] - looks[0] >= awaiting.LOOK_AGAIN


def test_a_change_between_looking_and_waiting_is_not_missed() -> None:
    changes = iter(range(1000))
    found = iter([None, "seen"])
    begun = time.monotonic()
    assert awaiting.wait(lambda: next(found), lambda: next(changes), 30) == "seen"
    assert time.monotonic() - begun < 5


def test_it_ends_at_its_deadline_and_when_it_is_stopped() -> None:
    assert awaiting.wait(lambda: None, lambda: 0, 0) is None
    assert awaiting.wait(lambda: None, lambda: 0, 0.25) is None
    stopped = threading.Event()
    threading.Timer(0.2, stopped.set).start()
    begun = time.monotonic()
    assert awaiting.wait(lambda: None, lambda: 0, 60, stopped) is None
    assert time.monotonic() - begun < 20


def test_a_run_is_waited_for_by_its_tag_and_by_its_id(speak: As) -> None:
    session = speak()
    archive = Archive.of(session.store.common)
    assert awaiting.run_ended(session, 0, tag="demo/suite") is None
    told = Publisher()
    archive.append(RUN, [json.dumps(told.start("demo/suite")).encode()])
    goes = awaiting.run_ended(session, 0, tag="demo/suite")
    assert goes is not None and (goes.run_id, goes.finished) == (RUN, False)

    def end() -> None:
        archive.append(RUN, [json.dumps(told.finish()).encode()])

    threading.Timer(0.3, end).start()
    ended = awaiting.run_ended(session, 30, run_id=RUN)
    assert ended is not None and ended.finished
    assert awaiting.run_ended(session, 0, tag="demo/suite") == ended
    with pytest.raises(NotFound, match="no run 'r-none'"):
        awaiting.run_ended(session, 0, run_id="r-none")


def test_archives_that_nobody_can_read_are_not_no_run(speak: As) -> None:
    session = speak()
    place = Archive.of(session.store.common).directory
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text("in the way", encoding="utf-8")
    with pytest.raises(Unreachable, match="cannot be read: Not a directory"):
        awaiting.run_ended(session, 0, tag="demo/suite")
