"""The newest answers, derived once for everybody who looks, and what changed from one to the next.

    view = watch.view()                    a consistent moment, as a session that the use cases take
    watch.changes(view.version)            what happened since; None when that is too long ago to tell
    watch.wait(view.version, seconds)      sleep until there is something newer

A thread looks again whenever `watching.py` says that a file moved, when an answer runs out (a lease), and once a
second in any case, for file systems that report nothing.
"""

from __future__ import annotations

import logging
import secrets
import threading
import time
from collections import deque
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from msgspec import Struct

from stoat import clock
from stoat.clock import Time
from stoat.derive.answers import Answers, Need, PlanAnswer
from stoat.errors import StoatError
from stoat.observe.github.now import read_now
from stoat.plan.github import GitHubNow
from stoat.plan.nodes import ISSUE, PR
from stoat.plan.state import PlanState, State
from stoat.service.session import Session

REMEMBERED = 500
"""How many changes a stream that was away may have missed and still be told of one by one."""
_LOOK = 1.0

_log = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class View(Session):
    """One moment, as a session that stands still: what the use cases read through it is all of that moment.

    `version` names it: it is newer than another of this server exactly when their numbers say so. Threads may share it.
    """

    number: int
    version: str
    seen: State
    derived: Answers
    github: GitHubNow

    def state(self) -> State:
        """The state of this moment."""
        return self.seen

    def answers(self, now: Time | None = None) -> Answers:
        """The answers of this moment, whatever the time is now."""
        return self.derived


class PlanChange(Struct, frozen=True, rename="camel"):
    """What changed in a plan: nodes whose card or history is another, nodes that went; `shape` if the graph is new.

    A change with no node in it is one of the header, the needs or the plan's own history.
    """

    plan: str
    nodes: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    shape: bool = False


class Watch:
    """The shared view of one session's store. Every method may be called from any thread."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self._boot = secrets.token_hex(4)
        self._lock = threading.RLock()
        self._news = threading.Condition()
        self._changes: deque[tuple[int, PlanChange]] = deque(maxlen=REMEMBERED)
        self._view: View | None = None
        self._poked = threading.Event()
        self._stopped = threading.Event()
        self._thread: threading.Thread | None = None

    def view(self) -> View:
        """The view at the ref's tip; derived again only when the tip moved or an answer ran out."""
        view = self._view
        if view is not None and self.session.store.tip() == view.seen.commit and not _over(view.derived.until):
            return view
        return self.refresh()

    def refresh(self) -> View:
        """Look at everything again, the live files too, and tell those who wait what is different."""
        with self._lock:
            state, answers = self._derive()
            old = self._view
            if old is not None and old.seen.commit == state.commit and old.derived is answers:
                return old
            github = read_now(self.session.store.common)
            number = old.number if old else 0
            changes = list(_changes(old, state, answers, github)) if old else []
            if changes:
                number += 1
            view = View(
                self.session.store, self.session.actor, self.session.directory,
                number=number, version=f"{self._boot}.{number}", seen=state, derived=answers,
                github=github,
            )  # fmt: skip
            with self._news:
                self._changes.extend((number, change) for change in changes)
                self._view = view
                self._news.notify_all()
            return view

    def tell(self, changes: Sequence[PlanChange]) -> None:
        """Tell those who wait of changes that no commit made: how far a test run is."""
        with self._lock, self._news:
            if self._view is None or not changes:
                return
            number = self._view.number + 1
            self._changes.extend((number, change) for change in changes)
            self._view = replace(self._view, number=number, version=f"{self._boot}.{number}")
            self._news.notify_all()

    def changes(self, since: str, plans: Collection[str] = ()) -> tuple[View, list[PlanChange]] | None:
        """The view now and what changed after version `since` (in these plans, or in any): one entry a plan.

        None when nobody remembers `since` any more.
        """
        with self._news:
            view = self._view
            boot, _, written = since.partition(".")
            if view is None or boot != self._boot or not written.isdigit() or int(written) > view.number:
                return None
            after = int(written)
            oldest = self._changes[0][0] if len(self._changes) == REMEMBERED else 0
            if after < oldest:
                return None
            found: dict[str, list[PlanChange]] = {}
            for number, change in reversed(self._changes):
                if number <= after:
                    break
                if not plans or change.plan in plans:
                    found.setdefault(change.plan, []).append(change)
        return view, [_joined(slug, found[slug]) for slug in sorted(found)]

    def wait(self, since: str, seconds: float) -> bool:
        """Sleep until there is a newer view than `since`, at most so long; whether there is. Ends early on `stop`."""
        with self._news:
            self._news.wait_for(lambda: self.stopped or self._newer(since), seconds)
            return self._newer(since)

    def _newer(self, since: str) -> bool:
        return self._view is not None and self._view.version != since

    def poke(self) -> None:
        """Have the watching thread look now."""
        self._poked.set()

    @property
    def stopped(self) -> bool:
        """Whether everybody who waits is to go home."""
        return self._stopped.is_set()

    def start(self) -> None:
        """Begin to look by itself, in a thread that ends with `stop`."""
        self.refresh()
        thread = threading.Thread(target=self._run, name="stoat-watch", daemon=True)
        thread.start()
        self._thread = thread  # not before it runs: `stop` comes from another thread and would join it

    def stop(self) -> None:
        """End the thread and wake everybody who waits."""
        self._stopped.set()
        self._poked.set()
        with self._news:
            self._news.notify_all()
        if self._thread is not None:
            self._thread.join(timeout=5)

    def _run(self) -> None:
        said = ""
        while not self.stopped:
            self._poked.wait(self._pause())
            self._poked.clear()
            if self.stopped:
                return
            try:
                self.refresh()
                said = ""
            except StoatError as problem:
                # The pages say it too, to whoever asks; here once, not every second.
                if said != problem.message:
                    _log.warning("cannot look at the store: %s", problem.message)
                said = problem.message
            except Exception:
                _log.exception("the watch stumbled and goes on")

    def _pause(self) -> float:
        until = self._view.derived.until if self._view else None
        return _LOOK if until is None else min(_LOOK, max(0.0, clock.seconds_between(clock.now(), until)))

    def _derive(self) -> tuple[State, Answers]:
        """Answers with the state they are of. Another writer may come between the two reads: then once more."""
        deadline = time.monotonic() + _LOOK
        while True:
            state = self.session.state()
            answers = self.session.answers()
            if self.session.state().commit == state.commit or time.monotonic() > deadline:
                return state, answers


def _over(until: Time | None) -> bool:
    return until is not None and until <= clock.now()


def _changes(old: View, state: State, answers: Answers, github: GitHubNow) -> Iterable[PlanChange]:
    """What is different from the old view, a change for each plan that anything happened to."""
    before, after = old.derived.plans, answers.plans
    needs_before, needs_after = _needs(old.derived.needs), _needs(answers.needs)
    looked = _looked(old.github) != _looked(github)
    for slug in before.keys() | after.keys():
        if slug not in before or slug not in after:
            yield PlanChange(slug, shape=True)
            continue
        change = _change(before[slug], after[slug], old.seen.plan(slug), state.plan(slug))
        if change is not None:
            yield change
        elif needs_before.get(slug) != needs_after.get(slug) or (looked and on_github(after[slug])):
            yield PlanChange(slug)


def on_github(plan: PlanAnswer) -> bool:
    """Whether a plan's page says when GitHub was last looked at: something in it hangs on that."""
    return any(node.kind in (ISSUE, PR) for node in plan.nodes)


def _looked(github: GitHubNow) -> tuple[object, ...]:
    """What a page's top says of GitHub."""
    return github.at, github.problem, github.fix, github.again_at


def _needs(needs: Iterable[Need]) -> dict[str, list[Need]]:
    by_plan: dict[str, list[Need]] = {}
    for need in needs:
        by_plan.setdefault(need.plan, []).append(need)
    return by_plan


def _change(
    before: PlanAnswer, after: PlanAnswer, state_before: PlanState | None, state_after: PlanState | None
) -> PlanChange | None:
    """What is different in one plan; None when nothing is, whatever the time they were derived at."""
    if before is after and state_before is state_after:
        return None
    old = {node.id: node for node in before.nodes}
    nodes = {node.id: None for node in after.nodes if (known := old.get(node.id)) is not node and known != node}
    if state_before is not None and state_after is not None and state_before is not state_after:
        for name, node in state_after.nodes.items():
            known_state = state_before.nodes.get(name)
            if known_state is not node and known_state != node:
                nodes[name] = None
    new = {node.id: node for node in after.nodes}
    removed = tuple(name for name in old if name not in new)
    shape = list(old) != list(new) or any(old[name].depends_on != new[name].depends_on for name in nodes if name in old)
    told = (state_before.seq if state_before else 0) != (state_after.seq if state_after else 0)
    if not nodes and not removed and not told and _head(before) == _head(after):
        return None
    return PlanChange(after.plan, tuple(nodes), removed, shape)


def _head(plan: PlanAnswer) -> tuple[object, ...]:
    return (
        plan.title, plan.archived, plan.done, plan.total, plan.spent_usd, plan.spent_at_least, plan.attempts,
        plan.lead, plan.runner, plan.runners,
    )  # fmt: skip


def _joined(slug: str, newest_first: list[PlanChange]) -> PlanChange:
    """Several changes of a plan as one: a node that came back after it went is not removed."""
    nodes: dict[str, None] = {}
    removed: dict[str, None] = {}
    for change in reversed(newest_first):
        for name in change.removed:
            nodes.pop(name, None)
            removed[name] = None
        for name in change.nodes:
            removed.pop(name, None)
            nodes[name] = None
    return PlanChange(slug, tuple(nodes), tuple(removed), any(change.shape for change in newest_first))
