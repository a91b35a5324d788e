"""Issues handed to cloud agents by a runner: the claim, the dispatcher, the link, the lease, and the judgement."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from stoat.runner.cloud.launchers import CloudLauncher, choose_cloud
from stoat.runner.loop import run_plan
from stoat.service import decisions
from stoat.service.session import mint, parse_ref
from stoat.service.sweeping import sweep
from tests.runner.issues.hub import Beside, Hub
from tests.runner.test_adopting import kill_at
from tests.support.command import Stoat
from tests.support.waiting import wait_until

pytestmark = pytest.mark.slow

PLAN = "repos: {w: acme/widgets}\nnodes: [{id: fix, kind: issue, repo: w, issue: 120, agent: cloud}]"


class Cloud:
    """A cloud launcher `remote` whose dispatcher is a Python script of the test's, and its world."""

    def __init__(self, github: Hub) -> None:
        self.github = github
        self.world = github.world
        self.prompt = self.world.place / "prompt"
        self.file = self.world.place / "cloud.json"
        self.does("print('Session: https://cloud.example/s/1.')")

    def does(self, code: str) -> CloudLauncher:
        """What the dispatcher does, beside keeping its prompt."""
        script = self.world.place / "dispatcher.py"
        keep = f"import os, sys, time, pathlib\npathlib.Path({str(self.prompt)!r}).write_text(sys.argv[1])\n"
        script.write_text(keep + code)
        entry = {
            "name": "remote", "command": sys.executable, "arguments": ["-S", "-E", str(script), "{prompt}"],
            "cloud": True,
        }  # fmt: skip
        self.file.write_text(json.dumps([entry, *json.loads(self.world.launchers.read_text())]))
        self.launcher = choose_cloud("remote", self.file, self.world.place, os.environ)
        return self.launcher

    def run(self, **given: Any) -> int:
        return self.world.run(**{"cloud": self.launcher, **given})

    def dies_at(self, moment: str) -> None:
        """Run the plan in a process that kills itself at that moment."""
        kill_at(self.world, moment, "--cloud-launcher", "remote", "--launchers", str(self.file))

    def files(self) -> list[Path]:
        """What is kept of dispatchers whose end is not on record."""
        return sorted((self.world.session.store.common / "stoat" / "cloud").iterdir())

    def calls(self) -> int:
        return sum(type(event).__name__ == "AttemptStarted" for event in self.world.events())

    def agent_opens_a_pull(self, body: str = "Fixes #120") -> None:
        """What the agent does elsewhere."""
        self.github.repo.pull("Sort lanes", head="stoat/p/fix", body=body)

    def agent_releases(self) -> None:
        claim = self.world.node("fix").claim
        assert claim is not None
        ran = Stoat(self.world.repo.path).run("release", "p/fix", "--claim", claim.id, env={"STOAT_AGENT": "cloudy"})
        assert ran.code == 0, ran.err
        self.sweeps()

    def sweeps(self) -> None:
        sweep(self.world.fresh_session(), self.world.environ, wait=lambda seconds, why: False, patience=20)


@pytest.fixture
def cloud(github: Hub) -> Cloud:
    made = Cloud(github)
    github.plan(PLAN, "fix")
    return made


def test_an_issue_is_handed_over_claimed_for_four_hours_and_judged_by_its_pull_request(cloud: Cloud) -> None:
    world = cloud.world

    def elsewhere() -> None:
        claim = wait_until(lambda: (held := world.node("fix").claim) and held.link and held, 30, "the link")
        assert (claim.where, claim.link, claim.holder) == ("cloud", "https://cloud.example/s/1", "stoat-runner")
        assert world.session.state().plan("p") is not None
        assert world.shown("fix").stance == "moving"
        told = cloud.prompt.read_text()
        assert "They cross." in told and "`Fixes #120`" in told and claim.id in told
        assert f"stoat report p/fix --claim {claim.id} --lease 4h" in told
        assert "/api/plans" not in told, "no route that this version does not serve"
        assert "branch: stoat/p/fix" in told and "Clone the repository" in told
        cloud.agent_opens_a_pull()
        cloud.agent_releases()

    with Beside(elsewhere):
        assert cloud.run() == 0
    node = world.node("fix")
    assert node.attempt is not None
    assert (node.attempt.outcome, node.attempt.worktree, node.attempt.launcher) == ("done", "", "remote")
    assert world.statuses() == {"fix": "pr-open"}
    assert world.starts() == []
    [line] = world.said("☁", "is with a cloud agent")
    assert "https://cloud.example/s/1" in line
    assert cloud.files() == [], "nothing is left behind"


def test_it_takes_no_local_slot(cloud: Cloud) -> None:
    world = cloud.world
    world.plan(PLAN.replace("]", ", {id: local, kind: change, repo: w}]"))
    decisions.approve(world.session, [parse_ref("p/fix")])

    def elsewhere() -> None:
        wait_until(lambda: world.starts() == ["local"] and world.node("fix").claim, 30, "both")
        cloud.agent_opens_a_pull()
        cloud.agent_releases()

    with Beside(elsewhere):
        cloud.run(parallel=1)


def test_an_issue_of_another_repository_may_be_handed_over(cloud: Cloud) -> None:
    world = cloud.world
    gadgets = cloud.github.hub.repository("acme/gadgets")
    gadgets.issue("Elsewhere", number=5)
    world.plan("nodes: [{id: fix, kind: issue, repo: acme/gadgets, issue: 5, agent: cloud}]")
    decisions.approve(world.session, [parse_ref("p/fix")])
    cloud.run(once=True)
    cloud.run(once=True)
    wait_until(cloud.prompt.exists, 10, "the dispatcher")
    assert "repository: acme/gadgets" in cloud.prompt.read_text()


@pytest.mark.parametrize(
    ("does", "why"),
    [("sys.exit(3)", "ended with 3"), ("os.kill(os.getpid(), 9)", "ended with 137")],
)
def test_a_dispatcher_that_fails_gives_the_claim_back_and_is_not_tried_again(cloud: Cloud, does: str, why: str) -> None:
    cloud.does(does)
    assert cloud.run() == 1
    node = cloud.world.node("fix")
    assert node.claim is None and node.attempt is not None
    assert (node.attempt.outcome, node.tries) == ("given-back", 0)
    [line] = cloud.world.said("was not handed over")
    assert why in line
    assert cloud.calls() == 1


def test_a_dispatcher_that_hangs_is_ended(cloud: Cloud, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stoat.runner.cloud.dispatching.SECONDS", 0.5)
    cloud.does("time.sleep(300)")
    assert cloud.run(poll_seconds=0.2) == 1
    assert cloud.world.said("was not handed over", "still at it")
    assert cloud.world.node("fix").claim is None


def test_a_lease_that_lapses_frees_the_node_and_what_github_shows_decides(
    cloud: Cloud, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("stoat.runner.cloud.dispatching.LONGEST_LEASE", 1.5)
    world = cloud.world
    assert cloud.run(max_attempts=1, poll_seconds=0.2) == 1
    assert world.said("'fix'", "its lease was over")
    node = world.node("fix")
    assert node.attempt is not None and node.attempt.outcome == "failed" and node.gave_up is not None
    assert node.claim is None


def test_what_is_no_issue_is_held_with_words(cloud: Cloud) -> None:
    world = cloud.world
    world.plan("nodes: [{id: a, kind: change, repo: acme/widgets, agent: cloud}]")
    cloud.run()
    assert world.said("⚠ a: a change is not handed to a cloud agent")
    assert world.starts() == [] and cloud.calls() == 0


def test_without_a_go_ahead_nothing_is_handed_over(cloud: Cloud) -> None:
    decisions.withdraw(cloud.world.session, [parse_ref("p/fix")])
    assert cloud.run() == 0
    assert cloud.calls() == 0
    assert cloud.world.said("⚠ fix: awaiting a person's go-ahead")


def test_one_poll_sees_its_dispatcher_through(cloud: Cloud) -> None:
    cloud.does("time.sleep(0.5); print('https://cloud.example/s/2')")
    cloud.run(once=True)
    claim = cloud.world.node("fix").claim
    assert claim is not None and claim.link == "https://cloud.example/s/2"


def test_a_restart_by_a_person_begins_again_and_fences_the_first_agent(cloud: Cloud) -> None:
    world = cloud.world

    def elsewhere() -> None:
        first = wait_until(lambda: (held := world.node("fix").claim) and held.link and held, 30, "the first")
        world.restart("fix")
        second = wait_until(
            lambda: (held := world.node("fix").claim) and held.id != first.id and held.link and held, 30, "the second"
        )
        late = Stoat(world.repo.path).run("report", "p/fix", "--claim", first.id, env={"STOAT_AGENT": "cloudy"})
        assert late.code == 3 and second.id != first.id
        cloud.agent_opens_a_pull()
        cloud.agent_releases()

    with Beside(elsewhere):
        assert cloud.run() == 0
    assert cloud.calls() == 2


@pytest.mark.parametrize("printed", ["https://cloud.example/s/1", "handed over"])
@pytest.mark.parametrize("moment", ["after claims fix for a cloud agent", "before fix is with a cloud agent"])
def test_a_runner_killed_at_any_moment_leaves_no_second_agent(cloud: Cloud, moment: str, printed: str) -> None:
    world = cloud.world
    cloud.does(f"print({printed!r})")
    cloud.dies_at(moment)
    handed = cloud.prompt.exists()

    def elsewhere() -> None:
        wait_until(lambda: world.said("is with a cloud agent"), 30, "what is said of it")
        cloud.agent_opens_a_pull()
        cloud.agent_releases()

    with Beside(elsewhere):
        assert cloud.run() == 0
    assert cloud.calls() == (1 if handed else 2)
    assert world.statuses() == {"fix": "pr-open"}


def test_an_error_that_names_an_address_is_no_hand_over_for_a_successor_either(cloud: Cloud) -> None:
    cloud.does("print('see https://help.example/quota'); sys.exit(3)")
    cloud.dies_at("before attempt on fix is given back")
    assert cloud.run() == 1
    [line] = cloud.world.said("was not handed over")
    assert "ended with 3" in line
    node = cloud.world.node("fix")
    assert node.claim is None and node.attempt is not None and node.attempt.outcome == "given-back"
    assert cloud.calls() == 1 and cloud.files() == []


def test_a_dispatcher_whose_end_nobody_saw_is_held_and_said_and_not_taken_for_handed_over(cloud: Cloud) -> None:
    world = cloud.world
    cloud.dies_at("before fix is with a cloud agent")
    code, _ = cloud.files()
    code.unlink()

    def elsewhere() -> None:
        wait_until(lambda: world.said("how its dispatcher ended was not seen", "stoat restart p/fix"), 30, "the line")
        claim = world.node("fix").claim
        assert claim is not None and claim.link is None
        cloud.agent_opens_a_pull()
        cloud.agent_releases()

    with Beside(elsewhere):
        assert cloud.run() == 0
    assert cloud.calls() == 1 and not world.said("is with a cloud agent")


@pytest.mark.parametrize("takes", [0, 1])
def test_a_dispatcher_that_a_failing_poll_lost_is_seen_through(cloud: Cloud, takes: int) -> None:
    world = cloud.world
    cloud.does(f"time.sleep({takes}); print('https://cloud.example/s/1')")
    broken = [OSError("no space left")]

    def emit(line: str) -> None:
        if "is handed over" in line and broken:
            raise broken.pop()
        world.lines.append(line)

    def elsewhere() -> None:
        wait_until(lambda: (held := world.node("fix").claim) and held.link, 30, "the link")
        cloud.agent_opens_a_pull()
        cloud.agent_releases()

    with Beside(elsewhere):
        options = world.options("p", cloud=cloud.launcher, poll_seconds=0.2)
        assert run_plan(options, world.fresh_session(), emit, world.environ) == 0
    assert broken == [] and cloud.calls() == 1 and cloud.files() == []


def test_a_plan_that_names_another_repository_by_now_is_looked_at_again(
    cloud: Cloud, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It changes between the look at the plan and the claim."""
    world = cloud.world
    cloud.github.hub.repository("acme/gadgets").issue("Elsewhere", number=120)
    changed: list[str] = []

    def changing(kind: str) -> str:
        if not changed:
            changed.append(kind)
            world.plan(PLAN.replace("acme/widgets", "acme/gadgets"))
            decisions.approve(world.session, [parse_ref("p/fix")])
        return mint(kind)

    monkeypatch.setattr("stoat.runner.cloud.dispatching.mint", changing)
    cloud.run(once=True)
    assert changed and world.said("⚠ fix: not handed over", "has changed")
    assert cloud.calls() == 0 and not cloud.prompt.exists()


def test_the_command_line_refuses_what_cannot_work_before_anything_is_claimed(cloud: Cloud) -> None:
    stoat, flags = Stoat(cloud.world.repo.path), cloud.world.flags()

    def refused(*more: str) -> str:
        ran = stoat.run(*flags, *more, env=cloud.world.environ)
        assert ran.code == 3, ran.err
        return ran.err

    assert "needs host and agent" in refused("--cloud-launcher", "cloud-ssh")
    assert "STOAT_CLOUD_WORKFLOW" in refused("--cloud-launcher", "cloud-github-actions")
    assert "starts agents on this machine" in refused("--cloud-launcher", "scripted")
    assert "comes with a later version" in refused("--cloud-url", "https://stoat.example")
    assert cloud.calls() == 0


def test_how_long_cloud_agents_hold_a_node_is_said_at_the_start(cloud: Cloud) -> None:
    decisions.withdraw(cloud.world.session, [parse_ref("p/fix")])
    cloud.run()
    assert cloud.world.said("hold a node for 4 h", "stoat report")
