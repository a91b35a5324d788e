"""A maintainer's tool: what GitHub's published REST models say of the objects that the fake sends. No test runs it.

    npm pack @octokit/openapi && tar xzf octokit-openapi-*.tgz package/generated/api.github.com.json
    python -m tests.support.fakehub.check_shapes package/generated/api.github.com.json          # do they agree?
    python -m tests.support.fakehub.check_shapes package/generated/api.github.com.json --write  # take it anew

The fake's own tests hold every answer against shapes.json: which keys must be there, and of what types.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
MODELS = (
    *("simple-user", "private-user", "public-user", "full-repository", "repository", "issue", "issue-comment", "label"),
    *("milestone", "pull-request", "pull-request-simple", "pull-request-review", "pull-request-merge-result"),
    *("check-run", "check-annotation", "job", "status", "combined-commit-status", "commit", "commit-comparison"),
    *("content-file", "git-tree", "git-ref", "blob", "diff-entry", "rate-limit-overview", "short-branch"),
    *("branch-with-protection", "sub-issues-summary", "issue-dependencies-summary", "basic-error"),
)
# What GitHub sends and its own models forbid: every open issue has a null there, every branch of a fork that is gone.
KNOWN_NULLS = (("issue", "state_reason"), ("pull-request", "head.repo"), ("pull-request-simple", "head.repo"))


def shape(schemas: dict[str, Any], schema: dict[str, Any], depth: int = 0) -> dict[str, Any]:
    """What a schema says: the JSON types; the model it is; or the keys that it must have, and their shapes."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        bare = name.removeprefix("nullable-")
        nullable = ["null"] if name != bare or schemas[name].get("nullable") else []
        if bare in MODELS:
            return {"types": ["object", *nullable], "model": bare}
        made = shape(schemas, schemas[name], depth)
        return {**made, "types": sorted({*made["types"], *nullable})}
    nullable = ["null"] if schema.get("nullable") else []
    for word in ("oneOf", "anyOf", "allOf"):
        if word in schema:
            parts = [shape(schemas, part, depth) for part in schema[word]]
            types = sorted({kind for part in parts for kind in part["types"]} | set(nullable))
            only = {part["model"] for part in parts if "model" in part}
            return {"types": types, "model": only.pop()} if len(only) == 1 and word != "allOf" else {"types": types}
    kind = schema.get("type", "object" if "properties" in schema else "any")
    made = {"types": sorted({kind, *nullable})}
    if kind == "array" and depth < 3:
        made["items"] = shape(schemas, schema.get("items", {}), depth + 1)
    if kind == "object" and "properties" in schema and depth < 3:
        required = set(schema.get("required", ()))
        properties = schema["properties"]
        made["required"] = {name: shape(schemas, properties[name], depth + 1) for name in sorted(required)}
        made["optional"] = {
            name: shape(schemas, properties[name], depth + 2) for name in sorted(set(properties) - required)
        }
    return made


def derived(document: dict[str, Any]) -> dict[str, Any]:
    """shapes.json as the published document has it."""
    schemas = document["components"]["schemas"]
    found = {}
    for name in MODELS:
        found[name] = shape(schemas, schemas[name])
    for model, path in KNOWN_NULLS:
        here = found[model]
        for key in path.split("."):
            here = here["required"].get(key) or here["optional"][key]
        here["types"] = sorted({*here["types"], "null"})
    return found


def main(arguments: list[str] | None = None) -> int:
    """Compare (or, with --write, take anew); 0 when they agree."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("openapi", type=Path, help="api.github.com.json of @octokit/openapi")
    parser.add_argument("--write", action="store_true", help="write shapes.json")
    options = parser.parse_args(arguments)
    wanted = derived(json.loads(options.openapi.read_text(encoding="utf-8")))
    place = HERE / "shapes.json"
    if options.write:
        lines = [f"{json.dumps(name)}: {json.dumps(one, separators=(',', ':'))}" for name, one in wanted.items()]
        place.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    kept = json.loads(place.read_text(encoding="utf-8"))
    wrong = [name for name in {**wanted, **kept} if wanted.get(name) != kept.get(name)]
    print(f"{len(kept)} models: {'all agree' if not wrong else 'differ: ' + ', '.join(wrong)}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
