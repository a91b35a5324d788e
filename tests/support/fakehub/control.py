"""REST: which function answers which path."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support.fakehub.web import Answer, Asked, Refused

if TYPE_CHECKING:
    from tests.support.fakehub.hub import FakeHub


def answer(hub: FakeHub, asked: Asked) -> Answer:
    """Answer."""
    raise Refused(404, "Not Found")
