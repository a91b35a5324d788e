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


def failed(code: int | None) -> str:
    """How the dispatcher ended, as a fragment."""
    return f"the dispatcher ended with {code}" if code is not None else "the dispatcher's end was not seen"


def hung(seconds: float) -> str:
    """It took too long, as a fragment."""
    return f"the dispatcher was still at it after {seconds:.0f} s, and was ended"


def never_began() -> str:
    """Its runner ended before the dispatcher began, as a fragment."""
    return "its runner ended before it was handed over"


def unsure(node: str, plan: str) -> str:
    """Its runner ended while it was handed over."""
    return (
        f"⚠ {node}: its runner ended while it was handed over, so it may be with a cloud agent — "
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


def not_claimed(node: str, why: str) -> str:
    """Somebody was quicker, or something changed."""
    return f"⚠ {node}: not handed over: {one_line(why)}"


def no_address() -> str:
    """Cloud agents cannot report over HTTP."""
    return "⚠ cloud agents are told no address to renew their claims at (--cloud-url): each is held for 4 h only"


def local_address(url: str) -> str:
    """The address leads nowhere from elsewhere."""
    return f"⚠ cloud agents are told {url}, which is this machine and cannot be reached from theirs — give --cloud-url"
