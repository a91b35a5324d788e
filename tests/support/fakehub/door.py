"""What every request goes through: the token, the limits, the faults, ETags, the headers and the journal."""

from __future__ import annotations

import hashlib
import hmac
import math
from typing import TYPE_CHECKING, Any

from tests.support.fakehub import control, graphql, rest
from tests.support.fakehub.faults import Fault
from tests.support.fakehub.journal import Request
from tests.support.fakehub.web import Answer, Asked, Refused

if TYPE_CHECKING:
    from tests.support.fakehub.hub import FakeHub

SECONDARY = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."
VERSIONS = {"2022-11-28", "2026-03-10"}


def answered(hub: FakeHub, asked: Asked) -> Answer | None:
    """The answer to a request, None for a connection that breaks off."""
    if asked.route.startswith("/_hub/") or asked.route == "/_hub":
        return control.answer(hub, asked)
    hub.serial += 1
    if asked.path.startswith("/api/v3"):
        asked.path = asked.path.removeprefix("/api/v3") or "/"
        asked.base += "/api/v3"
    is_graphql = asked.route in ("/graphql", "/api/graphql")
    body, operation, write = _read(asked, is_graphql)
    answer = _answer(hub, asked, is_graphql, body)
    hit = False
    if answer is not None:
        hit = _finish(hub, asked, answer, is_graphql)
    hub.journal.append(
        Request(
            asked.method,
            asked.path,
            "graphql" if is_graphql else "rest",
            write,
            answer.status if answer else 0,
            hit,
            operation,
            body,
            answer.cost if answer and is_graphql else 0,
        )
    )
    return answer


def _read(asked: Asked, is_graphql: bool) -> tuple[Any, str, bool]:
    try:
        body = asked.json()
    except ValueError:
        body = None
    if not is_graphql:
        return body, "", asked.method not in ("GET", "HEAD")
    query = body.get("query") if isinstance(body, dict) else None
    name = body.get("operationName") if isinstance(body, dict) else None
    operation, mutates = graphql.operation_of(query, name) if isinstance(query, str) else ("", False)
    return body, operation, mutates


def _answer(hub: FakeHub, asked: Asked, is_graphql: bool, body: Any) -> Answer | None:
    try:
        _check_door(hub, asked)
        fault = hub.faults.take(asked.method, asked.path, "answer", "reset", "rate_limit", "secondary", "missing_page")
        if fault is not None and not fault.after_effect:
            return _failed(hub, fault, is_graphql)
        hub.sync()
        if is_graphql:
            if asked.method != "POST":
                raise Refused(404, "Not Found")
            if body is None:
                raise Refused(400, "Problems parsing JSON")
            answer = graphql.answer(hub, body, lenient=asked.headers["user-agent"].startswith("GitHub CLI"))
            answer.resource = "graphql"
        else:
            answer = rest.answer(hub, asked)
        if fault is not None:
            return _failed(hub, fault, is_graphql)
    except Refused as refused:
        answer = refused.answer()
        answer.resource = "graphql" if is_graphql else answer.resource
    if hub.faults.take(asked.method, asked.path, "no_next") is not None:
        answer.headers.pop("Link", None)
    if hub.faults.take(asked.method, asked.path, "truncate") is not None:
        whole = answer.encoded()
        answer.body = whole[: len(whole) // 2]
    return answer


def _check_door(hub: FakeHub, asked: Asked) -> None:
    if "user-agent" not in asked.headers:
        raise Refused(
            403, "Request forbidden by administrative rules. Please make sure your request has a User-Agent header"
        )
    version = asked.headers.get("x-github-api-version")
    if version is not None and version not in VERSIONS:
        raise Refused(400, f"The API version {version} is not supported.")
    scheme, _, token = asked.headers.get("authorization", "").partition(" ")
    if scheme.lower() not in ("bearer", "token"):
        raise Refused(401, "Requires authentication")
    if hub.faults.token_expired or not hmac.compare_digest(token.strip().encode(), hub.token.encode()):
        raise Refused(401, "Bad credentials")


def _failed(hub: FakeHub, fault: Fault, is_graphql: bool) -> Answer | None:
    resource = "graphql" if is_graphql else "core"
    if fault.kind == "reset":
        return None
    headers = dict(fault.headers)
    if fault.kind == "rate_limit":
        reset = math.ceil(hub.clock() + fault.seconds)
        headers |= {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": str(reset), "X-RateLimit-Used": "5000"}
        error = graphql.limited(hub)
        if is_graphql:
            return Answer(200, {"errors": [error]}, headers, resource)
        return Answer(fault.status, {"message": error["message"]}, headers, resource)
    if fault.kind == "secondary":
        return Answer(
            fault.status,
            {"message": SECONDARY, "documentation_url": "https://docs.github.com/graphql"},
            headers,
            resource,
        )
    body = fault.body
    if body is None and fault.status != 204:
        words = {404: "Not Found", 403: "Forbidden", 410: "Gone", 401: "Bad credentials"}
        body = {"message": words.get(fault.status, "Server Error"), "status": str(fault.status)}
    return Answer(fault.status, body, headers, resource)


def _finish(hub: FakeHub, asked: Asked, answer: Answer, is_graphql: bool) -> bool:
    """Headers, the ETag and the budget; whether it became a 304."""
    hit = False
    headers = answer.headers
    if asked.method in ("GET", "HEAD") and answer.status == 200:
        digest = hashlib.sha256(asked.headers.get("accept", "").encode() + answer.encoded()).hexdigest()
        etag = f'W/"{digest}"'
        headers["ETag"] = etag
        headers["Vary"] = "Accept, Authorization, Cookie, X-GitHub-OTP"
        headers["Cache-Control"] = "private, max-age=60, s-maxage=60"
        wanted = [one.strip() for one in asked.headers.get("if-none-match", "").split(",")]
        if etag in wanted or etag.removeprefix("W/") in wanted:
            answer.status, answer.body, hit = 304, None, True
    if (
        not is_graphql
        and not hit
        and asked.route != "/rate_limit"
        and not hub.limits.spend(answer.resource, answer.cost)
    ):
        answer.status, answer.body = 403, {"message": graphql.limited(hub)["message"], "status": "403"}
        for name in ("Link", "ETag", "Location"):
            headers.pop(name, None)
    for name, value in hub.limits.headers(answer.resource).items():
        headers.setdefault(name, value)
    headers.setdefault("Content-Type", "application/json; charset=utf-8")
    headers.setdefault("X-GitHub-Request-Id", f"FAKE:{hub.serial:06X}")
    headers.setdefault("X-GitHub-Media-Type", "github.v3; format=json")
    if hub.scopes:
        headers.setdefault("X-OAuth-Scopes", hub.scopes)
    return hit
