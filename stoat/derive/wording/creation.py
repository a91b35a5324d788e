"""What a runner says of issues that it creates on GitHub."""

from __future__ import annotations

from stoat.clock import Time, moment
from stoat.derive.private import Private


def created(node: str, repo: str, number: int) -> str:
    """The issue is there, and the node has its number."""
    return f"✓ '{node}': its issue is created, {repo}#{number}"


def found(node: str, repo: str, number: int) -> str:
    """It was there already: an answer had been lost."""
    return f"✓ '{node}': its issue had been created already, {repo}#{number}"


def lost(node: str, why: str) -> str:
    """Nobody knows whether it was created."""
    return f"⚠ {node}: GitHub did not say whether it was created ({why}) — it is looked for before it is asked again"


def unseen(node: str, why: str) -> str:
    """It cannot be looked for just now."""
    return f"⚠ {node}: whether its issue was created cannot be seen: {why}"


def declined(node: str, repo: str, why: str, fix: str) -> str:
    """GitHub says no."""
    return f"⚠ {node}: its issue was not created in {repo}: {why} — {fix}"


def later(node: str, why: str, until: Time) -> str:
    """GitHub wants to be left alone for a while."""
    return f"⚠ {node}: its issue is not created yet: {why} is reached — tried again at {moment(until)}"


def private(node: str, plan: str, what: Private) -> str:
    """The brief holds what is not for others; it is not repeated."""
    named = "something that looks like a token or a key" if what == "token" else "a directory of somebody's machine"
    return (
        f"⚠ {node}: its issue is not created: its title or brief has {named} — write it without "
        f"(stoat node change {plan}/{node} …), or bind an issue: stoat node bind {plan}/{node} --issue N"
    )


def one_too_many(node: str, repo: str, number: int, bound: int | None) -> str:
    """The node has got another number meanwhile."""
    has = f"is bound to #{bound} by now" if bound is not None else "needs no issue any more"
    return f"⚠ {node}: {repo}#{number} was created for it, and it {has} — close the one that is not wanted"
