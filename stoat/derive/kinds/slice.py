"""A slice is done when every spec bound to it is green by the newest word on it.

The first row that applies:

| what                                                        | status     |
|-------------------------------------------------------------|------------|
| no specs are bound                                          | unrealized |
| a run is going                                              | running    |
| a bound spec is red                                         | failed     |
| a command under its tag was red after the newest word       | failed: a verification that cannot name specs counts too |
| all bound specs are green                                   | done, or stale: see freshness.py |
| somebody holds it                                           | claimed    |
| some are green, or a newer whole run has no longer the spec | waiting, naming the missing ones |
| no word on any of them, and its newest run is red           | failed     |
| no word on any of them, and its newest run is green         | unknown: there was a run, and it cannot be seen which specs it ran |
| nothing was run, or nothing of it finished                  | waiting: no run yet |

Runs of some of the specs add up. Whether its work has landed is in the detail, never in the status.
"""  # noqa: E501 -- a table row

from __future__ import annotations

from stoat.derive import freshness, rounds, steps
from stoat.derive.freshness import Proof
from stoat.derive.verdict import Context, Verdict
from stoat.derive.wording import status as say
from stoat.plan.evidence import EXEC, Evidence, SpecResult
from stoat.plan.state import NodeState, PlanState


def status(node: NodeState, plan: PlanState, context: Context) -> Verdict:
    """Where a slice stands."""
    bound = node.spec.specs
    if not bound:
        return Verdict("unrealized", say.specs_empty())
    going = steps.any_in_flight(node, context)
    if going:
        return Verdict("running", say.running(going))
    known = {name: node.specs[name] for name in bound if name in node.specs}
    gone = {name: word.gone for name, word in known.items() if word.gone is not None}
    seen = {name: word for name, word in known.items() if name not in gone}
    red = [name for name, word in seen.items() if not word.passed]
    if red:
        return Verdict("failed", say.specs_red(red, len(bound)))
    if not known:
        return _unseen(node, context)
    verified = node.evidence.get(rounds.BARE)
    if verified is not None and verified.source == EXEC and _is_red_since(verified, known):
        return Verdict("failed", say.specs_unnamed_failure(verified))
    if gone:
        return Verdict("waiting", say.specs_gone(len(seen), list(gone), list(gone.values()), len(bound)))
    missing = [name for name in bound if name not in seen]
    if missing:
        return Verdict("waiting", say.specs_waiting(len(seen), missing, len(bound)))
    proofs = [Proof.of_spec(name, word) for name, word in seen.items()]
    detail = _with_landing(node, say.specs_green(len(bound)))
    return freshness.passed(node, plan, proofs, detail, together=True)


def _is_red_since(run: Evidence, words: dict[str, SpecResult]) -> bool:
    return run.state in rounds.RED and run.seq > max(word.seq for word in words.values())


def _unseen(node: NodeState, context: Context) -> Verdict:
    red = steps.counting(node, rounds.BARE, context).red
    if red is not None:
        return Verdict("failed", say.specs_unnamed_failure(red))
    newest: Evidence | None = max(node.evidence.values(), key=lambda run: run.order, default=None)
    if newest is None or newest.state == "unknown":
        return Verdict("waiting", say.bare_open(newest, steps.counting(node, rounds.BARE, context).gone))
    if newest.state == "passed":
        return Verdict("unknown", say.specs_unseen(newest))
    return Verdict("failed", say.specs_unnamed_failure(newest))


def _with_landing(node: NodeState, detail: str) -> str:
    if node.parked is not None:
        return say.with_remark(detail, say.parked(node.parked))
    if node.landing is not None:
        nothing = node.landing.how == "nothing"
        return say.with_remark(detail, say.landed_nothing(node.landing) if nothing else say.landed(node.landing))
    return detail
