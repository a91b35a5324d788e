"""What a sweep saw on GitHub: whole facts, recorded only when they became different (`derive/news.py`)."""

from __future__ import annotations

from typing import Literal

from msgspec.structs import replace

from stoat.plan import github
from stoat.plan.events.base import Event


class GitHubEvent(Event, frozen=True, kw_only=True, omit_defaults=True):
    """An event of a repository's stream, `github/OWNER/NAME`."""

    def fold(self, repository: github.GitHubState) -> None:
        """Put what was seen into the repository's state."""
        raise NotImplementedError(type(self).__name__)


class IssueSeen(GitHubEvent, tag="issue_seen", frozen=True):
    """An issue, whole."""

    issue: github.Issue

    def fold(self, repository: github.GitHubState) -> None:
        """Keep it as the newest, and as seen again."""
        repository.issues[self.issue.number] = github.IssueRecord(self.issue, self.at)


class PullSeen(GitHubEvent, tag="pull_seen", frozen=True):
    """A pull request, whole."""

    pull: github.Pull

    def fold(self, repository: github.GitHubState) -> None:
        """Keep it as the newest, and as seen again."""
        repository.pulls[self.pull.number] = github.PullRecord(self.pull, self.at)


class DefaultBranchSeen(GitHubEvent, tag="default_branch_seen", frozen=True):
    """The default branch and how its checks ended."""

    branch: github.Branch

    def fold(self, repository: github.GitHubState) -> None:
        """Keep it."""
        repository.default = self.branch


class RepositorySeen(GitHubEvent, tag="repository_seen", frozen=True):
    """The repository's settings; also that it can be seen again."""

    repository: github.Repository

    def fold(self, repository: github.GitHubState) -> None:
        """Keep them."""
        repository.repository = self.repository
        repository.unseen = None


class NotSeen(GitHubEvent, tag="not_seen", frozen=True):
    """That an issue, a pull request, or the whole repository (no number) cannot be seen. What was known stays."""

    what: Literal["issue", "pull", "repository"]
    why: github.WhyUnseen
    number: int | None = None
    detail: str = ""
    to: str | None = None

    def fold(self, repository: github.GitHubState) -> None:
        """Remember why, beside the last facts."""
        unseen = github.Unseen(why=self.why, at=self.at, detail=self.detail, to=self.to)
        if self.what == "repository" or self.number is None:
            repository.unseen = unseen
        elif self.what == "issue":
            issue = repository.issues.get(self.number, github.IssueRecord())
            repository.issues[self.number] = replace(issue, unseen=unseen)
        else:
            pull = repository.pulls.get(self.number, github.PullRecord())
            repository.pulls[self.number] = replace(pull, unseen=unseen)
