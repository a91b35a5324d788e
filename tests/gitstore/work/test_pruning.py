"""What goes with a finished worktree, and who is at work in one that stays."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from stoat.derive.prune import Keep, Remove
from stoat.gitstore.work import pruning
from stoat.gitstore.work.occupancy import occupied
from stoat.gitstore.work.pruning import NotRemoved, Removed
from tests.support.gitrepo import GitRepo
from tests.support.pruning import OVER, Yard, branch, own_directory
from tests.support.waiting import wait_until


def test_a_finished_worktree_goes_with_its_branch_and_nothing_else(yard: Yard) -> None:
    tree, other = yard.node(), yard.node("other")
    head = tree.head()
    verdict = yard.verdict(tree)
    assert verdict == Remove(f"{OVER}; clean, and all its commits are on origin", branch("film"))
    assert yard.look(tree).bytes > 0
    assert yard.remove(tree) == Removed(branch("film"))
    assert not tree.path.exists()
    assert yard.repo.run_git("branch", "--list", branch("film")) == ""
    assert yard.origin.head(branch("film")) == head
    assert yard.repo.head(branch("other")) == other.head()
    assert yard.repo.run_git("config", "--get-regexp", "^branch.stoat", check=False) == ""


def test_what_can_be_made_again_keeps_nothing(yard: Yard) -> None:
    tree = yard.node()
    tree.write("build/CACHEDIR.TAG", "Signature: 8a477f597d28d172789f06886806bc55\n# made by a tool\n")
    tree.write("build/output", "x" * 100)
    tree.write("pkg/__pycache__/a.cpython-311.pyc", "x")
    assert isinstance(yard.verdict(tree), Remove)
    (tree.path / "build" / "CACHEDIR.TAG").write_text("not really")
    assert yard.verdict(tree) == Keep("ignored files: build/ (`--ignored` removes them too)")


@pytest.mark.parametrize("operation", ["merge", "rebase", "cherry-pick", "revert", "bisect"])
def test_an_operation_in_progress_keeps_it_though_nothing_is_changed(yard: Yard, operation: str) -> None:
    tree = yard.node()
    first = tree.head()
    tree.commit({"film.txt": "other\n"})
    tree.push(branch("film"))
    yard.repo.commit({"film.txt": "theirs\n"})
    yard.repo.push("main")
    arguments = {"rebase": ["main"], "merge": ["main"], "cherry-pick": ["main"], "revert": [first], "bisect": ["start"]}
    tree.run_git(operation, *arguments[operation], check=False)
    if operation != "bisect":
        tree.run_git("checkout", "--quiet", "HEAD", "--", ".", check=False)
    verdict = yard.verdict(tree)
    assert isinstance(verdict, Keep)
    assert f"a {operation} is in progress" in verdict.why


def test_a_lock_is_somebodys_word(yard: Yard) -> None:
    tree = yard.node()
    yard.repo.run_git("worktree", "lock", "--reason", "agent 7 (pid 999)", str(tree.path))
    assert yard.verdict(tree) == Keep("it is locked: agent 7 (pid 999)")
    assert isinstance(yard.remove(tree), NotRemoved)
    assert tree.path.exists()


def test_a_git_at_work_keeps_it(yard: Yard) -> None:
    tree = yard.node()
    (own_directory(tree) / "index.lock").touch()
    assert yard.verdict(tree) == Keep("a git is at work in it (index.lock)")


def test_another_process_of_stoat_at_work_there_keeps_it(yard: Yard) -> None:
    tree = yard.node()
    with occupied(yard.project.common, "film", patience=0):
        gone = yard.remove(tree)
    assert gone == NotRemoved("another process is at work in film")
    assert tree.path.exists()


def test_whoever_stands_in_it_keeps_it(yard: Yard, tmp_path: Path) -> None:
    tree = yard.node()
    inside = tree.path / "..cache"
    inside.mkdir()
    link = tmp_path / "a link"
    link.symlink_to(inside)
    wait = "import sys; print(flush=True); sys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", wait], cwd=link, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as stander:
        assert stander.stdout is not None
        stander.stdout.readline()
        said = Keep(f"process {stander.pid} stands in it")
        assert yard.verdict(tree) == said
        inside.rmdir()
        assert yard.verdict(tree) == said  # its directory is gone, and it is still in there
        stander.communicate()
    wait_until(lambda: isinstance(yard.verdict(tree), Remove), 5, "the process to be gone")


def test_a_copy_is_no_worktree_and_its_original_goes_alone(yard: Yard) -> None:
    tree = yard.node()
    copy = tree.path.with_name("a copy")
    shutil.copytree(tree.path, copy, symlinks=True)
    (copy / "mine").write_text("1")
    assert [entry.path for entry in pruning.candidates(pruning.Around(yard.project))] == [tree.path]
    assert isinstance(yard.remove(tree), Removed)
    assert (copy / "mine").read_text() == "1"


def test_others_worktrees_are_not_touched(yard: Yard) -> None:
    yard.repo.run_git("worktree", "add", "--quiet", "-b", "mine", str(yard.repo.path.with_name("mine")))
    nested = GitRepo(yard.repo.path / "trees" / "agent-1")
    yard.repo.run_git("worktree", "add", "--quiet", "-b", "nested", str(nested.path))
    named_alike = GitRepo(yard.repo.path.with_name("prøject one-film"))
    yard.repo.run_git("worktree", "add", "--quiet", "-b", branch("film"), str(named_alike.path))
    for path in (yard.repo.path.with_name("mine"), nested.path, named_alike.path):
        assert yard.look(GitRepo(path)).fact.kind == "other"
    assert yard.look(yard.agent()).fact.kind == "agent"
    assert yard.look(yard.agent("review-1")).fact.kind == "other"
    moved_in = yard.node("inside")
    yard.repo.run_git("worktree", "move", str(moved_in.path), str(yard.repo.path / "inside"))
    assert yard.look(GitRepo(yard.repo.path / "inside")).fact.kind == "other"


def test_a_cut_tie_is_said(yard: Yard) -> None:
    tree = yard.node()
    pointer = (tree.path / ".git").read_text()
    (tree.path / ".git").unlink()
    assert yard.verdict(tree) == Keep("its .git file is gone")
    (tree.path / ".git").write_text(pointer)
    shutil.rmtree(tree.path)
    assert yard.verdict(tree) == Keep("its directory is gone, so there is nothing to remove")


def test_what_changes_between_the_judgement_and_the_removal_is_seen(yard: Yard) -> None:
    tree = yard.node()
    fact = yard.look(tree).fact
    commit = tree.commit({"late": "1"})
    again = pruning.remove(yard.project, fact, lambda *_: yard.look(tree), branch("film"))
    assert isinstance(again, NotRemoved)
    assert again.now is not None
    assert again.now.fact.unproven == (commit,)
    assert tree.head() == commit


def test_gits_own_look_is_the_last_one(yard: Yard) -> None:
    tree = yard.node()
    fact = yard.look(tree).fact

    def again(*_: object) -> pruning.Looked:
        tree.write("late", "1")
        return pruning.Looked(fact, 0)

    gone = pruning.remove(yard.project, fact, again, branch("film"))
    assert isinstance(gone, NotRemoved)
    assert "git did not remove it" in (gone.why or "")
    assert (tree.path / "late").read_text() == "1"
    assert yard.look(tree).fact.interrupted is False
    assert yard.repo.head(branch("film")) == fact.tip


def test_a_branch_that_is_checked_out_elsewhere_or_moved_stays(yard: Yard) -> None:
    tree = yard.node()
    fact = yard.look(tree).fact
    tree.run_git("checkout", "--quiet", "--detach")
    fact = yard.look(tree).fact
    elsewhere = yard.repo.path.with_name("elsewhere")
    yard.repo.run_git("worktree", "add", "--quiet", str(elsewhere), branch("film"))
    assert yard.remove(tree) == Removed(None)
    assert yard.repo.head(branch("film")) == fact.tip
