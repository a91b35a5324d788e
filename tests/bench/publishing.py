"""What it costs a pytest run to publish: processor time of the whole process, with a tag and without."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from tests.bench.measure import STOAT, Measured, at_most
from tests.support.listener import Listener

TESTS = 1000
SUITE = f"import pytest\n@pytest.mark.parametrize('i', range({TESTS}))\ndef test_it(i): pass\n"
SPENT = """\
import time
def pytest_sessionstart(session): session.begun = time.process_time()
def pytest_sessionfinish(session): open("spent", "w").write(str(time.process_time() - session.begun))
"""


def publishing(directory: Path) -> list[Measured]:
    """1,000 tests that do nothing, the best of five runs of each: a monitor that listens, the run's own archive."""
    subprocess.run(["git", "init", "--quiet"], cwd=directory, check=True)
    subprocess.run([STOAT, "init"], cwd=directory, check=True, stdout=subprocess.DEVNULL)
    (directory / "test_suite.py").write_text(SUITE)
    (directory / "conftest.py").write_text(SPENT)

    def best(**environ: str) -> float:
        return min(_spent(directory, environ) for _ in range(5))

    plain = best()
    archived = best(BOBCAT_RUN_TAG="bench/suite", BOBCAT_MONITOR_URL="http://127.0.0.1:1")
    with Listener() as listener:
        published = best(BOBCAT_RUN_TAG="bench/suite", BOBCAT_MONITOR_URL=listener.url)
    return [
        at_most("a pytest run that publishes, a test", (published - plain) / TESTS, 0.0002),
        at_most("a pytest run that writes its archive, a test", (archived - plain) / TESTS, 0.0002),
    ]


def _spent(directory: Path, environ: dict[str, str]) -> float:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:randomly", "-p", "no:cacheprovider"]
    kept = {name: value for name, value in os.environ.items() if not name.startswith("BOBCAT_")}
    subprocess.run(command, cwd=directory, env={**kept, **environ}, check=True, stdout=subprocess.DEVNULL)
    return float((directory / "spent").read_text())


MEASURES: dict[str, Callable[[Path], list[Measured]]] = {"publishing": publishing}
