"""Requests and answers between the HTTP server and what answers: no sockets here."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

DOCUMENTATION = "https://docs.github.com/rest"


@dataclass
class Asked:
    """One HTTP request: header names in lower case, `path` percent-encoded with its query."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes = b""
    base: str = ""

    @property
    def route(self) -> str:
        """The path without its query, still percent-encoded."""
        return urlsplit(self.path).path

    @property
    def query(self) -> dict[str, str]:
        """The query's parameters, the last of each."""
        return {key: values[-1] for key, values in parse_qs(urlsplit(self.path).query, keep_blank_values=True).items()}

    def json(self) -> Any:
        """The body as JSON ({} where there is none); raises ValueError."""
        return json.loads(self.body) if self.body.strip() else {}


@dataclass
class Answer:
    """An answer: `body` is JSON unless it is bytes. `cost` is what it takes from the budget `resource`."""

    status: int = 200
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    resource: str = "core"
    cost: int = 1

    def encoded(self) -> bytes:
        """The body's bytes."""
        if self.body is None:
            return b""
        if isinstance(self.body, bytes):
            return self.body
        if isinstance(self.body, str):
            return self.body.encode()
        return json.dumps(self.body, separators=(",", ":")).encode()


class Refused(Exception):
    """An error as REST gives it."""

    def __init__(self, status: int, message: str, headers: Mapping[str, str] | None = None, **more: Any) -> None:
        super().__init__(message)
        self.status = status
        self.body = {"message": message, **more, "documentation_url": DOCUMENTATION, "status": str(status)}
        self.headers = dict(headers or {})

    def answer(self) -> Answer:
        """As an answer."""
        return Answer(self.status, self.body, self.headers)


def invalid(resource: str, code: str, field: str = "", message: str = "") -> Refused:
    """422 Validation Failed with one error in it."""
    error = {"resource": resource, "code": code}
    if field:
        error["field"] = field
    if message:
        error["message"] = message
    return Refused(422, "Validation Failed", errors=[error])


def decoded(part: str) -> str:
    """A part of a path without percent-encoding."""
    return unquote(part)
