"""Whether a pull request is red because of main: no agent can mend that in its own branch.

| checks that fail                                   | it is red because of |
|----------------------------------------------------|----------------------|
| of the pull request, and each fails on main, too   | main                 |
| … and some that main does not fail                 | itself; what is main's is named |
| of the pull request, and main is green or unknown  | itself               |
| of one name with main's, published by another one  | itself               |
| without names                                      | itself               |

Only a pull request into the default branch can be red because of it. Main's checks are those of its last settled
commit, as on record.
"""

from __future__ import annotations

from itertools import zip_longest
from typing import Literal

from msgspec import Struct

from stoat.derive.pulls import Mine
from stoat.plan.github import Branch


class Blame(Struct, frozen=True):
    """Whose the failing checks are: `own` are the pull request's, `mains` also fail on main."""

    own: tuple[str, ...]
    mains: tuple[str, ...]

    @property
    def whose(self) -> Literal["main", "own"]:
        """main: every one of them fails there, too."""
        return "main" if self.mains and not self.own else "own"


class Red(Struct, frozen=True, gc=False):
    """A red branch that holds a pull request: whose (OWNER/NAME), the pull request's name, and where it went red."""

    repo: str
    branch: Branch
    pull: str
    link: str


def matters(pull: Mine) -> bool:
    """Whether anything about the pull request hangs on the default branch: it is red, or it was merged somewhere."""
    return pull.ci.verdict == "failed" or pull.fact.state == "merged"


def blame(pull: Mine, default: Branch | None) -> Blame:
    """Whose fault the failing checks of a red pull request are. `default` is the branch of its repository."""
    failing = pull.ci.failing
    if default is None or default.ci != "failed" or pull.fact.base != default.name:
        return Blame(failing, ())
    theirs = _published(default.failing, default.producers)
    mains = tuple(
        name
        for name, producer in _published(failing, pull.ci.producers)
        if any(_same(name, other) and _one_of(producer, of_other) for other, of_other in theirs)
    )
    return Blame(tuple(name for name in failing if name not in mains), mains)


def _published(names: tuple[str, ...], producers: tuple[str, ...]) -> list[tuple[str, str]]:
    """Each name with its producer; without one where none was noted down yet."""
    return list(zip_longest(names, producers[: len(names)], fillvalue=""))


def _one_of(producer: str, other: str) -> bool:
    """Whether two checks are published by the same app and workflow; what is not known speaks against nothing."""
    return not producer or not other or producer == other


def _same(one: str, other: str) -> bool:
    """Whether two names are of one check: a workflow's name stands before it only where it is needed there."""
    return one == other or _ends(one, other) or _ends(other, one)


def _ends(long: str, short: str) -> bool:
    return long.endswith(short) and long.removesuffix(short).endswith(" / ")
