"""The command `stoat` as a test runs it: a real process, its whole output, its exit code."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple


class Ran(NamedTuple):
    """What a run of the command came to."""

    code: int
    out: str
    err: str


class Stoat:
    """`stoat` in a directory; every call is a process of its own with this test's environment and `env` over it."""

    def __init__(self, directory: Path, env: Mapping[str, str | None] | None = None) -> None:
        self.directory = directory
        self.env = dict(env or {})

    def start(
        self, *arguments: str, env: Mapping[str, str | None] | None = None, **options: Any
    ) -> subprocess.Popen[bytes]:
        """Start the command with its outputs piped, and give its process."""
        environment = {**os.environ, **self.env, **(env or {})}
        return subprocess.Popen(
            [sys.executable, "-m", "stoat", *arguments],
            cwd=options.pop("cwd", self.directory),
            env={name: value for name, value in environment.items() if value is not None},
            stdin=options.pop("stdin", subprocess.DEVNULL),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            **options,
        )

    def run(self, *arguments: str, env: Mapping[str, str | None] | None = None, **options: Any) -> Ran:
        """Run the command to its end; a minute is the limit. An `env` value of None takes the variable away."""
        process = self.start(*arguments, env=env, **options)
        try:
            out, err = process.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            process.kill()
            raise AssertionError(f"stoat {' '.join(arguments)} was still running after a minute") from None
        return Ran(process.returncode, out.decode("utf-8", "replace"), err.decode("utf-8", "replace"))

    def ok(self, *arguments: str, env: Mapping[str, str | None] | None = None) -> str:
        """Run the command, which has to end with 0; gives what it printed."""
        ran = self.run(*arguments, env=env)
        assert ran.code == 0, f"stoat {' '.join(arguments)} gave {ran.code}: {ran.err or ran.out}"
        return ran.out

    def json(self, *arguments: str, env: Mapping[str, str | None] | None = None) -> Any:
        """Run a read with --json, and give its one document."""
        return json.loads(self.ok(*arguments, "--json", env=env))
