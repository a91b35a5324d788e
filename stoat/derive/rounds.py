"""Which runs count for a step: its newest evidence, whichever channel saw it. The same for a gate without steps.

A step is run in rounds. A command under `gate exec` begins one, and so does an agent's word; the test runs that publish
after it began are of its round, each for its unit of the step, or for the whole step where its tag names no unit.

| what                                                          | then                                             |
|---------------------------------------------------------------|--------------------------------------------------|
| a test run or a unit that began before the newest command did | of an earlier round: it counts no more           |
| a command, and test runs that began while it ran              | all of them count: the step is the worst of them |
| a run of the whole step that began after its command ended    | it decides, with the units that began after it   |
| units that all began after the step's command ended           | they decide, and the command counts no more      |
| a command whose process died, and units that began after it   | the units alone prove nothing: some never began  |

Newest is what began last, by the log's order and never by a clock.
"""

from __future__ import annotations

from functools import lru_cache

from msgspec import Struct

from stoat.plan.commands import same, same_place
from stoat.plan.evidence import ASSERTED, EXEC, Evidence, said_key, unit_key
from stoat.plan.nodes import Step
from stoat.plan.state import NodeState

_same = lru_cache(maxsize=16384)(same)

BARE = ""
"""The step of what ran under a node's own tag."""
WHOLE = ""
"""The unit of a test run that names none."""
RED = frozenset({"failed", "timed-out"})


class Unit(Struct, frozen=True):
    """A unit of a step in the round that counts: its newest finished run, one that is going, one that was lost."""

    id: str
    run: Evidence | None = None
    going: Evidence | None = None
    lost: Evidence | None = None


class Round(Struct, frozen=True):
    """What counts for a step: the command (or the word) that began it, and what published in it.

    `going` is a command in flight, `lost` the newest one whose process died with no later word, `cut` says that only
    units count that such a command started.
    """

    word: Evidence | None = None
    units: tuple[Unit, ...] = ()
    going: Evidence | None = None
    lost: Evidence | None = None
    cut: bool = False

    @property
    def finished(self) -> tuple[Evidence, ...]:
        """Every finished run that counts, the command's first."""
        runs = tuple(unit.run for unit in self.units if unit.run is not None) if self.units else ()
        return (self.word, *runs) if self.word is not None else runs

    @property
    def deciding(self) -> tuple[Evidence, ...]:
        """The runs that a pass rests on. A test run within a command ran on what the command ran on, unless it says so
        itself."""
        word = self.word
        return tuple(one for one in self.finished if one is word or word is None or _says_more(one, word))

    @property
    def in_flight(self) -> Evidence | None:
        """The newest run of it that is going."""
        if not self.units:
            return self.going
        runs = [run for run in (self.going, *(unit.going for unit in self.units)) if run is not None]
        return max(runs, key=lambda run: run.order, default=None)

    @property
    def red(self) -> Evidence | None:
        """The run that makes it red: a command killed at its timeout, a failed unit, a failed command. None if none is.

        A red command is red whatever its test runs say: that none of them came to a verdict is no pass of theirs.
        """
        word = self.word
        if word is not None and word.state == "timed-out":
            return word
        for unit in self.units:
            if unit.run is not None and unit.run.state in RED:
                return unit.run
        return word if word is not None and word.state in RED else None

    @property
    def decided(self) -> Evidence | None:
        """The run to name as the one that decided: one that is going, the red one, else the newest; the command's for
        all its units."""
        if not self.units:
            return self.going or self.word
        newest = max(self.finished, key=lambda run: run.order, default=None)
        named = any(unit.id != WHOLE for unit in self.units)
        return self.in_flight or self.red or (self.word if named and self.word is not None else newest)

    @property
    def gone(self) -> Evidence | None:
        """A run that never finished and that nothing newer makes up for."""
        runs = [self.lost, *(unit.lost for unit in self.units if unit.run is None)]
        return max((run for run in runs if run is not None), key=lambda run: run.order, default=None)

    @property
    def lost_since(self) -> Evidence | None:
        """The newest run that was lost while older ones decide; None without one, and where nothing older decides: then
        `gone` has it."""
        if self.open and self.red is None:
            return None
        newest = max(run.order for run in self.finished)
        runs = [self.lost] if self.lost is not None and self.lost.order > newest else []
        runs += [unit.lost for unit in self.units if unit.lost is not None and unit.run is not None]
        return max(runs, key=lambda run: run.order, default=None)

    @property
    def open(self) -> bool:
        """Whether something of it came to no verdict: nothing ran, a unit never finished, or a result is not known."""
        if not self.units:
            return self.word is None or self.word.state == "unknown"
        unknown = any(run.state == "unknown" for run in self.finished)
        return not self.finished or self.cut or unknown or any(unit.run is None for unit in self.units)


def counting(
    node: NodeState, step: str, dead: frozenset[str] = frozenset(), machine: str = "",
    silent: frozenset[str] = frozenset(),
) -> Round:  # fmt: skip
    """The round of a step (BARE: of the node itself) that counts.

    `dead` are processes known dead on this `machine`, `silent` the runs that nobody publishes any more.
    """
    if not node.running and _only_commands(node.evidence):
        return Round(node.evidence.get(step))
    command, said = node.evidence.get(step), node.evidence.get(said_key(step))
    if said is not None and (node.asserted_allowed is None or (command is not None and command.order > said.order)):
        said = None
    word = said or command
    going, lost = _commands(node, step, command, dead, machine) if node.running else (None, None)
    whole = node.evidence.get(unit_key(step, WHOLE))
    start = max(word.order if word is not None else 0, going.order if going is not None else 0)
    ended = word.seq if word is not None else 0
    if going is None and whole is not None and whole.order > max(start, ended):
        word, start = None, whole.order - 1
    units = _units(node, step, start, _over(command, lost), dead, silent)
    runs = [unit.run or unit.lost or unit.going for unit in units]
    if word is not None and runs and all(run is not None and run.order > word.seq for run in runs):
        word = None
    named = [unit for unit in units if unit.id != WHOLE]
    alone = word is None and going is None and len(named) == len(units)
    cut = alone and lost is not None and any(run is not None and run.order > lost.order for run in runs)
    return Round(None if going is not None else word, units, going, lost, cut)


def _only_commands(evidence: dict[str, Evidence]) -> bool:
    """Whether nothing published, as of most gates: then the newest command is all there is."""
    return all(run.source == EXEC for run in evidence.values())


def in_flight(node: NodeState, dead: frozenset[str], machine: str, silent: frozenset[str]) -> Evidence | None:
    """Any run of the node that is going, whatever it is of; None when nothing runs."""
    for step in sorted({run.step or BARE for run in node.running.values()}):
        found = counting(node, step, dead, machine, silent).in_flight
        if found is not None:
            return found
    return None


def passed(step: Step, of: Round) -> bool:
    """Whether a step passed, as far as the runs say that ended: none red, none open, and of its own command."""
    return of.red is None and not of.open and as_declared(step, of.word)


def as_declared(step: Step, run: Evidence | None) -> bool:
    """Whether a run is of the step's own command, word by word, and in its directory; each only where both are known.

    A step that declares no directory may run in any.
    """
    if run is None:
        return True
    if step.run is not None and run.command and not _same(step.run, run.command):
        return False
    return step.cwd is None or run.cwd is None or same_place(step.cwd, run.cwd)


def _commands(
    node: NodeState, step: str, finished: Evidence | None, dead: frozenset[str], machine: str
) -> tuple[Evidence | None, Evidence | None]:
    """The newest command of a step that is going, and the newest one that died with no later word.

    One that began elsewhere before the newest finished one ended is not going: where it runs cannot be seen.
    """
    going = lost = None
    for run in sorted(node.running.values(), key=lambda run: run.order):
        if run.source != EXEC or (run.step or BARE) != step:
            continue
        superseded = finished is not None and finished.seq > run.order
        if run.process is not None and run.process in dead:
            lost = lost if superseded else run
        elif not superseded or run.machine == machine:
            going = run
    return going, lost


def _over(command: Evidence | None, lost: Evidence | None) -> tuple[tuple[int, int | None], ...]:
    """Between which places of the log a command ran whose whole process tree is known to be gone."""
    killed = [(command.order, command.seq)] if command is not None and command.state == "timed-out" else []
    return (*killed, *([(lost.order, None)] if lost is not None else []))


def _units(
    node: NodeState, step: str, start: int, over: tuple[tuple[int, int | None], ...], dead: frozenset[str],
    silent: frozenset[str],
) -> tuple[Unit, ...]:  # fmt: skip
    """The units with a run that began after `start`, by id; a run of the whole step is the unit WHOLE."""
    before = unit_key(step, WHOLE)
    found = {
        key[len(before) :]: Unit(key[len(before) :], run)
        for key, run in node.evidence.items()
        if key.startswith(before) and run.order > start
    }
    for run in sorted(node.running.values(), key=lambda run: run.order):
        if run.source in (EXEC, ASSERTED) or (run.step or BARE) != step or run.order <= start:
            continue
        name = run.unit or WHOLE
        known = found.get(name, Unit(name))
        if known.run is not None and known.run.order > run.order:
            continue
        gone = any(begun < run.order and (end is None or run.order < end) for begun, end in over)
        quiet = run.state == "lost" or run.run in silent
        if quiet or (run.process in dead if run.process is not None else gone):
            found[name] = Unit(name, known.run, known.going, run)
        else:
            found[name] = Unit(name, known.run, run, None)
    return tuple(found[name] for name in sorted(found))


def _says_more(run: Evidence, word: Evidence) -> bool:
    """Whether a test run has to be asked itself what it ran on: it was not within the command, or on something else."""
    within = word.order < run.order < word.seq
    same_tree = run.commit in (None, word.commit) and (run.dirty is not True or word.dirty is True)
    return not within or not same_tree
