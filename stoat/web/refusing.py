"""Requests that the server refuses before the application sees them: answered as the application answers its own."""

from __future__ import annotations

from typing import Any

from waitress.channel import HTTPChannel
from waitress.task import ErrorTask

from stoat.web.problems import ProblemDetails

_HINTS = {
    413: "send less at once: several batches of fewer events",
    431: "send fewer or shorter headers",
}


class RefusedTask(ErrorTask):  # type: ignore[misc, unused-ignore]
    """The answer to a request that is too large, or no HTTP."""

    def execute(self) -> None:
        """Write the problem, and end the connection: what else comes on it belongs to that request."""
        error: Any = self.request.error
        answer = ProblemDetails(error.code, error.reason, str(error.body), _HINTS.get(error.code)).response()
        body = answer.get_data()
        self.status = f"{error.code} {error.reason}"
        self.response_headers.append(("Content-Type", str(answer.content_type)))
        self.set_close_on_finish()
        self.content_length = len(body)
        self.write(body)


class Channel(HTTPChannel):  # type: ignore[misc, unused-ignore]
    """A connection that refuses in that way."""

    error_task_class = RefusedTask
