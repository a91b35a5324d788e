"""What keeps GitHub from merging a pull request, and what a red default branch holds, in words."""

from __future__ import annotations

from stoat.derive.pulls import Mine


def behind(pull: Mine, name: str) -> str:
    """Its base takes only what contains its tip."""
    return f"{name} is behind {pull.fact.base}: bring it up to date"


def undecided(name: str) -> str:
    """Nobody knows yet whether it conflicts."""
    return f"GitHub is working out whether {name} can be merged"


def blocked(name: str, checks: str, review: str) -> str:
    """GitHub refuses, with nothing that can be seen being missing: GitHub's word is on what this token may do."""
    said = " · ".join(one for one in (checks, review) if one)
    return (
        f"GitHub does not let this token merge {name} · {said} (it may not push there, or a rule asks for something "
        "that it is not shown): merge it yourself, or look there at what is missing"
    )
