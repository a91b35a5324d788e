"""`stoat init`: making a repository hold plans."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from stoat.cli import context, render


def init(
    remote: Annotated[
        str | None,
        typer.Option("--remote", metavar="NAME", help="Whose copy of the plans to follow; else origin."),
    ] = None,
) -> None:
    """Make this repository hold plans, on the ref refs/stoat/state. Safe to repeat: a store that is there stays."""
    from stoat.gitstore import opening
    from stoat.service.starting import init as begin

    for sentence in begin(opening.locate(Path.cwd(), context.store_flag(), os.environ), remote):
        render.say(render.clean(sentence))
