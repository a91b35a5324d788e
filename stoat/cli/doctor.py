"""`stoat doctor`: is everything that Stoat stands on well?"""

from __future__ import annotations

import os
from pathlib import Path

import typer

from stoat.cli import context, render
from stoat.cli.context import Json


def doctor(json: Json = False) -> None:
    """Check git, the repository, the store, who you are, and GitHub; says what to do and changes nothing.

    GitHub is asked once, and only where a plan has something on it.

    Exit code 1 when there is a problem.
    """
    from stoat.service.doctor import examine

    checks = examine(Path.cwd(), context.store_flag(), context.by_flag(), os.environ)
    if json:
        render.json({"checks": checks})
    else:
        signs = {"ok": "✓", "warning": "!", "problem": "✗"}
        for check in checks:
            render.say(f"{signs[check.state]} {check.name}: {render.clean(check.what)}")
            if check.do:
                render.say(f"  hint: {render.clean(check.do)}")
    if any(check.state == "problem" for check in checks):
        raise typer.Exit(1)
