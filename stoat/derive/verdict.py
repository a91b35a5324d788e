"""What a kind's rule is given beside the node, and what it gives back."""

from __future__ import annotations

from msgspec import Struct

from stoat.clock import Time
from stoat.derive.answers import PullShown, Status, StepShown
from stoat.derive.turns import Turn
from stoat.derive.watched import NOTHING_WATCHED, Key, Watched
from stoat.plan.facts import NOTHING, Facts
from stoat.plan.state import State


class Context(Struct, frozen=True):
    """What a verdict may use beside the plan's log: the moment, what is seen of this machine, and GitHub."""

    now: Time
    facts: Facts = NOTHING
    github: Watched = NOTHING_WATCHED


def context_of(state: State, facts: Facts, now: Time) -> Context:
    """The context of a single question about a node."""
    return Context(now, facts, Watched(state.repositories(), facts.github))


class Verdict(Struct, frozen=True, gc=False):
    """Where a node stands by its kind's own rule, and why.

    `weaker` is what it is instead while something undone waits on the node: set when a pass proves less than a clean
    one. `finished` says that a change's work is complete and only has to reach its branch. `mended` is what a review is
    instead once its `fixes`, nodes of its plan, are done.

    Of an issue or a pull request: `landing` names the open pull requests of one that is done, for which its dependents
    wait; `turn` is whose turn it is; `prs` are shown; `url` is where it is on GitHub; `reads` is what of GitHub the
    verdict hangs on. `unseen` says that GitHub cannot be read for it, `over` why nobody is to take it up although it is
    open.
    """

    status: Status
    detail: str
    steps: tuple[StepShown, ...] = ()
    weaker: Verdict | None = None
    finished: bool = False
    landing: str = ""
    turn: Turn | None = None
    prs: tuple[PullShown, ...] = ()
    url: str | None = None
    reads: tuple[Key, ...] = ()
    unseen: bool = False
    over: str = ""
    fixes: tuple[str, ...] = ()
    mended: Verdict | None = None

    @property
    def holds(self) -> bool:
        """Whether what depends on the node has to wait: it is not done, or its work has not been merged."""
        return self.status != "done" or self.landing != ""
