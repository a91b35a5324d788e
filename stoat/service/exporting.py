"""A run written out for other tools: from its archive, in each format that there is."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Iterator

import msgspec

from stoat.errors import Refused
from stoat.observe.archive import Archive
from stoat.plan.monitor.run import Run

FORMATS = ("ctrf", "junit", "ndjson")


def export(archive: Archive, run_id: str, format: str) -> Iterator[bytes]:
    """The document in pieces: `ctrf` or `junit` of the folded run, `ndjson` the archive as it is.

    Refused for another format, before any piece; NotFound when the run has no archive.
    """
    check(format)
    if format == "ndjson":
        return archive.lines(run_id)
    return iter((document(archive.read(run_id), format),))


def check(format: str) -> None:
    """Refused for what is no format that runs are written in."""
    if format not in FORMATS:
        raise Refused(f"{format!r} is not a format that runs are written in", hint=f"one of: {', '.join(FORMATS)}")


def document(run: Run, format: str) -> bytes:
    """A folded run as `ctrf` or `junit`."""
    from stoat.derive.exports import ctrf, junit

    if format == "junit":
        return junit.export(run)
    return msgspec.json.format(msgspec.json.encode(ctrf.export(run, _version())), indent=2) + b"\n"


def _version() -> str:
    try:
        return importlib.metadata.version("stoat-plans")
    except importlib.metadata.PackageNotFoundError:
        return "unknown"
