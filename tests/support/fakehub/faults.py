"""What can go wrong on purpose: `hub.faults` makes the next answers fail, lag, crawl, lie or break off."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

HTML = "<html><head><title>502 Bad Gateway</title></head><body><center><h1>502 Bad Gateway</h1></center></body></html>"
PERMISSION = "Resource not accessible by personal access token"
T = TypeVar("T")
Kind = Literal["answer", "slow", "reset", "truncate", "missing_page", "no_next", "rate_limit", "secondary"]


@dataclass(eq=False)
class Fault:
    """One thing that goes wrong: for requests whose path has `path` in it (a regular expression), `times` times."""

    kind: Kind
    path: str = ""
    method: str | None = None
    times: float = 1
    status: int = 0
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)
    after_effect: bool = False
    seconds: float = 0

    def takes(self, method: str, path: str) -> bool:
        """Whether it is about this request."""
        return self.times > 0 and self.method in (None, method) and re.search(self.path, path) is not None


@dataclass(eq=False)
class FieldError:
    """A GraphQL field that gives an error: by its path (aliases and indexes) or as TYPE.FIELD."""

    path: tuple[str | int, ...] | str
    type: str | None
    message: str
    times: float
    extensions: Mapping[str, Any]

    def takes(self, path: Sequence[str | int], name: str) -> bool:
        """Whether it is about the field at `path`, which is `name` (TYPE.FIELD)."""
        return self.path == name if isinstance(self.path, str) else tuple(path) == self.path


class Faults:
    """The knobs. Every verb is about the next requests; `times` may be `faults.EVER`; `clear` ends them all."""

    EVER = float("inf")

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Nothing goes wrong any more."""
        self.queue: list[Fault] = []
        self.fields: list[FieldError] = []
        self.merges: list[tuple[int, str]] = []
        self.repositories: dict[str, Fault] = {}
        self.lag_reads = 0
        self.heavy_above: int | None = None
        self.heavy_how = "resource_limits"
        self.token_expired = False
        self._shuffle: random.Random | None = None

    # HTTP.

    def next(
        self,
        status: int,
        path: str = "",
        times: float = 1,
        *,
        method: str | None = None,
        body: Any = None,
        headers: Mapping[str, str] | None = None,
        after_effect: bool = False,
    ) -> None:
        """The next requests get this status. `after_effect`: what they ask for is done all the same."""
        self.queue.append(Fault("answer", path, method, times, status, body, headers or {}, after_effect))

    def html(self, status: int = 502, path: str = "", times: float = 1) -> None:
        """A page of HTML instead of JSON, as a load balancer sends it."""
        self.next(status, path, times, body=HTML, headers={"Content-Type": "text/html"})

    def reset(self, path: str = "", times: float = 1, *, after_effect: bool = False) -> None:
        """The connection breaks off without an answer."""
        self.queue.append(Fault("reset", path, times=times, after_effect=after_effect))

    def slow(self, seconds: float, path: str = "", times: float = 1) -> None:
        """Answers take that long."""
        self.queue.append(Fault("slow", path, times=times, seconds=seconds))

    def truncated(self, path: str = "", times: float = 1) -> None:
        """The answer's JSON breaks off in the middle (its length is right)."""
        self.queue.append(Fault("truncate", path, times=times))

    def missing_page(self, path: str = "", page: int = 2, status: int = 404, times: float = 1) -> None:
        """That page of a list cannot be had."""
        self.queue.append(Fault("missing_page", rf"{path}.*[?&]page={page}(&|$)", times=times, status=status))

    def no_next(self, path: str = "", times: float = 1) -> None:
        """A page of a list forgets to say that there is another one."""
        self.queue.append(Fault("no_next", path, times=times))

    def rate_limit(self, path: str = "", times: float = 1, *, reset_in: float = 60, status: int = 403) -> None:
        """The primary limit is used up: REST gets `status`, GraphQL 200 with an error, both with remaining 0."""
        self.queue.append(Fault("rate_limit", path, times=times, status=status, seconds=reset_in))

    def secondary(self, retry_after: float | None = 1, path: str = "", times: float = 1, *, status: int = 403) -> None:
        """The secondary limit; without `retry_after` it does not say how long."""
        headers = {} if retry_after is None else {"Retry-After": f"{retry_after:g}"}
        self.queue.append(Fault("secondary", path, times=times, status=status, headers=headers))

    def unauthorized(self) -> None:
        """The token has expired: 401 until `clear`."""
        self.token_expired = True

    # A repository.

    def blocked(self, repo: str, status: int = 451) -> None:
        """GitHub has blocked the repository."""
        block = {"reason": "tos", "created_at": "2026-11-01T00:00:00Z", "html_url": "https://github.com/tos"}
        body = {"message": "Repository access blocked", "block": block}
        self.repositories[repo.lower()] = Fault("answer", status=status, body=body)

    def sso(self, repo: str) -> None:
        """The owner asks for single sign-on, and the token has not been authorized for it."""
        url = f"https://github.com/orgs/{repo.split('/')[0]}/sso?authorization_request=A1"
        message = (
            "Resource protected by organization SAML enforcement. "
            "You must grant your Personal Access token access to this organization."
        )
        headers = {"X-GitHub-SSO": f"required; url={url}"}
        self.repositories[repo.lower()] = Fault("answer", status=403, body={"message": message}, headers=headers)

    def forbidden(self, repo: str, permissions: str = "issues=read", path: str = "") -> None:
        """The token lacks a permission for the repository, or for REST paths there that have `path` in them."""
        headers = {"X-Accepted-GitHub-Permissions": permissions}
        body = {"message": PERMISSION}
        self.repositories[repo.lower()] = Fault("answer", path, status=403, body=body, headers=headers)

    # GraphQL.

    def partial(
        self,
        path: tuple[str | int, ...] | str,
        type: str | None = "NOT_FOUND",
        message: str | None = None,
        times: float = 1,
        **extensions: Any,
    ) -> None:
        """The field at `path` (or every "Issue.labels") is null with an error; `times` counts requests."""
        words = {
            "NOT_FOUND": "Could not resolve to a node with the global id of 'X'",
            "FORBIDDEN": PERMISSION,
            "RESOURCE_LIMITS_EXCEEDED": "Resource limits for this query exceeded.",
        }
        text = message or words.get(type or "", "Something went wrong while executing your query.")
        self.fields.append(FieldError(path, type, text, times, extensions))

    def heavy(self, above: int | None, how: Literal["resource_limits", "502", "504"] = "resource_limits") -> None:
        """Queries that ask for more than `above` issues and pull requests are too much work for GitHub."""
        self.heavy_above, self.heavy_how = above, how

    # The state.

    def lag(self, reads: int) -> None:
        """What is changed from now on shows only after so many reads of it."""
        self.lag_reads = reads

    def shuffle(self, seed: int = 1) -> None:
        """Checks come in any order."""
        self._shuffle = random.Random(seed)

    def refuse_merge(self, message: str, status: int = 405, times: int = 1) -> None:
        """The next merges are refused with this sentence."""
        self.merges += [(status, message)] * times

    # For the server.

    def take(self, method: str, path: str, *kinds: Kind) -> Fault | None:
        """The first fault of these kinds that is about this request; it counts as used once more."""
        for fault in self.queue:
            if fault.kind in kinds and fault.takes(method, path):
                fault.times -= 1
                return fault
        return None

    def of_repository(self, name: str, path: str = "") -> Fault | None:
        """What is wrong with a repository (or with a path in it)."""
        fault = self.repositories.get(name.lower())
        return fault if fault is not None and re.search(fault.path, path) else None

    def field_error(self, path: Sequence[str | int], name: str) -> FieldError | None:
        """The error that a GraphQL field is to give."""
        return next((one for one in self.fields if one.times > 0 and one.takes(path, name)), None)

    def request_done(self, used: Sequence[FieldError]) -> None:
        """A GraphQL request is over in which these field errors were given."""
        for one in set(used):
            one.times -= 1

    def merge_refusal(self) -> tuple[int, str] | None:
        """The scripted refusal of the next merge."""
        return self.merges.pop(0) if self.merges else None

    def order(self, things: Sequence[T]) -> list[T]:
        """The things in the order in which GitHub shows them."""
        mixed = list(things)
        if self._shuffle is not None:
            self._shuffle.shuffle(mixed)
        return mixed

    def __iter__(self) -> Iterator[Fault]:
        """The faults that have not been used up."""
        return iter([fault for fault in self.queue if fault.times > 0])
