"""Stances in words: the sentence on the card, and the short form that a waiting card says of its blocker."""

from __future__ import annotations

from collections.abc import Sequence

from stoat.derive.answers import NeedKind, NodeAnswer, Stance, Status, WaitsOn
from stoat.derive.wording.github import OPEN
from stoat.derive.wording.readiness import way_around
from stoat.derive.wording.text import KEPT_FOR_THE_CLOUD, because, conflict_or, counted, moment, one_line, quoted
from stoat.plan.nodes import ISSUE, PR
from stoat.plan.state import Claim, Mark, Parked, Question, Stuck

GO_AHEAD = "awaits your go-ahead"
A_PERSONS = "a step of yours"
CLOUD = f"{KEPT_FOR_THE_CLOUD}: start one, claiming the node for it"
MISSING = "there is no such node"

SIGNS: dict[Stance, str] = {"you": "✋", "broken": "⨯", "held": "⏸", "moving": "⟳", "waiting": "○"}
YOURS: dict[NeedKind, str] = {
    "go-ahead": "your go-ahead", "question": "your answer", "review": "your review", "merge": "your merge",
    "fix": "your fix", "unmergeable": "a conflict to resolve", "give-up": "given up, yours to restart",
    "partial": "a partial to accept", "findings": "findings to decide", "bump": "a bump of yours",
    "person": "a step of yours", "main-red": "main is red", "drift": "a conflict with the base", "disk": "disk space",
    "cloud": "a cloud agent to start", "limit": "a limit it reached",
}  # fmt: skip


def question(asked: Question) -> str:
    """Its agent waits for an answer."""
    return f"{asked.asked_by} asks: {asked.question}"


def reached_limit(what: str) -> str:
    """A runner takes no new work: it was given a limit, and reached it."""
    return f"its runner stops: {what}"


def out_of_money(words: str) -> str:
    """No agent can start before somebody pays; `words` are the tool's."""
    return f"the agents' account has no money left: {one_line(words)} (put some in; it is tried again by itself)"


def unmergeable(hold: Parked) -> str:
    """Finished work that conflicts with its branch."""
    return f"done, and not landed: {conflict_or(hold.why, hold.files)}"


def stuck(hold: Stuck) -> str:
    """A worktree that waits for a person."""
    return f"its worktree cannot be used: {hold.why}"


def diagnosed(detail: str) -> str:
    """A red gate that its worker cannot make green."""
    return f"{detail} (mend what it names, then restart it)"


def circle(way: Sequence[str], action: str) -> str:
    """It waits for itself."""
    return f"waits for itself: {way_around(way)} (break it, as with `{action}`)"


def missing(refs: Sequence[str]) -> str:
    """It waits for what is nowhere."""
    return f"depends on {quoted(refs)}, which {'does' if len(refs) == 1 else 'do'} not exist"


def orphaned(claim: Claim) -> str:
    """Its agent died and the lease runs on."""
    return f"the agent of {claim.holder} is gone, its claim runs until {moment(claim.expires_at)}"


def held(claim: Claim) -> str:
    """Somebody works on it."""
    return because(f"{claim.holder} is on it", claim.note)


def gave_up(mark: Mark, attempts: int) -> str:
    """Nobody tries any more."""
    after = f" after {counted(attempts, 'attempt')}" if attempts else ""
    return because(f"given up{after}", mark.why)


def merge(detail: str) -> str:
    """A finished change that a person merges."""
    return detail


def landing(branch: str) -> str:
    """A finished change that its runner lands."""
    return f"finished, its runner lands it on {branch}"


def broken(status: Status, detail: str) -> str:
    """A red result."""
    return f"{status}: {detail}" if detail else status


def unbound(action: str) -> str:
    """An issue node that names no issue."""
    return f"not filed as an issue yet: bind it with `{action}`"


def persons_issue(number: int) -> str:
    """An issue that no agent is to work on: GitHub shows it closed, or it is not done."""
    return f"{A_PERSONS}: close #{number} once it is done"


def all_split_off(number: int) -> str:
    """An open issue whose sub-issues are closed, all of them."""
    return f"all its sub-issues are closed: close #{number}"


def short(stance: Stance | None, status: Status, why: str, kind: NeedKind | None) -> str:
    """How a blocker stands, in a few words with the sign of its stance."""
    if stance is None:
        return status
    if kind is not None:
        return f"{SIGNS[stance]} {YOURS[kind]}"
    if stance == "waiting":
        return f"{SIGNS[stance]} {why or 'waiting on its dependencies'}"
    return f"{SIGNS[stance]} {why}"


def landing_pulls(pulls: str) -> str:
    """A done issue with a pull request open, as what waits for it names it."""
    return f"done · landing {pulls}"


def card(node: NodeAnswer) -> str:
    """The sentence beside a node's status: why it stands as it does, unless its detail says that and more.

    What GitHub shows or does not show of an issue or a pull request stands beside that; its open pull requests have
    lines of their own.
    """
    why = node.stance_why
    if why in node.detail or why == broken(node.status, node.detail):
        return node.detail
    if node.kind not in (ISSUE, PR):
        return why
    lines = "; ".join(pull.line for pull in node.prs if pull.is_open)
    more = node.detail.removeprefix(lines if node.status == "pr-open" else OPEN).removeprefix(" · ")
    return f"{why} · {more}" if more else why


def waits_on(root: WaitsOn, ref: str) -> str:
    """A card that waits: what it ultimately waits on, and how that stands."""
    return f"waits on {ref} ({root.why})"
