"""What a runner says of nodes that it hands to cloud agents."""

from __future__ import annotations

from stoat.derive.wording.text import one_line

NO_PULL_SEEN = "what a cloud agent did is seen on GitHub only"
"""Why nothing of its work can be looked at here."""


def handing(node: str, attempt: int, launcher: str, log: str) -> str:
    """A dispatcher was started."""
    return f"☁ attempt {attempt} on '{node}' is handed over · {launcher} · log: {log}"


def handed(node: str, link: str | None, until: str) -> str:
    """It is out."""
    return f"☁ '{node}' is with a cloud agent, held until {until}" + (f" — {link}" if link else "")


def not_handed(node: str, why: str, log: str) -> str:
    """The dispatcher failed; nothing is tried again until somebody asks for it."""
    return f"✗ '{node}' was not handed over: {why} — see {log}; stoat restart PLAN/{node} tries again"


def failed(code: int) -> str:
    """How the dispatcher ended, as a fragment."""
    return f"the dispatcher ended with {code}"


def hung(seconds: float) -> str:
    """It took too long, as a fragment."""
    return f"the dispatcher was still at it after {seconds:.0f} s, and was ended"


def never_began() -> str:
    """It was claimed, and its dispatcher never began, as a fragment."""
    return "it was claimed, and its dispatcher was not started"


def unsure(node: str, plan: str) -> str:
    """Nobody saw how its dispatcher ended."""
    return (
        f"⚠ {node}: how its dispatcher ended was not seen, so it may be with a cloud agent — "
        f"stoat restart {plan}/{node} begins again"
    )


def lapsed(node: str) -> str:
    """Nobody renewed the claim."""
    return f"☁ '{node}': its cloud agent was not heard of until its lease was over — what GitHub shows decides"


def let_go(node: str) -> str:
    """The agent gave it back."""
    return f"☁ '{node}' was given back by its cloud agent — what GitHub shows decides"


def issues_only(node: str, kind: str, plan: str) -> str:
    """A kind whose evidence is a run on this machine."""
    return (
        f"⚠ {node}: a {kind} is not handed to a cloud agent: its evidence is seen on this machine — "
        f"claim it by hand, or bring it back: stoat cloud {plan}/{node} --off"
    )


def no_issue() -> str:
    """There is nothing to tell an agent of, as a fragment."""
    return "the plan names no issue for it, or no repository"


def not_claimed(node: str, why: str) -> str:
    """Somebody was quicker, or something changed."""
    return f"⚠ {node}: not handed over: {one_line(why)}"


def held_only() -> str:
    """What a run with a cloud launcher says at its start."""
    return "⚠ cloud agents hold a node for 4 h, and longer only where they can run `stoat report` on this plan"
