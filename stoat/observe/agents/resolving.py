"""The moment at which a limit resets, from what a tool said of it and when it said so."""

from __future__ import annotations

from stoat.clock import Time, Zone, plus, since_epoch, when_read, zone
from stoat.plan.resets import After, Clock, Epoch, Resets


def resolve(resets: Resets | None, now: Time, local: Zone | None = None) -> Time | None:
    """When a limit resets of which `resets` was said at `now`; `local` is the zone of words that name none.

    None where nothing was said, or nothing that comes to a moment: a zone that this machine does not know, a date that
    no calendar has. A clock that was reached within the last half hour has reset, and is in the past.
    """
    try:
        match resets:
            case Epoch(seconds):
                return since_epoch(seconds)
            case After(seconds):
                return plus(now, seconds)
            case Clock():
                at = local if resets.tz is None else zone(resets.tz)
                if at is None and resets.tz is not None:
                    return None
                return when_read(
                    resets.hour, resets.minute, at, now, month=resets.month, day=resets.day, year=resets.year
                )
    except (ValueError, OverflowError, OSError):
        return None
    return None
