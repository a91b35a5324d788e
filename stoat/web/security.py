"""Who may talk to the board: requests to this machine by its own name, from our own pages, that only read; test
runners, which are no browser, with what they publish; and a person's browser, with what a person decides there.

It stands before the router, so no spelling of a path goes around it. The Host list stops DNS rebinding; the Origin
and Sec-Fetch-Site checks stop other sites and other local servers; the headers keep hostile text from running.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from typing import TYPE_CHECKING, Any

from stoat.web.problems import ProblemDetails

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
READS = ("GET", "HEAD")
WRITES = {
    "POST": re.compile(r"/api/ingest|/api/plans/[^/]+/pause"),
    "DELETE": re.compile(r"/api/runs/[^/]+|/api/plans/[^/]+/pause"),
}
"""What is written over HTTP, by method and path: the events of test runs, the ejection of one; and a pause of a plan's
runners, which `steering.py` takes from the person's session alone."""
HTTP_PORT = 80

CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        # Cards are placed by style attributes; a stylesheet or a script can still come from our own files only.
        "style-src-attr 'unsafe-inline'",
        "img-src 'self'",
        "connect-src 'self'",
        "manifest-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)

HEADERS = (
    ("Content-Security-Policy", CONTENT_SECURITY_POLICY),
    ("X-Content-Type-Options", "nosniff"),
    ("X-Frame-Options", "DENY"),
    ("Referrer-Policy", "no-referrer"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Permissions-Policy", "camera=(), geolocation=(), microphone=()"),
)


def refusal(
    method: str, path: str, host: str | None, origin: str | None, site: str | None, mode: str | None,
    ports: Collection[int],
) -> ProblemDetails | None:  # fmt: skip
    """Why a request is turned away, None when it may pass.

    `path` is decoded; `host`, `origin`, `site` and `mode` are the headers Host, Origin, Sec-Fetch-Site and
    Sec-Fetch-Mode as sent; `ports` are those this server listens on. The status is 403, or 405 for a method that
    neither reads nor is one of the few that write.
    """
    ours = {f"{name}:{port}" for name in LOOPBACK for port in ports}
    ours |= set(LOOPBACK) if HTTP_PORT in ports else set()
    if host is None or host.lower() not in ours:
        hint = f"open http://127.0.0.1:{min(ports, default=0)}/"
        return ProblemDetails(403, "Not this server's name", "the board answers to a loopback name only", hint)
    reads = method in READS
    elsewhere = site in ("cross-site", "same-site") and (mode != "navigate" or not reads)
    if elsewhere or (origin is not None and origin.lower() not in {f"http://{name}" for name in ours}):
        return ProblemDetails(403, "Another site's request", "only the board's own pages may ask; a link here is fine")
    if not reads and not (method in WRITES and WRITES[method].fullmatch(path)):
        return ProblemDetails(405, "Reading only", f"{method} is not served: this board only shows", "use `stoat`")
    return None


class Guard:
    """The WSGI application `app` behind `refusal`, with the security headers on everything that it answers.

    `ports` is asked at each request, as a server that was given port 0 knows its own only once it listens.
    """

    def __init__(self, app: WSGIApplication, ports: Callable[[], Collection[int]]) -> None:
        self._app = app
        self._ports = ports

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Answer one request."""

        def start(status: str, headers: list[tuple[str, str]], exc_info: Any = None) -> Callable[[bytes], object]:
            return start_response(status, [*headers, *HEADERS], exc_info)

        problem = refusal(
            str(environ["REQUEST_METHOD"]),
            str(environ.get("PATH_INFO", "")),
            environ.get("HTTP_HOST"),
            environ.get("HTTP_ORIGIN"),
            environ.get("HTTP_SEC_FETCH_SITE"),
            environ.get("HTTP_SEC_FETCH_MODE"),
            self._ports(),
        )
        if problem is None:
            return self._app(environ, start)
        return problem.response()(environ, start)
