"""The monitor receiver over HTTP: what is taken in, what is read back, what is turned away."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import urlsplit

import pytest
import requests
from flask.testing import FlaskClient

from stoat import clock
from stoat.gitstore.porcelain import git
from stoat.service.session import Session
from tests.support.streams import RUN, Publisher
from tests.support.waiting import wait_until
from tests.web.conftest import serving


@pytest.fixture
def says() -> Publisher:
    """A run of the suite of the plan parcels."""
    return Publisher()


def post(client: FlaskClient, *events: Any) -> int:
    """Post a batch; the status of the answer."""
    return client.post("/api/ingest", data=json.dumps({"events": events})).status_code


def published(
    client: FlaskClient, run_id: str, tag: str | None = None, begin: str = "2026-12-01T09:00:00.000Z"
) -> None:
    """A whole run of one scenario."""
    says = Publisher(run_id, begin=begin)
    says.start(tag, total=1)
    says.scenario("Send/One", "Failed", "PassOnRetry")
    says.finish(0, on_retry=1)
    assert post(client, *says.events) == 202


def test_a_publisher_finds_out_who_listens_and_for_which_store(client: FlaskClient, session: Session) -> None:
    answer = client.get("/api/ping")
    assert answer.status_code == 200
    said = answer.get_json()
    assert said.keys() == {"tool", "version", "store"} and said["tool"] == "stoat"
    assert said["store"] == str(session.store.common)


def test_what_of_a_batch_is_no_event_is_told_and_the_rest_is_taken(client: FlaskClient, says: Publisher) -> None:
    says.start()
    deep = '{"type":"x","runId":"r-1","of":' + "[" * 5_000 + "]" * 5_000 + "}"
    answer = client.post("/api/ingest", data=f'{{"events":[{deep},{json.dumps(says.events[0])}]}}')
    assert answer.status_code == 202
    assert answer.get_json() == {
        "accepted": 1, "refused": [{"place": 0, "why": "it is nested deeper than 100 levels"}],
    }  # fmt: skip
    assert len(client.get("/api/runs").get_json()) == 1
    assert client.post("/api/ingest", data=json.dumps({"events": says.events})).data == b""


def test_a_run_is_listed_with_the_fields_that_others_read_and_our_skipped(client: FlaskClient, says: Publisher) -> None:
    says.start("parcels/suite/unit", total=2)
    says.scenario("Send/One", "CleanPass")
    assert post(client, *says.events) == 202
    assert client.get("/api/runs").get_json() == [
        {
            "runId": RUN, "suite": "Suite", "repository": "acme/parcels", "branch": "main", "mode": "mtp",
            "finished": False, "orphaned": False, "exitCode": None, "scenarios": 1,
            "startedAt": "2026-12-01T09:00:00.100Z", "finishedAt": None, "tag": "parcels/suite/unit",
            "totalScenarios": 2, "scenariosFinished": 1, "passed": 1, "failed": 0, "passedOnRetry": 0,
            "indeterminate": 0, "skipped": 0,
        }
    ]  # fmt: skip
    says.finish(1, passed=1, failed=1)
    assert post(client, says.events[-1]) == 202
    (run,) = client.get("/api/runs").get_json()
    assert (run["finished"], run["exitCode"], run["failed"], run["finishedAt"]) == (
        True,
        1,
        1,
        "2026-12-01T09:00:00.400Z",
    )


def test_a_run_whole(client: FlaskClient, says: Publisher) -> None:
    says.start(total=1)
    says.say("lane_started", lane=0, uids=["Send/One"], at=says.at())
    says.say("resource_recycled", resource="postgres", at="2026-12-01T09:00:01Z")
    says.say("worker_faulted", lane=0, fault="died", exitCode=139, standardError="boom", at="2026-12-01T09:00:01Z")
    says.scenario("Send/One", "Failed", "PassOnRetry", steps=1)
    assert post(client, *says.events) == 202
    shown = client.get(f"/api/runs/{RUN.upper()}").get_json()
    assert shown["run"] == client.get("/api/runs").get_json()[0]
    (scenario,) = shown["scenarios"]
    step = scenario["steps"].pop()
    for extra in ("touchedTypes",):
        scenario.pop(extra)
    assert scenario == {
        "uid": "Send/One", "feature": "Send", "scenario": "One", "outcome": "PassOnRetry", "attempt": 2, "attempts": 2,
        "durationMs": 20, "errorMessage": None, "retryReasons": ["it failed 2"], "steps": [],
        "skipped": False,
    }  # fmt: skip
    assert {name: step[name] for name in ("stepId", "kind", "text", "status", "durationMs", "errorMessage")} == {
        "stepId": "Then it is", "kind": "Then", "text": "it is 1", "status": "success", "durationMs": 10,
        "errorMessage": None,
    }  # fmt: skip
    (lane,) = shown["lanes"]
    assert (lane["lane"], lane["status"], lane["passes"], lane["uids"]) == (0, "running", 1, ["Send/One"])
    assert shown["recycles"] == [{"resource": "postgres", "at": "2026-12-01T09:00:01.000Z"}]
    assert shown["workerFaults"] == [
        {"lane": 0, "fault": "died", "exitCode": 139, "standardError": "boom", "at": "2026-12-01T09:00:01.000Z"}
    ]


def test_runs_are_newest_first_and_found_by_exactly_their_tag(client: FlaskClient) -> None:
    published(client, "r-1", "parcels/suite", "2026-12-01T09:00:00.000Z")
    published(client, "r-3", "parcels/suite/unit", "2026-12-01T11:00:00.000Z")
    published(client, "r-2", "any words, ☃ at all", "2026-12-01T10:00:00.000Z")
    assert [run["runId"] for run in client.get("/api/runs").get_json()] == ["r-3", "r-2", "r-1"]
    assert [run["runId"] for run in client.get("/api/runs?tag=parcels/suite").get_json()] == ["r-1"]
    assert [run["runId"] for run in client.get("/api/runs?tag=any words, ☃ at all").get_json()] == ["r-2"]
    assert client.get("/api/runs?tag=none").get_json() == []


def test_an_ejected_run_is_gone_and_its_archive_is_kept_aside(client: FlaskClient, session: Session) -> None:
    published(client, "r-1")
    assert client.delete("/api/runs/r-1").status_code == 204
    assert client.get("/api/runs").get_json() == []
    for path in ("/api/runs/r-1", "/api/runs/r-1/export", "/api/runs/r-1/export?format=ndjson"):
        assert client.get(path).status_code == 404
    assert client.delete("/api/runs/r-1").status_code == 404
    aside = session.store.common / "stoat" / "runs" / "ejected" / "r-1.ndjson"
    assert len(aside.read_bytes().splitlines()) > 5


@pytest.mark.parametrize("run_id", ["none", "..", "%2e%2e", "a%2fb", "x" * 300, "-", "\u2603"])
def test_a_run_that_nobody_knows_is_not_found(client: FlaskClient, run_id: str) -> None:
    for answer in (client.get(f"/api/runs/{run_id}"), client.delete(f"/api/runs/{run_id}")):
        assert answer.status_code in (404, 405)
    assert client.get(f"/api/runs/{run_id}").content_type == "application/problem+json"


def test_exports_are_files_in_three_formats(client: FlaskClient) -> None:
    published(client, "r-1")
    default = client.get("/api/runs/r-1/export")
    assert default.get_json()["results"]["summary"]["tests"] == 1
    assert default.data == client.get("/api/runs/r-1/export?format=ctrf").data
    assert client.get("/api/runs/r-1/export?format=junit").data.lstrip().startswith(b"<")
    ndjson = client.get("/api/runs/r-1/export?format=ndjson")
    assert ndjson.content_type == "application/x-ndjson"
    assert json.loads(ndjson.data.splitlines()[0])["type"] == "run_started"
    assert "filename=r-1.ndjson" in ndjson.headers["Content-Disposition"]
    for format in ("xml", "", "ctrf,junit"):
        assert client.get(f"/api/runs/r-1/export?format={format}").status_code == 400


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b'{"events": 7}', b"\xff" * 9, b"[" * 5000, b'{"event": []}'])
def test_a_body_that_is_no_batch_is_answered_so(client: FlaskClient, body: bytes) -> None:
    answer = client.post("/api/ingest", data=body)
    assert (answer.status_code, answer.content_type) == (400, "application/problem+json")
    assert client.get("/api/runs").get_json() == []


def test_what_is_no_event_costs_the_others_nothing(client: FlaskClient, says: Publisher, session: Session) -> None:
    says.start()
    odd = {"type": "dreamt", "runId": RUN, "of": {"sheep": [1, None]}}
    assert (
        post(
            client,
            7,
            None,
            "x",
            [],
            {},
            {"type": "x"},
            {"runId": RUN},
            {"type": "x", "runId": "../../x"},
            odd,
            *says.events,
        )
        == 202
    )
    archive = session.store.common / "stoat" / "runs" / f"{RUN}.ndjson"
    assert [json.loads(line) for line in archive.read_bytes().splitlines()] == [odd, *says.events]
    assert post(client) == 202


class TestServed:
    """Over real sockets."""

    @pytest.fixture
    def address(self, session: Session) -> Iterator[str]:
        """The receiver, served."""
        with serving(session.directory) as address:
            yield address

    def test_what_was_posted_is_read_at_once(self, address: str) -> None:
        says = Publisher()
        says.start()
        with requests.Session() as http:
            for place in range(20):
                says.scenario(f"Send/{place}", "CleanPass")
                batch = says.events[-6:] if place else says.events
                assert http.post(f"{address}/api/ingest", json={"events": batch}, timeout=20).status_code == 202
                (run,) = http.get(f"{address}/api/runs", timeout=20).json()
                assert run["scenariosFinished"] == place + 1

    def test_a_body_that_is_too_large_is_answered_and_the_next_is_taken(self, address: str) -> None:
        where = urlsplit(address)
        with socket.create_connection((where.hostname or "", where.port or 0), timeout=20) as connection:
            head = f"POST /api/ingest HTTP/1.1\r\nHost: {where.netloc}\r\nContent-Length: 900000000\r\n\r\n"
            connection.sendall(head.encode())
            answer = b""
            while more := connection.recv(4096):
                answer += more
        said, _, body = answer.partition(b"\r\n\r\n")
        assert b" 413 " in said and b"application/problem+json" in said
        assert json.loads(body)["hint"] == "send less at once: several batches of fewer events"
        published = {"events": [Publisher().start()]}
        assert requests.post(f"{address}/api/ingest", json=published, timeout=20).status_code == 202
        assert len(requests.get(f"{address}/api/runs", timeout=20).json()) == 1

    def test_a_batch_may_come_in_chunks_and_to_either_name(self, address: str) -> None:
        body = json.dumps({"events": [Publisher().start()]}).encode()
        for link in (address, address.replace("127.0.0.1", "localhost")):
            answer = requests.post(f"{link}/api/ingest", data=iter([body[:9], body[9:]]), timeout=20)
            assert (answer.status_code, answer.content) == (202, b"")
        assert len(requests.get(f"{address}/api/runs", timeout=20).json()) == 1

    def test_many_publishers_at_once_lose_nothing(self, address: str) -> None:
        def publish(number: int) -> list[int]:
            says = Publisher(f"r-{number}", begin=clock.now())
            says.start(total=30)
            for place in range(30):
                says.scenario(f"Send/{place}", "CleanPass", steps=1)
            says.finish(0, passed=30)
            with requests.Session() as http:
                return [
                    http.post(
                        f"{address}/api/ingest", json={"events": says.events[at : at + 7]}, timeout=20
                    ).status_code
                    for at in range(0, len(says.events), 7)
                ]

        with ThreadPoolExecutor(8) as pool:
            statuses = [status for each in pool.map(publish, range(8)) for status in each]
        assert set(statuses) == {202}
        runs = requests.get(f"{address}/api/runs", timeout=20).json()
        assert {(run["finished"], run["scenariosFinished"], run["passed"]) for run in runs} == {(True, 30, 30)}
        assert len(runs) == 8

    def test_runs_that_finish_together_are_recorded_together(self, address: str, session: Session) -> None:
        before = _commits(session)
        events = []
        for number in range(5):
            says = Publisher(f"r-{number}", begin=clock.now())
            says.start(f"parcels/suite/{'unit' if number % 2 else 'build'}")
            says.finish(0, passed=1)
            events += says.events
        requests.post(f"{address}/api/ingest", json={"events": events}, timeout=20)
        node = wait_until(lambda: session.state().plans["parcels"].nodes["suite"].evidence, 10, "evidence")
        assert {one.state for one in node.values()} == {"passed"}
        assert _commits(session) == before + 1


def _commits(session: Session) -> int:
    return int(git(session.directory, "rev-list", "--count", "refs/stoat/state").out)


class TestFollowing:
    """How far a run is, on the card of its node, as it goes."""

    def test_a_card_follows_a_run_without_a_commit(self, session: Session) -> None:
        with serving(session.directory) as address, requests.Session() as http:

            def card() -> str:
                return http.get(f"{address}/plans/parcels", timeout=20).text

            says = Publisher("r-1", begin=clock.now())
            says.start("parcels/suite/unit", total=120)
            _post(http, address, says)
            wait_until(lambda: "0 / 120" in card(), 10, "the card to know of it")
            commits = _commits(session)
            stream = http.get(f"{address}/api/events?plan=parcels", stream=True, timeout=20).iter_lines()
            for place in range(37):
                says.scenario(f"F/{place}", "CleanPass", steps=0)
            for uid in ("F/a", "F/b"):
                says.say("test_stalled", uid=uid, displayName=uid, inFlightMs=60_000, at=says.at())
            _post(http, address, says)
            told = next(line for line in stream if line.startswith(b"data:"))
            assert json.loads(told[5:])["nodes"] == ["suite"]
            assert "37 / 120 · 2 stalled" in card()
            assert "37 / 120 · 2 stalled" in http.get(f"{address}/plans/parcels/nodes/suite", timeout=20).text
            assert _commits(session) == commits
            says.finish(0, passed=120)
            _post(http, address, says)
            wait_until(lambda: "/ 120" not in card(), 10, "the card to let go of it")

    def test_runs_of_one_node_are_added_up(self, session: Session) -> None:
        with serving(session.directory) as address, requests.Session() as http:
            for number, total in ((1, 10), (2, 20)):
                says = Publisher(f"r-{number}", begin=clock.now())
                says.start(f"parcels/suite/unit/Unit.net{number}", total=total)
                says.scenario("F/a", "CleanPass")
                _post(http, address, says)
            wait_until(lambda: "2 / 30" in http.get(f"{address}/plans/parcels", timeout=20).text, 10, "the sum")
            says.run_id = "r-3"
            says.start("parcels/suite/unit/Unit.net3", total=None)
            _post(http, address, says)
            wait_until(lambda: "2 done" in http.get(f"{address}/plans/parcels", timeout=20).text, 10, "the sum")


def _post(http: requests.Session, address: str, says: Publisher) -> None:
    assert http.post(f"{address}/api/ingest", json={"events": says.events}, timeout=20).status_code == 202
    says.events.clear()
