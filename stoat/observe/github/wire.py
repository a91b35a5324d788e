"""One exchange with GitHub over HTTP: who is told the token, where a redirect may lead, how much is read."""

from __future__ import annotations

import importlib.metadata
import json
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urljoin, urlsplit

from stoat.errors import UNDECODABLE
from stoat.observe.github.trouble import Outage, TooLarge

if TYPE_CHECKING:
    import requests

CONNECT_TIMEOUT = 10.0
_ANSWER_TIMEOUT = 20.0
_WHOLE_TIMEOUT = 120.0
_LARGEST = 64 * 1024 * 1024
"""Bytes that an answer may have; of one that is read for its tail, all may pass by."""
_HOPS = 5
_HERE = ("127.0.0.1", "localhost", "::1")
_SHORTEST_TOKEN = 20
"""Characters of the shortest word that may be looked for in answers: GitHub's own tokens have 40 and more."""
_NO_PROXY: Any = {"http": None, "https": None, "all": None}
"""No proxy leads to this machine, whatever the environment says of proxies and forgets to say of exceptions."""


class Response(NamedTuple):
    """An answer: `headers` by lower-case name, and the address that gave it, which a redirect may have changed."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    url: str = ""

    def json(self) -> Any:
        """The body's JSON. Outage when it is none: a proxy's page, or cut off.

        Half a surrogate pair is valid in JSON and in no text that could be written anywhere: it becomes U+FFFD.
        """
        try:
            found = json.loads(self.body)
            return _mended(found) if b"\\u" in self.body else found
        except UNDECODABLE:
            problem = f"{host_of(self.url)} answered with something that is not JSON (HTTP {self.status})"
        raise Outage(problem)


def _mended(value: Any) -> Any:
    """The same with whole characters only."""
    match value:
        case str():
            return value if value.isascii() else value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        case list():
            return [_mended(each) for each in value]
        case dict():
            return {_mended(key): _mended(each) for key, each in value.items()}
        case _:
            return value


class Wire:
    """A connection that is kept, and the token that goes to the API's origin only. `sent` counts what went there."""

    def __init__(self, origin: str, token: str, timeout: float = _ANSWER_TIMEOUT) -> None:
        import requests

        self._session = requests.Session()
        self._session.headers["User-Agent"] = f"stoat/{_version()}"
        self.sent = 0
        self._origin = _origin(origin)
        self._token = token
        self._timeout = timeout

    def send(
        self,
        method: str,
        url: str,
        headers: Mapping[str, str],
        body: bytes | None = None,
        *,
        tail: int | None = None,
    ) -> Response:
        """Send it, follow where it is redirected to (GET only), and read the answer, of `tail` bytes the last ones.

        Raises Outage when there is no whole answer, TooLarge when it took too long. The libraries' own exceptions
        stay inside: they carry the request, and with it the token.
        """
        for _ in range(_HOPS + 1):
            answer = self._hop(method, url, headers, body, tail)
            target = answer.headers.get("location")
            if answer.status not in (301, 302, 303, 307, 308) or not target or method != "GET":
                return answer
            following = _joined(url, target)
            if not following.startswith(("http://", "https://")):
                raise Outage(f"{host_of(url)} redirects to something that is no web address")
            if url.startswith("https:") and not following.startswith("https:"):
                raise Outage(f"{host_of(url)} redirects to an address that is not encrypted")
            url = following
        raise Outage(f"{host_of(url)} redirects round and round")

    def _hop(self, method: str, url: str, headers: Mapping[str, str], body: bytes | None, tail: int | None) -> Response:
        import requests

        trouble: Outage
        at_home = _origin(url) == self._origin
        self.sent += at_home
        try:
            with self._session.request(
                method,
                url,
                headers=dict(headers),
                data=body,
                auth=_Authorization(self._token if at_home else None),
                timeout=(CONNECT_TIMEOUT, self._timeout),
                proxies=_NO_PROXY if _origin(url)[1] in _HERE else None,
                allow_redirects=False,
                stream=True,
            ) as answer:
                content = self._without_token(_content(answer, tail))
                names = {name.lower(): value for name, value in answer.headers.items()}
                return Response(answer.status_code, names, content, url)
        except _Slow:
            trouble = TooLarge(f"{host_of(url)} took longer than {_WHOLE_TIMEOUT:.0f} s to answer")
        except requests.exceptions.ConnectTimeout:
            trouble = Outage(f"{host_of(url)} does not answer")
        except requests.exceptions.Timeout:
            trouble = TooLarge(f"{host_of(url)} took too long to answer")
        except requests.exceptions.SSLError:
            trouble = Outage(f"{host_of(url)} has a certificate that is not trusted here")
        except requests.exceptions.ProxyError:
            trouble = Outage(f"{host_of(url)} cannot be reached through the proxy")
        except (requests.exceptions.ChunkedEncodingError, requests.exceptions.ContentDecodingError):
            trouble = Outage(f"{host_of(url)} broke off in its answer")
        except requests.exceptions.ConnectionError as error:
            # A read that times out while the body is streamed comes as a ConnectionError.
            slow = "Read timed out" in str(error)
            trouble = (TooLarge if slow else Outage)(
                f"{host_of(url)} took too long to answer" if slow else f"{host_of(url)} cannot be reached"
            )
        except (requests.exceptions.RequestException, OSError, ValueError):
            trouble = Outage(f"{host_of(url)} cannot be asked")
        # Raised out here, so that not even its context leads to the library's exception.
        raise trouble

    def _without_token(self, content: bytes) -> bytes:
        """What comes back is shown and kept, and a server may repeat what it was sent."""
        long_enough = len(self._token) >= _SHORTEST_TOKEN
        return content.replace(self._token.encode(), b"[the token]") if long_enough else content


class _Authorization:
    """Sets the header, or makes sure that there is none: with this, requests looks into no ~/.netrc of its own."""

    def __init__(self, token: str | None) -> None:
        self._token = token

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        if self._token is None:
            request.headers.pop("Authorization", None)
        else:
            request.headers["Authorization"] = f"Bearer {self._token}"
        return request


class _Slow(Exception):
    """The answer dripped for too long."""


def host_of(url: str) -> str:
    """The host of an address, as far as a sentence needs it."""
    try:
        return urlsplit(url).netloc.rpartition("@")[2] or "GitHub"
    except ValueError:
        return "GitHub"


def _joined(url: str, target: str) -> str:
    try:
        return urljoin(url, target)
    except ValueError:
        return ""


def _content(answer: requests.Response, tail: int | None) -> bytes:
    deadline = time.monotonic() + _WHOLE_TIMEOUT
    kept = bytearray()
    for piece in answer.iter_content(65536):
        kept += piece
        if time.monotonic() > deadline:
            raise _Slow
        if tail is not None:
            if len(kept) > 2 * tail + 65536:
                del kept[:-tail]
        elif len(kept) > _LARGEST:
            raise ValueError("too much")
    return bytes(kept if tail is None else kept[-tail:] if tail else b"")


def _origin(url: str) -> tuple[str, str, int | None]:
    """Who answers there. What is no address is nobody, and the library refuses it."""
    try:
        parts = urlsplit(url)
        return parts.scheme, (parts.hostname or "").lower(), parts.port or {"https": 443, "http": 80}.get(parts.scheme)
    except ValueError:
        return "", "", None


def _version() -> str:
    try:
        return importlib.metadata.version("stoat-plans")
    except importlib.metadata.PackageNotFoundError:
        return "unknown"
