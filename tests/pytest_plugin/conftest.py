"""A project whose tests are run by real pytest processes, with and without somebody who listens."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.support.gitrepo import GitRepo, MakeRepo
from tests.support.listener import Listener

TAG = "trains/suite"
NOBODY = "http://127.0.0.1:1"
"""Where no monitor is."""


class Finished(NamedTuple):
    """What a pytest process came to."""

    code: int
    out: str


class Project:
    """A repository with tests in it."""

    def __init__(self, repo: GitRepo) -> None:
        self.repo = repo
        self.path = repo.path

    def write(self, **files: str) -> Project:
        """Write modules: `test_a="…"` is test_a.py."""
        for name, text in files.items():
            self.repo.write(f"{name}.py", text)
        return self

    def start(self, *arguments: str, env: Mapping[str, str | None] | None = None) -> subprocess.Popen[bytes]:
        """Start pytest under the tag, with its output piped; an `env` value of None takes a variable away."""
        plain = {"PYTEST_ADDOPTS": "-p no:randomly -p no:cacheprovider -p no:hypothesispytest"}
        environ = {**os.environ, **plain, "BOBCAT_RUN_TAG": TAG, "BOBCAT_MONITOR_URL": NOBODY, **(env or {})}
        return subprocess.Popen(
            [sys.executable, "-m", "pytest", *arguments],
            cwd=self.path, env={name: value for name, value in environ.items() if value is not None},
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
        )  # fmt: skip

    def run(self, *arguments: str, env: Mapping[str, str | None] | None = None) -> Finished:
        """Run pytest to its end."""
        process = self.start(*arguments, env=env)
        out, _ = process.communicate(timeout=60)
        return Finished(process.returncode, out.decode("utf-8", "replace"))

    def archives(self) -> list[Path]:
        """The files that runs wrote for themselves."""
        return sorted(self.path.glob(".git/stoat/runs/*.ndjson"))

    def archived(self) -> list[dict[str, Any]]:
        """The events of the one run that wrote its archive."""
        [file] = self.archives()
        return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


@pytest.fixture
def project(make_repo: MakeRepo) -> Project:
    """A project with no tests yet and no store."""
    return Project(make_repo(files={"README.md": "tests\n"}))


@pytest.fixture
def listener() -> Iterator[Listener]:
    """Somebody who listens."""
    with Listener() as listening:
        yield listening
