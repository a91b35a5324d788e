"""Merging as GitHub does it: what refuses, what is made in the bare repository, what follows; and the merge queue."""

from __future__ import annotations

from typing import NamedTuple

from tests.support.fakehub.gitside import Conflict
from tests.support.fakehub.model import User
from tests.support.fakehub.pulls import WRITERS, AsyncMerge, Pull, QueueEntry

NOT_ALLOWED = {
    "squash": "Squash merges are not allowed on this repository.",
    "merge": "Merge commits are not allowed on this repository.",
    "rebase": "Rebase merges are not allowed on this repository.",
}
NOT_MERGEABLE = "Pull Request is not mergeable"
HEAD_MOVED = "Head branch was modified. Review and try the merge again."


class Refusal(NamedTuple):
    """Why a merge (or an update, or an entry into the queue) is refused: REST's status and the sentence."""

    status: int
    message: str


def refusal(pull: Pull, method: str, sha: str | None, *, queued: bool = False) -> Refusal | None:
    """What stands against merging, None when nothing does. `queued`: it is to go through the merge queue."""
    pull.sync()
    if pull.repo.permission not in WRITERS:
        return Refusal(403, "Resource not accessible by personal access token")
    if scripted := pull.hub.faults.merge_refusal():
        return Refusal(*scripted)
    if not pull.open or pull.draft:
        return Refusal(405, NOT_MERGEABLE)
    if sha is not None and sha != pull.head_oid:
        return Refusal(409, HEAD_MOVED)
    if method not in pull.repo.methods and not queued:
        return Refusal(405, NOT_ALLOWED[method])
    if pull.mergeable(peek=True) == "conflicting":
        return Refusal(405, NOT_MERGEABLE)
    if method == "rebase" and not queued and not _rebases(pull):
        return Refusal(405, "This branch can't be rebased")
    rules = pull.rules
    violations = [rules.refusal] if rules.refusal else []
    if rules.queue and not queued:
        violations.append("Changes must be made through the merge queue")
    if method not in pull.repo.allowed_methods(pull.base) and not queued:
        violations.append(f"Merge method {method} is not allowed on this branch.")
    violations += pull.unmet()
    if not violations and rules.strict and rules.required and pull.behind() and not queued:
        violations.append("Head branch is out of date. Review and try the merge again.")
    if not violations:
        return None
    if rules.classic:
        return Refusal(405, violations[0])
    return Refusal(405, "Repository rule violations found\n\n" + "\n\n".join(violations))


def merge(pull: Pull, method: str, title: str | None, message: str | None, by: User) -> str:
    """Merge without asking whether it may be: the base moves in the bare repository. Raises Conflict."""
    git, hub, repo = pull.repo.side, pull.hub, pull.repo
    if pull.conflict:
        raise Conflict
    if not pull.open:
        raise ValueError(f"{pull.name} is {pull.state}")
    author = (by.login, f"{by.login}@users.noreply.github.com")
    pull.hide_changes()
    for issue in pull.closes():
        issue.hide_changes()
    if method == "merge":
        subject = title or f"Merge pull request #{pull.number} from {pull.head_login}/{pull.head}"
        text = f"{subject}\n\n{message if message is not None else pull.title}"
        made = git.merge_commit(pull.base_oid, pull.head_oid, text, author, hub.seconds())
    elif method == "squash":
        comparison = git.compare(pull.base_oid, pull.head_oid)
        commits = [git.real(one).message.strip() for one in comparison.commits] if comparison else []
        listed = "\n\n".join(f"* {one}" for one in commits) if len(commits) > 1 else ""
        text = f"{title or f'{pull.title} (#{pull.number})'}\n\n{message if message is not None else listed}".strip()
        name = pull.author.login if pull.author else "ghost"
        made = git.squash(pull.base_oid, pull.head_oid, text, (name, f"{name}@users.noreply.github.com"), hub.seconds())
    else:
        made = git.rebase(pull.base_oid, pull.head_oid, hub.seconds())
    git.move(pull.base, made)
    mark_merged(pull, made, by)
    if repo.delete_branch_on_merge and pull.head_repo is repo:
        delete_head(pull)
    repo.sync()
    return made


def mark_merged(pull: Pull, commit: str, by: User) -> None:
    """It is merged as `commit`: its issues close if its base is the default branch."""
    hub = pull.hub
    closes = pull.closes() if pull.base == pull.repo.default_branch else []
    pull.leave_queue("MERGE")
    pull.state = "merged"
    pull.merged_at = pull.closed_at = hub.now()
    pull.merged_by, pull.merge_commit = by, commit
    pull.happened("MergedEvent", by, commit=commit, ref=pull.base)
    pull.happened("ClosedEvent", by)
    pull.touch()
    for issue in closes:
        issue.close(closer=pull)


def delete_head(pull: Pull) -> None:
    """Delete a merged pull request's branch: pull requests stacked on it go to its base."""
    repo = pull.repo
    for other in repo.pulls.values():
        if other.open and other.base == pull.head:
            other.edit(base=pull.base)
    repo.side.delete(pull.head)
    pull.happened("HeadRefDeletedEvent")


def update_branch(pull: Pull, expected: str | None, method: str = "merge") -> Refusal | None:
    """Bring the base into the head's branch; what refuses, None when it is done."""
    pull.sync()
    if expected is not None and expected != pull.head_oid:
        return Refusal(422, "expected head sha didn't match current head ref.")
    if pull.fork or pull.head_repo is None or pull.repo.permission not in WRITERS:
        return Refusal(403, "Resource not accessible by personal access token")
    if not pull.open:
        return Refusal(422, "Pull request is closed")
    if not pull.behind():
        return Refusal(422, "There are no new commits on the base branch.")
    git, at = pull.repo.side, pull.hub.seconds()
    viewer = pull.hub.viewer.login
    author = (viewer, f"{viewer}@users.noreply.github.com")
    try:
        if pull.conflict:
            raise Conflict
        if method == "rebase":
            made = git.rebase(pull.base_oid, pull.head_oid, at)
        else:
            text = f"Merge branch '{pull.base}' into {pull.head}"
            made = git.merge_commit(pull.head_oid, pull.base_oid, text, author, at)
    except Conflict:
        return Refusal(422, "merge conflict between base and head")
    git.move(pull.head, made)
    pull.sync()
    return None


def enqueue(pull: Pull, expected: str | None, jump: bool = False) -> Refusal | QueueEntry:
    """Put it into its base's merge queue, with a commit to test on a branch of the queue."""
    pull.sync()
    if not pull.rules.queue:
        return Refusal(422, "Merge queue is not enabled for this branch")
    if pull.entry is not None:
        return Refusal(422, "Pull request is already in the queue")
    stands = refusal(pull, "squash", expected, queued=True)
    if stands is not None:
        return stands
    repo, hub = pull.repo, pull.hub
    queue = repo.queue_of(pull.base)
    base = queue[-1].head_commit if queue and not jump else pull.base_oid
    viewer = hub.viewer.login
    author = (viewer, f"{viewer}@users.noreply.github.com")
    text = f"Merge pull request #{pull.number}\n\n{pull.title}"
    try:
        head = repo.side.merge_commit(base, pull.head_oid, text, author, hub.seconds())
    except Conflict:
        return Refusal(422, "Pull request cannot be added to the merge queue: it conflicts with what is in it")
    repo.side.move(pull.group_branch, head)
    entry = QueueEntry(pull, "", hub.now(), hub.viewer, base, head, jump=jump)
    entry.id = hub.register("MQE", entry)
    queue.insert(0 if jump else len(queue), entry)
    pull.entry = entry
    pull.happened("AddedToMergeQueueEvent", enqueuer=hub.viewer)
    pull.touch()
    return entry


def finish(pull: Pull, one: AsyncMerge) -> None:
    """Do what an asynchronous merge asked for, or say why it cannot be done."""
    queue = one.action == "merge_queue" or (one.action == "default" and pull.rules.queue)
    refused: Refusal | None
    if queue:
        entry = enqueue(pull, one.sha)
        refused = entry if isinstance(entry, Refusal) else None
    else:
        refused = refusal(pull, one.method, one.sha)
        if refused is None:
            try:
                merge(pull, one.method, one.title, one.text, pull.hub.viewer)
            except Conflict:
                refused = Refusal(405, NOT_MERGEABLE)
    one.status = "failed" if refused else "enqueued" if queue else "merged"
    one.message = refused.message if refused else f"Pull request {one.status}"


def _rebases(pull: Pull) -> bool:
    try:
        pull.repo.side.rebase(pull.base_oid, pull.head_oid, pull.hub.seconds())
    except Conflict:
        return False
    return True
