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


def closed_by_text(pull: Node, default: str | None) -> tuple[Numbered, ...]:
    """The issues that a pull request closes by its text alone, since it goes where GitHub links nothing.

    `default` is the default branch of its repository, for one that does not say.
    """
    home = nodes.repository(pull)
    into = nodes.text(nodes.child(pull, "repository", "defaultBranchRef"), "name") or default
    if home is None or (into and into == nodes.text(pull, "baseRefName")):
        return ()
    host = _HOST.match(nodes.text(pull, "url"))
    return closes(nodes.text(pull, "body"), home, host[1] if host else "github.com")


def by_text(issue: Numbered, pulls: Iterable[Node], default: str | None) -> Iterator[Node]:
    """Those pull requests that close an issue by their text. `default` is its repository's default branch."""
    for pull in pulls:
        said = closed_by_text(pull, default if same_repository(nodes.repository(pull), issue.repo) else None)
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
