"""`stoat serve`: the link, what is refused, and how it ends."""

from __future__ import annotations

import http.client
import json
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

import pytest

from tests.support.command import Stoat
from tests.support.gitrepo import GitRepo


@contextmanager
def board(stoat: Stoat, *flags: str) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """The command, serving on a free port: its process and the link that it printed."""
    monitor = () if "--monitor-port" in flags else ("--no-monitor",)
    process = stoat.start("serve", "--port", "0", *monitor, *flags)
    assert process.stdout is not None
    try:
        line = process.stdout.readline().decode()
        assert line.startswith("the board: http://"), line or process.stderr
        yield process, line.removeprefix("the board: ").strip()
    finally:
        process.kill()
        process.communicate()


def get(link: str, path: str = "api/ping") -> tuple[int, bytes]:
    where = urlsplit(link)
    connection = http.client.HTTPConnection(where.hostname or "", where.port, timeout=20)
    connection.request("GET", "/" + path)
    answer = connection.getresponse()
    return answer.status, answer.read()


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_the_printed_link_is_the_board(stoat: Stoat, host: str) -> None:
    with board(stoat, "--host", host) as (_, link):
        status, page = get(link, "plans/demo")
        assert status == 200 and b"A demo" in page


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 0)])
def test_it_ends_at_once_though_streams_are_open(stoat: Stoat, number: signal.Signals, code: int) -> None:
    with board(stoat) as (process, link):
        where = urlsplit(link)
        streams = [socket.create_connection((where.hostname or "", where.port or 0)) for _ in range(10)]
        for stream in streams:
            stream.sendall(f"GET /api/events HTTP/1.1\r\nHost: {where.netloc}\r\n\r\n".encode())
            assert b"200" in stream.recv(64)
        began = time.monotonic()
        process.send_signal(number)
        assert process.wait(20) == code
        assert time.monotonic() - began < 5
        for stream in streams:
            stream.close()


def test_a_port_that_is_taken_is_said_with_a_way_out(stoat: Stoat) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        ran = stoat.run("serve", "--port", str(port))
    assert (ran.code, ran.out) == (4, "")
    assert f"port {port} is taken" in ran.err and "--port 0" in ran.err


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.7", "example.org", ""])
def test_an_address_that_others_reach_is_refused_with_the_reason(stoat: Stoat, host: str) -> None:
    ran = stoat.run("serve", "--port", "0", "--host", host)
    assert (ran.code, ran.out) == (3, "")
    assert "no login" in ran.err and "hint:" in ran.err


def test_the_monitor_has_a_port_of_its_own_on_which_the_same_is_served(stoat: Stoat) -> None:
    with board(stoat, "--monitor-port", "0") as (process, link):
        assert process.stdout is not None
        said = process.stdout.readline().decode()
        assert said.startswith("the monitor: http://127.0.0.1:")
        monitor = said.removeprefix("the monitor: ").strip()
        for address in (link, monitor):
            assert json.loads(get(address, "api/ping")[1]).keys() == {"tool", "version", "store"}
            assert b"A demo" in get(address, "plans/demo")[1]


def test_a_monitor_port_that_is_taken_is_said_and_the_board_is_there(stoat: Stoat) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with board(stoat, "--monitor-port", str(port)) as (process, link):
            assert get(link)[0] == 200
            assert process.stderr is not None
            said = process.stderr.readline().decode() + process.stderr.readline().decode()
            assert f"port {port} is taken" in said and f"BOBCAT_MONITOR_URL={link.rstrip('/')}" in said


def test_without_a_store_it_says_how_to_get_one(stoat: Stoat) -> None:
    bare = GitRepo(stoat.directory.parent / "empty").init()
    ran = Stoat(bare.path).run("serve", "--port", "0")
    assert ran.code == 3 and "stoat init" in ran.err


def test_documents_of_the_plans_directory_are_taken_in(stoat: Stoat) -> None:
    repo = GitRepo(stoat.directory)
    repo.write("plans/new.yaml", "schema: 1\nplan: new\ntitle: A new one\nnodes: []\n")
    repo.write("plans/torn.yaml", "schema: 1\nplan: [\n")
    repo.run_git("config", "stoat.plans", "plans")
    with board(stoat) as (_, link):
        assert b"A new one" in get(link, "")[1]


def test_it_is_never_told_to_a_page_of_another_name(stoat: Stoat) -> None:
    with board(stoat) as (_, link):
        where = urlsplit(link)
        connection = http.client.HTTPConnection(where.hostname or "", where.port, timeout=20)
        connection.request("GET", "/api/plans", headers={"Host": f"rebound.example:{where.port}"})
        answer = connection.getresponse()
        assert answer.status == 403
        assert json.loads(answer.read())["title"] == "Not this server's name"
