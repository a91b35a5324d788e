"""A sweep of GitHub: one look at everything that the plans hang on, its news one commit or none, the rest kept beside.

swept = sweep(session, os.environ, wait=…)      what it came to; who sweeps instead, while another process does
done = look(session, os.environ, wait=…)        the same, and the plans' branches on this machine before it
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from stoat import clock
from stoat.clock import Time
from stoat.derive.dwell import dwelt
from stoat.derive.news import news
from stoat.derive.news import now as seen_now
from stoat.derive.watching import wanted
from stoat.derive.wording import branches, observed
from stoat.derive.wording import sweep as say
from stoat.derive.wording.unseen import What
from stoat.gitstore.log import Change
from stoat.gitstore.names import named
from stoat.observe.github.now import folder, forget_now, keep_now, read_now
from stoat.observe.github.turn import Sweeping, turn
from stoat.plan import streams
from stoat.plan.events.github import GitHubEvent
from stoat.plan.events.landings import BranchMoved
from stoat.plan.github import GitHubNow, GitHubState, Looked, Reading, Unseen, Wanted, numbered
from stoat.plan.state import State
from stoat.service import branch_moves
from stoat.service.session import Session

if TYPE_CHECKING:
    from stoat.observe.github.client import Wait
    from stoat.observe.github.sweep import Progress

OBSERVER = named("github-sweep", "observer")
"""Who stands behind what a sweep records, whoever started it."""
_TYPE = str(BranchMoved.__struct_config__.tag)


class NewsShown(Struct, frozen=True, rename="camel"):
    """One thing that is different: in which repository (None: one without a name), the event's type, the issue or pull
    request, in words."""

    repo: str | None
    type: str
    number: int | None
    text: str


class ProblemShown(Struct, frozen=True, rename="camel"):
    """Something that could not be read: of one repository, or (None) of GitHub; what to do, where there is anything."""

    repo: str | None
    text: str
    fix: str | None


class Swept(Struct, frozen=True, rename="camel"):
    """What a sweep came to: requests sent, facts read, what of them is news, what could not be read."""

    requests: int = 0
    facts: int = 0
    news: tuple[NewsShown, ...] = ()
    problems: tuple[ProblemShown, ...] = ()


class Sweep(NamedTuple):
    """A sweep's end. `blind` is the problem that kept everything from being read; `other` is who sweeps instead.

    `looked` says whether there was anything to look at.
    """

    swept: Swept
    blind: ProblemShown | None = None
    other: Sweeping | None = None
    looked: bool = True


def look(session: Session, environ: Mapping[str, str], *, wait: Wait, patience: float, progress: Progress) -> Sweep:
    """Look once at everything: the plans' branches on this machine, then GitHub as `sweep` does."""
    seen = branch_moves.observe(session)
    done = sweep(session, environ, wait=wait, patience=patience, progress=progress)
    told = tuple(NewsShown(tip.repo, _TYPE, None, branches.moved(tip, before)) for tip, before in seen.moved)
    problems = tuple(ProblemShown(None, problem, None) for problem in seen.look.problems)
    swept = replace(
        done.swept, facts=done.swept.facts + len(seen.look.tips), news=(*told, *done.swept.news),
        problems=(*problems, *done.swept.problems),
    )  # fmt: skip
    return done._replace(swept=swept, looked=done.looked or bool(seen.look.tips or problems))


def sweep(
    session: Session,
    environ: Mapping[str, str],
    *,
    wait: Wait,
    what: str = "stoat sweep",
    patience: float = 0.0,
    progress: Progress = lambda answered, asked: None,
) -> Sweep:
    """Look at GitHub once and record what is new; while another process does so, what it said the last time.

    `wait` decides whether a limit is waited for, `what` is told to others meanwhile, `patience` is how many seconds
    to wait for another sweep's end, `progress` hears how far it is. Where nothing hangs on GitHub nothing is asked.
    """
    with turn(session.store.common, what, patience) as holder:
        if not holder.ours:
            return Sweep(_last(session), other=holder)
        return _sweep(session, environ, wait, progress)


def unlooked(state: State, sought: Sequence[Wanted]) -> frozenset[tuple[str, int]]:
    """The issues and pull requests among `sought` that nothing is on record of, not even that they cannot be seen."""
    known = state.repositories()
    found = set()
    for one in sought:
        record = known.get(one.name.lower(), GitHubState())
        found |= {(one.name.lower(), number) for number in one.issues if number not in record.issues}
        found |= {(one.name.lower(), number) for number in one.pulls if number not in record.pulls}
    return frozenset(found)


def _sweep(session: Session, environ: Mapping[str, str], wait: Wait, progress: Progress) -> Sweep:
    common, at, before = session.store.common, clock.now(), session.state()
    sought = wanted(before)
    previous = read_now(common)
    if not sought:
        if previous != GitHubNow():
            forget_now(common)
        return Sweep(Swept(), looked=False)
    reading = dwelt(before, _read(common, environ, sought, before, wait, progress), at)
    told: list[NewsShown] = []

    def decide(state: State, _: Time) -> Change | None:
        found = news(state, reading)
        told[:] = _told(state, found)
        repositories = list(dict.fromkeys(one.repo for one in told if one.repo is not None))
        return Change(found, say.subject(repositories, len(found))) if found else None

    session.store.append(decide, OBSERVER)
    keep_now(common, seen_now(previous, reading, at))
    problems = tuple(_problems(reading, session.state().repositories()))
    swept = Swept(reading.requests, _facts(reading.repositories), tuple(told), problems)
    return Sweep(swept, None if swept.facts else next(_hindrances(reading), None))


def _read(
    common: Path, environ: Mapping[str, str], sought: Sequence[Wanted], before: State, wait: Wait, progress: Progress
) -> Reading:
    """The reading; what keeps it from being read at all is in it."""
    from stoat.observe.github.client import connect
    from stoat.observe.github.sweep import read
    from stoat.observe.github.trouble import GitHubTrouble

    try:
        client = connect(environ, folder(common) / "answers", wait=wait)
    except GitHubTrouble as trouble:
        return Reading(problem=trouble.message, fix=trouble.fix, again_at=trouble.again_at)
    return read(client, sought, progress, before.repositories())


def _told(state: State, found: Sequence[tuple[str, GitHubEvent]]) -> Iterator[NewsShown]:
    known = state.repositories()
    for stream, event in found:
        name = streams.repository_of(stream) or stream
        yield NewsShown(
            repo=name,
            type=str(event.__struct_config__.tag),
            number=say.number_of(event),
            text=observed.told(known.get(name.lower(), GitHubState()), event, name, full=True),
        )


def _facts(looks: Sequence[Looked]) -> int:
    """How many different facts were read."""
    found: set[tuple[str, str, int]] = set()
    for look in looks:
        name = look.name.lower()
        found |= {(name, "issue", issue.number) for issue in look.issues}
        found |= {(one.repo.lower(), "pull", one.pull.number) for one in look.pulls}
        found |= {(name, "repository", 0)} if look.repository is not None else set()
        found |= {(name, "default", 0)} if look.default is not None else set()
    return len(found)


def _problems(reading: Reading, known: Mapping[str, GitHubState]) -> Iterator[ProblemShown]:
    """What could not be read; `known` is what is on record by now."""
    yield from _hindrances(reading)
    for look in reading.repositories:
        for missing in look.not_there:
            if not _is_followed(known, missing.to):
                said = say.unseen(look.name, missing.what, missing.number, missing.why, missing.detail, missing.to)
                yield ProblemShown(look.name, *said)


def _hindrances(reading: Reading) -> Iterator[ProblemShown]:
    """What kept GitHub, or a repository, from being read; not what GitHub answered that it does not show."""
    if reading.problem is not None:
        yield ProblemShown(None, reading.problem, reading.fix)
    for look in reading.repositories:
        for trouble in (look.problem, look.gaps):
            if trouble is not None and trouble != reading.problem:
                yield ProblemShown(look.name, trouble, None)


def _last(session: Session) -> Swept:
    """What is on record and was said the last time, for whoever may not look itself."""
    state, seen = session.state(), read_now(session.store.common)
    known = state.repositories()
    names = {one.name.lower(): one.name for one in wanted(state)}
    facts, problems = 0, []
    if seen.problem is not None:
        problems.append(ProblemShown(None, seen.problem, seen.fix))
    for key, name in names.items():
        record, looked = known.get(key, GitHubState()), seen.repositories.get(key)
        facts += sum(one.fact is not None for one in record.issues.values())
        facts += sum(one.fact is not None for one in record.pulls.values())
        facts += (record.repository is not None) + (record.default is not None)
        for trouble in (looked.problem, looked.gaps) if looked is not None else ():
            if trouble is not None and trouble != seen.problem:
                problems.append(ProblemShown(name, trouble, None))
        problems += _unseen(name, record, known)
    return Swept(facts=facts, problems=tuple(problems))


def _unseen(name: str, record: GitHubState, known: Mapping[str, GitHubState]) -> Iterator[ProblemShown]:
    """What is on record as not seen."""
    missing: list[tuple[What, int | None, Unseen | None]] = [("repository", None, record.unseen)]
    missing += [("issue", number, one.unseen) for number, one in record.issues.items()]
    missing += [("pull", number, one.unseen) for number, one in record.pulls.items()]
    for what, number, unseen in missing:
        if unseen is not None and not _is_followed(known, unseen.to):
            yield ProblemShown(name, *say.unseen(name, what, number, unseen.why, unseen.detail, unseen.to))


def _is_followed(known: Mapping[str, GitHubState], to: str | None) -> bool:
    """Whether an issue was transferred to one that is seen: that is no problem any more."""
    target = numbered(to or "")
    record = known.get(target.repo.lower(), GitHubState()).issues.get(target.number) if target is not None else None
    return record is not None and record.fact is not None and record.unseen is None
