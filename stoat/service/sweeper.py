"""The sweep that goes on by itself inside `stoat serve` and a runner: a thread that looks once a minute.

    sweeper = Sweeper(session, os.environ, "stoat serve")
    sweeper.start(); …; sweeper.stop()
    sweeper.ask()           look now, without waiting for one's turn

Several of them on one machine do the work of one: who finds that another has just looked leaves it at that, and takes
over once nobody does. It keeps away from GitHub as long as GitHub said, and comes back ever later while nothing helps.
Where nothing hangs on GitHub it asks nobody anything. The plans' branches are on this disk, and looked at more often.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping

from stoat import clock
from stoat.clock import Time
from stoat.derive.sweeps import Sweeps, due, pause
from stoat.derive.watching import wanted
from stoat.errors import StoatError
from stoat.observe.github.now import read_now
from stoat.plan.github import Wanted
from stoat.plan.state import State
from stoat.service import branch_moves
from stoat.service.session import Session
from stoat.service.sweeping import sweep, unlooked

PERIOD = 60.0
"""Seconds between two sweeps."""
BRANCHES = 10.0
"""Seconds between two looks at the plans' branches."""
_TICK = 1.0
_WAITED = 90.0
"""Seconds that a limit in the middle of a sweep is waited for; for a longer one the sweep is left and begun again."""
_END = 2.0

_log = logging.getLogger(__name__)


class Sweeper:
    """The thread. `what` is said to others meanwhile. Every method may be called from any thread.

    `then` is called in it after each sweep that saw GitHub, another process's as well.
    """

    def __init__(
        self, session: Session, environ: Mapping[str, str], what: str, *, period: float = PERIOD,
        then: Callable[[Session, Mapping[str, str]], object] | None = None,
    ) -> None:  # fmt: skip
        # A session is not for two threads; the store behind it is.
        self._session = Session(session.store, session.actor, session.directory)
        self._environ = environ
        self._what = what
        self._period = period
        self._then = then
        self._then_at: Time | None = None
        self._stopped = threading.Event()
        self._woken = threading.Event()
        self._asked: Time | None = None
        self._state: State | None = None
        self._sought: tuple[Wanted, ...] = ()
        self._tried: frozenset[tuple[str, int]] = frozenset()
        self._mine: Time | None = None
        self._failed = 0
        self._not_before = 0.0
        self._branches_at = 0.0
        self._unseen: frozenset[str] = frozenset()
        self._thread = threading.Thread(target=self._run, name="stoat-sweep", daemon=True)

    def start(self) -> None:
        """Begin to look."""
        self._thread.start()

    def ask(self) -> None:
        """Have a look begin now, whatever the time of the last one; only a limit of GitHub's keeps it away."""
        self._asked = clock.now()
        self._woken.set()

    def stop(self) -> None:
        """End it. A question that GitHub has not answered yet is not waited for long: it ends with the process."""
        self._stopped.set()
        self._woken.set()
        if self._thread.is_alive():
            self._thread.join(_END)

    def _run(self) -> None:
        said = ""
        while not self._stopped.is_set():
            try:
                self._look_at_branches()
                if self._is_due(clock.now()):
                    self._sweep()
                self._follow()
                said = ""
            except StoatError as problem:
                self._hold_off()
                if said != problem.message:
                    _log.warning("cannot sweep: %s", problem.message)
                said = problem.message
            except Exception:
                self._hold_off()
                _log.exception("the sweep stumbled and goes on")
            self._woken.wait(min(_TICK, self._period))
            self._woken.clear()

    def _look_at_branches(self) -> None:
        """Record where the plans' branches are, now and then; of one that cannot be seen it is said once."""
        if time.monotonic() < self._branches_at:
            return
        self._branches_at = time.monotonic() + min(BRANCHES, self._period)
        try:
            unseen = frozenset(branch_moves.observe(self._session).look.problems)
        except (StoatError, OSError) as trouble:
            # No reason to keep away from GitHub.
            unseen = frozenset([str(trouble)])
        for problem in sorted(unseen - self._unseen):
            _log.warning("%s", problem)
        self._unseen = unseen

    def _is_due(self, at: Time) -> bool:
        state = self._session.state() if self._has_moved() else self._state
        if state is not self._state and state is not None:
            self._state, self._sought = state, wanted(state)
        new = state is not None and bool(unlooked(state, self._sought) - self._tried)
        paused = time.monotonic() < self._not_before
        own = Sweeps(period=self._period, asked=self._asked, mine=self._mine, paused=paused, new=new)
        return due(read_now(self._session.store.common), own, sought=bool(self._sought), at=at)

    def _has_moved(self) -> bool:
        return self._state is None or self._session.store.tip() != self._state.commit

    def _sweep(self) -> None:
        asked, self._asked = self._asked, None
        if sweep(self._session, self._environ, wait=self._wait, what=self._what).other is not None:
            # Theirs may have begun before we were asked.
            self._asked = self._asked or asked
            return
        if self._state is not None:
            self._tried |= unlooked(self._state, self._sought)
        seen = read_now(self._session.store.common)
        self._mine = seen.at
        if seen.problem is None:
            self._failed = 0
            self._pause()
        else:
            self._hold_off()

    def _follow(self) -> None:
        """Do what comes after a sweep that saw GitHub, whoever's it was."""
        if self._then is None:
            return
        seen = read_now(self._session.store.common)
        if seen.problem is None and seen.at is not None and seen.at != self._then_at:
            self._then_at = seen.at
            self._then(self._session, self._environ)

    def _hold_off(self) -> None:
        self._failed += 1
        self._pause()

    def _pause(self) -> None:
        self._not_before = time.monotonic() + pause(self._period, self._failed)

    def _wait(self, seconds: float, why: str) -> bool:
        """Wait as long as the client is asked to, unless that is too long or this is the end."""
        return seconds <= _WAITED and not self._stopped.wait(seconds)
