"""The commands whose names are taken and whose work comes with a later version: each says so and exits with 3."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import typer

from stoat.derive.wording import later
from stoat.errors import Refused

TAKES_ANYTHING: dict[Any, Any] = {"ignore_unknown_options": True, "allow_extra_args": True}


def refuse(what: str) -> Callable[[typer.Context], None]:
    """A command that refuses whatever it is given, for `what` is not there yet."""

    def command(context: typer.Context) -> None:
        raise Refused(later.sentence(what), hint="see what there is now: stoat --help")

    command.__doc__ = later.sentence(what)[0].upper() + later.sentence(what)[1:] + "."
    return command
