"""What the tests of the command line start from: a repository that holds a small plan of every kind."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.support.command import Stoat
from tests.support.gitrepo import GitRepo

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
    title: The suites
    depends_on: [parser]
    steps:
      - id: unit
        run: echo hello && true
      - id: lint
        run: sh -c 'exit 4'
  - id: bare
    kind: test-run-gate
  - id: send
    kind: slice
    pattern: command
    specs: [Parcels/Send one, Parcels/Lose one]
  - id: film
    kind: person
  - id: bug
    kind: issue
    repo: o/n
    issue: 7
  - id: pull
    kind: pr
    repo: o/n
    pr: 8
"""


@pytest.fixture(scope="session")
def _made(_isolated_session: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Such a repository, made once."""
    repo = GitRepo(tmp_path_factory.mktemp("made") / "project").init()
    repo.commit({"plan.yaml": PLAN}, "Start")
    stoat = Stoat(repo.path)
    stoat.ok("init")
    stoat.ok("plan", "import", "plan.yaml")
    return repo.path


@pytest.fixture
def repo(_made: Path, tmp_path: Path) -> GitRepo:
    """A repository with a store and the plan `demo` in it; its path has a space."""
    place = tmp_path / "work space" / "project"
    shutil.copytree(_made, place, symlinks=True)
    return GitRepo(place)


@pytest.fixture
def stoat(repo: GitRepo) -> Stoat:
    """The command, in that repository."""
    return Stoat(repo.path)
