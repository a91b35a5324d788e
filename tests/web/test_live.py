"""Server-sent events over a real connection."""

from __future__ import annotations

import http.client
import json
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from stoat.plan.ids import NodeRef
from stoat.service import claims, decisions, nodes
from stoat.service.session import Session
from stoat.web import live
from tests.support.waiting import wait_until
from tests.web.conftest import serving


class Stream:
    """An open event stream; `next_event` gives (event, id, data), leaving out comments."""

    def __init__(self, address: str, query: str = "", headers: dict[str, str] | None = None) -> None:
        where = urlsplit(address)
        self._connection = http.client.HTTPConnection(where.hostname or "", where.port, timeout=20)
        self._connection.request("GET", f"/api/events{query}", headers=headers or {})
        self.answer = self._connection.getresponse()
        self._first = self.answer.readline()

    def next_event(self) -> tuple[str, str, dict[str, object]]:
        fields: dict[str, str] = {}
        while True:
            line = self.answer.readline().decode().rstrip("\n")
            if line:
                name, _, value = line.partition(": ")
                fields[name] = value
            elif "data" in fields:
                return fields["event"], fields["id"], json.loads(fields["data"])
            else:
                fields = {}

    def rest(self) -> list[bytes]:
        """Every line up to the end, which the server makes."""
        return list(self.answer)

    def close(self) -> None:
        self.answer.close()
        self._connection.close()


@pytest.fixture
def stream(served: str) -> Iterator[Stream]:
    """A stream of everything, open."""
    stream = Stream(served)
    yield stream
    stream.close()


def test_a_commit_is_told_within_half_a_second(stream: Stream, session: Session) -> None:
    assert stream.answer.getheader("Content-Type") == "text/event-stream; charset=utf-8"
    decisions.note(session, "parcels", None, "warm")
    stream.next_event()
    best = 9.0
    for turn in range(5):
        began = time.monotonic()
        decisions.note(session, "parcels", "zones", f"turn {turn}")
        event, _, data = stream.next_event()
        best = min(best, time.monotonic() - began)
        assert (event, data["plan"], data["commit"]) == ("change", "parcels", session.store.tip())
    assert best < 0.5  # the best of five: a busy machine may sleep through any single one


def test_a_change_names_its_nodes(stream: Stream, session: Session) -> None:
    decisions.approve(session, [NodeRef("parcels", "zones")])
    _, _, data = stream.next_event()
    assert data["plan"] == "parcels" and "zones" in list(data["nodes"])  # type: ignore[call-overload]
    assert set(data) == {"plan", "nodes", "removed", "shape", "commit", "at"}


def test_a_stream_of_one_plan_is_silent_about_others(served: str, session: Session) -> None:
    stream = Stream(served, "?plan=rates")
    decisions.approve(session, [NodeRef("parcels", "zones")])
    decisions.note(session, "rates", None, "now")
    assert stream.next_event()[2]["plan"] == "rates"
    stream.close()


def test_what_was_missed_is_told_on_coming_back(served: str, session: Session) -> None:
    stream = Stream(served)
    decisions.note(session, "rates", None, "one")
    _, last, _ = stream.next_event()
    stream.close()
    decisions.approve(session, [NodeRef("parcels", "zones")])
    decisions.approve(session, [NodeRef("parcels", "weights")])
    again = Stream(served, headers={"Last-Event-ID": last})
    told: set[str] = set()
    while not {"zones", "weights"} <= told:
        event, _, data = again.next_event()
        assert (event, data["plan"]) == ("change", "parcels")
        told |= set(data["nodes"])  # type: ignore[call-overload]
    again.close()


def test_who_comes_from_another_server_is_told_to_read_anew(session: Session) -> None:
    with serving(session.directory) as address:
        stream = Stream(address)
        decisions.note(session, "rates", None, "one")
        _, last, _ = stream.next_event()
        port = urlsplit(address).port or 0
    assert not any(b"data" in line for line in stream.rest())
    with serving(session.directory, port) as address:
        event, version, data = Stream(address, headers={"Last-Event-ID": last}).next_event()
        assert event == "reset" and version != last
        assert data["commit"] == session.store.tip()


def test_a_lease_that_runs_out_is_told_with_no_commit(stream: Stream, session: Session) -> None:
    decisions.approve(session, [NodeRef("parcels", "zones")])
    stream.next_event()
    claims.claim(session, "parcels", "zones", holder="brief", lease=1.5)
    tip = session.store.tip()
    stream.next_event()
    event, _, data = stream.next_event()
    assert event == "change" and data["commit"] == tip and "zones" in list(data["nodes"])  # type: ignore[call-overload]


def test_a_change_is_told_after_git_packed_the_refs(stream: Stream, session: Session) -> None:
    subprocess.run(["git", "pack-refs", "--all", "--prune"], cwd=session.directory, check=True)
    assert not (session.store.common / "refs" / "stoat" / "state").exists()
    nodes.link(session, NodeRef("parcels", "weights"), "zones")
    assert stream.next_event()[2]["shape"] is True


def test_a_closed_stream_gives_its_place_back(served: str, session: Session) -> None:
    free = live._places._value
    streams = [Stream(served) for _ in range(5)]
    assert live._places._value == free - 5
    for stream in streams:
        stream.close()

    def given_back() -> bool:
        decisions.note(session, "rates", None, "anybody there?")
        return live._places._value == free

    wait_until(given_back, 20, "the places")


def test_the_server_says_that_it_lives_while_it_does(session: Session) -> None:
    place: Path = session.store.common / "stoat" / "live"
    with serving(session.directory) as address:
        (said,) = wait_until(lambda: list(place.glob("server-*.json")), 10, "its word")
        assert json.loads(said.read_text(encoding="utf-8"))["url"] == f"{address}/"
    assert list(place.glob("server-*.json")) == []


def test_a_server_whose_loop_has_closed_already_can_be_stopped_all_the_same(session: Session) -> None:
    board = serving(session.directory)
    with board:
        board.server.stop()
        board._thread.join(timeout=20)
        assert not board._thread.is_alive()
        # The block's end stops it once more: its trigger is closed by now.
