"""Reads a graph of issues from GitHub: what was selected, the sub-issues of sub-issues, and the blockers around it.

    read(client, selection)    the whole graph, or a GitHubTrouble: never a smaller graph

Every list is read to its end and compared with GitHub's own count of it. Of what is outside the scope only that is
read which something in it waits for, so that a cycle is seen whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from msgspec.structs import replace

from stoat.errors import Refused
from stoat.observe.github import graph_query as query
from stoat.observe.github.graph_query import Part
from stoat.observe.github.trouble import Absent, Forbidden, GitHubTrouble, Incomplete, TooLarge
from stoat.plan.github import Numbered
from stoat.plan.issue_graph import Graph, GraphIssue, Selection

if TYPE_CHECKING:
    from stoat.observe.github.answers import Answered, GraphQLError
    from stoat.observe.github.client import Client

Item = TypeVar("Item")
Place = tuple[str | int, ...]
"""Where in an answer something is."""
Allowed = Callable[[Place], bool]
"""Whether a hole at a place of an answer is an answer as well: that something is not there."""

_MOST = 100
"""Issues of one question; GitHub takes no longer lists of ids, and no longer pages."""
_FEWEST = 5
_LISTS_AT_ONCE = 20
_AGAIN = "somebody may be changing it just now: try again in a moment"


def read(client: Client, selection: Selection) -> Graph:
    """The graph that `selection` means.

    Raises Refused where a number is a pull request's, Absent or Forbidden where the selection is not shown,
    Incomplete where a part of the graph is missing, and whatever else keeps GitHub from being asked.
    """
    reader = _Reader(client, selection)
    roots = reader.roots()
    scope = reader.with_children(roots)
    outside = reader.around(scope)
    issues = [reader.parts[one] for one in scope]
    hidden = frozenset(reader.hidden)
    graph = Graph(
        selection=replace(selection, repo=reader.repo),
        issues=reader.spelled(part.issue(hidden) for part in issues),
        outside=reader.spelled(reader.parts[one].issue(hidden) for one in outside),
    )
    known = {issue.at for issue in (*graph.issues, *graph.outside)}
    names = {at for issue in graph.issues if issue.open for at in issue.named}
    named_open = reader.open_by_name(sorted(names - known))
    return replace(graph, issues=reader.spelled(graph.issues), named_open=named_open)


class _Reader:
    """What is read so far: the issues by node id, and those that GitHub hides although an edge leads to them."""

    def __init__(self, client: Client, selection: Selection) -> None:
        self.client = client
        self.selection = selection
        self.repo = selection.repo
        self.parts: dict[str, Part] = {}
        self.hidden: set[Numbered] = set()
        self.size = _MOST
        self.spelling: dict[str, str] = {}

    def roots(self) -> list[str]:
        """The ids of the selected issues, read."""
        if self.selection.label is not None:
            return self.listed(query.listing(self.repo, labelled=True), {"label": self.selection.label})
        if self.selection.milestone is not None:
            number = self.milestone(self.selection.milestone)
            return self.listed(query.listing(self.repo, labelled=False), {"milestone": str(number)})
        parent = self.selection.parent
        return self.numbered(self.selection.issues if parent is None else (parent,))

    def with_children(self, roots: Iterable[str]) -> list[str]:
        """The ids of the roots and of all issues below them, whatever repository they are in; each once."""
        scope = dict.fromkeys(roots)
        level: Iterable[str] = scope
        while level:
            wanted = {id_: at for one in level for id_, at in self.parts[one].ends("subIssues").items()}
            found = self.by_ids({id_: at for id_, at in wanted.items() if id_ not in scope})
            level = [one for one in found if one not in scope]
            scope.update(dict.fromkeys(level))
        return list(scope)

    def around(self, scope: Sequence[str]) -> list[str]:
        """The ids of what is outside and waited for: every blocker of an open issue, and what those wait for."""
        inside = set(scope)
        waiting = [self.parts[one] for one in scope if self.parts[one].open]
        wanted = {id_: at for part in waiting for id_, at in part.ends("blockedBy").items()}
        outside: dict[str, None] = {}
        while wanted := {id_: at for id_, at in wanted.items() if id_ not in inside and id_ not in outside}:
            found = self.by_ids(wanted)
            outside.update(dict.fromkeys(found))
            gone_on = [self.parts[one] for one in found if self.parts[one].open]
            wanted = {
                id_: at for part in gone_on for id_, at in part.open_ends("blockedBy", "subIssues").items()
                if at not in self.hidden
            }  # fmt: skip
        return list(outside)

    def listed(self, question: str, variables: Mapping[str, object]) -> list[str]:
        """The ids of a whole listing; read again from the start, once, when its length is not what GitHub counts."""
        for _ in range(2):
            shown, total = self.pages(question, variables)
            found = {str(one["id"]): one for one in shown if isinstance(one, dict)}
            if len(found) == total:
                return self.absorb(found.values())
        raise Incomplete(
            f"{self.repo}: GitHub counts {total} issues for {self.selection} and lists {len(found)}", fix=_AGAIN
        )

    def pages(self, question: str, variables: Mapping[str, object]) -> tuple[list[Any], int]:
        """Every item of a listing of issues, and how many GitHub says there are."""
        shown: list[Any] = []
        after: str | None = None
        while True:
            try:
                answered = self.ask(question, {**variables, "first": self.size, "after": after}, self.size)
            except TooLarge:
                if self.size <= _FEWEST:
                    raise
                self.size = _half(self.size)
                continue
            repository = self.repository(answered)
            page = repository.get("issues")
            if not isinstance(page, dict) or not isinstance(page.get("nodes"), list):
                raise Incomplete(f"{self.repo}: a page of the issues for {self.selection} is missing", fix=_AGAIN)
            shown += page["nodes"]
            if not shown and "label" in variables and repository.get("label") is None:
                raise Absent(f"{self.repo} has no label {variables['label']!r}")
            info = page.get("pageInfo") or {}
            if not info.get("hasNextPage"):
                return shown, int(page.get("totalCount") or 0)
            if not isinstance(info.get("endCursor"), str) or info["endCursor"] == after:
                raise Incomplete(
                    f"{self.repo}: the next page of the issues for {self.selection} is missing", fix=_AGAIN
                )
            after = info["endCursor"]

    def milestone(self, written: str) -> int:
        """The number of a milestone, from its number or its title; the title goes before the number."""
        number = int(written) if written.isdecimal() and len(written) < 10 else 0
        variables = {"number": number, "title": written}
        answered = self.ask(query.milestones(self.repo), variables, allowed=_is_milestone)
        repository = self.repository(answered)
        for one in (repository.get("milestones") or {}).get("nodes") or ():
            if one and str(one.get("title")).casefold() == written.casefold():
                return int(one["number"])
        if repository.get("milestone"):
            return number
        raise Absent(f"{self.repo} has no milestone {written!r}", fix="name it by its number or its whole title")

    def numbered(self, numbers: Sequence[int]) -> list[str]:
        """The ids of issues by their numbers; those that moved elsewhere are followed."""
        found: list[str] = []
        for batch, answered in self.batches(list(dict.fromkeys(numbers)), lambda some: query.numbered(self.repo, some),
                                            allowed=_is_one_issue):  # fmt: skip
            repository = self.repository(answered)
            shown = {number: repository.get(f"i{number}") for number in batch}
            found += self.absorb(one for one in shown.values() if one)
            moved = {self.moved(number): Numbered(self.repo, number) for number, one in shown.items() if not one}
            found += self.by_ids(moved)
            if any(at in self.hidden for at in moved.values()):
                raise Incomplete(f"{self.repo}: an issue that moved cannot be read where it is now", fix=_AGAIN)
        return found

    def moved(self, number: int) -> str:
        """The node id of an issue that GraphQL does not find by its number: REST knows where it went."""
        response = self.client.get(f"/repos/{self.repo}/issues/{number}")
        name = f"{self.repo}#{number}"
        if response.status != 200:
            kind = Forbidden if response.status in (403, 451) else Absent
            why = "it was deleted" if response.status == 410 else "there is none, or this token may not see it"
            raise kind(f"GitHub shows no issue {name}: {why} (HTTP {response.status})", fix="select other issues")
        shown = response.json()
        if not isinstance(shown, dict) or not isinstance(shown.get("node_id"), str):
            raise Incomplete(f"GitHub shows {name} in no form that can be read")
        if "pull_request" in shown:
            raise Refused(f"{name} is a pull request, not an issue", hint="select issues only")
        return str(shown["node_id"])

    def by_ids(self, wanted: Mapping[str, Numbered]) -> list[str]:
        """Read issues by their node ids; those that GitHub does not show are `hidden`. The ids of the others."""
        missing = [one for one in wanted if one not in self.parts]
        for batch, answered in self.batches(missing, query.by_ids, allowed=_is_one_node):
            shown = answered.data.get("nodes")
            if not isinstance(shown, list) or len(shown) != len(batch):
                raise Incomplete(f"{self.repo}: some of the issues around it are missing", fix=_AGAIN)
            self.absorb(one for one in shown if one)
            self.hidden.update(wanted[id_] for id_, one in zip(batch, shown, strict=True) if not one)
        return [one for one in wanted if one in self.parts]

    def absorb(self, shown: Iterable[Mapping[str, Any]]) -> list[str]:
        """Take issues in, with every list read to its end and as long as it should be; their ids."""
        parts = self.completed([Part(one) for one in shown])
        for part in parts:
            self.spells(part.at.repo)
        if wrong := [part for part in parts if part.short()]:
            # Read while somebody was changing it, or a page is missing: the second time shows which.
            again = {part.id: part.at for part in wrong}
            for batch, answered in self.batches(list(again), query.by_ids):
                read_again = [Part(one) for one in answered.data.get("nodes") or () if one]
                for part in self.completed(read_again):
                    if lists := part.short():
                        raise Incomplete(
                            f"{part.at}: GitHub counts {part.totals[lists[0]]} {lists[0]} and lists"
                            f" {len(part.lists[lists[0]])}", fix=_AGAIN,
                        )  # fmt: skip
                    self.parts[part.id] = part
                if len(read_again) != len(batch):
                    raise Incomplete(f"{again[batch[0]]} or one like it went away while it was read", fix=_AGAIN)
        for part in parts:
            self.parts.setdefault(part.id, part)
        return [part.id for part in parts]

    def completed(self, parts: list[Part]) -> list[Part]:
        """The same issues, after asking for every further page of their lists."""
        by_id = {part.id: part for part in parts}
        while pages := [(part.id, name, after) for part in parts for name, after in part.more.items()]:
            for batch, answered in self.batches(pages, query.further, most=_LISTS_AT_ONCE):
                for index, (id_, name, _) in enumerate(batch):
                    by_id[id_].take(name, (answered.data.get(f"m{index}") or {}).get(name))
        return parts

    def open_by_name(self, names: Sequence[Numbered]) -> dict[Numbered, bool | None]:
        """Whether issues that texts name are open; None for what is not shown, False for pull requests."""
        known: dict[Numbered, bool | None] = {}
        for batch, answered in self.batches(names, query.states, allowed=_is_any):
            for index, at in enumerate(batch):
                repository = answered.data.get(f"s{index}") or {}
                self.spells(repository.get("nameWithOwner"))
                shown = repository.get("it")
                known[self.spelled_as(at)] = shown.get("issueState") == "OPEN" if shown else None
        return known

    def spells(self, name: object) -> None:
        """Keep how GitHub writes the name of a repository."""
        if isinstance(name, str):
            self.spelling[name.lower()] = name

    def spelled_as(self, at: Numbered) -> Numbered:
        """An issue that a text names, its repository written as GitHub writes it, where that is known."""
        return Numbered(self.spelling.get(at.repo.lower(), at.repo), at.number)

    def spelled(self, issues: Iterable[GraphIssue]) -> tuple[GraphIssue, ...]:
        """Issues with what their texts name spelled that way."""
        return tuple(
            replace(issue, named=tuple(sorted({self.spelled_as(at) for at in issue.named}))) if issue.named else issue
            for issue in issues
        )

    def repository(self, answered: Answered) -> dict[str, Any]:
        """The repository of an answer; its name is from now on as GitHub spells it."""
        shown = answered.data.get("repository")
        if not isinstance(shown, dict):
            raise Absent(
                f"GitHub shows no repository {self.repo}", fix="check its name, and that the token may read it"
            )
        self.repo = str(shown.get("nameWithOwner") or self.repo)
        self.spells(self.repo)
        return shown

    def batches(
        self, items: Sequence[Item], question: Callable[[Sequence[Item]], str], most: int = _MOST,
        allowed: Allowed | None = None,
    ) -> Iterator[tuple[Sequence[Item], Answered]]:  # fmt: skip
        """Ask about items, as many at once as GitHub bears."""
        begin = 0
        while begin < len(items):
            batch = items[begin : begin + min(self.size, most)]
            try:
                answered = self.ask(question(batch), {}, len(batch), allowed)
            except TooLarge:
                if len(batch) <= _FEWEST:
                    raise
                self.size = _half(len(batch))
                continue
            yield batch, answered
            begin += len(batch)

    def ask(
        self, question: str, variables: Mapping[str, object], size: int = 1, allowed: Allowed | None = None
    ) -> Answered:
        """Put a question about `size` issues. TooLarge where one about fewer may be answered; raises for every error
        that is neither a hidden end of an edge nor `allowed`."""
        answered = self.client.graphql(question, variables, divisible=size > _FEWEST)
        if any(error.too_large for error in answered.errors):
            raise TooLarge(f"{self.repo}: GitHub gave up on a part of the graph")
        for error in answered.errors:
            place = _null_at(answered.data, error.path)
            no_repository = error.path == ("repository",) and error.type == "NOT_FOUND"
            if not (no_repository or _is_hidden_end(place) or (allowed is not None and allowed(place))):
                raise _trouble(self.repo, error)
        return answered


def _half(size: int) -> int:
    """Half as many; but not so few that asking would never end."""
    return max(_FEWEST, size // 2)


def _trouble(repo: str, error: GraphQLError) -> GitHubTrouble:
    kind = Forbidden if error.type == "FORBIDDEN" else Incomplete
    return kind(f"{repo}: GitHub leaves out a part of the graph: {error.message}")


def _null_at(data: object, path: Place) -> Place:
    """Where an error left its hole: the first null on the way to it."""
    for depth, step in enumerate(path):
        if isinstance(data, dict):
            data = data.get(step)
        else:
            data = data[step] if isinstance(data, list) and isinstance(step, int) and step < len(data) else None
        if data is None:
            return path[: depth + 1]
    return path


def _is_hidden_end(place: Place) -> bool:
    """An issue or a pull request at the end of an edge that this token may not see: its place is empty."""
    return place[-1:] == ("parent",) or (len(place) >= 3 and place[-2] == "nodes" and place[-3] in query.LISTS)


def _is_any(place: Place) -> bool:
    return True


def _is_one_issue(place: Place) -> bool:
    return len(place) == 2 and place[0] == "repository"


def _is_one_node(place: Place) -> bool:
    return len(place) == 2 and place[0] == "nodes"


def _is_milestone(place: Place) -> bool:
    return place == ("repository", "milestone")
