"""The text of the store's commits: identities, subject and trailers, so that git's own tools read them as history."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from stoat.clock import Time, parse
from stoat.gitstore.names import DOMAIN, address
from stoat.plan.events.base import Actor

COMMITTER = f"Stoat <stoat@{DOMAIN}>"
LONGEST = 200


def commit_text(tree: str, parents: Sequence[str], actor: Actor, at: Time, subject: str) -> bytes:
    """The bytes of a commit object: author is the actor, committer is Stoat, both at `at`."""
    seconds = int(parse(at).timestamp())
    email = one_line(actor.email or address(actor.name)).replace(" ", "-")
    name = one_line(actor.name) or actor.as_
    trailers = [f"Stoat-Actor: {actor.as_}"]
    if actor.session and one_line(actor.session):
        trailers.append(f"Stoat-Session: {one_line(actor.session)}")
    head = [
        f"tree {tree}",
        *(f"parent {parent}" for parent in parents),
        f"author {_identity(name)} <{_identity(email)}> {seconds} +0000",
        f"committer {COMMITTER} {seconds} +0000",
    ]
    body = [one_line(subject) or "Stoat", "", *trailers]
    return "\n".join([*head, "", *body, ""]).encode("utf-8", "replace")


def one_line(text: str) -> str:
    """Text as one short printable line: whatever breaks lines or moves the cursor becomes a space."""
    if not (text.isascii() and text.isprintable() and len(text) <= LONGEST):
        # Cc controls, Cs lone surrogates, Zl/Zp line breaks, Cf marks that reorder or hide what follows them
        text = "".join(
            " " if unicodedata.category(char) in {"Cc", "Cs", "Zl", "Zp", "Cf"} else char
            for char in text[: LONGEST * 4]
        )
    text = " ".join(text.split())
    return text if len(text) <= LONGEST else text[: LONGEST - 1].rstrip() + "…"


def _identity(text: str) -> str:
    """What may stand before or between the angle brackets; git drops the same characters at the ends."""
    return text.replace("<", "").replace(">", "").strip(" .,:;\"'\\") or "nobody"
