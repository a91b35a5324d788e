"""A plan as a YAML document: byte for byte the same for the same plan, and read back it is the same plan.

Written by hand and not by a library's emitter, so that no release of a library ever changes an export. A text stands
without quotes only where every YAML reader takes it for that text: "1.10", "yes" and "~" are in quotes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from stoat.plan.characters import UNSEEN, spelled
from stoat.plan.nodes import Header, Node, Repo, Resource, Step

NODE_ORDER = (
    "id", "kind", "title", "repo", "issue", "pr", "package", "feed", "version", "bump", "rehearses", "manifest",
    "branch", "bumped_by", "merge", "pattern", "specs", "reverify", "agent", "assignee", "exclusive", "uses", "model",
    "skills", "brief", "steps", "depends_on", "discovered_from",
)  # fmt: skip
"""The fields of a node in the order they are written."""

_PLAIN = re.compile(r"[\w./(]([\w./()@%^*+=,;!?$&|<>~'\"`\[\]{}\\ -]|:(?! |$)|(?<! )#)*")
_PLAIN_IN_LIST = re.compile(r"[A-Za-z0-9_./][A-Za-z0-9_./@+-]*")
# What YAML 1.1 or 1.2 reads as something else than text: numbers of every base, clock faces, dates, yes and null.
_OTHER = re.compile(
    r"[-+]?([0-9][0-9_,]*(\.[0-9_]*)?|\.[0-9_]+)(e[-+]?[0-9]+)?|0x[0-9a-f_]+|0[bo][0-7_]+|[-+]?\.(inf|nan)"
    r"|[-+]?[0-9][0-9_]*(:[0-9]+)+(\.[0-9_]*)?|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}.*"
    r"|y|n|yes|no|on|off|true|false|null",
    re.IGNORECASE,
)
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t"}


def write(header: Header, nodes: Iterable[Node]) -> str:
    """The document of a plan, ending in a newline. Decisions (go-aheads, turns, cloud marks) are no part of it."""
    lines = ["schema: 1", *_header(header)]
    written = [line for node in nodes for line in _item(_node(node))]
    lines += ["nodes:", *(f"  {line}" if line else "" for line in written)] if written else ["nodes: []"]
    return "\n".join(lines) + "\n"


def _header(header: Header) -> Iterator[str]:
    for field in ("plan", "title", "anchor", "color"):
        yield from _text(field, getattr(header, field))
    if header.repos:
        yield "repos:"
        yield from (f"  {scalar(alias)}: {_repo(repo)}" for alias, repo in header.repos.items())
    yield from _text("branch", header.branch)
    if header.resources:
        yield "resources:"
        yield from (f"  {scalar(name)}: {_resource(resource)}" for name, resource in header.resources.items())
    yield from _text("model", header.model)
    yield from _list("skills", header.skills)
    if header.go_ahead != "node":
        yield from _text("go_ahead", header.go_ahead)


def _repo(repo: Repo) -> str:
    if repo.branch is None:
        return scalar(repo.repo)
    return f"{{ repo: {_in_flow(repo.repo)}, branch: {_in_flow(repo.branch)} }}"


def _resource(resource: Resource) -> str:
    scope = f", scope: {resource.scope}" if resource.scope else ""
    return f"{{ capacity: {resource.capacity}{scope} }}"


def _node(node: Node) -> Iterator[str]:
    for field in NODE_ORDER:
        value = getattr(node, field)
        if value is None or value == ():
            continue
        if field == "steps":
            yield "steps:"
            yield from (f"  {line}" if line else "" for step in value for line in _item(_step(step)))
        elif isinstance(value, tuple):
            yield from _list(field, value)
        elif isinstance(value, int):
            yield f"{field}: {value}"
        else:
            yield from _text(field, value, final_newline=field == "brief")


def _step(step: Step) -> Iterator[str]:
    for field in ("id", "title", "run", "cwd"):
        yield from _text(field, getattr(step, field))
    if step.env:
        yield "env:"
        for name, value in step.env.items():
            yield from (f"  {line}" if line else "" for line in _text(scalar(name), value))
    yield from _text("timeout", step.timeout)


def _item(lines: Iterable[str]) -> Iterator[str]:
    for index, line in enumerate(lines):
        yield f"- {line}" if index == 0 else f"  {line}" if line else ""


def _list(field: str, texts: Sequence[str]) -> Iterator[str]:
    if not texts:
        return
    if all(_PLAIN_IN_LIST.fullmatch(text) and not _OTHER.fullmatch(text) for text in texts):
        yield f"{field}: [{', '.join(texts)}]"
    else:
        yield f"{field}:"
        yield from (f"  - {scalar(text)}" for text in texts)


def _text(field: str, value: str | None, *, final_newline: bool = False) -> Iterator[str]:
    """A field with its text; of several lines it is a `|` block. With `final_newline` one more is no difference."""
    if value is None:
        return
    lines = value.split("\n")
    as_block = len(lines) > 1 and lines[0][:1] not in ("", " ", "\t") and lines[-1] != ""
    if as_block and all(line == line.rstrip() and not UNSEEN.search(line.replace("\t", "")) for line in lines):
        yield f"{field}: {'|' if final_newline else '|-'}"
        yield from (f"  {line}" if line else "" for line in lines)
    else:
        yield f"{field}: {scalar(value)}"


def scalar(text: str) -> str:
    """A text as one line of YAML in block style, in quotes where it needs them."""
    if _PLAIN.fullmatch(text) and not text.endswith(" ") and not _OTHER.fullmatch(text):
        return text
    return _quoted(text)


def _in_flow(text: str) -> str:
    return text if _PLAIN_IN_LIST.fullmatch(text) and not _OTHER.fullmatch(text) else _quoted(text)


def _quoted(text: str) -> str:
    if not UNSEEN.search(text):
        return "'" + text.replace("'", "''") + "'"
    return '"' + "".join(_ESCAPES.get(char) or spelled(char, UNSEEN) for char in text) + '"'
