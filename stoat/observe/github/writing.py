"""The one door for what changes GitHub. Nothing is ever sent twice by itself: an answer that did not come is Lost, and
whoever asked looks first."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import NamedTuple

from stoat.observe.github import answers, limits, token
from stoat.observe.github.trouble import GitHubTrouble, Outage
from stoat.observe.github.wire import Response, Wire, host_of

_ACCEPT = {
    "Accept": "application/vnd.github+json", "Content-Type": "application/json", "X-GitHub-Api-Version": "2022-11-28",
}  # fmt: skip
_MAY_WRITE = "give the token the permission to write issues of the repository"


class Made(NamedTuple):
    """It is there."""

    number: int


class Lost(NamedTuple):
    """It may be there or not."""

    why: str


class Declined(NamedTuple):
    """It is not there: GitHub's reason, and what to do about it."""

    why: str
    fix: str


class Later(NamedTuple):
    """It is not there, and GitHub wants to be left alone for so many seconds."""

    seconds: float
    why: str


Written = Made | Lost | Declined | Later


def create_issue(environ: Mapping[str, str], repo: str, title: str, body: str) -> Written:
    """Create an issue in `repo` (OWNER/NAME). One request, which is not repeated whatever becomes of it."""
    try:
        where = token.api(environ)
        shown = token.find(environ, where)
    except GitHubTrouble as trouble:
        return Declined(trouble.message, trouble.fix or token.FIX)
    wire = Wire(where.rest, shown)
    said = json.dumps({"title": title, "body": body}).encode()
    try:
        answer = wire.send("POST", f"{where.rest}/repos/{repo}/issues", _ACCEPT, said)
    except Outage as outage:
        return Lost(outage.message)
    return _of(answer)


def _of(answer: Response) -> Written:
    status, host = answer.status, host_of(answer.url)
    if status == 201:
        try:
            number = answer.json()["number"]
        except (Outage, LookupError, TypeError):
            number = None
        return Made(number) if isinstance(number, int) else Lost(f"{host} answered with something unreadable")
    if status >= 500 or status == 408:
        return Lost(f"{host} is having trouble (HTTP {status})")
    said = answers.message(answer)
    limit = limits.of_response(status, answer.headers, said, datetime.now(UTC))
    if limit is not None:
        return Later(limit.seconds, limit.why)
    words = said or f"HTTP {status}"
    match status:
        case 401:
            return Declined(f"{host} does not accept the token ({words})", token.FIX)
        case 403:
            return Declined(f"{host} refuses: {words}", answers.sign_on_fix(answer) or _wanted(answer))
        case 404:
            return Declined(f"{host} shows no such repository to this token", _MAY_WRITE)
        case 410:
            return Declined(f"{host}: {words}", "turn issues on in the repository's settings, or bind by hand")
        case 422:
            return Declined(f"{host} does not take it: {words}", "write the node's title and brief otherwise")
        case _ if 300 <= status < 400:
            return Declined(f"{host} has that repository elsewhere", "write its present name into the plan")
        case _ if 400 <= status < 500:
            return Declined(f"{host} refuses: {words}", "create the issue by hand, and bind it")
    return Lost(f"{host} answered with something unexpected (HTTP {status})")


def _wanted(answer: Response) -> str:
    wanted = answer.headers.get("x-accepted-github-permissions")
    return f"give the token the permission {answers.short(wanted)}" if wanted else _MAY_WRITE
