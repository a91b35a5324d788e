"""What an agent's own tool said: how it ended, what it cost, in which session, and whether a limit stopped it.

One module a tool; each turns the values of its output into what was `Heard`, and one of them into what people are told,
and decides nothing. `reading` is the door to the first, `telling` to the second.
"""

from __future__ import annotations

from dataclasses import dataclass

from msgspec import Struct

from stoat.clock import Time
from stoat.plan.state import LimitKind
from stoat.plan.usage_limits import Said


class SeenLimit(Struct, frozen=True, kw_only=True):
    """A limit of the agent's account, in the tool's own words; when it resets, where that is said."""

    kind: LimitKind
    text: str
    resets_at: Time | None = None


class Ending(Struct, frozen=True, kw_only=True):
    """What an agent's output says of its end. What it does not say is None, never guessed.

    `final` is its last message, or the error in its place; `usd` what it cost, of the whole `session` where
    `cumulative` and else of this attempt alone; `denied` names the tools it was refused for want of a permission;
    `failed` that the tool calls it an error; `interrupted` that it stopped before it said how it ended, whatever its
    exit code.
    """

    final: str | None = None
    usd: float | None = None
    cumulative: bool = False
    turns: int = 0
    session: str | None = None
    failed: bool = False
    interrupted: bool = False
    denied: tuple[str, ...] = ()
    limit: SeenLimit | None = None


@dataclass
class Heard:
    """What a tool's output has said so far, as it is read from its beginning on.

    `began` and `ended` say whether the tool said so itself, `aborted` that it was told to end; `limit` is the one that
    ended it; `stuck` the one that the newest thing said is about, while there is no end.
    """

    began: bool = False
    ended: bool = False
    aborted: bool = False
    session: str | None = None
    version: str | None = None
    final: str | None = None
    usd: float | None = None
    turns: int = 0
    failed: bool = False
    denied: tuple[str, ...] = ()
    limit: Said | None = None
    stuck: Said | None = None
