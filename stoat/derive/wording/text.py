"""The building blocks of sentences: lists, counts, moments."""

from __future__ import annotations

from collections.abc import Sequence

from stoat.clock import Time, plus, seconds_between
from stoat.clock import moment as moment
from stoat.plan.state import Mark

MOST_NAMED = 3

ASKED_A_PERSON = "its agent asked a person and waits for the answer"
BACK = "back into its agent's session"
KEPT_FOR_THE_CLOUD = "kept for a cloud agent"
PR_OPEN = "has a PR open to close its issue — it is done when a person merges it"
PR_DID_NOT_CLOSE = "its last attempt ended in a pull request, and the issue is open all the same"


def machine_held(mark: Mark) -> str:
    """A person keeps every runner on this machine from new claims."""
    return because(f"this machine is held by {mark.by}", mark.why)


def conflict_or(why: str, files: Sequence[str]) -> str:
    """Why work could not be landed: the files in conflict, else the reason as it was recorded."""
    return f"conflict in {listed(files)}" if files else why


def because(text: str, why: str | None) -> str:
    """`text: why`, or the text alone where no reason was given."""
    return f"{text}: {why}" if why else text


def listed(names: Sequence[str], most: int = MOST_NAMED) -> str:
    """`a, b, c`; past `most` of them the rest is counted: `a, b, c and 4 more`."""
    if len(names) <= most:
        return ", ".join(names)
    return f"{', '.join(names[:most])} and {len(names) - most} more"


def quoted(names: Sequence[str], most: int = MOST_NAMED) -> str:
    """The same with each name in backticks."""
    return listed([f"`{name}`" for name in names], most)


def one_line(text: str) -> str:
    """What others wrote, on one line: nobody can make it look like a line of the runner's own."""
    return " ".join(text.split())


def counted(count: int, what: str, plural: str | None = None) -> str:
    """`1 step`, `2 steps`."""
    return f"{count} {what if count == 1 else plural or what + 's'}"


_MINUTE, _HOUR, _DAY = 60, 3600, 86400


def money(usd: float | None, *, at_least: bool = False) -> str:
    """US dollars and cents: `$1.50`, as a floor `at least $1.50`; nothing when nobody reported a cost."""
    return "" if usd is None else f"{'at least ' if at_least else ''}${usd:,.2f}"


def ago(earlier: Time, now: Time) -> str:
    """How long ago something was, in one word of time: `3h ago`; what a clock ahead of ours stamped is just now."""
    unit = _unit(earlier, now)
    many = int(max(0.0, seconds_between(earlier, now)) // unit)
    if unit == _MINUTE:
        return f"{many} min ago" if many else "less than a minute ago"
    return f"{many}h ago" if unit == _HOUR else f"{many} days ago"


def ago_changes(earlier: Time, now: Time) -> Time:
    """When `ago` says something else."""
    unit = _unit(earlier, now)
    return plus(earlier, (int(max(0.0, seconds_between(earlier, now)) // unit) + 1) * unit)


def _unit(earlier: Time, now: Time) -> int:
    seconds = seconds_between(earlier, now)
    return _MINUTE if seconds < _HOUR else _HOUR if seconds < 2 * _DAY else _DAY
