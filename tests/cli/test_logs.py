"""What a process that stays logs, as a terminal gets it."""

from __future__ import annotations

import subprocess
import sys

SCRIPT = """
import logging
from stoat.cli import logs
logs.to_stderr()
log = logging.getLogger("stoat.service.sweeper")
log.info("not said")
log.warning("cannot sweep: %s", "\\x1b[2J\\u202eowned")
try:
    raise ValueError("\\x1b]0;owned\\x07")
except ValueError:
    log.exception("it stumbled")
"""


def test_nothing_that_is_logged_acts_on_a_terminal() -> None:
    said = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True).stderr
    lines = said.splitlines()
    assert lines[0] == "cannot sweep: \\u001b[2J\\u202eowned"
    assert (lines[1], lines[2]) == ("it stumbled", "Traceback (most recent call last):")
    assert lines[-1] == "ValueError: \\u001b]0;owned\\u0007"
