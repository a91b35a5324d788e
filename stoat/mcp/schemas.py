"""The JSON Schemas that a client is shown: of a tool's arguments whole, of its answer in outline.

They are read by a model with every call it makes, so that nothing stands in them that says nothing.
"""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Struct
from pydantic import BaseModel

_WORDS = ("title", "default", "maxLength", "maxItems", "$defs")
"""What pydantic says of a field that its name and its being optional say already, or that no model comes near."""


def arguments_schema(model: type[BaseModel]) -> dict[str, Any]:
    """The schema of a tool's arguments, definitions put where they are used."""
    schema = model.model_json_schema(by_alias=True)
    found = _slim(schema, schema.get("$defs", {}))
    assert isinstance(found, dict)
    found.pop("description", None)
    return {"type": "object", "properties": {}, **found}


def outline(shape: type[Struct]) -> dict[str, Any]:
    """The schema of an answer: its keys, which are always there, and of each the kind of value that it has."""
    (reference,), components = msgspec.json.schema_components((shape,))
    whole = components[reference["$ref"].rpartition("/")[2]]
    return keys({name: _kinds(value, components) for name, value in whole["properties"].items()})


def keys(kinds: dict[str, str | list[str]]) -> dict[str, Any]:
    """The schema of an object that has just these keys, each with the kind or the kinds of its value."""
    properties = {name: {"type": kind} for name, kind in kinds.items()}
    return {"type": "object", "properties": properties, "required": list(kinds)}


def _slim(value: Any, definitions: dict[str, Any], *, of_fields: bool = False) -> Any:
    if isinstance(value, list):
        return [_slim(one, definitions) for one in value]
    if not isinstance(value, dict):
        return value
    if of_fields:
        return {name: _slim(one, definitions) for name, one in value.items()}
    if "$ref" in value:
        found = _slim(definitions[value["$ref"].rpartition("/")[2]], definitions)
        found.pop("description", None)
        return found
    choices = [one for one in value.get("anyOf", ()) if one != {"type": "null"}]
    if len(choices) == 1:
        rest = {name: one for name, one in value.items() if name != "anyOf"}
        return _slim({**choices[0], **rest}, definitions)
    return {
        name: _slim(one, definitions, of_fields=name == "properties")
        for name, one in value.items()
        if name not in _WORDS
    }


def _kinds(value: dict[str, Any], components: dict[str, Any]) -> str | list[str]:
    if "$ref" in value:
        return _kinds(components[value["$ref"].rpartition("/")[2]], components)
    found: list[str] = []
    for one in value.get("anyOf", [value]):
        kinds = _kinds(one, components) if one is not value else _kind(value)
        found += [kind for kind in ([kinds] if isinstance(kinds, str) else kinds) if kind not in found]
    return found[0] if len(found) == 1 else found


def _kind(value: dict[str, Any]) -> str | list[str]:
    named = {bool: "boolean", int: "integer", float: "number", str: "string", type(None): "null"}
    if "enum" in value:
        return list(dict.fromkeys(named[type(one)] for one in value["enum"]))
    kind: str = value["type"]
    return kind
