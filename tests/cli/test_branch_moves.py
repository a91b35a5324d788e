"""A plan's branch moves and no runner is there to see it: `sweep`, `gate` and `review` do, end to end."""

from __future__ import annotations

import pytest

from tests.support.command import Stoat
from tests.support.gitrepo import GitRepo, MakeRepo

PLAN = """\
schema: 1
plan: demo
branch: integ
nodes:
  - id: suite
    kind: test-run-gate
    reverify: on-branch-change
    steps: [{id: unit, run: "true"}]
  - {id: other, kind: test-run-gate}
  - {id: look, kind: review}
"""


@pytest.fixture
def repo(make_repo: MakeRepo) -> GitRepo:
    """A checkout of the plan's branch, with a store."""
    made = make_repo("work space")
    made.commit({"plan.yaml": PLAN})
    made.checkout("integ", new=True)
    return made


@pytest.fixture
def stoat(repo: GitRepo) -> Stoat:
    stoat = Stoat(repo.path)
    stoat.ok("init")
    stoat.ok("plan", "import", "plan.yaml")
    return stoat


def status(stoat: Stoat, node: str) -> tuple[str, str]:
    shown = next(one for one in stoat.json("status", "demo")["nodes"] if one["id"] == node)
    return shown["status"], shown["detail"]


def moves(stoat: Stoat) -> int:
    return stoat.ok("log", "demo", "--history").count("integ moved to")


def test_a_commit_and_a_sweep_make_a_gate_stale_that_is_proved_again_whenever_its_branch_moves(
    stoat: Stoat, repo: GitRepo
) -> None:
    stoat.ok("gate", "exec", "demo/suite", "--step", "unit", "--", "true")
    assert status(stoat, "suite") == ("done", "its step passed")
    first, second = repo.head(), repo.commit(message="Next")
    swept = stoat.json("sweep")
    assert swept["news"] == [
        {
            "repo": None, "type": "branch_moved", "number": None,
            "text": f"demo: the branch integ moved from {first[:7]} to {second[:7]}",
        }
    ]  # fmt: skip
    assert status(stoat, "suite") == ("stale", "passed before, and no longer counts: integ moved since (unit)")
    tip = repo.run_git("rev-parse", "refs/stoat/state")
    assert stoat.json("sweep") == {"requests": 0, "facts": 1, "news": [], "problems": []}
    assert stoat.ok("sweep") == "no news, 1 fact read with 0 requests\n"
    assert repo.run_git("rev-parse", "refs/stoat/state") == tip

    stoat.ok("gate", "run", "demo/suite")
    assert status(stoat, "suite")[0] == "done"


def test_a_gate_that_runs_on_a_newer_commit_says_so_for_all_others(stoat: Stoat, repo: GitRepo) -> None:
    stoat.ok("gate", "exec", "demo/suite", "--step", "unit", "--", "true")
    repo.commit(message="Next")
    stoat.ok("gate", "exec", "demo/other", "--", "true")
    assert (status(stoat, "suite")[0], status(stoat, "other")[0]) == ("stale", "done")
    stoat.ok("gate", "exec", "demo/suite", "--step", "unit", "--", "true")
    assert status(stoat, "suite")[0] == "done"
    assert moves(stoat) == 2, "a branch at rest is no news"


def test_a_commit_after_the_sign_off_of_a_review_is_named(stoat: Stoat, repo: GitRepo) -> None:
    (repo.path / "none.json").write_text("[]")
    before = repo.head()
    stoat.ok("gate", "exec", "demo/other", "--", "true")
    reviewed = repo.commit(message="What is reviewed")
    stoat.ok("review", "submit", "demo/look", "none.json")
    stoat.ok("review", "sign-off", "demo/look")
    assert (status(stoat, "look")[0], "moved since" in status(stoat, "look")[1], before == reviewed) == (
        "done", False, False,
    )  # fmt: skip
    after = repo.commit(message="Too late")
    stoat.ok("sweep")
    state, detail = status(stoat, "look")
    assert state == "done"
    assert detail.endswith(f", integ moved since: reviewed at {reviewed[:7]}, now at {after[:7]}")


def test_a_review_is_signed_off_as_of_the_commit_that_was_reviewed(stoat: Stoat, repo: GitRepo) -> None:
    (repo.path / "none.json").write_text("[]")
    stoat.ok("review", "submit", "demo/look", "none.json")
    repo.commit(message="Between")
    assert "integ moved since" in stoat.ok("review", "sign-off", "demo/look")


def test_a_branch_that_cannot_be_read_fails_no_command(stoat: Stoat, repo: GitRepo) -> None:
    stoat.ok("gate", "exec", "demo/other", "--", "true")
    repo.checkout("main")
    (repo.path / ".git" / "refs" / "heads" / "integ").write_text("")
    ran = stoat.run("gate", "exec", "demo/other", "--", "sh", "-c", "exit 3")
    assert ran.code == 3 and ran.err.count("it is not known where the branch integ is") == 1, ran.err
    swept = stoat.run("sweep")
    assert swept.code == 0 and swept.out.count("it is not known where the branch integ is") == 1
    assert moves(stoat) == 1
