"""What GitHub shows about a node in its own words: an issue, comments, pull requests, checks, the log of a failing job.

All of it is outside text, as others wrote it: whoever shows it escapes it. Nothing of it is recorded.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from stoat.clock import Time
from stoat.observe.github.checks import Outcome
from stoat.plan.github import Mergeable, PullState, Review


class Comment(Struct, frozen=True, rename="camel"):
    """A comment; `author` is None when that account is gone."""

    author: str | None
    at: Time
    url: str
    body: str


class Comments(Struct, frozen=True, rename="camel"):
    """How many comments there are, and the most recent ones, the newest last."""

    total: int = 0
    newest: tuple[Comment, ...] = ()


class IssueText(Struct, frozen=True, kw_only=True, rename="camel"):
    """An issue as its page shows it. `reason` is why it was closed, lower case."""

    repo: str
    number: int
    url: str
    title: str
    state: Literal["open", "closed"]
    reason: str | None
    author: str | None
    created_at: Time
    body: str
    labels: tuple[str, ...]
    milestone: str | None
    assignees: tuple[str, ...]
    comments: Comments


class Annotation(Struct, frozen=True, rename="camel"):
    """What a check says of a place in a file."""

    path: str
    line: int | None
    title: str
    message: str


class Log(Struct, frozen=True, rename="camel"):
    """The end of a job's log; `missing` says why there is none. `cut`: there is more before it."""

    text: str = ""
    cut: bool = False
    missing: str | None = None


class CheckText(Struct, frozen=True, kw_only=True, rename="camel"):
    """A check of a pull request's head: the newest run of it. `said` is GitHub's word for how it stands, lower case.

    Only of a failing check: `title` and `summary`, as the check wrote them, its first failures in files
    (`annotations`, `more_annotations` of them left out), and of a job of GitHub Actions the end of its log.
    """

    name: str
    workflow: str | None
    app: str | None
    state: Outcome
    said: str
    url: str | None
    title: str = ""
    summary: str = ""
    annotations: tuple[Annotation, ...] = ()
    more_annotations: int = 0
    log: Log | None = None

    @property
    def label(self) -> str:
        """`workflow / name`, or the name alone."""
        return f"{self.workflow} / {self.name}" if self.workflow else self.name


class Opinion(Struct, frozen=True, rename="camel"):
    """What somebody last said of a pull request in a review."""

    author: str | None
    state: str


class PullText(Struct, frozen=True, kw_only=True, rename="camel"):
    """A pull request as its page shows it. `merge_state` is GitHub's word, lower case."""

    repo: str
    number: int
    url: str
    title: str
    state: PullState
    author: str | None
    created_at: Time
    body: str
    head: str
    base: str
    review: Review | None
    reviews: tuple[Opinion, ...]
    mergeable: Mergeable
    merge_state: str
    additions: int
    deletions: int
    changed_files: int
    merged_at: Time | None
    comments: Comments
    checks: tuple[CheckText, ...]


class GitHubText(Struct, frozen=True, kw_only=True, rename="camel"):
    """All of it, as read at `at`. `problems` say what could not be read of it, and why."""

    at: Time
    issue: IssueText | None = None
    prs: tuple[PullText, ...] = ()
    problems: tuple[str, ...] = ()
