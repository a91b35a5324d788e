"""What is known of one run, and the newest word on one spec: the values that the state keeps of evidence."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from stoat.clock import Time

EXEC = "exec"
"""The source of a command that ran under `stoat gate`."""
ASSERTED = "asserted"
"""The source of a result that nobody saw: an agent's word."""
REPORTS = ("junit", "ctrf", "cucumber")
"""The sources that are files which a tool wrote, added by somebody later."""
PLACES = 1000
"""Of so many test runs of a node it is known where in the stream they began."""


class Evidence(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A run of a gate, a step, a unit of a step, or a slice's specs, and what it proves.

    `seq` is its place in the plan's stream, `began` that of its start, where one is on record: newer evidence began
    later there, whatever the clocks say. `commit` is the commit it began on, `commit_after` the one it ended on;
    `dirty` says whether the tree differed from the commit at either end, None where nobody could tell. `process` is
    the key of the recording process, to see whether a run that never finished is still going. A run that is `unknown`
    is neither red nor green; one that is `lost` went quiet and never finished. `behind` is how many commits the remote
    one of its `branch` had beyond it. `cwd` is where it ran, below the top of the checkout (`.`: there), None where
    that was not recorded. `heard` is when it was first heard of, None where that was when it was recorded.
    """

    run: str
    source: str
    state: Literal["running", "passed", "failed", "timed-out", "unknown", "lost"]
    at: Time
    by: str
    seq: int
    step: str | None = None
    command: tuple[str, ...] = ()
    exit_code: int | None = None
    signal: str | None = None
    started: Time | None = None
    seconds: float | None = None
    limit: float | None = None
    commit: str | None = None
    commit_after: str | None = None
    dirty: bool | None = None
    branch: str | None = None
    machine: str | None = None
    process: str | None = None
    session: str | None = None
    passed: int | None = None
    failed: int | None = None
    skipped: int | None = None
    unit: str | None = None
    suite: str = ""
    total: int | None = None
    indeterminate: int = 0
    on_retry: int = 0
    why: str | None = None
    began: int = 0
    behind: int = 0
    cwd: str | None = None
    heard: Time | None = None

    @property
    def order(self) -> int:
        """Its age among the runs of a node: the larger, the newer."""
        return self.began or self.seq

    @property
    def key(self) -> str:
        """What it is a run of: `STEP` (a command under `stoat gate`), `STEP/` (a test run), `STEP/UNIT`, `STEP!` (an
        agent's word); the whole node has the empty step."""
        step = self.step or ""
        if self.source == EXEC:
            return step
        return said_key(step) if self.source == ASSERTED else unit_key(step, self.unit or "")

    @property
    def tests(self) -> int:
        """How many tests it had, as far as anybody counted; `passed` has neither those skipped nor those on retry."""
        return self.green + (self.failed or 0) + (self.skipped or 0) + self.indeterminate

    @property
    def green(self) -> int:
        """How many tests passed, at whatever attempt."""
        return (self.passed or 0) + self.on_retry


def unit_key(step: str, unit: str) -> str:
    """The key of the test runs of a unit of a step; without a unit those of the whole step."""
    return f"{step}/{unit}"


def said_key(step: str) -> str:
    """The key of an agent's word on a step."""
    return f"{step}!"


class SpecResult(Struct, frozen=True, omit_defaults=True):
    """The newest word on one bound spec: green or not, in which run, on which commit.

    `of` is that run's key, `tests` how many it had, `began` its place in the stream. `gone` names a newer run that was
    to have the spec and did not.
    """

    passed: bool
    run: str
    seq: int
    at: Time
    commit: str | None = None
    dirty: bool | None = None
    source: str = "exec"
    of: str = ""
    tests: int = 0
    began: int = 0
    gone: str | None = None
    behind: int = 0
    branch: str | None = None
