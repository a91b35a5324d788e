"""Removing worktrees whose work is over, or saying which could go: `prune(session, apply=…) -> Pruned`.

Everything is asked of the remote just now; where it cannot be asked, nothing is removed at all. Right before a worktree
goes, the plans, the remote and the worktree itself are looked at once more.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import partial
from typing import NamedTuple

from msgspec import Struct

from stoat.clock import now as clock_now
from stoat.derive import prune as deciding
from stoat.derive.prune import Keep, Remove, Source
from stoat.derive.wording import prune as say
from stoat.errors import StoatError, Unreachable
from stoat.gitstore.porcelain import legible
from stoat.gitstore.work import proofs, pruning
from stoat.gitstore.work.proofs import RemoteNow
from stoat.gitstore.work.pruned_branches import left_behind
from stoat.gitstore.work.pruning import Around, Looked, NotRemoved
from stoat.gitstore.work.worktrees import Project, Registered, project_at
from stoat.observe.tree import repository_at
from stoat.plan.worktree import WorktreeFact
from stoat.service.session import Session

_TRIES = 3


class KeptWorktree(Struct, frozen=True, rename="camel"):
    """A worktree that stays, and every reason for it."""

    path: str
    why: str
    bytes: int


class Pruned(Struct, frozen=True, rename="camel", kw_only=True):
    """What went, or (not `applied`) would go: paths, why each, their local branches deleted, and bytes on disk.

    Among the branches are also those that an earlier removal left behind as it was cut short.

    `trouble` says why it could not be gone on with; what had been removed by then is in `removed`.
    """

    applied: bool
    removed: list[str]
    kept: list[KeptWorktree]
    reasons: dict[str, str]
    bytes: dict[str, int]
    branches: list[str]
    trouble: str | None = None


class _Judged(NamedTuple):
    entry: Registered
    looked: Looked
    verdict: Remove | Keep


def prune(session: Session, *, apply: bool, pull: int | None = None, ignored: bool = False) -> Pruned:
    """Judge every worktree of the project that the session stands in and, with `apply`, remove those that may go.

    With `pull` only those that have a commit of that pull request checked out; with `ignored` also such whose ignored
    files go with them. Unreachable when the remote cannot be asked (then nothing was removed), NotFound when it has no
    such pull request, GitFailed where there is no repository.
    """
    work = _Work(session, project_at(session.directory), pull, ignored)
    judged = work.judge_all()
    removed: list[str] = []
    kept: list[KeptWorktree] = []
    branches: list[str] = []
    reasons: dict[str, str] = {}
    sizes: dict[str, int] = {}
    trouble: str | None = None
    for one in judged:
        verdict, path = one.verdict, legible(one.looked.fact.path)
        sizes[path] = one.looked.bytes
        if isinstance(verdict, Remove) and apply:
            try:
                verdict, branch = work.remove(one) if trouble is None else (Keep(trouble), None)
                branches += [branch] if branch is not None else []
            except StoatError as failed:
                trouble = failed.message
                verdict = Keep(trouble)
        if isinstance(verdict, Remove):
            removed.append(path)
            reasons[path] = verdict.why
        else:
            kept.append(KeptWorktree(path, verdict.why, one.looked.bytes))
    if apply and trouble is None:
        try:
            branches += work.end_removals()
        except StoatError as failed:
            trouble = failed.message
    return Pruned(
        applied=apply, removed=removed, kept=kept, reasons=reasons, bytes=sizes, branches=branches, trouble=trouble
    )


class _Work:
    """One prune of one project: what was asked for, and how a worktree is looked at and judged."""

    def __init__(self, session: Session, project: Project, pull: int | None, ignored: bool) -> None:
        self.session = session
        self.project = project
        self.repo = repository_at(project.directory)
        self.pull = pull
        self.ignored = ignored
        self.commits: Collection[str] = ()

    def judge_all(self) -> list[_Judged]:
        """Every candidate; what the remote has and this clone has not is only fetched if it could make a difference."""
        now = proofs.ask(self.project)
        around = Around(self.project)
        entries = pruning.candidates(around)
        if self.pull is not None:
            now = self._bring_pull(now, self.pull)
            self.commits = proofs.commits_of_pull(self.project, now, self.pull, self._base(self.pull))
        looked = [pruning.look_at(self.project, entry, now, self.commits, around) for entry in entries]
        if now.missing and any(each.fact.unproven or each.fact.forgotten for each in looked):
            now = proofs.bring(self.project.directory, now, self._pulls(each.fact for each in looked))
            looked = [
                pruning.look_at(self.project, entry, now, self.commits, around)
                if each.fact.unproven or each.fact.forgotten
                else each
                for entry, each in zip(entries, looked, strict=True)
            ]
        return [_Judged(entry, each, self.judge(each.fact, now)) for entry, each in zip(entries, looked, strict=True)]

    def judge(self, fact: WorktreeFact, now: RemoteNow) -> Remove | Keep:
        """The verdict on one, by the plans as they are at this moment."""
        session = self.session
        at = clock_now()
        answers = session.answers(at)
        pulls = deciding.pulls_of(fact, session.state(), self.repo)
        within = {pull.number for pull in pulls if fact.head and self._is_within(fact.head, pull.head)}
        beyond = {pull.number for pull in pulls} - within
        default = now.refs.get(f"refs/heads/{now.default}") if now.default is not None else None
        # Only of an agent's worktree it makes a difference.
        is_agents = fact.kind == "agent" and fact.head is not None and default is not None
        merged = is_agents and self._is_within(fact.head or "", default or "")
        means = deciding.meaning(fact, session.state(), answers.plans, session.facts(), at, pulls, beyond, merged)
        source = Source(now.name, now.problem)
        return deciding.judge(fact, means, source, pull=self.pull, ignored=self.ignored)

    def _is_within(self, commit: str, head: str) -> bool:
        """Whether a pull request with that head has the commit; False as well where its head is not here."""
        return commit == head or proofs.leads_to(self.project.common, head, commit)

    def remove(self, one: _Judged) -> tuple[Remove | Keep, str | None]:
        """Remove one, after all was looked at again; the verdict on it by then, and the branch that went with it."""
        now = proofs.ask(self.project)
        fact = one.looked.fact
        for _ in range(_TRIES):
            verdict = self.judge(fact, now)
            if isinstance(verdict, Keep):
                return verdict, None
            done = pruning.remove(
                self.project,
                fact,
                lambda entry, around: pruning.look_at(self.project, entry, now, self.commits, around),
                verdict.branch,
            )
            if not isinstance(done, NotRemoved):
                return verdict, done.branch
            if done.now is None:
                return Keep(done.why or ""), None
            fact = done.now.fact
        return Keep(say.RESTLESS), None

    def end_removals(self) -> list[str]:
        """Delete the branches that a removal which was cut short left behind; gives them. Unreachable as `remove`."""
        if self.pull is not None:
            return []
        around = Around(self.project)
        gone = []
        for left in left_behind(self.project, around.entries, around.refs):
            now = proofs.ask(self.project)
            look = partial(pruning.look_at_branch, self.project, left, now)
            fact = look(Around(self.project))
            verdict = self.judge(fact, now)
            if isinstance(verdict, Remove) and verdict.branch == left.branch:
                branch = pruning.remove_branch(self.project, left, fact, look)
                gone += [branch] if branch is not None else []
        return gone

    def _bring_pull(self, now: RemoteNow, number: int) -> RemoteNow:
        """The pull request's commits and those of its base, here."""
        wanted = {f"refs/pull/{number}/head", *(f"refs/heads/{name}" for name in (self._base(number), now.default))}
        lacks = tuple(ref for ref in now.missing if ref in wanted)
        if not lacks:
            return now
        return proofs.bring(self.project.directory, now._replace(missing=lacks), (number,))

    def _base(self, number: int) -> str | None:
        seen = self.session.state().repositories().get(self.repo.lower()) if self.repo is not None else None
        record = seen.pulls.get(number) if seen is not None else None
        return record.fact.base if record is not None and record.fact is not None else None

    def _pulls(self, facts: Iterable[WorktreeFact]) -> set[int]:
        state = self.session.state()
        return {pull.number for fact in facts for pull in deciding.pulls_of(fact, state, self.repo)}


def trouble_of(pruned: Pruned) -> Unreachable | None:
    """The error that a prune ended with before it was through, to be said after what it did."""
    return Unreachable(pruned.trouble) if pruned.trouble is not None else None
