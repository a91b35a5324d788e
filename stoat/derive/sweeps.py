"""When a process that sweeps by itself looks at GitHub, and for how long it keeps away after a failure.

The first row that applies:

| what                                                                        | looks |
|-----------------------------------------------------------------------------|-------|
| nothing hangs on GitHub: something is kept of it / nothing is               | yes, to forget that / no |
| GitHub said to wait, and that is not over                                   | no    |
| it was asked to, and nobody has looked since                                | yes   |
| its pause after its own last look is not over                               | no    |
| nobody ever looked, or the last look failed                                 | yes   |
| a plan names something that nothing is on record of, and this one has not tried it | yes |
| the last look lies ahead, as after a change of the clock                    | yes   |
| the last look was its own: a period ago                                     | yes   |
| it was another process's: a quarter more than a period ago                  | yes: it takes over |
| else                                                                        | no    |
"""

from __future__ import annotations

from msgspec import Struct

from stoat.clock import Time, seconds_between
from stoat.plan.github import GitHubNow

OTHERS = 1.25
"""How many periods after another process's sweep this one takes over: whoever swept last comes first."""
LEAST = 2.0
"""Seconds that pass between two sweeps of one process at least, unless it was asked."""
LONGEST = 300.0
"""Seconds between two tries at most while nothing can be read."""


class Sweeps(Struct, frozen=True, kw_only=True):
    """One process's sweeping: a look every `period` seconds, when it was `asked` for one, the moment of its own last
    look as kept beside the store (`mine`), whether it pauses after that, and whether a plan names what is `new` to it.
    """

    period: float
    asked: Time | None = None
    mine: Time | None = None
    paused: bool = False
    new: bool = False


def due(seen: GitHubNow, own: Sweeps, *, sought: bool, at: Time) -> bool:
    """Whether to look now. `seen` is the last look of any process; `sought`: something hangs on GitHub."""
    if not sought:
        return seen != GitHubNow()
    if seen.again_at is not None and at < seen.again_at:
        return False
    if own.asked is not None and (seen.at is None or seen.at < own.asked):
        return True
    if own.paused:
        return False
    if seen.at is None or seen.problem is not None or own.new:
        return True
    age = seconds_between(seen.at, at)
    return not 0 <= age < own.period * (1.0 if seen.at == own.mine else OTHERS)


def pause(period: float, failures: int) -> float:
    """Seconds before this process looks again by itself, after a look and so many failures in a row up to it."""
    if failures == 0:
        return min(LEAST, period)
    return min(period * 2.0 ** min(failures - 1, 32), max(LONGEST, period))
