"""`stoat runs add`, `list`, `show`, `export`, `flaky`: test runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from stoat.cli import context, render
from stoat.cli.context import Json, complete_node
from stoat.cli.moving import moving

if TYPE_CHECKING:
    from stoat.derive.flaky import Flaky
    from stoat.plan.monitor.shown import ScenarioShown
    from stoat.service.run_list import RunShown

app = typer.Typer(
    no_args_is_help=True, add_completion=False, rich_markup_mode=None,
    help="Record test runs from reports, look at every run that is known, and write runs out for other tools.",
)  # fmt: skip

TagOption = Annotated[
    str | None,
    typer.Option(
        "--tag", metavar="TAG", help="Only runs of that PLAN/NODE[/STEP], or below it.", autocompletion=complete_node
    ),
]
RunArgument = Annotated[
    str, typer.Argument(metavar="ID", help="A run's id, or the beginning of one alone.", show_default=False)
]


@app.command("add", epilog="Example: stoat runs add build/report.xml --tag my-plan/checkout-slice")
def add(
    files: Annotated[list[Path], typer.Argument(metavar="FILE…", show_default=False)],
    tag: Annotated[
        str,
        typer.Option("--tag", metavar="PLAN/NODE[/STEP]", help="What it is a run of.", autocompletion=complete_node),
    ],
    format: Annotated[
        str | None,
        typer.Option(
            "--format", metavar="FORMAT", help="junit, ctrf, cucumber (its messages) or bobcat; else as recognised."
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Record reports as one run, on the commit of the checkout you stand in.

    A slice's specs are found in it as {Feature}/{Scenario}; docs/runs.md says by which names.
    """
    from stoat.service import runs, tags

    session = context.session()
    with moving("reading the report"):
        added = runs.add(session, files, tag, format)
    lost = tags.lost_step(session.state(), tag)
    if lost is not None:
        render.tell(f"stoat: {render.clean(lost)}")
    if json:
        render.json(added)
        return
    counts = f"{added.passed + added.passed_on_retry} passed, {added.failed} failed, {added.skipped} skipped"
    if added.passed_on_retry:
        counts += f", {added.passed_on_retry} of the passed on a retry"
    if added.indeterminate:
        counts += f", {added.indeterminate} undecided"
    render.say(f"{added.run_id}: {added.state}, {counts}")
    for sign, specs in (("✓", added.specs_passed), ("✗", added.specs_failed), ("○ absent:", added.specs_absent)):
        for spec in specs:
            render.say(f"  {sign} {render.clean(spec)}")


@app.command("list", epilog="Example: stoat runs list --tag my-plan/suite")
def list_(
    tag: TagOption = None,
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1, help="At most so many.")] = 50,
    json: Json = False,
) -> None:
    """The runs that are known, the newest first."""
    from stoat.service import run_list

    found = run_list.listed(context.session(), tag, limit)
    if json:
        render.json(found)
        return
    render.table(
        ("run", "tag", "result", "commit", "by", "when", "what"),
        [
            (one.run_id, _tag(one), _result(one), _commit(one), one.by, _when(one), one.suite) for one in found
        ],
        empty="no runs on record",
    )  # fmt: skip


@app.command("show", epilog="Example: stoat runs show r-7m2kx0a9")
def show(run: RunArgument, json: Json = False) -> None:
    """A run: what ran, where, how it ended, and its scenarios."""
    from stoat.service import run_list, run_names

    session = context.session()
    detail = run_list.show(session, run_names.named(session, run))
    if json:
        render.json(detail)
        return
    shown = detail.run
    where = f"on {shown.branch or 'no branch'} at {_commit(shown)}"
    if shown.machine:
        where += f", machine {shown.machine}"
    render.say(render.clean(f"{shown.run_id}: {_result(shown)}, {_tag(shown) or 'no tag'}"))
    render.say(render.clean(f"{shown.suite} by {shown.by or 'nobody known'} {where}"))
    render.say(f"from {shown.started_at or '?'} to {shown.finished_at or '?'}")
    for one in detail.scenarios:
        _scenario(one)


@app.command("export", epilog="Example: stoat runs export r-7m2kx0a9 --format junit > report.xml")
def export(
    run: RunArgument,
    format: Annotated[str, typer.Option("--format", metavar="FORMAT", help="ctrf, junit or ndjson.")] = "ctrf",
) -> None:
    """Write a run out on stdout: as CTRF, as JUnit XML, or its wire events as they were received.

    Only of a run that has an archive; a command under `stoat gate` has none.
    """
    from stoat.observe.archive import Archive
    from stoat.service import exporting, run_names

    exporting.check(format)
    session = context.session()
    for piece in exporting.export(Archive.of(session.store.common), run_names.named(session, run), format):
        render.json_bytes(piece.removesuffix(b"\n"))


@app.command("flaky", epilog="Example: stoat runs flaky --tag my-plan/suite")
def flaky(
    tag: TagOption = None,
    limit: Annotated[
        int | None, typer.Option("--limit", metavar="N", min=1, help="Only in the N newest runs; else in all known.")
    ] = None,
    json: Json = False,
) -> None:
    """Scenarios that passed on a retry, or passed and failed on one and the same commit, in all runs that are known.

    Says in how many it looked: archives hold the newest (14 days of them), the record of older ones has bound specs.
    """
    from stoat.service import ledger

    found = ledger.flaky(context.session(), tag, limit)
    if json:
        render.json(found)
        return
    render.table(
        ("scenario", "tag", "flaky", "how", "runs", "last seen", "in"),
        [
            (one.uid, one.tag, f"{one.times}×", _how(one), one.runs, one.last_seen or "?", one.last_run)
            for one in found.flaky
        ],
        empty="nothing flaky in the runs that are known",
    )
    when = f" from {found.since} to {found.until}" if found.since is not None else ""
    render.say(f"in {found.runs} {'run' if found.runs == 1 else 'runs'}{when}")


def _scenario(one: ScenarioShown) -> None:
    ended = "skipped" if one.skipped else one.outcome or "unfinished"
    sign = {"CleanPass": "✓", "PassOnRetry": "✓", "Failed": "✗"}.get(ended)
    tries = f" (attempt {one.attempts})" if one.attempts is not None and one.attempts > 1 else ""
    word = f" ({render.clean(ended.lower())})" if sign is None else ""
    render.say(f"  {sign or '○'} {render.clean(one.uid)}{word}{tries}")
    if one.outcome == "Failed" and one.error_message:
        render.block(one.error_message, indent=6, most=5)


def _how(one: Flaky) -> str:
    words = []
    if one.on_retry:
        words.append(f"passed on a retry {one.on_retry}×")
    words += [f"flipped at {flip.commit[:10]}" for flip in one.flips]
    return ", ".join(words)


def _when(run: RunShown) -> str:
    return run.finished_at or run.started_at or ""


def _tag(run: RunShown) -> str:
    from stoat.derive.wording.tags import NO_NODE

    return f"{run.tag or ''}{f' ({NO_NODE})' if run.stray else ''}"


def _result(run: RunShown) -> str:
    if not run.finished:
        return "orphaned" if run.orphaned else "running"
    if run.timed_out:
        return "timed out"
    if run.passed is None:
        return "passed" if run.exit_code == 0 else f"failed ({run.exit_code})"
    skipped = run.skipped or 0
    green = run.passed + (run.passed_on_retry or 0) - skipped
    ran = green + (run.failed or 0) + (run.indeterminate or 0)
    counts = f"{green} of {ran}" + (f", {skipped} skipped" if skipped else "")
    # As plan/monitor/run.py decides it: what nobody knows is not red.
    if run.failed:
        return f"failed ({counts})"
    if run.indeterminate or run.exit_code == 2:
        return f"undecided ({counts})"
    if run.exit_code not in (0, None):
        return f"failed ({counts})"
    return f"{'passed' if ran else 'undecided'} ({counts})"


def _commit(run: RunShown) -> str:
    if run.commit is None:
        return "?"
    return run.commit[:10] + ("+dirty" if run.dirty else "")
