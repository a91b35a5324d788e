"""Why GitHub does not show something, and what would settle it: the same words wherever it is said."""

from __future__ import annotations

from typing import Literal

from stoat.derive.wording.text import because, one_line
from stoat.plan.github import WhyUnseen

What = Literal["issue", "pull", "repository"]

_OTHER: dict[What, str] = {"issue": "is a pull request, not an issue", "pull": "is an issue, not a pull request"}
_SAYS_NO_MORE = frozenset({"missing", "deleted", "transferred", "other-kind"})
"""Of what is not there GitHub's own words say no more than ours."""


def why_unseen(what: What, name: str, why: WhyUnseen, detail: str = "", to: str | None = None) -> str:
    """Why it cannot be seen, with GitHub's own words (`detail`) where they say more. `name` is how it is called."""
    sentences: dict[WhyUnseen, str] = {
        "missing": f"GitHub shows no {name}: it does not exist, or this token may not see it",
        "other-kind": f"{name} {_OTHER.get(what, 'is something else')}",
        "deleted": f"{name} was deleted",
        "transferred": f"{name} was transferred to {to or 'another repository'}",
        "forbidden": f"this token may not read {name}",
        "blocked": f"GitHub has blocked {name}",
        "unreadable": f"{name} could not be read",
    }
    return because(sentences[why], None if why in _SAYS_NO_MORE else one_line(detail))


def remedy(what: What, why: WhyUnseen, to: str | None = None) -> str | None:
    """What a person can do about it; None where there is nothing to be done from here."""
    match why:
        case "transferred":
            return f"name {to or 'that one'} in the plan instead"
        case "missing" | "forbidden":
            named = "the name is right" if what == "repository" else "the number is right"
            return f"see that {named} and that the token may read the repository"
        case "other-kind":
            named, flag, other = ("an issue", "issue", "a pr")
            if what == "pull":
                named, flag, other = ("a pull request", "pr", "an issue")
            return f"bind the node to {named} (stoat node bind --{flag} N), or make it {other} node (stoat node change)"
        case "deleted":
            return "bind the node to another one, or take it out of the plan"
    return None
