"""How the fake answers GraphQL fields: the register of resolvers, connections, and errors as GitHub types them."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from graphql import FieldNode, FragmentSpreadNode, GraphQLResolveInfo, InlineFragmentNode
from graphql.pyutils import camel_to_snake

from tests.support.fakehub.faults import FieldError
from tests.support.fakehub.model import User
from tests.support.fakehub.pulls import Pull

if TYPE_CHECKING:
    from tests.support.fakehub.hub import FakeHub
    from tests.support.fakehub.model import Issue

Resolver = Callable[..., Any]
Info = GraphQLResolveInfo[Any]
REGISTER: dict[tuple[str, str], Resolver] = {}
TYPES: dict[str, str] = {
    "Pull": "PullRequest",
    "Review": "PullRequestReview",
    "Comment": "IssueComment",
    "CommitStatus": "StatusContext",
    "Suite": "CheckSuite",
    "QueueEntry": "MergeQueueEntry",
}
"""Python class → GraphQL type, where the names differ."""


class HubError(Exception):
    """An error of one field: its `type` as GitHub names it."""

    def __init__(self, type: str | None, message: str, **extensions: Any) -> None:
        super().__init__(message)
        self.type = type
        self.extensions = extensions


@dataclass
class Ask:
    """One GraphQL request while it is executed."""

    hub: FakeHub
    cost: int = 1
    node_count: int = 0
    things_left: int | None = None
    used_faults: list[FieldError] = field(default_factory=list)
    closing: dict[Issue, list[Pull]] | None = None

    def closing_pulls(self, issue: Issue) -> list[Pull]:
        """The pull requests that close an issue, by number; worked out once a request."""
        if self.closing is None:
            self.closing = {}
            for repo in self.hub.repositories.values():
                for pull in repo.pulls.values():
                    for closed in pull.closes():
                        self.closing.setdefault(closed, []).append(pull)
        return self.closing.get(issue, [])


class Page(NamedTuple):
    """A page of a connection, with what its type has beside the usual."""

    items: list[Any]
    start: int
    total: int
    extra: Mapping[str, Any]


def answers(type_name: str, *names: str) -> Callable[[Resolver], Resolver]:
    """Register a resolver `(source, info, **arguments)` of fields (of the one that has its name)."""

    def register(resolver: Resolver) -> Resolver:
        for name in names or (resolver.__name__,):
            REGISTER[type_name, name] = resolver
        return resolver

    return register


def plain(type_name: str, **readers: Callable[[Any], Any]) -> None:
    """Register fields that take no arguments and need nothing but the source."""
    for name, reader in readers.items():
        REGISTER[type_name, name] = lambda source, info, _reader=reader, **arguments: _reader(source)


def resolve(source: Any, info: Info, **arguments: Any) -> Any:
    """The answer of any field: a fault's error, the registered resolver, a key of a dict, or the attribute so named."""
    ask: Ask = info.context
    type_name, name = info.parent_type.name, info.field_name
    if ask.hub.faults.fields:
        fault = ask.hub.faults.field_error(info.path.as_list(), f"{type_name}.{name}")
        if fault is not None:
            ask.used_faults.append(fault)
            raise HubError(fault.type, fault.message, **fault.extensions)
    if ask.things_left is not None and type_name == "Repository" and name in ("issue", "pullRequest"):
        ask.things_left -= 1
        if ask.things_left < 0:
            raise HubError("RESOURCE_LIMITS_EXCEEDED", "Resource limits for this query exceeded.")
    resolver = REGISTER.get((type_name, name))
    if resolver is not None:
        return resolver(source, info, **arguments)
    if isinstance(source, dict):
        return source[name]
    return getattr(source, camel_to_snake(name))


def type_of(value: Any, _info: Any, _abstract: Any) -> str:
    """The GraphQL type of a thing."""
    if isinstance(value, dict):
        return str(value["__typename"])
    if isinstance(value, User):
        return value.kind
    kind = getattr(value, "kind", None)
    if kind is not None:
        return str(kind)
    name = type(value).__name__
    return TYPES.get(name, name)


def upper(word: str | None) -> str | None:
    """A word as an enumeration's value."""
    return None if word is None else word.upper()


def selects(info: Info, names: set[str]) -> bool:
    """Whether the field's selection has one of these fields."""

    def within(selections: Iterable[Any]) -> bool:
        for selection in selections:
            if isinstance(selection, FieldNode) and selection.name.value in names:
                return True
            if isinstance(selection, InlineFragmentNode) and within(selection.selection_set.selections):
                return True
            if isinstance(selection, FragmentSpreadNode):
                fragment = info.fragments[selection.name.value]
                definition = getattr(fragment, "definition", fragment)
                if within(definition.selection_set.selections):
                    return True
        return False

    return any(node.selection_set is not None and within(node.selection_set.selections) for node in info.field_nodes)


def cursor(position: int) -> str:
    """The opaque cursor of an item."""
    return base64.b64encode(f"cursor:v2:{position}".encode()).decode()


def position(text: str) -> int:
    """The item of a cursor; raises HubError for what is none."""
    try:
        return int(base64.b64decode(text).decode().removeprefix("cursor:v2:"))
    except ValueError:
        raise HubError("INVALID_CURSOR_ARGUMENTS", f"`{text}` does not appear to be a valid cursor.") from None


def connection(
    items: Sequence[Any],
    info: Info,
    first: int | None = None,
    last: int | None = None,
    after: str | None = None,
    before: str | None = None,
    **extra: Any,
) -> Page:
    """The page of `items` that is asked for; raises HubError for boundaries that GitHub does not take."""
    name = info.field_name
    for word, size in (("first", first), ("last", last)):
        if size is not None and size > 100:
            text = f"Requesting {size} records on the `{name}` connection exceeds the `{word}` limit of 100 records."
            raise HubError("EXCESSIVE_PAGINATION", text)
        if size is not None and size < 0:
            raise HubError("INVALID_PAGINATION", f"`{word}` on the `{name}` connection cannot be less than zero.")
    if first is None and last is None and selects(info, {"nodes", "edges"}):
        text = f"You must provide a `first` or `last` value to properly paginate the `{name}` connection."
        raise HubError("MISSING_PAGINATION_BOUNDARIES", text)
    start, end = 0, len(items)
    if after is not None:
        start = position(after) + 1
    if before is not None:
        end = min(end, position(before))
    if first is not None:
        end = min(end, start + first)
    if last is not None:
        start = max(start, end - last)
    return Page(list(items[start:end]), start, len(items), extra)


def page_field(page: Page, info: Info) -> Any:
    """A field of a connection."""
    name = info.field_name
    if name in page.extra:
        return page.extra[name]
    if name == "nodes":
        return page.items
    if name in ("totalCount", "issueCount", "filteredCount"):
        return page.total
    if name == "pageCount":
        return len(page.items)
    if name == "edges":
        return [{"node": item, "cursor": cursor(page.start + index)} for index, item in enumerate(page.items)]
    if name == "pageInfo":
        end = page.start + len(page.items)
        return {
            "hasNextPage": end < page.total,
            "hasPreviousPage": page.start > 0,
            "startCursor": cursor(page.start) if page.items else None,
            "endCursor": cursor(end - 1) if page.items else None,
        }
    raise KeyError(name)
