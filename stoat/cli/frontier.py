"""`stoat frontier`: where a graph of GitHub issues stands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from stoat.cli import render
from stoat.cli.context import Json
from stoat.cli.waiting import wait

if TYPE_CHECKING:
    from stoat.derive.frontier import Frontier
    from stoat.plan.issue_graph import Selection

Repo = Annotated[str, typer.Option("--repo", metavar="OWNER/NAME", help="The repository that the issues are in.")]
Parent = Annotated[
    int | None, typer.Option("--parent", metavar="N", min=1, max=2**31 - 1, help="An issue, and all issues below it.")
]
Label = Annotated[str | None, typer.Option("--label", metavar="L", help="All issues with a label.")]
Milestone = Annotated[
    str | None, typer.Option("--milestone", metavar="M", help="All issues of a milestone, by its number or title.")
]
Issues = Annotated[str | None, typer.Option("--issues", metavar="1,2,3", help="These issues.")]


def frontier(
    repo: Repo,
    parent: Parent = None,
    label: Label = None,
    milestone: Milestone = None,
    issues: Issues = None,
    as_json: Json = False,
) -> None:
    """Where a graph of GitHub issues stands: what is ready, in flight, blocked and by what, and what is wrong with it.

    Select it by exactly one of --parent, --label, --milestone and --issues; sub-issues of what is selected belong to
    it, in any repository. Needs a token: GH_TOKEN, GITHUB_TOKEN, or that of `gh auth login`. Exit code 1 when the
    graph cannot end (deadlocked, or a cycle), 4 when it could not be read whole.
    """
    from stoat.service import frontier as service

    found = service.frontier(selection(repo, parent, label, milestone, issues), wait=wait)
    if as_json:
        render.json(found)
    else:
        show(found)
    if found.bad:
        raise typer.Exit(1)


def selection(repo: str, parent: int | None, label: str | None, milestone: str | None, issues: str | None) -> Selection:
    """The flags as what they select; a usage error unless it is exactly one thing of a repository."""
    from stoat.plan.ids import is_repository
    from stoat.plan.issue_graph import Selection

    if not is_repository(repo):
        raise typer.BadParameter(f"{repo!r} is not written OWNER/NAME", param_hint="--repo")
    given = {"--parent": parent, "--label": label, "--milestone": milestone, "--issues": issues}
    named = [flag for flag, value in given.items() if value is not None]
    if len(named) != 1:
        what = f"{' and '.join(named)} exclude each other" if named else "nothing says which issues"
        raise typer.BadParameter(f"{what}: give exactly one of {', '.join(given)}")
    for flag, text in (("--label", label), ("--milestone", milestone)):
        if text is not None and not text.strip():
            raise typer.BadParameter("it is empty", param_hint=flag)
    return Selection(repo=repo, parent=parent, label=label, milestone=milestone, issues=_numbers(issues))


def show(found: Frontier) -> None:
    """Print a frontier for people: its verdict, its issues by class and why they are there, its warnings."""
    from stoat.derive.wording import frontier as say

    home = found.scope.repo
    counts = {name: sum(issue.standing == name for issue in found.issues) for name in say.CLASSES}
    render.say(render.clean(f"{say.scope(found.scope)}: {say.VERDICTS[found.verdict]}"))
    render.say(say.counts(counts))
    for name, meaning in say.CLASSES.items():
        issues = [issue for issue in found.issues if issue.standing == name]
        if not issues:
            continue
        render.say(f"\n{meaning}")
        if name == "done":
            names = [say.name(issue.repo, issue.number, home) for issue in issues]
            render.say("  " + render.clean(", ".join(names)))
            continue
        for issue in issues:
            render.say(render.clean(f"  {say.name(issue.repo, issue.number, home)}  {issue.title}"))
            if reason := say.line(issue, home):
                render.say(render.clean(f"      {reason}"))
    if found.warnings:
        render.say("\nwarnings")
    for warning in found.warnings:
        render.say(render.clean(f"  {warning.text}"))


def _numbers(written: str | None) -> tuple[int, ...]:
    """`1,2,3` (or `#1, #2`) as numbers; a usage error for anything else."""
    if written is None:
        return ()
    numbers = [part.strip().removeprefix("#") for part in written.split(",")]
    wrong = [number for number in numbers if not (number.isascii() and number.isdecimal() and 0 < int(number) < 2**31)]
    if wrong:
        raise typer.BadParameter(f"{wrong[0]!r} is not the number of an issue: write 1,2,3", param_hint="--issues")
    return tuple(int(number) for number in numbers)
