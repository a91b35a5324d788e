"""A project with a remote and finished worktrees in it, which only lack a reason to be kept."""

from __future__ import annotations

import shutil
from pathlib import Path

from stoat.derive.prune import Keep, Meaning, Remove, Source, judge
from stoat.gitstore.work import proofs, pruning
from stoat.gitstore.work.bases import Base
from stoat.gitstore.work.nodetrees import Made, ensure
from stoat.gitstore.work.places import place
from stoat.gitstore.work.pruning import Looked
from stoat.gitstore.work.worktrees import Project, entry_at, project_at
from tests.support.gitrepo import GitRepo, MakeRepo

PLAN = "demo"
OVER = "its node is done"


class Yard:
    """A project in a path with a blank and an umlaut, its bare origin, and nodes of the plan `demo` worked in it."""

    def __init__(self, make_repo: MakeRepo) -> None:
        files = {"README.md": "a project\n", ".gitignore": "*.env\nbuild/\n*.pyc\n", "kept": "1\n"}
        self.repo = make_repo("prøject one", files=files, origin=True)
        self.origin = GitRepo(self.repo.path.with_name("prøject one.git"))
        self.project: Project = project_at(self.repo.path)

    def node(self, name: str = "film", *, push: bool = True) -> GitRepo:
        """The node's worktree as a runner makes it, with a commit of its own on the remote."""
        made = ensure(self.project, place(self.project, PLAN, name), Base("main", self.repo.head("main"), ""))
        assert isinstance(made, Made), made
        tree = GitRepo(made.path)
        tree.commit({f"{name}.txt": f"work on {name}\n"}, f"Work on {name}")
        if push:
            tree.push(branch(name))
        return tree

    def agent(self, name: str = "agent-a1", at: str = "main") -> GitRepo:
        """A detached worktree as other tools give to their agents."""
        path = self.repo.path / ".claude" / "worktrees" / name
        self.repo.run_git("worktree", "add", "--quiet", "--detach", str(path), at)
        return GitRepo(path)

    def pull(self, number: int, commit: str) -> None:
        """The remote has a pull request with that head."""
        self.origin.run_git("update-ref", f"refs/pull/{number}/head", commit)

    def look(self, tree: GitRepo, pull: int | None = None) -> Looked:
        """What is known of a worktree now, the remote asked and all of it fetched."""
        entry = entry_at(self.project, tree.path)
        assert entry is not None
        now = proofs.ask(self.project)
        now = proofs.bring(self.project.directory, now) if now.missing else now
        commits = proofs.commits_of_pull(self.project, now, pull, None) if pull is not None else ()
        return pruning.look_at(self.project, entry, now, commits)

    def verdict(self, tree: GitRepo, name: str = "film", *, ignored: bool = False) -> Remove | Keep:
        """The judgement on a worktree of which only itself can speak for keeping it."""
        now = proofs.ask(self.project)
        means = Meaning(True, OVER, branch=branch(name))
        return judge(self.look(tree).fact, means, Source(now.name, now.problem), ignored=ignored)

    def remove(self, tree: GitRepo, name: str = "film") -> pruning.Removed | pruning.NotRemoved:
        """Remove a worktree as it is now, with its branch."""
        return pruning.remove(self.project, self.look(tree).fact, lambda *_: self.look(tree), branch(name))

    def take_by_force(self, tree: GitRepo) -> None:
        """What a careless clean-up does: the worktree, its branch, and all that nothing leads to any more."""
        self.repo.run_git("worktree", "remove", "--force", str(tree.path), check=False)
        shutil.rmtree(tree.path, ignore_errors=True)
        self.repo.run_git("worktree", "prune")
        self.repo.run_git("branch", "-D", branch("film"))
        self.repo.run_git("fetch", "--quiet", "--prune", "origin")
        self.repo.run_git("reflog", "expire", "--expire=now", "--all")
        self.repo.run_git("gc", "--prune=now", "--quiet")

    def has(self, commit: str) -> bool:
        """Whether a commit is in the repository."""
        return self.repo.run_git("cat-file", "-t", commit, check=False) == "commit"


def branch(name: str) -> str:
    """The branch of a node of the plan."""
    return f"stoat/{PLAN}/{name}"


def own_directory(tree: GitRepo) -> Path:
    """A worktree's own git directory."""
    return Path(tree.run_git("rev-parse", "--absolute-git-dir"))
