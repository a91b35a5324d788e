"""Where the plans' integration branches are, seen in the checkouts that are known and recorded where it is news.

    observed = observe(session)            looks, and appends one commit or none
    tips = look(session, ["my-plan"]).tips        for who appends something anyway: branches.news(state, tips)

One checkout speaks for a repository: that of a runner of the plan, else the store's own, else the one that one stands
in. Nothing is fetched. What cannot be read is said, and is no event: it is not known where that branch is.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from stoat.clock import Time
from stoat.derive.branches import Tip, news, repositories, speaks
from stoat.derive.wording import branches as say
from stoat.errors import StoatError
from stoat.gitstore.log import Change
from stoat.gitstore.names import named
from stoat.gitstore.porcelain import GitFailed
from stoat.gitstore.work.branches import is_ancestor
from stoat.gitstore.work.tips import known_tip
from stoat.observe import live
from stoat.observe.tree import repository_at
from stoat.plan.state import PlanState, State
from stoat.service.session import Session

OBSERVER = named("branch-watch", "observer")
"""Who stands behind what is recorded of branches, whoever looked."""

PATIENCE = 10.0
"""Seconds that git may take to say where a branch is."""


class Look(NamedTuple):
    """The branches that were seen, and a sentence for each that could not be."""

    tips: tuple[Tip, ...]
    problems: tuple[str, ...]


class Observed(NamedTuple):
    """A look, and what of it was news: each tip with the commit that was on record before, None for the first one."""

    look: Look
    moved: tuple[tuple[Tip, str | None], ...]


def observe(session: Session) -> Observed:
    """Look at the branch of every plan that has one, and record those that are not where the log has them.

    Appends nothing where nothing moved. Raises what `Store.append` does.
    """
    seen = look(session)
    moved: list[tuple[Tip, str | None]] = []
    if not news(session.state(), seen.tips):
        return Observed(seen, ())

    def decide(state: State, _: Time) -> Change | None:
        moved[:] = [(tip, _before(state, tip)) for tip in seen.tips if news(state, [tip])]
        return Change(news(state, seen.tips), say.subject([tip for tip, _ in moved])) if moved else None

    session.store.append(decide, OBSERVER)
    return Observed(seen, tuple(moved))


def look(session: Session, only: Collection[str] | None = None, directory: Path | None = None) -> Look:
    """Where the plans' branches are (`only`: of these plans); archived plans, and those without a branch, are left out.

    `directory` is the checkout that one stands in, by default the session's.
    """
    tips: list[Tip] = []
    problems: list[str] = []
    runners = live.read_runners(session.store.common)
    for slug, plan in session.state().plans.items():
        if plan.header.branch is not None and plan.archived is None and (only is None or slug in only):
            own = [place for place, _ in live.checkouts(runners, slug)]
            tips += _seen(plan, plan.header.branch, own, session.store.common, directory or session.directory, problems)
    return Look(tuple(tips), tuple(dict.fromkeys(problems)))


def _seen(
    plan: PlanState, branch: str, worked: Sequence[Path], store: Path, directory: Path, problems: list[str]
) -> Iterator[Tip]:
    """Each repository's tip, once: as the first of the checkouts has it that has the branch."""
    wanted = repositories(plan)
    spoken: set[str] = set()
    for place, is_known in _places(worked, store, directory):
        try:
            tip = _tip_at(place, plan, branch, wanted)
            behind = not is_known and tip is not None and _is_behind(place, plan, tip)
        except (StoatError, OSError) as problem:
            # Who speaks after this one may be older.
            why = problem.why if isinstance(problem, GitFailed) else str(problem)
            problems.append(say.unseen(plan.slug, branch, str(place), why))
            return
        where = (tip.repo or "").casefold() if tip is not None else None
        if tip is None or where is None or where in spoken:
            continue
        spoken.add(where)
        if not behind:
            yield tip
        if len(spoken) >= max(1, len(wanted)):
            return


def _places(worked: Sequence[Path], store: Path, directory: Path) -> Iterator[tuple[Path, bool]]:
    """The repositories to ask, in their order, each with whether it is known to be one that the plan is worked in."""
    for checkout in worked:
        yield checkout, True
    yield store, True
    yield directory, False


def _tip_at(place: Path, plan: PlanState, branch: str, wanted: Sequence[str]) -> Tip | None:
    commit = known_tip(place, branch, timeout=PATIENCE)
    if commit is None:
        return None
    for known, tip in plan.branch_tips.items():
        if tip == commit:
            # On record: whose repository this is need not be asked.
            return Tip(plan.slug, branch, known or None, commit)
    repo = repository_at(place)
    return Tip(plan.slug, branch, repo, commit) if speaks(wanted, repo) else None


def _is_behind(place: Path, plan: PlanState, tip: Tip) -> bool:
    """Whether the checkout may have an older branch than the one on record, of which another clone told."""
    before = plan.tip_in(tip.repo)
    return before is not None and before != tip.commit and is_ancestor(place, tip.commit, before) is not False


def _before(state: State, tip: Tip) -> str | None:
    plan = state.plan(tip.plan)
    return plan.tip_in(tip.repo) if plan is not None else None
