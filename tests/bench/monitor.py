"""What the monitor receiver takes in while test runs publish to it."""

from __future__ import annotations

import http.client
import json
import os
import subprocess
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urlsplit

from stoat import clock
from tests.bench.measure import STOAT, Measured, at_most
from tests.support.streams import Publisher

PUBLISHERS = 4
SCENARIOS = 1_500
BATCH = 40
EVENTS_A_SECOND = 2_000
POST = 0.1
MEGABYTES = 200


def ingesting(directory: Path) -> list[Measured]:
    """Four runs at once, in batches as a runner sends them, until all of it is folded and archived."""
    subprocess.run(["git", "init", "-q", directory], check=True)
    subprocess.run([STOAT, "init"], cwd=directory, check=True, stdout=subprocess.DEVNULL)
    served = subprocess.Popen(
        [STOAT, "serve", "--port", "0", "--no-monitor"],
        cwd=directory,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    try:
        assert served.stdout is not None
        where = urlsplit(served.stdout.readline().decode().removeprefix("the board: ").strip())
        batches = [_batches(f"r-{number}") for number in range(PUBLISHERS)]
        count = PUBLISHERS * (4 * SCENARIOS + 2)
        before = time.perf_counter()
        with ThreadPoolExecutor(PUBLISHERS) as pool:
            waits = [wait for each in pool.map(lambda of: _published(where.netloc, of), batches) for wait in each]
        connection = http.client.HTTPConnection(where.netloc, timeout=60)
        while True:
            connection.request("GET", "/api/runs")
            runs = json.loads(connection.getresponse().read())
            if len(runs) == PUBLISHERS and all(run["finished"] for run in runs):
                break
        rate = count / (time.perf_counter() - before)
        assert all(run["scenariosFinished"] == SCENARIOS for run in runs)
        megabytes = int(Path(f"/proc/{served.pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE") / 1e6
    finally:
        served.kill()
        served.communicate()
    slowest = sorted(waits)[int(len(waits) * 0.99)]
    return [
        Measured(
            f"events of {PUBLISHERS} test runs taken in, folded and archived", f"{rate:,.0f} a second",
            f"> {EVENTS_A_SECOND:,}", rate > EVENTS_A_SECOND,
        ),
        at_most("the answer to a post meanwhile, p99", slowest, POST),
        Measured("the server after it", f"{megabytes:.0f} MB", f"< {MEGABYTES} MB", megabytes < MEGABYTES),
    ]  # fmt: skip


def _batches(run_id: str) -> list[bytes]:
    """A run of many scenarios of one step each, in bodies as they are posted."""
    says = Publisher(run_id, begin=clock.now())
    says.start(None, total=SCENARIOS)
    for place in range(SCENARIOS):
        says.scenario(f"Feature {place % 40}/Scenario {place}", "CleanPass", steps=1)
    says.finish(0, passed=SCENARIOS)
    events = says.events
    return [json.dumps({"events": events[at : at + BATCH]}).encode() for at in range(0, len(events), BATCH)]


def _published(netloc: str, batches: list[bytes]) -> list[float]:
    """Post them one after the other; how long each took."""
    connection = http.client.HTTPConnection(netloc, timeout=60)
    waits = []
    for body in batches:
        before = time.perf_counter()
        connection.request("POST", "/api/ingest", body, {"Content-Type": "application/json"})
        answer = connection.getresponse()
        answer.read()
        assert answer.status == 202, answer.status
        waits.append(time.perf_counter() - before)
    return waits


MEASURES: dict[str, Callable[[Path], list[Measured]]] = {"monitor": ingesting}
