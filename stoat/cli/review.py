"""`stoat review …`: what a review found, and what a person decides of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from stoat.cli import authored, context, render
from stoat.cli.context import Json, NodeArgument

if TYPE_CHECKING:
    from stoat.derive.review import FindingShown, ReviewListed

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="What a review found, and what a person decides of it. An agent submits and reads; a person decides.",
)

FindingArgument = Annotated[str, typer.Argument(metavar="FINDING")]
Why = Annotated[str | None, typer.Option("--why", metavar="TEXT", help="The reason, for whoever reads it later.")]


@app.command()
def submit(
    node: NodeArgument,
    findings: Annotated[str, typer.Argument(metavar="FINDINGS.json")],
    json: Json = False,
) -> None:
    """Submit what a review found, as JSON in a file or (-) on standard input; [] says that it found nothing.

    It is a list of objects with a title and, as far as it is known, severity, file, line and text; an id is given to
    each that has none. It is of the commit that is checked out where one stands. A later submission is another round.
    """
    from stoat.service import reviews
    from stoat.service.session import parse_ref

    shown = reviews.submit(context.session(), parse_ref(node), authored.read_bytes(findings, "a file FINDINGS.json"))
    _told(shown, json)


@app.command("list")
def list_(node: NodeArgument, json: Json = False) -> None:
    """Show a review: what its rounds found, and what became of each finding."""
    from stoat.service import reviews
    from stoat.service.session import parse_ref

    shown = reviews.listed(context.session(), parse_ref(node))
    if json:
        render.json(shown)
        return
    _told(shown, json)
    for finding in shown.findings:
        render.say()
        _finding(finding)


@app.command()
def accept(
    node: NodeArgument,
    finding: FindingArgument,
    why: Why = None,
    issue: Annotated[
        int | None, typer.Option("--issue", metavar="N", help="This issue mends it, instead of a change.")
    ] = None,
    json: Json = False,
) -> None:
    """Accept a finding: a node that mends it is added to the plan, and the review waits for it.

    The node is a change with the finding as its brief; it needs a go-ahead like every other.
    """
    from stoat.service import reviews
    from stoat.service.session import parse_ref

    _told(reviews.accept(context.session(), parse_ref(node), finding, why, issue=issue), json, finding)


@app.command()
def reject(node: NodeArgument, finding: FindingArgument, why: Why = None, json: Json = False) -> None:
    """Reject a finding: it is not to be mended, and the next reviewer is told why; --why is needed."""
    from stoat.service import reviews
    from stoat.service.session import parse_ref

    _told(reviews.reject(context.session(), parse_ref(node), finding, why), json, finding)


@app.command("sign-off")
def sign_off(node: NodeArgument, json: Json = False) -> None:
    """Sign off a review that found nothing, or all of whose findings are decided; refused while one is open."""
    from stoat.service import reviews
    from stoat.service.session import parse_ref

    _told(reviews.sign_off(context.session(), parse_ref(node)), json)


def _told(shown: ReviewListed, json: bool, finding: str | None = None) -> None:
    """The whole review as JSON; else where it stands, and what became of one finding."""
    if json:
        render.json(shown)
        return
    from stoat.derive.wording import review as say

    for one in shown.findings:
        if finding is not None and one.id.casefold() == finding.casefold():
            render.say(render.clean(say.became(one.id, one.state, one.fix, shown.plan)))
    render.say(render.clean(f"{shown.plan}/{shown.node}: {shown.status}, {shown.detail}"))


def _finding(finding: FindingShown) -> None:
    from stoat.derive.wording import review as say

    severity = f"[{finding.severity}] " if finding.severity else ""
    render.say(render.clean(f"{finding.id}  {severity}{finding.title}"))
    where = f"{finding.file}{f':{finding.line}' if finding.line is not None else ''}" if finding.file else ""
    decided = say.decision(
        finding.state, finding.fix, finding.waits, finding.decided.by if finding.decided else None, finding.why
    )
    render.block("\n".join(filter(None, (where, f"round {finding.round}: {decided}"))), indent=4)
    if finding.text.strip():
        render.block(finding.text.strip("\n"), indent=4)
