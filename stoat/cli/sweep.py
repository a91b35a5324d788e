"""`stoat sweep`: look once at the plans' branches and at GitHub, and record what is new."""

from __future__ import annotations

import os
import sys
from typing import IO, TYPE_CHECKING, Annotated

import typer

from stoat.cli import context, render
from stoat.cli.context import Json
from stoat.cli.waiting import wait
from stoat.errors import Refused, Unreachable

if TYPE_CHECKING:
    from stoat.service.sweeping import Sweep

_PATIENCE = 1.0
_WIDTH = 40
"""Room for how far a sweep is."""

LATER = {"feeds": "looking at package feeds", "pins": "looking at pins"}
"""What a later version sweeps as well."""


def sweep(
    github: Annotated[bool, typer.Option("--github", help="Look at GitHub; so it does without any of these.")] = False,
    feeds: Annotated[bool, typer.Option("--feeds", help="Look at package feeds. (Later.)")] = False,
    pins: Annotated[bool, typer.Option("--pins", help="Look at committed pins. (Later.)")] = False,
    json: Json = False,
) -> None:
    """Look once at what the plans hang on and record what is different: their integration branches on this machine,
    and the issues and pull requests of their nodes.

    Branches are read as they are here; nothing is fetched. GitHub needs a token where there is anything to look at:
    GH_TOKEN, GITHUB_TOKEN, or that of `gh auth login`.
    STOAT_GITHUB_API names another GitHub than github.com. `stoat serve` and `stoat run-plan` sweep by themselves.
    Exit code 4 when nothing could be read.
    """
    from stoat.derive.wording import later
    from stoat.derive.wording import sweep as say
    from stoat.service import sweeping

    unready = [LATER[name] for name, asked in (("feeds", feeds), ("pins", pins)) if asked]
    if unready and not github:
        raise Refused(later.sentence(" and ".join(unready)), hint="stoat sweep --github looks at GitHub")
    for what in unready:
        render.tell(later.sentence(what))
    session = context.session()
    try:
        done = sweeping.look(session, os.environ, wait=_wait, patience=_PATIENCE, progress=_progress)
    finally:
        _over(sys.stderr)
    if done.other is not None:
        render.tell(say.elsewhere(str(done.other)))
    if json:
        render.json(done.swept)
    else:
        _show(done)
    if done.blind is not None:
        raise Unreachable(say.problem(done.blind.repo, done.blind.text), done.blind.fix)


def _show(done: Sweep) -> None:
    from stoat.derive.wording import sweep as say

    swept = done.swept
    if swept.news:
        render.table(("repository", "what"), [(one.repo or "", one.text) for one in swept.news])
    for problem in swept.problems:
        if problem != done.blind:
            render.say(f"✗ {render.clean(say.problem(problem.repo, problem.text))}")
            if problem.fix:
                render.say(f"  hint: {render.clean(problem.fix)}")
    if not done.looked:
        render.say(say.NOTHING_TO_LOOK_AT)
    elif done.blind is None:
        render.say(say.summary(len(swept.news), swept.facts, swept.requests, last=done.other is not None))


def _progress(answered: int, asked: int) -> None:
    """Show on a terminal how far it is, on a line that the next one takes the place of."""
    from stoat.derive.wording import sweep as say

    if sys.stderr.isatty():
        _over(sys.stderr)
        sys.stderr.write(say.looking(answered, asked))
        sys.stderr.flush()


def _over(terminal: IO[str]) -> None:
    """Make that line empty again."""
    if terminal.isatty():
        terminal.write(f"\r{' ' * _WIDTH}\r")
        terminal.flush()


def _wait(seconds: float, why: str) -> bool:
    """As every command waits, and what is said of it stands on a line of its own."""
    _over(sys.stderr)
    return wait(seconds, why)
