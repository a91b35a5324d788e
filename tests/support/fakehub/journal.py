"""What was asked of the fake: one entry a request, so that a test can count reads and writes."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple


class Request(NamedTuple):
    """One request and how it was answered.

    `write` is a REST method that changes something or a GraphQL mutation. `etag_hit` is a 304. `operation` is the
    GraphQL operation's name (a mutation's field), "" for REST. `body` is the JSON that was sent. `status` is 0 where
    the connection was cut. `cost` is in GraphQL points.
    """

    method: str
    path: str
    kind: Literal["graphql", "rest"]
    write: bool
    status: int
    etag_hit: bool
    operation: str
    body: Any = None
    cost: int = 0
