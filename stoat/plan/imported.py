"""An issue of GitHub as a plan took it over."""

from __future__ import annotations

from msgspec import Struct


class Imported(Struct, frozen=True, omit_defaults=True):
    """An issue as it was taken into a plan: its title, the issues it waited for (OWNER/NAME#N), whether only a person
    may work on it."""

    title: str | None = None
    waits_for: tuple[str, ...] = ()
    person: bool = False
