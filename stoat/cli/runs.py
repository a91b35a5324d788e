"""`stoat runs add`, `list`, `show`: test runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from stoat.cli import context, render
from stoat.cli.context import Json, complete_node
from stoat.cli.later import TAKES_ANYTHING, refuse
from stoat.derive.wording.later import EXPORT

if TYPE_CHECKING:
    from stoat.service.runs import RunShown

app = typer.Typer(
    no_args_is_help=True, add_completion=False, rich_markup_mode=None,
    help="Record test runs from reports, and look at every run on record.",
)  # fmt: skip


@app.command("add", epilog="Example: stoat runs add build/report.xml --tag my-plan/checkout-slice")
def add(
    files: Annotated[list[Path], typer.Argument(metavar="FILE…", show_default=False)],
    tag: Annotated[
        str,
        typer.Option("--tag", metavar="PLAN/NODE[/STEP]", help="What it is a run of.", autocompletion=complete_node),
    ],
    format: Annotated[str, typer.Option("--format", metavar="junit", help="The format of the files.")] = "junit",
    json: Json = False,
) -> None:
    """Record reports as one run, on the commit of the checkout you stand in.

    A slice's specs are found in it as {Feature}/{Scenario}; docs/cli.md says by which names.
    """
    from stoat.service import runs

    added = runs.add(context.session(), files, tag, format)
    if json:
        render.json(added)
        return
    render.say(f"{added.run_id}: {added.state}, {added.passed} passed, {added.failed} failed, {added.skipped} skipped")
    for sign, specs in (("✓", added.specs_passed), ("✗", added.specs_failed), ("○ absent:", added.specs_absent)):
        for spec in specs:
            render.say(f"  {sign} {render.clean(spec)}")


@app.command("list", epilog="Example: stoat runs list --tag my-plan/suite")
def list_(
    tag: Annotated[
        str | None,
        typer.Option("--tag", metavar="TAG", help="Only runs of that PLAN/NODE[/STEP].", autocompletion=complete_node),
    ] = None,
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1, help="At most so many.")] = 50,
    json: Json = False,
) -> None:
    """The runs on record, the newest first."""
    from stoat.service import runs

    found = runs.listed(context.session(), tag, limit)
    if json:
        render.json(found)
        return
    render.table(
        ("run", "tag", "result", "commit", "by", "when", "what"),
        [
            (one.run_id, one.tag, _result(one), _commit(one), one.by, one.finished_at or one.started_at, one.suite)
            for one in found
        ],
        empty="no runs on record",
    )


@app.command("show", epilog="Example: stoat runs show r-7m2kx0a9")
def show(run: Annotated[str, typer.Argument(metavar="ID")], json: Json = False) -> None:
    """A run: what ran, where, how it ended, and the scenarios it decided."""
    from stoat.service import runs

    detail = runs.show(context.session(), run)
    if json:
        render.json(detail)
        return
    shown = detail.run
    where = f"on {shown.branch or 'no branch'} at {_commit(shown)}, machine {shown.machine}"
    render.say(f"{shown.run_id}: {_result(shown)}, {render.clean(shown.tag)}")
    render.say(render.clean(f"{shown.suite} by {shown.by} {where}"))
    render.say(f"from {shown.started_at or '?'} to {shown.finished_at or '?'}")
    for one in detail.scenarios:
        render.say(f"  {'✓' if one.outcome == 'CleanPass' else '✗'} {render.clean(one.uid)}")


def _result(run: RunShown) -> str:
    if not run.finished:
        return "orphaned" if run.orphaned else "running"
    if run.timed_out:
        return "timed out"
    if run.exit_code is not None:
        return "passed" if run.exit_code == 0 else f"failed ({run.exit_code})"
    counts = f"{run.passed} of {(run.passed or 0) + (run.failed or 0)}"
    return f"{'failed' if run.failed else 'passed'} ({counts})"


def _commit(run: RunShown) -> str:
    if run.commit is None:
        return "?"
    return run.commit[:10] + ("+dirty" if run.dirty else "")


app.command("export", hidden=True, context_settings=TAKES_ANYTHING)(refuse(EXPORT))
