"""Opening a pull request from a branch that somebody pushed, with what GitHub refuses."""

from __future__ import annotations

from tests.support.fakehub.pulls import Pull
from tests.support.fakehub.repository import Repository
from tests.support.fakehub.web import invalid


def open_pull(repo: Repository, title: str, head: str, base: str, body: str, draft: bool) -> Pull:
    """Open it, `head` being `branch` or `owner:branch`; raises Refused."""
    owner, colon, branch = head.partition(":")
    home = repo
    if not colon:
        owner, branch = repo.owner.login, head
    elif owner.lower() != repo.owner.login.lower():
        fork = repo.hub.find(f"{owner}/{repo.short}")
        if fork is None:
            raise invalid("PullRequest", "invalid", "head")
        home = fork
    tip, base_tip = home.side.tip(branch), repo.side.tip(base)
    if tip is None:
        raise invalid("PullRequest", "invalid", "head")
    if base_tip is None:
        raise invalid("PullRequest", "invalid", "base")
    for other in repo.pulls.values():
        if other.open and other.head_repo is home and other.head == branch and other.base == base:
            text = f"A pull request already exists for {owner}:{branch}."
            raise invalid("PullRequest", "custom", message=text)
    if home is repo and repo.side.contains(base_tip, tip):
        raise invalid("PullRequest", "custom", message=f"No commits between {base} and {branch}")
    fork_owner = None if home is repo else owner
    return repo.pull(title, branch, base, body, repo.hub.viewer.login, draft, fork_owner)
