"""The run that somebody means who writes its id, or only the beginning of it, as git takes that of a commit's."""

from __future__ import annotations

from stoat.errors import NotFound, Refused
from stoat.observe.archive import Archive
from stoat.plan.monitor import wire
from stoat.service.run_list import recorded_ids
from stoat.service.session import Session

_SHOWN = 8
"""How many runs are named of those that an id may mean."""


def named(session: Session, written: str) -> str:
    """The id of the run that `written` is, or is the only beginning of. NotFound; Refused, with what it may be, where
    the ids of several runs begin so."""
    archive = Archive.of(session.store.common)
    if archive.has(written):
        return wire.run_id(written)
    found = set()
    if wire.is_run_id(written):
        begins = (written, written.lower())
        found = {one.run_id for one in archive.runs() if one.run_id.startswith(begins)}
        for run_id in recorded_ids(session):
            if run_id == written:
                return run_id
            if run_id.startswith(begins):
                found.add(run_id)
    if not found:
        raise NotFound(f"there is no run {written!r}", hint="see them with `stoat runs list`")
    if len(found) > 1:
        ids = sorted(found)
        more = f" and {len(ids) - _SHOWN} more" if len(ids) > _SHOWN else ""
        raise Refused(
            f"the ids of {len(ids)} runs begin with {written!r}: {', '.join(ids[:_SHOWN])}{more}",
            hint="write more of the id: `stoat runs list` has them whole",
        )
    return found.pop()
