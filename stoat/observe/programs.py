"""The program that a launcher starts: whether it is there, whether it is one, and its version where it says so.

Only the tool itself is asked for its version. A script in any other language is a person's own wrapper, or a stand-in
for an agent, and who knows what that does with `--version`.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from stoat.processes import agent_environment

_SECONDS = 60.0
"""What `--version` may take: three on a machine at rest are twenty on a busy one, for gemini."""

_BINARY = (b"\x7fELF", b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe")
_NODE = re.compile(rb"#!\S*(?:/env(?: -S)? +|/)node\b")
_STUB = b"native binary not installed"
_VERSION = re.compile(r"\b(\d+)\.(\d+)\.(\d+)\b")

Version = tuple[int, int, int]


class Program(NamedTuple):
    """A program: where it is, symbolic links followed, and the first of what it is."""

    path: Path
    start: bytes

    @property
    def is_stub(self) -> bool:
        """Whether it only says that it is not installed: npm leaves that where it runs no install scripts."""
        return _STUB in self.start

    @property
    def is_tool(self) -> bool:
        """Whether it is a tool itself: a binary, or a script of node, which all three tools are written in."""
        return self.start.startswith(_BINARY) or _NODE.match(self.start) is not None


def find(command: str, environ: Mapping[str, str]) -> Program | None:
    """The program of that name on the PATH of `environ`, or at that path; None where there is none."""
    found = shutil.which(command, path=environ.get("PATH", os.defpath))
    if found is None:
        return None
    path = Path(found).resolve()
    try:
        with path.open("rb") as file:
            return Program(path, file.read(1024))
    except OSError:  # it may be run and not read
        return Program(path, b"")


def version(program: Program, environ: Mapping[str, str]) -> tuple[Version, str] | None:
    """What `--version` says, as numbers and as it is; None where it is not the tool, says nothing, or takes long."""
    if not program.is_tool:
        return None
    try:
        ran = subprocess.run(
            [program.path, "--version"], env=agent_environment(environ), stdin=subprocess.DEVNULL, timeout=_SECONDS,
            capture_output=True, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return None
    said = ran.stdout.decode(errors="replace").strip()
    numbers = _VERSION.search(said)
    if ran.returncode != 0 or numbers is None:
        return None
    return (int(numbers[1]), int(numbers[2]), int(numbers[3])), said.splitlines()[0]
