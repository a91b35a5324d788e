"""What one node may say, by its kind and the plan's header; its edges to other nodes are `edges.py`'s."""

from __future__ import annotations

import re
from collections.abc import Iterator

from stoat.plan.ids import is_repository, node_id_problem
from stoat.plan.nodes import (
    BUMPS,
    CONSUME,
    FIELDS_OF,
    HEAVY,
    KINDS,
    MERGES,
    PATTERNS,
    PUBLISH,
    Header,
    Node,
)
from stoat.plan.rules.branches import branch_problem
from stoat.plan.rules.finding import Finding, Path, did_you_mean, listed, one_line, one_of, one_word, relative_path
from stoat.plan.rules.steps import check_steps

_LARGEST_NUMBER = 2**31 - 1
_VERSION = re.compile(r"[0-9A-Za-z][0-9A-Za-z.+_!~-]*")
_FEED = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_FOREIGN = {kind: tuple(field for field in Node.__struct_fields__ if kind not in FIELDS_OF[field]) for kind in KINDS}


def check_node(node: Node, header: Header, path: Path = ()) -> Iterator[Finding]:
    """Everything wrong with a node, taken by itself; `path` is the way to it."""
    if not node.id:
        yield Finding((*path, "id"), "the node has no id", "write `id: my-node`")
    elif problem := node_id_problem(node.id):
        yield Finding((*path, "id"), problem, "its id is a part of its branch's name")
    if not node.kind:
        yield Finding((*path, "kind"), "the node has no kind", f"write {listed(KINDS)}")
    elif node.kind not in KINDS:
        do = did_you_mean(node.kind, KINDS) or f"write {listed(KINDS)}"
        yield Finding((*path, "kind"), f"there is no kind {node.kind!r}", do)
    else:
        yield from _foreign_fields(node, path)
        if node.kind == PUBLISH:
            yield from _publish(node, path)
        if node.kind in (PUBLISH, CONSUME) and node.package is None:
            yield Finding((*path, "package"), f"the {node.kind} node names no package", "write `package: NAME`")
    yield from _texts(node, path)
    yield from _choices(node, path)
    yield from check_references(node, header, path)
    if node.steps:
        yield from check_steps(node.steps, (*path, "steps"))


def _foreign_fields(node: Node, path: Path) -> Iterator[Finding]:
    for field in _FOREIGN[node.kind]:
        if getattr(node, field) not in (None, ()):
            what = f"`{field}` does not belong to a {node.kind} node"
            yield Finding((*path, field), what, f"it is for {listed(sorted(FIELDS_OF[field]))}", at_key=True)


def _publish(node: Node, path: Path) -> Iterator[Finding]:
    said = [field for field in ("bump", "version", "rehearses") if getattr(node, field) is not None]
    if len(said) > 1:
        what = f"`{said[0]}` and `{said[1]}` both say which version it is"
        yield Finding((*path, said[1]), what, "keep one of them", at_key=True)
    # A feed with a dot is a public registry; any other is a folder, where packs are numbered by themselves.
    if not said and (node.feed is None or "." in node.feed):
        yield Finding((*path, "version"), "nothing says which version it is", "write `bump: minor` or `version: 1.2.0`")
    if node.version is not None and not _VERSION.fullmatch(node.version):
        yield Finding((*path, "version"), f"{node.version!r} is not an exact version", "write one, as in 1.10.0")
    if node.feed is not None and not _FEED.fullmatch(node.feed):
        yield Finding((*path, "feed"), f"{node.feed!r} is not a feed's name", "write nuget.org, npmjs.org, local …")


def _texts(node: Node, path: Path) -> Iterator[Finding]:
    yield from one_line((*path, "title"), node.title)
    yield from one_word((*path, "package"), node.package)
    yield from one_word((*path, "model"), node.model)
    yield from relative_path((*path, "manifest"), node.manifest)
    if node.branch is not None and (problem := branch_problem(node.branch)):
        yield Finding((*path, "branch"), problem, "name the branch that the pin is read from")
    for index, skill in enumerate(node.skills):
        yield from one_line((*path, "skills", index), skill)
    for index, spec in enumerate(node.specs):
        feature, slash, scenario = spec.partition("/")
        if not (feature.strip() and slash and scenario.strip()):
            yield Finding((*path, "specs", index), f"{spec!r} is not a spec", "write Feature/Scenario")
        else:
            yield from one_line((*path, "specs", index), spec)
    for field in ("issue", "pr"):
        number = getattr(node, field)
        if number is not None and not 1 <= number <= _LARGEST_NUMBER:
            yield Finding((*path, field), f"{number} is not the number of an {field}", "write its number")


def _choices(node: Node, path: Path) -> Iterator[Finding]:
    yield from one_of((*path, "bump"), node.bump, BUMPS)
    yield from one_of((*path, "merge"), node.merge, MERGES)
    yield from one_of((*path, "pattern"), node.pattern, PATTERNS)
    yield from one_of((*path, "reverify"), node.reverify, ("on-branch-change",))
    yield from one_of((*path, "agent"), node.agent, ("cloud",))
    yield from one_of((*path, "assignee"), node.assignee, ("person",))
    yield from one_of((*path, "exclusive"), node.exclusive, ("machine",))
    if node.agent == "cloud" and node.assignee == "person":
        yield Finding((*path, "agent"), "`agent: cloud` and `assignee: person` exclude each other", "keep one", True)


def check_references(node: Node, header: Header, path: Path = ()) -> Iterator[Finding]:
    """What a node names of its plan's header and the header does not have: a repository, a resource."""
    if node.repo is not None and node.repo not in header.repos and not is_repository(node.repo):
        do = did_you_mean(node.repo, header.repos) or "declare it under `repos:`, or write OWNER/NAME"
        yield Finding((*path, "repo"), f"{node.repo!r} is no repository of the plan", do)
    for index, name in enumerate(node.uses):
        if name != HEAVY and name not in header.resources:
            known = (*header.resources, HEAVY)
            do = did_you_mean(name, known) or f"declare it: `resources: {{ {name}: {{ capacity: 1 }} }}`"
            yield Finding((*path, "uses", index), f"there is no resource {name!r}", do)
