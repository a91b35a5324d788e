"""Who is a person in a browser: whoever opened the link that the server printed.

The link holds a secret of this server, known where it was started; opening it leaves a cookie that no script reads and
no other site's request carries. This stops mistakes of agents, not a hostile process of the same user.
"""

from __future__ import annotations

import secrets

from flask import Blueprint, current_app, redirect, request, url_for
from werkzeug.wrappers import Response as Answer

from stoat.errors import NotAPerson
from stoat.gitstore.log import Store
from stoat.service.session import Session
from stoat.web.current import watch
from stoat.web.problems import ProblemDetails

EXTENSION = "stoat-person"

person = Blueprint("person", __name__)


class Door:
    """The secret of the link, and that of the cookie which it leaves."""

    def __init__(self) -> None:
        self._key = secrets.token_urlsafe(18)
        self._token = secrets.token_urlsafe(24)

    @property
    def path(self) -> str:
        """The person's link, below the server's address."""
        return f"person/{self._key}"

    def opens(self, key: str) -> bool:
        """Whether it is the link's secret."""
        return secrets.compare_digest(key.encode(), self._key.encode())

    def let_in(self, answer: Answer) -> None:
        """Leave the cookie with an answer."""
        answer.set_cookie(_cookie(), self._token, httponly=True, samesite="Strict")

    def knows(self, token: str | None) -> bool:
        """Whether a request's cookie is the one it left."""
        return token is not None and secrets.compare_digest(token.encode(), self._token.encode())


def door() -> Door:
    """The door of the running application."""
    found = current_app.extensions[EXTENSION]
    assert isinstance(found, Door)
    return found


@person.app_template_global("is_person")
def is_person() -> bool:
    """Whether the request is of the person's session."""
    return watch().session.actor.as_ == "person" and door().knows(request.cookies.get(_cookie()))


@person.get("/person/<key>")
def enter(key: str) -> Answer:
    """The link: leave the cookie, and go to the board."""
    if not door().opens(key):
        hint = "open the newest link that `stoat serve` printed: each start has one of its own"
        return ProblemDetails(403, "Not this server's link", "the person's link is another one", hint).response()
    answer = redirect(url_for("pages.plans"), 303)
    door().let_in(answer)
    return answer


def session() -> Session:
    """A session of this request's own, for the person at the browser; NotAPerson for anybody else."""
    if not is_person():
        raise NotAPerson(
            "only a person may decide this, and this browser is not known as one's",
            hint="open the person's link that `stoat serve` printed, or decide it with `stoat`",
        )
    shared = watch().session
    return Session(Store.open(shared.store.common), shared.actor, shared.directory)


def _cookie() -> str:
    """Cookies know no ports: two boards on one machine have two names."""
    return f"stoat-{min(current_app.config['PORTS'])}"
