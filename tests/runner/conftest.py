"""A world for a runner: a project with an origin and a store, a plan, and agents that do what a test wrote for them."""

from __future__ import annotations

import json
import os
import signal
import sys
import textwrap
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from stoat.derive.answers import NodeAnswer
from stoat.derive.limits import Limits
from stoat.derive.schedule import Scope
from stoat.gitstore.log import Store
from stoat.plan.events.base import Actor
from stoat.plan.state import NodeState
from stoat.processes import end_tree, find_marked
from stoat.runner.launchers import choose
from stoat.runner.loop import run_plan
from stoat.runner.options import RunOptions
from stoat.runner.profiles import Profile
from stoat.service import decisions, plans
from stoat.service.session import Session, parse_ref
from tests.support.gitrepo import GitRepo, MakeRepo

if TYPE_CHECKING:
    from tests.runner.issues.hub import Hub

AGENT = '''\
import os, pathlib, subprocess, sys, time

NODE, ATTEMPT = os.environ["STOAT_NODE"], int(os.environ["STOAT_ATTEMPT"])
PROMPT = sys.argv[1]
TOLD = pathlib.Path(os.environ["TOLD"])


def tell(what, text=""):
    """Add a line to what the test is told."""
    with TOLD.open("a") as file:
        file.write(f"{time.monotonic()} {NODE} {ATTEMPT} {os.getpid()} {what} {text}\\n")


def git(*words):
    subprocess.run(["git", *words], check=True)


def commit(name, text="", message="Work"):
    pathlib.Path(name).write_text(text or NODE)
    git("add", "--", name)
    git("commit", "-q", "-m", message)


def stoat(*words, check=True):
    return subprocess.run(["stoat", *words], check=check)


def steps():
    """Run the steps exactly as the prompt gives them."""
    for line in PROMPT.splitlines():
        if line.startswith("stoat gate "):
            subprocess.run(line, shell=True)


def specs(passed=(), failed=()):
    """Record a test run in which these specs passed and those failed."""
    case = '<testcase classname="{}" name="{}">{}</testcase>'
    cases = [case.format(*name.split("/"), "") for name in passed]
    cases += [case.format(*name.split("/"), "<failure/>") for name in failed]
    report = pathlib.Path(os.environ["TOLD"] + f"-{NODE}-{ATTEMPT}.xml")
    report.write_text(f"<testsuite>{''.join(cases)}</testsuite>")
    stoat("runs", "add", str(report), "--tag", os.environ["BOBCAT_RUN_TAG"], check=False)


def push(*more):
    """Push the branch, as a prompt about an issue says."""
    git("push", "-q", "-u", "origin", "HEAD", *more)


def open_pull(number, body=None):
    """Open a pull request of the branch over HTTP that closes that issue; its number."""
    import json, urllib.request
    branch = subprocess.run(["git", "branch", "--show-current"], capture_output=True, text=True).stdout.strip()
    asked = {"title": NODE, "head": branch, "base": "main", "body": body or f"Fixes #{number}"}
    headers = {"Authorization": "Bearer " + os.environ["GH_TOKEN"], "Content-Type": "application/json"}
    url = os.environ["STOAT_GITHUB_API"] + "/repos/acme/widgets/pulls"
    request = urllib.request.Request(url, json.dumps(asked).encode(), headers)
    with urllib.request.urlopen(request) as answer:
        opened = json.load(answer)["number"]
    tell("opened", opened)
    return opened


def wait_for(name):
    """Wait until a test made that file beside what it is told, for a minute at most."""
    for _ in range(6000):
        if (TOLD.parent / name).exists():
            return
        time.sleep(0.01)


tell("starts")
script = pathlib.Path(os.environ["SCRIPTS"], NODE + ".py")
exec(compile(script.read_text() if script.exists() else "commit(NODE + '.txt')", str(script), "exec"))
tell("ends")
'''


def _leave() -> None:
    """What a person does who has waited long enough: the run ends with 130."""
    for _ in range(2):
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.1)


class World:
    """One project, its store and its agents; `run` works the plan in this very process."""

    def __init__(self, repo: GitRepo, place: Path) -> None:
        self.repo = repo
        self.place = place
        self.told_at = place / "told"
        (place / "scripts").mkdir(parents=True)
        (place / "agent.py").write_text(AGENT, encoding="utf-8")
        self.launchers = place / "launchers.json"
        self.environ = {**os.environ, "TOLD": str(self.told_at), "SCRIPTS": str(place / "scripts")}
        self.lines: list[str] = []
        store, _ = Store.create(repo.path)
        self.session = Session(store, Actor("Ada", "person"), repo.path)
        self.profile_as()

    def profile_as(self, **fields: Any) -> Profile:
        """Write the launcher profile `scripted`, with these fields over its plain ones, and choose it."""
        arguments = ["-S", "-E", str(self.place / "agent.py"), "{prompt}"]
        plain = {"name": "scripted", "command": sys.executable, "arguments": arguments}
        self.launchers.write_text(json.dumps([{**plain, **fields}]), encoding="utf-8")
        self.profile = choose("scripted", self.launchers, self.place)
        return self.profile

    def plan(self, text: str, *, slug: str = "p", approve: bool = True) -> None:
        """Import a plan, its header given without `schema` and `plan`; approved as a whole unless told otherwise."""
        document = f"schema: 1\nplan: {slug}\ngo_ahead: plan\n{textwrap.dedent(text)}"
        plans.import_document(self.session, document)
        if approve:
            decisions.approve_plan(self.session, slug)

    def agent(self, node: str, code: str) -> None:
        """What the agents of that node do."""
        (self.place / "scripts" / f"{node}.py").write_text(textwrap.dedent(code), encoding="utf-8")

    def options(self, slug: str = "p", **given: Any) -> RunOptions:
        """The options of a quick run: no staggering, hardly any settling."""
        limits = Limits(**given.pop("limits", {}))
        scope = Scope(**{name: given.pop(name) for name in ("only", "skip", "ignore_dependencies") if name in given})
        quick: dict[str, Any] = {"settle_seconds": 0.1, "stagger_seconds": 0.0, "poll_seconds": 2.0}
        return RunOptions(
            **{"plan": slug, "project": self.repo.path, "profile": self.profile, "limits": limits, "scope": scope,
               **quick, **given}
        )  # fmt: skip

    def run(self, slug: str = "p", **given: Any) -> int:
        """Work the plan to the end; the exit code. What it said is added to `lines`. It has a minute."""
        alarm = threading.Timer(60, _leave)
        alarm.start()
        try:
            return run_plan(self.options(slug, **given), self.fresh_session(), self.lines.append, self.environ)
        finally:
            alarm.cancel()

    def flags(self, *more: str, slug: str = "p") -> list[str]:
        """The same as arguments of the command line."""
        quick = ("--settle-seconds", "0.1", "--stagger-seconds", "0", "--poll-seconds", "2")
        launcher = ("--launcher", "scripted", "--launchers", str(self.launchers))
        return ["run-plan", slug, str(self.repo.path), *launcher, *quick, *more]

    def fresh_session(self) -> Session:
        """A session of its own for a run."""
        return replace(self.session, store=Store.open(self.repo.path))

    def said(self, *words: str) -> list[str]:
        """The lines that hold all of these words."""
        return [line for line in self.lines if all(word in line for word in words)]

    def told(self) -> list[list[str]]:
        """What agents told, a list of words each: moment, node, attempt, pid, what, and more."""
        return [line.split(" ") for line in self.told_at.read_text().splitlines()] if self.told_at.exists() else []

    def starts(self) -> list[str]:
        """The nodes that agents started on, in order."""
        return [words[1] for words in self.told() if words[4] == "starts"]

    def signal(self, name: str) -> None:
        """Let agents that wait for this file go on."""
        (self.place / name).touch()

    def node(self, node_id: str, slug: str = "p") -> NodeState:
        """A node's state."""
        plan = self.session.state().plan(slug)
        assert plan is not None
        return plan.nodes[node_id]

    def shown(self, node_id: str, slug: str = "p") -> NodeAnswer:
        """A node's answer."""
        return self.session.answers().by_ref[f"{slug}/{node_id}"]

    def statuses(self, slug: str = "p") -> dict[str, str]:
        """Every node's status."""
        return {node.id: node.status for node in self.session.answers().plans[slug].nodes}

    def events(self, slug: str = "p") -> list[Any]:
        """The plan's stream."""
        return [recorded.event for recorded in self.session.store.history(f"plans/{slug}")]

    def restart(self, node: str, slug: str = "p") -> None:
        """A person's restart."""
        decisions.restart(self.session, parse_ref(f"{slug}/{node}"))

    def beside(self, name: str) -> GitRepo:
        """A worktree beside the project, by its name without the project's."""
        return GitRepo(self.repo.path.with_name(f"{self.repo.path.name}-{name}"))

    def close(self) -> None:
        """End what agents are left."""
        for plan in self.session.state().plans.values():
            for node in plan.nodes.values():
                if node.attempt is not None:
                    mark = ("STOAT_CLAIM", node.attempt.claim)
                    for identity in find_marked(*mark)[:1]:
                        end_tree(identity, 0.1, marker=mark)


@pytest.fixture
def world(make_repo: MakeRepo, tmp_path: Path) -> Iterator[World]:
    """A project `app` with a bare origin, its store, and no plan yet. Its path has a space."""
    made = World(make_repo("app", origin=True), tmp_path / "the agents")
    yield made
    made.close()


@pytest.fixture
def github(tmp_path: Path) -> Iterator[Hub]:
    """The fake GitHub, its repository and a world for a runner in a checkout of it."""
    from tests.runner.issues.hub import Hub
    from tests.support.fakehub import FakeHub

    with FakeHub(tmp_path / "hub") as hub:
        made = Hub(hub, tmp_path)
        yield made
        print("\n".join([*made.world.lines, *hub.operations()]))  # shown where a test fails
        made.world.close()
