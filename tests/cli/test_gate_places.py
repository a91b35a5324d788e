"""A step that declares a directory: where it ran is recorded, however one got there, and compared."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.support.command import Stoat
from tests.support.gitrepo import GitRepo, MakeRepo

PLAN = """\
schema: 1
plan: demo
nodes:
  - id: suite
    kind: test-run-gate
    steps:
      - {id: unit, run: pwd, cwd: ./src/}
      - {id: top, run: pwd, cwd: .}
      - {id: free, run: pwd}
"""


@pytest.fixture
def repo(make_repo: MakeRepo) -> GitRepo:
    made = make_repo("work space")
    made.commit({"plan.yaml": PLAN, "src/app/a": "1", "docs/b": "1"})
    return made


@pytest.fixture
def stoat(repo: GitRepo) -> Stoat:
    stoat = Stoat(repo.path)
    stoat.ok("init")
    stoat.ok("plan", "import", "plan.yaml")
    return stoat


def steps(stoat: Stoat) -> dict[str, Any]:
    return {step["id"]: step for step in stoat.json("status", "demo")["nodes"][0]["steps"]}


def test_the_shown_command_and_gate_run_prove_a_step_in_its_directory(stoat: Stoat, repo: GitRepo) -> None:
    shown = steps(stoat)
    assert {name: step["command"].partition(" --step ")[2] for name, step in shown.items()} == {
        "unit": "unit --cwd ./src/ -- pwd", "top": "top --cwd . -- pwd", "free": "free -- pwd",
    }  # fmt: skip
    inside = Stoat(repo.path / "docs")
    for name, flags in (("unit", ["--cwd", "./src/"]), ("top", ["--cwd", "."]), ("free", [])):
        inside.ok("gate", "exec", "demo/suite", "--step", name, *flags, "--", "pwd")
    assert [step["state"] for step in steps(stoat).values()] == ["passed"] * 3
    inside.ok("gate", "run", "demo/suite")
    assert [step["state"] for step in steps(stoat).values()] == ["passed"] * 3
    stoat.ok("gate", "exec", "demo/suite", "--step", "unit", "--", "pwd")
    unit = steps(stoat)["unit"]
    assert (unit["state"], unit["detail"]) == ("mismatch", "ran in the top of the checkout, not in ./src/")


def test_one_stands_in_a_directory_through_a_link_and_in_a_worktree(
    stoat: Stoat, repo: GitRepo, tmp_path: Path
) -> None:
    way = tmp_path / "way"
    way.symlink_to(repo.path)
    Stoat(way / "src", {"PWD": str(way / "src")}).ok("gate", "exec", "demo/suite", "--step", "unit", "--", "pwd")
    assert steps(stoat)["unit"]["state"] == "passed"
    stoat.ok("restart", "demo/suite")
    tree = tmp_path / "other tree"
    repo.run_git("worktree", "add", "--quiet", "--detach", str(tree))
    Stoat(tree / "src" / "app").ok("gate", "exec", "demo/suite", "--step", "unit", "--", "pwd")
    assert steps(stoat)["unit"]["detail"] == "ran in src/app, not in ./src/"
    Stoat(tree / "src").ok("gate", "exec", "demo/suite", "--step", "unit", "--", "pwd")
    assert steps(stoat)["unit"]["state"] == "passed"
