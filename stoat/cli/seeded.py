"""What a directory of plans brought, said: for the commands that stay and take it in as they begin."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stoat.cli import render

if TYPE_CHECKING:
    from stoat.service.session import Session


def take_in(session: Session) -> None:
    """Take in the plans of the directory that `git config stoat.plans` names, those the store never had."""
    from stoat.service import seeding

    for seeded in seeding.seed(session):
        became = f"was not imported: {seeded.problem.message}" if seeded.problem else "was imported"
        render.tell(f"{seeded.file} {became}")
