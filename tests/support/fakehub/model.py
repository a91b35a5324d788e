"""What issues and pull requests have in common, issues themselves, and the small things that hang on them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import wraps
from typing import TYPE_CHECKING, Any, Literal, ParamSpec, TypeVar

if TYPE_CHECKING:
    from tests.support.fakehub.hub import FakeHub
    from tests.support.fakehub.pulls import Pull
    from tests.support.fakehub.repository import Repository

P = ParamSpec("P")
R = TypeVar("R")
Refers = "Issue | int | str"
"""An issue as a test names it: the thing itself, a number in the same repository, or "owner/name#7"."""


def locked(method: Callable[P, R]) -> Callable[P, R]:
    """A verb of something that has a `hub`: it runs while no request is being answered."""

    @wraps(method)
    def held(*args: P.args, **kwargs: P.kwargs) -> R:
        with args[0].hub.lock:  # type: ignore[attr-defined]
            return method(*args, **kwargs)

    return held


@dataclass(eq=False)
class User:
    """Anybody with a login, an organization included."""

    login: str
    id: int
    node_id: str
    kind: Literal["User", "Bot", "Organization"] = "User"
    created_at: str = ""


@dataclass(eq=False)
class Label:
    """A label of a repository."""

    repo: Repository
    name: str
    color: str
    id: int
    node_id: str
    created_at: str
    description: str | None = None


@dataclass(eq=False)
class Milestone:
    """A milestone of a repository."""

    repo: Repository
    number: int
    title: str
    id: int
    node_id: str
    created_at: str
    state: Literal["open", "closed"] = "open"
    closed_at: str | None = None
    due_on: str | None = None


@dataclass(eq=False)
class Comment:
    """A comment on an issue or a pull request."""

    on: Thread
    author: User | None
    body: str
    id: int
    node_id: str
    created_at: str
    updated_at: str


@dataclass(eq=False)
class Event:
    """An entry of a timeline: `kind` is its GraphQL type, `data` what that type's fields show."""

    kind: str
    on: Thread
    node_id: str
    actor: User | None
    created_at: str
    number: int
    data: dict[str, Any] = field(default_factory=dict)


class Thread:
    """An issue or a pull request: what both have. `state` is open, closed or (a pull request) merged."""

    prefix = ""

    def __init__(self, repo: Repository, number: int, title: str, body: str, author: User | None) -> None:
        self.repo = repo
        self.number = number
        self.title = title
        self.body = body
        self.author = author
        self.state: str = "open"
        self.labels: list[Label] = []
        self.assignees: list[User] = []
        self.milestone: Milestone | None = None
        self.comments: list[Comment] = []
        self.events: list[Event] = []
        self.id = repo.hub.new_id()
        self.node_id = repo.hub.register(self.prefix, self)
        self.created_at = self.updated_at = repo.hub.now()
        self.closed_at: str | None = None
        self.locked = False
        self._hidden: tuple[int, dict[str, Any]] | None = None

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name})"

    @property
    def hub(self) -> FakeHub:
        """The fake this belongs to."""
        return self.repo.hub

    @property
    def name(self) -> str:
        """OWNER/NAME#NUMBER."""
        return f"{self.repo.name}#{self.number}"

    @property
    def path(self) -> str:
        """Its page on the web, from the host on."""
        return f"/{self.repo.name}/{'pull' if self.prefix == 'PR' else 'issues'}/{self.number}"

    @property
    def open(self) -> bool:
        """Whether it is open."""
        return self.state == "open"

    def touch(self) -> None:
        """Something about it changed: now."""
        self.updated_at = self.hub.now()

    def happened(self, kind: str, actor: User | None = None, **data: Any) -> Event:
        """Put an entry on its timeline."""
        event = Event(kind, self, "", actor or self.hub.viewer, self.hub.now(), self.hub.new_id(), data)
        event.node_id = self.hub.register("EV", event)
        self.events.append(event)
        return event

    @locked
    def comment(self, author: str, body: str) -> Comment:
        """Somebody comments."""
        hub = self.hub
        now = hub.now()
        comment = Comment(self, hub.user(author), body, hub.new_id(), "", now, now)
        comment.node_id = hub.register("IC", comment)
        self.comments.append(comment)
        hub.comments[comment.id] = comment
        self.touch()
        return comment

    @locked
    def label(self, *names: str) -> None:
        """Put labels on it (they are made where the repository lacks them)."""
        for name in names:
            label = self.repo.label(name)
            if label not in self.labels:
                self.labels.append(label)
        self.touch()

    @locked
    def unlabel(self, name: str) -> bool:
        """Take a label off, whatever its case; whether it was on."""
        kept = [label for label in self.labels if label.name.lower() != name.lower()]
        was = len(kept) != len(self.labels)
        self.labels = kept
        if was:
            self.touch()
        return was

    @locked
    def assign(self, *logins: str) -> None:
        """Assign people to it; at most ten are taken, as GitHub does."""
        for login in logins:
            user = self.hub.user(login)
            if user not in self.assignees and len(self.assignees) < 10:
                self.assignees.append(user)
        self.touch()

    @locked
    def unassign(self, *logins: str) -> None:
        """Take people off it."""
        gone = {login.lower() for login in logins}
        self.assignees = [user for user in self.assignees if user.login.lower() not in gone]
        self.touch()

    def hide_changes(self) -> None:
        """Show what is now for as many more reads as `hub.faults.lag` says, whatever changes (read-after-write lag)."""
        if self.hub.faults.lag_reads:
            self._hidden = (self.hub.faults.lag_reads, dict(self.__dict__))

    def shown(self) -> Any:
        """What a read sees: this, or a copy from before the last change while GitHub's replicas lag behind."""
        if self._hidden is None:
            return self
        left, before = self._hidden
        self._hidden = (left - 1, before) if left > 1 else None
        copy = object.__new__(type(self))
        copy.__dict__.update(before)
        return copy


class Issue(Thread):
    """An issue. `reason` is completed, not_planned, duplicate, reopened or None; `gone` says where it went."""

    prefix = "I"

    def __init__(self, repo: Repository, number: int, title: str, body: str, author: User | None) -> None:
        super().__init__(repo, number, title, body, author)
        self.reason: str | None = None
        self.parent: Issue | None = None
        self.children: list[Issue] = []
        self.blocked_by: list[Issue] = []
        self.blocking: list[Issue] = []
        self.duplicate_of: Issue | None = None
        self.linked: list[Pull] = []
        self.gone: Literal["deleted"] | Issue | None = None

    @locked
    def close(self, reason: str = "completed", closer: Pull | str | None = None, actor: str | None = None) -> None:
        """Close it; `closer` is the pull request or the commit that did."""
        if not self.open:
            return
        self.hide_changes()
        self.state, self.reason, self.closed_at = "closed", reason, self.hub.now()
        self.happened("ClosedEvent", self.hub.user(actor) if actor else None, closer=closer, reason=reason)
        self.touch()

    @locked
    def reopen(self) -> None:
        """Open it again; the reason is then `reopened`."""
        if self.open:
            return
        self.hide_changes()
        self.state, self.reason, self.closed_at = "open", "reopened", None
        self.happened("ReopenedEvent", reason="reopened")
        self.touch()

    @locked
    def block(self, *blockers: Issue | int | str) -> None:
        """This issue is blocked by others."""
        for blocker in (self.repo.resolve(one) for one in blockers):
            if blocker not in self.blocked_by:
                self.blocked_by.append(blocker)
                blocker.blocking.append(self)

    @locked
    def unblock(self, *blockers: Issue | int | str) -> None:
        """This issue is blocked no more by these."""
        for blocker in (self.repo.resolve(one) for one in blockers):
            if blocker in self.blocked_by:
                self.blocked_by.remove(blocker)
                blocker.blocking.remove(self)

    @locked
    def adopt(self, *children: Issue | int | str) -> None:
        """These become sub-issues of this one."""
        for child in (self.repo.resolve(one) for one in children):
            if child.parent is not None:
                child.parent.children.remove(child)
            child.parent = self
            self.children.append(child)

    @locked
    def disown(self, child: Issue) -> None:
        """This is no sub-issue any more."""
        self.children.remove(child)
        child.parent = None

    @locked
    def link(self, pull: Pull) -> None:
        """A person links a pull request by hand: it closes this issue."""
        if pull not in self.linked:
            self.linked.append(pull)
            self.happened("ConnectedEvent", subject=pull)

    @locked
    def unlink(self, pull: Pull) -> None:
        """A person takes that link away again."""
        if pull in self.linked:
            self.linked.remove(pull)
            self.happened("DisconnectedEvent", subject=pull)

    @locked
    def transfer(self, repo: str, number: int | None = None) -> Issue:
        """Move it to another repository (made if need be); the issue there."""
        target = self.hub.find(repo) or self.hub.repository(repo)
        there = target.issue(
            self.title,
            number=number,
            body=self.body,
            labels=[label.name for label in self.labels],
            assignees=[user.login for user in self.assignees],
            author=self.author.login if self.author else None,
        )
        there.state, there.reason, there.closed_at = self.state, self.reason, self.closed_at
        there.comments = self.comments
        self._leave(there)
        return there

    @locked
    def delete(self) -> None:
        """Delete it: REST answers 410 from now on."""
        self._leave("deleted")

    def _leave(self, gone: Literal["deleted"] | Issue) -> None:
        self.gone = gone
        for blocker in self.blocked_by:
            blocker.blocking.remove(self)
        for blocked in self.blocking:
            blocked.blocked_by.remove(self)
        there = gone if isinstance(gone, Issue) else None
        instead = [there] if there is not None else []
        if self.parent is not None:
            place = self.parent.children.index(self)
            self.parent.children[place : place + 1] = instead
        if there is not None:
            there.parent, there.children = self.parent, self.children
            there.block(*self.blocked_by)
            for blocked in self.blocking:
                blocked.block(there)
        for child in self.children:
            child.parent = there
        self.blocked_by, self.blocking, self.children, self.parent = [], [], [], None

    def ancestors(self) -> Iterable[Issue]:
        """Its parent, that one's parent, and so on."""
        above = self.parent
        while above is not None:
            yield above
            above = above.parent
