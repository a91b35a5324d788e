"""What keeps GitHub from merging a pull request, and what a red default branch holds, in words."""

from __future__ import annotations

from collections.abc import Sequence

from stoat.derive.pulls import Mine
from stoat.derive.wording import commands
from stoat.derive.wording.text import listed, one_line
from stoat.plan.github import Branch

_MOST_HELD = 20
"""Pull requests that are named of those that one red branch holds."""


def behind(pull: Mine, name: str) -> str:
    """Its base takes only what contains its tip."""
    return f"{name} is behind {pull.fact.base}: bring it up to date"


def undecided(name: str) -> str:
    """Nobody knows yet whether it conflicts."""
    return f"GitHub is working out whether {name} can be merged"


def blocked(name: str, checks: str, review: str) -> str:
    """GitHub refuses, with nothing that can be seen being missing: GitHub's word is on what this token may do."""
    said = " · ".join(one for one in (checks, review) if one)
    return (
        f"GitHub does not let this token merge {name} · {said} (it may not push there, or a rule asks for something "
        "that it is not shown): merge it yourself, or look there at what is missing"
    )


def main_red(default: Branch, name: str) -> str:
    """Main's own checks fail, and nothing else of the pull request: no branch can mend that."""
    return f"{_red(default, default.name)}: it needs a fix there, not in {name}"


def main_red_holds(default: Branch, repo: str | None, names: Sequence[str]) -> str:
    """The same of all the pull requests that it holds; `repo` where it is not clear whose branch it is."""
    branch = f"{default.name} of {repo}" if repo is not None else default.name
    held = listed(names, _MOST_HELD)
    return f"{_red(default, branch)}: it needs a fix there, not in a pull request; it holds {held}"


def red_link(default: Branch, pull: Mine) -> str:
    """Where the default branch went red: the commit or its pull request; where neither is known its commits."""
    repository, _, _ = pull.fact.url.rpartition("/pull/")
    if default.red_commit:
        return commands.commit_url(repository, default.red_commit)
    return f"{repository}/pull/{default.red_pull}" if default.red_pull else f"{repository}/commits/{default.name}"


def _red(default: Branch, branch: str) -> str:
    since = ""
    if default.red_commit:
        earlier = " or earlier" if default.red_floor else ""
        subject = f" '{one_line(default.red_subject)}'" if default.red_subject else ""
        since = f" since {default.red_commit[:7]}{subject}{earlier}"
    failing = f" ({listed([one_line(name) for name in default.failing])})" if default.failing else ""
    return f"{branch} is red{since}{failing}"
