"""What becomes of a running agent when its claim does: the whole table."""

from __future__ import annotations

from itertools import product

import pytest

from stoat.clock import plus
from stoat.derive.leases import RENEW_AFTER, Action, Keep, Renew, RunsOn, Stop, decide
from stoat.plan.state import Claim, NodeState
from tests.support.states import BEFORE, JO, attempt, claim, piece

MINE, THEIRS = claim(id="c-mine", renewed_at=BEFORE, expires_at=plus(BEFORE, 1800)), claim(id="c-theirs", holder="bo")
CLAIMS: dict[str, Claim | None] = {"none": None, "mine": MINE, "theirs": THEIRS}
ATTEMPTS = {"none": None, "mine": attempt(number=2, seq=5), "a later one": attempt(number=3, seq=5)}


def expected(held: str, last: str, restarted: bool, late: bool) -> Action:
    if held == "theirs":
        return Stop("taken", "bo")
    if held == "mine":
        return Renew() if late else Keep()
    return Stop("restarted") if restarted and last == "mine" else RunsOn()


@pytest.mark.parametrize(
    ("held", "last", "restarted", "late"), list(product(CLAIMS, ATTEMPTS, (False, True), (False, True)))
)
def test_every_row(held: str, last: str, restarted: bool, late: bool) -> None:
    more = {"restarted": JO, "restarted_seq": 6} if restarted else {}
    given: NodeState = piece("a", claim=CLAIMS[held], attempt=ATTEMPTS[last], **more)
    now = plus(BEFORE, RENEW_AFTER + (1 if late else -1))
    assert decide(given, claim="c-mine", attempt=2, now=now) == expected(held, last, restarted, late)


def test_an_agent_without_a_node_is_stopped() -> None:
    assert decide(None, claim="c-mine", attempt=1, now=BEFORE) == Stop("removed")


def test_a_lapsed_lease_that_nobody_took_is_renewed() -> None:
    given = piece("a", claim=MINE, attempt=attempt())
    assert decide(given, claim="c-mine", attempt=1, now=plus(BEFORE, 86400)) == Renew()
