"""`stoat approve`, `withdraw`, `expedite` and the other decisions, which are a person's."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Annotated

import typer

from stoat.cli import context, render
from stoat.cli.context import NodeArgument, PlanArgument, complete_node

References = Annotated[
    list[str], typer.Argument(metavar="PLAN/NODE…|PLAN", autocompletion=complete_node, show_default=False)
]
Off = Annotated[bool, typer.Option("--off", help="Take it back.")]


def approve(nodes: References) -> None:
    """Let agents start on nodes whose scope is open text (issues, changes), or on a whole plan's changes.

    Nodes that cannot take a go-ahead are named and left alone. A change of the node takes its go-ahead back. A whole
    plan takes one where its header says `go_ahead: plan`.
    """
    from stoat.service import decisions

    _several(nodes, decisions.approve, decisions.approve_plan, "approved")


def withdraw(nodes: References) -> None:
    """Take go-aheads back, of nodes or of a whole plan. Work that runs is not stopped."""
    from stoat.service import decisions

    _several(nodes, decisions.withdraw, decisions.withdraw_plan, "withdrew the go-ahead of")


def expedite(node: NodeArgument, off: Off = False) -> None:
    """Send a node ahead of every other one that could be launched."""
    from stoat.service import decisions
    from stoat.service.session import parse_ref

    ref = parse_ref(node)
    changed = decisions.expedite(context.session(), ref, off=off)
    _said(changed, f"{ref} {'waits its turn again' if off else 'goes first'}")


def merge_policy(
    node: NodeArgument, policy: Annotated[str, typer.Argument(metavar="manual-review|merge-on-green")]
) -> None:
    """Say who merges a node's pull request: a person, or the runner once it is green.

    An agent may turn merge-on-green off, never on.
    """
    from stoat.service import decisions
    from stoat.service.session import parse_ref

    ref = parse_ref(node)
    _said(decisions.merge_policy(context.session(), ref, policy), f"{ref} is {policy}")


def cloud(node: NodeArgument, off: Off = False) -> None:
    """Keep a node for a cloud agent."""
    from stoat.service import decisions
    from stoat.service.session import parse_ref

    ref = parse_ref(node)
    changed = decisions.cloud(context.session(), ref, off=off)
    _said(changed, f"{ref} {'may run here again' if off else 'is kept for a cloud agent'}")


def done(node: NodeArgument) -> None:
    """Mark a person's node done. No other node can be: Stoat sees for itself when those are."""
    from stoat.service import decisions
    from stoat.service.session import parse_ref

    ref, session = parse_ref(node), context.session()
    answer = session.answers().by_ref.get(str(ref))
    _said(decisions.done(session, ref), f"{ref} is done")
    if answer is not None and answer.waits_on:
        early = ", ".join(f"{on.plan}/{on.node}" for on in answer.waits_on)
        print(f"note: it depends on what is not done yet: {early}", file=sys.stderr)


def restart(node: NodeArgument) -> None:
    """Begin a node again: its claim, its open questions and what was given up on or parked are let go.

    Its worktree, its branch and its evidence stay.
    """
    from stoat.service import decisions
    from stoat.service.session import parse_ref

    ref = parse_ref(node)
    changed = decisions.restart(context.session(), ref)
    _said(changed, f"{ref} begins again", f"there is nothing to begin again on {ref}")


def reverify(node: NodeArgument) -> None:
    """Let a gate or a slice prove itself again: what passed so far counts no more."""
    from stoat.service import decisions
    from stoat.service.session import parse_ref

    ref = parse_ref(node)
    changed = decisions.reverify(context.session(), ref)
    _said(changed, f"{ref} has to pass again", f"nothing has passed on {ref} since that was last asked")


def allow_asserted(node: NodeArgument, off: Off = False) -> None:
    """Let an agent's word count as a gate's result: `stoat report PLAN/NODE --result passed --why TEXT`.

    The newest counts, a run or a word. With --off only what was seen counts, whatever was said before.
    """
    from stoat.service import decisions
    from stoat.service.session import parse_ref

    ref = parse_ref(node)
    changed = decisions.allow_asserted(context.session(), ref, off=off)
    _said(changed, f"{ref} {'takes only what was seen' if off else 'may be passed by an agent’s word'}")


def accept_partial(node: NodeArgument) -> None:
    """Accept an issue as it is, whatever its worker left out: it counts as done."""
    from stoat.service import decisions
    from stoat.service.session import parse_ref

    ref = parse_ref(node)
    _said(decisions.accept_partial(context.session(), ref), f"{ref} is accepted as it is")


def note(
    where: Annotated[str, typer.Argument(metavar="PLAN[/NODE]", autocompletion=complete_node)],
    text: Annotated[str, typer.Argument(metavar="TEXT")],
) -> None:
    """Leave a note on a plan or on one of its nodes, for its history."""
    from stoat.service import decisions

    plan, node = context.plan_or_node(where)
    decisions.note(context.session(), plan, node, text)
    render.say(f"noted on {where}")


def create_issues(plan: PlanArgument, off: Off = False) -> None:
    """Let runners create on GitHub the issues that nodes of a plan have no number of yet.

    A runner does so for a node that is ready and has its go-ahead: the issue's title and text are the node's own.
    """
    from stoat.service import decisions

    changed = decisions.create_issues(context.session(), plan, off=off)
    _said(changed, f"runners create {'no issues' if off else 'the issues that it lacks'} for {plan}")


def hold(
    off: Annotated[bool, typer.Option("--off", help="Let this machine go on.")] = False,
    why: Annotated[str | None, typer.Option("--why", metavar="TEXT", help="Why, for whoever wonders.")] = None,
) -> None:
    """Keep every runner on this machine from taking new work. What runs is not stopped."""
    from stoat.processes import machine_name
    from stoat.service import decisions

    machine = machine_name()
    changed = decisions.hold(context.session(), machine, off=off, why=why)
    _said(changed, f"{machine} {'takes new work again' if off else 'takes no new work'}")


def lead(
    plan: PlanArgument, release: Annotated[bool, typer.Option("--release", help="Lead it no more.")] = False
) -> None:
    """Lead a plan: the one whom its agents go by."""
    from stoat.service import decisions

    session = context.session()
    changed = decisions.lead(session, plan, release=release)
    _said(changed, f"nobody leads {plan}" if release else f"{render.clean(session.actor.name)} leads {plan}")


def _several(written: list[str], of_nodes: Callable, of_plan: Callable, what: str) -> None:  # type: ignore[type-arg]
    from stoat.service.session import parse_ref

    session = context.session()
    plans = [name for name in written if "/" not in name]
    refs = [parse_ref(name) for name in written if "/" in name]
    if plans and (refs or len(plans) > 1):
        raise typer.BadParameter("name nodes of plans, or one whole plan")
    if plans:
        _said(of_plan(session, plans[0]), f"{what} the plan {plans[0]}")
        return
    decided = of_nodes(session, refs)
    for ref in decided.changed:
        render.say(f"{what} {ref}")
    for skipped in decided.skipped:
        render.say(f"left alone: {render.clean(skipped.why)}")


def _said(changed: bool, so: str, otherwise: str = "") -> None:
    """Say what is so now; a repeat changes nothing, and says that."""
    render.say(so if changed else otherwise or f"{so} already: nothing to change")
