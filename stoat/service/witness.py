"""Tells the ref what test runs prove, behind everything else: in one commit what came together, again what failed.

The archive is its memory. What a server did not get to tell, because it was killed or the store was locked, the next
one finds there.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

from stoat import clock
from stoat.derive.wording.tags import stray
from stoat.errors import StoatError
from stoat.observe.run_index import Indexed
from stoat.plan.events.evidence import Tree
from stoat.plan.monitor.run import Run
from stoat.plan.state import NodeState, State
from stoat.processes import is_known_dead
from stoat.service.heard import HeardRuns, Held
from stoat.service.proving import Heard, on_record, prove, tag_in, tree_now
from stoat.service.session import Session
from stoat.service.tags import is_stray

_GATHER = 0.2
"""Seconds in which runs that start or finish together come into one commit."""
_LOOK = 1.0
_LATE = 30.0
"""Seconds between two looks at archives that somebody else wrote."""
_OTHERS = 5.0
"""Seconds that a process which wrote an archive by itself has to tell what it proves."""
_BACKOFF = 30.0
_PROMPT = 60.0
"""Seconds after the end of a run in which the tree is taken for the one it ran on."""
_END = 3.0

_log = logging.getLogger(__name__)


class Witness:
    """The thread that tells the ref, and calls `follow` once a second while it is at it. `look` has it look now."""

    def __init__(self, session: Session, runs: HeardRuns, follow: Callable[[], object]) -> None:
        # A session is not for two threads; the store behind it is.
        self._session = Session(session.store, session.actor, session.directory)
        self._runs = runs
        self._follow = follow
        self._followed_at = 0.0
        self._settled: dict[str, float] = {}
        self._strays: set[str] = set()
        self._late_at = 0.0
        self._woken = threading.Event()
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="stoat-witness", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def look(self) -> None:
        """Have it look: something was heard."""
        self._woken.set()

    def stop(self) -> None:
        """Tell what is known, and end; a store that is locked is not waited for long."""
        self._stopped.set()
        self._woken.set()
        if self._thread.is_alive():
            self._thread.join(_END)

    def _run(self) -> None:
        failed, said = 0, ""
        while True:
            last = self._stopped.is_set()
            try:
                self._tell()
                if not last and time.monotonic() >= self._followed_at:
                    self._followed_at = time.monotonic() + _LOOK
                    self._follow()
                if not last and time.monotonic() >= self._late_at:
                    self._late_at = time.monotonic() + _LATE
                    self._catch_up()
                failed, said = 0, ""
            except StoatError as problem:
                failed += 1
                if said != problem.message:
                    _log.warning("what test runs prove waits to be recorded: %s", problem.message)
                said = problem.message
            except Exception:
                failed += 1
                _log.exception("recording what test runs prove stumbled and goes on")
            if last:
                return
            if failed:
                self._stopped.wait(min(_LOOK * 2**failed, _BACKOFF))
            self._woken.wait(_LOOK)
            self._woken.clear()
            self._stopped.wait(_GATHER)

    def _tell(self) -> None:
        """Append what the runs in memory prove and the ref does not have."""
        due = [(held, word) for held in self._runs.held() if (word := _word(held.run)) != held.told]
        heard = []
        for held, word in due:
            if word:
                _see(held)
                heard.append(Heard(self._runs.still(held), held.before or Tree(), held.after))
        if heard:
            prove(self._session, heard)
        for held, word in due:
            held.told = word
            self._warn(held.run.tag)

    def _warn(self, tag: str | None) -> None:
        """Say once of a tag that it names nothing: who mistyped it waits for a result that never comes."""
        if tag and tag not in self._strays and is_stray(self._session.state(), tag):
            self._strays.add(tag)
            _log.warning("%s", stray(tag))

    def _catch_up(self) -> None:
        """Append what archived runs prove that nobody told: a server that was killed, a publisher that was."""
        state = self._session.state()
        late: list[Indexed] = []
        corrected: set[str] = set()
        for one in self._runs.others():
            if self._settled.get(one.summary.run_id) == one.touched:
                continue
            node = _node_of(state, one)
            silent = time.time() - one.touched
            if node is None or node.added.at > clock.since_epoch(one.touched):
                # An older run of that tag was of another node.
                self._settled[one.summary.run_id] = one.touched
            elif silent > (_OTHERS if one.summary.finished or is_known_dead(one.process) else self._runs.silence):
                if _is_wanted(node, one):
                    late.append(one)
                    corrected |= {one.summary.run_id} if _is_heard_after(node, one) else set()
                else:
                    self._settled[one.summary.run_id] = one.touched
        if not late:
            return
        known: frozenset[str] = frozenset()
        for slug in {(one.summary.tag or "").partition("/")[0] for one in late}:
            known |= on_record(self._session, slug)
        new = [one for one in late if one.summary.run_id not in known or one.summary.run_id in corrected]
        if new:
            prove(self._session, [self._found(one) for one in new], known)
        self._settled.update((one.summary.run_id, one.touched) for one in late)

    def _found(self, one: Indexed) -> Heard:
        """An archived run, heard of when its archive was last written: its publisher's own clock may be wrong."""
        return Heard(self._runs.archive.read(one.summary.run_id), found=clock.since_epoch(one.touched))


def _word(run: Run) -> str:
    """What there is to tell of a run: nothing without a tag, else something that is equal while it says the same."""
    if tag_in(run.tag) is None:
        return ""
    return f"{run.tag} {f'ended {run.heard}' if run.finished else 'lost' if run.orphaned else 'started'}"


def _see(held: Held) -> None:
    """Look at the tree that a run is on, at its start and again at its end, while it can be told from any other."""
    run = held.run
    over = clock.seconds_between(run.finished_at, clock.now()) if run.finished and run.finished_at else 0.0
    if over > _PROMPT:
        return
    if held.before is None and (not run.finished or run.commit is not None):
        held.before = tree_now(run)
    if run.finished and run.commit is None and held.after is None:
        held.after = tree_now(run)
        # Begun and ended between two looks: both ends are this moment.
        held.before = held.before or held.after


def _node_of(state: State, one: Indexed) -> NodeState | None:
    tag = tag_in(one.summary.tag)
    plan = state.plan(tag.ref.plan) if tag is not None else None
    return plan.nodes.get(tag.ref.node) if plan is not None and tag is not None else None


def _is_wanted(node: NodeState, one: Indexed) -> bool:
    """Whether the ref lacks how an archived run ended, as far as the newest results tell."""
    run_id = one.summary.run_id
    if any(ended.run == run_id for ended in node.evidence.values()):
        return _is_heard_after(node, one)
    going = node.running.get(run_id)
    return one.summary.finished or (going is not None and going.state != "lost")


def _is_heard_after(node: NodeState, one: Indexed) -> bool:
    """Whether more came of an archived run after its result was recorded, which may correct that."""
    touched = clock.since_epoch(one.touched)
    return any(ended.run == one.summary.run_id and ended.at < touched for ended in node.evidence.values())
