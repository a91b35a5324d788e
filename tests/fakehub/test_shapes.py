"""REST's answers have the keys and types of GitHub's published models (shapes.json)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.fakehub.conftest import Asker
from tests.support import fakehub
from tests.support.fakehub import FakeHub

SHAPES: dict[str, Any] = json.loads((Path(fakehub.__file__).parent / "shapes.json").read_text(encoding="utf-8"))
KINDS = {"string": str, "integer": int, "boolean": bool, "null": type(None), "array": list, "object": dict}


def wrong(shape: dict[str, Any], value: Any, at: str) -> list[str]:
    """What a value has against the shape it should have."""
    if "model" in shape and value is not None:
        return wrong(SHAPES[shape["model"]], value, at)
    kinds = shape["types"]
    fits = any(
        kind == "any"
        or (kind == "number" and isinstance(value, int | float))
        or (kind in KINDS and isinstance(value, KINDS[kind]) and not (kind == "integer" and isinstance(value, bool)))
        for kind in kinds
    )
    if not fits:
        return [f"{at} is {value!r}, not {'|'.join(kinds)}"]
    found = []
    if isinstance(value, list) and "items" in shape:
        for index, one in enumerate(value):
            found += wrong(shape["items"], one, f"{at}[{index}]")
    if isinstance(value, dict):
        required, optional = shape.get("required", {}), shape.get("optional", {})
        found += [f"{at}.{key} is missing" for key in required if key not in value]
        for key, inner in {**optional, **required}.items():
            if key in value:
                found += wrong(inner, value[key], f"{at}.{key}")
    return found


CASES = [
    ("/user", "public-user", None),
    ("/users/ada", "public-user", None),
    ("/rate_limit", "rate-limit-overview", None),
    ("/repos/acme/widgets", "full-repository", None),
    ("/repos/acme/widgets/issues?state=all", "issue", "list"),
    ("/repos/acme/widgets/issues/1", "issue", None),
    ("/repos/acme/widgets/issues/2", "issue", None),
    ("/repos/acme/widgets/issues/1/comments", "issue-comment", "list"),
    ("/repos/acme/widgets/issues/1/labels", "label", "list"),
    ("/repos/acme/widgets/issues/1/sub_issues", "issue", "list"),
    ("/repos/acme/widgets/issues/2/parent", "issue", None),
    ("/repos/acme/widgets/issues/2/dependencies/blocked_by", "issue", "list"),
    ("/repos/acme/widgets/issues/1/dependencies/blocking", "issue", "list"),
    ("/repos/acme/widgets/labels", "label", "list"),
    ("/repos/acme/widgets/milestones", "milestone", "list"),
    ("/repos/acme/widgets/pulls?state=all", "pull-request-simple", "list"),
    ("/repos/acme/widgets/pulls/3", "pull-request", None),
    ("/repos/acme/widgets/pulls/4", "pull-request", None),
    ("/repos/acme/widgets/pulls/5", "pull-request", None),
    ("/repos/acme/widgets/pulls/3/reviews", "pull-request-review", "list"),
    ("/repos/acme/widgets/pulls/3/commits", "commit", "list"),
    ("/repos/acme/widgets/pulls/3/files", "diff-entry", "list"),
    ("/repos/acme/widgets/commits/main", "commit", None),
    ("/repos/acme/widgets/commits/stoat/p/a/check-runs", "check-run", "check_runs"),
    ("/repos/acme/widgets/commits/stoat/p/a/status", "combined-commit-status", None),
    ("/repos/acme/widgets/commits/stoat/p/a/statuses", "status", "list"),
    ("/repos/acme/widgets/check-runs/{run}", "check-run", None),
    ("/repos/acme/widgets/check-runs/{run}/annotations", "check-annotation", "list"),
    ("/repos/acme/widgets/actions/jobs/{run}", "job", None),
    ("/repos/acme/widgets/compare/main...stoat/p/a", "commit-comparison", None),
    ("/repos/acme/widgets/contents/README.md", "content-file", None),
    ("/repos/acme/widgets/git/trees/main?recursive=1", "git-tree", None),
    ("/repos/acme/widgets/git/ref/heads/main", "git-ref", None),
    ("/repos/acme/widgets/git/matching-refs/heads/", "git-ref", "list"),
    ("/repos/acme/widgets/git/blobs/{blob}", "blob", None),
    ("/repos/acme/widgets/branches", "short-branch", "list"),
    ("/repos/acme/nope", "basic-error", None),
    ("/search/issues?q=repo:acme/widgets+is:issue", "issue", "items"),
]


@pytest.fixture
def world(hub: FakeHub) -> dict[str, str]:
    """A repository with one of each thing; what the paths of CASES leave open."""
    repo = hub.repository("acme/widgets", required=["test"])
    first = repo.issue("Lanes", labels=["bug"], assignees=["bob"], milestone="v1")
    first.comment("bob", "Yes")
    repo.issue("More lanes", parent=1, blocked_by=[1], state="closed")
    pull = repo.pull("Fix lanes", "stoat/p/a", body="Fixes #1")
    run = pull.check("test", "failure", annotations=["expected 2, got 3"], steps=["Run tests"], log="no")
    pull.check("scan", "in_progress", app="scanner")
    pull.status("ci/lint", "success")
    pull.review("bob", "approved")
    pull.review(None, "commented")
    repo.pull("From a fork", "topic", fork="eve", author=None).forget_fork()
    repo.pull("Merged", "done").merge()
    blob = repo.side.find("main:README.md")
    return {"run": str(run.id), "blob": str(blob.id)}


@pytest.mark.parametrize(("path", "model", "within"), CASES, ids=[case[0] for case in CASES])
def test_an_answer_has_the_keys_and_types_of_the_published_model(
    world: dict[str, str], ask: Asker, path: str, model: str, within: str | None
) -> None:
    body = ask.get(path.format(**world)).json()
    things = body if within == "list" else [body] if within is None else body[within]
    assert things
    assert [line for thing in things for line in wrong(SHAPES[model], thing, model)] == []
