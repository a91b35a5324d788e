"""The steps of one attempt, whatever order they were heard of in.

A step's id is a template and repeats within a scenario, and a finish names nothing but the id: it goes to the first
occurrence still running. Starts and finishes are kept apart and paired when somebody reads, so that one that overtook
another on its way changes nothing.
"""

from __future__ import annotations

from msgspec import Struct

from stoat.plan.monitor import wire
from stoat.plan.monitor.wire import Event

RUNNING = "running"


class StepProgress(Struct, frozen=True, rename="camel"):
    """How far a running step has got, in its own words."""

    message: str | None
    row: int | None
    total_rows: int | None
    elapsed_ms: int | None


class Step(Struct, frozen=True, rename="camel"):
    """A step as it is read: `status` is `running` until it finished, then the publisher's word."""

    step_id: str
    kind: str
    text: str
    status: str = RUNNING
    duration_ms: int | None = None
    error_message: str | None = None
    number: int | None = None
    progress: StepProgress | None = None


class Begun(Struct):
    """A start: where in the attempt, and how many milliseconds into the scenario."""

    seq: int
    kind: str
    text: str
    number: int | None
    elapsed: int | None


class Ended(Struct):
    """A finish."""

    seq: int
    status: str
    duration_ms: int | None
    error_message: str | None
    elapsed: int | None

    def same(self, other: Ended) -> bool:
        """Whether both are the same word about the same finish."""
        return (self.status, self.duration_ms, self.error_message, self.elapsed) == (
            other.status, other.duration_ms, other.error_message, other.elapsed,
        )  # fmt: skip


class Occurrences(Struct):
    """All that was heard of one step id within an attempt."""

    begun: list[Begun] = []
    ended: list[Ended] = []
    progress: dict[int, StepProgress] = {}


class StepLog(Struct):
    """The steps of an attempt, by step id. `total` is how many its publisher expects.

    `begins` and `ends` count, by step id, what was told since the attempt was told from its beginning: that alone tells
    a step that comes again from one that is told again, where a publisher says neither number nor time.
    """

    by_id: dict[str, Occurrences] = {}
    begins: dict[str, int] = {}
    ends: dict[str, int] = {}
    numbers: dict[int, str] = {}
    seq: int = 0
    total: int | None = None

    def start(self, event: Event) -> None:
        """A step started: its number says which one it is; without one it is the id's, at its time in the scenario."""
        step_id = wire.text(event, "stepId") or ""
        number, elapsed = wire.whole(event, "stepNumber"), wire.whole(event, "scenarioElapsedMs")
        self.total = wire.whole(event, "totalSteps") or self.total
        if number is not None:
            before = self.numbers.setdefault(number, step_id)
            if before != step_id:
                held = self.by_id[before]
                held.begun = [one for one in held.begun if one.number != number]
                self.numbers[number] = step_id
        known = self._known(step_id)
        if number is None and elapsed is None:
            same = self._is_told_again(step_id, known)
        else:
            same = any(one.number == number if number is not None else one.elapsed == elapsed for one in known.begun)
        if not same:
            kind, text = wire.text(event, "kind") or "", wire.text(event, "text") or ""
            known.begun.append(Begun(self._next(), kind, text, number, elapsed))

    def finish(self, event: Event) -> None:
        """A step finished; one that is known to have done so already, in the same words, changes nothing."""
        step_id = wire.text(event, "stepId") or ""
        known = self._known(step_id)
        ended = Ended(
            0, wire.text(event, "status") or "", wire.whole(event, "durationMs"), wire.text(event, "errorMessage"),
            wire.whole(event, "scenarioElapsedMs"),
        )  # fmt: skip
        place = self.ends.get(step_id, 0)
        if place < len(known.ended) and known.ended[place].same(ended):
            self.ends[step_id] = place + 1
            return
        heard = any(one.same(ended) for one in known.ended)
        # Steps of one template may really end alike, so that alone makes no replay while one of them is running.
        if heard and not _awaited(known, ended):
            return
        ended.seq = self._next()
        known.ended.append(ended)
        self.ends[step_id] = len(known.ended)

    def advance(self, event: Event) -> None:
        """A running step says how far it is; the furthest word counts."""
        known = self._known(wire.text(event, "stepId") or "")
        said = StepProgress(
            wire.text(event, "message"), wire.whole(event, "row"), wire.whole(event, "totalRows"),
            wire.whole(event, "elapsedMs"),
        )  # fmt: skip
        place = len(known.ended)
        held = known.progress.get(place)
        if held is None or (said.elapsed_ms or 0) >= (held.elapsed_ms or 0):
            known.progress[place] = said

    def rewind(self) -> None:
        """The attempt is told from its beginning, for the first time or once more."""
        self.begins, self.ends = {}, {}

    def read(self) -> tuple[Step, ...]:
        """The steps in their order: by number, those without one as they came."""
        placed = []
        for step_id, known in self.by_id.items():
            pairs = _paired(known)
            for place, (begun, ended) in enumerate(pairs):
                step = Step(step_id, begun.kind, begun.text, number=begun.number, progress=known.progress.get(place))
                if ended is not None:
                    step = _finished(step, ended)
                placed.append((begun.number is None, begun.number or 0, begun.seq, step))
            if not pairs and known.ended:
                # Its start was lost. How it ended is known all the same.
                last = max(known.ended, key=_by_time)
                placed.append((True, 0, last.seq, _finished(Step(step_id, "", ""), last)))
        return tuple(step for *_, step in sorted(placed, key=lambda found: found[:3]))

    def _known(self, step_id: str) -> Occurrences:
        return self.by_id.setdefault(step_id, Occurrences())

    def _is_told_again(self, step_id: str, known: Occurrences) -> bool:
        """Whether a start that says neither number nor time is of an occurrence that is known: the one that was told
        last still runs, or all of them are told once more."""
        plain = [ended for begun, ended in _paired(known) if begun.number is None and begun.elapsed is None]
        place = self.begins.get(step_id, 0)
        if 0 < place <= len(plain) and plain[place - 1] is None:
            return True
        self.begins[step_id] = place + 1
        return place < len(plain)

    def _next(self) -> int:
        self.seq += 1
        return self.seq


def _finished(step: Step, ended: Ended) -> Step:
    status = ended.status or "unknown"
    return Step(step.step_id, step.kind, step.text, status, ended.duration_ms, ended.error_message, step.number)


def _awaited(known: Occurrences, ended: Ended) -> bool:
    """Whether an occurrence is running that this may be the finish of: none finishes before it began."""
    return any(held is None and _possible(begun, ended) for begun, held in _paired(known))


def _paired(known: Occurrences) -> list[tuple[Begun, Ended | None]]:
    begun = sorted(known.begun, key=lambda one: (one.number is None, one.number or 0, one.elapsed or 0, one.seq))
    pairs: list[tuple[Begun, Ended | None]] = [(one, None) for one in begun]
    for ended in sorted(known.ended, key=_by_time):
        for place, (start, held) in enumerate(pairs):
            if held is None and _possible(start, ended):
                pairs[place] = (start, ended)
                break
    return pairs


def _possible(begun: Begun, ended: Ended) -> bool:
    return begun.elapsed is None or ended.elapsed is None or begun.elapsed <= ended.elapsed


def _by_time(ended: Ended) -> tuple[int, int]:
    return (ended.elapsed or 0, ended.seq)
