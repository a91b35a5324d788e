"""GraphQL as GitHub answers it: executed by graphql-core on a part of the published schema."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphql import (
    GraphQLError,
    GraphQLSchema,
    OperationDefinitionNode,
    OperationType,
    build_schema,
    execute_sync,
    extend_schema,
    get_operation_ast,
    parse,
    validate,
)

from tests.support.fakehub import fields_checks, fields_git, fields_issues, fields_pulls, fields_root, mutations
from tests.support.fakehub.answers import REGISTER, Ask, HubError, page_field, resolve, type_of
from tests.support.fakehub.cost import MAX_NODES, weigh
from tests.support.fakehub.web import Answer

if TYPE_CHECKING:
    from tests.support.fakehub.hub import FakeHub

HERE = Path(__file__).parent
ROOMS = (fields_checks, fields_git, fields_issues, fields_pulls, fields_root, mutations)
"""The modules that register resolvers when they are imported."""

CRASHED = "Something went wrong while executing your query. Please include `ABCD:1234` when reporting this issue."
_UNDEFINED = re.compile(r"Cannot query field '(\w+)' on type '(\w+)'")


@cache
def schema() -> GraphQLSchema:
    """The fake's schema, made once a process."""
    made = build_schema((HERE / "schema.graphql").read_text(encoding="utf-8"), assume_valid_sdl=True)
    made = extend_schema(made, parse((HERE / "ext.graphql").read_text(encoding="utf-8")), assume_valid_sdl=True)
    for name, kind in made.type_map.items():
        if name.endswith("Connection"):
            for field_name in getattr(kind, "fields", ()):
                REGISTER.setdefault((name, field_name), lambda page, info, **arguments: page_field(page, info))
    # GitHub's ids are past 2^31 and yet of the type Int, which graphql-core refuses to put out.
    integers: Any = made.type_map["Int"]
    for name in ("serialize", "coerce_output_value"):
        if hasattr(integers, name):
            setattr(integers, name, lambda value: value)
    return made


def operation_of(query: str, name: str | None) -> tuple[str, bool]:
    """What the journal calls a query (its operation's name, else the first field), and whether it is a mutation."""
    try:
        operation = get_operation_ast(parse(query), name)
    except GraphQLError:
        return "", False
    if operation is None:
        return "", False
    first = operation.selection_set.selections[0]
    field = getattr(getattr(first, "name", None), "value", "")
    mutates = operation.operation is OperationType.MUTATION
    return (field if mutates or operation.name is None else operation.name.value), mutates


def answer(hub: FakeHub, body: Any, lenient: bool = False) -> Answer:
    """Execute a request's JSON body.

    GitHub takes `state` of an issue and of a pull request in one selection, although the two have different types,
    and gh asks so. Nobody else should: other GraphQL servers refuse it, and so does this one unless it is `lenient`.
    """
    if not isinstance(body, dict) or not isinstance(body.get("query"), str):
        return Answer(400, {"message": "A query attribute must be specified and must be a string."})
    variables: Mapping[str, Any] = body.get("variables") or {}
    try:
        document = parse(body["query"])
    except GraphQLError as error:
        return _refused([_shaped(error)])
    problems = validate(schema(), document)
    if lenient:
        problems = [one for one in problems if "return conflicting types" not in one.message]
    if problems:
        return _refused([_shaped(error) for error in problems])
    operation = get_operation_ast(document, body.get("operationName"))
    if operation is None:
        return _refused([{"message": "An operation name is required"}])
    return _executed(hub, document, operation, variables, body.get("operationName"))


def _executed(
    hub: FakeHub, document: Any, operation: OperationDefinitionNode, variables: Mapping[str, Any], name: str | None
) -> Answer:
    weight = weigh(schema(), document, operation, variables)
    if weight.over is not None:
        text = (
            f"By the time this query traverses to the {weight.over} connection, it is requesting up to "
            f"{weight.nodes:,} possible nodes which exceeds the maximum limit of {MAX_NODES:,}."
        )
        return _refused([{"type": "MAX_NODE_LIMIT_EXCEEDED", "message": text}])
    faults = hub.faults
    heavy = faults.heavy_above is not None and weight.things > faults.heavy_above
    if heavy and faults.heavy_how != "resource_limits":
        return Answer(int(faults.heavy_how), {"message": "Server Error"}, cost=weight.points)
    if not hub.limits.spend("graphql", weight.points):
        return Answer(200, {"errors": [limited(hub)]}, resource="graphql")
    ask = Ask(hub, weight.points, weight.nodes, things_left=faults.heavy_above if heavy else None)
    result = execute_sync(
        schema(),
        document,
        root_value={},
        context_value=ask,
        variable_values=dict(variables),
        operation_name=name,
        field_resolver=resolve,
        type_resolver=type_of,
    )
    faults.request_done(ask.used_faults)
    payload: dict[str, Any] = {"data": result.data}
    if result.errors:
        payload["errors"] = [_shaped(error) for error in result.errors]
        if result.data is None and all(error.path is None for error in result.errors):
            del payload["data"]
    return Answer(200, payload, cost=weight.points)


def limited(hub: FakeHub) -> dict[str, Any]:
    """The error of a used-up hourly budget."""
    return {"type": "RATE_LIMITED", "message": f"API rate limit exceeded for user ID {hub.viewer.id}."}


def _refused(errors: list[dict[str, Any]]) -> Answer:
    return Answer(200, {"errors": errors})


def _shaped(error: GraphQLError) -> dict[str, Any]:
    shaped: dict[str, Any] = {}
    original = error.original_error
    message = error.message
    extensions: dict[str, Any] = {}
    if isinstance(original, HubError):
        extensions = dict(original.extensions)
        if original.type is not None:
            shaped["type"] = original.type
    elif original is not None and not isinstance(original, GraphQLError):
        message = CRASHED
        extensions = {"fake": f"{type(original).__name__}: {original}"}
    if (undefined := _UNDEFINED.match(message)) is not None:
        field, owner = undefined.groups()
        message = f"Field '{field}' doesn't exist on type '{owner}'"
        extensions = {"code": "undefinedField", "typeName": owner, "fieldName": field}
    if error.path is not None:
        shaped["path"] = list(error.path)
    if extensions:
        shaped["extensions"] = extensions
    if error.locations:
        shaped["locations"] = [{"line": one.line, "column": one.column} for one in error.locations]
    shaped["message"] = message
    return shaped
