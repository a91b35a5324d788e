"""The checks of a commit, from the contexts that GitHub lists to one verdict (pure).

A context is a check run or a commit status. Older runs of the same check are listed beside the newest; which one is
newest, its start and its id decide, never the list's order.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import Any, Literal, NamedTuple

from msgspec.structs import replace

from stoat.observe.github import nodes
from stoat.plan.github import Bound, Ci, Settled

Outcome = Literal["passed", "failed", "pending", "skipped"]

OUTCOMES: dict[str, Outcome] = {
    "success": "passed",
    "neutral": "skipped",
    "skipped": "skipped",
    "failure": "failed",
    "error": "failed",
    "timed_out": "failed",
    "cancelled": "failed",
    "action_required": "failed",
    "startup_failure": "failed",
    # GitHub gave up on a run that did not end for two weeks: it never will, so waiting for it would be for ever.
    "stale": "failed",
    "queued": "pending",
    "in_progress": "pending",
    "waiting": "pending",
    "pending": "pending",
    "requested": "pending",
    "expected": "pending",
}
"""GitHub's words in lower case. A word that is not here is pending, and stays as it is in `Check.word`."""

_WORST: tuple[Outcome, ...] = ("skipped", "passed", "pending", "failed")


class Check(NamedTuple):
    """One context: who produced it (`app` is empty for a commit status, whose app is not said), and GitHub's word for
    how it stands.

    `started` is empty for a run that has not started.
    """

    app: str
    workflow: str
    name: str
    word: str
    started: str
    id: int
    status: bool = False
    app_number: int = 0

    @property
    def producer(self) -> str:
        """Who published it, as one word: two checks of one name are the same one only if it is theirs both."""
        return f"status:{self.name}" if self.status else f"{self.app}/{self.workflow}"

    def is_by(self, app: int) -> bool:
        """Whether it may be that app's. Of a commit status nobody says; whether it counts GitHub's merge state does."""
        return self.status or self.app_number == app

    @property
    def outcome(self) -> Outcome:
        """What the word means here."""
        return OUTCOMES.get(self.word, "pending")

    @property
    def identity(self) -> tuple[bool, str, str, str]:
        """What makes two contexts runs of one check."""
        return self.status, self.app, self.workflow, self.name


def check(context: Any) -> Check:
    """A context as GitHub lists it. One that is not shown (None), or of a kind nobody knows, is pending."""
    if not isinstance(context, Mapping):
        return Check("", "", "(a check that is not shown)", "unknown", "", 0)
    if context.get("__typename") == "StatusContext" or "context" in context:
        state, created = nodes.word(context, "state") or "unknown", nodes.time(context, "createdAt") or ""
        return Check("", "", nodes.text(context, "context"), state, created, 0, status=True)
    suite = nodes.child(context, "checkSuite")
    status = nodes.word(context, "status") or "unknown"
    ended = status == "completed"
    started = nodes.time(context, "startedAt") or (nodes.time(context, "completedAt") if ended else None)
    return Check(
        nodes.text(nodes.child(suite, "app"), "slug"),
        nodes.text(nodes.child(suite, "workflowRun", "workflow"), "name"),
        nodes.text(context, "name"),
        (nodes.word(context, "conclusion") or "unknown") if ended else status,
        started or "",
        nodes.number(context, "databaseId"),
        app_number=nodes.number(nodes.child(suite, "app"), "databaseId"),
    )


def newest(contexts: Iterable[Any]) -> tuple[Check, ...]:
    """Each check once, as its newest run has it, in the order of their names. Of two alike the worse one counts."""
    runs: dict[tuple[bool, str, str, str], list[Check]] = defaultdict(list)
    for one in map(check, contexts):
        runs[one.identity].append(one)
    return tuple(sorted(map(_newest, runs.values()), key=lambda one: (one.name, one.workflow, one.app, one.status)))


def different(contexts: Iterable[Any]) -> int:
    """How many contexts there are, each run counted once however often it is listed."""
    return len({(one.identity, one.id, one.started) for one in map(check, contexts)})


def ci(
    contexts: Iterable[Any], required: Iterable[str] = (), bound: Iterable[Bound] = (), complete: bool = True,
    hidden: bool = False,
) -> Ci:  # fmt: skip
    """The checks of a commit, and the verdict on them.

    `required` are contexts that must have reported, `bound` those that must have from one app; `complete` is False when
    some contexts could not be read, and then nothing is called passed, nor none; `hidden`, that the token may not read
    them. Failed beats pending beats passed; nothing but skipped ones is none.
    """
    checks = newest(contexts)
    count = Counter(one.outcome for one in checks)
    unmet = {one.context for one in bound if not any(it.name == one.context and it.is_by(one.app) for it in checks)}
    waiting = tuple(sorted((set(required) - {one.name for one in checks}) | unmet))
    failing = _failing(checks)
    ci = Ci(
        verdict="none",
        passed=count["passed"],
        failed=count["failed"],
        pending=count["pending"],
        skipped=count["skipped"],
        failing=tuple(failing),
        producers=tuple(failing.values()),
        waiting=waiting,
        hidden=hidden,
    )
    if ci.failed:
        return _with(ci, "failed")
    if ci.pending or waiting or not complete:
        return _with(ci, "pending")
    return _with(ci, "passed") if ci.passed else ci


def settled(ci: Ci) -> Settled | None:
    """How the checks ended; None while one of them has not, or a required one never reported."""
    if ci.pending or ci.waiting or ci.verdict == "pending":
        return None
    return ci.verdict


def _with(ci: Ci, verdict: Literal["pending", "passed", "failed"]) -> Ci:
    return replace(ci, verdict=verdict)


def _newest(runs: list[Check]) -> Check:
    """The newest run: by its start, then its id. One that has not started is told from the others by its id alone."""
    started = max((one for one in runs if one.started), key=lambda one: (one.started, *_age(one)), default=None)
    waiting = max((one for one in runs if not one.started), key=_age, default=None)
    return max((one for one in (started, waiting) if one is not None), key=_age)


def _age(one: Check) -> tuple[int, int]:
    return one.id, _WORST.index(one.outcome)


def _failing(checks: tuple[Check, ...]) -> dict[str, str]:
    """The names of what failed, in their order, each with its producer: as much before a name as tells it apart."""
    alike = Counter(one.name for one in checks)
    twins = Counter((one.name, one.workflow) for one in checks)
    names = {}
    for one in checks:
        if one.outcome == "failed":
            parts = [one.app] if one.workflow and twins[one.name, one.workflow] > 1 else []
            parts += [one.workflow or one.app] if alike[one.name] > 1 else []
            names[" / ".join(part for part in (*parts, one.name) if part)] = one.producer
    return dict(sorted(names.items()))
