"""A removal that dies on its way: nothing is lost, and the next one ends it."""

from __future__ import annotations

import shutil
from functools import partial
from pathlib import Path

import pytest

from stoat.derive.prune import Keep, Remove
from stoat.gitstore.work.occupancy import Occupied, occupied
from stoat.gitstore.work.pruning import Removed
from stoat.gitstore.work.worktrees import entry_at
from tests.support.dying import When, killed_at
from tests.support.pruning import Yard, branch, own_directory
from tests.support.waiting import wait_until


@pytest.mark.parametrize("without", [("kept",), ("kept", ".git"), ("everything",), ("everything", "the directory")])
def test_a_removal_cut_short_is_ended_by_the_next_one(yard: Yard, without: tuple[str, ...]) -> None:
    tree = yard.node()
    own = own_directory(tree)
    (own / "stoat-removing").touch()
    if "everything" in without:
        shutil.rmtree(tree.path)
        if "the directory" not in without:
            tree.path.mkdir()
    else:
        for name in without:
            (tree.path / name).unlink()
    assert isinstance(yard.verdict(tree), Remove)
    assert yard.remove(tree) == Removed(branch("film"))
    assert not tree.path.exists()
    assert not own.exists()


def test_a_removal_cut_short_still_loses_nothing_new(yard: Yard) -> None:
    tree = yard.node()
    (own_directory(tree) / "stoat-removing").touch()
    (tree.path / "kept").unlink()
    (tree.path / ".git").unlink()
    tree.write("since", "1")
    assert yard.verdict(tree) == Keep("uncommitted changes in since")
    assert isinstance(entry_at(yard.project, tree.path), tuple)


@pytest.mark.slow
@pytest.mark.parametrize("when", ["after", "during", "orphaned"])
def test_a_removal_killed_anywhere_loses_nothing_and_is_ended_by_the_next(
    yard: Yard, tmp_path: Path, when: When
) -> None:
    at = 0
    died = True
    while died:
        at += 1
        tree = yard.node(f"n{at}")
        tree.commit({f"many/{number}": "x\n" for number in range(300)}, "Many")
        tree.push(branch(f"n{at}"))
        head, own = tree.head(), own_directory(tree)
        died = killed_at(at, when, tmp_path / "dying", partial(yard.remove, tree, f"n{at}"), pause=0.006)
        wait_until(partial(is_free, yard, f"n{at}"), 10, "the orphan to end")
        assert yard.origin.head(branch(f"n{at}")) == head
        if entry_at(yard.project, tree.path) is not None:
            assert isinstance(yard.verdict(tree, f"n{at}"), Remove)
            assert isinstance(yard.remove(tree, f"n{at}"), Removed)
        assert not tree.path.exists()
        assert not (own / "gitdir").exists()  # else of what git left of its entry nothing is a worktree
        assert yard.repo.run_git("for-each-ref", f"refs/heads/{branch(f'n{at}')}", "--format=%(objectname)") in (
            "",
            head,
        )
    assert at > 2


def is_free(yard: Yard, name: str) -> bool:
    try:
        with occupied(yard.project.common, name, patience=0):
            return True
    except Occupied:
        return False
