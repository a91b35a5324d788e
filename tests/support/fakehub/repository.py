"""A repository of the fake: its issues, pull requests, checks and rules, over a real bare repository."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.support.fakehub.checks import CheckRun, Checks, CommitStatus
from tests.support.fakehub.closing import closed_by, mentioned_in
from tests.support.fakehub.gitside import GitSide
from tests.support.fakehub.model import Issue, Label, Milestone, locked
from tests.support.fakehub.pulls import Pull, QueueEntry

if TYPE_CHECKING:
    from tests.support.fakehub.hub import FakeHub

METHODS = ("squash", "merge", "rebase")


@dataclass(frozen=True)
class Protection:
    """What a branch asks for before anything is merged into it. `classic`: a protection rule, not a ruleset.

    `apps` says of a required check that only this app's counts (its slug; not of a classic rule).
    `methods` narrows the repository's merge methods, as a ruleset may; `refusal` is a sentence of any other rule.
    """

    required: tuple[str, ...] = ()
    apps: Mapping[str, str] = field(default_factory=dict)
    strict: bool = False
    approvals: int = 0
    queue: bool = False
    methods: tuple[str, ...] | None = None
    dismiss_stale: bool = False
    classic: bool = False
    refusal: str | None = None

    @property
    def any(self) -> bool:
        """Whether it asks for anything."""
        return self != Protection(classic=self.classic)


class Repository:
    """OWNER/NAME on the fake, with a real bare repository at the path `git`."""

    def __init__(self, hub: FakeHub, name: str, default: str, private: bool, empty: bool) -> None:
        owner, _, short = name.partition("/")
        self.hub = hub
        self.owner = hub.user(owner, "Organization")
        self.short = short
        self.private = private
        self.default_branch = default
        self.id = hub.new_id()
        self.node_id = hub.register("R", self)
        self.created_at = self.updated_at = self.pushed_at = hub.now()
        self.archived = False
        self.visible = True
        self.has_issues = True
        self.permission = "WRITE"
        self.readers: set[str] = set()
        """Logins without write access: their reviews decide nothing. Everybody else may write."""
        self.methods: tuple[str, ...] = METHODS
        self.auto_merge_allowed = False
        self.delete_branch_on_merge = False
        self.parent: Repository | None = None
        self.issues: dict[int, Issue] = {}
        self.pulls: dict[int, Pull] = {}
        self.labels: dict[str, Label] = {}
        self.milestones: dict[int, Milestone] = {}
        self.checks = Checks(self)
        self.protections: dict[str, Protection] = {}
        self.queues: dict[str, list[QueueEntry]] = {}
        self.dispatches: list[dict[str, Any]] = []
        self._last_number = 0
        self.side = GitSide(hub.directory / owner / f"{short}.git", default)
        self._default_tip: str | None = None
        if not empty:
            self._default_tip = self.side.commit(
                default, "Start", {"README.md": f"# {short}\n"}, ("Ada Tester", "ada@example.org"), hub.seconds()
            )

    def __repr__(self) -> str:
        return f"Repository({self.name})"

    @property
    def name(self) -> str:
        """OWNER/NAME."""
        return f"{self.owner.login}/{self.short}"

    # What pulls it together with others.

    def rules(self, branch: str) -> Protection:
        """What `branch` asks for."""
        return self.protections.get(branch, Protection())

    def protect(self, branch: str | None = None, **changes: Any) -> None:
        """Change what a branch (the default one) asks for; see Protection."""
        branch = branch or self.default_branch
        for key in ("required", "methods"):
            if changes.get(key) is not None:
                changes[key] = tuple(changes[key])
        self.protections[branch] = replace(self.rules(branch), **changes)

    def allowed_methods(self, branch: str) -> tuple[str, ...]:
        """The ways of merging into `branch`: the repository's, narrowed by the branch's rules."""
        narrowed = self.rules(branch).methods
        return tuple(one for one in METHODS if one in self.methods and (narrowed is None or one in narrowed))

    def queue_of(self, branch: str) -> list[QueueEntry]:
        """The merge queue of a branch, first to be merged first."""
        return self.queues.setdefault(branch, [])

    def resolve(self, issue: Issue | int | str) -> Issue:
        """An issue as a test names it: itself, its number here, or "owner/name#7"."""
        if isinstance(issue, Issue):
            return issue
        if isinstance(issue, int):
            return self.issues[issue]
        name, _, number = issue.partition("#")
        repo = self.hub.find(name) if name else self
        assert repo is not None, f"no repository {name}"
        return repo.issues[int(number)]

    def thread(self, number: int) -> Issue | Pull | None:
        """The issue or pull request of a number, also one that is gone."""
        return self.issues.get(number) or self.pulls.get(number)

    # What people do.

    @locked
    def issue(
        self,
        title: str,
        number: int | None = None,
        body: str = "",
        labels: Sequence[str] = (),
        assignees: Sequence[str] = (),
        milestone: str | None = None,
        parent: Issue | int | str | None = None,
        blocked_by: Sequence[Issue | int | str] = (),
        state: str = "open",
        reason: str | None = None,
        author: str | None = "ada",
    ) -> Issue:
        """File an issue; `parent` and `blocked_by` are issues, numbers here or "owner/name#7"."""
        user = self.hub.user(author) if author else None
        issue = Issue(self, self._number(number), title, body, user)
        self.issues[issue.number] = issue
        issue.label(*labels)
        issue.assign(*assignees)
        if milestone is not None:
            issue.milestone = self.milestone(milestone)
        if parent is not None:
            self.resolve(parent).adopt(issue)
        issue.block(*blocked_by)
        if state != "open":
            issue.close(reason or "completed")
        issue.reason = reason or issue.reason
        return issue

    @locked
    def pull(
        self,
        title: str,
        head: str,
        base: str | None = None,
        body: str = "",
        author: str | None = "ada",
        draft: bool = False,
        fork: str | None = None,
        number: int | None = None,
        files: Mapping[str, str | bytes | None] | None = None,
    ) -> Pull:
        """Open a pull request; where the branch `head` is not there, a real commit is made on it from `base`.

        `fork` is the owner of the fork that the branch is in (made if need be).
        """
        base = base or self.default_branch
        number = self._number(number)
        home = self.fork(fork) if fork else self
        if home.side.tip(head) is None:
            content = files if files is not None else {f"changes/{number}.txt": f"{title}\n"}
            home.side.commit(head, title, content, self._signature(author), self.hub.seconds(), self.side.tip(base))
        user = self.hub.user(author) if author else None
        pull = Pull(self, number, title, body, user, home, head, base, draft)
        self.pulls[number] = pull
        self.cross_reference(pull)
        return pull

    @locked
    def push(
        self,
        branch: str,
        message: str = "Change",
        files: Mapping[str, str | bytes | None] | None = None,
        author: str | None = "ada",
        start: str | None = None,
    ) -> str:
        """A commit on a branch (cut from `start` or the default branch where it is not there); its id."""
        if files is None:
            files = {f"pushed/{self.hub.new_id()}.txt": f"{message}\n"}
        parent = self.side.tip(start or self.default_branch)
        made = self.side.commit(branch, message, files, self._signature(author), self.hub.seconds(), parent)
        self.sync()
        return made

    @locked
    def check(self, name: str, result: str, on: str | None = None, **more: Any) -> CheckRun:
        """A check run on a branch's tip or a commit (the default branch's tip); see Checks.run for `more`."""
        more.setdefault("event", "push")
        return self.checks.run(self._commit(on), name, result, branch=on or self.default_branch, **more)

    @locked
    def status(self, context: str, state: str, on: str | None = None, **more: Any) -> CommitStatus:
        """A commit status on a branch's tip or a commit; see Checks.status for `more`."""
        return self.checks.status(self._commit(on), context, state, **more)

    @locked
    def label(self, name: str, color: str = "d73a4a", description: str | None = None) -> Label:
        """The label of that name, whatever its case; made if need be."""
        if name.lower() not in self.labels:
            label = Label(self, name, color, self.hub.new_id(), "", self.hub.now(), description)
            label.node_id = self.hub.register("LA", label)
            self.labels[name.lower()] = label
        return self.labels[name.lower()]

    @locked
    def milestone(self, title: str) -> Milestone:
        """The milestone of that title; made if need be."""
        for milestone in self.milestones.values():
            if milestone.title == title:
                return milestone
        made = Milestone(self, len(self.milestones) + 1, title, self.hub.new_id(), "", self.hub.now())
        made.node_id = self.hub.register("MI", made)
        self.milestones[made.number] = made
        return made

    @locked
    def fork(self, owner: str) -> Repository:
        """The fork of this repository that `owner` has; made if need be."""
        name = f"{owner}/{self.short}"
        there = self.hub.find(name)
        if there is None:
            there = self.hub.repository(name, default=self.default_branch, empty=True)
            there.owner.kind = "User"
            there.parent = self
            alternates = there.side.path / "objects" / "info" / "alternates"
            alternates.write_text(f"{(self.side.path / 'objects').resolve()}\n", encoding="utf-8")
            there.side = GitSide(there.side.path, self.default_branch)
            for branch in self.side.branches():
                there.side.move(branch, self.side.tip(branch) or "")
        return there

    @locked
    def rename(self, name: str) -> None:
        """Give it another OWNER/NAME: the old one redirects. (The bare repository stays where it is.)"""
        self.hub.rename(self, name)

    @locked
    def delete(self) -> None:
        """Delete it."""
        self.hub.repositories.pop(self.name.lower(), None)

    @locked
    def sync(self) -> None:
        """Take over what was pushed to the bare repository: heads, bases, and commits that close issues."""
        tip = self.side.tip(self.default_branch)
        before, self._default_tip = self._default_tip, tip
        for pull in list(self.pulls.values()):
            pull.sync()
        if tip is None or tip == before:
            return
        self.pushed_at = self.hub.now()
        comparison = self.side.compare(before, tip) if before else None
        for commit in comparison.commits if comparison else ():
            for named in closed_by(self.side.real(commit).message):
                repo = self.hub.find(named.repo) if named.repo else self
                issue = repo.issues.get(named.number) if repo else None
                if issue is not None and issue.gone is None:
                    issue.close(closer=commit)

    def cross_reference(self, pull: Pull) -> None:
        """Put the pull request on the timelines of what its text mentions."""
        for named in mentioned_in(pull.body):
            repo = self.hub.find(named.repo) if named.repo else self
            issue = repo.issues.get(named.number) if repo else None
            if issue is None or any(
                one.kind == "CrossReferencedEvent" and one.data["source"] is pull for one in issue.events
            ):
                continue
            issue.happened("CrossReferencedEvent", pull.author, source=pull)

    @property
    def git(self) -> Path:
        """Where its bare repository is: clone it, push to it."""
        return self.side.path

    def _commit(self, on: str | None) -> str:
        commit = self.side.commit_of(on or self.default_branch)
        assert commit is not None, f"{on} is no branch or commit"
        return str(commit.id)

    def _number(self, number: int | None) -> int:
        if number is None:
            number = self._last_number + 1
        assert number not in self.issues and number not in self.pulls, f"#{number} is taken"
        self._last_number = max(self._last_number, number)
        return number

    def _signature(self, author: str | None) -> tuple[str, str]:
        login = author or "ghost"
        return (login, f"{login}@users.noreply.github.com")
