"""A plan's YAML document, read with every problem at its place; reading back what `yaml_out.py` wrote changes nothing.

parse(text)    → Document: the header, the nodes, and every problem of text, shape and rules, sorted by place
write(…)       in `yaml_out.py`
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from stoat.errors import Invalid, Problem
from stoat.plan import yaml_in
from stoat.plan.fields import Reader
from stoat.plan.nodes import Header, Node
from stoat.plan.normal import normal_header, normal_node
from stoat.plan.rules.edges import Written
from stoat.plan.rules.finding import Finding, Path
from stoat.plan.state import PlanState
from stoat.plan.validate import check_plan
from stoat.plan.yaml_in import Tree


@dataclass(frozen=True)
class Document:
    """What a text says: its header and nodes as they are written there, and where everything stands."""

    header: Header
    written: tuple[Written, ...]
    tree: Tree
    problems: tuple[Problem, ...]
    """Problems of the text and of the shape of its fields."""
    spoiled: frozenset[Path]
    """Fields that are there and could not be read."""

    def all_problems(self, others: Mapping[str, PlanState] | None) -> list[Problem]:
        """Every problem: of the text, of shapes and of rules, in the order of their places.

        `others` are the other plans; None leaves edges to them unchecked.
        """
        found = check_plan(self.header, self.written, others)
        located = self.locate(finding for finding in found if finding.path not in self.spoiled)
        return sorted(set(self.problems) | set(located))

    def locate(self, findings: Iterable[Finding]) -> list[Problem]:
        """Findings as problems with their line and column."""
        return [Problem(*_place(self.tree, found.path, found.at_key), found.what, found.do) for found in findings]

    def plan(self) -> tuple[Header, tuple[Node, ...]]:
        """The header and the nodes in the form they are stored in."""
        header = normal_header(self.header)
        return header, tuple(normal_node(node, header.plan) for _, node in self.written)


def parse(text: str) -> Document:
    """Read a document. Invalid when the text is no YAML, or no mapping: then there is nothing more to say of it."""
    tree, problems = yaml_in.read(text)
    if tree is None:
        raise Invalid(sorted(problems))
    if not isinstance(tree, yaml_in.Mapping):
        wrong = Problem(tree.line, tree.column, "this is not a plan: a plan is a mapping", "begin with `schema: 1`")
        raise Invalid(sorted([*problems, wrong]))
    reader = Reader()
    header = reader.header(tree)
    written = tuple(reader.nodes(tree))
    return Document(header, written, tree, (*problems, *reader.problems), frozenset(reader.spoiled))


def report(file: str, problems: Iterable[Problem]) -> str:
    """Problems for people and their editors: `FILE:LINE:COLUMN: what is wrong (what to do)`, one a line."""
    return "\n".join(f"{file}:{problem.line}:{problem.column}: {problem}" for problem in problems)


def _place(tree: Tree, path: Path, at_key: bool) -> tuple[int, int]:
    """The line and column of what a path leads to, or of the nearest thing around it."""
    place = (tree.line, tree.column)
    for depth, step in enumerate(path):
        if isinstance(tree, yaml_in.Mapping) and step in tree.entries:
            key, tree = tree.entries[str(step)]
            there: Tree = key if at_key and depth == len(path) - 1 else tree
        elif isinstance(tree, yaml_in.Sequence) and isinstance(step, int) and step < len(tree.items):
            tree = there = tree.items[step]
        else:
            break
        place = (there.line, there.column)
    return place
