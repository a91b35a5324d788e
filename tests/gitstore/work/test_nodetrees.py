"""A node's worktree: its place, its fresh base, its reuse on a retry, and the states in which nothing is touched."""

from __future__ import annotations

import fcntl
import os
import shlex
import shutil
import subprocess
import threading
from pathlib import Path

import pytest

from stoat.gitstore.work import leftovers, nodetrees
from stoat.gitstore.work.bases import Base, Hold
from stoat.gitstore.work.nodetrees import Made, Parked, Reused, ensure
from stoat.gitstore.work.occupancy import occupied
from stoat.gitstore.work.places import integration_place, place
from stoat.gitstore.work.torn import MAKING
from stoat.gitstore.work.worktrees import Project, look, project_at, registry
from tests.support.gitrepo import GitRepo, MakeRepo


class World:
    """A project, and a node `a` of the plan `p` that gets its worktree."""

    def __init__(self, repo: GitRepo) -> None:
        self.repo = repo

    @property
    def project(self) -> Project:
        return project_at(self.repo.path)

    def base(self) -> Base:
        return Base("main", self.repo.head("refs/heads/main"), "")

    def ensure(self, node: str = "a", plan: str = "p") -> Made | Reused | Parked | Hold:
        return ensure(self.project, place(self.project, plan, node), self.base())

    def made(self, node: str = "a", plan: str = "p") -> GitRepo:
        answer = self.ensure(node, plan)
        assert isinstance(answer, Made), answer
        return GitRepo(answer.path)

    def parked(self, node: str = "a") -> Parked:
        answer = self.ensure(node)
        assert isinstance(answer, Parked), answer
        return answer

    def reused(self, node: str = "a") -> Reused:
        answer = self.ensure(node)
        assert isinstance(answer, Reused), answer
        return answer

    def own(self, tree: GitRepo) -> Path:
        return Path(tree.run_git("rev-parse", "--absolute-git-dir"))


@pytest.fixture
def world(make_repo: MakeRepo) -> World:
    return World(make_repo(files={"f": "0", ".gitignore": "ignored\n"}))


def test_a_worktree_is_made_beside_the_project_on_the_nodes_branch_from_the_base(world: World) -> None:
    base = world.repo.head()
    world.repo.checkout("elsewhere", new=True).commit({"unmerged": "1"})
    tree = world.made()
    assert tree.path == world.repo.path.resolve().with_name("project-a")
    assert tree.run_git("symbolic-ref", "HEAD") == "refs/heads/stoat/p/a"
    assert tree.head() == base
    seen = look(world.project, tree.path)
    assert (seen.dirty, seen.locked) == ((), None)
    assert world.repo.run_git("config", "--get-regexp", "branch.stoat/.*", check=False) == ""


def test_the_checkout_of_the_project_is_left_exactly_as_it_was(world: World) -> None:
    world.repo.write("f", "half done")
    world.repo.run_git("checkout", "--quiet", "--orphan", "unborn")
    before = world.repo.run_git("status", "--porcelain=v2", "--branch"), (world.repo.path / ".git/index").read_bytes()
    world.made()
    after = world.repo.run_git("status", "--porcelain=v2", "--branch"), (world.repo.path / ".git/index").read_bytes()
    assert before == after


def test_two_plans_with_the_same_node_get_two_worktrees_and_keep_them(world: World) -> None:
    first, second = world.made("a", "p"), world.made("a", "q")
    assert second.path.name == "project-q-a"
    assert place(world.project, "p", "a").path == first.path
    world.repo.run_git("worktree", "remove", str(first.path))
    assert place(world.project, "q", "a").path == second.path


def test_a_directory_that_git_does_not_list_is_never_used(world: World) -> None:
    short = world.repo.path.with_name("project-a")
    short.mkdir()
    (short / "mine").write_text("1")
    assert world.made().path.name == "project-p-a"
    long = world.repo.path.with_name("project-p-b")
    long.symlink_to("/nowhere")
    world.repo.path.with_name("project-b").write_text("a file")
    parked = world.parked("b")
    assert parked.state == "taken"
    assert "project-b" in parked.why
    assert (short / "mine").exists()


@pytest.mark.parametrize("node", ["p-integration", "integration", "x-integration"])
def test_an_integration_worktree_wins_its_name(world: World, node: str) -> None:
    integrations = {integration_place(world.project, plan, "b").path for plan in ("p", "x", "p-x")}
    assert place(world.project, "p", node).path not in integrations
    world.made(node)
    world.repo.path.with_name("project-integration").mkdir(exist_ok=True)
    assert place(world.project, "p", "integration").path not in integrations


def test_a_tag_with_the_branchs_name_does_not_become_the_worktrees_commit(world: World) -> None:
    world.repo.run_git("tag", "stoat/p/a")
    tip = world.repo.commit({"f": "1"})
    world.repo.branch("stoat/p/a")
    tree = GitRepo(world.reused().path)
    assert tree.head() == tip
    assert tree.read("f") == "1"
    assert tree.run_git("symbolic-ref", "HEAD") == "refs/heads/stoat/p/a"


def test_a_retry_with_nothing_of_its_own_is_moved_up_to_its_base(world: World) -> None:
    tree = world.made()
    old = tree.head()
    assert world.reused().moved_from is None
    new = world.repo.commit({"f": "1"})
    reused = world.reused()
    assert (reused.moved_from, reused.head, reused.left) == (old, new, None)
    assert tree.read("f") == "1"
    assert look(world.project, tree.path).dirty == ()


def test_a_retry_with_commits_or_changes_of_its_own_is_left_and_said(world: World) -> None:
    tree = world.made()
    mine = tree.commit({"mine": "1"})
    world.repo.commit({"f": "1"})
    reused = world.reused()
    assert (reused.head, reused.left) == (mine, "1 commit of its own")
    tree.write("untracked", "1")
    assert world.reused().left == "uncommitted changes in untracked"
    assert tree.head() == mine


def test_an_ignored_file_is_not_written_over_by_moving_up(world: World) -> None:
    tree = world.made()
    tree.write("ignored", "a database")
    world.repo.write("ignored", "tracked now")
    world.repo.run_git("add", "--force", "ignored")
    world.repo.commit(None, "Track it")
    assert world.reused().left is not None
    assert tree.read("ignored") == "a database"


@pytest.mark.parametrize(
    ("arguments", "state"),
    [(["checkout", "--detach"], "detached"), (["checkout", "-b", "other"], "other branch")],
)
def test_a_detached_head_or_another_branch_parks_and_is_left_alone(
    world: World, arguments: list[str], state: str
) -> None:
    tree = world.made()
    tree.run_git("commit", "--quiet", "--allow-empty", "-m", "x")
    tree.run_git(*arguments)
    head = (world.own(tree) / "HEAD").read_text()
    assert world.parked().state == state
    assert (world.own(tree) / "HEAD").read_text() == head
    assert not tree.path.with_name("project-p-a").exists()


def test_a_rebase_left_in_progress_parks(world: World) -> None:
    tree = world.made()
    tree.commit({"f": "mine"})
    world.repo.commit({"f": "theirs"})
    tree.run_git("rebase", "main", check=False)
    parked = world.parked()
    assert parked.state == "rebase"
    assert parked.commands == (shlex.join(("git", "-C", str(tree.path), "status")),)
    assert "--abort" not in parked.why
    assert (world.own(tree) / "rebase-merge").is_dir()


def test_a_directory_deleted_by_hand_is_made_again_with_its_commits_and_no_other_entry_goes(world: World) -> None:
    tree, bystander = world.made(), world.made("bystander")
    mine = tree.commit({"mine": "1"})
    shutil.rmtree(tree.path)
    shutil.rmtree(bystander.path)  # as if its disk were not mounted
    reused = world.reused()
    assert reused.head == mine
    assert GitRepo(reused.path).read("mine") == "1"
    assert bystander.path in {entry.path for entry in registry(world.project)}


def test_a_gone_directory_that_somebody_locked_parks_with_the_commands(world: World) -> None:
    tree = world.made()
    world.repo.run_git("worktree", "lock", "--reason", "agent (pid 999)", str(tree.path))
    shutil.rmtree(tree.path)
    parked = world.parked()
    assert parked.state == "locked"
    assert "agent (pid 999)" in parked.why
    assert len(parked.commands) == 2
    for command in parked.commands:
        assert os.system(command) == 0
    world.reused()


def test_a_gone_directory_whose_commit_is_on_no_branch_keeps_its_entry(world: World) -> None:
    tree = world.made()
    tree.run_git("checkout", "--quiet", "--detach")
    lost = tree.commit({"only here": "1"})
    shutil.rmtree(tree.path)
    parked = world.parked()
    assert lost[:7] in parked.why
    assert tree.path in {entry.path for entry in registry(world.project)}
    assert os.system(parked.commands[0]) == 0
    world.reused()


def test_a_vanished_git_file_parks_and_the_files_stay(world: World) -> None:
    tree = world.made()
    tree.write("work", "1")
    (tree.path / ".git").unlink()
    parked = world.parked()
    assert parked.state == "cut off"
    assert (tree.path / "work").exists()
    assert os.system(parked.commands[0]) == 0
    assert world.reused().left == "uncommitted changes in work"


def test_a_moved_project_is_tied_to_its_worktrees_again(world: World, tmp_path: Path) -> None:
    tree = world.made()
    mine = tree.commit({"mine": "1"})
    moved = world.repo.path.with_name("renamed")
    world.repo.path.rename(moved)
    world.repo = GitRepo(moved)
    tree.path.rename(moved.with_name("renamed-a"))
    assert world.reused().head == mine
    assert GitRepo(moved.with_name("renamed-a")).head() == mine


def test_a_moved_project_alone_finds_its_worktree_where_it_was(world: World) -> None:
    tree = world.made()
    mine = tree.commit({"mine": "1"})
    aside = world.repo.path.with_name("aside") / "project"
    aside.parent.mkdir()
    world.repo.path.rename(aside)
    aside.rename(world.repo.path)  # and back: the same path, nothing to mend
    assert world.reused().head == mine
    (tree.path / ".git").write_text(f"gitdir: /elsewhere/.git/worktrees/{world.own(tree).name}\n")
    assert world.reused().head == mine


def test_a_copy_of_a_worktree_is_not_repaired_into_one(world: World) -> None:
    tree = world.made()
    shutil.copytree(tree.path, world.repo.path.with_name("project-p-a"))
    assert world.reused().path == tree.path
    assert (world.own(tree) / "gitdir").read_text().strip() == str(tree.path / ".git")


def test_a_branch_checked_out_elsewhere_or_without_room_parks(world: World) -> None:
    world.repo.checkout("stoat/p/a", new=True)
    assert world.parked().state == "checked out elsewhere"
    world.repo.checkout("main").run_git("branch", "-D", "stoat/p/a")
    world.repo.branch("stoat/p")
    assert world.parked().state == "name taken"


def test_a_worktree_that_a_dead_process_half_made_is_finished(world: World) -> None:
    tree = world.made()
    for each in tree.path.iterdir():
        if each.name not in (".git", "f"):
            each.unlink()
    (world.own(tree) / "index").unlink()
    (world.own(tree) / "index.lock").touch()
    world.repo.run_git("worktree", "lock", "--reason", MAKING, str(tree.path))
    world.ensure()
    seen = look(world.project, tree.path)
    assert (seen.exists, seen.dirty, seen.locked) == (True, (), None)


def test_a_half_made_worktree_with_somebodys_file_is_left(world: World) -> None:
    tree = world.made()
    tree.write("mine", "nobody else has this")
    world.repo.run_git("worktree", "lock", "--reason", MAKING, str(tree.path))
    assert world.parked().state == "half made"
    assert tree.read("mine") == "nobody else has this"


@pytest.mark.parametrize("pointer", [True, False])
def test_a_worktree_that_was_barely_begun_is_begun_again(world: World, pointer: bool) -> None:
    tree = world.made()
    own = world.own(tree)
    world.repo.run_git("worktree", "lock", "--reason", MAKING, str(tree.path))
    for each in tree.path.iterdir():
        if each.name != ".git" or not pointer:
            each.unlink()
    (own / "commondir").unlink()
    answer = world.ensure()
    assert isinstance(answer, Reused), answer
    assert look(world.project, tree.path).dirty == ()


def test_a_failing_post_checkout_hook_is_a_note_and_the_worktree_is_there(world: World) -> None:
    hook = world.repo.write(".git/hooks/post-checkout", "#!/bin/sh\necho no node here >&2\nexit 3\n")
    hook.chmod(0o755)
    answer = world.ensure()
    assert isinstance(answer, Made)
    assert "no node here" in answer.notes


def test_another_process_at_work_in_the_place_is_waited_for_and_then_held(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(nodetrees, "PATIENCE", 0.2)
    tree = world.made()
    lock = world.repo.path / ".git" / "stoat" / "locks" / "a.lock"
    with lock.open("r+") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        assert isinstance(world.ensure(), Hold)
    assert world.reused().path == tree.path


def test_two_at_once_get_one_worktree(world: World) -> None:
    answers: list[object] = []
    threads = [threading.Thread(target=lambda: answers.append(world.ensure())) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(type(answer).__name__ for answer in answers) == ["Made", "Reused", "Reused", "Reused"]


def test_a_worktree_that_somebody_is_just_making_is_waited_for_and_taken(world: World) -> None:
    project = world.project
    made = project.root.with_name(f"{project.root.name}-a")
    answers: list[object] = []
    with occupied(project.common, "a", "p-a", patience=1):
        made.mkdir()  # as git does before it writes the entry
        chosen = place(project, "p", "a")
        assert chosen.name == "p-a"
        waiting = threading.Thread(target=lambda: answers.append(ensure(project, chosen, world.base())))
        waiting.start()
        world.repo.run_git("worktree", "add", "-b", chosen.branch, str(made))
    waiting.join()
    assert isinstance(answers[0], Reused) and answers[0].path == made


def test_the_project_may_be_reached_through_a_link_or_a_worktree(world: World, tmp_path: Path) -> None:
    tree = world.made()
    link = tmp_path / "link"
    link.symlink_to(world.repo.path)
    for way in (link, tree.path):
        project = project_at(way)
        answer = ensure(project, place(project, "p", "a"), world.base())
        assert isinstance(answer, Reused)
        assert answer.path == tree.path


def test_the_lock_that_a_dead_git_left_on_the_nodes_branch_goes_once_no_git_is_at_work(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leftovers, "_LOCK_PATIENCE", 0.2)
    lock = world.repo.path / ".git" / "refs" / "heads" / "stoat" / "p" / "a.lock"
    lock.parent.mkdir(parents=True)
    lock.touch()
    with subprocess.Popen(["git", "cat-file", "--batch"], cwd=world.repo.path, stdin=subprocess.PIPE) as git:
        refused = world.ensure()
        assert isinstance(refused, Hold) and f"is at work in {world.repo.path}" in refused.why
        assert lock.exists()
        assert git.stdin is not None
        git.stdin.close()
    world.made()
    assert not lock.exists()
