"""`stoat issues …`: a graph of GitHub issues as a plan, and how to work it."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from stoat.cli import authored, context
from stoat.cli.context import Json
from stoat.cli.frontier import Issues, Label, Milestone, Parent, Repo, selection
from stoat.cli.later import TAKES_ANYTHING, refuse
from stoat.cli.waiting import wait
from stoat.derive.wording import later
from stoat.derive.wording.issue_loop import LOOP

app = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help=LOOP)


@app.command("import")
def import_(
    plan: Annotated[str, typer.Argument(metavar="PLAN", autocompletion=context.complete_plan)],
    repo: Repo,
    parent: Parent = None,
    label: Label = None,
    milestone: Milestone = None,
    issues: Issues = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would change.")] = False,
    as_json: Json = False,
) -> None:
    """Make a graph of issues a plan, or bring the plan up to date with it; the same graph again records nothing.

    A node for each open issue, an edge for each `blocked by` and from a parent to its sub-issues. A parent, and what
    is labelled needs-human, is kept for a person; so is a blocker from outside the selection, which comes in as a
    node. What only a text says is a warning, never an edge; cycles are refused. What you change in the plan stays as
    you made it: later imports take over only what changed on GitHub, and remove no node.
    """
    from stoat.service import frontier as service

    selected = selection(repo, parent, label, milestone, issues)
    result = service.import_issues(context.session(), plan, selected, wait=wait, dry_run=dry_run)
    authored.show(result, as_json, dry_run=dry_run)


def _register_later() -> None:
    options: dict[str, Any] = {"context_settings": TAKES_ANYTHING, "hidden": True}
    for name, what in later.ISSUES.items():
        app.command(name, **options)(refuse(what))


_register_later()
