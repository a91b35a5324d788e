"""What a GraphQL query costs before it is executed: GitHub's published formula for points and possible nodes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from graphql import (
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLSchema,
    InlineFragmentNode,
    IntValueNode,
    OperationDefinitionNode,
    VariableNode,
    get_named_type,
)

MAX_NODES = 500_000


class Weight(NamedTuple):
    """A query's `points` and possible `nodes`, the connection that goes over the limit, how many issues it wants."""

    points: int
    nodes: int
    over: str | None
    things: int


def weigh(
    schema: GraphQLSchema, document: DocumentNode, operation: OperationDefinitionNode, variables: Mapping[str, Any]
) -> Weight:
    """Weigh an operation: each connection counts as often as it has to be opened."""
    fragments = {node.name.value: node for node in document.definitions if isinstance(node, FragmentDefinitionNode)}
    defaults = {
        definition.variable.name.value: int(definition.default_value.value)
        for definition in operation.variable_definitions or ()
        if isinstance(definition.default_value, IntValueNode)
    }
    requests, nodes, things, over = 0, 0, 0, None

    def size_of(node: FieldNode) -> int:
        for argument in node.arguments or ():
            if argument.name.value in ("first", "last"):
                if isinstance(argument.value, IntValueNode):
                    return int(argument.value.value)
                if isinstance(argument.value, VariableNode):
                    name = argument.value.name.value
                    given = variables.get(name, defaults.get(name))
                    return given if isinstance(given, int) else 0
        return 0

    def walk(selections: Any, parent: Any, times: int) -> None:
        nonlocal requests, nodes, things, over
        for selection in selections:
            if isinstance(selection, InlineFragmentNode):
                condition = selection.type_condition
                inner = schema.get_type(condition.name.value) if condition else parent
                walk(selection.selection_set.selections, inner, times)
            elif isinstance(selection, FragmentSpreadNode):
                fragment = fragments[selection.name.value]
                inner = schema.get_type(fragment.type_condition.name.value)
                walk(fragment.selection_set.selections, inner, times)
            elif isinstance(selection, FieldNode):
                definition = getattr(parent, "fields", {}).get(selection.name.value)
                if definition is None:
                    continue
                named = get_named_type(definition.type)
                inside = times
                if selection.name.value in ("issue", "pullRequest") and parent.name == "Repository":
                    things += 1
                if named.name.endswith("Connection"):
                    size = size_of(selection)
                    requests += times
                    nodes += times * size
                    inside = times * max(size, 1)
                    if nodes > MAX_NODES and over is None:
                        over = selection.name.value
                if selection.selection_set is not None:
                    walk(selection.selection_set.selections, named, inside)

    walk(operation.selection_set.selections, schema.get_root_type(operation.operation), 1)
    return Weight(max(1, round(requests / 100)), nodes, over, things)
