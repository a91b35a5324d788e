"""What a sweep gathered, as the values of the plan: a `Looked` for each repository that was asked for (pure)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from stoat.observe.github import checks, linking, nodes, parsing
from stoat.observe.github.gathering import Checks, Found, Gathered, Repo, known_red
from stoat.plan.github import Branch, BranchNow, Ci, Issue, Looked, NotThere, Numbered, PullLooked, Repository

_MOST_SAID = 3


def looked(gathered: Gathered, wanted: Iterable[str], absent: Mapping[str, Iterable[NotThere]]) -> tuple[Looked, ...]:
    """What was read of each wanted repository. `absent`: what GitHub did not show in it, and why."""
    settings = {name: parsing.repository(repo.node, name) for name, repo in gathered.repos.items() if repo.node}
    pulls: dict[str, list[PullLooked]] = {name: [] for name in gathered.repos}
    for found in gathered.pulls.values():
        through = found.through.through or found.through
        home = nodes.repository(found.node) or through.spelled
        at = next((repo for repo in gathered.repos.values() if repo.through is None and repo.is_named(home)), through)
        pulls[at.name].append(_pull(found, home, settings.get(at.name) if at.is_named(home) else None))
    sources = list(gathered.pulls.values())
    return tuple(
        _repository(gathered.repos[name], settings.get(name), pulls[name], sources, tuple(absent.get(name, ())))
        for name in dict.fromkeys(wanted)
    )


def _repository(
    repo: Repo,
    settings: Repository | None,
    pulls: list[PullLooked],
    sources: list[Found],
    absent: tuple[NotThere, ...],
) -> Looked:
    default, default_now = _default(repo, settings) if settings is not None else (None, None)
    said = repo.problems[:_MOST_SAID]
    if len(repo.problems) > _MOST_SAID:
        said = [*said, f"and {len(repo.problems) - _MOST_SAID} more"]
    return Looked(
        name=repo.name,
        repository=settings,
        default=default,
        default_now=default_now,
        issues=tuple(_issues(repo, sources)),
        pulls=tuple(sorted(pulls, key=lambda one: (one.repo, one.pull.number))),
        not_there=absent,
        problem="; ".join(said) or None,
    )


def _issues(repo: Repo, sources: list[Found]) -> Iterator[Issue]:
    texts = [found.node for found in sources if "body" in found.node]
    for number, node in sorted(repo.issues.items()):
        pulls = [*repo.references.get(number, ()), *texts]
        by_text = linking.by_text(Numbered(repo.spelled, number), pulls, repo.default)
        yield parsing.issue(node, linking.links(repo.closing.get(number, ()), by_text))


def _default(repo: Repo, settings: Repository) -> tuple[Branch | None, BranchNow | None]:
    """The default branch; nothing of it where its checks could not be read, as nothing then is known of it."""
    head = nodes.text(nodes.child(repo.node, "defaultBranchRef", "target"), "oid")
    if settings.default_branch is None or not head or repo.tip.broken:
        return None, None
    red, green = parsing.red_since(repo.history, more=not repo.history_ends)
    if not green:
        red = known_red(repo) or red
    return parsing.branch(settings.default_branch, head, _ci(repo.tip), red)


def _pull(found: Found, home: str, settings: Repository | None) -> PullLooked:
    required: tuple[str, ...] = ()
    if settings is not None and nodes.text(found.node, "baseRefName") == settings.default_branch:
        required = settings.required if parsing.pull_state(found.node) in ("open", "draft") else ()
    pull, now = parsing.pull(found.node, _ci(found.checks, required))
    return PullLooked(home, pull, now)


def _ci(contexts: Checks, required: tuple[str, ...] = ()) -> Ci:
    return checks.ci(contexts.contexts, required, complete=contexts.whole)
