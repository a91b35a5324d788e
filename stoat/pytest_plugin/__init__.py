"""The pytest plugin: a run with a tag publishes itself as a Bobcat run does. To any other run it does nothing."""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest

# Nothing else may be imported here: pytest loads this module in every run on the machine.


def pytest_configure(config: pytest.Config) -> None:
    """Publish this run where BOBCAT_RUN_TAG gives it a tag, unless BOBCAT_MONITOR says 0, off or false."""
    if not any(name.startswith("BOBCAT_") for name in os.environ):
        return
    # A run never fails because nobody can hear of it.
    with contextlib.suppress(Exception):
        from stoat.plan.variables import RUN_TAG

        silenced = os.environ.get("BOBCAT_MONITOR", "").strip().lower() in {"0", "off", "false"}
        if os.environ.get(RUN_TAG) and not silenced:
            from stoat.pytest_plugin import hooks

            hooks.register(config)
