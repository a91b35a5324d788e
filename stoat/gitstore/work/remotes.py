"""What the remote has right now: its default branch and the branches asked for, fetched into its tracking refs.

Only the named branches are fetched, each by its own refspec: a single-branch clone gets them too, and the tracking
refs of agents' own branches stay where their `--force-with-lease` expects them.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Literal, NamedTuple

from stoat.gitstore.porcelain import GitFailed, Ran, git, legible
from stoat.gitstore.work.branches import HEADS, commit_of
from stoat.gitstore.work.torn import clear_torn

_ASK_SECONDS = 60.0
_FETCH_SECONDS = 1800.0
_USUAL = ("main", "master")
_LOST = ("Could not read from remote", "unable to access", "the remote end hung up", "early EOF")


class Fetched(NamedTuple):
    """The remote as it was just seen; the proof that a base is fresh.

    remote: its name, None for a repository without one.
    default: the branch its HEAD names; None when it has none (no remote, an empty one, a detached HEAD there).
    tips: branch → commit id, of those asked for (and the default, main and master) that exist there; all fetched.
    """

    remote: str | None
    default: str | None
    tips: Mapping[str, str]


class FetchFailed(NamedTuple):
    """Nothing is known to be fresh: the remote could not be asked, or what it sent could not be taken in here."""

    where: Literal["remote", "here"]
    why: str


class DefaultBranch(NamedTuple):
    """The branch that plans are measured against: its name, full ref, commit, and in which way it was found."""

    name: str
    ref: str
    commit: str
    found: str


def remote_of(directory: Path) -> str | None:
    """The remote that Stoat goes by: origin, else the only one there is, else None."""
    names = git(directory, "remote").lines
    if "origin" in names:
        return "origin"
    return names[0] if len(names) == 1 else None


def tracking(remote: str, branch: str) -> str:
    """The full name of the local copy of a remote's branch."""
    return f"refs/remotes/{remote}/{branch}"


def fetch(directory: Path, *branches: str) -> Fetched | FetchFailed:
    """Bring the remote's default branch and those of `branches` that exist there up to date.

    `origin/x` in `branches` asks for `x` as well. A branch that is not there is simply not in the answer's tips.
    """
    remote = remote_of(directory)
    if remote is None:
        return Fetched(None, None, {})
    wanted = {name.removeprefix(HEADS) for name in branches} | set(_USUAL)
    wanted |= {name.removeprefix(f"{remote}/") for name in wanted}
    failed: FetchFailed | None = None
    for _ in range(2):  # once more, for a branch that went away between the two requests
        try:
            seen = _ask(directory, remote, wanted)
            failed = _bring(directory, seen)
        except GitFailed as error:
            return FetchFailed("remote", f"{remote} cannot be reached: {legible(error.why)}")
        if failed is None:
            _mend_remote_head(directory, seen)
            return seen
    assert failed is not None
    return failed


def default_branch(directory: Path, fetched: Fetched | FetchFailed) -> DefaultBranch | None:
    """The default branch, given what `fetch` said; None when there is nothing that could be it.

    What the remote answered goes first, then what this clone remembers of it (`origin/HEAD`), then origin/main and
    origin/master; without a remote the local main or master. `found` says which of them it was.
    """
    remote = fetched.remote if isinstance(fetched, Fetched) else remote_of(directory)
    if remote is None:
        return _first(directory, [(name, HEADS + name, f"the local branch {name}") for name in _USUAL])
    if isinstance(fetched, Fetched):
        if fetched.default is not None:
            ref = tracking(remote, fetched.default)
            return _first(directory, [(fetched.default, ref, f"{remote} says so")])
        usual = [name for name in _USUAL if name in fetched.tips]
    else:
        usual = list(_USUAL)
    tries = [(name, tracking(remote, name), f"{remote}/{name} exists") for name in usual]
    remembered = _remembered(directory, remote)
    if remembered is not None:
        tries.insert(0, (remembered, tracking(remote, remembered), f"{remote}/HEAD as this clone knows it"))
    return _first(directory, tries)


def _first(directory: Path, tries: list[tuple[str, str, str]]) -> DefaultBranch | None:
    for name, ref, found in tries:
        commit = commit_of(directory, ref)
        if commit is not None:
            return DefaultBranch(name, ref, commit, found)
    return None


def _remembered(directory: Path, remote: str) -> str | None:
    """The branch that refs/remotes/<remote>/HEAD points to, whether or not that still exists."""
    prefix = tracking(remote, "")
    target = git(directory, "symbolic-ref", "--quiet", prefix + "HEAD", check=False).out.strip()
    return target.removeprefix(prefix) if target.startswith(prefix) else None


def _mend_remote_head(directory: Path, seen: Fetched) -> None:
    """Point a missing or dangling origin/HEAD at what the remote says; one that resolves is the user's choice."""
    if seen.remote is None or seen.default is None:
        return
    remembered = _remembered(directory, seen.remote)
    if remembered is None or commit_of(directory, tracking(seen.remote, remembered)) is None:
        git(directory, "remote", "set-head", seen.remote, seen.default, check=False)


def _ask(directory: Path, remote: str, wanted: set[str]) -> Fetched:
    patterns = ["HEAD", *sorted(HEADS + name for name in wanted)]
    ran = git(directory, "ls-remote", "--symref", "--", remote, *patterns, timeout=_ASK_SECONDS)
    default, tips = parse_answer(ran.out)
    kept = {name: tip for name, tip in tips.items() if name in wanted or name == default}
    return Fetched(remote, default if default in kept else None, kept)


def parse_answer(text: str) -> tuple[str | None, dict[str, str]]:
    """The output of `git ls-remote --symref`: the branch that HEAD names, and branch → commit id."""
    default: str | None = None
    head: str | None = None
    tips: dict[str, str] = {}
    for line in text.split("\n"):
        what, _, ref = line.partition("\t")
        if what.startswith("ref: "):
            if ref == "HEAD" and what.startswith("ref: " + HEADS):
                default = what.removeprefix("ref: " + HEADS)
        elif ref == "HEAD":
            head = what
        elif ref.startswith(HEADS):
            tips[ref.removeprefix(HEADS)] = what
    if default is not None and head is not None:
        tips[default] = head
    return default, tips


def _bring(directory: Path, seen: Fetched) -> FetchFailed | None:
    """Fetch what is not here yet; None when every tip is, a FetchFailed when the refs could not be written."""
    assert seen.remote is not None
    missing = [name for name, tip in seen.tips.items() if not _have(directory, seen.remote, name, tip)]
    if not missing:
        return None
    ran = _fetch(directory, seen.remote, missing)
    if ran.code != 0 and clear_torn(_common(directory)):
        ran = _fetch(directory, seen.remote, missing)
    if ran.code != 0:
        cleared = _clear_the_way(directory, seen.remote, missing)
        if isinstance(cleared, FetchFailed):
            return cleared
        if cleared:
            ran = _fetch(directory, seen.remote, missing)
    if ran.code == 0:
        return None
    said = [line.strip() for line in ran.err.splitlines() if line.strip()]
    lost = any(sign in line for line in said for sign in _LOST)
    return FetchFailed("remote" if lost else "here", legible(said[0] if said else f"git fetch gave {ran.code}"))


def _common(directory: Path) -> Path:
    asked = git(directory, "rev-parse", "--path-format=absolute", "--git-common-dir")
    return Path(asked.out.removesuffix("\n"))


def _fetch(directory: Path, remote: str, branches: list[str]) -> Ran:
    # No refmap: a mirror's refspec would have it move local branches. No FETCH_HEAD: the checkout stays untouched.
    options = ("--quiet", "--no-write-fetch-head", "--no-auto-maintenance", "--no-prune", "--refmap=")
    refspecs = [f"+{HEADS}{name}:{tracking(remote, name)}" for name in branches]
    return git(directory, "fetch", *options, "--", remote, *refspecs, check=False, timeout=_FETCH_SECONDS)


def _have(directory: Path, remote: str, branch: str, tip: str) -> bool:
    try:
        return commit_of(directory, tracking(remote, branch)) == tip
    except GitFailed:
        return False


def _clear_the_way(directory: Path, remote: str, branches: list[str]) -> bool | FetchFailed:
    """Remove tracking refs that the remote no longer has and whose names are in the way (`a` of `a/b`), no others.

    Gives whether there were any; FetchFailed, and none is removed, where one is the only name of its commit.
    """
    listed = git(directory, "for-each-ref", "--format=%(refname) %(objectname)", tracking(remote, "")).lines
    in_the_way = []
    for line in listed:
        ref, _, commit = line.partition(" ")
        name = ref.removeprefix(tracking(remote, ""))
        if any(name.startswith(f"{branch}/") or branch.startswith(f"{name}/") for branch in branches):
            in_the_way.append((name, ref, commit))
    if not in_the_way:
        return False
    there = _ask(directory, remote, {name for name, _, _ in in_the_way}).tips
    gone = [(ref, commit) for name, ref, commit in in_the_way if name not in there]
    for ref, commit in gone:
        if not _named_besides(directory, commit, {ref for ref, _ in gone}):
            why = f"{ref} is in the way and the only name of {commit[:7]}: git branch NAME {commit[:7]}, then delete it"
            return FetchFailed("here", why)
    for ref, commit in gone:
        git(directory, "update-ref", "-d", ref, commit)
    return bool(gone)


def _named_besides(directory: Path, commit: str, refs: set[str]) -> bool:
    """Whether a ref of its own (origin/HEAD only repeats another) and none of `refs` leads to `commit`."""
    leading = git(directory, "for-each-ref", "--format=%(refname) %(symref)", f"--contains={commit}").lines
    return any(symref == "" and ref not in refs for ref, _, symref in (line.partition(" ") for line in leading))
