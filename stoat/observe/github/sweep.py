"""One look at GitHub: everything wanted of all repositories, in as few questions as it takes.

Questions go out in chunks of about 25 issues over all repositories, and what an answer leaves open in one more. A chunk
that is too much for GitHub is halved, down to one question; what was answered is never asked again. Whatever stops the
sweep, what was read by then is kept, and the reading says what is missing.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from math import ceil

from stoat.observe.github import absent, gathering, looking, queries
from stoat.observe.github.answers import Answered, GraphQLError
from stoat.observe.github.client import Client
from stoat.observe.github.gathering import Gathered, Repo
from stoat.observe.github.queries import Ask
from stoat.observe.github.trouble import GitHubTrouble, Outage, TooLarge
from stoat.plan.github import GitHubState, Looked, NotThere, Reading, Wanted

ISSUES = 25
"""Issues of one query: each brings its pull requests with all their checks, and GitHub works ten seconds at most."""
OTHERS = 120
"""Other questions of one query: one pull request, or the pull requests of one branch. A hundred issues' and what is
asked of their repositories fit together."""

_ROUNDS = 20
"""How often what an answer leaves open is asked on: twenty pages of a hundred are not a list that is of use."""

Progress = Callable[[int, int], object]
"""Told how many questions have been answered, and how many there are so far."""
Chunk = Sequence[Ask]


def read(
    client: Client,
    wanted: Sequence[Wanted],
    progress: Progress = lambda answered, asked: None,
    known: Mapping[str, GitHubState] | None = None,
) -> Reading:
    """Look at what is wanted. Never raises for GitHub: what kept it from reading is in the reading.

    `known` is what is on record (`State.repositories()`): what is known to be not shown is not asked about again, nor
    where a red default branch went red, nor pull requests that are over and were not touched since.
    """
    before = client.requests
    sweep = _Sweep(client, wanted, progress, known or {})
    trouble = sweep.run()
    return Reading(
        repositories=sweep.looked(wanted),
        requests=client.requests - before,
        problem=trouble.message if trouble is not None else None,
        fix=trouble.fix if trouble is not None else None,
        again_at=trouble.again_at if trouble is not None else None,
    )


class _Sweep:
    def __init__(
        self, client: Client, wanted: Sequence[Wanted], progress: Progress, known: Mapping[str, GitHubState]
    ) -> None:
        self._client = client
        self._progress = progress
        self._gathered = Gathered(wanted, known)
        self._aliases = {name: f"r{position}" for position, name in enumerate(self._gathered.repos)}
        self._chunks: deque[Chunk] = deque(chunks(self._gathered.first))
        self._next: list[Ask] = []
        self._asked = len(self._gathered.first)
        self._answered = 0
        self._failures = 0
        self._rounds = 0
        self._away: str | None = None
        self._absent: dict[str, list[NotThere]] = {}

    def run(self) -> GitHubTrouble | None:
        """Ask until nothing is left; gives what stopped it."""
        try:
            while self._chunks:
                self._put(self._chunks.popleft())
                self._progress(self._answered, self._asked)
                if not self._chunks:
                    self._follow()
            self._explain()
        except GitHubTrouble as trouble:
            self._leave(trouble)
            return trouble
        return None

    def looked(self, wanted: Sequence[Wanted]) -> tuple[Looked, ...]:
        """What was read by now."""
        return looking.looked(self._gathered, [one.name for one in wanted], self._absent)

    def _follow(self) -> None:
        """Put what the answers of this round left open into the next one."""
        following = [*self._next, *self._gathered.remaining()]
        following = [ask for ask in following if self._repo(ask).gone is None]
        self._next = []
        self._rounds += 1
        if self._rounds > _ROUNDS:
            for ask in following:
                self._repo(ask).miss(f"{gathering.named(ask)} has more than Stoat reads: not all of it was read")
            return
        self._asked += len(following)
        self._chunks.extend(chunks(following))

    def _put(self, chunk: Chunk) -> None:
        """Ask one chunk; what it leaves unanswered goes back to the front, in halves."""
        all_of_it, chunk = chunk, [ask for ask in chunk if self._repo(ask).gone is None]
        self._answered += len(all_of_it) - len(chunk)
        if not chunk:
            return
        query = queries.compose(chunk, self._aliases)
        try:
            answered = self._client.graphql(query.text, query.variables, divisible=len(chunk) > 1)
        except TooLarge as trouble:
            if len(chunk) == 1:
                self._give_up(chunk[0], trouble)
            else:
                self._halve(chunk)
            return
        except GitHubTrouble:
            self._chunks.appendleft(chunk)
            raise
        self._failures = 0
        too_large, again = self._sort(query, answered)
        if len(too_large) == 1 == len(chunk):
            self._fail(too_large[0], GraphQLError(None, (), "GitHub cannot answer for it: it is too much at once"))
        else:
            self._halve(too_large)
        if again:
            self._chunks.appendleft(again)

    def _halve(self, chunk: Chunk) -> None:
        middle = ceil(len(chunk) / 2)
        self._chunks.extendleft(half for half in (chunk[middle:], chunk[:middle]) if half)

    def _give_up(self, ask: Ask, trouble: TooLarge) -> None:
        """One question alone failed: GitHub is away if it has answered nothing yet, or if the next one fails too."""
        self._failures += 1
        if self._answered == 0 or self._failures > 1:
            self._chunks.appendleft([ask])
            raise Outage(trouble.message, fix="look at https://www.githubstatus.com; it is tried again by itself")
        self._fail(ask, GraphQLError(None, (), trouble.message))

    def _sort(self, query: queries.Query, answered: Answered) -> tuple[list[Ask], list[Ask]]:
        """Take in what was answered. Gives what was too large, and what is to be asked again as it was."""
        too_large: list[Ask] = []
        again: list[Ask] = []
        if any(error.too_large and not error.path for error in answered.errors):
            # Nobody can tell which of it is whole.
            return [ask for asks in query.places.values() for ask in asks.values()], []
        for error in answered.errors:
            if not error.path:
                for asks in query.places.values():
                    self._repo(next(iter(asks.values()))).miss(f"GitHub says: {error.message}")
        for alias, asks in query.places.items():
            errors = [error for error in answered.errors if error.path[:1] == (alias,)]
            node = answered.data.get(alias)
            if not isinstance(node, Mapping):
                repeated, large = self._without_repository(asks, errors)
                again += repeated
                too_large += large
                continue
            for place, ask in asks.items():
                about = tuple(error for error in errors if _is_about(error, place))
                if any(error.too_large for error in about):
                    too_large.append(ask)
                    continue
                found = node if place == queries.FACTS else node.get(place)
                if not isinstance(found, Mapping) and self._is_for_mentions(ask, about):
                    again.append(ask._replace(name=queries.PLAIN))
                elif isinstance(found, Mapping) and (lost := gathering.lost_pull(ask, found, about)) is not None:
                    self._fail(ask, lost)
                elif not isinstance(found, Mapping):
                    self._fail(ask, about[0] if about else GraphQLError("NOT_FOUND", (alias, place), ""))
                else:
                    self._next += self._gathered.take(ask, found, about)
                    self._answered += 1
        return too_large, again

    def _is_for_mentions(self, ask: Ask, errors: Sequence[GraphQLError]) -> bool:
        """Whether something was lost only since what connects it to others could not be read. Then that is said."""
        through = {"issue": "timelineItems", "pull": "body"}.get(ask.kind)
        lost = through is not None and ask.name != queries.PLAIN and any(through in error.path for error in errors)
        if lost:
            what = f"what mentions #{ask.number}" if ask.kind == "issue" else f"the text of #{ask.number}"
            self._repo(ask).miss(f"{what} could not be read: {errors[0].message}")
        return lost

    def _without_repository(
        self, asks: Mapping[str, Ask], errors: Sequence[GraphQLError]
    ) -> tuple[list[Ask], list[Ask]]:
        """A repository of which nothing came: it is not shown, or one of its parts took the whole with it.

        Gives what is to be asked again without that part, and what was too large.
        """
        if any(error.too_large for error in errors):
            return [], list(asks.values())
        blamed = {place: error for place in asks for error in errors if len(error.path) > 1 and _is_about(error, place)}
        repo = self._repo(next(iter(asks.values())))
        if not blamed or any(len(error.path) == 1 for error in errors):
            repo.gone = errors[0] if errors else GraphQLError(None, (), "GitHub gave no answer")
            return [], []
        kinds = {asks[place].kind for place in blamed}
        again = []
        for place, ask in asks.items():
            if place in blamed and self._is_for_mentions(ask, [blamed[place]]):
                again.append(ask._replace(name=queries.PLAIN))
            elif place in blamed or (ask.kind == "branch" and "branch" in kinds):
                self._fail(ask, blamed.get(place, next(iter(blamed.values()))))
            else:
                again.append(ask)
        return again, []

    def _fail(self, ask: Ask, error: GraphQLError) -> None:
        """Remember that a question has no answer; what is not about a single number is a problem of its repository."""
        self._answered += 1
        repo = self._repo(ask)
        repo.failed[ask] = error
        if ask.kind not in ("issue", "pull"):
            repo.miss(f"{gathering.named(ask)} could not be read: {error.message or 'GitHub gave no answer'}")

    def _explain(self) -> None:
        """Find out why something is not shown. Each question is put once; with GitHub away the rest is unreadable."""
        for repo in self._gathered.repos.values():
            if repo.gone is not None:
                self._explain_repository(repo, repo.gone)
            for ask, error in repo.failed.items() if repo.gone is None else ():
                if ask.kind not in ("issue", "pull"):
                    continue
                if repo.through is not None:
                    repo.miss(f"{repo.name}#{ask.number} is not shown: {error.message}")
                    continue
                self._absent.setdefault(repo.name, []).append(self._explained(repo, ask, error))

    def _explained(self, repo: Repo, ask: Ask, error: GraphQLError) -> NotThere:
        if self._away is None:
            try:
                return absent.numbered(self._client, repo, ask, error)
            except Outage as outage:
                self._away = outage.message
        return absent.unreadable(ask, self._away)

    def _explain_repository(self, repo: Repo, error: GraphQLError) -> None:
        try:
            missing = absent.repository(self._client, repo, error) if self._away is None else None
        except Outage as outage:
            missing, self._away = None, outage.message
        if self._away is not None:
            error = error._replace(message=self._away)
        if missing is None or repo.through is not None:
            repo.block(f"{repo.name} could not be read: {error.message}")
        else:
            self._absent.setdefault(repo.name, []).append(missing)

    def _leave(self, trouble: GitHubTrouble) -> None:
        """Say of each repository of which something was still to be asked that it was not."""
        left = [*self._next, *self._gathered.remaining(), *(ask for chunk in self._chunks for ask in chunk)]
        for ask in left:
            self._repo(ask).block(trouble.message)

    def _repo(self, ask: Ask) -> Repo:
        return self._gathered.repos[ask.repo]


def chunks(asks: Sequence[Ask]) -> list[Chunk]:
    """The questions in as few even chunks as the bounds allow; those about whole repositories together, and first."""
    issues = [ask for ask in asks if ask.kind == "issue"]
    others = sorted((ask for ask in asks if ask.kind != "issue"), key=lambda ask: ask.kind != "facts")
    count = max(ceil(len(issues) / ISSUES), ceil(len(others) / OTHERS))
    if count == 0:
        return []
    facts = sum(ask.kind == "facts" for ask in others)
    size, other_size = ceil(len(issues) / count), max(ceil(len(others) / count), min(facts, OTHERS))
    return [
        [*others[part * other_size : (part + 1) * other_size], *issues[part * size : (part + 1) * size]]
        for part in range(count)
        if part * size < len(issues) or part * other_size < len(others)
    ]


def _is_about(error: GraphQLError, place: str) -> bool:
    """Whether an error is about what is at a place of its repository."""
    if len(error.path) < 2:
        return False
    return queries.is_facts(str(error.path[1])) if place == queries.FACTS else error.path[1] == place
