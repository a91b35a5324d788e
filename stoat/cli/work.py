"""`stoat claim`, `report`, `release`: working on a node."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from stoat.cli import context, render
from stoat.cli.context import Json, NodeArgument

Lease = Annotated[str, typer.Option("--lease", metavar="TIME", help="How long the claim lasts unless renewed.")]
ClaimId = Annotated[
    str | None,
    typer.Option("--claim", metavar="ID", help="The claim meant; it is refused once somebody else took over."),
]


def claim(
    node: NodeArgument,
    agent: Annotated[str | None, typer.Option("--agent", metavar="NAME", help="Who holds it; else who speaks.")] = None,
    lease: Lease = "30m",
    session_id: Annotated[
        str | None, typer.Option("--session", metavar="ID", help="The agent's session, to resume it later.")
    ] = None,
    json: Json = False,
) -> None:
    """Take a node, so that nobody else works on it. A lease of 30 minutes, renewed by `stoat report`.

    Refused with the holder's name while somebody has it. Claiming changes no status.
    """
    from stoat.service import claims
    from stoat.service.session import parse_ref

    ref = parse_ref(node)
    granted = claims.claim(
        context.session(), *ref, holder=agent, lease=context.duration(lease, "--lease"), session_id=session_id
    )
    if json:
        render.json(granted)
    else:
        holder = render.clean(granted.holder)
        render.say(f"{ref} is {holder}'s until {granted.expires_at} (claim {granted.claim_id})")


def report(
    node: NodeArgument,
    note: Annotated[str | None, typer.Option("--note", metavar="TEXT", help="How it goes, in a sentence.")] = None,
    lease: Annotated[
        str | None, typer.Option("--lease", metavar="TIME", help="How long the claim lasts from now (30m).")
    ] = None,
    claim_id: ClaimId = None,
    link: Annotated[str | None, typer.Option("--link", metavar="URL", help="Where the work can be seen.")] = None,
    diagnosis: Annotated[
        str | None, typer.Option("--diagnosis", metavar="TEXT", help="Why a gate is red that you cannot make green.")
    ] = None,
    result: Annotated[
        str | None,
        typer.Option("--result", metavar="passed|failed", help="A gate's result, where a person allowed your word."),
    ] = None,
    why: Annotated[str | None, typer.Option("--why", metavar="TEXT", help="What that result rests on.")] = None,
    step: Annotated[str | None, typer.Option("--step", metavar="ID", help="The step that it is the result of.")] = None,
) -> None:
    """Say how it goes and keep the node: the lease runs anew from now.

    With --diagnosis or --result it says that of a gate instead, and nothing else. A diagnosed red gate reads findings
    and waits for a person; a result that was not seen counts only after `stoat allow-asserted`.
    """
    from stoat.service import reporting
    from stoat.service.assigned import assigned
    from stoat.service.session import parse_ref

    ref = parse_ref(node)
    told = reporting.report(
        context.session(), ref, note=note, link=link, claim_id=claim_id, diagnosis=diagnosis, result=result, why=why,
        lease=None if lease is None else context.duration(lease, "--lease"), step=step,
        launched_with=assigned(os.environ).claim_on(ref),
    )  # fmt: skip
    if "diagnosis" in told.said:
        render.say(f"{ref}: the diagnosis is a person's to decide on")
    elif "result" in told.said:
        render.say(f"{ref}{f' step {step}' if step else ''} {result}, by your word")
    else:
        render.say(f"{ref} is {render.clean(told.holder or '')}'s until {told.expires_at}")


def release(
    node: NodeArgument,
    claim_id: ClaimId = None,
    why: Annotated[str | None, typer.Option("--why", metavar="TEXT", help="Why it is given back.")] = None,
) -> None:
    """Give the node back. It changes no status: work is done when Stoat sees it done.

    A person may take a node back from whoever holds it.
    """
    from stoat.service import claims
    from stoat.service.assigned import assigned
    from stoat.service.session import parse_ref

    ref = parse_ref(node)
    own = assigned(os.environ).claim_on(ref)
    holder = claims.release(context.session(), *ref, claim_id=claim_id or own, why=why)
    render.say(f"{ref} is free again ({render.clean(holder)} had it)")
