"""A pull request is done when GitHub shows it merged.

The first row that applies:

| what                                                     | status     |
|----------------------------------------------------------|------------|
| it has no number                                         | unrealized |
| it was seen merged                                       | done       |
| it was seen closed without merging, and is not open again | abandoned |
| GitHub does not show it, or could not be read (sight.py) | missing or unknown |
| it is open, a draft too                                  | pr-open    |
"""

from __future__ import annotations

from msgspec.structs import replace

from stoat.derive import mainred, pulls, sight
from stoat.derive.pulls import Mine
from stoat.derive.turns import turn
from stoat.derive.verdict import Context, Verdict
from stoat.derive.watched import Key
from stoat.derive.wording import github as say
from stoat.derive.wording import status as words
from stoat.plan.nodes import repository_of
from stoat.plan.state import NodeState, PlanState


def status(node: NodeState, plan: PlanState, context: Context) -> Verdict:
    """Where a pull request stands."""
    number, home = node.spec.pr, repository_of(plan.header, node.spec)
    if number is None:
        return Verdict("unrealized", words.unbound_pr())
    if home is None:
        return Verdict("unknown", say.unswept(words.number(None, number)))
    mine, keys = pulls.of_pr(context.github, home, number)
    own = mine[0] if mine else None
    default: tuple[Key, ...] = ((home.lower(), "default", ""),) if own is not None and mainred.matters(own) else ()
    return replace(
        _verdict(node, context, home, number, own),
        prs=say.shown(mine, home, context.github),
        url=own.fact.url if own is not None else None,
        reads=(*sight.keys_of_pull(home), *keys, *default),
    )


def _verdict(node: NodeState, context: Context, home: str, number: int, own: Mine | None) -> Verdict:
    if own is not None and own.fact.state == "merged":
        return Verdict("done", say.merged(own))
    if own is not None and own.fact.state == "closed":
        return Verdict("abandoned", say.pull_closed(own))
    record = context.github.pull(home, number)
    hidden = sight.not_seen(context, home, number, record, own.fact.state if own is not None else "")
    if hidden is not None:
        return Verdict(hidden.status, hidden.detail, unseen=hidden.unseen)
    assert own is not None
    line = say.line(own, home, context.github)
    known = context.github.repository(home)
    renamed = known.repository.name if known is not None and known.repository is not None else home
    remarks = [say.renamed(renamed)] if renamed.lower() != home.lower() else []
    return Verdict("pr-open", say.with_remarks(line, remarks), turn=turn([own], node.spec.merge, home, context.github))
