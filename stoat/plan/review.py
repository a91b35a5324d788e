"""What a review found, and what became of each finding: the shapes that events write and the fold keeps.

A review goes by rounds: a submission is one, and a later submission is the next. A finding keeps its id through them.
"""

from __future__ import annotations

from collections.abc import Container
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from stoat.clock import Time

LET_GO = "the review was restarted"
"""Why a finding that nobody decided is rejected when its review begins again."""


Standing = Literal["tip", "contained", "beyond"]
"""What a reviewed commit is to the plan's branch: its tip, one that it contains, or a reviewer's own on top of such a
one. What is not on the branch is no review of it."""


class Finding(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One thing that a reviewer found, in the reviewer's own words: `file` and `line` say where."""

    id: str
    title: str
    severity: str = ""
    file: str | None = None
    line: int | None = None
    text: str = ""


class Found(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A finding and what a person decided of it: by whom, when, why, and (accepted) the node that mends it."""

    finding: Finding
    round: int
    state: Literal["open", "accepted", "rejected"] = "open"
    by: str | None = None
    at: Time | None = None
    why: str | None = None
    fix: str | None = None

    def waits(self, nodes: Container[str]) -> bool:
        """Whether a person has to decide it: nobody did, or the plan lost the node that was to mend it."""
        return self.state == "open" or (self.state == "accepted" and self.fix not in nodes)

    def mending(self, nodes: Container[str]) -> bool:
        """Whether it was accepted, and a node of the plan is to mend it."""
        return self.state == "accepted" and self.fix in nodes


class Review(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A review node's newest round, and the findings of all of them.

    `commit` of `branch` is what was reviewed, None where nobody could tell, and `standing` what it is to the branch.
    `tip` is where the branch in the repository `repo` was known to be then, which may be older. `signed_by` and
    `signed_at` are whose word ended the round.
    """

    round: int
    seq: int
    at: Time
    by: str
    branch: str | None = None
    commit: str | None = None
    repo: str | None = None
    tip: str | None = None
    found: tuple[Found, ...] = ()
    signed_by: str | None = None
    signed_at: Time | None = None
    standing: Standing | None = None

    @property
    def newest(self) -> tuple[Found, ...]:
        """What the newest round found."""
        return tuple(one for one in self.found if one.round == self.round)

    def get(self, finding_id: str) -> Found | None:
        """The finding of that id, whatever its case; None without one."""
        wanted = finding_id.casefold()
        return next((one for one in self.found if one.finding.id.casefold() == wanted), None)

    def decided(self, finding_id: str, **fields: object) -> Review:
        """The same with a finding decided. KeyError when there is none of that id."""
        if self.get(finding_id) is None:
            raise KeyError(finding_id)
        found = tuple(replace(one, **fields) if one.finding.id == finding_id else one for one in self.found)
        return replace(self, found=found)

    def let_go(self, by: str, at: Time) -> Review:
        """The same with nothing left to decide: the review begins again."""
        found = tuple(
            replace(one, state="rejected", by=by, at=at, why=LET_GO) if one.state == "open" else one
            for one in self.found
        )
        return replace(self, found=found)
