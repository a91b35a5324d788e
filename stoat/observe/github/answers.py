"""What GitHub's answers say: errors of GraphQL sorted, and the sentence of a refusal (pure)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from stoat.observe.github.trouble import Absent, Forbidden, GitHubTrouble, Outage, SchemaTrouble, TooLarge
from stoat.observe.github.wire import Response, host_of

_LIMITED = frozenset({"RATE_LIMITED", "RATE_LIMIT"})
TOO_LARGE = frozenset({"RESOURCE_LIMITS_EXCEEDED", "MAX_NODE_LIMIT_EXCEEDED"})
"""Types of errors that say that too much was asked at once."""
_DEFECT = frozenset({"MISSING_PAGINATION_BOUNDARIES", "EXCESSIVE_PAGINATION", "ARGUMENT_LIMIT"})
_LONGEST = 300
"""Characters of GitHub's own words that are kept: a sentence, not a page."""


class GraphQLError(NamedTuple):
    """What GitHub says about a part of its answer: `path` leads there, `type` is its word for it."""

    type: str | None
    path: tuple[str | int, ...]
    message: str

    @property
    def too_large(self) -> bool:
        """Whether it says that asking for less may help."""
        said = self.message.lower()
        return self.type in TOO_LARGE or "something went wrong while executing" in said or "timedout" in said


class Answered(NamedTuple):
    """The good part of an answer (nothing where there was none) and what is wrong with the rest."""

    data: dict[str, Any]
    errors: tuple[GraphQLError, ...]


def read(response: Response) -> tuple[Answered, bool]:
    """What a GraphQL endpoint answered, and whether it is a limit (RATE_LIMITED).

    Raises Outage for what is no answer, TooLarge for what a smaller question may help, SchemaTrouble for a question
    that GitHub does not understand, Forbidden where the token lacks a permission for all of it.
    """
    host = host_of(response.url)
    if response.status in (502, 504):
        raise TooLarge(f"{host} gave up on the question (HTTP {response.status})")
    if response.status >= 500:
        raise Outage(f"{host} is having trouble (HTTP {response.status})")
    if response.status in (403, 404, 410, 451):
        raise refusal(response)
    if 300 <= response.status < 400:
        raise GitHubTrouble(
            f"{host} has moved its API (HTTP {response.status})", fix="set STOAT_GITHUB_API to its present address"
        )
    body = response.json()
    if response.status != 200:
        raise SchemaTrouble(f"{host} refuses Stoat's question (HTTP {response.status}: {message(response)})", fix=_TELL)
    if not isinstance(body, dict) or not ("data" in body or "errors" in body):
        raise Outage(f"{host} answered with something that is no answer")
    data, listed = body.get("data"), body.get("errors")
    errors = tuple(_error(one) for one in listed if isinstance(one, dict)) if isinstance(listed, list) else ()
    answered = Answered(data if isinstance(data, dict) else {}, errors)
    if any(error.type in _LIMITED for error in errors) or any(_says_limit(one) for one in listed or ()):
        return answered, True
    if not answered.data:
        _all_is_wrong(host, answered.errors)
    return answered, False


def message(response: Response) -> str:
    """GitHub's sentence of a refusal; empty where it gave none."""
    if response.status < 400:
        return ""
    try:
        said = response.json()
    except Outage:
        return ""
    return short(said.get("message")) if isinstance(said, dict) else ""


def refusal(response: Response) -> GitHubTrouble:
    """What an answer that is not the one asked for means."""
    said, host = message(response), host_of(response.url)
    if response.status in (403, 451):
        return Forbidden(f"{host} refuses: {said or f'HTTP {response.status}'}", fix=permission_fix(response))
    if response.status in (404, 410):
        return Absent(f"{host} shows nothing there: {said or f'HTTP {response.status}'}")
    return Outage(f"{host} answered with something unexpected (HTTP {response.status}{said and f': {said}'})")


def permission_fix(response: Response) -> str:
    """What a person can do about a 403: what GitHub's headers name, or look at the token."""
    if (sso := sign_on_fix(response)) is not None:
        return sso
    if wanted := response.headers.get("x-accepted-github-permissions"):
        return f"give the token the permission {short(wanted)}"
    return "give the token access to the repository, with the permission to read it"


def sign_on_fix(response: Response) -> str | None:
    """What to do where an organization asks for single sign-on (`required; url=…`); None where that is not why."""
    need, _, url = response.headers.get("x-github-sso", "").partition("url=")
    if "required" not in need:
        return None
    where = f": {short(url)}" if url else ", on GitHub's page of tokens"
    return f"authorize the token for the organization's single sign-on{where}"


def short(text: object) -> str:
    """GitHub's words in one line, cut to a sentence's length; nothing where they are not text."""
    return " ".join(text.split())[:_LONGEST] if isinstance(text, str) else ""


_TELL = "update Stoat; if it stays, report it: with GitHub Enterprise, name the server's version"


def _all_is_wrong(host: str, errors: Iterable[GraphQLError]) -> None:
    """Raise what no data at all means. Errors with a path below the root leave the question itself in order."""
    for error in errors:
        said = f"{host} says: {error.message}"
        if error.too_large:
            raise TooLarge(said)
        if error.type in ("FORBIDDEN", "INSUFFICIENT_SCOPES"):
            raise Forbidden(said, fix="give the token what it lacks (gh auth refresh --scopes repo), or set GH_TOKEN")
        if error.type is None or error.type in _DEFECT:
            raise SchemaTrouble(f"{host} does not understand Stoat's question: {error.message}", fix=_TELL)
        if error.type != "NOT_FOUND":
            raise Outage(said)


def _error(error: dict[str, Any]) -> GraphQLError:
    kind, path = error.get("type"), error.get("path")
    steps = tuple(step for step in path if isinstance(step, (str, int))) if isinstance(path, list) else ()
    return GraphQLError(kind if isinstance(kind, str) else None, steps, short(error.get("message")))


def _says_limit(error: object) -> bool:
    extensions = error.get("extensions") if isinstance(error, dict) else None
    return isinstance(error, dict) and "graphql_rate_limit" in (
        error.get("code"),
        extensions.get("code") if isinstance(extensions, dict) else None,
    )
