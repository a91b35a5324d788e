"""From a YAML tree to typed values: every field of a plan, with the shape it takes.

A field of the wrong shape is a problem, and is left out of the value; `spoiled` remembers it, so that no rule then
says it is missing. A null is the same as leaving the field out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from typing import Any

from stoat.errors import Problem
from stoat.plan.nodes import Header, Node, Repo, Resource, Step
from stoat.plan.normal import block, line
from stoat.plan.rules.finding import Path, did_you_mean
from stoat.plan.yaml_in import Mapping, Scalar, Sequence, Tree

_NUMBER = re.compile(r"[1-9][0-9]{0,9}")
_KIND = {Scalar: "a text", Sequence: "a list", Mapping: "a mapping"}


class _Misfit(Exception):
    """A value that does not have its field's shape."""

    def __init__(self, tree: Tree, what: str, do: str) -> None:
        super().__init__(what)
        self.tree, self.what, self.do = tree, what, do


class Reader:
    """Reads fields off a tree; what is wrong with their shape is in `problems`, where in `spoiled`."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self.spoiled: set[Path] = set()

    def header(self, tree: Mapping) -> Header:
        """The plan's header, from the top of the document. `schema` must be 1."""
        schema = tree.entries.get("schema")
        if schema is None:
            self._wrong(tree, "`schema` is missing", "write `schema: 1` at the top")
        elif not isinstance(schema[1], Scalar) or schema[1].text != "1":
            what = f"schema {schema[1].text}" if isinstance(schema[1], Scalar) else "this schema"
            self._wrong(schema[1], f"{what} is not one that this Stoat reads", "write `schema: 1`")
        values = self._fields(tree, HEADER_FIELDS, (), "a plan", passed_over=("schema", "nodes"))
        return Header(**{"plan": "", **values})

    def nodes(self, tree: Mapping) -> Iterator[tuple[Path, Node]]:
        """The nodes under `nodes`, each with the way to it; what is no mapping is left out."""
        listed = tree.entries.get("nodes")
        if listed is None or (isinstance(listed[1], Scalar) and listed[1].is_null):
            return
        if not isinstance(listed[1], Sequence):
            self._wrong(listed[1], f"`nodes` is {_KIND[type(listed[1])]}, not a list", "write `- id: …`")
            return
        for index, item in enumerate(listed[1].items):
            path: Path = ("nodes", index)
            if isinstance(item, Mapping):
                values = self._fields(item, NODE_FIELDS, path, "a node")
                yield path, Node(**{"id": "", "kind": "", **values})
            else:
                self._wrong(item, f"a node is a mapping, not {_KIND[type(item)]}", "write `- id: …`")

    def text(self, tree: Tree, path: Path) -> str | None:
        """A text of one line, without blanks at its ends."""
        return line(self._scalar(tree, path))

    def block(self, tree: Tree, path: Path) -> str | None:
        """A text of any number of lines."""
        return block(self._scalar(tree, path))

    def number(self, tree: Tree, path: Path) -> int:
        """A whole number from 1."""
        text = self._scalar(tree, path)
        if _NUMBER.fullmatch(text):
            return int(text)
        fewer = text.lstrip("0")
        do = f"write {fewer}" if _NUMBER.fullmatch(fewer) else "write it in digits, as in 120"
        raise _Misfit(tree, f"{text!r} is not a number", do)

    def texts(self, tree: Tree, path: Path) -> tuple[str, ...]:
        """A list of texts."""
        if not isinstance(tree, Sequence):
            do = f"write `{path[-1]}: [{tree.text}]`" if isinstance(tree, Scalar) else "write `[a, b]`"
            raise _Misfit(tree, f"`{path[-1]}` is {_KIND[type(tree)]}, not a list", do)
        texts = []
        for index, item in enumerate(tree.items):
            at = (*path, index)
            text = self._taken(Reader.text, item, at)
            if text is None and at not in self.spoiled:
                self._spoil(at, _Misfit(item, f"an entry of `{path[-1]}` is empty", "take it out"))
            texts.append(text or "")
        return tuple(texts)

    def steps(self, tree: Tree, path: Path) -> tuple[Step, ...]:
        """The steps of a gate."""
        if not isinstance(tree, Sequence):
            raise _Misfit(tree, f"`steps` is {_KIND[type(tree)]}, not a list", "write `- id: …`")
        steps = []
        for index, item in enumerate(tree.items):
            at = (*path, index)
            if isinstance(item, Mapping):
                steps.append(Step(**{"id": "", **self._fields(item, STEP_FIELDS, at, "a step")}))
            else:
                self._wrong(item, f"a step is a mapping, not {_KIND[type(item)]}", "write `- id: …`")
                steps.append(Step(id=""))
                self.spoiled.add((*at, "id"))
        return tuple(steps)

    def env(self, tree: Tree, path: Path) -> dict[str, str]:
        """A map of variables; their values are the text that stands there, whatever it looks like."""
        if not isinstance(tree, Mapping):
            raise _Misfit(tree, f"`env` is {_KIND[type(tree)]}, not a mapping", "write `NAME: value`")
        variables = {}
        for name, (_, value) in tree.entries.items():
            if isinstance(value, Scalar):
                variables[name] = value.text
            else:
                self._wrong(value, f"{name} is {_KIND[type(value)]}, not a text", "put it in quotes")
        return variables

    def repos(self, tree: Tree, path: Path) -> dict[str, Repo]:
        """Repositories by alias: `OWNER/NAME`, or a mapping that adds a branch."""
        if not isinstance(tree, Mapping):
            do = "write `alias: OWNER/NAME`"
            raise _Misfit(tree, f"`repos` is {_KIND[type(tree)]}, not a mapping", do)
        repos = {}
        for alias, (_, value) in tree.entries.items():
            at = (*path, alias)
            if isinstance(value, Mapping):
                repos[alias] = Repo(**{"repo": "", **self._fields(value, REPO_FIELDS, at, "a repository")})
            else:
                repos[alias] = Repo(self._taken(Reader.text, value, at) or "")
                self.spoiled |= {(*at, "repo")} if at in self.spoiled else set()
        return repos

    def resources(self, tree: Tree, path: Path) -> dict[str, Resource]:
        """Resources by name: a mapping of capacity and scope."""
        do = "write `postgres: { capacity: 1 }`"
        if not isinstance(tree, Mapping):
            raise _Misfit(tree, f"`resources` is {_KIND[type(tree)]}, not a mapping", do)
        resources = {}
        for name, (_, value) in tree.entries.items():
            at = (*path, name)
            values: dict[str, Any] = {}
            if isinstance(value, Mapping):
                values = self._fields(value, RESOURCE_FIELDS, at, "a resource")
                if "capacity" not in values and (*at, "capacity") not in self.spoiled:
                    self._wrong(value, f"the resource {name!r} has no capacity", do)
            else:
                self._wrong(value, f"the resource {name!r} is {_KIND[type(value)]}, not a mapping", do)
            resources[name] = Resource(**{"capacity": 1, **values})
        return resources

    def color(self, tree: Tree, path: Path) -> str | None:
        """A colour. An unquoted one that begins with `#` is a comment to YAML: said, not lost."""
        if isinstance(tree, Scalar) and tree.plain and not tree.text:
            raise _Misfit(tree, "`color` is empty", "# begins a comment: write it in quotes, color: '#3b82f6'")
        return None if isinstance(tree, Scalar) and tree.is_null else self.text(tree, path)

    def _fields(
        self, tree: Mapping, fields: dict[str, Read], path: Path, what: str, passed_over: Collection[str] = ()
    ) -> dict[str, Any]:
        values = {}
        for name, (key, value) in tree.entries.items():
            read = fields.get(name)
            if read is not None:
                if isinstance(value, Scalar) and value.is_null and read is not Reader.color:
                    continue
                taken = self._taken(read, value, (*path, name))
                if taken is not None:
                    values[name] = taken
            elif name not in passed_over:
                known = (*passed_over, *fields)
                do = did_you_mean(name, known) or did_you_mean(name.replace("-", "_").lower(), known) or "take it out"
                self._wrong(key, f"{what} has no field {name!r}", do)
        return values

    def _taken(self, read: Read, tree: Tree, path: Path) -> Any:
        try:
            return read(self, tree, path)
        except _Misfit as misfit:
            self._spoil(path, misfit)
            return None

    def _scalar(self, tree: Tree, path: Path) -> str:
        if isinstance(tree, Scalar) and not tree.is_null:
            return tree.text
        what = "empty" if isinstance(tree, Scalar) else _KIND[type(tree)]
        raise _Misfit(tree, f"`{path[-1]}` is {what}, not a text", "write a text")

    def _spoil(self, path: Path, misfit: _Misfit) -> None:
        self.spoiled.add(path)
        self._wrong(misfit.tree, misfit.what, misfit.do)

    def _wrong(self, tree: Tree, what: str, do: str) -> None:
        self.problems.append(Problem(tree.line, tree.column, what, do))


Read = Callable[[Reader, Tree, Path], Any]

HEADER_FIELDS: dict[str, Read] = {
    "plan": Reader.text,
    "title": Reader.text,
    "anchor": Reader.text,
    "color": Reader.color,
    "repos": Reader.repos,
    "branch": Reader.text,
    "resources": Reader.resources,
    "model": Reader.text,
    "skills": Reader.texts,
    "go_ahead": Reader.text,
}
NODE_FIELDS: dict[str, Read] = {
    **{field: Reader.text for field in Node.__struct_fields__},
    **{field: Reader.number for field in ("issue", "pr")},
    **{field: Reader.texts for field in ("depends_on", "specs", "uses", "skills")},
    "brief": Reader.block,
    "steps": Reader.steps,
}
STEP_FIELDS: dict[str, Read] = {
    "id": Reader.text,
    "run": Reader.block,
    "title": Reader.text,
    "cwd": Reader.text,
    "env": Reader.env,
    "timeout": Reader.text,
}
REPO_FIELDS: dict[str, Read] = {"repo": Reader.text, "branch": Reader.text}
RESOURCE_FIELDS: dict[str, Read] = {"capacity": Reader.number, "scope": Reader.text}
