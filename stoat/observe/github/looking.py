"""What a sweep gathered, as the values of the plan: a `Looked` for each repository that was asked for (pure)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from stoat.observe.github import checks, linking, nodes, parsing
from stoat.observe.github.gathering import Checks, Found, Gathered, Repo, known_red
from stoat.observe.github.nodes import Node
from stoat.plan.github import Branch, Ci, Issue, Looked, NotThere, Numbered, PullLooked, Repository

_MOST_SAID = 3
Said = dict[tuple[str, int], list[Node]]
"""The pull requests whose text closes an issue (its repository in lower case, its number)."""


def looked(gathered: Gathered, wanted: Iterable[str], absent: Mapping[str, Iterable[NotThere]]) -> tuple[Looked, ...]:
    """What was read of each wanted repository. `absent`: what GitHub did not show in it, and why."""
    settings = {name: parsing.repository(repo.node, name) for name, repo in gathered.repos.items() if repo.node}
    pulls: dict[str, list[PullLooked]] = {name: [] for name in gathered.repos}
    for found in gathered.pulls.values():
        through = found.through.through or found.through
        home = nodes.repository(found.node) or through.spelled
        at = next((repo for repo in gathered.repos.values() if repo.through is None and repo.is_named(home)), through)
        pulls[at.name].append(_pull(found, home, settings.get(at.name) if at.is_named(home) else None))
    said = _said(gathered)
    return tuple(
        _repository(gathered.repos[name], settings.get(name), pulls[name], said, tuple(absent.get(name, ())))
        for name in dict.fromkeys(wanted)
    )


def _repository(
    repo: Repo,
    settings: Repository | None,
    pulls: list[PullLooked],
    said: Said,
    absent: tuple[NotThere, ...],
) -> Looked:
    return Looked(
        name=repo.name,
        repository=settings,
        default=_default(repo, settings) if settings is not None else None,
        issues=tuple(_issues(repo, said)),
        pulls=tuple(sorted(pulls, key=lambda one: (one.repo, one.pull.number))),
        not_there=absent,
        problem=_told(repo.problems),
        gaps=_told(repo.gaps),
    )


def _told(troubles: list[str]) -> str | None:
    more = [f"and {len(troubles) - _MOST_SAID} more"] if len(troubles) > _MOST_SAID else []
    return "; ".join([*troubles[:_MOST_SAID], *more]) or None


def _said(gathered: Gathered) -> Said:
    """Each text is read once: there may be hundreds of issues and pull requests."""
    said: Said = {}
    for found in gathered.pulls.values():
        home = nodes.repository(found.node)
        default = found.through.default if home is not None and found.through.is_named(home) else None
        for issue in linking.closed_by_text(found.node, default):
            said.setdefault((issue.repo.lower(), issue.number), []).append(found.node)
    return said


def _issues(repo: Repo, said: Said) -> Iterator[Issue]:
    for number, node in sorted(repo.issues.items()):
        mentions = linking.by_text(Numbered(repo.spelled, number), repo.references.get(number, ()), repo.default)
        texts = [*mentions, *said.get((repo.spelled.lower(), number), ())]
        yield parsing.issue(node, linking.links(repo.closing.get(number, ()), texts))


def _default(repo: Repo, settings: Repository) -> Branch | None:
    """The default branch; nothing of it where its checks could not be read, as nothing then is known of it."""
    tip = nodes.child(repo.node, "defaultBranchRef", "target")
    if settings.default_branch is None or not nodes.text(tip, "oid") or repo.tip.broken:
        return None
    red, green = parsing.red_since(repo.history, more=not repo.history_ends)
    if not green:
        red = known_red(repo) or red
    return parsing.branch(settings.default_branch, _ci(repo.tip), red)


def _pull(found: Found, home: str, settings: Repository | None) -> PullLooked:
    is_ruled = settings is not None and nodes.text(found.node, "baseRefName") == settings.default_branch
    rules = settings if is_ruled and parsing.pull_state(found.node) in ("open", "draft") else None
    pull, now = parsing.pull(found.node, _ci(found.checks, rules))
    return PullLooked(home, pull, now)


def _ci(contexts: Checks, rules: Repository | None = None) -> Ci:
    """The checks of a commit; `rules` are those that ask for some of them."""
    required, bound = (rules.required, rules.bound) if rules is not None else ((), ())
    return checks.ci(contexts.contexts, required, bound, complete=contexts.whole, hidden=contexts.hidden)
