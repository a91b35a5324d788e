"""The text of the sweep's queries: for any mix of questions over several repositories, one query (pure).

Every name goes in as a variable and every alias is made of a number, so no name can become part of the text. Lists ask
for a hundred where GitHub has no more to give at once: an empty list costs nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple

PAGE = 100
CLOSING = 5
"""Pull requests of an issue that are asked for with it; there are rarely more, and each brings all its checks."""
HISTORY = 50
"""Commits of a red default branch that are looked through at once."""

PLAIN = "plain"
"""The `name` in the question for an issue without what mentions it, or for a pull request without its text."""

Kind = Literal["facts", "red", "issue", "pull", "branch", "checks", "tip_checks", "closing", "references", "history"]


class Ask(NamedTuple):
    """One question about a repository (OWNER/NAME).

    facts: the repository and its default branch · red: the newest commits of that · issue, pull (`number`) · branch:
    the pull requests of a head (`name`) · and what goes on where an answer ended: checks (of pull `number`),
    tip_checks and history (of the commit `name`), closing and references (of issue `number`), all `after` a cursor.
    """

    kind: Kind
    repo: str
    number: int = 0
    name: str = ""
    after: str | None = None


class Query(NamedTuple):
    """A query's text with its variables, and where its answers are: by the repository's alias, then by their own."""

    text: str
    variables: dict[str, str | None]
    places: dict[str, dict[str, Ask]]


def compose(asks: Iterable[Ask], aliases: dict[str, str]) -> Query:
    """One query for all the questions. `aliases` has each repository's (`r0`) and gets new ones."""
    writer = _Writer()
    places: dict[str, dict[str, Ask]] = {}
    parts: dict[str, list[str]] = {}
    for ask in asks:
        repository = aliases.setdefault(ask.repo, f"r{len(aliases)}")
        alias, selection = writer.selection(ask)
        places.setdefault(repository, {})[alias] = ask
        if repository not in parts:
            parts[repository] = [_opening(writer, repository, ask.repo)]
        parts[repository].append(f"    {selection}")
    declared = ", ".join(f"${name}: {kind}" for name, (kind, _) in writer.declared.items())
    body = "\n".join("\n".join([*lines, "  }"]) for lines in parts.values())
    text = f"query StoatSweep({declared}) {{\n{body}\n}}\n"
    return Query(text + _used(text), {name: value for name, (_, value) in writer.declared.items()}, places)


def is_facts(alias: str) -> bool:
    """Whether an alias is a field of the facts, which have no alias of their own."""
    return alias in _FACT_FIELDS


def _opening(writer: _Writer, alias: str, repo: str) -> str:
    owner, _, name = repo.partition("/")
    return f"  {alias}: repository(owner: {writer.string(owner)}, name: {writer.string(name)}) {{\n    nameWithOwner"


class _Writer:
    def __init__(self) -> None:
        self.declared: dict[str, tuple[str, str | None]] = {}

    def string(self, value: str, kind: str = "String!") -> str:
        """Declare a variable with that value; gives how the text names it."""
        name = f"v{len(self.declared)}"
        self.declared[name] = (kind, value)
        return f"${name}"

    def selection(self, ask: Ask) -> tuple[str, str]:
        """The alias and the text of one question."""
        number, after = ask.number, f", after: {self.string(ask.after, 'String')}" if ask.after else ""
        match ask.kind:
            case "facts":
                return FACTS, "...RepoFacts"
            case "red":
                return "red", f"red: defaultBranchRef {{ target {{ oid {_history(HISTORY)} }} }}"
            case "issue":
                mentions = "" if ask.name == PLAIN else f" {_references()}"
                return f"i{number}", f"i{number}: issue(number: {number}) {{ ...IssueFacts{mentions} }}"
            case "pull":
                body = "" if ask.name == PLAIN else " body"
                return f"p{number}", f"p{number}: pullRequest(number: {number}) {{ ...PrFacts{body} }}"
            case "branch":
                alias = f"b{len(self.declared)}"
                head = self.string(ask.name)
                order = "orderBy: {field: CREATED_AT, direction: DESC}"
                found = f"pullRequests(headRefName: {head}, first: {PAGE}, {order}) {{ nodes {{ ...PrBrief }} }}"
                return alias, f"{alias}: {found}"
            case "checks":
                checks = f"statusCheckRollup {{ {_contexts(after)} }}"
                return f"m{number}", f"m{number}: pullRequest(number: {number}) {{ headRefOid {checks} }}"
            case "tip_checks":
                commit = f"... on Commit {{ statusCheckRollup {{ {_contexts(after)} }} }}"
                return "tip", f"tip: object(oid: {self.string(ask.name, 'GitObjectID!')}) {{ {commit} }}"
            case "closing":
                return f"c{number}", f"c{number}: issue(number: {number}) {{ {_closing(10, after)} }}"
            case "references":
                before = after.replace("after:", "before:")
                paged = _references(before, "pageInfo { hasPreviousPage startCursor }")
                return f"t{number}", f"t{number}: issue(number: {number}) {{ {paged} }}"
            case "history":
                commit = self.string(ask.name, "GitObjectID!")
                return "past", f"past: object(oid: {commit}) {{ {_history(PAGE)} }}"


FACTS = "facts"
"""Stands for the alias of the facts, which are fields of the repository itself."""
_FACT_FIELDS = frozenset(
    [
        "id",
        "nameWithOwner",
        "isArchived",
        "viewerPermission",
        "mergeCommitAllowed",
        "squashMergeAllowed",
        "rebaseMergeAllowed",
        "mergeQueue",
        "defaultBranchRef",
    ]
)


def _history(first: int) -> str:
    commit = (
        "oid messageHeadline committedDate statusCheckRollup { state }"
        " associatedPullRequests(first: 1) { nodes { number } }"
    )
    return f"... on Commit {{ history(first: {first}) {{ nodes {{ {commit} }} }} }}"


def _contexts(after: str = "") -> str:
    return f"contexts(first: {PAGE}{after}) {{ totalCount pageInfo {{ hasNextPage endCursor }} nodes {{ ...Check }} }}"


def _closing(first: int, after: str = "") -> str:
    return (
        f"closedByPullRequestsReferences(first: {first}{after}, includeClosedPrs: true)"
        " { totalCount pageInfo { hasNextPage endCursor } nodes { ...PrFacts } }"
    )


def _references(before: str = "", paging: str = "") -> str:
    return (
        f"timelineItems(last: {PAGE}{before}, itemTypes: [CROSS_REFERENCED_EVENT, CLOSED_EVENT])"
        f" {{ {paging} nodes {{ ...Reference }} }}"
    )


_FRAGMENTS = {
    "RepoFacts": """on Repository {
  isArchived viewerPermission mergeCommitAllowed squashMergeAllowed rebaseMergeAllowed
  mergeQueue { id }
  defaultBranchRef {
    name
    target { oid ... on Commit { messageHeadline committedDate statusCheckRollup { ...Ci } } }
    branchProtectionRule {
      requiresStatusChecks requiresStrictStatusChecks requiredStatusCheckContexts requiredApprovingReviewCount
    }
    rules(first: 100) { nodes { type parameters {
      __typename
      ... on RequiredStatusChecksParameters {
        strictRequiredStatusChecksPolicy requiredStatusChecks { context integrationId }
      }
      ... on PullRequestParameters { requiredApprovingReviewCount allowedMergeMethods }
    } } }
  }
}""",
    "IssueFacts": f"""on Issue {{
  number url title state stateReason(enableDuplicate: true) closedAt updatedAt
  milestone {{ title }}
  labels(first: 100) {{ nodes {{ name }} }}
  assignees(first: 100) {{ nodes {{ login }} }}
  parent {{ number repository {{ nameWithOwner }} }}
  subIssuesSummary {{ total completed }}
  blockedBy(first: 100) {{
    totalCount nodes {{ number state stateReason(enableDuplicate: true) repository {{ nameWithOwner }} }}
  }}
  {_closing(CLOSING)}
}}""",
    "Reference": """on IssueTimelineItems {
  __typename
  ... on CrossReferencedEvent { source { __typename ... on PullRequest { ...PrBrief body } } }
  ... on ClosedEvent { closer {
    __typename
    ... on PullRequest { number repository { nameWithOwner } mergeCommit { oid } }
    ... on Commit { oid }
  } }
}""",
    "PrBrief": """on PullRequest {
  number url state updatedAt headRefOid baseRefName isCrossRepository headRepositoryOwner { login }
  repository { nameWithOwner defaultBranchRef { name } }
}""",
    "PrFacts": """on PullRequest {
  number url title state isDraft mergedAt closedAt updatedAt
  author { login }
  repository { nameWithOwner defaultBranchRef { name } }
  headRefName headRefOid isCrossRepository headRepositoryOwner { login } baseRefName
  mergeable mergeStateStatus reviewDecision
  latestOpinionatedReviews(first: 100, writersOnly: true) { nodes { state author { login } commit { oid } } }
  isInMergeQueue
  mergeCommit { oid }
  statusCheckRollup { ...Ci }
}""",
    "Ci": f"on StatusCheckRollup {{ {_contexts()} }}",
    "Check": """on StatusCheckRollupContext {
  __typename
  ... on CheckRun {
    databaseId name status conclusion startedAt completedAt
    checkSuite { app { slug databaseId } workflowRun { workflow { name } } }
  }
  ... on StatusContext { context state createdAt }
}""",
}


def _used(text: str) -> str:
    """The fragments that a text spreads, and those that they spread: GitHub refuses one that nothing uses."""
    found: dict[str, str] = {}
    waiting = [text]
    while waiting:
        spread = waiting.pop()
        for name, body in _FRAGMENTS.items():
            if name not in found and f"...{name} " in f"{spread} ".replace("}", " }").replace("\n", " "):
                found[name] = f"fragment {name} {body}"
                waiting.append(body)
    return "\n".join(found.values()) + "\n"
