"""What the tests of MCP start from: a repository with a small plan, an agent on a node of it, and a server at pipes."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from stoat.mcp.desk import Desk
from stoat.mcp.instructions import instructions
from stoat.mcp.protocol import Endpoint
from stoat.mcp.stdio import Server, Times
from stoat.mcp.tools import offered
from stoat.service.assigned import assigned
from tests.support.command import Stoat
from tests.support.gitrepo import GitRepo
from tests.support.mcp_wire import Wire

PLAN = """\
schema: 1
plan: demo
title: A demo
nodes:
  - id: parser
    kind: change
    brief: Write it.
  - id: suite
    kind: test-run-gate
    steps:
      - id: unit
        run: echo hello
  - id: final
    kind: review
"""

QUICK = Times(patience=20, silent=0.3, beat=0.05, ending=10)


@pytest.fixture(scope="session")
def _made(_isolated_session: None, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """Such a repository, made once, and the id of the claim that `box/parser` has on the node `parser`."""
    repo = GitRepo(tmp_path_factory.mktemp("made for mcp") / "project").init()
    repo.commit({"plan.yaml": PLAN}, "Start")
    stoat = Stoat(repo.path)
    stoat.ok("init")
    stoat.ok("plan", "import", "plan.yaml")
    stoat.ok("approve", "demo/parser")
    return repo.path, stoat.json("claim", "demo/parser", "--agent", "box/parser", "--session", "s-1")["claimId"]


@pytest.fixture
def repo(_made: tuple[Path, str], tmp_path: Path) -> GitRepo:
    """A repository with a store and the plan `demo` in it; its path has a space."""
    place = tmp_path / "work space" / "project"
    shutil.copytree(_made[0], place, symlinks=True)
    return GitRepo(place)


@pytest.fixture
def worker(_made: tuple[Path, str]) -> dict[str, str]:
    """The environment of the agent that works on `demo/parser`, as a runner sets it."""
    return {
        "STOAT_AGENT": "box/parser", "STOAT_PLAN": "demo", "STOAT_NODE": "parser", "STOAT_CLAIM": _made[1],
        "STOAT_SESSION": "s-1",
    }  # fmt: skip


@pytest.fixture
def stoat(repo: GitRepo) -> Stoat:
    """The command as a person runs it, in that repository."""
    return Stoat(repo.path)


@pytest.fixture
def endpoint(repo: GitRepo, worker: dict[str, str]) -> Endpoint:
    """The tools of that agent, without anything that carries messages."""
    environ = {**os.environ, **worker}
    desk = Desk(repo.path, environ)
    return Endpoint(offered("worker"), desk, instructions(assigned(environ)), "1.2.3")


Serve = Callable[..., Wire]


@pytest.fixture
def serve(endpoint: Endpoint) -> Iterator[Serve]:
    """Starts a server over that endpoint in this process, and gives a wire to it."""
    begun: list[tuple[Wire, threading.Thread, list[int]]] = []

    def start(times: Times = QUICK) -> Wire:
        to_server, from_server = os.pipe(), os.pipe()
        server = Server(endpoint, to_server[0], from_server[1], times)
        thread = threading.Thread(target=server.run, daemon=True)
        thread.start()
        wire = Wire(from_server[0], to_server[1])
        begun.append((wire, thread, [to_server[0], from_server[1]]))
        return wire

    yield start
    for wire, thread, ours in begun:
        os.close(wire.sink)
        thread.join(20)
        for each in (wire.source, *ours):
            os.close(each)
        assert not thread.is_alive(), "the server goes on after its input was closed"
