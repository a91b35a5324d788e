"""kill -9 at every git command of a landing: the next one finds what was left, finishes it or undoes it, once."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from stoat.gitstore.porcelain import GitFailed
from stoat.gitstore.work.bases import Base
from stoat.gitstore.work.integration import Integration, ensure_integration
from stoat.gitstore.work.landing import AlreadyLanded, Conflict, DirtyLanding, Landed
from stoat.gitstore.work.nodetrees import Made, Reused, ensure
from stoat.gitstore.work.places import place
from stoat.gitstore.work.remotes import Fetched, fetch
from stoat.gitstore.work.worktrees import look, project_at
from tests.support.dying import When, killed_at
from tests.support.gitrepo import GitRepo, MakeRepo
from tests.support.landing import BRANCH, Plan

pytestmark = pytest.mark.slow
WHEN: list[When] = ["after", "during", "orphaned"]


def landing_node(plan: Plan, shape: str) -> GitRepo:
    """A node whose landing takes this way."""
    node = plan.node("a", {"g": "mine\n"} if shape != "rebase" else {"a": "1"})
    if shape == "merge":
        node.commit({"g": "0\n"}, "Undo")
        node.commit({"n": "1"}, "Redo")
    plan.land(plan.node("other", {"g": "theirs\n", "o": "1"}, "Other"))
    return node


@pytest.mark.parametrize("when", WHEN)
@pytest.mark.parametrize("shape", ["rebase", "merge", "conflict"])
def test_a_landing_killed_anywhere_is_taken_up_again(
    make_repo: MakeRepo, tmp_path: Path, shape: str, when: When
) -> None:
    plan = Plan(make_repo(files={"f": "0\n", "g": "0\n"}))
    node = landing_node(plan, shape)
    start, head = plan.tip, node.head()
    refs = plan.repo.run_git("for-each-ref")
    at = 0
    while True:
        at += 1
        died = killed_at(at, when, tmp_path / "dying", lambda: plan.land(node))
        outcome = plan.land(node)
        plan.check_at_rest()
        assert (node.head(), node.run_git("status", "--porcelain")) == (head, "")
        if shape == "conflict":
            assert outcome == Conflict(("g",)), (at, outcome)
            assert plan.repo.run_git("for-each-ref") == refs
        else:
            assert isinstance(outcome, Landed | AlreadyLanded), (at, outcome)
            subjects = plan.subjects()
            assert subjects.count("Other") == 1
            assert subjects.count("Work" if shape == "rebase" else "Redo") == 1, (at, subjects)
            plan.tree.run_git("reset", "--hard", "--quiet", start)
            for ref in plan.repo.run_git("for-each-ref", "--format=%(refname)", "refs/stoat/landed").splitlines():
                plan.repo.run_git("update-ref", "-d", ref)
        if not died:
            break
    assert at > 4


def test_somebodys_work_in_a_landing_that_died_is_never_cleared_away(make_repo: MakeRepo, tmp_path: Path) -> None:
    plan = Plan(make_repo(files={"f": "0\n", "g": "0\n"}))
    node = landing_node(plan, "conflict")
    at = next(
        at
        for at in range(1, 60)
        if killed_at(at, "after", tmp_path / "dying", lambda: plan.land(node))
        and plan.tree.run_git("status", "--porcelain")
    )
    assert at
    plan.tree.write("g", "resolved by hand, and nowhere else\n")
    plan.tree.write("notes", "mine\n")
    outcome = plan.land(node)
    assert isinstance(outcome, DirtyLanding), outcome
    assert set(outcome.files) >= {"g", "notes"}
    assert plan.tree.read("g") == "resolved by hand, and nowhere else\n"
    (plan.tree.path / "notes").unlink()
    plan.tree.write("g", "0\n")
    assert plan.land(node) == Conflict(("g",))
    plan.check_at_rest()


def test_a_checkout_that_died_halfway_is_cleared_up_by_what_its_files_hold(make_repo: MakeRepo) -> None:
    plan = Plan(make_repo(files={"f": "0\n", "g": "0\n"}))
    node = plan.node("a", {"f": "1\n", "new": "1\n", "cut short": "1\n"})
    own = Path(plan.tree.run_git("rev-parse", "--absolute-git-dir"))
    (own / "stoat-landing").write_text(f"{BRANCH}\0{plan.tip}\0{node.head()}")
    plan.tree.run_git("checkout", "--quiet", "--detach")
    plan.tree.write("f", "1\n")
    plan.tree.write("new", "1\n")
    plan.tree.write("cut short", "")
    plan.tree.write("g", None)
    (own / "index.lock").touch()
    refused = plan.land(node)
    assert refused == DirtyLanding(("g",))  # no commit of the node's touches it: somebody else did
    plan.tree.write("g", "0\n")
    assert isinstance(plan.land(node), Landed)
    plan.check_at_rest()


@pytest.mark.parametrize("when", WHEN)
def test_worktrees_whose_making_is_killed_anywhere_are_made_in_the_end(
    make_repo: MakeRepo, tmp_path: Path, when: When
) -> None:
    repo = make_repo(files={f"directory {i}/file": "x" * 1000 for i in range(50)})
    project = project_at(repo.path)
    base = Base("main", repo.head(), "")
    at = 0
    while True:
        at += 1
        where = place(project, "p", f"n{at}")
        died = killed_at(at, when, tmp_path / "dying", partial(ensure, project, where, base))
        answer = ensure(project, place(project, "p", f"n{at}"), base)
        assert isinstance(answer, Made | Reused), (at, answer)
        seen = look(project, answer.path)
        assert (seen.branch, seen.head, seen.dirty, seen.locked) == (where.branch, base.commit, (), None)
        if not died:
            break
    assert at > 2


@pytest.mark.parametrize("when", WHEN)
def test_an_integration_branch_whose_making_is_killed_anywhere_is_made_in_the_end(
    make_repo: MakeRepo, tmp_path: Path, when: When
) -> None:
    plan = Plan(make_repo())
    base = Base("main", plan.repo.head(), "")
    at = 0
    while True:
        at += 1
        plan.repo.run_git("worktree", "remove", str(plan.tree.path))
        plan.repo.run_git("branch", "-D", BRANCH)
        died = killed_at(at, when, tmp_path / "dying", lambda: ensure_integration(plan.project, plan.place, base))
        made = ensure_integration(plan.project, plan.place, base)
        assert isinstance(made, Integration), (at, made)
        plan.check_at_rest()
        if not died:
            break
    assert at > 2


STEPS = ("locked", "gitdir", ".git", "HEAD", "commondir")
"""The files that `git worktree add` writes for a new worktree before it checks anything out, in its order."""


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("written", [False, True])
def test_a_making_that_died_at_any_file_of_gits_is_made_in_the_end(
    make_repo: MakeRepo, monkeypatch: pytest.MonkeyPatch, step: str, written: bool
) -> None:
    monkeypatch.setattr("stoat.gitstore.work.torn._PATIENCE", 0.2)
    repo = make_repo(files={"file": "x\n"})
    project, base = project_at(repo.path), Base("main", repo.head(), "")
    where = place(project, "p", "n")
    repo.run_git("branch", where.branch)
    entry, tree = repo.path / ".git" / "worktrees" / where.path.name, where.path
    content = {
        "locked": "stoat: being made",
        "gitdir": f"{tree}/.git\n",
        ".git": f"gitdir: {entry}\n",
        "HEAD": f"{'0' * 40}\n",
        "commondir": "../..\n",
    }
    entry.mkdir(parents=True)
    for name in STEPS[: STEPS.index(step) + 1]:
        if name == "gitdir":
            tree.mkdir()
        file = (tree if name == ".git" else entry) / name
        file.write_text(content[name] if written or name != step else "")
    answer = ensure(project, place(project, "p", "n"), base)
    assert isinstance(answer, Made | Reused), answer
    seen = look(project, answer.path)
    assert (seen.branch, seen.head, seen.dirty, seen.locked) == (where.branch, base.commit, (), None)


def test_a_torn_entry_of_ours_stops_no_fetch(make_repo: MakeRepo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stoat.gitstore.work.torn._PATIENCE", 0.2)
    repo = make_repo(origin=True)
    repo.checkout("plan", new=True).commit({"plan": "1"})
    repo.push("plan")
    repo.checkout("main").run_git("branch", "-D", "plan")
    repo.run_git("update-ref", "-d", "refs/remotes/origin/plan")
    repo.run_git("worktree", "add", "--no-checkout", "--lock", "--reason", "stoat: being made", "../torn")
    (repo.path / ".git" / "worktrees" / "torn" / "commondir").write_text("")
    assert isinstance(fetch(repo.path, "plan"), Fetched)
    assert repo.run_git("log", "--format=%s", "origin/plan")


def test_a_torn_entry_of_somebody_elses_is_left_to_them(make_repo: MakeRepo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stoat.gitstore.work.torn._PATIENCE", 0.2)
    repo = make_repo(files={"file": "x\n"})
    repo.run_git("worktree", "add", "--lock", "--reason", "stoat: being made", "../theirs")
    torn = repo.path / ".git" / "worktrees" / "theirs" / "commondir"
    torn.write_text("")
    with pytest.raises(GitFailed, match="commondir"):
        place(project_at(repo.path), "p", "n")
    assert torn.exists() and (repo.path.parent / "theirs" / "file").exists()


@pytest.mark.parametrize("left", [f"refs/heads/{BRANCH}.lock", f"refs/stoat/landed/{BRANCH}/{{commit}}.lock"])
def test_a_lock_that_a_landing_left_when_it_died_does_not_stop_the_next_one(make_repo: MakeRepo, left: str) -> None:
    plan = Plan(make_repo(files={"f": "0\n", "g": "0\n"}))
    node = landing_node(plan, "rebase")
    own = Path(plan.tree.run_git("rev-parse", "--absolute-git-dir"))
    (own / "stoat-landing").write_text(f"{BRANCH}\0{plan.tip}\0{node.head()}")
    lock = plan.repo.path / ".git" / left.format(commit=node.head())
    lock.parent.mkdir(parents=True, exist_ok=True)
    lock.touch()
    assert isinstance(plan.land(node), Landed)
    plan.check_at_rest()
