"""Reads GitHub's own text about a node: one question for the issue and its pull requests, then what failed and why.

A part that cannot be read is a problem beside the rest. Only when GitHub cannot be asked at all an error is raised.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from stoat.clock import Time
from stoat.observe.github import checks, nodes, parsing
from stoat.observe.github.failing import Run, explained
from stoat.observe.github.nodes import Node
from stoat.observe.github.text import CheckText, Comment, Comments, GitHubText, IssueText, Opinion, PullText
from stoat.plan.github import Ci, Numbered

if TYPE_CHECKING:
    from stoat.observe.github.client import Answered, Client

MOST_PULLS = 8
"""How many pull requests are read at once."""
_MORE_CHECKS = 5
"""How many further pages of checks are read of one pull request."""

_CHECKS = """
fragment Checks on StatusCheckRollup {
  contexts(first: 100, after: $after) {
    totalCount pageInfo { hasNextPage endCursor }
    nodes {
      __typename
      ... on CheckRun {
        id databaseId name status conclusion startedAt completedAt detailsUrl
        checkSuite { app { slug } workflowRun { workflow { name } } }
      }
      ... on StatusContext { context state description targetUrl createdAt }
    }
  }
}
"""
_PULL = """
fragment PullText on PullRequest {
  id number url title body state isDraft createdAt mergedAt
  author { login }
  repository { nameWithOwner }
  headRefName headRefOid baseRefName mergeable mergeStateStatus reviewDecision
  latestOpinionatedReviews(first: 10) { nodes { state author { login } commit { oid } } }
  additions deletions changedFiles
  comments(last: 5) { totalCount nodes { author { login } createdAt url body } }
  statusCheckRollup { ...Checks }
}
"""
_ISSUE = """
fragment IssueText on Issue {
  number url title body state stateReason(enableDuplicate: true) createdAt
  author { login }
  labels(first: 30) { nodes { name } }
  assignees(first: 10) { nodes { login } }
  milestone { title }
  comments(last: 5) { totalCount nodes { author { login } createdAt url body } }
  closedByPullRequestsReferences(first: 5, includeClosedPrs: true) { nodes { number repository { nameWithOwner } } }
}
"""
_MORE = """query StoatMoreChecks($id: ID!, $after: String) {
  node(id: $id) { ... on PullRequest { statusCheckRollup { ...Checks } } }
}"""
_ORDER = ("failed", "pending", "passed", "skipped")

_Found = tuple[PullText, list[Run]]


def read(client: Client, issue: Numbered | None, pulls: Sequence[Numbered], at: Time) -> GitHubText:
    """The text of an issue and of pull requests (and of those that close the issue), as of `at`.

    Raises GitHubTrouble when GitHub cannot be asked.
    """
    problems: dict[str, None] = {}
    wanted = _distinct(pulls)[:MOST_PULLS]
    issue_text, found, linked = _ask(client, issue, wanted, problems)
    missed = _distinct([*wanted, *linked])[len(wanted) :]
    if missed:
        _, more, _ = _ask(client, None, missed, problems)
        found += more
    found.sort(key=lambda one: one[0].created_at, reverse=True)
    # How a check failed is worth requests only while something can be done about it.
    open_ = [run for pull, runs in found if pull.state in ("open", "draft") for run in runs]
    told = explained(client, open_, problems)
    return GitHubText(
        at=at,
        issue=issue_text,
        prs=tuple(
            replace(pull, checks=tuple(sorted((told.get(run, run.check) for run in runs), key=_order)))
            for pull, runs in found
        ),
        problems=tuple(problems),
    )


def _ask(
    client: Client, issue: Numbered | None, pulls: Sequence[Numbered], problems: dict[str, None]
) -> tuple[IssueText | None, list[_Found], list[Numbered]]:
    """One request: the issue, those pull requests, and the numbers of the ones that close the issue."""
    text: IssueText | None = None
    found: list[_Found] = []
    linked: list[Numbered] = []
    names = _names([*([issue] if issue else []), *pulls])
    answered = client.graphql(_question(names, issue, pulls))
    problems.update(dict.fromkeys(_said(answered, names)))
    for index, name in enumerate(names.values()):
        repository = nodes.child(answered.data, f"r{index}")
        full = nodes.text(repository, "nameWithOwner") or name
        for alias in repository:
            shown = nodes.child(repository, alias)
            if not shown:
                continue
            if alias.startswith("i"):
                text = _issue(full, shown)
                linked = [
                    Numbered(nodes.repository(one) or full, nodes.number(one, "number"))
                    for one in nodes.shown(shown, "closedByPullRequestsReferences")
                ]
            else:
                found.append((_pull(full, shown), _runs(full, _contexts(client, shown))))
    return text, found, linked


def _names(things: Iterable[Numbered]) -> dict[str, str]:
    """The repositories of those things, by their names in lower case: the case they are asked in."""
    return {thing.repo.lower(): thing.repo for thing in reversed(list(things))}


def _question(names: Mapping[str, str], issue: Numbered | None, pulls: Sequence[Numbered]) -> str:
    parts = []
    for index, (key, name) in enumerate(names.items()):
        owner, _, short = name.partition("/")
        fields = [f"i{issue.number}: issue(number: {issue.number}) {{ ...IssueText }}"] if (
            issue and issue.repo.lower() == key
        ) else []  # fmt: skip
        fields += [
            f"p{pull.number}: pullRequest(number: {pull.number}) {{ ...PullText }}"
            for pull in pulls
            if pull.repo.lower() == key
        ]
        parts.append(
            f"r{index}: repository(owner: {json.dumps(owner)}, name: {json.dumps(short)})"
            f" {{ nameWithOwner {' '.join(fields)} }}"
        )
    variables = "($after: String)" if pulls else ""
    fragments = (_ISSUE if issue else "") + (_PULL + _CHECKS if pulls else "")
    return f"query StoatText{variables} {{ {' '.join(parts)} }}{fragments}"


def _said(answered: Answered, names: Mapping[str, str]) -> Iterator[str]:
    """GitHub's errors, each with what it is about."""
    repositories = list(names.values())
    for error in answered.errors:
        path = [str(part) for part in error.path]
        index = path[0].removeprefix("r") if path else ""
        what = repositories[int(index)] if index.isdigit() and int(index) < len(repositories) else "GitHub"
        if len(path) > 1 and path[1][1:].isdigit():
            what = f"{what}#{path[1][1:]}"
        part = f" ({path[2]})" if len(path) > 2 else ""
        yield f"{what}{part}: {error.message}"


def _contexts(client: Client, pull: Node) -> list[Any]:
    """All checks of a pull request's head, the runs that a newer one replaced as well."""
    found: list[Any] = []
    rollup = nodes.child(pull, "statusCheckRollup")
    for _ in range(1 + _MORE_CHECKS):
        found += nodes.items(rollup, "contexts")
        page = nodes.child(rollup, "contexts", "pageInfo")
        if page.get("hasNextPage") is not True:
            break
        variables = {"id": nodes.text(pull, "id"), "after": nodes.text(page, "endCursor")}
        answered = client.graphql(_MORE + _CHECKS, variables)
        rollup = nodes.child(answered.data, "node", "statusCheckRollup")
    return found


def _issue(repo: str, shown: Node) -> IssueText:
    return IssueText(
        repo=repo,
        number=nodes.number(shown, "number"),
        url=nodes.text(shown, "url"),
        title=nodes.text(shown, "title"),
        state="closed" if nodes.word(shown, "state") == "closed" else "open",
        reason=nodes.word(shown, "stateReason"),
        author=_login(shown),
        created_at=nodes.time(shown, "createdAt") or "",
        body=nodes.text(shown, "body"),
        labels=tuple(nodes.text(one, "name") for one in nodes.shown(shown, "labels")),
        milestone=nodes.text(nodes.child(shown, "milestone"), "title") or None,
        assignees=tuple(nodes.text(one, "login") for one in nodes.shown(shown, "assignees")),
        comments=_comments(shown),
    )


def _pull(repo: str, shown: Node) -> PullText:
    fact, now = parsing.pull(shown, Ci(verdict="none"))
    return PullText(
        repo=nodes.repository(shown) or repo,
        number=fact.number,
        url=fact.url,
        title=fact.title,
        state=fact.state,
        author=fact.author,
        created_at=nodes.time(shown, "createdAt") or "",
        body=nodes.text(shown, "body"),
        head=fact.head,
        base=fact.base,
        review=fact.review,
        reviews=tuple(
            Opinion(_login(one), nodes.text(one, "state").lower())
            for one in nodes.shown(shown, "latestOpinionatedReviews")
        ),
        mergeable=fact.mergeable,
        merge_state=now.merge_state,
        additions=nodes.number(shown, "additions"),
        deletions=nodes.number(shown, "deletions"),
        changed_files=nodes.number(shown, "changedFiles"),
        merged_at=fact.merged_at,
        comments=_comments(shown),
        checks=(),
    )


def _runs(repo: str, contexts: Sequence[Any]) -> list[Run]:
    """Each check once: of several runs of one the newest, since GitHub lists the older ones too."""
    written = {checks.check(one): one for one in contexts}
    return [
        _run(repo, one, written[one] if isinstance(written[one], Mapping) else {}) for one in checks.newest(contexts)
    ]


def _run(repo: str, one: checks.Check, shown: Node) -> Run:
    check = CheckText(
        name=one.name,
        workflow=one.workflow or None,
        app=one.app or None,
        state=one.outcome,
        said=one.word,
        url=nodes.text(shown, "targetUrl" if one.status else "detailsUrl") or None,
        title=nodes.text(shown, "description"),
    )
    return Run(repo, check, nodes.text(shown, "id") or None, one.id or None)


def _comments(shown: Node) -> Comments:
    found = tuple(
        Comment(_login(one), nodes.time(one, "createdAt") or "", nodes.text(one, "url"), nodes.text(one, "body"))
        for one in nodes.shown(shown, "comments")
    )
    return Comments(max(nodes.number(nodes.child(shown, "comments"), "totalCount"), len(found)), found)


def _order(check: CheckText) -> tuple[int, str]:
    """What failed first, then what still runs."""
    return _ORDER.index(check.state), check.label


def _distinct(things: Iterable[Numbered]) -> list[Numbered]:
    """Each once, whatever case its repository is written in, the first of several."""
    found: dict[str, Numbered] = {}
    for one in things:
        found.setdefault(str(one).lower(), one)
    return list(found.values())


def _login(shown: Node) -> str | None:
    return nodes.text(nodes.child(shown, "author"), "login") or None
