"""On a terminal something moves while a command works for long; a pipe hears nothing of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.command import Stoat
from tests.support.gitrepo import MakeRepo
from tests.support.terminal import Terminal

pytestmark = pytest.mark.slow


@pytest.fixture
def large(make_repo: MakeRepo) -> Path:
    """A store, and beside it a plan that takes longer than a second to read."""
    repo = make_repo()
    Stoat(repo.path).ok("init")
    nodes = "".join(f"  - {{id: n{i}, kind: person, title: Step {i}}}\n" for i in range(6000))
    (repo.path / "large.yaml").write_text(f"schema: 1\nplan: large\nnodes:\n{nodes}")
    return repo.path


def test_a_long_import_says_on_a_terminal_how_long_it_has_been_at_it(large: Path) -> None:
    on = Terminal(["plan", "import", "large.yaml"], cwd=large, env={})
    assert on.end(60) == 0
    assert "reading the document … 1 s".encode() in on.raw
    assert not any("reading the document" in line for line in on.screen())


def test_in_a_pipe_it_says_nothing_of_it(large: Path) -> None:
    ran = Stoat(large).run("plan", "import", "large.yaml")
    assert ran.code == 0 and "reading" not in ran.err + ran.out
