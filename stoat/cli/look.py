"""`stoat status`, `ready`, `needs`: where everything stands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from stoat.cli import context, render, steer
from stoat.cli.context import Json, OptionalPlan
from stoat.derive.wording.text import BACK

if TYPE_CHECKING:
    from stoat.derive.answers import Need, NodeAnswer, PlanAnswer
    from stoat.service.reading import PlanSummary
    from stoat.service.session import Session


def status(plan: OptionalPlan = None, json: Json = False) -> None:
    """Where every plan stands; with PLAN, where each of its nodes stands and why.

    A status is derived from what Stoat observes: nobody sets one.
    """
    from stoat.service import reading

    session = context.session()
    if plan is None:
        plans = reading.overview(session)
        if json:
            render.json({"plans": plans})
        else:
            _plans(plans)
            _notes(session)
        return
    answer = reading.status(session, plan)
    if json:
        render.json(answer)
    else:
        plan_status(answer)
        _notes(session)


def ready(
    plan: OptionalPlan = None,
    json: Json = False,
    explain: Annotated[bool, typer.Option("--explain", help="Say of every other node why it is not ready.")] = False,
) -> None:
    """What could be worked on now, the node that unblocks most first."""
    from stoat.service import reading
    from stoat.service.session import plan_of

    session = context.session()
    if json:
        render.json_bytes(reading.ready_document(session, plan, explain=explain))
        return
    if plan is not None:
        plan_of(session.state(), plan)
    found = reading.ready(session.answers(), plan, explain=explain)
    render.table(
        ("node", "kind", "unblocks", "launch", "title"),
        [
            (f"{slug}/{node.id}", node.kind, node.unblocks, _launch(node), node.title)
            for slug, node in found
            if node.ready
        ],
        empty="nothing is ready" if explain else "nothing is ready; `stoat ready --explain` says what is in the way",
    )
    waiting = [(slug, node) for slug, node in found if not node.ready and node.status != "done"]
    if explain and waiting:
        render.say()
        render.table(
            ("node", "status", "why it is not ready", "waits in the end on"),
            [(f"{slug}/{node.id}", node.status, node.readiness, _root(node)) for slug, node in waiting],
        )


def needs(plan: OptionalPlan = None, json: Json = False) -> None:
    """What waits for a person, what holds up most first, each with the command or link that settles it."""
    from stoat.derive.wording import zoom
    from stoat.service import reading

    session = context.session()
    owed = reading.needs(session, plan)
    if json:
        render.json({"needs": owed})
    else:
        render.table(
            ("what", "node", "holds up", "why", "settle it with"),
            [row for need in owed for row in _need(need)],
            empty="nothing waits for you",
        )
    github = session.facts().github
    if github.problem is not None:
        render.tell(f"{zoom.UNREAD}: {zoom.unread(github.problem, github.fix)}")


def _need(need: Need) -> list[tuple[object, ...]]:
    """A need's row, and one for the way back into its agent's session."""
    where = f"{need.plan}/{need.node}" if need.node else need.plan
    own = (need.kind, where, need.holds, need.why, need.action)
    return [own, ("", "", "", BACK, need.resume)] if need.resume is not None else [own]


def plan_status(answer: PlanAnswer) -> None:
    """Print a plan's status for people."""
    from stoat.derive.wording.stance import card
    from stoat.derive.wording.text import money

    spent = "" if answer.spent_usd is None else f", {money(answer.spent_usd, at_least=answer.spent_at_least)} spent"
    archived = ", archived" if answer.archived else ""
    render.say(f"{render.clean(answer.title)} ({answer.plan}): {answer.done} of {answer.total} done{spent}{archived}")
    if answer.runner.state != "none":
        slots = f", {answer.runner.slots_in_use} of {answer.runner.parallel} agents at work"
        render.say(f"runner on {render.clean(answer.runner.host)}: {answer.runner.state}{slots}")
    for line in steer.lines(answer.runner):
        render.say(f"  {render.clean(line)}")
    render.say()
    render.table(
        ("node", "kind", "status", "stance", "detail"),
        [row for node in answer.nodes for row in _rows(node, card(node))],
        empty="no nodes yet: stoat node add, or stoat plan import",
    )


def _rows(node: NodeAnswer, detail: str) -> list[tuple[str, ...]]:
    """A node's row, and one for each of its pull requests under its detail."""
    own = (node.id, node.kind, node.status, node.stance or "", detail)
    return [own, *(("", "", "", "", pr.line) for pr in node.prs)]


def _notes(session: Session) -> None:
    """What of the store could not be read, beside what could."""
    for note in session.store.notes:
        render.tell(f"note: {note}")


def _plans(plans: list[PlanSummary]) -> None:
    render.table(
        ("plan", "done", "you", "broken", "held", "moving", "waiting", "title"),
        [
            (
                one.plan, f"{one.done}/{one.total}", *(one.stances[name] or "" for name in one.stances),
                f"{one.title} (archived)" if one.archived else one.title,
            )
            for one in plans
        ],
        empty="no plans yet: stoat plan import FILE",
    )  # fmt: skip


def _launch(node: NodeAnswer) -> str:
    if node.claim is not None:
        return f"held by {node.claim.holder}"
    return node.launch.detail if node.launch else ""


def _root(node: NodeAnswer) -> str:
    root = node.root_blocker
    return f"{root.plan}/{root.node} ({root.why})" if root else ""
