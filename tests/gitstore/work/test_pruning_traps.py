"""Every way to lose something with a worktree, built for real: it is seen, and the worktree is kept.

`test_a_careless_clean_up_loses_it` is the control: without the care each of these is really gone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import pytest

from stoat.derive.prune import Keep, Remove
from stoat.gitstore.work import pruning
from stoat.gitstore.work.pruning import NotRemoved, Removed
from tests.support.gitrepo import GitRepo
from tests.support.pruning import Yard, branch, own_directory


class Trap(NamedTuple):
    """Something that only the worktree has: a word of the reason, and whether it is still there."""

    reason: str
    there: Callable[[], bool]


def file_trap(tree: GitRepo, name: str, content: str, reason: str) -> Trap:
    place = tree.write(name, content)
    return Trap(reason, lambda: place.is_file() and place.read_text() == content)


def changed_file(yard: Yard, tree: GitRepo) -> Trap:
    return file_trap(tree, "kept", "mine\n", "uncommitted changes in kept")


def same_size_and_time(yard: Yard, tree: GitRepo) -> Trap:
    import os

    place = tree.path / "kept"
    tree.run_git("status")
    before = place.stat()
    place.write_text("2\n")
    os.utime(place, ns=(before.st_atime_ns, before.st_mtime_ns))
    tree.run_git("config", "core.trustctime", "false")
    return Trap("uncommitted changes in kept", lambda: place.is_file() and place.read_text() == "2\n")


def staged_only(yard: Yard, tree: GitRepo) -> Trap:
    tree.write("kept", "staged\n")
    tree.run_git("add", "kept")
    blob = tree.run_git("rev-parse", ":kept")
    tree.write("kept", "1\n")
    return Trap("uncommitted changes in kept", lambda: yard.repo.run_git("cat-file", "-t", blob, check=False) == "blob")


def untracked_file(yard: Yard, tree: GitRepo) -> Trap:
    tree.run_git("config", "status.showUntrackedFiles", "no")
    return file_trap(tree, "new dir/nötes\n.txt", "thoughts", "uncommitted changes in new dir/n")


def ignored_file(yard: Yard, tree: GitRepo) -> Trap:
    return file_trap(tree, "sub/secret.env", "TOKEN=1", "ignored files: sub/")


def ignored_directory(yard: Yard, tree: GitRepo) -> Trap:
    return file_trap(tree, "build/data.db", "rows", "ignored files: build/")


def hidden_change(yard: Yard, tree: GitRepo) -> Trap:
    tree.run_git("update-index", "--skip-worktree", "kept")
    return file_trap(tree, "kept", "my settings\n", "not to see changes in kept")


def assumed_unchanged(yard: Yard, tree: GitRepo) -> Trap:
    tree.run_git("update-index", "--assume-unchanged", "kept")
    return file_trap(tree, "kept", "my settings\n", "not to see changes in kept")


def commit_trap(yard: Yard, commit: str, reason: str) -> Trap:
    return Trap(f"{reason}{commit[:7]}", lambda: yard.has(commit))


def unpushed_commit(yard: Yard, tree: GitRepo) -> Trap:
    return commit_trap(yard, tree.commit({"more": "1"}), "1 commit not on origin: ")


def stale_tracking_ref(yard: Yard, tree: GitRepo) -> Trap:
    commit = tree.commit({"more": "1"})
    tree.push(branch("film"))
    yard.origin.run_git("update-ref", f"refs/heads/{branch('film')}", f"{commit}~1")
    return commit_trap(yard, commit, "1 commit not on origin: ")


def branch_deleted_on_the_remote(yard: Yard, tree: GitRepo) -> Trap:
    yard.origin.run_git("update-ref", "-d", f"refs/heads/{branch('film')}")
    return commit_trap(yard, tree.head(), "1 commit not on origin: ")


def detached_commit(yard: Yard, tree: GitRepo) -> Trap:
    tree.run_git("checkout", "--quiet", "--detach")
    return commit_trap(yard, tree.commit({"more": "1"}), "1 commit not on origin: ")


def left_behind_on_its_branch(yard: Yard, tree: GitRepo) -> Trap:
    commit = tree.commit({"more": "1"})
    tree.run_git("checkout", "--quiet", "--detach", "HEAD~1")
    return commit_trap(yard, commit, "1 commit not on origin: ")


def only_in_the_reflog(yard: Yard, tree: GitRepo) -> Trap:
    commit = tree.commit({"more": "1"})
    tree.run_git("reset", "--quiet", "--hard", "HEAD~1")
    return commit_trap(yard, commit, "only in its reflog and not on origin: ")


def amended(yard: Yard, tree: GitRepo) -> Trap:
    commit = tree.commit({"more": "1"})
    tree.run_git("commit", "--amend", "--quiet", "--message", "Better")
    tree.push(branch("film"))
    return commit_trap(yard, commit, "only in its reflog and not on origin: ")


def on_the_branch_while_head_was_elsewhere(yard: Yard, tree: GitRepo) -> Trap:
    side = yard.repo.run_git("commit-tree", "-p", tree.head(), "-m", "Side", f"{tree.head()}^{{tree}}")
    tip = tree.head()
    tree.run_git("checkout", "--quiet", "--detach")
    yard.repo.run_git("update-ref", "--create-reflog", f"refs/heads/{branch('film')}", side)
    yard.repo.run_git("update-ref", f"refs/heads/{branch('film')}", tip)
    return commit_trap(yard, side, "only in its reflog and not on origin: ")


def own_ref(yard: Yard, tree: GitRepo) -> Trap:
    commit = tree.run_git("commit-tree", "-p", "HEAD", "-m", "Kept aside", "HEAD^{tree}")
    tree.run_git("update-ref", "refs/worktree/aside", commit)
    return commit_trap(yard, commit, "only in its reflog and not on origin: ")


def stash(yard: Yard, tree: GitRepo) -> Trap:
    tree.write("kept", "later\n")
    tree.run_git("stash", "push", "--quiet", "--message", "for later: with a colon")
    return Trap("stashed from it: stash@{0}", lambda: "later" in tree.run_git("stash", "show", "--patch", check=False))


def stash_without_a_branch(yard: Yard, tree: GitRepo) -> Trap:
    tree.run_git("checkout", "--quiet", "--detach")
    tree.write("kept", "later\n")
    tree.run_git("stash", "--quiet")
    return Trap("stashed from it: stash@{0}", lambda: "later" in tree.run_git("stash", "show", "--patch", check=False))


def nested_repository(yard: Yard, tree: GitRepo) -> Trap:
    inner = GitRepo(tree.path / "build" / "tool").init()
    commit = inner.commit({"a": "1"})
    return Trap("another repository", lambda: inner.path.is_dir() and inner.head() == commit)


def nested_worktree(yard: Yard, tree: GitRepo) -> Trap:
    inner = GitRepo(tree.path / "build" / "agent")
    tree.run_git("worktree", "add", "--quiet", "-b", "inner", str(inner.path))
    inner.write("x", "1")
    return Trap("another repository", lambda: (inner.path / "x").exists())


def unpushed_in_a_submodule(yard: Yard, tree: GitRepo) -> Trap:
    inner = with_submodule(yard, tree)
    commit = inner.commit({"deep": "1"})
    inner.run_git("reset", "--quiet", "--hard", "HEAD~1")
    return Trap(f"submodule vendor/lib: {commit[:7]} is not on its remote", lambda: holds(inner, commit))


def branch_in_a_submodule(yard: Yard, tree: GitRepo) -> Trap:
    inner = with_submodule(yard, tree)
    inner.checkout("topic", new=True)
    commit = inner.commit({"deep": "1"})
    inner.run_git("checkout", "--quiet", "--detach", "HEAD~1")
    return Trap(f"submodule vendor/lib: {commit[:7]} is not on its remote", lambda: holds(inner, commit))


def ignored_in_a_submodule(yard: Yard, tree: GitRepo) -> Trap:
    inner = with_submodule(yard, tree)
    return file_trap(inner, "secret.env", "TOKEN=1", "submodule vendor/lib has secret.env")


def repository_of_a_submodule_put_away(yard: Yard, tree: GitRepo) -> Trap:
    inner = with_submodule(yard, tree)
    commit = inner.commit({"deep": "1"})
    inner.run_git("checkout", "--quiet", "HEAD~1")
    own = own_directory(tree) / "modules" / "vendor" / "lib"
    tree.run_git("submodule", "--quiet", "deinit", "--force", "vendor/lib")
    kept = GitRepo(own)
    return Trap(f"submodule vendor/lib: {commit[:7]}", lambda: own.is_dir() and holds(kept, commit))


def holds(repo: GitRepo, commit: str) -> bool:
    return repo.path.is_dir() and repo.run_git("cat-file", "-t", commit, check=False) == "commit"


def with_submodule(yard: Yard, tree: GitRepo) -> GitRepo:
    """A submodule in the worktree, committed and on the remote; its own work is on its remote too."""
    library = GitRepo(yard.repo.path.with_name("lib")).init()
    library.commit({"lib": "1", ".gitignore": "*.env\n"})
    library.add_bare_origin()
    tree.run_git("submodule", "--quiet", "add", str(library.path.with_name("lib.git")), "vendor/lib")
    tree.commit(message="Take lib in")
    tree.run_git("commit", "--quiet", "--all", "--amend", "--no-edit", "--allow-empty")
    # The amend left a commit in the reflog, which is not what is looked for here.
    (own_directory(tree) / "logs" / "HEAD").unlink()
    (yard.project.common / "logs" / "refs" / "heads" / branch("film")).unlink()
    tree.push(branch("film"))
    return GitRepo(tree.path / "vendor" / "lib")


TRAPS = [
    changed_file, same_size_and_time, staged_only, untracked_file, ignored_file, ignored_directory, hidden_change,
    assumed_unchanged, unpushed_commit, stale_tracking_ref, branch_deleted_on_the_remote, detached_commit,
    left_behind_on_its_branch, only_in_the_reflog, amended, on_the_branch_while_head_was_elsewhere, own_ref, stash,
    stash_without_a_branch, nested_repository, nested_worktree, unpushed_in_a_submodule, branch_in_a_submodule,
    ignored_in_a_submodule, repository_of_a_submodule_put_away,
]  # fmt: skip
SHARED = {stash, stash_without_a_branch}
"""What a careless clean-up leaves: the stash is the repository's, and is only forgotten."""


each_trap = pytest.mark.parametrize("trap", TRAPS, ids=lambda trap: trap.__name__)
Make = Callable[[Yard, GitRepo], Trap]


@each_trap
def test_what_only_the_worktree_has_keeps_it(yard: Yard, trap: Make) -> None:
    tree = yard.node()
    set_up = trap(yard, tree)
    verdict = yard.verdict(tree)
    assert isinstance(verdict, Keep)
    assert set_up.reason in verdict.why
    # Also if somebody thought otherwise just before: what was judged is not what is there.
    clean = yard.look(yard.node("other")).fact
    assert isinstance(pruning.remove(yard.project, clean, lambda *_: yard.look(tree), None), NotRemoved)
    if trap is not own_ref:  # git's gc overlooks the own refs of other worktrees
        yard.repo.run_git("gc", "--prune=now", "--quiet")
    assert set_up.there()


@pytest.mark.parametrize("trap", [trap for trap in TRAPS if trap not in SHARED], ids=lambda trap: trap.__name__)
def test_a_careless_clean_up_loses_it(yard: Yard, trap: Make) -> None:
    tree = yard.node()
    set_up = trap(yard, tree)
    yard.take_by_force(tree)
    assert not set_up.there()


def test_a_worktree_with_a_clean_submodule_goes(yard: Yard) -> None:
    tree = yard.node()
    with_submodule(yard, tree)
    plain = yard.repo.run_git("worktree", "remove", str(tree.path), check=False)
    assert tree.path.exists(), plain  # git alone refuses
    assert isinstance(yard.verdict(tree), Remove)
    assert yard.remove(tree) == Removed(branch("film"))
    assert not tree.path.exists()


def test_ignored_files_go_only_by_request_and_are_named(yard: Yard) -> None:
    tree = yard.node()
    ignored_file(yard, tree)
    asked = yard.verdict(tree, ignored=True)
    assert isinstance(asked, Remove)
    assert "ignored files go with it: sub/" in asked.why
    nested_repository(yard, tree)
    assert isinstance(yard.verdict(tree, ignored=True), Keep)
