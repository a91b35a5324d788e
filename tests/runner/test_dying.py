"""Runners that are killed one after the other: whoever comes next loses nothing and starts no agent twice."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading

import pytest

from stoat.plan.events.attempts import AttemptStarted, CostReported
from stoat.plan.events.questions import Asked
from stoat.service import questions
from tests.runner.conftest import World
from tests.runner.test_adopting import overlaps
from tests.runner.test_sessions import does

pytestmark = pytest.mark.slow

DRIVER = """\
import os, signal, sys
from stoat.cli import main
from stoat.derive import quota
from stoat.service.session import Session

quota.AFTER_RESET, quota._UNNAMED = 0.2, 0.5
left = [int(sys.argv[1])]
sys.argv = ["stoat", *sys.argv[2:]]
commit = Session.commit


def dying(self, decide):
    said = []

    def heard(state, now):
        said.append(decide(state, now))
        return said[-1]

    appended = commit(self, heard)
    if said[-1] is not None:
        left[0] -= 1
        if left[0] == 0:
            os.kill(os.getpid(), signal.SIGKILL)
    return appended


Session.commit = dying
main.main()
"""


def answering(world: World, over: threading.Event) -> None:
    """A person who answers every question until it is over."""
    session = world.fresh_session()
    while not over.wait(0.2):
        plan = session.state().plan("p")
        for one in plan.questions.values() if plan is not None else ():
            if one.state == "open":
                questions.answer(session, one.id, "Five.")


def test_a_plan_is_worked_to_its_end_by_runners_of_which_each_is_killed_after_a_few_commits(world: World) -> None:
    agent = str(world.place / "agent.py")
    world.profile_as(
        result="claude-json", arguments=["-S", "-E", agent, "{prompt}"], sessionArguments=["--session-id", "{session}"],
        resumeArguments=["-S", "-E", agent, "{prompt}", "--resume", "{session}"],
    )  # fmt: skip
    world.plan(
        """
        branch: i
        nodes:
          - {id: a, kind: change}
          - {id: b, kind: change}
          - {id: c, kind: change, depends_on: [a, b]}
        """
    )
    does(world, "a", "if session()[1]: commit('a'); result(usd=2.0)\nelse: limit(usd=1.0)")
    does(
        world, "b", "if session()[1]: commit('b'); result(usd=3.0)\nelse: result('Question for a person: 3 or 5?', 1.5)"
    )
    does(world, "c", "commit('c'); result(usd=0.25)")
    driver = world.place / "driver.py"
    driver.write_text(DRIVER, encoding="utf-8")
    flags = world.flags("--max-attempts", "99", "--poll-seconds", "0.2", "--watch", "--max-minutes", "1")
    over = threading.Event()
    person = threading.Thread(target=answering, args=(world, over))
    person.start()
    try:
        for _ in range(60):
            ran = subprocess.run(
                [sys.executable, str(driver), "5", *flags], cwd=world.repo.path, env=world.environ,
                capture_output=True, timeout=90, check=False, text=True,
            )  # fmt: skip
            assert ran.returncode == -signal.SIGKILL, ran.stdout + ran.stderr
            if set(world.statuses().values()) == {"done"} and all(world.node(n).landing for n in "abc"):
                break
        assert set(world.statuses().values()) == {"done"}
    finally:
        over.set()
        person.join()
    assert overlaps(world.told()) == []
    files = world.repo.run_git("ls-tree", "--name-only", "refs/heads/i").splitlines()
    assert {"a", "b", "c"} <= set(files)
    # No result is lost and none is counted twice: each session's last word on its cost is what it cost.
    costs = {event.session: 0.0 for event in world.events() if isinstance(event, CostReported)}
    for event in world.events():
        if isinstance(event, CostReported):
            costs[event.session] += event.usd
    last = {"a": 2.0, "b": 3.0, "c": 0.25}
    for event in world.events():
        if isinstance(event, AttemptStarted) and event.resumes:
            assert costs[event.session] == pytest.approx(last[event.node])
    assert len([event for event in world.events() if isinstance(event, Asked)]) == 1
    assert all(world.node(name).claim is None for name in "abc")
