"""A resident run looks at how its plan's branch drifts, beside the poll, and says what is news."""

from __future__ import annotations

import os
import shlex
import subprocess
import threading
from pathlib import Path

import pytest

from stoat.observe.live import read_runners
from stoat.plan.facts import DriftFact
from stoat.service import decisions
from tests.runner.conftest import World
from tests.support.command import Stoat
from tests.support.gitrepo import GitRepo
from tests.support.waiting import wait_until

PLAN = "branch: plan\nnodes: [{id: a, kind: person}]"


def drifting(world: World) -> None:
    """A plan's branch and a main on the remote that conflict."""
    world.repo.checkout("plan", new=True)
    world.repo.commit({"file": "ours"})
    world.repo.checkout("main")
    on_main(world, {"file": "theirs"})


def on_main(world: World, files: dict[str, str | None]) -> None:
    person = GitRepo(world.place / "person")
    if not person.path.exists():
        world.repo.run_git("clone", "--quiet", world.repo.run_git("remote", "get-url", "origin"), str(person.path))
    person.commit(dict(files), "Change the file")
    person.push("main")


def told(world: World) -> DriftFact | None:
    found = read_runners(world.session.store.common)
    return found[0].drift if found else None


@pytest.mark.slow
def test_a_conflict_is_said_once_and_that_it_is_gone(world: World) -> None:
    drifting(world)
    world.plan(PLAN, approve=False)
    runner = Stoat(world.repo.path).start(*world.flags("--watch", "--poll-seconds", "0.2"), env=world.environ)
    try:
        seen = wait_until(lambda: told(world), 20, "the first look")
        assert (seen.base, seen.behind, seen.conflicts) == ("origin/main", 1, ("file",))
        tree = world.beside("p-integration")
        (fact,) = read_runners(world.session.store.common)
        assert fact.integration == str(tree.path)
        tree.run_git("fetch", "--quiet", "origin")
        tree.run_git("merge", "--quiet", "-s", "ours", "origin/main", "-m", "Settle it")
        wait_until(lambda: (now := told(world)) and not now.conflicts, 20, "the look after the branch moved")
    finally:
        (world.repo.path / ".stoat-stop").touch()
        out, _ = ended(runner)
    lines = [line for line in out.splitlines() if "drift" in line]
    assert len(lines) == 2, out
    assert "would conflict in file" in lines[0] and "Change the file" in lines[0]
    assert "no longer conflicts" in lines[1]


@pytest.mark.slow
def test_a_look_that_hangs_keeps_no_agent_from_starting(world: World) -> None:
    world.repo.checkout("plan", new=True).commit({"file": "ours"})
    world.repo.checkout("main")
    world.plan("branch: plan\nnodes: [{id: a, kind: change, title: A}]", approve=False)
    hanging = world.place / "bin" / "git"
    hanging.parent.mkdir()
    real = world.repo.run_git("--exec-path") + "/git"
    place = shlex.quote(str(world.place))
    # A look asks the remote for nothing by name; what a launch asks for, the plan's branch, is answered.
    hangs = f"*ls-remote*) [ ! -e {place}/hang ] || {{ touch {place}/hangs; exec sleep 30; }} ;;"
    hanging.write_text(f'#!/bin/sh\ncase "$*" in *ls-remote*refs/heads/plan*) ;; {hangs} esac\nexec "{real}" "$@"\n')
    hanging.chmod(0o755)
    environ = {**world.environ, "PATH": f"{hanging.parent}{os.pathsep}{os.environ['PATH']}"}
    runner = Stoat(world.repo.path).start(*world.flags("--watch", "--poll-seconds", "0.2"), env=environ)
    try:
        wait_until(lambda: told(world), 20, "the first look")
        world.signal("hang")
        world.beside("p-integration").commit({"another": "1"})
        wait_until((world.place / "hangs").exists, 20, "a look that hangs")
        decisions.approve_plan(world.session, "p")
        wait_until(lambda: world.statuses() == {"a": "done"}, 20, "the work of an agent to land")
    finally:
        (world.repo.path / ".stoat-stop").touch()
        ended(runner)


def ended(runner: subprocess.Popen[bytes]) -> tuple[str, str]:
    """What a runner said, which is to end by itself now."""
    try:
        out, err = runner.communicate(timeout=20)
    finally:
        runner.kill()
    assert runner.returncode == 0, err
    return out.decode(), err.decode()


def test_a_run_that_is_not_resident_looks_at_nothing(world: World) -> None:
    drifting(world)
    world.plan(PLAN, approve=False)
    assert world.run() == 0
    assert not world.said("drift")


@pytest.mark.slow
def test_what_cannot_be_told_is_said_once(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stoat.runner.drifting.EVERY", 0.0)
    drifting(world)
    world.plan(PLAN, approve=False)
    looks: list[str] = []

    def stop_after_three_looks() -> None:
        def count() -> bool:
            seen = told(world)
            if seen is not None and seen.problem and seen.at not in looks:
                looks.append(seen.at)
            return len(looks) >= 3

        try:
            wait_until(count, 20, "three looks")
        finally:
            (world.repo.path / ".stoat-stop").touch()

    Path(world.repo.run_git("remote", "get-url", "origin")).rename(world.place / "away")
    beside = threading.Thread(target=stop_after_three_looks)
    beside.start()
    world.run(watch=True, poll_seconds=0.05)
    beside.join()
    assert len(looks) == 3
    [line] = world.said("drift")
    assert "is unknown" in line and "cannot be reached" in line
