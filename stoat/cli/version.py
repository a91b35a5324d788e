"""Which version this is."""

from __future__ import annotations

import importlib.metadata


def version() -> str:
    """The version of the installed distribution (`0.1.0`); `unknown` when it is run from bare sources."""
    try:
        return importlib.metadata.version("stoat-plans")
    except importlib.metadata.PackageNotFoundError:
        return "unknown"
