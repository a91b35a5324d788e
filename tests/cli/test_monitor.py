"""Test runs that publish to a real `stoat serve`: in whatever order, killed in the middle, started again."""

from __future__ import annotations

import json
import random
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import requests

from stoat import clock
from stoat.observe.archive import Archive
from tests.support.command import Stoat
from tests.support.streams import Publisher
from tests.support.waiting import wait_until

RUN = "5b0c9d8e-0000-4000-8000-000000000001"


class Server:
    """A running `stoat serve`, as a publisher reaches it."""

    def __init__(self, stoat: Stoat) -> None:
        self.process = stoat.start("serve", "--port", "0", "--monitor-port", "0", "--no-sweep")
        assert self.process.stdout is not None
        said = [self.process.stdout.readline().decode() for _ in range(2)]
        self.board, self.monitor = (line.partition(": ")[2].strip().rstrip("/") for line in said)
        self.http = requests.Session()

    def post(self, events: list[dict[str, Any]], size: int = 200) -> None:
        """Publish, in batches."""
        for at in range(0, len(events), size):
            batch = {"events": events[at : at + size]}
            assert self.http.post(f"{self.monitor}/api/ingest", json=batch, timeout=20).status_code == 202

    def get(self, path: str) -> Any:
        """Read JSON."""
        return self.http.get(f"{self.monitor}/api/{path}", timeout=20).json()

    def kill(self) -> None:
        """End it as a power cut would."""
        self.process.kill()
        self.process.communicate()
        self.http.close()


@contextmanager
def serving(stoat: Stoat) -> Iterator[Server]:
    """A server for as long as the block runs."""
    server = Server(stoat)
    try:
        yield server
    finally:
        server.kill()


def whole(run_id: str = RUN, tag: str = "demo/suite/unit") -> Publisher:
    """A run with retries, steps, lanes and foreign tests that ends green."""
    says = Publisher(run_id, begin=clock.now(), fresh=True)
    says.start(tag, total=20)
    for place in range(18):
        says.scenario(
            f"F/{place}", *(["Failed"] if place % 5 == 0 else []), "PassOnRetry" if place % 5 == 0 else "CleanPass"
        )
    says.forwarded("foreign", "Passed")
    says.lane(0, "F/0")
    says.finish(0, passed=15, on_retry=4)
    return says


def told(detail: dict[str, Any]) -> Any:
    """What of a run does not hang on the order in which it was heard."""
    return detail["run"], [(one["uid"], one["outcome"], one["attempt"]) for one in detail["scenarios"]]


def test_in_order_shuffled_and_doubled_it_is_the_same_run_and_the_same_evidence(stoat: Stoat) -> None:
    orders = {}
    with serving(stoat) as server:
        for name in ("order", "shuffled", "doubled"):
            says = whole(f"r-{name}")
            events = says.events * 2 if name == "doubled" else list(says.events)
            if name == "shuffled":
                random.Random(7).shuffle(events)
            server.post(events, 23)
            run, scenarios = told(server.get(f"runs/r-{name}"))
            orders[name] = {**run, "runId": "", "startedAt": "", "finishedAt": ""}, scenarios
        assert orders["order"] == orders["shuffled"] == orders["doubled"]
        recorded = wait_until(lambda: _recorded(stoat, 3), 15, "three results")
    assert {(run["exitCode"], run["passed"], run["passedOnRetry"], run["failed"]) for run in recorded} == {
        (0, 15, 4, 0)
    }


def _recorded(stoat: Stoat, count: int) -> list[dict[str, Any]]:
    runs = [run for run in stoat.json("runs", "list") if run["by"] and run["finished"]]
    return runs if len(runs) == count else []


def test_a_server_that_is_killed_in_the_middle_of_a_stream_loses_no_run(stoat: Stoat) -> None:
    says = whole()
    half = len(says.events) // 2
    with serving(stoat) as server:
        server.post(says.events[:half], 10)
        before = server.get(f"runs/{RUN}")
        wait_until(lambda: "running" in stoat.ok("status", "demo"), 15, "the start to be recorded")
        server.kill()
    with serving(stoat) as server:
        (run,) = server.get("runs")
        assert (run["runId"], run["orphaned"], run["finished"]) == (RUN, True, False)
        after = server.get(f"runs/{RUN}")
        assert told(after)[1] == told(before)[1]
        server.post(says.events[half : half + 1])
        (run,) = server.get("runs")
        assert (run["orphaned"], run["finished"]) == (False, False)
        server.post(says.events[half + 1 :], 10)
        (run,) = server.get("runs?tag=demo/suite/unit")
        assert (run["finished"], run["passed"], run["passedOnRetry"], run["scenarios"]) == (True, 15, 4, 19)
        wait_until(lambda: _recorded(stoat, 1), 15, "the result")


def test_what_a_server_answered_for_outlives_its_being_killed_right_after(stoat: Stoat) -> None:
    """Four publishers at once, and the server is killed as soon as enough was answered: none of that may be lost."""
    answered: dict[str, list[Any]] = {}
    enough = threading.Event()

    def publish(run_id: str, monitor: str) -> None:
        says = Publisher(run_id, begin=clock.now())
        says.start(None)
        for place in range(3_000):
            says.scenario(f"F/{place}", "CleanPass", steps=1)
        http, mine = requests.Session(), answered.setdefault(run_id, [])
        for at in range(0, len(says.events), 200):
            batch = says.events[at : at + 200]
            try:
                assert http.post(f"{monitor}/api/ingest", json={"events": batch}, timeout=20).status_code == 202
            except requests.RequestException:
                return
            mine += batch
            if len(mine) >= 1_000:
                enough.set()

    with serving(stoat) as server:
        publishers = [threading.Thread(target=publish, args=(f"r-{one}", server.monitor)) for one in range(4)]
        for one in publishers:
            one.start()
        assert enough.wait(30)
        server.kill()
        for one in publishers:
            one.join(30)
    archive = Archive.of(stoat.directory / ".git")
    for run_id, events in ((run_id, of_run) for run_id, of_run in answered.items() if of_run):
        kept = [json.loads(line) for line in archive.lines(run_id) if line.endswith(b"\n")]
        assert kept[: len(events)] == events


def test_two_servers_of_one_store_show_the_same_runs(stoat: Stoat) -> None:
    with serving(stoat) as one, serving(stoat) as other:
        says = whole()
        one.post(says.events[:5])
        (run,) = wait_until(lambda: other.get("runs"), 10, "the run at the other one")
        assert (run["orphaned"], run["finished"]) == (False, False)
        one.post(says.events[5:])
        assert one.get("runs") == other.get("runs")
        wait_until(lambda: _recorded(stoat, 1), 15, "one result")
        assert one.http.delete(f"{one.monitor}/api/runs/{RUN}", timeout=20).status_code == 204
        assert one.get("runs") == other.get("runs") == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_server_that_is_asked_to_end_has_told_what_it_took_in(stoat: Stoat, number: signal.Signals) -> None:
    with serving(stoat) as server:
        server.post(whole().events)
        server.process.send_signal(number)
        server.process.wait(20)
        assert _recorded(stoat, 1)


def test_the_board_follows_what_a_run_proves(stoat: Stoat) -> None:
    with serving(stoat) as server:
        stream = requests.get(f"{server.board}/api/events", stream=True, timeout=20)
        heard = stream.iter_lines()
        assert next(heard)
        server.post(whole().events)
        change = next(line for line in heard if line.startswith(b"data:"))
        assert b'"suite"' in change
        stream.close()


def test_a_tag_that_names_no_node_is_said_once_by_the_server_and_marked_in_the_list(stoat: Stoat) -> None:
    with serving(stoat) as server:
        for name in ("r-1", "r-2"):
            server.post(whole(name, "demo/siute/unit").events)
        server.post(whole("r-3", "demo/suite/unit").events)
        wait_until(lambda: _recorded(stoat, 1), 15, "the one that counts")
        server.process.terminate()
        _, said = server.process.communicate(timeout=20)
    assert said.decode().count("no plan has a node for the tag 'demo/siute/unit'") == 1
    assert "demo/suite/unit" not in said.decode()
    marks = {run["runId"]: run["stray"] for run in stoat.json("runs", "list")}
    assert marks == {"r-1": True, "r-2": True, "r-3": False}
    assert stoat.json("runs", "show", "r-2")["run"]["stray"]
    listed = stoat.ok("runs", "list")
    assert listed.count("demo/siute/unit (no such node)") == 2
    assert "demo/siute/unit (no such node)" in stoat.ok("runs", "show", "r-1")


class TestSkewedClocks:
    """Publishers whose clocks are wrong: the newest run is the one that was heard last, and no red one is left out."""

    def publish(
        self, server: Server, stoat: Stoat, name: str, skew: float, red: bool, tag: str = "demo/suite/unit/a"
    ) -> None:
        """A run that says in one batch that it began so many seconds from now; back when it is recorded."""
        says = Publisher(name, begin=clock.plus(clock.now(), skew))
        says.start(tag, total=1)
        says.scenario("Parcels/Send one", "Failed" if red else "CleanPass")
        says.finish(int(red), passed=int(not red), failed=int(red))
        server.post(says.events)
        self.wait_for(stoat, name)

    def wait_for(self, stoat: Stoat, name: str) -> None:
        """Wait until the run is recorded."""
        wait_until(lambda: any(run["runId"] == name and run["by"] for run in stoat.json("runs", "list")), 15, name)

    def unit(self, stoat: Stoat) -> str:
        """Where the step `unit` stands."""
        return str(stoat.json("status", "demo")["nodes"][1]["steps"][0]["state"])

    @pytest.mark.parametrize("skew", [-60.0, 120.0])
    def test_a_red_unit_in_a_green_command_is_red_in_the_second_round_too(self, stoat: Stoat, skew: float) -> None:
        code = (
            "import sys, urllib.request as u; u.urlopen(u.Request(sys.argv[1], sys.argv[2].encode(),"
            " {'content-type': 'application/json'})).read()"
        )
        with serving(stoat) as server:
            for name in ("r-1", "r-2"):
                says = Publisher(name, begin=clock.plus(clock.now(), skew))
                says.start("demo/suite/unit/a", total=1)
                says.finish(1, failed=1)
                post = (sys.executable, "-c", code, f"{server.monitor}/api/ingest", json.dumps({"events": says.events}))
                stoat.ok("gate", "exec", "demo/suite", "--step", "unit", "--", *post)
                self.wait_for(stoat, name)
                assert self.unit(stoat) == "failed"

    @pytest.mark.parametrize(("first", "then"), [(120.0, 0.0), (0.0, -3600.0)])
    def test_of_a_step_and_of_a_slice_the_run_that_was_heard_last_decides(
        self, stoat: Stoat, first: float, then: float
    ) -> None:
        with serving(stoat) as server:
            for tag in ("demo/suite/unit/a", "demo/send"):
                self.publish(server, stoat, f"green-{tag[5:9]}", first, red=False, tag=tag)
                self.publish(server, stoat, f"red-{tag[5:9]}", then, red=True, tag=tag)
            nodes = stoat.json("status", "demo")["nodes"]
            assert (self.unit(stoat), [one["status"] for one in nodes if one["id"] == "send"]) == ("failed", ["failed"])

    def test_what_is_heard_after_a_restart_counts_after_it(self, stoat: Stoat) -> None:
        with serving(stoat) as server:
            self.publish(server, stoat, "a-1", 0.0, red=False)
            self.publish(server, stoat, "b-1", 0.0, red=False, tag="demo/suite/unit/b")
            assert self.unit(stoat) == "passed"
            stoat.ok("restart", "demo/suite")
            self.publish(server, stoat, "a-2", -3600.0, red=True)
            self.publish(server, stoat, "b-2", -3600.0, red=False, tag="demo/suite/unit/b")
            assert self.unit(stoat) == "failed"
