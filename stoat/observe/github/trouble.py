"""What keeps GitHub from being read: each with a sentence for a person, what to do, and when to look again.

    Unreachable
    └── GitHubTrouble
        ├── NoToken         nothing to show GitHub: no request was sent
        ├── BadToken        GitHub refuses the token (401): asking again changes nothing
        ├── Forbidden       the token lacks a permission (403), or GitHub blocked the place (451)
        ├── Absent          not there, or not shown to this token (404, 410)
        ├── Limited         a rate limit, and nobody wanted to wait for it
        ├── Outage          GitHub did not answer, or not in its own language, however often it was asked
        │   └── TooLarge    it may be that too much was asked at once
        ├── Incomplete      a list of which a page is missing
        └── SchemaTrouble   GitHub does not understand the question: a defect of ours, or a server too old for it

No message holds a token, a header or a query: they are made here from a status, a host and GitHub's own words.
"""

from __future__ import annotations

from stoat.clock import Time
from stoat.errors import Unreachable


class GitHubTrouble(Unreachable):
    """GitHub could not be read; `fix` says what to do about it, `again_at` when it may be asked again."""

    def __init__(self, message: str, fix: str | None = None, again_at: Time | None = None) -> None:
        super().__init__(message, hint=fix)
        self.fix = fix
        self.again_at = again_at


class NoToken(GitHubTrouble):
    """There is no token, so nothing was asked."""


class BadToken(GitHubTrouble):
    """GitHub does not accept the token."""


class Forbidden(GitHubTrouble):
    """The token may not read this."""


class Absent(GitHubTrouble):
    """GitHub shows nothing there."""


class Limited(GitHubTrouble):
    """A limit is reached until `again_at`."""


class Outage(GitHubTrouble):
    """GitHub is away."""


class TooLarge(Outage):
    """GitHub gave up on a question; a smaller one may be answered."""


class Incomplete(GitHubTrouble):
    """A list came only in part, so it is no list at all."""


class SchemaTrouble(GitHubTrouble):
    """GitHub refuses the question itself."""
