"""Real git repositories out of the plain trees in fixtures/repos."""

from __future__ import annotations

from pathlib import Path

from stoat.demo.project import history
from tests.support.gitrepo import GitRepo

REPOS = Path(__file__).parents[2] / "fixtures" / "repos"


def build(name: str, path: Path) -> GitRepo:
    """The fixture `name` as a repository at `path`, on main; its commits have fixed dates, so the same ids always."""
    repo = GitRepo(path).init()
    repo.run_git("config", "core.autocrlf", "false")
    for commit in history(REPOS / name):
        repo.commit(commit.files, commit.message, at=commit.at)
    return repo
