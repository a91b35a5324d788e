"""A maintainer's tool: the fake's schema against GitHub's published one. No test runs it.

    npm pack @octokit/graphql-schema && tar xzf octokit-graphql-schema-*.tgz
    python -m tests.support.fakehub.check_schema package/schema.graphql          # does every definition agree?
    python -m tests.support.fakehub.check_schema package/schema.graphql --write  # take subset.txt anew

`subset.txt` says which types and fields the fake answers. Enumerations and inputs are always taken whole.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from graphql import parse, print_ast
from graphql.language import ast

HERE = Path(__file__).parent
HEADER = """\
# A part of GitHub's public GraphQL schema, as published in the npm package @octokit/graphql-schema 15.26.1
# (MIT License, Copyright (c) GitHub, Inc. and contributors; https://github.com/octokit/graphql-schema).
# Descriptions are left out. Made by check_schema.py from subset.txt: do not edit.
# What the package lacks is in ext.graphql.

"""
Definitions = dict[str, Any]


def named(node: Any) -> str:
    """The name at the bottom of a type as it is written: of `[Issue!]!` it is Issue."""
    while not isinstance(node, ast.NamedTypeNode):
        node = node.type
    return str(node.name.value)


def definitions(text: str) -> Definitions:
    """Every named definition of an SDL text (where it repeats a field, as GitHub's does, both are there)."""
    document = parse(text, no_location=True)
    nodes: list[Any] = [node for node in document.definitions if getattr(node, "name", None) is not None]
    return {node.name.value: node for node in nodes}


def subset(text: str) -> dict[str, tuple[tuple[str, ...], tuple[str, ...]]]:
    """subset.txt as {type: (interfaces, fields)}."""
    kept = {}
    for line in text.splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        head, _, fields = line.partition(":")
        name, _, interfaces = head.partition(" as ")
        kept[name.strip()] = (tuple(interfaces.split()), tuple(fields.split()))
    return kept


def changed(node: Any, **changes: Any) -> Any:
    """A syntax node like `node` but for `changes`: graphql-core's are frozen from 3.3 on."""
    return type(node)(**{key: getattr(node, key, None) for key in node.keys} | changes)


def plain(node: Any) -> Any:
    """`node` with no descriptions and no directives in it."""
    changes: dict[str, Any] = {"loc": None}
    if hasattr(node, "description"):
        changes["description"] = None
    if getattr(node, "directives", None):
        changes["directives"] = ()
    for key in ("fields", "arguments", "values"):
        if getattr(node, key, None):
            changes[key] = tuple(plain(part) for part in getattr(node, key))
    return changed(node, **changes)


def bare(node: Any) -> str:
    """A definition on one line without descriptions and directives, for comparing."""
    return " ".join(print_ast(plain(node)).split())


def narrowed(published: Definitions, kept: dict[str, tuple[tuple[str, ...], tuple[str, ...]]]) -> Iterator[Any]:
    """The definitions of the subset: the kept types with the kept fields, and all that they lean on."""
    taken: Definitions = {}
    wanted = list(kept)
    for name in wanted:  # grows while it is walked
        node = published[name]
        if name in kept:
            interfaces, names = kept[name]
            here = {field.name.value: field for field in node.fields}
            if missing := set(names) - set(here):
                raise SystemExit(f"{name} has no field {', '.join(sorted(missing))}")
            if missing := set(interfaces) - {one.name.value for one in node.interfaces or ()}:
                raise SystemExit(f"{name} does not implement {', '.join(sorted(missing))}")
            node = changed(
                node,
                fields=tuple(here[one] for one in sorted(names)),
                interfaces=tuple(one for one in node.interfaces or () if one.name.value in interfaces),
            )
        elif isinstance(node, ast.UnionTypeDefinitionNode):
            node = changed(node, types=tuple(one for one in node.types or () if one.name.value in kept))
        taken[name] = node
        fields = tuple(getattr(node, "fields", None) or ())
        arguments = [argument for field in fields for argument in getattr(field, "arguments", None) or ()]
        for other in (named(part) for part in [*fields, *arguments]):
            if other in wanted or other in {"Int", "Float", "String", "Boolean", "ID"}:
                continue
            if isinstance(published[other], ast.ObjectTypeDefinitionNode | ast.InterfaceTypeDefinitionNode):
                raise SystemExit(f"{name} needs {other}, which subset.txt does not have")
            wanted.append(other)
    return (taken[name] for name in sorted(taken))


def disagreements(ours: Definitions, published: Definitions) -> Iterator[str]:
    """A sentence for each thing that the fake's schema says and GitHub's does not."""
    for name, node in ours.items():
        theirs = published.get(name)
        if theirs is None or type(theirs) is not type(node):
            yield f"{name}: not published as {type(node).__name__}"
            continue
        if isinstance(node, ast.ObjectTypeDefinitionNode | ast.InterfaceTypeDefinitionNode):
            fields = {field.name.value: bare(field) for field in theirs.fields or ()}
            for field in node.fields or ():
                if bare(field) != fields.get(field.name.value):
                    yield f"{name}.{field.name.value}: {bare(field)} / {fields.get(field.name.value)}"
            published_interfaces = {one.name.value for one in theirs.interfaces or ()}
            for one in node.interfaces or ():
                if one.name.value not in published_interfaces:
                    yield f"{name}: does not implement {one.name.value}"
        elif isinstance(node, ast.UnionTypeDefinitionNode):
            members = {one.name.value for one in theirs.types or ()}
            for one in node.types or ():
                if one.name.value not in members:
                    yield f"{name}: has no member {one.name.value}"
        elif bare(node) != bare(theirs):
            yield f"{name}: {bare(node)} / {bare(theirs)}"


def main(arguments: list[str] | None = None) -> int:
    """Compare (or, with --write, take anew); 0 when every definition agrees."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sdl", type=Path, help="schema.graphql of @octokit/graphql-schema")
    parser.add_argument("--write", action="store_true", help="write schema.graphql from subset.txt")
    options = parser.parse_args(arguments)
    text = options.sdl.read_text(encoding="utf-8")
    if options.write:
        kept = subset((HERE / "subset.txt").read_text(encoding="utf-8"))
        parts = [print_ast(plain(node)) for node in narrowed(definitions(text), kept)]
        (HERE / "schema.graphql").write_text(HEADER + "\n\n".join(parts) + "\n", encoding="utf-8")
    ours = definitions((HERE / "schema.graphql").read_text(encoding="utf-8"))
    wrong = list(disagreements(ours, definitions(text)))
    for line in wrong:
        print(line)
    fields = sum(len(getattr(node, "fields", None) or ()) for node in ours.values())
    print(f"{len(ours)} definitions with {fields} fields: {'all agree' if not wrong else f'{len(wrong)} differ'}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
