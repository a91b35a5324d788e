"""Which pull requests belong to an issue: those that GitHub says close it, and those whose text does (pure).

GitHub links a pull request only where it goes into the default branch. One that goes elsewhere belongs to the issue
when its text has a closing keyword for it; one that goes there and is not linked does not, whatever it says.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from stoat.observe.github import nodes
from stoat.observe.github.closing import closes
from stoat.observe.github.nodes import Node
from stoat.plan.github import Link, Numbered
from stoat.plan.ids import same_repository

_HOST = re.compile(r"https?://([^/?#]+)")


def by_github(closing: Iterable[Node]) -> list[Link]:
    """The links to the pull requests that GitHub lists as closing an issue."""
    return [Link(repo, number, "closes") for repo, number in _places(closing)]


def by_text(issue: Numbered, pulls: Iterable[Node], default: str | None) -> Iterator[Node]:
    """Those pull requests whose text closes the issue and that GitHub does not link for where they go.

    `default` is the default branch of the issue's own repository, for pull requests of it that do not say.
    """
    for pull in pulls:
        home = nodes.repository(pull)
        if home is None:
            continue
        into = nodes.text(nodes.child(pull, "repository", "defaultBranchRef"), "name")
        if not into and same_repository(home, issue.repo):
            into = default or ""
        if into and into == nodes.text(pull, "baseRefName"):
            continue
        host = _HOST.match(nodes.text(pull, "url"))
        said = closes(nodes.text(pull, "body"), home, host[1] if host else "github.com")
        if any(one.number == issue.number and same_repository(one.repo, issue.repo) for one in said):
            yield pull


def links(closing: Iterable[Node], texts: Iterable[Node]) -> list[Link]:
    """All links of an issue, each pull request once; what GitHub says goes first."""
    found = by_github(closing)
    known = {(link.repo.lower(), link.number) for link in found}
    for repo, number in _places(texts):
        if (repo.lower(), number) not in known:
            known.add((repo.lower(), number))
            found.append(Link(repo, number, "body"))
    return found


def _places(pulls: Iterable[Node]) -> Iterator[tuple[str, int]]:
    for pull in pulls:
        repo, number = nodes.repository(pull), nodes.number(pull, "number")
        if repo is not None and number:
            yield repo, number
