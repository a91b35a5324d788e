"""Whether commits are on the remote, by what the remote says it has just now and never by what this clone remembers.

    ask(project)                         every ref that the remote shows; Unreachable when it cannot be asked
    bring(project, now, pulls)           the objects of those that are not here yet, under no ref
    lacking(directory, now, commits)     the commits that nothing on the remote leads to; None when git cannot tell
    commits_of_pull(project, now, number, base)

Replacement refs are not believed, and a shallow clone proves less, never more.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote

from stoat.errors import NotFound, Unreachable
from stoat.gitstore.porcelain import GitFailed, Ran, git, legible
from stoat.gitstore.work.branches import HEADS
from stoat.gitstore.work.remotes import remote_of
from stoat.gitstore.work.worktrees import Project

_ASK_SECONDS = 120.0
_FETCH_SECONDS = 1800.0
_PULLS = "refs/pull/"
_NAMED = (HEADS, "refs/tags/")
_MOST_PULLS = 100
_BATCH = 200
_NOTHING_FETCHED = {"GIT_NO_LAZY_FETCH": "1"}
_AS_THEY_ARE = "--no-replace-objects"


class RemoteNow(NamedTuple):
    """A remote as it was just seen.

    name: None for a repository without one. refs: full name → id of all it shows. default: the branch of its HEAD.
    here: the commits among them that this clone has; what leads to them is on the remote. missing: refs whose are not.
    problem: why nothing counts as being on it (it is this very repository, or it borrows this one's objects).
    """

    name: str | None
    refs: Mapping[str, str]
    default: str | None
    here: frozenset[str]
    missing: tuple[str, ...]
    problem: str | None = None


def ask(project: Project) -> RemoteNow:
    """What the project's remote shows now; Unreachable when it cannot be asked."""
    name = remote_of(project.directory)
    if name is None:
        return RemoteNow(None, {}, None, frozenset(), ())
    return ask_of(project.directory, name, project.common)


def ask_of(directory: Path, name: str, common: Path) -> RemoteNow:
    """The same of the remote called `name` of the repository that `directory` is in, with its common git directory."""
    problem = _no_other_copy(directory, common, name)
    if problem is not None:
        return RemoteNow(name, {}, None, frozenset(), (), problem)
    try:
        said = git(directory, "ls-remote", "--symref", "--", name, timeout=_ASK_SECONDS).out
    except GitFailed as failed:
        raise _unreachable(name, failed.why) from failed
    refs: dict[str, str] = {}
    default = None
    for line in said.splitlines():
        what, _, ref = line.partition("\t")
        if what.startswith("ref: "):
            default = what.removeprefix("ref: " + HEADS) if ref == "HEAD" else default
        elif ref != "HEAD":
            refs[ref] = what
    return _sorted_out(directory, RemoteNow(name, refs, default, frozenset(), ()))


def bring(directory: Path, now: RemoteNow, pulls: Collection[int] = ()) -> RemoteNow:
    """Fetch the objects of the refs in `missing`, under no ref: all branches and tags, the pull requests `pulls`, and
    the newest of the others. Unreachable when that fails.
    """
    heads = [ref for ref in now.missing if ref.startswith(_NAMED) and not ref.endswith("^{}")]
    theirs = {ref: number for ref in now.missing if (number := _number(ref)) is not None}
    newest = sorted(theirs, key=lambda ref: (theirs[ref] in pulls, theirs[ref]), reverse=True)
    wanted = [*heads, *newest[: _MOST_PULLS + len(pulls)]]
    options = ("--quiet", "--no-write-fetch-head", "--no-auto-maintenance", "--no-prune", "--no-tags", "--refmap=")
    assert now.name is not None
    for start in range(0, len(wanted), _BATCH):
        batch = wanted[start : start + _BATCH]
        try:
            git(directory, "fetch", *options, "--", now.name, *batch, timeout=_FETCH_SECONDS)
        except GitFailed as failed:
            raise _unreachable(now.name, failed.why) from failed
    return _sorted_out(directory, now)


def lacking(
    directory: Path, now: RemoteNow, commits: Iterable[str], also: Collection[str] = ()
) -> tuple[str, ...] | None:
    """The commits, those behind them included, that nothing on the remote leads to, newest first.

    What `also` leads to is left out as well. None when git cannot tell.
    """
    asked = sorted(set(commits) - now.here - {*also})
    if not asked:
        return ()
    lines = [*asked, *(f"^{tip}" for tip in sorted(now.here)), *(f"^{commit}" for commit in also)]
    listed = plain(directory, "rev-list", "--topo-order", "--stdin", input="".join(f"{line}\n" for line in lines))
    return tuple(listed.out.split()) if listed.code == 0 else None


def commits_among(directory: Path, ids: Iterable[str]) -> frozenset[str]:
    """Those of `ids` that are commits and are here."""
    question = "".join(f"{each}\n" for each in sorted(set(ids)))
    if not question:
        return frozenset()
    answers = plain(directory, "cat-file", "--batch-check=%(objectname) %(objecttype)", input=question).out.splitlines()
    return frozenset(answer.split()[0] for answer in answers if answer.endswith(" commit"))


def commits_of_pull(project: Project, now: RemoteNow, number: int, base: str | None) -> frozenset[str]:
    """The commits of a pull request: its head, and what is behind that and was not on its base before it.

    `base` is the branch it goes into (default: the remote's). NotFound when the remote has no such pull request;
    `now` has to have been brought here with it.
    """
    head = now.refs.get(f"{_PULLS}{number}/head")
    if head is None:
        raise NotFound(
            f"{now.name or 'this repository'} has no pull request {number}",
            hint="leave --pr out to look at every worktree",
        )
    tips = [now.refs.get(HEADS + name) for name in dict.fromkeys((base, now.default)) if name is not None]
    known = [tip for tip in tips if tip is not None and tip in now.here]
    before = [each for tip in known for each in _before(project.directory, head, tip)]
    listed = plain(project.directory, "rev-list", head, *(f"^{each}" for each in before))
    return frozenset(listed.out.split()) | {head}


def _before(directory: Path, head: str, tip: str) -> Sequence[str]:
    """Where a branch that is at `tip` stood before it took `head` in; `tip` itself when it never did."""
    if not leads_to(directory, tip, head):
        return [tip]
    after = set(plain(directory, "rev-list", "--ancestry-path", f"{head}..{tip}").out.split())
    line = plain(directory, "rev-list", "--first-parent", f"{head}..{tip}").out.split()
    merges = [commit for commit in line if commit in after]
    if not merges:
        return [head]
    return plain(directory, "rev-parse", f"{merges[-1]}^1").out.split()


def leads_to(directory: Path, newer: str, older: str) -> bool:
    """Whether `older` is seen to be reachable from `newer`; False when git cannot tell."""
    return plain(directory, "merge-base", "--is-ancestor", older, newer).code == 0


def plain(directory: Path, *args: str, input: str | None = None) -> Ran:
    """git with every object as it is here, whatever refs/replace says, and nothing fetched on the way by a partial
    clone; the exit code is for the caller to judge.
    """
    text = input.encode() if input is not None else None
    return git(directory, _AS_THEY_ARE, *args, check=False, input=text, env=_NOTHING_FETCHED)


def _sorted_out(directory: Path, now: RemoteNow) -> RemoteNow:
    here = commits_among(directory, now.refs.values())
    # A tag's own object is no commit; the commit it names is shown as `<tag>^{}`.
    missing = [
        ref
        for ref, tip in now.refs.items()
        if tip not in here and now.refs.get(f"{ref}^{{}}") not in here and not ref.startswith("refs/stoat/")
    ]
    return now._replace(here=here, missing=tuple(missing))


def _number(ref: str) -> int | None:
    number = ref.removeprefix(_PULLS).removesuffix("/head")
    return int(number) if ref == f"{_PULLS}{number}/head" and number.isdecimal() else None


def _no_other_copy(directory: Path, common: Path, name: str) -> str | None:
    """Why what this remote has is no second copy; None when it is one, as far as can be seen from here."""
    url = git(directory, "remote", "get-url", name, check=False).out.removesuffix("\n")
    there = _repository_at(directory, unquote(url) if url.startswith("file:") else url)
    if there is None:
        return None
    if there == common:
        return f"the remote {name} is this very repository"
    try:
        lent = (there / "objects" / "info" / "alternates").read_text(encoding="utf-8", errors="surrogateescape")
    except OSError:
        return None
    if any((there / "objects" / line).resolve() == common / "objects" for line in lent.splitlines() if line):
        return f"the remote {name} borrows its objects from this repository"
    return None


def _repository_at(directory: Path, url: str) -> Path | None:
    """The git directory, real path, of a remote on this disk; None for any other."""
    place = directory / url.removeprefix("file://")
    try:
        if not url or not place.is_dir():
            return None
        said = git(place, "rev-parse", "--path-format=absolute", "--git-common-dir").out
    except (GitFailed, OSError, ValueError):
        return None
    return Path(said.removesuffix("\n")).resolve()


def _unreachable(name: str, why: str) -> Unreachable:
    return Unreachable(
        f"{name} could not be asked what it has: {legible(why)}",
        hint="nothing is removed without that; try again when it can be reached",
    )
