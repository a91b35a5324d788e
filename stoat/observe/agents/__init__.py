"""What an agent's own tool said: how it ended, what it cost, in which session, and whether a limit stopped it.

One module a form of output; each turns bytes of a file into an `Ending` and decides nothing.
"""

from __future__ import annotations

from msgspec import Struct

from stoat.clock import Time
from stoat.plan.state import LimitKind


class SeenLimit(Struct, frozen=True, kw_only=True):
    """A limit of the agent's account, in the tool's own words; when it resets, where that is said."""

    kind: LimitKind
    text: str
    resets_at: Time | None = None


class Ending(Struct, frozen=True, kw_only=True):
    """What an agent's output says of its end. What it does not say is None, never guessed.

    `final` is its last message; `usd` what it cost, of the whole `session` where `cumulative` and else of this attempt
    alone; `denied` names the tools it was refused for want of a permission; `failed` that the tool calls it an error.
    """

    final: str | None = None
    usd: float | None = None
    cumulative: bool = False
    turns: int = 0
    session: str | None = None
    failed: bool = False
    denied: tuple[str, ...] = ()
    limit: SeenLimit | None = None
