"""What GitHub showed, as values: what is recorded on the ref, and what changes too often to be.

A repository's stream records issues, pull requests, the default branch and the repository itself, each as a whole and
only when it became different. Counts of checks, merge states and when anybody last looked are `Now` values: they are
kept beside the store, may be gone at any time, and come back with the next sweep.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from stoat.clock import Time
from stoat.plan.ids import is_anchor, is_repository

_MOST_DIGITS = 10
"""GitHub's numbers end at 2^31."""

PullState = Literal["open", "draft", "merged", "closed"]
Mergeable = Literal["mergeable", "conflicting", "unknown"]
Review = Literal["approved", "changes_requested", "review_required"]
Settled = Literal["none", "passed", "failed"]
Verdict = Literal["none", "pending", "passed", "failed"]
WhyUnseen = Literal["missing", "other-kind", "deleted", "transferred", "forbidden", "blocked", "unreadable"]


class Numbered(Struct, frozen=True, order=True):
    """An issue or a pull request: `repo` is OWNER/NAME as GitHub spells it."""

    repo: str
    number: int

    def __str__(self) -> str:
        return f"{self.repo}#{self.number}"


def numbered(text: str) -> Numbered | None:
    """The issue or pull request that `OWNER/NAME#N` names; None for any other text."""
    repo, _, digits = text.rpartition("#")
    if not is_anchor(text) or not is_repository(repo) or len(digits) > _MOST_DIGITS:
        return None
    return Numbered(repo, int(digits))


class Blocker(Struct, frozen=True, order=True):
    """An issue that another one is blocked by, and whether it is open; `reason` is why it was closed, lower case."""

    repo: str
    number: int
    open: bool
    reason: str | None = None


class Link(Struct, frozen=True, order=True):
    """A pull request of an issue, and how that is known.

    closes: GitHub lists it as closing the issue · body: its text says so, and GitHub does not link it because it goes
    into another branch than the default one.
    """

    repo: str
    number: int
    how: Literal["closes", "body"]


class Issue(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An issue. `reason` (of its state) is completed, not_planned, duplicate or reopened, None where there is none.

    `closed_by` is the pull request that closed it and `closed_commit` that one's merge commit, where GitHub says so.
    `updated_at` tells a stale read from a new one and is no news by itself.
    """

    number: int
    url: str
    title: str
    open: bool
    reason: str | None = None
    closed_at: Time | None = None
    closed_by: Numbered | None = None
    closed_commit: str | None = None
    labels: tuple[str, ...] = ()
    assignees: tuple[str, ...] = ()
    milestone: str | None = None
    parent: Numbered | None = None
    children: int = 0
    children_open: int = 0
    blockers: tuple[Blocker, ...] = ()
    pulls: tuple[Link, ...] = ()
    updated_at: Time = ""


class Opinion(Struct, frozen=True, order=True):
    """Somebody's last word on a pull request, and the commit it was said of."""

    author: str
    state: Literal["approved", "changes_requested", "dismissed"]
    commit: str | None = None


class Bound(Struct, frozen=True, order=True):
    """A required check that only one app's counts for: its name, and the app's number."""

    context: str
    app: int


class Pull(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A pull request. `head` is the commit; `head_repo_owner` is None when the fork is gone.

    `review` is GitHub's own decision, None where the base asks for none; `opinions` count also then. `mergeable` is the
    last answer that GitHub had for this head. `ci` is how the checks of `head` ended once all of them had, None until
    then; `failing` names what failed, and `producers` says of each in the same place who published it (see Ci).
    """

    number: int
    url: str
    title: str
    state: PullState
    head: str
    head_branch: str
    base: str
    fork: bool = False
    head_repo_owner: str | None = None
    author: str | None = None
    mergeable: Mergeable = "unknown"
    review: Review | None = None
    opinions: tuple[Opinion, ...] = ()
    ci: Settled | None = None
    failing: tuple[str, ...] = ()
    producers: tuple[str, ...] = ()
    queued: bool = False
    merged_at: Time | None = None
    merge_commit: str | None = None
    closed_at: Time | None = None
    updated_at: Time = ""


class Branch(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The default branch and how its checks ended the last time all of them had; None until then.

    `failing` and `producers` are as a pull request's.

    While it is red, `red_commit` is the commit it went red at, with its subject, time and pull request; `red_floor`
    says that it was red as far back as was looked, so that it may be red for longer.
    """

    name: str
    ci: Settled | None = None
    failing: tuple[str, ...] = ()
    producers: tuple[str, ...] = ()
    red_commit: str | None = None
    red_subject: str = ""
    red_at: Time | None = None
    red_pull: int | None = None
    red_floor: bool = False


class Repository(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A repository, as far as work in it depends on that. `name` is OWNER/NAME as GitHub spells it now.

    `methods` are the ways of merging it allows (squash, merge, rebase). Of the default branch: `queue` whether it has
    a merge queue, `required` the checks that must have passed and `bound` those of them that must be of one app,
    `strict` whether a head must contain its tip, `approvals` how many it asks for.
    """

    name: str
    default_branch: str | None = None
    archived: bool = False
    permission: str | None = None
    methods: tuple[str, ...] = ()
    queue: bool = False
    required: tuple[str, ...] = ()
    bound: tuple[Bound, ...] = ()
    strict: bool = False
    approvals: int = 0


class Unseen(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """That something cannot be seen any more: why, in GitHub's words where it had any, since when, where it went.

    missing: GitHub does not show it, which for something private may be a lack of access · other-kind: an issue was
    asked for and the number is a pull request's, or the reverse · deleted · transferred (to `to`) · forbidden: the
    token lacks a permission · blocked: GitHub blocked the repository · unreadable: an error.
    """

    why: WhyUnseen
    at: Time
    detail: str = ""
    to: str | None = None


class IssueRecord(Struct, frozen=True, omit_defaults=True):
    """What is on record of an issue: the newest fact (None: never seen), when it was recorded, why it is not seen."""

    fact: Issue | None = None
    at: Time = ""
    unseen: Unseen | None = None


class PullRecord(Struct, frozen=True, omit_defaults=True):
    """What is on record of a pull request; as IssueRecord."""

    fact: Pull | None = None
    at: Time = ""
    unseen: Unseen | None = None


class GitHubState(Struct, kw_only=True, omit_defaults=True):
    """All that is on record of one repository. Never changed outside the fold."""

    repository: Repository | None = None
    default: Branch | None = None
    issues: dict[int, IssueRecord] = {}
    pulls: dict[int, PullRecord] = {}
    unseen: Unseen | None = None
    seq: int = 0


class Ci(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The checks of one commit just now, each counted once: the newest run of each.

    `failing` are names for people (`workflow / name` where a name alone would be ambiguous); `producers` says of each,
    in the same place, who published it: `APP/WORKFLOW`, or `status:CONTEXT` (empty: not known). `waiting` are required
    checks that never reported. `hidden`: the token may not read them, or not all, so no verdict but failed can come.
    """

    verdict: Verdict
    passed: int = 0
    failed: int = 0
    pending: int = 0
    skipped: int = 0
    failing: tuple[str, ...] = ()
    producers: tuple[str, ...] = ()
    waiting: tuple[str, ...] = ()
    hidden: bool = False

    @property
    def total(self) -> int:
        """All checks there are."""
        return self.passed + self.failed + self.pending + self.skipped


class PullNow(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What changes with every check: valid for `head` alone. `merge_state` is GitHub's word, lower case."""

    head: str
    ci: Ci
    merge_state: str = "unknown"


class RepositoryNow(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A repository as last looked at: when it was last read, and what has kept it from being read since.

    `gaps` says what the last reading could not see beside what it was for.
    """

    seen_at: Time | None = None
    problem: str | None = None
    gaps: str | None = None
    pulls: dict[int, PullNow] = {}


class GitHubNow(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What the last sweep saw that is not recorded: by repository (OWNER/NAME in lower case).

    `problem` is what kept it from reading anything (no token, a wrong one, GitHub away, a limit), with what to do in
    `fix`; `again_at` is when it will look again if it has to wait.
    """

    at: Time | None = None
    problem: str | None = None
    fix: str | None = None
    again_at: Time | None = None
    repositories: dict[str, RepositoryNow] = {}


class Wanted(Struct, frozen=True, kw_only=True):
    """What a sweep should look at in one repository.

    `branches` are heads (`stoat/PLAN/NODE`) whose pull requests are wanted whatever their text says.
    """

    name: str
    issues: tuple[int, ...] = ()
    pulls: tuple[int, ...] = ()
    branches: tuple[str, ...] = ()


class PullLooked(Struct, frozen=True):
    """A pull request that was read, in the repository `repo`."""

    repo: str
    pull: Pull
    now: PullNow


class NotThere(Struct, frozen=True, kw_only=True):
    """Something asked for that GitHub did not show, and why; without a number the repository itself."""

    what: Literal["issue", "pull", "repository"]
    why: WhyUnseen
    number: int | None = None
    detail: str = ""
    to: str | None = None


class Looked(Struct, frozen=True, kw_only=True):
    """What was read of one repository that was asked for as `name`.

    `problem`: why what was wanted of it could not be read. `gaps`: what else of it could not, though all that was
    wanted was (the pull requests of a branch, an old comment's mention): what is known stands, and there may be more.
    """

    name: str
    repository: Repository | None = None
    default: Branch | None = None
    issues: tuple[Issue, ...] = ()
    pulls: tuple[PullLooked, ...] = ()
    not_there: tuple[NotThere, ...] = ()
    problem: str | None = None
    gaps: str | None = None


class Reading(Struct, frozen=True, kw_only=True):
    """One sweep of GitHub: what was read, with how many requests, and what kept it from reading on (see GitHubNow)."""

    repositories: tuple[Looked, ...] = ()
    requests: int = 0
    problem: str | None = None
    fix: str | None = None
    again_at: Time | None = None
