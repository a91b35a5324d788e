"""The questions about a graph of issues; and one issue of an answer, its lists put together page by page."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from stoat.observe.github import nodes
from stoat.observe.github.linking import by_text
from stoat.observe.github.trouble import Incomplete
from stoat.plan import prose
from stoat.plan.github import Numbered, PullState
from stoat.plan.issue_graph import Edge, GraphIssue, LinkedPull

_EDGE = "id number issueState: state stateReason(enableDuplicate: true) repository { nameWithOwner }"
_PULL = "number prState: state isDraft repository { nameWithOwner }"
_MENTION = (
    "... on CrossReferencedEvent { source { ... on PullRequest { number prState: state isDraft url body baseRefName"
    " repository { nameWithOwner defaultBranchRef { name } } } } }"
)


class _List(NamedTuple):
    """A list of an issue: its arguments beside the page's, what is asked of an item, whether its total is."""

    arguments: str
    item: str
    first: int
    counted: bool = True


LISTS = {
    "labels": _List("", "name", 100),
    "assignees": _List("", "login", 20),
    "blockedBy": _List("", _EDGE, 50),
    "subIssues": _List("", _EDGE, 100),
    "closedByPullRequestsReferences": _List(", includeClosedPrs: true", _PULL, 20),
    # A timeline's totalCount counts what was filtered out as well.
    "timelineItems": _List(", itemTypes: [CROSS_REFERENCED_EVENT]", _MENTION, 50, counted=False),
}
"""Every list that is read of an issue, each to its end."""


def _list(name: str, after: str | None = None) -> str:
    one = LISTS[name]
    place = f", after: {json.dumps(after)}" if after is not None else ""
    total = "totalCount " if one.counted else ""
    page = f"(first: {one.first if after is None else 100}{one.arguments}{place})"
    return f"{name}{page} {{ {total}pageInfo {{ hasNextPage endCursor }} nodes {{ {one.item} }} }}"


_ISSUE = (
    "fragment GraphIssue on Issue { id number url title issueState: state stateReason(enableDuplicate: true) updatedAt"
    f" body repository {{ nameWithOwner }} parent {{ number repository {{ nameWithOwner }} }}"
    f" {' '.join(_list(name) for name in LISTS)} }}"
)


def listing(repo: str, *, labelled: bool) -> str:
    """A page of the issues with a label ($label) or of a milestone ($milestone, its number), oldest first."""
    wanted = "labels: [$label]" if labelled else "filterBy: {milestoneNumber: $milestone}"
    there = "label(name: $label) { name }" if labelled else ""
    variable = "$label: String!" if labelled else "$milestone: String!"
    return (
        f"query StoatIssues({variable}, $first: Int!, $after: String) {{ {_repository(repo)} {{ nameWithOwner {there}"
        f" issues({wanted}, first: $first, after: $after, orderBy: {{field: CREATED_AT, direction: ASC}})"
        " { totalCount pageInfo { hasNextPage endCursor } nodes { ...GraphIssue } } } } " + _ISSUE
    )


def milestones(repo: str) -> str:
    """A milestone by $number, and those whose title is like $title."""
    return (
        f"query StoatMilestones($number: Int!, $title: String!) {{ {_repository(repo)} {{ nameWithOwner"
        " milestone(number: $number) { number } milestones(first: 100, query: $title) { nodes { number title } } } }"
    )


def numbered(repo: str, numbers: Iterable[int]) -> str:
    """Issues by their numbers, each under `i<number>`."""
    fields = " ".join(f"i{number}: issue(number: {number}) {{ ...GraphIssue }}" for number in numbers)
    return f"query StoatIssues {{ {_repository(repo)} {{ nameWithOwner {fields} }} }} {_ISSUE}"


def by_ids(ids: Sequence[str]) -> str:
    """Issues by their node ids, in that order."""
    return f"query StoatIssues {{ nodes(ids: {json.dumps(list(ids))}) {{ ...GraphIssue }} }} {_ISSUE}"


def further(pages: Iterable[tuple[str, str, str]]) -> str:
    """The next page of lists: of each the issue's node id, the list, and where it goes on; under `m<k>`."""
    fields = " ".join(
        f"m{index}: node(id: {json.dumps(issue)}) {{ ... on Issue {{ {_list(name, after)} }} }}"
        for index, (issue, name, after) in enumerate(pages)
    )
    return f"query StoatMore {{ {fields} }}"


def states(names: Sequence[Numbered]) -> str:
    """Whether issues are open: the k-th under `s<k>`, in it under `it`; pull requests have no `issueState`."""
    state = "{ __typename ... on Issue { issueState: state } }"
    fields = " ".join(
        f"s{index}: {_repository(at.repo)} {{ nameWithOwner it: issueOrPullRequest(number: {at.number}) {state} }}"
        for index, at in enumerate(names)
    )
    return f"query StoatStates {{ {fields} }}"


def _repository(repo: str) -> str:
    owner, _, name = repo.partition("/")
    return f"repository(owner: {json.dumps(owner)}, name: {json.dumps(name)})"


class Part:
    """An issue as far as it is read. `lists` grow until `more` is empty; `totals` say how long they have to be."""

    def __init__(self, shown: Mapping[str, Any]) -> None:
        self.shown = shown
        self.at = named(shown)
        self.id = str(shown["id"])
        self.lists: dict[str, list[Any]] = {name: [] for name in LISTS}
        self.more: dict[str, str] = {}
        self.totals: dict[str, int] = {}
        for name in LISTS:
            self.take(name, shown.get(name))

    def take(self, name: str, page: object) -> None:
        """Put a page of a list to those before it. Incomplete when it is none, or leads back to itself."""
        if not isinstance(page, dict):
            # Only these two may be null in GitHub's schema; an error that made them so was raised before.
            if name in ("labels", "closedByPullRequestsReferences") and name not in self.more:
                return
            raise Incomplete(f"{self.at}: a page of its {name} is missing")
        self.lists[name] += page.get("nodes") or []
        if LISTS[name].counted:
            self.totals[name] = int(page.get("totalCount") or 0)
        info = page.get("pageInfo") or {}
        before = self.more.pop(name, None)
        if info.get("hasNextPage"):
            after = info.get("endCursor")
            if not isinstance(after, str) or after == before:
                raise Incomplete(f"{self.at}: the next page of its {name} cannot be asked for")
            self.more[name] = after

    def short(self) -> list[str]:
        """The lists that are not as long as GitHub says."""
        return [name for name, total in self.totals.items() if len(self.lists[name]) != total]

    def ends(self, name: str) -> dict[str, Numbered]:
        """The issues at the other end of a list's edges, by node id; those that are hidden have none."""
        return {str(one["id"]): named(one) for one in self.lists[name] if isinstance(one, dict)}

    def open_ends(self, *names: str) -> dict[str, Numbered]:
        """Of several lists the ends that are open."""
        found = [one for name in names for one in self.lists[name] if isinstance(one, dict) and _is_open(one)]
        return {str(one["id"]): named(one) for one in found}

    @property
    def open(self) -> bool:
        """Whether the issue is open."""
        return _is_open(self.shown)

    def issue(self, hidden: frozenset[Numbered]) -> GraphIssue:
        """The issue; the edges to those that are `hidden` do not know whether they are open."""
        shown, parent = self.shown, self.shown.get("parent")
        return GraphIssue(
            at=self.at,
            title=str(shown.get("title") or ""),
            url=str(shown.get("url") or ""),
            open=self.open,
            reason=_reason(shown),
            labels=tuple(str(one["name"]) for one in self.lists["labels"] if one),
            assignees=tuple(str(one["login"]) for one in self.lists["assignees"] if one),
            updated_at=nodes.time(shown, "updatedAt") or "",
            parent=named(parent) if isinstance(parent, dict) else None,
            blockers=tuple(_edge(one, hidden) for one in self.lists["blockedBy"]),
            children=tuple(_edge(one, hidden) for one in self.lists["subIssues"]),
            pulls=tuple(sorted(set(self._pulls()))),
            named=prose.blockers(str(shown.get("body") or ""), self.at.repo),
        )

    def _pulls(self) -> Iterable[LinkedPull]:
        yield from (_pull(one) for one in self.lists["closedByPullRequestsReferences"] if one)
        sources = [(event or {}).get("source") or {} for event in self.lists["timelineItems"]]
        yield from (_pull(one) for one in by_text(self.at, [one for one in sources if "prState" in one], None))


def named(shown: Mapping[str, Any]) -> Numbered:
    """Which issue or pull request an answer shows."""
    return Numbered(str(shown["repository"]["nameWithOwner"]), int(shown["number"]))


def _is_open(shown: Mapping[str, Any]) -> bool:
    return str(shown.get("issueState")) == "OPEN"


def _reason(shown: Mapping[str, Any]) -> str | None:
    reason = shown.get("stateReason")
    return str(reason).lower() if reason else None


def _edge(shown: Mapping[str, Any] | None, hidden: frozenset[Numbered]) -> Edge:
    if not isinstance(shown, dict):
        return Edge()
    at = named(shown)
    return Edge(at) if at in hidden else Edge(at, _is_open(shown), _reason(shown))


_STATES: Mapping[str, PullState] = {"OPEN": "open", "MERGED": "merged"}


def _pull(shown: Mapping[str, Any]) -> LinkedPull:
    at, state = named(shown), _STATES.get(str(shown.get("prState")), "closed")
    return LinkedPull(at.repo, at.number, "draft" if state == "open" and shown.get("isDraft") else state)
