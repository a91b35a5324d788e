"""What the people of all stores set for this machine, a small file a store beside the machine's reservations.

    ~/.stoat/machine/<machine>/limits-<store>.json

The record is each store's own; these files tell the runners of the other stores.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from pathlib import Path

import msgspec

from stoat.errors import UNDECODABLE
from stoat.observe import reserved
from stoat.observe.replacing import replaced
from stoat.plan.reservations import Limits


class _OfAStore(msgspec.Struct, frozen=True):
    store: str
    limits: Limits


def limits() -> tuple[Limits, ...]:
    """What the people of all stores on this machine set for it; a store that is gone counts no more."""
    found = []
    for place in sorted(reserved.folder().glob(f"{reserved.LIMITS}*.json")):
        with contextlib.suppress(OSError, *UNDECODABLE):
            said = msgspec.json.decode(place.read_bytes(), type=_OfAStore)
            if Path(said.store).is_dir():
                found.append(said.limits)
    return tuple(found)


def keep_limits(store: Path, given: Limits | None) -> None:
    """Say to the runners of all stores what this one's person set (None: nothing); written only where it is news.
    OSError as the disk has it."""
    name = hashlib.sha256(os.fsencode(store)).hexdigest()[:16]
    place = reserved.folder() / f"{reserved.LIMITS}{name}.json"
    data = msgspec.json.encode(_OfAStore(str(store), given)) if given is not None else None
    with contextlib.suppress(FileNotFoundError):
        if data is None:
            place.unlink()
            return
        if place.read_bytes() == data:
            return
    if data is not None:
        reserved.make_room()
        replaced(place, data, 0o600)
