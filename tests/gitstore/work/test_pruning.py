"""Every way to lose something with a worktree, built for real: it is seen, and the worktree is kept.

`test_a_careless_clean_up_loses_it` is the control: without the care each of these is really gone.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pytest

from stoat.derive.prune import Keep, Meaning, Remove, Source, judge
from stoat.errors import Unreachable
from stoat.gitstore.work import proofs, pruning
from stoat.gitstore.work.landed import LANDED
from stoat.gitstore.work.landing import Landed
from stoat.gitstore.work.occupancy import Occupied, occupied
from stoat.gitstore.work.pruning import NotRemoved, Removed
from stoat.gitstore.work.worktrees import entry_at
from tests.support.dying import When, killed_at
from tests.support.gitrepo import GitRepo, MakeRepo
from tests.support.landing import BRANCH, Plan
from tests.support.pruning import OVER, Yard, branch, own_directory
from tests.support.waiting import wait_until


@pytest.fixture
def yard(make_repo: MakeRepo) -> Yard:
    """The project of these tests."""
    return Yard(make_repo)


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
    assert isinstance(pruning.remove(yard.project, clean, lambda _: yard.look(tree), None), NotRemoved)
    if trap is not own_ref:  # git's gc overlooks the own refs of other worktrees
        yard.repo.run_git("gc", "--prune=now", "--quiet")
    assert set_up.there()


@pytest.mark.parametrize("trap", [trap for trap in TRAPS if trap not in SHARED], ids=lambda trap: trap.__name__)
def test_a_careless_clean_up_loses_it(yard: Yard, trap: Make) -> None:
    tree = yard.node()
    set_up = trap(yard, tree)
    yard.take_by_force(tree)
    assert not set_up.there()


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


def test_a_worktree_with_a_clean_submodule_goes(yard: Yard) -> None:
    tree = yard.node()
    with_submodule(yard, tree)
    plain = yard.repo.run_git("worktree", "remove", str(tree.path), check=False)
    assert tree.path.exists(), plain  # git alone refuses
    assert isinstance(yard.verdict(tree), Remove)
    assert yard.remove(tree) == Removed(branch("film"))
    assert not tree.path.exists()


def test_what_can_be_made_again_keeps_nothing(yard: Yard) -> None:
    tree = yard.node()
    tree.write("build/CACHEDIR.TAG", "Signature: 8a477f597d28d172789f06886806bc55\n# made by a tool\n")
    tree.write("build/output", "x" * 100)
    tree.write("pkg/__pycache__/a.cpython-311.pyc", "x")
    assert isinstance(yard.verdict(tree), Remove)
    (tree.path / "build" / "CACHEDIR.TAG").write_text("not really")
    assert yard.verdict(tree) == Keep("ignored files: build/ (`--ignored` removes them too)")


def test_ignored_files_go_only_by_request_and_are_named(yard: Yard) -> None:
    tree = yard.node()
    ignored_file(yard, tree)
    asked = yard.verdict(tree, ignored=True)
    assert isinstance(asked, Remove)
    assert "ignored files go with it: sub/" in asked.why
    nested_repository(yard, tree)
    assert isinstance(yard.verdict(tree, ignored=True), Keep)


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
    assert [entry.path for entry in pruning.candidates(yard.project)] == [tree.path]
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


def test_work_is_proven_by_any_ref_of_the_remote(yard: Yard) -> None:
    tree = yard.node(push=False)
    yard.origin.run_git("fetch", "--quiet", str(yard.repo.path), branch("film"))
    yard.pull(7, tree.head())
    assert isinstance(yard.verdict(tree), Remove)


def test_work_behind_a_ref_that_is_not_here_yet_is_fetched_under_no_ref(yard: Yard, tmp_path: Path) -> None:
    tree = yard.node()
    other = yard.origin.clone(tmp_path / "other")
    other.checkout(branch("film"))
    head = other.commit({"from": "the web"})
    other.run_git("push", "--quiet", "origin", "HEAD:refs/pull/7/head", f":refs/heads/{branch('film')}")
    before = yard.repo.run_git("for-each-ref")
    now = proofs.ask(yard.project)
    assert now.missing == ("refs/pull/7/head",)
    assert proofs.lacking(yard.project.common, now, [tree.head()]) == (tree.head(),)
    assert isinstance(yard.verdict(tree), Remove)
    assert yard.repo.run_git("for-each-ref") == before
    assert yard.has(head)


def test_a_landing_by_rebase_counts_if_the_remote_has_it_and_the_branch_stays(yard: Yard) -> None:
    tree = yard.node(push=False)
    work = tree.head()
    yard.repo.commit({"train": "1"})
    yard.repo.run_git("cherry-pick", work)
    copy = yard.repo.head()
    assert isinstance(yard.verdict(tree), Keep)
    yard.repo.push("main")
    assert isinstance(yard.verdict(tree), Keep)  # nobody says that this is what became of it
    yard.repo.run_git("update-ref", f"{LANDED}main/{work}", copy)
    verdict = yard.verdict(tree)
    assert verdict == Remove(
        f"{OVER}; clean, and its work is on origin as {copy[:7]}; the branch {branch('film')} stays", None
    )
    yard.origin.run_git("update-ref", "refs/heads/main", f"{copy}~1")
    assert isinstance(yard.verdict(tree), Keep)
    yard.repo.push("main")
    gone = pruning.remove(yard.project, yard.look(tree).fact, lambda _: yard.look(tree), verdict.branch)
    assert gone == Removed(None)
    yard.repo.run_git("gc", "--prune=now", "--quiet")
    assert yard.repo.head(branch("film")) == work


def test_the_repository_itself_is_no_remote(yard: Yard) -> None:
    tree = yard.node()
    for url in (".", str(yard.repo.path), yard.repo.path.as_uri(), str(tree.path)):
        yard.repo.run_git("remote", "set-url", "origin", url)
        assert yard.verdict(tree) == Keep("the remote origin is this very repository")
    borrower = yard.repo.path.with_name("borrower.git")
    yard.repo.run_git("clone", "--quiet", "--bare", "--shared", str(yard.repo.path), str(borrower))
    yard.repo.run_git("remote", "set-url", "origin", str(borrower))
    assert yard.verdict(tree) == Keep("the remote origin borrows its objects from this repository")
    yard.repo.run_git("remote", "remove", "origin")
    assert yard.verdict(tree) == Keep("there is no remote that has its commits")


def test_a_replacement_proves_nothing(yard: Yard) -> None:
    tree = yard.node()
    commit = tree.commit({"more": "1"})
    yard.repo.run_git("replace", "--graft", yard.repo.head("main"), commit)
    assert "not on origin" in getattr(yard.verdict(tree), "why", "")


def test_a_shallow_clone_proves_less_and_never_more(yard: Yard, tmp_path: Path) -> None:
    yard.node()
    clone = yard.origin.clone(tmp_path / "shallow", "--depth=1", "--no-single-branch")
    clone.checkout(branch("film"))
    old = yard.repo.head("main")
    now = proofs.ask_of(clone.path, "origin", clone.path / ".git")
    assert proofs.lacking(clone.path, now, [clone.head()]) == ()
    new = clone.commit({"a": "1"})
    assert proofs.lacking(clone.path, now, [new]) == (new,)
    assert proofs.lacking(clone.path, now, ["0" * 39 + "1"]) is None
    assert yard.has(old)


def test_a_remote_that_cannot_be_asked_is_an_error(yard: Yard) -> None:
    yard.node()
    yard.origin.path.rename(yard.origin.path.with_name("away"))
    with pytest.raises(Unreachable, match="could not be asked"):
        proofs.ask(yard.project)


def test_what_changes_between_the_judgement_and_the_removal_is_seen(yard: Yard) -> None:
    tree = yard.node()
    fact = yard.look(tree).fact
    commit = tree.commit({"late": "1"})
    again = pruning.remove(yard.project, fact, lambda _: yard.look(tree), branch("film"))
    assert isinstance(again, NotRemoved)
    assert again.now is not None
    assert again.now.fact.unproven == (commit,)
    assert tree.head() == commit


def test_gits_own_look_is_the_last_one(yard: Yard) -> None:
    tree = yard.node()
    fact = yard.look(tree).fact

    def again(_: object) -> pruning.Looked:
        tree.write("late", "1")
        return pruning.Looked(fact, 0)

    gone = pruning.remove(yard.project, fact, again, branch("film"))
    assert isinstance(gone, NotRemoved)
    assert "git did not remove it" in (gone.why or "")
    assert (tree.path / "late").read_text() == "1"
    assert yard.look(tree).fact.interrupted is False
    assert yard.repo.head(branch("film")) == fact.tip


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


def test_a_branch_that_is_checked_out_elsewhere_or_moved_stays(yard: Yard) -> None:
    tree = yard.node()
    fact = yard.look(tree).fact
    tree.run_git("checkout", "--quiet", "--detach")
    fact = yard.look(tree).fact
    elsewhere = yard.repo.path.with_name("elsewhere")
    yard.repo.run_git("worktree", "add", "--quiet", str(elsewhere), branch("film"))
    assert yard.remove(tree) == Removed(None)
    assert yard.repo.head(branch("film")) == fact.tip


def test_the_commits_of_a_pull_request(yard: Yard) -> None:
    start = yard.repo.head("main")
    tree = yard.node()
    first = tree.head()
    second = tree.commit({"more": "1"})
    tree.push(branch("film"))
    yard.pull(7, second)
    now = proofs.ask(yard.project)
    assert proofs.commits_of_pull(yard.project, now, 7, None) == {first, second}
    yard.repo.commit({"other": "1"})
    yard.repo.run_git("merge", "--quiet", "--no-ff", "--message", "Merge 7", branch("film"))
    yard.repo.commit({"later": "1"})
    yard.repo.push("main")
    now = proofs.ask(yard.project)
    assert proofs.commits_of_pull(yard.project, now, 7, None) == {first, second}
    assert yard.look(tree, 7).fact.in_pull
    assert yard.look(yard.agent(at=first), 7).fact.in_pull
    assert not yard.look(yard.agent("agent-b2", at=start), 7).fact.in_pull
    assert not yard.look(yard.agent("agent-c3", at="main"), 7).fact.in_pull


def test_what_another_branch_leads_to_is_not_forgotten(yard: Yard) -> None:
    tree = yard.node()
    commit = tree.commit({"more": "1"})
    tree.run_git("reset", "--quiet", "--hard", "HEAD~1")
    assert isinstance(yard.verdict(tree), Keep)
    yard.repo.branch("kept-aside", commit)
    assert isinstance(yard.verdict(tree), Remove)
    assert isinstance(yard.remove(tree), Removed)
    yard.repo.run_git("gc", "--prune=now", "--quiet")
    assert yard.repo.head("kept-aside") == commit


def test_a_tree_that_was_landed_in_goes_once_the_remote_has_the_branch(make_repo: MakeRepo) -> None:
    yard = Yard(make_repo)
    plan = Plan(yard.repo)
    one, two = plan.node("one", {"one": "1"}), plan.node("two", {"two": "1"})
    assert isinstance(plan.land(one), Landed)
    assert isinstance(plan.land(two), Landed)
    assert isinstance(yard.verdict(plan.tree), Keep)
    yard.repo.push(BRANCH)
    now = proofs.ask(yard.project)
    verdict = judge(yard.look(plan.tree).fact, Meaning(True, "over"), Source(now.name))
    assert verdict == Remove("over; clean, and all its commits are on origin", None)
    rebased = judge(yard.look(two).fact, Meaning(True, "over", branch="stoat/p/two"), Source(now.name))
    assert rebased == Remove(
        f"over; clean, and its work is on origin as {plan.tip[:7]}; the branch stoat/p/two stays", None
    )


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
