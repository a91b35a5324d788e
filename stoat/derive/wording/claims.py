"""Why a node cannot be claimed, in words."""

from __future__ import annotations

from collections.abc import Sequence

from stoat.clock import Time
from stoat.derive.wording import commands
from stoat.derive.wording.text import moment, quoted
from stoat.plan.state import Claim

LOOK = "see what can be taken with `stoat ready`"
TAKEN_HINT = "take another node (`stoat ready`), or ask the holder to release it"
MACHINE_HINT = f"wait, or let a person lift the hold: {commands.hold_off()}"


def done(node: str, detail: str) -> str:
    """There is nothing left to do."""
    return f"{node} is done: {detail}"


def taken(node: str, claim: Claim, now: Time) -> str:
    """Somebody has it; past the end of the lease because its agent is still at work on this machine."""
    if claim.expires_at <= now:
        return f"{node} is held by {claim.holder}, whose agent is still at work on this machine"
    return f"{node} is held by {claim.holder} until {moment(claim.expires_at)}"


def a_persons(node: str) -> str:
    """No agent does it."""
    return f"{node} is kept for a person"


def finished(node: str, detail: str) -> str:
    """Its work is complete."""
    return f"{node} is finished: {detail}"


def no_go_ahead(node: str) -> str:
    """Nobody said that agents may start, or an edit took it back."""
    return f"{node} awaits a person's go-ahead"


def go_ahead_hint(plan: str, node: str) -> str:
    """Who can give it."""
    return f"a person gives it: {commands.approve(plan, node)}"


def not_ready(node: str, waits_on: Sequence[str]) -> str:
    """It would start without what it builds on."""
    return f"{node} is not ready: waiting on {quoted(waits_on)}"
