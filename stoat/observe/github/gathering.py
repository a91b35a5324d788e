"""What a sweep has read so far, as GitHub's nodes, and which questions an answer leaves open (pure)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from stoat.observe.github import checks, linking, nodes, parsing, queries
from stoat.observe.github.answers import GraphQLError
from stoat.observe.github.nodes import Node
from stoat.observe.github.queries import Ask
from stoat.plan.github import GitHubState, Numbered, Pull, Wanted
from stoat.plan.ids import is_repository

_DEEPEST = 350
"""Commits of a red branch that are looked through before it counts as red for longer than that."""
_LARGEST_NUMBER = 2**31 - 1
"""GraphQL's numbers end here; one beyond would make GitHub refuse the whole question."""
_PRIVATE = frozenset({"parent", "closer", "source", "author", "commit", "branchProtectionRule"})
"""What may be hidden from a token, and then is just not there: a list leaves such an item out too."""


@dataclass
class Checks:
    """The contexts of a commit, page by page.

    `awaited`: another page is to come; `broken`: one cannot be read; `hidden`: since the token may not read it.
    """

    contexts: list[Any] = field(default_factory=list)
    awaited: bool = False
    broken: bool = False
    hidden: bool = False

    @property
    def whole(self) -> bool:
        """Whether these are all there are."""
        return not (self.awaited or self.broken)


@dataclass
class Repo:
    """A repository by the name it is asked for. `through`: it was not wanted, a pull request of that one is in it."""

    name: str
    known: GitHubState
    through: Repo | None = None
    node: Node | None = None
    tip: Checks = field(default_factory=Checks)
    history: list[Node] = field(default_factory=list)
    history_ends: bool = False
    issues: dict[int, Node] = field(default_factory=dict)
    closing: dict[int, list[Node]] = field(default_factory=dict)
    references: dict[int, list[Node]] = field(default_factory=dict)
    failed: dict[Ask, GraphQLError] = field(default_factory=dict)
    gone: GraphQLError | None = None
    problems: list[str] = field(default_factory=list)
    gaps: list[str] = field(default_factory=list)

    @property
    def spelled(self) -> str:
        """Its name as GitHub spells it, once it was read."""
        return nodes.repository({"repository": self.node}) or self.name

    @property
    def default(self) -> str | None:
        """The name of its default branch, once it was read."""
        return nodes.text(nodes.child(self.node, "defaultBranchRef"), "name") or None

    def is_named(self, name: str) -> bool:
        """Whether this is the repository called `name`, by the name asked for or by GitHub's."""
        return name.lower() in (self.name.lower(), self.spelled.lower())

    def block(self, problem: str) -> None:
        """Say, once, why what was wanted of it could not be read."""
        if problem not in self.problems:
            self.problems.append(problem)
        if self.through is not None:
            self.through.miss(problem)

    def miss(self, gap: str) -> None:
        """Say, once, what could not be read beside what was wanted of it."""
        if gap not in self.gaps:
            self.gaps.append(gap)
        if self.through is not None:
            self.through.miss(gap)


@dataclass
class Found:
    """A pull request that was read: its node, its checks, and the repository through which it was found."""

    node: Node
    through: Repo
    checks: Checks = field(default_factory=Checks)


class Gathered:
    """Everything read in one sweep. `take` puts an answer in and gives the questions that follow from it."""

    def __init__(self, wanted: Iterable[Wanted], known: Mapping[str, GitHubState]) -> None:
        self.repos: dict[str, Repo] = {}
        self.pulls: dict[tuple[str, int], Found] = {}
        self.first: list[Ask] = []
        self._asked: set[Ask] = set()
        self._reading: dict[tuple[str, int], Found] = {}
        self._of_branches: list[tuple[Node, Repo]] = []
        for one in wanted:
            repo = self.repos.setdefault(one.name, Repo(one.name, known.get(one.name.lower(), GitHubState())))
            self.first += self._new(_first(repo, one))

    def take(self, ask: Ask, node: Node, errors: tuple[GraphQLError, ...]) -> list[Ask]:
        """Put the answer to a question in; gives what is to be asked because of it, nothing twice."""
        repo = self.repos[ask.repo]
        for error in errors:
            if _hides_checks(error):
                repo.miss(HIDDEN)
            elif not _is_private(error):
                repo.miss(f"{named(ask)} could not be read whole: {error.message}")
        match ask.kind:
            case "facts":
                following = self._facts(repo, node, errors)
            case "red":
                repo.history = nodes.shown(node, "target", "history")
                repo.history_ends = len(repo.history) < queries.HISTORY
                following = self._older(repo)
            case "history":
                commits = nodes.shown(node, "history")
                repo.history += commits[1:]
                repo.history_ends = len(commits) < queries.PAGE
                following = self._older(repo)
            case "issue":
                following = self._issue(repo, ask, node, errors)
            case "closing":
                following = self._closing(repo, ask.number, node, errors)
            case "references":
                following = self._references(repo, ask, node)
            case "pull":
                following = self._pull(repo, node, errors)
            case "branch":
                following = self._branch(repo, ask, node)
            case "checks":
                following = self._more_checks(ask, node, errors)
            case "tip_checks":
                following = self._more_tip(repo, ask, node, errors)
        return self._new(following)

    def remaining(self) -> list[Ask]:
        """The pull requests that a branch or a text names and that nothing has brought yet, as questions."""
        briefs = list(self._of_branches)
        for repo in self.repos.values():
            for number, sources in repo.references.items():
                texts = linking.by_text(Numbered(repo.spelled, number), sources, repo.default)
                briefs += [(pull, repo) for pull in texts]
        return self._new(self._unread(briefs))

    def _unread(self, briefs: Iterable[tuple[Node, Repo]]) -> Iterator[Ask]:
        for node, through in briefs:
            home, number = nodes.repository(node), nodes.number(node, "number")
            if home is None or not number or (home.lower(), number) in self.pulls:
                continue
            repo = self._home(home, through)
            record = repo.known.pulls.get(number)
            if record is None or record.unseen is not None or not _is_settled(record.fact, node):
                yield Ask("pull", repo.name, number)

    def _new(self, asks: Iterable[Ask]) -> list[Ask]:
        fresh = [ask for ask in dict.fromkeys(asks) if ask not in self._asked]
        self._asked.update(fresh)
        return fresh

    def _facts(self, repo: Repo, node: Node, errors: tuple[GraphQLError, ...]) -> Iterator[Ask]:
        repo.node = node
        tip = nodes.child(node, "defaultBranchRef", "target")
        ask = Ask("tip_checks", repo.name, name=nodes.text(tip, "oid"))
        yield from _page(repo.tip, ask, tip, errors)
        yield from self._red(repo)

    def _more_tip(self, repo: Repo, ask: Ask, node: Node, errors: tuple[GraphQLError, ...]) -> Iterator[Ask]:
        yield from _page(repo.tip, ask, node, errors)
        yield from self._red(repo)

    def _red(self, repo: Repo) -> Iterator[Ask]:
        """Since when the default branch is red is asked once it is red for good: all its checks have ended."""
        if repo.tip.whole and checks.settled(checks.ci(repo.tip.contexts)) == "failed":
            yield Ask("red", repo.name)

    def _older(self, repo: Repo) -> Iterator[Ask]:
        """The next commits of a red branch, unless it is known by now where it went red."""
        if not repo.history or repo.history_ends or len(repo.history) >= _DEEPEST or known_red(repo) is not None:
            return
        red, green = parsing.red_since(repo.history, more=True)
        if red is not None and not green and parsing.is_red(repo.history[0]):
            yield Ask("history", repo.name, name=nodes.text(repo.history[-1], "oid"))

    def _issue(self, repo: Repo, ask: Ask, node: Node, errors: tuple[GraphQLError, ...]) -> Iterator[Ask]:
        at = parsing.place(nodes.text(node, "url"))
        if at is not None and (at.number != ask.number or (repo.node is not None and not repo.is_named(at.repo))):
            repo.failed[ask] = GraphQLError(TRANSFERRED, (), str(at))
            return
        repo.issues[ask.number] = node
        repo.references[ask.number] = _sources(nodes.shown(node, "timelineItems"))
        yield from self._closing(repo, ask.number, node, errors)
        if len(nodes.items(node, "timelineItems")) >= queries.PAGE:
            yield Ask("references", repo.name, ask.number)
        for what, plural in _LISTS.items():
            listed = len(nodes.items(node, what))
            if listed >= queries.PAGE or nodes.number(nodes.child(node, what), "totalCount") > max(
                listed, queries.PAGE
            ):
                repo.miss(f"#{ask.number} has {queries.PAGE} {plural} or more: not all were read")

    def _closing(self, repo: Repo, number: int, node: Node, errors: tuple[GraphQLError, ...]) -> Iterator[Ask]:
        for position, pull in enumerate(nodes.items(node, _CLOSING)):
            if isinstance(pull, Mapping):
                here = (_CLOSING, "nodes", position)
                repo.closing.setdefault(number, []).append(pull)
                yield from self._pull(repo, pull, tuple(one for one in errors if one.path[2:5] == here))
        if after := nodes.next_page(node, _CLOSING):
            yield Ask("closing", repo.name, number, after=after)

    def _references(self, repo: Repo, ask: Ask, node: Node) -> Iterator[Ask]:
        repo.references.setdefault(ask.number, []).extend(_sources(nodes.shown(node, "timelineItems")))
        page = nodes.child(node, "timelineItems", "pageInfo")
        if page.get("hasPreviousPage") is True and (before := nodes.text(page, "startCursor")):
            yield Ask("references", repo.name, ask.number, after=before)

    def _branch(self, repo: Repo, ask: Ask, node: Node) -> Iterator[Ask]:
        found = nodes.items({"pulls": node}, "pulls")
        if len(found) >= queries.PAGE:
            repo.miss(f"the branch {ask.name} has {queries.PAGE} pull requests or more: not all were read")
        self._of_branches += [(one, repo) for one in found if isinstance(one, Mapping) and not parsing.is_fork(one)]
        return iter(())

    def _pull(self, repo: Repo, node: Node, errors: tuple[GraphQLError, ...]) -> Iterator[Ask]:
        home, number = nodes.repository(node) or repo.spelled, nodes.number(node, "number")
        if not number or (home.lower(), number) in self.pulls:
            return
        at = self._home(home, repo)
        if len(nodes.items(node, "latestOpinionatedReviews")) >= queries.PAGE:
            repo.miss(f"#{number} has {queries.PAGE} reviews or more: not all were read")
        found = Found(node, repo)
        self.pulls[home.lower(), number] = self._reading[at.name, number] = found
        yield from _page(found.checks, Ask("checks", at.name, number), node, errors)

    def _more_checks(self, ask: Ask, node: Node, errors: tuple[GraphQLError, ...]) -> Iterator[Ask]:
        found = self._reading[ask.repo, ask.number]
        if nodes.text(node, "headRefOid") == nodes.text(found.node, "headRefOid"):
            yield from _page(found.checks, ask, node, errors)

    def _home(self, home: str, through: Repo) -> Repo:
        """The repository that a pull request is in, so that it can be asked about."""
        for repo in (through, *self.repos.values()):
            if repo.is_named(home):
                return repo
        return self.repos.setdefault(home, Repo(home, GitHubState(), through=through))


TRANSFERRED = "TRANSFERRED"
"""The type of the error that stands for an answer about another issue; its message is where that is."""
_LISTS = {"labels": "labels", "assignees": "assignees", "blockedBy": "issues that it waits on"}
_HIDDEN = frozenset({"FORBIDDEN", "NOT_FOUND"})
_ROLLUP = "statusCheckRollup"
HIDDEN = "the token may not read the checks: it lacks the permission Commit statuses, or GitHub shows it no check runs"
"""What is missing of a repository's pull requests; said once for all of them."""
_CLOSING = "closedByPullRequestsReferences"


def lost_pull(ask: Ask, node: Node, errors: Iterable[GraphQLError]) -> GraphQLError | None:
    """The error that took an issue's pull requests, or one of them, out of an answer that is there otherwise.

    Such an issue must not read as one without pull requests. One that the token may not see is none of that.
    """
    for error in errors:
        if ask.kind != "issue" or _CLOSING not in error.path or error.type in _HIDDEN:
            continue
        rest = error.path[error.path.index(_CLOSING) + 1 :]
        closing = nodes.child(node, _CLOSING)
        listed = closing.get("nodes")
        place = rest[1] if len(rest) > 1 else None
        if not isinstance(listed, list) or (isinstance(place, int) and listed[place : place + 1] == [None]):
            return error
    return None


def known_red(repo: Repo) -> parsing.RedSince | None:
    """What is on record of where the default branch went red, as long as it has been red since."""
    known = repo.known.default
    if known is None or known.ci != "failed" or known.red_commit is None or known.name != repo.default:
        return None
    return parsing.RedSince(known.red_commit, known.red_subject, known.red_at, known.red_pull, known.red_floor)


def named(ask: Ask) -> str:
    """What a question was about, for people."""
    match ask.kind:
        case "facts" | "red" | "history" | "tip_checks":
            return "the repository"
        case "branch":
            return f"the branch {ask.name}"
        case _:
            return f"#{ask.number}"


def _first(repo: Repo, one: Wanted) -> Iterator[Ask]:
    """What is asked of a repository to begin with."""
    if not is_repository(one.name):
        repo.block(f"{one.name!r} is not a repository: it is written OWNER/NAME")
        return
    yield Ask("facts", one.name)
    if repo.known.default is not None and repo.known.default.ci == "failed":
        yield Ask("red", one.name)
    asks = [Ask("issue", one.name, number) for number in one.issues]
    asks += [Ask("pull", one.name, number) for number in one.pulls]
    for ask in asks:
        if 0 < ask.number <= _LARGEST_NUMBER:
            yield ask
        else:
            repo.failed[ask] = GraphQLError("NOT_FOUND", (), "GitHub has no such numbers")
    for name in one.branches:
        yield Ask("branch", one.name, name=name)


def _page(into: Checks, ask: Ask, node: Node, errors: tuple[GraphQLError, ...]) -> Iterator[Ask]:
    """Keep a page of checks; the next one is asked for as `ask` is. An answer without the page asked for breaks it."""
    connection = nodes.child(node, _ROLLUP, "contexts")
    into.contexts += nodes.items(node, _ROLLUP, "contexts")
    missing = ask.after is not None and not connection
    into.broken = into.broken or missing or any(_ROLLUP in error.path for error in errors)
    into.hidden = into.hidden or any(_hides_checks(error) for error in errors)
    after = nodes.next_page(node, _ROLLUP, "contexts")
    into.awaited = after is not None
    if after is not None:
        yield ask._replace(after=after)
    elif ask.after is not None and checks.different(into.contexts) < nodes.number(connection, "totalCount"):
        # The list changed between its pages: one of the checks came twice, another one never.
        into.broken = True


def _sources(events: Iterable[Node]) -> list[Node]:
    """The pull requests that mention an issue."""
    sources = [nodes.child(event, "source") for event in events]
    return [one for one in sources if one.get("__typename") == "PullRequest" and nodes.repository(one) is not None]


def _is_settled(known: Pull | None, node: Node) -> bool:
    """Whether nothing can be new about a pull request: it is over, and has not been touched since it was recorded."""
    if known is None or known.state not in ("merged", "closed"):
        return False
    return known.state == parsing.pull_state(node) and known.updated_at == nodes.time(node, "updatedAt")


def _hides_checks(error: GraphQLError) -> bool:
    """Whether the token may not read the checks of a commit, or one of them."""
    return error.type == "FORBIDDEN" and _ROLLUP in error.path


def _is_private(error: GraphQLError) -> bool:
    last = error.path[-1] if error.path else ""
    return isinstance(last, int) or last in _PRIVATE or "branchProtectionRule" in error.path
