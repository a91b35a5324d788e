"""Pull requests: what is computed of them as GitHub computes it, and what people do to them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tests.support.fakehub.checks import GOOD, CheckRun, CommitStatus
from tests.support.fakehub.closing import closed_by
from tests.support.fakehub.model import Issue, Thread, User, locked

if TYPE_CHECKING:
    from tests.support.fakehub.repository import Protection, Repository

WRITERS = {"ADMIN", "MAINTAIN", "WRITE"}


@dataclass(eq=False)
class Review:
    """What somebody said of a pull request: `state` is approved, changes_requested, commented or dismissed."""

    pull: Pull
    author: User | None
    state: str
    body: str
    commit: str
    id: int
    node_id: str
    submitted_at: str


@dataclass(eq=False)
class QueueEntry:
    """A pull request's place in the merge queue of its base."""

    pull: Pull
    id: str
    enqueued_at: str
    enqueuer: User | None
    base_commit: str
    head_commit: str
    state: str = "AWAITING_CHECKS"
    jump: bool = False

    @property
    def position(self) -> int:
        """1 for the first in the queue."""
        return self.pull.repo.queue_of(self.pull.base).index(self) + 1


@dataclass(eq=False)
class AsyncMerge:
    """A merge that was asked for and is under way: pending, merged, enqueued or failed."""

    uuid: str
    method: str
    action: str
    sha: str
    title: str | None
    text: str | None
    status: str = "pending"
    message: str = "Merge request is pending"


class Pull(Thread):
    """A pull request of `head` (a branch of `head_repo`, None when the fork is gone) into the branch `base`."""

    prefix = "PR"

    def __init__(
        self,
        repo: Repository,
        number: int,
        title: str,
        body: str,
        author: User | None,
        head_repo: Repository,
        head: str,
        base: str,
        draft: bool = False,
    ) -> None:
        super().__init__(repo, number, title, body, author)
        self.head_repo: Repository | None = head_repo
        self.head_owner: User | None = head_repo.owner
        self.head_login = head_repo.owner.login
        self.head = head
        self.base = base
        self.draft = draft
        self.conflict = False
        self.reviews: list[Review] = []
        self.asked: list[User] = []
        self.async_merges: dict[str, AsyncMerge] = {}
        self.entry: QueueEntry | None = None
        self.auto_merge: dict[str, Any] | None = None
        self.merged_at: str | None = None
        self.merged_by: User | None = None
        self.merge_commit: str | None = None
        self.unknown_reads = 0
        self._unknown_in = 0
        self._tested: tuple[tuple[str, str], str] | None = None
        tip, base_tip = head_repo.side.tip(head), repo.side.tip(base)
        assert tip is not None and base_tip is not None, f"{head} or {base} is no branch"
        self.head_oid, self.base_oid = tip, base_tip
        self._take_head()
        self.become_unknown()

    @property
    def fork(self) -> bool:
        """Whether its branch is in another repository."""
        return self.head_repo is not self.repo

    @property
    def merged(self) -> bool:
        """Whether it is merged."""
        return self.state == "merged"

    @property
    def rules(self) -> Protection:
        """What its base asks for."""
        return self.repo.rules(self.base)

    # What GitHub computes.

    def closes(self) -> list[Issue]:
        """The issues it closes: named by a keyword in its text if its base is the default branch, or linked by hand."""
        issues = [
            issue for repo in self.hub.repositories.values() for issue in repo.issues.values() if self in issue.linked
        ]
        if self.base == self.repo.default_branch:
            for named in closed_by(self.body):
                repo = self.hub.find(named.repo) if named.repo else self.repo
                issue = repo.issues.get(named.number) if repo else None
                if issue is not None and issue.gone is None and issue not in issues:
                    issues.append(issue)
        return issues

    def become_unknown(self) -> None:
        """Whether it merges has to be computed anew: `hub.unknown_reads` reads say that nobody knows."""
        self.unknown_reads = self.hub.unknown_reads

    def mergeable(self, peek: bool = False) -> str:
        """mergeable, conflicting or unknown; the asking counts as a read unless `peek`."""
        if not self.open:
            return "unknown"
        serial = self.hub.serial
        if not peek and serial and self._unknown_in == serial:
            return "unknown"
        if self.unknown_reads > 0 and not peek:
            self.unknown_reads -= 1
            self._unknown_in = serial
            return "unknown"
        clean = not self.conflict and self.repo.side.merges(self.base_oid, self.head_oid)
        return "mergeable" if clean else "conflicting"

    def test_merge(self) -> str | None:
        """The commit GitHub makes of an open pull request to test it merged; None where it cannot or does not know.

        REST shows it as merge_commit_sha: that of an open pull request says nothing about its being merged.
        """
        pair = (self.base_oid, self.head_oid)
        if not self.open or self.unknown_reads or self.mergeable(peek=True) != "mergeable":
            return None
        if self._tested is None or self._tested[0] != pair:
            side = self.repo.side
            text = f"Merge {self.head_oid} into {self.base_oid}"
            made = side.merge_commit(*pair, text, ("GitHub", "noreply@github.com"), self.hub.seconds())
            side.move(f"refs/pull/{self.number}/merge", made)
            self._tested = (pair, made)
        return self._tested[1]

    def behind(self) -> int:
        """How many commits of the base the head lacks."""
        comparison = self.repo.side.compare(self.base_oid, self.head_oid)
        return comparison.behind if comparison else 0

    def commits(self, merged: bool = False) -> list[str]:
        """Its own commits, oldest first; with `merged` also those that merging it made."""
        git = self.repo.side
        comparison = git.compare(self.base_oid, self.head_oid)
        own = list(comparison.commits) if comparison else []
        if merged and self.merge_commit is not None:
            made = git.compare(self.base_oid, self.merge_commit)
            own += [one for one in (made.commits if made else ()) if one not in own]
        return own

    def unmet(self) -> list[str]:
        """What the base's rules still ask for, in the words of a refused merge."""
        rules, asked = self.rules, []
        checks = self.repo.checks
        words = {one: checks.word_of(self.head_oid, one, rules.apps.get(one)) for one in rules.required}
        waiting = [context for context, word in words.items() if word is None or word == "expected"]
        bad = [context for context, word in words.items() if word not in GOOD and context not in waiting]
        if len(waiting) == 1 and not bad:
            asked.append(f'Required status check "{waiting[0]}" is expected.')
        elif waiting or bad:
            count, total = len(waiting) + len(bad), len(words)
            named = ", ".join(
                [f'"{one}" is expected' for one in waiting] + [f'"{one}" is {_standing(words[one])}' for one in bad]
            )
            asked.append(f"{count} of {total} required status checks have not succeeded: {named}.")
        if rules.approvals and self.decision() != "approved":
            plural = "s are" if rules.approvals > 1 else " is"
            asked.append(
                f"At least {rules.approvals} approving review{plural} required by reviewers with write access."
            )
        return asked

    def merge_state(self, mergeable: str) -> str:
        """GitHub's mergeStateStatus, lower case, of a pull request that `mergeable` was said of."""
        if mergeable == "unknown":
            return "unknown"
        if mergeable == "conflicting":
            return "dirty"
        if self.draft:
            return "draft"
        if self.unmet() or self.repo.permission not in WRITERS or self.repo.archived:
            return "blocked"
        if self.rules.strict and self.rules.required and self.behind():
            return "behind"
        return "clean" if self.repo.checks.verdict(self.head_oid) in (None, "success") else "unstable"

    def opinions(self, writers_only: bool = False) -> list[Review]:
        """The last word of everybody who approved or asked for changes (dismissed ones as such)."""
        last: dict[str, Review] = {}
        for review in self.reviews:
            counts = not writers_only or review.author is None or review.author.login not in self.repo.readers
            if counts and review.state != "commented":
                last[review.author.login if review.author else ""] = review
        return list(last.values())

    def decision(self) -> str | None:
        """approved, changes_requested or review_required; None where the base asks for no review."""
        if not self.rules.approvals:
            return None
        states = [review.state for review in self.opinions(writers_only=True)]
        if "changes_requested" in states:
            return "changes_requested"
        return "approved" if states.count("approved") >= self.rules.approvals else "review_required"

    # What people and their pushes do.

    @locked
    def check(self, name: str, result: str, **more: Any) -> CheckRun:
        """A check run of its head now; see Checks.run for `more`."""
        self.sync()
        return self.repo.checks.run(self.head_oid, name, result, branch=self.head, **more)

    @locked
    def status(self, context: str, state: str, **more: Any) -> CommitStatus:
        """A commit status of its head now; see Checks.status for `more`."""
        self.sync()
        return self.repo.checks.status(self.head_oid, context, state, **more)

    @locked
    def review(self, author: str | None, state: str, body: str = "", commit: str | None = None) -> Review:
        """Somebody reviews it: approved, changes_requested, commented or dismissed."""
        self.sync()
        hub = self.hub
        user = hub.user(author) if author else None
        review = Review(self, user, state, body, commit or self.head_oid, hub.new_id(), "", hub.now())
        review.node_id = hub.register("PRR", review)
        self.reviews.append(review)
        self.asked = [one for one in self.asked if one is not user]
        self.touch()
        return review

    @locked
    def ask_review(self, *logins: str) -> None:
        """Somebody is asked for a review."""
        self.asked += [self.hub.user(login) for login in logins]
        self.touch()

    @locked
    def push(self, message: str = "More", files: Mapping[str, str | bytes | None] | None = None) -> str:
        """A commit on its branch; the new head."""
        assert self.head_repo is not None
        self.head_repo.push(self.head, message, files)
        self.sync()
        return self.head_oid

    @locked
    def close(self) -> None:
        """Close it without merging."""
        if self.open:
            self.hide_changes()
            self.state, self.closed_at = "closed", self.hub.now()
            self.happened("ClosedEvent")
            self.leave_queue("PULL_REQUEST_CLOSED")
            self.touch()

    @locked
    def reopen(self) -> None:
        """Open it again."""
        if self.state == "closed":
            self.state, self.closed_at = "open", None
            self.happened("ReopenedEvent")
            self.become_unknown()
            self.touch()

    @locked
    def edit(self, *, title: str | None = None, body: str | None = None, base: str | None = None) -> None:
        """Change its title, text or base."""
        if title is not None:
            self.title = title
        if body is not None:
            self.body = body
            self.repo.cross_reference(self)
        if base is not None and base != self.base:
            tip = self.repo.side.tip(base)
            assert tip is not None, f"{base} is no branch"
            self.base, self.base_oid = base, tip
            self.become_unknown()
        self.touch()

    @locked
    def merge(self, method: str = "squash", title: str | None = None, message: str | None = None) -> str:
        """Merge it whatever the rules say; the commit the base is at then. Raises gitside.Conflict."""
        from tests.support.fakehub.merging import merge

        self.sync()
        return merge(self, method, title, message, self.hub.viewer)

    @locked
    def forget_fork(self) -> None:
        """The fork that its branch was in is deleted."""
        self.head_repo = self.head_owner = None

    @locked
    def leave_queue(self, reason: str = "MANUAL") -> QueueEntry | None:
        """Take it out of the merge queue; the entry that it had."""
        entry = self.entry
        if entry is not None:
            self.repo.queue_of(self.base).remove(entry)
            self.repo.side.delete(self.group_branch)
            self.entry = None
            self.happened("RemovedFromMergeQueueEvent", reason=reason, before=self.head_oid, enqueuer=entry.enqueuer)
            self.touch()
        return entry

    @locked
    def queue_result(self, passed: bool, method: str = "squash") -> None:
        """The merge queue's checks of it are done: it is merged, or taken out of the queue."""
        if passed:
            self.merge(method)
        else:
            self.leave_queue("FAILED_CHECKS")

    @property
    def group_branch(self) -> str:
        """The branch that the merge queue builds it on."""
        return f"gh-readonly-queue/{self.base}/pr-{self.number}"

    def sync(self) -> None:
        """Take over what was pushed since: a new head, a new base, a branch that is gone."""
        if not self.open:
            return
        tip = self.head_repo.side.tip(self.head) if self.head_repo else self.head_oid
        base = self.repo.side.tip(self.base)
        if tip is None or base is None:
            if tip is None:
                self.happened("HeadRefDeletedEvent")
            self.close()
            return
        if tip != self.head_oid:
            before, self.head_oid = self.head_oid, tip
            self._take_head()
            if not self.repo.side.contains(tip, before):
                self.happened("HeadRefForcePushedEvent", self.author, before=before, after=tip)
            self.leave_queue("BRANCH_PUSHED")
            if self.rules.dismiss_stale:
                for review in self.reviews:
                    review.state = "dismissed" if review.state == "approved" else review.state
            self.become_unknown()
            self.touch()
        if base != self.base_oid:
            had_commits = not self.repo.side.contains(self.base_oid, self.head_oid)
            self.base_oid = base
            if had_commits and self.repo.side.contains(base, self.head_oid):
                from tests.support.fakehub.merging import mark_merged

                mark_merged(self, self.head_oid, self.hub.viewer)
                return
            self.become_unknown()

    def _take_head(self) -> None:
        ref = f"refs/pull/{self.number}/head"
        if self.head_repo is not None and self.head_repo is not self.repo:
            self.repo.side.fetch(self.head_repo.side.path, self.head_oid, ref)
        else:
            self.repo.side.move(ref, self.head_oid)


def _standing(word: str | None) -> str:
    return "in progress" if word in {"queued", "in_progress", "waiting", "pending", "requested"} else "failing"
