"""What `stoat doctor` says of one thing that it looked at."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

Health = Literal["ok", "warning", "problem"]


class Check(Struct, frozen=True, rename="camel"):
    """One thing looked at: how it is, and what to do about it (empty when it is well)."""

    name: str
    state: Health
    what: str
    do: str = ""
