"""A graph of issues as a plan: a node for each issue, and on a later import only what GitHub changed since.

An issue that a node is bound to keeps that node. A title, an edge or an assignee is written where GitHub's differs
from what was taken over the last time; whatever else a person made of the plan stays. An issue whose node somebody
removed stays out.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from msgspec.structs import replace

from stoat.derive.wording import frontier as say
from stoat.plan import cycles
from stoat.plan.characters import FORBIDDEN
from stoat.plan.github import Numbered
from stoat.plan.issue_graph import Graph, GraphIssue
from stoat.plan.nodes import ISSUE, Header, Node, repository_of
from stoat.plan.state import Imported, PlanState

_WORD = re.compile(r"[a-z0-9]+")
_LONGEST_SLUG = 40
_LONGEST_TITLE = 300
NEVER = Imported()


class Planned(NamedTuple):
    """What the plan is to be. `imported` has what is news of the issues themselves, by OWNER/NAME#N."""

    header: Header
    nodes: tuple[Node, ...]
    imported: dict[str, Imported]
    warnings: tuple[str, ...]


def planned(graph: Graph, slug: str, plan: PlanState | None) -> Planned:
    """The plan `slug` brought up to date with the graph; `plan` is how it stands, None when it is to begin."""
    return _Import(graph, slug, plan).planned()


class _Import:
    def __init__(self, graph: Graph, slug: str, plan: PlanState | None) -> None:
        self.graph = graph
        self.header = plan.header if plan is not None else _header(graph, slug)
        self.before: Mapping[str, Imported] = plan.imported if plan is not None else {}
        self.nodes = {node_id: state.spec for node_id, state in plan.nodes.items()} if plan is not None else {}
        self.known = {str(issue.at): issue for issue in (*graph.outside, *graph.issues)}
        self.inside = {str(issue.at) for issue in graph.issues}
        self.bound: dict[str, str] = {}
        for node in self.nodes.values():
            repo = repository_of(self.header, node)
            if node.kind == ISSUE and node.issue is not None and repo is not None:
                self.bound.setdefault(str(Numbered(repo, node.issue)).casefold(), node.id)

    def planned(self) -> Planned:
        """Everything; see `planned`."""
        wanted = dict(sorted(self.wanted().items(), key=lambda item: self.order(item[0])))
        removed = {name for name in wanted if name in self.before and self.node_of(name) is None}
        for name in wanted:
            if name not in removed and self.node_of(name) is None:
                repo, _, number = name.rpartition("#")
                fresh = Node(id=self.fresh_id(name), kind=ISSUE, repo=repo, issue=int(number))
                self.nodes[fresh.id] = fresh
                self.bound[name.casefold()] = fresh.id
        for name, now in wanted.items():
            if (node_id := self.node_of(name)) is not None:
                self.nodes[node_id] = self.merged(self.nodes[node_id], self.before.get(name, NEVER), now)
        self.untie()
        news = {name: now for name, now in wanted.items() if self.before.get(name) != now}
        return Planned(self.header, tuple(self.nodes.values()), news, tuple(self.warnings(wanted)))

    def warnings(self, wanted: Mapping[str, Imported]) -> Iterator[str]:
        """What of the graph and what of the plan is not as one might think."""
        for name in wanted:
            node_id = self.node_of(name)
            if node_id is None and self.is_open(name):
                yield say.stays_removed(name)
            elif node_id is not None and name not in self.inside and self.is_open(name):
                yield say.comes_in(name, node_id)
        for name in self.before:
            node_id = self.node_of(name)
            if name not in wanted and node_id is not None and self.is_open(name):
                yield say.left_scope(name, node_id)

    def is_open(self, name: str) -> bool:
        """Whether an issue is open, as far as anybody knows."""
        issue = self.known.get(name)
        return issue is None or issue.open

    def wanted(self) -> dict[str, Imported]:
        """The issues that are to have a node, as GitHub has them: what is open, and what that waits for."""
        found: dict[str, Imported] = {}
        for issue in self.graph.issues:
            if issue.open or str(issue.at) in self.before:
                found[str(issue.at)] = self.now(issue)
        for name in [on for now in found.values() for on in now.waits_for]:
            if name not in found:
                known = self.known.get(name)
                hidden = replace(self.before.get(name, NEVER), person=True)
                found[name] = self.now(known) if known is not None else hidden
        return found

    def now(self, issue: GraphIssue) -> Imported:
        """What of an issue is taken over; of one that is closed or outside the scope nothing new but its title."""
        name = str(issue.at)
        before = self.before.get(name)
        if not issue.open:
            return replace(before or NEVER, title=_title(issue.title))
        if name not in self.inside:
            return replace(before or Imported(person=True), title=_title(issue.title))
        waits_for = tuple(sorted(set(self.waits_for(issue, before or NEVER)), key=self.order))
        # A container is done through its sub-issues, and what has a blocker that nobody may see is never to be started
        # by an agent, for there is no node to wait for.
        hidden = any(edge.at is None for edge in issue.blockers)
        return Imported(_title(issue.title), waits_for, bool(issue.needs_human or issue.children or hidden))

    def waits_for(self, issue: GraphIssue, before: Imported) -> Iterator[str]:
        """The issues that it waits for. A closed one outside the scope holds nothing up, and only stays if it is in."""
        for edge in (*issue.blockers, *issue.children):
            if edge.at is None:
                continue
            name = str(edge.at)
            known = self.known.get(name)
            is_open = known.open if known is not None else edge.open
            if is_open is not False or name in self.inside or name in before.waits_for:
                yield name

    def merged(self, node: Node, before: Imported, now: Imported) -> Node:
        """The node with what GitHub changed since `before`."""
        title, assignee = node.title, node.assignee
        if now.title != before.title and (title is None or title == before.title):
            title = now.title
        if now.person and not before.person and node.agent is None:
            assignee = "person"
        elif before.person and not now.person:
            assignee = None
        gone = {self.node_of(name) for name in set(before.waits_for) - set(now.waits_for)}
        fresh = [self.node_of(name) for name in now.waits_for if name not in before.waits_for]
        depends_on = [on for on in node.depends_on if on not in gone]
        depends_on += [on for on in fresh if on is not None and on not in depends_on and on != node.id]
        return replace(node, title=title, assignee=assignee, depends_on=tuple(depends_on))

    def untie(self) -> None:
        """Let closed issues wait for nothing that, by now, waits for them: they are done, and a plan has no cycles."""
        closed = {self.node_of(name) for name, issue in self.known.items() if not issue.open}
        for group in list(cycles.groups(self.nodes, self.edges)):
            for node_id in group:
                if len(group) > 1 and node_id in closed:
                    left = tuple(on for on in self.nodes[node_id].depends_on if on not in group)
                    self.nodes[node_id] = replace(self.nodes[node_id], depends_on=left)

    def edges(self, node_id: str) -> list[str]:
        """The nodes of this plan that a node depends on."""
        return [on for on in self.nodes[node_id].depends_on if on in self.nodes]

    def node_of(self, name: str) -> str | None:
        """The node that is bound to an issue."""
        return self.bound.get(name.casefold())

    def fresh_id(self, name: str) -> str:
        """An id that can be read and that no node has: words of the title, then the number."""
        repo, _, number = name.rpartition("#")
        issue = self.known.get(name)
        words = [] if repo == self.graph.selection.repo else [_slug(repo.partition("/")[2])]
        words += [_slug(issue.title) if issue is not None else "", number]
        if len([word for word in words if word]) == 1:
            words.insert(0, "issue")
        base = "-".join(word for word in words if word)
        taken, count = base, 1
        while taken in self.nodes:
            count += 1
            taken = "-".join((base, str(count)))
        return taken

    def order(self, name: str) -> tuple[int, bool, str]:
        """By number; of two with the same number that of the repository asked for goes first."""
        repo, _, number = name.rpartition("#")
        return int(number), repo != self.graph.selection.repo, repo


def _header(graph: Graph, slug: str) -> Header:
    selection = graph.selection
    if selection.parent is not None:
        roots = {issue.at: issue for issue in graph.issues}
        root = roots.get(Numbered(selection.repo, selection.parent), graph.issues[0] if graph.issues else None)
        return Header(plan=slug, title=_title(root.title) if root else None, anchor=str(root.at) if root else None)
    return Header(plan=slug, title=_title(say.scope(selection)))


def _title(text: str) -> str | None:
    """A title on one line, without what has no place in a plan."""
    line = " ".join(FORBIDDEN.sub(" ", text).split())
    return (line if len(line) <= _LONGEST_TITLE else line[: _LONGEST_TITLE - 1].rstrip() + "…") or None


def _slug(text: str) -> str:
    """Words of a text that a name can be made of, cut between two of them."""
    plain = unicodedata.normalize("NFKD", text.lower()).encode("ascii", "ignore").decode()
    slug = ""
    for word in _WORD.findall(plain):
        longer = "-".join((slug, word)) if slug else word[:_LONGEST_SLUG]
        if len(longer) > _LONGEST_SLUG:
            break
        slug = longer
    return slug
