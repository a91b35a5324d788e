"""A branch that a removal left behind as it died: the next prune deletes it, by the same proof as any other."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from stoat.errors import Unreachable
from stoat.gitstore.log import Store
from stoat.plan.events.base import Actor
from stoat.service import claims, decisions, plans
from stoat.service.pruning import prune
from stoat.service.session import Session, parse_ref
from tests.support.dying import killed_at
from tests.support.gitrepo import MakeRepo
from tests.support.pruning import Yard, branch

FILM = parse_ref("demo/film")
PLAN = "schema: 1\nplan: demo\nnodes: [{id: film, kind: person}, {id: other, kind: person}]"


@pytest.fixture
def yard(make_repo: MakeRepo, tmp_path: Path) -> Yard:
    """A project in which the removal of the node's worktree died before it came to the branch."""
    yard = Yard(make_repo)
    Store.create(yard.repo.path)
    plans.import_document(session(yard), PLAN)
    decisions.done(session(yard), FILM)
    tree = yard.node()
    assert killed_at(1, "after", tmp_path / "dying", partial(prune, session(yard), apply=True))
    assert not tree.path.exists() and is_there(yard)
    return yard


def session(yard: Yard) -> Session:
    return Session(Store.open(yard.repo.path), Actor("ada", "person"), yard.repo.path)


def is_there(yard: Yard) -> bool:
    return bool(yard.repo.run_git("branch", "--list", branch("film")))


def test_it_goes_with_the_next_prune(yard: Yard) -> None:
    head = yard.repo.head(branch("film"))
    assert prune(session(yard), apply=False).branches == [] and is_there(yard)
    done = prune(session(yard), apply=True)
    assert (done.removed, done.branches, done.trouble) == ([], [branch("film")], None)
    assert not is_there(yard) and yard.origin.head(branch("film")) == head
    assert prune(session(yard), apply=True).branches == []


def off_the_remote(yard: Yard) -> None:
    yard.origin.run_git("update-ref", "-d", f"refs/heads/{branch('film')}")


def gone_on(yard: Yard) -> None:
    tip = yard.repo.run_git("commit-tree", "-p", branch("film"), "-m", "More", f"{branch('film')}^{{tree}}")
    yard.repo.run_git("update-ref", f"refs/heads/{branch('film')}", tip)


def amended_before(yard: Yard) -> None:
    """Its reflog names a commit that is nowhere else."""
    tip = yard.repo.head(branch("film"))
    gone_on(yard)
    yard.repo.run_git("update-ref", "--create-reflog", f"refs/heads/{branch('film')}", tip)


def checked_out(yard: Yard) -> None:
    yard.repo.run_git("worktree", "add", "--quiet", str(yard.repo.path.with_name("mine")), branch("film"))


def undone(yard: Yard) -> None:
    decisions.restart(session(yard), FILM)


def held(yard: Yard) -> None:
    undone(yard)
    claims.claim(session(yard), FILM.plan, FILM.node)


@pytest.mark.parametrize("why", [off_the_remote, gone_on, amended_before, checked_out, undone, held])
def test_it_stays_while_anything_speaks_against_it(yard: Yard, why: Callable[[Yard], None]) -> None:
    why(yard)
    assert prune(session(yard), apply=True).branches == [] and is_there(yard)


def test_what_nobody_was_removing_is_not_looked_at(yard: Yard) -> None:
    yard.repo.branch(branch("other"), yard.repo.head("main"))
    assert prune(session(yard), apply=True).branches == [branch("film")]
    assert yard.repo.run_git("branch", "--list", branch("other"))


def test_while_the_remote_is_away_it_stays(yard: Yard) -> None:
    yard.origin.path.rename(yard.origin.path.with_name("away"))
    with pytest.raises(Unreachable, match="could not be asked"):
        prune(session(yard), apply=True)
    assert is_there(yard)
