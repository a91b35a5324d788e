"""What a plan's header may say."""

from __future__ import annotations

import re
from collections.abc import Iterator

from stoat.plan.ids import is_anchor, is_repository, slug_problem
from stoat.plan.nodes import HEAVY, Header
from stoat.plan.rules.branches import branch_problem, plan_branch_problem
from stoat.plan.rules.finding import Finding, one_line, one_of, one_word

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_COLOR = re.compile(r"#[0-9a-fA-F]{3}|#[0-9a-fA-F]{6}|[A-Za-z]+")


def check_header(header: Header) -> Iterator[Finding]:
    """Everything wrong with a header, taken by itself."""
    if not header.plan:
        yield Finding(("plan",), "the plan has no slug", "write `plan: my-plan`")
    elif problem := slug_problem(header.plan):
        yield Finding(("plan",), problem, f"write {_slugged(header.plan)!r}")
    yield from one_line(("title",), header.title)
    if header.anchor is not None and not is_anchor(header.anchor):
        yield Finding(("anchor",), f"{header.anchor!r} is not an issue", "write OWNER/NAME#NUMBER")
    if header.color is not None and not _COLOR.fullmatch(header.color):
        yield Finding(("color",), f"{header.color!r} is not a colour", "write '#3b82f6', in quotes, or a CSS name")
    if header.branch is not None and (problem := plan_branch_problem(header.branch)):
        yield Finding(("branch",), problem, "name a branch of the plan's own, as in `branch: my-plan`")
    yield from one_word(("model",), header.model)
    for index, skill in enumerate(header.skills):
        yield from one_line(("skills", index), skill)
    yield from one_of(("go_ahead",), header.go_ahead, ("node", "plan"))
    yield from _repos(header)
    yield from _resources(header)


def _repos(header: Header) -> Iterator[Finding]:
    branches: dict[str, str | None] = {}
    for alias, repo in header.repos.items():
        path = ("repos", alias)
        if not _NAME.fullmatch(alias):
            yield Finding(path, f"{alias!r} is not an alias", "write letters, digits, '.', '_' and '-'", at_key=True)
        if not is_repository(repo.repo):
            yield Finding((*path, "repo"), f"{repo.repo!r} is not a repository", "write OWNER/NAME")
        elif branches.setdefault(repo.repo.lower(), repo.branch) != repo.branch:
            yield Finding(path, f"{repo.repo} is here twice with different branches", "keep one of them", at_key=True)
        if repo.branch is not None and (problem := branch_problem(repo.branch)):
            yield Finding((*path, "branch"), problem, "name the branch that its pins are read from")


def _resources(header: Header) -> Iterator[Finding]:
    for name, resource in header.resources.items():
        path = ("resources", name)
        if name == HEAVY:
            yield Finding(path, f"every plan has {HEAVY!r}: one such node at a time", "take it out", at_key=True)
        elif not _NAME.fullmatch(name):
            do = "write letters, digits, '.', '_' and '-'"
            yield Finding(path, f"{name!r} is not a resource's name", do, at_key=True)
        if not 1 <= resource.capacity <= 1_000_000:
            yield Finding((*path, "capacity"), f"a capacity of {resource.capacity} is none", "write 1 or more")
        yield from one_of((*path, "scope"), resource.scope, ("machine",))


def _slugged(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:100].strip("-") or "my-plan"
