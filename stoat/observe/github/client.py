"""Asking GitHub: REST and GraphQL, with limits waited out, outages tried again, and every refusal a typed trouble.

It is for reading. What it sends may be sent twice, so nothing that changes GitHub goes through `graphql` here.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

from stoat import clock
from stoat.observe.github import answers, limits
from stoat.observe.github.answers import Answered, GraphQLError
from stoat.observe.github.etags import Etags
from stoat.observe.github.limits import TRIES, Limit
from stoat.observe.github.token import FIX, Api, api, find
from stoat.observe.github.trouble import BadToken, GitHubTrouble, Limited, Outage, TooLarge
from stoat.observe.github.wire import Response, Wire, host_of

__all__ = ["Answered", "Client", "GraphQLError", "Response", "connect"]

Wait = Callable[[float, str], bool]
"""Asked before every wait, with the seconds and why. False: do not wait. It may do the waiting itself: only what is
left of the seconds when it returns True is waited for here."""

_JSON = "application/vnd.github+json"
_T = TypeVar("_T")


def connect(
    environ: Mapping[str, str], cache: Path | None = None, *, wait: Wait, timeout: float | None = None
) -> Client:
    """A client for the API and with the token that `environ` (or `gh`) has; answers with an ETag are kept in `cache`.

    `timeout` is how many seconds GitHub may take to answer. Raises NoToken, BadToken, or GitHubTrouble for an address
    that is none. Sends nothing.
    """
    where = api(environ)
    return Client(where, find(environ, where), cache, wait=wait, timeout=timeout)


class Client:
    """One connection to GitHub.

    `host` is GitHub's name for people, and `sleep` is how the time passes while a wait that was granted is waited out.
    """

    def __init__(
        self, where: Api, token: str, cache: Path | None = None, *, wait: Wait, timeout: float | None = None
    ) -> None:
        self.host = where.host
        self._where = where
        self._wire = Wire(where.rest, token) if timeout is None else Wire(where.rest, token, timeout)
        self._etags = Etags(cache, token)
        self._wait = wait
        self.sleep: Callable[[float], object] = time.sleep

    @property
    def requests(self) -> int:
        """How many requests GitHub was sent, redirects and what was tried again included."""
        return self._wire.sent

    def graphql(
        self, query: str, variables: Mapping[str, object] | None = None, *, divisible: bool = False
    ) -> Answered:
        """Ask, and give the good part of the answer with its errors.

        `divisible`: the caller can ask for less, so TooLarge is raised at once where a smaller question may help,
        instead of putting the same one again. Raises the troubles of `trouble`.
        """
        body = json.dumps({"query": query, "variables": dict(variables or {})}).encode()
        headers = {"Content-Type": "application/json", "Accept": _JSON}

        def once(attempt: int) -> Answered | Limit:
            response = self._send("POST", self._where.graphql, headers, body)
            if limit := self._refused(response, attempt):
                return limit
            answered, limited = answers.read(response)
            return limits.of_graphql(response.headers, datetime.now(UTC), attempt) if limited else answered

        return self._persist(once, divisible)

    def get(self, path: str, accept: str = _JSON, *, tail: int | None = None) -> Response:
        """Ask for a path (`/repos/o/r/issues/1?x`, its parts already quoted) or an address that GitHub gave.

        Redirects are followed, to another host without the token. `tail`: only the last so many bytes are kept.
        Gives every answer that is neither an outage nor about the token or a limit: look at `status`, also for 403,
        404, 410 and 451. Raises BadToken, Limited, Outage.
        """
        url = path if path.startswith(("http://", "https://")) else f"{self._where.rest}/{path.removeprefix('/')}"
        headers = {"Accept": accept, "X-GitHub-Api-Version": "2022-11-28"}
        kept = self._etags.find(url, accept) if tail is None else None
        if kept is not None:
            headers["If-None-Match"] = kept.etag

        def once(attempt: int) -> Response | Limit:
            response = self._send("GET", url, headers, tail=tail)
            if limit := self._refused(response, attempt):
                return limit
            if response.status >= 500:
                raise Outage(f"{host_of(response.url)} is having trouble (HTTP {response.status})")
            return response

        response = self._persist(once, divisible=False)
        if response.status == 304 and kept is not None:
            return Response(200, {**response.headers, **kept.headers}, kept.body, response.url)
        if response.status == 200 and tail is None:
            self._etags.keep(url, accept, response.headers, response.body)
        return response

    def _send(
        self,
        method: str,
        url: str,
        headers: Mapping[str, str],
        body: bytes | None = None,
        tail: int | None = None,
    ) -> Response:
        response = self._wire.send(method, url, headers, body, tail=tail)
        if response.status == 401:
            raise BadToken(f"{self.host} does not accept the token ({answers.message(response)})", fix=FIX)
        return response

    def _refused(self, response: Response, attempt: int) -> Limit | None:
        said = answers.message(response)
        return limits.of_response(response.status, response.headers, said, datetime.now(UTC), attempt)

    def _persist(self, once: Callable[[int], _T | Limit], divisible: bool) -> _T:
        """Do it until it succeeds: wait for limits as told, try outages again, both a bounded number of times."""
        limited = failed = 0
        while True:
            trouble: GitHubTrouble
            try:
                outcome = once(limited)
            except TooLarge as large:
                if divisible:
                    raise
                trouble = large
            except Outage as outage:
                trouble = outage
            else:
                if not isinstance(outcome, Limit):
                    return outcome
                limited += 1
                again_at = clock.plus(clock.now(), outcome.seconds)
                trouble = Limited(f"{outcome.why} is reached", fix=_until(again_at), again_at=again_at)
                if limited >= TRIES or not self._waited(outcome.seconds, outcome.why):
                    raise trouble
                continue
            failed += 1
            if failed >= TRIES or not self._waited(limits.backoff(failed - 1), trouble.message):
                raise trouble

    def _waited(self, seconds: float, why: str) -> bool:
        began = time.monotonic()
        if not self._wait(seconds, why):
            return False
        self.sleep(max(0.0, seconds - (time.monotonic() - began)))
        return True


def _until(again_at: clock.Time) -> str:
    """What is to be done about a limit. The last minute of it is over when the next one begins."""
    return f"wait until {clock.moment(clock.plus(again_at, 59))}"
