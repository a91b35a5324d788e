"""GraphQL: check runs, suites, statuses and what they roll up to."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from tests.support.fakehub.answers import HubError, answers, connection, plain, upper
from tests.support.fakehub.checks import CheckRun, CommitStatus, Suite, app_id
from tests.support.fakehub.fields_git import CommitThing
from tests.support.fakehub.pulls import Pull
from tests.support.fakehub.repository import Repository

WEB = "https://github.com"


@dataclass(frozen=True)
class Rollup:
    """All checks of a commit together."""

    repo: Repository
    sha: str
    kind = "StatusCheckRollup"


@dataclass(frozen=True)
class StatusThing:
    """All statuses of a commit together."""

    repo: Repository
    sha: str
    kind = "Status"


def rollup(repo: Repository, sha: str) -> Rollup | None:
    """The checks of a commit; None where nothing was ever reported."""
    return Rollup(repo, sha) if repo.checks.verdict(sha) is not None else None


plain(
    "StatusCheckRollup",
    id=lambda one: f"SCR_{one.repo.node_id}:{one.sha}",
    state=lambda one: upper(one.repo.checks.verdict(one.sha)),
    commit=lambda one: CommitThing(one.repo, one.sha),
)


@answers("StatusCheckRollup")
def contexts(one: Rollup, info: Any, **page: Any) -> Any:
    checks = one.repo.checks
    runs, statuses = checks.runs_of(one.sha), checks.statuses_of(one.sha)
    order = info.context.hub.faults.order([*runs, *statuses])
    return connection(
        order,
        info,
        **page,
        checkRunCount=len(runs),
        statusContextCount=len(statuses),
        checkRunCountsByState=_counted(run.word for run in runs),
        statusContextCountsByState=_counted(status.state for status in statuses),
    )


def _counted(words: Any) -> list[dict[str, Any]]:
    return [{"state": word.upper(), "count": count} for word, count in Counter(words).items()]


plain(
    "Commit",
    statusCheckRollup=lambda thing: rollup(thing.repo, thing.oid),
    status=lambda thing: StatusThing(thing.repo, thing.oid) if thing.repo.checks.statuses_of(thing.oid) else None,
)


@answers("Commit")
def checkSuites(thing: CommitThing, info: Any, filterBy: Any = None, **page: Any) -> Any:
    return connection([one for one in thing.repo.checks.suites if one.head_sha == thing.oid], info, **page)


plain(
    "Status",
    id=lambda one: f"ST_{one.repo.node_id}{one.sha}",
    commit=lambda one: CommitThing(one.repo, one.sha),
    contexts=lambda one: one.repo.checks.statuses_of(one.sha),
    state=lambda one: _worst(one.repo.checks.statuses_of(one.sha)),
)


@answers("Status", "context")
def one_context(one: StatusThing, info: Any, name: str) -> Any:
    return next((status for status in one.repo.checks.statuses_of(one.sha) if status.context == name), None)


def _worst(statuses: list[CommitStatus]) -> str:
    words = {status.state for status in statuses}
    return next((word.upper() for word in ("error", "failure", "pending", "expected") if word in words), "SUCCESS")


plain(
    "StatusContext",
    id=lambda one: one.node_id,
    state=lambda one: upper(one.state),
    commit=lambda one: CommitThing(one.repo, one.sha),
)
plain(
    "CheckRun",
    id=lambda run: run.node_id,
    databaseId=lambda run: run.id,
    status=lambda run: upper(run.status),
    conclusion=lambda run: upper(run.conclusion),
    externalId=lambda run: "",
    checkSuite=lambda run: run.suite,
    repository=lambda run: run.repo,
    permalink=lambda run: f"{WEB}/{run.repo.name}/runs/{run.id}",
    url=lambda run: f"{WEB}/{run.repo.name}/runs/{run.id}",
    resourcePath=lambda run: f"/{run.repo.name}/runs/{run.id}",
)


@answers("CheckRun", "isRequired")
@answers("StatusContext", "isRequired")
def isRequired(one: Any, info: Any, pullRequestId: Any = None, pullRequestNumber: Any = None) -> bool:
    pull = info.context.hub.nodes.get(pullRequestId) or one.repo.pulls.get(pullRequestNumber)
    if not isinstance(pull, Pull):
        raise HubError(None, "Please provide a pull request ID or pull request number.")
    return (one.name if isinstance(one, CheckRun) else one.context) in pull.rules.required


@answers("CheckRun", "annotations")
def remarks(run: CheckRun, info: Any, **page: Any) -> Any:
    return connection(run.annotations, info, **page)


@answers("CheckRun")
def steps(run: CheckRun, info: Any, number: int | None = None, **page: Any) -> Any:
    made = [
        {
            "number": index,
            "name": step.name,
            "status": upper(step.status),
            "conclusion": upper(step.conclusion),
            "startedAt": run.started_at,
            "completedAt": run.completed_at,
        }
        for index, step in enumerate(run.steps, 1)
    ]
    return connection([one for one in made if number in (None, one["number"])], info, **page)


def _span(note: Any) -> dict[str, Any]:
    return {
        "start": {"line": note.line, "column": None},
        "end": {"line": note.end_line or note.line, "column": None},
    }


plain(
    "CheckAnnotation",
    annotationLevel=lambda note: upper(note.level),
    blobUrl=lambda note: f"{WEB}/blob/{note.path}",
    location=_span,
)


def suite_word(suite: Suite) -> tuple[str, str | None]:
    """A suite's status and conclusion."""
    words = [run.conclusion for run in suite.runs]
    if not words or None in words:
        return "in_progress", None
    order = ("failure", "timed_out", "cancelled", "action_required", "startup_failure", "stale")
    return "completed", next((word for word in order if word in words), "success")


plain(
    "CheckSuite",
    id=lambda suite: suite.node_id,
    databaseId=lambda suite: suite.id,
    app=lambda suite: (
        suite.app and {"slug": suite.app, "name": suite.app, "id": f"A_{suite.app}", "databaseId": app_id(suite.app)}
    ),
    branch=lambda suite: None,
    commit=lambda suite: CommitThing(suite.repo, suite.head_sha),
    conclusion=lambda suite: upper(suite_word(suite)[1]),
    status=lambda suite: upper(suite_word(suite)[0]),
    repository=lambda suite: suite.repo,
    updatedAt=lambda suite: suite.created_at,
    workflowRun=lambda suite: WorkflowRun(suite) if suite.run_id else None,
)


@answers("CheckSuite")
def checkRuns(suite: Suite, info: Any, filterBy: Any = None, **page: Any) -> Any:
    wanted = filterBy or {}
    runs = [run for run in suite.runs if wanted.get("checkName") in (None, run.name)]
    return connection(runs, info, **page)


@dataclass(frozen=True)
class WorkflowRun:
    """The run of a workflow that made a suite."""

    suite: Suite
    kind = "WorkflowRun"


@dataclass(frozen=True)
class Workflow:
    """A workflow of a repository."""

    repo: Repository
    name: str
    created_at: str
    kind = "Workflow"


plain(
    "WorkflowRun",
    id=lambda run: f"WFR_{run.suite.node_id}",
    databaseId=lambda run: run.suite.run_id,
    checkSuite=lambda run: run.suite,
    event=lambda run: run.suite.event,
    runNumber=lambda run: 1,
    createdAt=lambda run: run.suite.created_at,
    updatedAt=lambda run: run.suite.created_at,
    workflow=lambda run: Workflow(run.suite.repo, run.suite.workflow, run.suite.created_at),
    url=lambda run: f"{WEB}/{run.suite.repo.name}/actions/runs/{run.suite.run_id}",
    resourcePath=lambda run: f"/{run.suite.repo.name}/actions/runs/{run.suite.run_id}",
)
plain(
    "Workflow",
    id=lambda flow: f"W_{flow.repo.node_id}{flow.name}",
    databaseId=lambda flow: 1,
    state=lambda flow: "ACTIVE",
    updatedAt=lambda flow: flow.created_at,
    url=lambda flow: f"{WEB}/{flow.repo.name}/actions/workflows/{flow.name}",
    resourcePath=lambda flow: f"/{flow.repo.name}/actions/workflows/{flow.name}",
)
