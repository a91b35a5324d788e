"""Check runs and commit statuses of one repository, and the verdict that GitHub rolls them up to."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple
from zlib import crc32

if TYPE_CHECKING:
    from tests.support.fakehub.model import User
    from tests.support.fakehub.repository import Repository

UNDER_WAY = {"queued", "in_progress", "waiting", "pending", "requested"}
GOOD = {"success", "neutral", "skipped"}
_ACTIONS = 15368
_STAMPED = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+Z ")


class Annotation(NamedTuple):
    """A remark of a check run on a line of a file."""

    path: str
    line: int
    message: str
    title: str | None = None
    level: str = "failure"
    end_line: int | None = None
    raw_details: str | None = None


class Step(NamedTuple):
    """A step of an Actions job."""

    name: str
    conclusion: str | None = "success"
    status: str = "completed"


@dataclass(eq=False)
class Suite:
    """The check runs that one app (one run of one workflow) made for one commit."""

    repo: Repository
    head_sha: str
    app: str | None
    workflow: str | None
    event: str
    branch: str | None
    id: int
    node_id: str
    created_at: str
    run_id: int | None = None
    run_node_id: str = ""
    runs: list[CheckRun] = field(default_factory=list)


@dataclass(eq=False)
class CheckRun:
    """One run of a check. `status` and `conclusion` are GitHub's words, lower case."""

    suite: Suite
    name: str
    id: int
    node_id: str
    status: str
    conclusion: str | None
    started_at: str | None
    completed_at: str | None
    title: str | None = None
    summary: str | None = None
    text: str | None = None
    details_url: str | None = None
    annotations: list[Annotation] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    log: str | None = ""

    @property
    def repo(self) -> Repository:
        """The repository it belongs to."""
        return self.suite.repo

    @property
    def head_sha(self) -> str:
        """The commit it checks."""
        return self.suite.head_sha

    @property
    def word(self) -> str:
        """Its conclusion, or its status while it has none."""
        return self.conclusion or self.status

    def log_text(self) -> str:
        """The job's log as GitHub keeps it: a time before every line."""
        stamp = (self.completed_at or self.started_at or self.suite.created_at).removesuffix("Z") + ".0000000Z "
        lines = (self.log or "").splitlines()
        return "".join(f"{'' if _STAMPED.match(line) else stamp}{line}\n" for line in lines)


@dataclass(eq=False)
class CommitStatus:
    """A commit status: `state` is success, failure, error, pending or expected."""

    repo: Repository
    sha: str
    context: str
    state: str
    id: int
    node_id: str
    created_at: str
    description: str | None = None
    target_url: str | None = None
    creator: User | None = None


class Checks:
    """All check runs and statuses of a repository."""

    def __init__(self, repo: Repository) -> None:
        self.repo = repo
        self.suites: list[Suite] = []
        self.statuses: list[CommitStatus] = []

    def runs_of(self, sha: str) -> list[CheckRun]:
        """Every check run of a commit, in the order in which they were made, older runs of a check included."""
        return [run for suite in self.suites if suite.head_sha == sha for run in suite.runs]

    def statuses_of(self, sha: str) -> list[CommitStatus]:
        """The newest status of each context of a commit."""
        newest = {status.context: status for status in self.statuses if status.sha == sha}
        return list(newest.values())

    def run(
        self,
        sha: str,
        name: str,
        result: str,
        *,
        app: str | None = "github-actions",
        workflow: str | None = "CI",
        event: str = "pull_request",
        branch: str | None = None,
        started: str | None = None,
        completed: str | None = None,
        annotations: Sequence[Annotation | dict[str, Any] | str] = (),
        steps: Sequence[Step | str] = (),
        log: str | None = "",
        title: str | None = None,
        summary: str | None = None,
        text: str | None = None,
        details_url: str | None = None,
    ) -> CheckRun:
        """A check run of a commit: `result` is a conclusion, or a status while it is under way.

        A run of that check that is under way is brought on; where the last one is complete, a new one begins beside it.
        """
        hub = self.repo.hub
        now = hub.now()
        if app != "github-actions":
            workflow = None
        suite = self._suite(sha, app, workflow, event, branch)
        run = next((one for one in reversed(suite.runs) if one.name == name and one.conclusion is None), None)
        if run is None:
            if any(one.name == name for one in suite.runs):
                suite = self._suite(sha, app, workflow, event, branch, another=True)
            run = CheckRun(suite, name, hub.new_run_id(), "", "queued", None, None, None)
            run.node_id = hub.register("CR", run)
            hub.runs[run.id] = run
            suite.runs.append(run)
        if result in UNDER_WAY:
            run.status, run.conclusion = result, None
            begun = result == "in_progress"
        else:
            run.status, run.conclusion = "completed", result
            run.completed_at = completed or now
            begun = True
        run.started_at = started or run.started_at or (now if begun else None)
        run.annotations += [_annotation(one) for one in annotations]
        run.steps += [one if isinstance(one, Step) else Step(one) for one in steps]
        run.log = log if log or log is None else run.log
        run.title, run.summary, run.text = title or run.title, summary or run.summary, text or run.text
        if app == "github-actions":
            details_url = details_url or f"{hub.web}/{self.repo.name}/actions/runs/{suite.run_id}/job/{run.id}"
        run.details_url = details_url or run.details_url
        return run

    def status(
        self,
        sha: str,
        context: str,
        state: str,
        *,
        description: str | None = None,
        target_url: str | None = None,
        creator: str | None = None,
        created: str | None = None,
    ) -> CommitStatus:
        """A commit status: the newest of a context is what counts."""
        hub = self.repo.hub
        user = hub.user(creator) if creator else hub.viewer
        status = CommitStatus(
            self.repo, sha, context, state, hub.new_id(), "", created or hub.now(), description, target_url, user
        )
        status.node_id = hub.register("SC", status)
        self.statuses.append(status)
        return status

    def verdict(self, sha: str) -> str | None:
        """The rolled-up state of a commit in GitHub's words, lower case; None where nothing was ever reported."""
        words = {run.word for run in newest(self.runs_of(sha))} | {one.state for one in self.statuses_of(sha)}
        if not words:
            return None
        if "error" in words:
            return "error"
        if words & {"failure", "timed_out", "action_required", "cancelled", "startup_failure"}:
            return "failure"
        if words & (UNDER_WAY | {"stale"}):
            return "pending"
        return "expected" if "expected" in words else "success"

    def word_of(self, sha: str, context: str, app: str | None = None) -> str | None:
        """How a required check stands on a commit, by its name, with `app` that app's; None where it never reported."""
        found = newest(self.runs_of(sha))
        runs = [run for run in found if run.name == context and app in (None, run.suite.app)]
        words = [run.word for run in runs] + [one.state for one in self.statuses_of(sha) if one.context == context]
        bad = [word for word in words if word not in GOOD]
        return bad[0] if bad else (words[0] if words else None)

    def _suite(
        self, sha: str, app: str | None, workflow: str | None, event: str, branch: str | None, another: bool = False
    ) -> Suite:
        key = (sha, app, workflow, event)
        for suite in reversed(self.suites):
            if (suite.head_sha, suite.app, suite.workflow, suite.event) == key and not another:
                return suite
        hub = self.repo.hub
        suite = Suite(self.repo, sha, app, workflow, event, branch, hub.new_id(), "", hub.now())
        suite.node_id = hub.register("CS", suite)
        if workflow is not None:
            suite.run_id = hub.new_run_id()
        self.suites.append(suite)
        return suite


def app_id(slug: str | None) -> int | None:
    """The number of an app; the same for the same slug. None for none."""
    if slug is None:
        return None
    return _ACTIONS if slug == "github-actions" else 100_000 + crc32(slug.encode()) % 100_000


def newest(runs: Iterable[CheckRun]) -> list[CheckRun]:
    """The newest run of each check: the same app, workflow and name."""
    latest: dict[tuple[str | None, str | None, str], CheckRun] = {}
    for run in runs:
        key = (run.suite.app, run.suite.workflow, run.name)
        before = latest.get(key)
        if before is None or (run.started_at or "~", run.id) >= (before.started_at or "~", before.id):
            latest[key] = run
    return list(latest.values())


def _annotation(given: Annotation | dict[str, Any] | str) -> Annotation:
    if isinstance(given, Annotation):
        return given
    return Annotation(".github", 1, given) if isinstance(given, str) else Annotation(**given)
