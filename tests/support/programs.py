"""Small real programs for tests of processes, and the looks at the system that such tests take."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from stoat.processes import Identity, identity_of, is_alive
from tests.support.waiting import wait_until


def python(code: str, *arguments: str) -> list[str]:
    """The command that runs `code` in a fresh Python, quick to start; `sys.argv[1:]` are the arguments."""
    return [sys.executable, "-S", "-E", "-c", code, *arguments]


TELL = """
import os, sys
def tell(name, text=""):
    path = os.path.join(sys.argv[1], name)
    with open(path + "~", "w") as file:
        file.write(str(text or os.getpid()))
    os.rename(path + "~", path)
"""
"""Opens a program that says things to its test: `tell(name)` writes its pid into that file of its first argument."""


def told(place: Path, name: str) -> str:
    """What a program told under this name, waiting for it."""
    wait_until((place / name).exists, 20, f"the program to tell {name}")
    return (place / name).read_text()


def told_identity(place: Path, name: str) -> Identity:
    """Who the process is whose pid was told under this name."""
    identity = identity_of(int(told(place, name)))
    assert identity is not None
    return identity


def wait_for_death(identity: Identity) -> None:
    """Wait until a process has ended."""
    wait_until(lambda: not is_alive(identity), 20, f"{identity.key} to end")


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Path]:
    """A directory for what programs tell; whatever told a pid there and still runs is killed after the test."""
    directory = tmp_path / "told here"
    directory.mkdir()
    yield directory
    for file in directory.iterdir():
        text = file.read_text()
        if text.isdigit() and (identity := identity_of(int(text))) and is_alive(identity):
            os.kill(identity.pid, signal.SIGKILL)
