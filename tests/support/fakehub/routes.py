"""The register of REST routes, and one call to one of them: paging, the body, what a repository refuses."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode, urlsplit

from tests.support.fakehub.pulls import WRITERS
from tests.support.fakehub.repository import Repository
from tests.support.fakehub.web import Answer, Asked, Refused, decoded, invalid

if TYPE_CHECKING:
    from tests.support.fakehub.hub import FakeHub

Handler = Callable[..., Any]
ROUTES: list[tuple[str, re.Pattern[str], Handler]] = []
FORBIDDEN = "Resource not accessible by personal access token"


def route(method: str, pattern: str) -> Callable[[Handler], Handler]:
    """Register `(call, **parameters)` for paths: `{number}` is digits, `{path}` may have slashes, `{x}` has none.

    A pattern that begins with /repos gets its repository as `call.repo`.
    """
    kinds = {"number": r"\d+", "path": r".+"}
    text = re.sub(r"\{(\w+)\}", lambda one: f"(?P<{one[1]}>{kinds.get(one[1], '[^/]+')})", pattern)
    text = text.replace("/repos", "", 1) if pattern.startswith("/repos") else f"@{text}"

    def register(handler: Handler) -> Handler:
        ROUTES.append((method, re.compile(text), handler))
        ROUTES.sort(key=lambda one: ".+" in one[1].pattern)  # what says more comes first
        return handler

    return register


class Call:
    """One REST request as its handler sees it."""

    def __init__(self, hub: FakeHub, asked: Asked, repo: Repository | None) -> None:
        self.hub = hub
        self.asked = asked
        self.base = asked.base
        self.query = asked.query
        self._repo = repo

    @property
    def repo(self) -> Repository:
        """The repository that the path is about."""
        assert self._repo is not None
        return self._repo

    def body(self) -> dict[str, Any]:
        """The JSON object that was sent; raises Refused."""
        try:
            body = self.asked.json()
        except ValueError:
            raise Refused(400, "Problems parsing JSON") from None
        if not isinstance(body, dict):
            raise Refused(400, "Body should be a JSON object")
        return body

    def need(self, resource: str, *fields: str) -> list[Any]:
        """Fields of the body that must be there; raises Refused."""
        body = self.body()
        for field in fields:
            if body.get(field) in (None, ""):
                raise invalid(resource, "missing_field", field)
        return [body[field] for field in fields]

    def slice(self, things: Sequence[Any]) -> tuple[list[Any], dict[str, str]]:
        """The page of `things` that is asked for, and the Link header that goes with it."""
        size, page = self._number("per_page", 30, 100), self._number("page", 1, None)
        last = max(1, -(-len(things) // size))
        links: dict[str, int] = {}
        if page > 1:
            links |= {"prev": min(page - 1, last), "first": 1}
        if page < last:
            links |= {"next": page + 1, "last": last}
        shown = ", ".join(f'<{self._page_url(number)}>; rel="{name}"' for name, number in links.items())
        return list(things[(page - 1) * size : page * size]), {"Link": shown} if shown else {}

    def page(self, things: Sequence[Any], shape: Callable[[Any], Any], key: str | None = None) -> Answer:
        """A page of a list; under `key` with a total where GitHub wraps it."""
        some, headers = self.slice(things)
        shaped = [shape(one) for one in some]
        body: Any = shaped if key is None else {"total_count": len(things), key: shaped}
        return Answer(200, body, headers)

    def _number(self, name: str, default: int, limit: int | None) -> int:
        text = self.query.get(name, "")
        number = int(text) if text.isdigit() and int(text) > 0 else default
        return number if limit is None else min(number, limit)

    def _page_url(self, number: int) -> str:
        parts = urlsplit(self.asked.path)
        return f"{self.base}{parts.path}?{urlencode({**self.query, 'page': number})}"


def dispatched(hub: FakeHub, asked: Asked) -> Answer:
    """The answer to a REST request; raises Refused."""
    path = asked.route.rstrip("/") or "/"
    match = re.match(r"/repos/([^/]+)/([^/]+)(/.*)?$", path)
    by_id = re.match(r"/repositories/(\d+)(/.*)?$", path)
    if match is None and by_id is None:
        return _handled(hub, asked, None, f"@{path}")
    if match is not None:
        name, rest = f"{decoded(match[1])}/{decoded(match[2])}", match[3] or ""
        repo = hub.find(name, follow=False)
        if repo is None and (moved := hub.find(name)) is not None:
            raise redirect(asked, f"/repositories/{moved.id}{rest}")
    else:
        assert by_id is not None
        rest = by_id[2] or ""
        repo = next((one for one in hub.repositories.values() if one.id == int(by_id[1])), None)
    if repo is None or not repo.visible:
        raise Refused(404, "Not Found")
    fault = hub.faults.of_repository(repo.name, rest)
    if fault is not None:
        return Answer(fault.status, {**fault.body, "status": str(fault.status)}, dict(fault.headers))
    if asked.method not in ("GET", "HEAD"):
        if repo.permission not in WRITERS:
            raise Refused(403, FORBIDDEN, {"X-Accepted-GitHub-Permissions": "contents=write; issues=write"})
        if repo.archived:
            raise Refused(403, "Repository was archived so is read-only.")
    owner, _, short = repo.name.partition("/")
    return _handled(hub, asked, repo, f"/{owner}/{short}{rest}")


def redirect(asked: Asked, path: str) -> Refused:
    """Moved for good to another path of this API."""
    query = urlsplit(asked.path).query
    url = f"{asked.base}{path}{'?' + query if query else ''}"
    status = 301 if asked.method in ("GET", "HEAD") else 307
    return Refused(status, "Moved Permanently", {"Location": url}, url=url)


def _handled(hub: FakeHub, asked: Asked, repo: Repository | None, path: str) -> Answer:
    method = "GET" if asked.method == "HEAD" else asked.method
    for wanted, pattern, handler in ROUTES:
        match = pattern.fullmatch(path) if wanted == method else None
        if match is None:
            continue
        parameters: dict[str, Any] = {
            name: int(value) if name == "number" else decoded(value)
            for name, value in match.groupdict().items()
            if name not in ("owner", "repo")
        }
        made = handler(Call(hub, asked, repo), **parameters)
        return made if isinstance(made, Answer) else Answer(200, made)
    raise Refused(404, "Not Found")
