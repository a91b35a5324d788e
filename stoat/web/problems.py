"""What a door says when it says no: Stoat's errors as `application/problem+json`, or as a page for a person."""

from __future__ import annotations

from http import HTTPStatus

import msgspec
from flask import Flask, Response, render_template, request
from msgspec import Struct
from werkzeug.exceptions import HTTPException

from stoat.errors import Invalid, NotAPerson, NotFound, Problem, Refused, StoatError, Unreachable


class ProblemDetails(Struct, frozen=True):
    """An error as an answer: HTTP status, its kind in words, the sentence, the hint, and a document's problems."""

    status: int
    title: str
    detail: str
    hint: str | None = None
    problems: tuple[dict[str, object], ...] = ()

    def response(self) -> Response:
        """As problem+json."""
        answer = Response(msgspec.json.encode(self), self.status, content_type="application/problem+json")
        if self.status == HTTPStatus.METHOD_NOT_ALLOWED:
            answer.headers["Allow"] = "GET, HEAD"
        return answer


def details_of(error: StoatError) -> ProblemDetails:
    """A Stoat error with the HTTP status that its kind has."""
    problems: tuple[Problem, ...] = ()
    match error:
        case Invalid():
            status, title, problems = 422, "Not valid", error.problems
        case NotAPerson():
            status, title = 403, "For a person only"
        case Refused():
            status, title = 409, "Refused"
        case NotFound():
            status, title = 404, "Not found"
        case Unreachable():
            status, title = 503, "Could not be reached"
        case _:
            status, title = 500, "It ran, and the answer is bad"
    shown = tuple({"line": it.line, "column": it.column, "what": it.what, "do": it.do} for it in problems)
    return ProblemDetails(status, title, error.message, error.hint, shown)


def register(app: Flask) -> None:
    """Have every error of the application answered: as problem+json under /api, as a page elsewhere."""

    @app.errorhandler(StoatError)
    def stoat_error(error: StoatError) -> Response:
        return _answer(details_of(error))

    @app.errorhandler(HTTPException)
    def http_error(error: HTTPException) -> Response:
        code = error.code or 500
        words = HTTPStatus(code)
        return _answer(ProblemDetails(code, words.phrase, words.description or words.phrase))

    @app.errorhandler(Exception)
    def unexpected(error: Exception) -> Response:
        app.logger.error("%s failed", request.path, exc_info=error)
        return _answer(ProblemDetails(500, "Internal error", "something went wrong here; `stoat serve` printed it"))


def _answer(details: ProblemDetails) -> Response:
    if request.path == "/api" or request.path.startswith("/api/"):
        return details.response()
    page = render_template("problem.html", details=details)
    return Response(page, details.status, content_type="text/html; charset=utf-8")
