"""What the board costs: a page of 1,000 nodes in a browser, news on its way, and reads beside 200 open streams."""

from __future__ import annotations

import http.client
import selectors
import shutil
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from stoat.gitstore.log import Store
from stoat.plan.ids import NodeRef
from stoat.service import decisions
from stoat.service.session import Session, open_session
from tests.bench.measure import STOAT, Measured, at_most
from tests.support.browser import CHROMIUM_ARGUMENTS, CHROMIUM_NAMES
from tests.support.generator import fill

STREAMS = 200
READS = 400


def browser(directory: Path) -> list[Measured]:
    """A plan of 1,000 nodes in Chromium: from the click to a page that answers, and from a commit to what it shows."""
    program = next(filter(None, map(shutil.which, CHROMIUM_NAMES)), None)
    if program is None:
        return [Measured("plan page in a browser", "no Chromium here", "< 1.50 s", True)]
    from playwright.sync_api import sync_playwright

    session, slug = _filled(directory)
    with _served(directory) as address, sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=program, args=list(CHROMIUM_ARGUMENTS))
        page = chromium.new_page(viewport={"width": 1400, "height": 900})
        page.goto(address)
        usable, shown = [], []
        for _ in range(3):
            began = time.perf_counter()
            page.goto(f"{address}/plans/{slug}")
            # Two frames after the script ran: painted, and with time for the reader's next key.
            page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
            usable.append(time.perf_counter() - began)
        page.wait_for_selector("#live:not([hidden])")
        for turn in range(5):
            decisions.expedite(session, NodeRef(slug, "node-00999"), off=bool(turn % 2))
            began = time.perf_counter()
            page.wait_for_selector(
                "#node-node-00999 .icon-bolt", state="detached" if turn % 2 else "attached", timeout=20_000
            )
            shown.append(time.perf_counter() - began)
        chromium.close()
    return [
        at_most("plan page, 1,000 nodes, usable in a browser", min(usable), 1.5),
        at_most("a change, from its commit to the page", sorted(shown)[len(shown) // 2], 0.5),
    ]


def streams(directory: Path) -> list[Measured]:
    """Reads of a plan's status while 200 event streams are open and a commit is told to all of them now and then."""
    session, slug = _filled(directory, nodes=100)
    with _served(directory) as address:
        where = urlsplit(address)
        listeners = [_listen(where.hostname or "", where.port or 0) for _ in range(STREAMS)]
        ended, heard = threading.Event(), [0] * STREAMS
        threads = [
            threading.Thread(target=_drain, args=(listeners, heard, ended)),
            threading.Thread(target=_commit_now_and_then, args=(session, slug, ended)),
        ]
        for thread in threads:
            thread.start()
        taken = sorted(_read(where.hostname or "", where.port or 0, slug) for _ in range(READS))
        ended.set()
        for thread in threads:
            thread.join()
        for listener in listeners:
            listener.close()
    if not all(heard):
        raise RuntimeError(f"{heard.count(0)} of {STREAMS} streams heard nothing")
    return [at_most(f"a read beside {STREAMS} open streams, p99", taken[int(READS * 0.99)], 0.1)]


def _filled(directory: Path, nodes: int = 1000) -> tuple[Session, str]:
    subprocess.run(["git", "init", "--quiet"], cwd=directory, check=True)
    store, _ = Store.create(directory)
    (slug,) = fill(store, plans=1, nodes=nodes, events=5 * nodes)
    return open_session(directory, environ={}), slug


@contextmanager
def _served(directory: Path) -> Iterator[str]:
    process = subprocess.Popen(
        [STOAT, "serve", "--port", "0", "--no-monitor"],
        cwd=directory,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert process.stdout is not None
    try:
        yield process.stdout.readline().decode().removeprefix("the board: ").strip().rstrip("/")
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(30)


def _listen(host: str, port: int) -> socket.socket:
    listener = socket.create_connection((host, port), timeout=20)
    listener.sendall(f"GET /api/events HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n".encode())
    listener.recv(1)
    return listener


def _drain(listeners: list[socket.socket], heard: list[int], ended: threading.Event) -> None:
    with selectors.DefaultSelector() as selector:
        for index, listener in enumerate(listeners):
            selector.register(listener, selectors.EVENT_READ, index)
        while not ended.is_set():
            for key, _ in selector.select(0.1):
                heard[key.data] += listeners[key.data].recv(65536).count(b"event: change")


def _commit_now_and_then(session: Session, slug: str, ended: threading.Event) -> None:
    turn = 0
    while not ended.wait(0.2):
        turn += 1
        decisions.note(session, slug, None, f"turn {turn}")


def _read(host: str, port: int, slug: str) -> float:
    began = time.perf_counter()
    connection = http.client.HTTPConnection(host, port, timeout=20)
    connection.request("GET", f"/api/plans/{slug}/status")
    answer = connection.getresponse()
    answer.read()
    connection.close()
    if answer.status != 200:
        raise RuntimeError(f"a read answered {answer.status}")
    return time.perf_counter() - began


MEASURES: dict[str, Callable[[Path], list[Measured]]] = {"browser": browser, "streams": streams}
