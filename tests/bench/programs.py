"""What the programs cost: starting, the runner's reaction and its idling, the plan page."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil

from stoat.gitstore.log import Store
from tests.bench.measure import STOAT, Measured, at_most, timed
from tests.support.generator import fill
from tests.support.waiting import wait_until

PLAN = """\
schema: 1
plan: reaction
nodes:
  - {id: first, kind: person}
  - {id: second, kind: test-run-gate, depends_on: [first]}
"""


def start_up(directory: Path) -> list[Measured]:
    """`stoat --version` as a cold process: the best of ten, for the machine is not ours alone."""
    return [at_most("stoat --version", min(timed([STOAT, "--version"], directory).seconds for _ in range(10)), 0.15)]


def runner(directory: Path) -> list[Measured]:
    """A resident runner: CPU while nothing happens, then the time from evidence on the ref to the agent it launches."""
    project = directory / "project"
    project.mkdir()
    for command in (["init", "--quiet"], ["commit", "--quiet", "--allow-empty", "--message", "begin"]):
        subprocess.run(["git", *command], cwd=project, check=True)
    started = directory / "started"
    agent = directory / "agent.py"
    agent.write_text(f"import pathlib, time\npathlib.Path({str(started)!r}).write_text(repr(time.time()))\n")
    launchers = directory / "launchers.json"
    launchers.write_text(
        json.dumps([{"name": "scripted", "command": sys.executable, "arguments": [str(agent), "{prompt}"]}])
    )
    (directory / "plan.yaml").write_text(PLAN)
    subprocess.run([STOAT, "init"], cwd=project, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(
        [STOAT, "plan", "import", str(directory / "plan.yaml")], cwd=project, check=True, stdout=subprocess.DEVNULL
    )
    log = directory / "runner.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            [STOAT, "run-plan", "reaction", "--watch", "--launcher", "scripted", "--launchers", str(launchers),
             "--allow-unprovable", "--settle-seconds", "1", "--stagger-seconds", "0"],
            cwd=project, stdout=output, stderr=subprocess.STDOUT,
        )  # fmt: skip
    try:
        time.sleep(3)  # it has read, said what it waits for, and settled: what is measured next is idling
        watched = psutil.Process(process.pid)
        before, since = watched.cpu_times(), time.monotonic()
        time.sleep(10)
        after = watched.cpu_times()
        share = (after.user + after.system - before.user - before.system) / (time.monotonic() - since)
        subprocess.run([STOAT, "done", "reaction/first"], cwd=project, check=True, stdout=subprocess.DEVNULL)
        shown = time.time()
        wait_until(lambda: started.exists() and started.read_text(), 20, "the agent to start")
        reaction = float(started.read_text()) - shown
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(30)
    return [
        Measured("runner, idle", f"{max(share, 0):.2%} CPU", "< 1 % CPU", share < 0.01),
        at_most("runner, from evidence to launch", reaction, 0.5),
    ]


def plan_page(directory: Path) -> list[Measured]:
    """The plan page of 1,000 nodes, rendered by the application."""
    from stoat.service.session import open_session
    from stoat.web.app import create_app

    subprocess.run(["git", "init", "--quiet"], cwd=directory, check=True)
    store, _ = Store.create(directory)
    (slug,) = fill(store, plans=1, nodes=1000, events=5000)
    client = create_app(open_session(directory, environ=os.environ)).test_client()
    client.get("/", headers={"Host": "127.0.0.1:5526"})  # a server derives before it is asked for a plan's page
    taken = []
    for _ in range(5):
        before = time.perf_counter()
        answer = client.get(f"/plans/{slug}", headers={"Host": "127.0.0.1:5526"})
        taken.append(time.perf_counter() - before)
        if answer.status_code != 200:
            raise RuntimeError(f"the plan page answered {answer.status_code}")
    return [at_most("plan page, 1,000 nodes, server", max(taken), 0.3)]


MEASURES: dict[str, Callable[[Path], list[Measured]]] = {
    "version": start_up,
    "runner": runner,
    "page": plan_page,
}
