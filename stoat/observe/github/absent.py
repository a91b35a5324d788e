"""Why GitHub does not show something: what GraphQL said of it, and one REST question where that says too little.

What is on record as not seen, and is still not shown, is not asked about again.
"""

from __future__ import annotations

from typing import Literal

from stoat.observe.github import parsing
from stoat.observe.github.answers import GraphQLError, message, permission_fix
from stoat.observe.github.client import Client
from stoat.observe.github.gathering import TRANSFERRED, Repo
from stoat.observe.github.queries import Ask
from stoat.observe.github.wire import Response
from stoat.plan.github import NotThere, Unseen, WhyUnseen

_BLOCKED = "access blocked"


def repository(client: Client, repo: Repo, error: GraphQLError) -> NotThere | None:
    """Why the repository itself is not shown; None when GitHub had no reason, only trouble. Raises GitHubTrouble."""
    if error.type not in ("NOT_FOUND", "FORBIDDEN"):
        return NotThere(what="repository", why="blocked", detail=error.message) if _is_block(error.message) else None
    if (known := _still(repo.known.unseen, error)) is not None:
        return NotThere(what="repository", why=known.why, detail=known.detail, to=known.to)
    response = client.get(f"/repos/{repo.name}")
    said = message(response) or error.message
    if response.status == 451 or _is_block(said) or _is_block(error.message):
        return NotThere(what="repository", why="blocked", detail=said)
    if response.status == 403:
        return NotThere(what="repository", why="forbidden", detail=_with_fix(said, response))
    if error.type == "FORBIDDEN":
        return NotThere(what="repository", why="forbidden", detail=error.message)
    if response.status in (404, 410):
        return NotThere(what="repository", why="missing", detail=error.message)
    return None


def numbered(client: Client, repo: Repo, ask: Ask, error: GraphQLError) -> NotThere:
    """Why an issue or a pull request is not shown. Raises GitHubTrouble."""
    what = _what(ask)

    def not_there(why: WhyUnseen, detail: str, to: str | None = None) -> NotThere:
        return NotThere(what=what, why=why, number=ask.number, detail=detail, to=to)

    if error.type == TRANSFERRED:
        return not_there("transferred", f"it is {error.message} now", error.message)
    if error.type == "FORBIDDEN":
        return not_there("forbidden", error.message)
    if error.type != "NOT_FOUND":
        return not_there("unreadable", error.message or "GitHub gave no answer")
    record = (repo.known.issues if what == "issue" else repo.known.pulls).get(ask.number)
    if record is not None and (known := _still(record.unseen, error)) is not None:
        return not_there(known.why, known.detail, known.to)
    if not error.path:
        return not_there("missing", error.message)
    why, detail, to = _by_rest(client, repo, ask, what)
    return not_there(why, detail or error.message, to)


def unreadable(ask: Ask, detail: str) -> NotThere:
    """That GitHub could not be asked why an issue or a pull request is not shown."""
    return NotThere(what=_what(ask), why="unreadable", number=ask.number, detail=detail)


def _what(ask: Ask) -> Literal["issue", "pull"]:
    return "issue" if ask.kind == "issue" else "pull"


def _by_rest(client: Client, repo: Repo, ask: Ask, what: str) -> tuple[WhyUnseen, str, str | None]:
    """What REST says of a number that GraphQL does not find. It has issues and pull requests in one place."""
    response = client.get(f"/repos/{repo.spelled}/issues/{ask.number}")
    said = message(response)
    match response.status:
        case 200:
            return _shown(response, repo, ask, what)
        case 410 if "disabled" in said.lower():
            return "missing", said, None
        case 410:
            return "deleted", said, None
        case 451:
            return "blocked", said, None
        case 403:
            return ("blocked" if _is_block(said) else "forbidden"), _with_fix(said, response), None
        case 404 if _asked_for(response, ask):
            return "missing", "", None
        case 404:
            return "transferred", "it went to a repository that this token does not see", None
        case status:
            return "unreadable", said or f"HTTP {status}", None


def _shown(response: Response, repo: Repo, ask: Ask, what: str) -> tuple[WhyUnseen, str, str | None]:
    found = response.json()
    found = found if isinstance(found, dict) else {}
    at = parsing.place(str(found.get("html_url") or found.get("url") or ""))
    if at is not None and not (at.number == ask.number and repo.is_named(at.repo)):
        return "transferred", f"it is {at} now", str(at)
    if found.get("pull_request") and what == "issue":
        return "other-kind", f"#{ask.number} is a pull request", None
    if not found.get("pull_request") and what == "pull":
        return "other-kind", f"#{ask.number} is an issue", None
    return "unreadable", "GitHub shows it in one place and not in another", None


def _asked_for(response: Response, ask: Ask) -> bool:
    """Whether the answer is about the number asked for: a redirect to another one means that it moved."""
    return response.url.endswith(f"/issues/{ask.number}")


def _still(known: Unseen | None, error: GraphQLError) -> Unseen | None:
    """What is on record of why it is not seen, unless that was trouble, or GitHub says something else by now."""
    if known is None or known.why == "unreadable":
        return None
    return known if error.type == "NOT_FOUND" or known.why in ("forbidden", "blocked") else None


def _is_block(said: str) -> bool:
    return _BLOCKED in said.lower()


def _with_fix(said: str, response: Response) -> str:
    return f"{said}: {permission_fix(response)}"
