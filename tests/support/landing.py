"""A plan's branch to land on and nodes to land, and the checks that hold after every landing whatever came of it."""

from __future__ import annotations

from pathlib import Path

from stoat.gitstore.work.bases import Base
from stoat.gitstore.work.integration import Integration, ensure_integration
from stoat.gitstore.work.landing import Outcome, bring_in, land
from stoat.gitstore.work.nodetrees import Made, ensure
from stoat.gitstore.work.places import integration_place, place
from stoat.gitstore.work.worktrees import Project, look, project_at
from tests.support.gitrepo import Files, GitRepo

PLAN, BRANCH = "p", "train"


class Plan:
    """The plan `p` in a project, with its branch `train` and the integration worktree; nodes as they are asked for."""

    def __init__(self, repo: GitRepo) -> None:
        self.repo = repo
        self.project: Project = project_at(repo.path)
        self.place = integration_place(self.project, PLAN, BRANCH)
        made = ensure_integration(self.project, self.place, Base("main", repo.head("refs/heads/main"), ""))
        assert isinstance(made, Integration), made
        self.tree = GitRepo(made.place.path)

    @property
    def tip(self) -> str:
        return self.repo.head(f"refs/heads/{BRANCH}")

    def node(self, name: str, files: Files | None = None, message: str = "Work") -> GitRepo:
        """A node's worktree cut from the branch, with one commit of `files` when there are any."""
        made = ensure(self.project, place(self.project, PLAN, name), Base(BRANCH, self.tip, ""))
        assert isinstance(made, Made), made
        tree = GitRepo(made.path)
        if files:
            tree.commit(files, message)
        return tree

    def land(self, node: GitRepo | str, message: str = "Merge the node") -> Outcome:
        commit = node if isinstance(node, str) else node.head()
        return land(self.project, self.place, commit, message)

    def bring_in(self, commit: str) -> Outcome:
        return bring_in(self.project, self.place, commit, "Bring it in")

    def subjects(self) -> list[str]:
        """The branch's history, newest first."""
        return self.repo.run_git("log", "--format=%s", f"refs/heads/{BRANCH}").splitlines()

    def everything(self) -> dict[str, object]:
        """All refs, every worktree's HEAD, and the files of the integration worktree: what a failed landing keeps."""
        files = {
            str(file.relative_to(self.tree.path)): file.read_bytes()
            for file in sorted(self.tree.path.rglob("*"))
            if file.is_file() and file.name != ".git"
        }
        return {
            "refs": self.repo.run_git("for-each-ref"),
            "trees": self.repo.run_git("worktree", "list", "--porcelain"),
            "files": files,
            "status": self.tree.run_git("status", "--porcelain=v2", "--branch", "--untracked-files=all"),
        }

    def check_at_rest(self) -> None:
        """The worktree is on the branch, clean, with nothing in progress and no note of a landing."""
        seen = look(self.project, self.place.path)
        assert (seen.exists, seen.branch, seen.head, seen.dirty) == (True, BRANCH, self.tip, ())
        assert seen.operation is None
        own = Path(self.tree.run_git("rev-parse", "--absolute-git-dir"))
        assert not (own / "stoat-landing").exists()
        left = {"rebase-merge", "rebase-apply", "MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "index.lock"}
        assert not left & {file.name for file in own.iterdir()}
