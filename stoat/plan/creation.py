"""An issue that a runner is making on GitHub: said before GitHub is asked, so that a lost answer is looked for."""

from __future__ import annotations

from msgspec import Struct

from stoat.clock import Time


class Creation(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """That GitHub is being asked for an issue: in which repository, and the mark in its text that only it has.

    `since` is when that was first asked with this mark, `at` when it was last asked, `by_runner` by which run.
    """

    repo: str
    mark: str
    since: Time
    at: Time
    by_runner: str
