"""Who acts: a person by git's own identity, an agent by the name in its environment."""

from __future__ import annotations

import re
from collections.abc import Mapping

from stoat.plan.events.base import Actor, ActorKind
from stoat.plan.variables import AGENT

IDENTIFY = "git config --global user.name 'Your Name'; git config --global user.email you@example.org"
"""What to do where git does not know who commits: a name alone is not enough for it."""

DOMAIN = "stoat.invalid"


def actor(
    settings: Mapping[str, str], environ: Mapping[str, str], by: str | None = None, session: str | None = None
) -> Actor:
    """The actor of a process: an agent where STOAT_AGENT is set, otherwise a person.

    `settings` are git's (`user.name`, `user.email`); `by` is the name asked for on the command line. A person whom
    nothing names has the name "": enough to read with, and not to append.
    """
    agent = environ.get(AGENT, "")
    if agent:
        return named(by or agent, "agent", session)
    own = environ.get("GIT_AUTHOR_NAME") or settings.get("user.name") or ""
    name = by or own
    if not name.strip():
        return Actor("", "person", session)
    email = environ.get("GIT_AUTHOR_EMAIL") or settings.get("user.email") or environ.get("EMAIL")
    return Actor(name, "person", session, email if name == own and email else address(name))


def named(name: str, kind: ActorKind, session: str | None = None) -> Actor:
    """An actor that has no address of its own: an agent, a runner, an observer."""
    return Actor(name, kind, session, address(name))


def address(name: str) -> str:
    """A mail address for a name that has none; it can never be delivered to."""
    local = re.sub(r"[^a-z0-9]+", "-", name.lower())[:64].strip("-")
    return f"{local or 'nobody'}@{DOMAIN}"
