"""REST as GitHub answers it: all the routes together, and those about no repository in particular."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.support.fakehub import payloads, rest_checks, rest_git, rest_issues, rest_pulls
from tests.support.fakehub.routes import Call, dispatched, route
from tests.support.fakehub.searching import search_threads
from tests.support.fakehub.web import Answer, Asked, Refused

if TYPE_CHECKING:
    from tests.support.fakehub.hub import FakeHub

DROPPED = {"assignee", "merge_commit_sha", "rate", "has_downloads"}
"""Keys of 2022-11-28 that 2026-03-10 no longer has."""

ROOMS = (rest_checks, rest_git, rest_issues, rest_pulls)
"""The modules that register routes when they are imported."""


def answer(hub: FakeHub, asked: Asked) -> Answer:
    """Answer a request; raises Refused."""
    made = dispatched(hub, asked)
    if asked.headers.get("x-github-api-version") == "2026-03-10":
        made.body = _newer(made.body)
    return made


def _newer(body: Any) -> Any:
    """A body as the API version 2026-03-10 has it: what that one dropped is not in it."""
    if isinstance(body, list):
        return [_newer(one) for one in body]
    if isinstance(body, dict):
        return {key: _newer(value) for key, value in body.items() if key not in DROPPED}
    return body


@route("GET", "/")
def root(call: Call) -> Any:
    """What there is."""
    return {"current_user_url": f"{call.base}/user", "rate_limit_url": f"{call.base}/rate_limit"}


@route("GET", "/user")
def me(call: Call) -> Any:
    """Whose token it is."""
    return payloads.full_user(call.base, call.hub.viewer)


@route("GET", "/users/{login}")
def somebody(call: Call, login: str) -> Any:
    """Somebody."""
    user = call.hub.users.get(login.lower())
    if user is None:
        raise Refused(404, "Not Found")
    return payloads.full_user(call.base, user)


@route("GET", "/rate_limit")
def rate_limit(call: Call) -> Any:
    """The budgets; asking is free."""
    shown = {name: call.hub.limits[name].shown() for name in call.hub.limits.budgets}
    return {"resources": shown, "rate": shown["core"]}


@route("GET", "/search/issues")
def search_issues(call: Call) -> Any:
    """Search."""
    found = search_threads(call.hub, call.query.get("q", ""))
    page = call.page(found, lambda one: {**payloads.issue(call.base, one), "score": 1.0}, "items")
    page.body["incomplete_results"] = False
    page.resource = "search"
    return page


@route("GET", "/repos/{owner}/{repo}")
def repository(call: Call) -> Any:
    """A repository."""
    shown = payloads.repository(call.base, call.repo)
    if call.repo.parent is not None:
        shown["parent"] = shown["source"] = payloads.repository(call.base, call.repo.parent)
    return shown


@route("POST", "/repos/{owner}/{repo}/dispatches")
def dispatch(call: Call) -> Any:
    """A repository_dispatch event."""
    (event_type,) = call.need("RepositoryDispatch", "event_type")
    payload = call.body().get("client_payload") or {}
    if len(str(event_type)) > 100 or len(payload) > 10:
        raise Refused(422, "Invalid request.\n\nNo more than 10 properties are allowed in client_payload.")
    call.repo.dispatches.append({"event_type": event_type, "client_payload": payload})
    return Answer(204)


@route("POST", "/repos/{owner}/{repo}/actions/workflows/{workflow}/dispatches")
def dispatch_workflow(call: Call, workflow: str) -> Any:
    """A workflow_dispatch event."""
    (ref,) = call.need("WorkflowDispatch", "ref")
    body = call.body()
    if call.repo.side.commit_of(str(ref)) is None:
        raise Refused(422, f"No ref found for: {ref}")
    call.repo.dispatches.append({"workflow": workflow, "ref": ref, "inputs": body.get("inputs") or {}})
    if not body.get("return_run_details"):
        return Answer(204)
    run = call.hub.new_run_id()
    url = f"/repos/{call.repo.name}/actions/runs/{run}"
    page = f"https://github.com/{call.repo.name}/actions/runs/{run}"
    return {"workflow_run_id": run, "run_url": f"{call.base}{url}", "html_url": page}
