"""GitHub's search for issues and pull requests: the qualifiers that programs use."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

from tests.support.fakehub.model import Issue
from tests.support.fakehub.pulls import Pull

if TYPE_CHECKING:
    from tests.support.fakehub.hub import FakeHub


def search_threads(hub: FakeHub, query: str) -> list[Issue | Pull]:
    """Issues and pull requests that a query names, newest first: repo, org, is, type, state, label, author, assignee,
    milestone, head, base, no, and words of the title or text."""
    try:
        terms = shlex.split(query)
    except ValueError:
        terms = query.split()
    found: list[Issue | Pull] = []
    for repo in hub.repositories.values():
        if repo.visible:
            found += [one for one in repo.issues.values() if one.gone is None]
            found += repo.pulls.values()
    named = [term.partition(":")[2].lower() for term in terms if term.startswith("repo:")]
    if named:
        found = [one for one in found if one.repo.name.lower() in named]
    for term in terms:
        key, colon, value = term.partition(":")
        if key != "repo":
            found = [one for one in found if _fits(one, key if colon else "", value if colon else term)]
    return sorted(found, key=lambda one: (one.created_at, one.number), reverse=True)


def _fits(one: Issue | Pull, key: str, value: str) -> bool:
    negative, key = key.startswith("-"), key.removeprefix("-")
    return bool(_holds(one, key, value.lower())) is not negative


def _holds(one: Any, key: str, value: str) -> Any:
    pull = isinstance(one, Pull)
    match key:
        case "org" | "user":
            return one.repo.owner.login.lower() == value
        case "is" | "type" | "state":
            words = {
                "pr" if pull else "issue",
                "open" if one.open else "closed",
                "private" if one.repo.private else "public",
            }
            words |= {"merged"} if pull and one.merged else {"unmerged"}
            words |= {"draft"} if pull and one.draft else set()
            return value in words
        case "label":
            return value in [label.name.lower() for label in one.labels]
        case "author":
            return one.author is not None and one.author.login.lower() == value
        case "assignee":
            return value in [user.login.lower() for user in one.assignees]
        case "milestone":
            return one.milestone is not None and one.milestone.title.lower() == value
        case "head" | "base":
            return pull and getattr(one, key).lower() == value
        case "no":
            return not {"assignee": one.assignees, "label": one.labels, "milestone": one.milestone}.get(value)
        case "":
            return value in f"{one.title}\n{one.body}".lower()
    return True
