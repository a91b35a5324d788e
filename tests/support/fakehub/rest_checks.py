"""REST: check runs, statuses, annotations, and the jobs and logs of Actions."""

from __future__ import annotations

from typing import Any

from tests.support.fakehub import payloads, payloads_git
from tests.support.fakehub.checks import CheckRun, newest
from tests.support.fakehub.routes import Call, route
from tests.support.fakehub.web import Answer, Refused, invalid

REPO = "/repos/{owner}/{repo}"
RUN = f"{REPO}/check-runs/{{number}}"
JOB = f"{REPO}/actions/jobs/{{number}}"


def _run(call: Call, number: int) -> CheckRun:
    run = call.hub.runs.get(number)
    if run is None or run.repo is not call.repo:
        raise Refused(404, "Not Found")
    return run


def _job(call: Call, number: int) -> CheckRun:
    run = _run(call, number)
    if run.suite.app != "github-actions":
        raise Refused(404, "Not Found")
    return run


def _sha(call: Call, ref: str) -> str:
    commit = call.repo.side.commit_of(ref)
    if commit is None:
        raise Refused(422, f"No commit found for SHA: {ref}")
    return str(commit.id)


@route("GET", f"{REPO}/commits/{{path}}")
def of_commit(call: Call, path: str) -> Any:
    """A commit, its check runs, or its statuses: a branch's name may have slashes."""
    for ending, shown in (("/check-runs", _runs), ("/status", _combined), ("/statuses", _statuses)):
        if path.endswith(ending):
            return shown(call, _sha(call, path.removesuffix(ending)))
    return payloads_git.commit(call.base, call.repo, _sha(call, path))


def _runs(call: Call, sha: str) -> Answer:
    runs = call.repo.checks.runs_of(sha)
    if call.query.get("filter", "latest") == "latest":
        runs = newest(runs)
    if name := call.query.get("check_name"):
        runs = [run for run in runs if run.name == name]
    if wanted := call.query.get("status"):
        runs = [run for run in runs if run.status == wanted]
    return call.page(call.hub.faults.order(runs), lambda run: payloads_git.check_run(call.base, run), "check_runs")


def _statuses(call: Call, sha: str) -> Answer:
    found = [one for one in reversed(call.repo.checks.statuses) if one.sha == sha]
    return call.page(found, lambda one: payloads_git.status(call.base, one))


def _combined(call: Call, sha: str) -> Any:
    found = call.repo.checks.statuses_of(sha)
    states = {one.state for one in found}
    state = "success"
    if states & {"failure", "error"}:
        state = "failure"
    elif not found or states & {"pending", "expected"}:
        state = "pending"
    url = f"{call.base}/repos/{call.repo.name}/commits/{sha}"
    some, headers = call.slice(call.hub.faults.order(found))
    body = {
        "state": state,
        "statuses": [payloads_git.status(call.base, one) for one in some],
        "sha": sha,
        "total_count": len(found),
        "repository": payloads.repository(call.base, call.repo),
        "commit_url": url,
        "url": f"{url}/status",
    }
    return Answer(200, body, headers)


@route("POST", f"{REPO}/statuses/{{sha}}")
def status_made(call: Call, sha: str) -> Any:
    """Put a status on a commit."""
    (state,) = call.need("Status", "state")
    if state not in ("success", "failure", "error", "pending"):
        raise invalid("Status", "invalid", "state")
    body = call.body()
    made = call.repo.checks.status(
        _sha(call, sha),
        body.get("context") or "default",
        state,
        description=body.get("description"),
        target_url=body.get("target_url"),
    )
    return Answer(201, payloads_git.status(call.base, made))


@route("GET", RUN)
def run(call: Call, number: int) -> Any:
    """A check run."""
    return payloads_git.check_run(call.base, _run(call, number))


@route("GET", f"{RUN}/annotations")
def remarks(call: Call, number: int) -> Any:
    """Its annotations."""
    run = _run(call, number)
    return call.page(run.annotations, lambda note: payloads_git.annotation(run, note))


@route("GET", JOB)
def job(call: Call, number: int) -> Any:
    """The job of a check run of Actions."""
    return payloads_git.job(call.base, _job(call, number))


@route("GET", f"{REPO}/actions/runs/{{number}}/jobs")
def jobs(call: Call, number: int) -> Any:
    """The jobs of a workflow run."""
    runs = [run for suite in call.repo.checks.suites if suite.run_id == number for run in suite.runs]
    if not runs:
        raise Refused(404, "Not Found")
    return call.page(runs, lambda one: payloads_git.job(call.base, one), "jobs")


@route("GET", f"{JOB}/logs")
def logs(call: Call, number: int) -> Any:
    """Where the job's log is: on another host, where GitHub's token has no business."""
    run = _job(call, number)
    if run.log is None:
        raise Refused(410, "Server Error: the logs have expired")
    if run.conclusion in ("skipped", "cancelled"):
        raise Refused(404, "Not Found")
    return Answer(302, None, {"Location": f"{call.hub.storage_url}/logs/{run.id}?sig=ok"})


@route("POST", f"{JOB}/rerun")
def rerun(call: Call, number: int) -> Any:
    """Run a job again."""
    return _again(call, [_job(call, number)])


@route("POST", f"{REPO}/actions/runs/{{number}}/rerun-failed-jobs")
def rerun_failed(call: Call, number: int) -> Any:
    """Run the failed jobs of a workflow run again."""
    runs = [run for suite in call.repo.checks.suites if suite.run_id == number for run in suite.runs]
    if not runs:
        raise Refused(404, "Not Found")
    return _again(call, [run for run in runs if run.conclusion not in (None, "success", "skipped", "neutral")])


def _again(call: Call, runs: list[CheckRun]) -> Answer:
    for run in runs:
        suite = run.suite
        call.repo.checks.run(
            run.head_sha, run.name, "queued", workflow=suite.workflow, event=suite.event, branch=suite.branch
        )
    return Answer(201, {})
