"""`stoat demo`: a small world, worked to the end by a scripted agent, through the commands that anybody would type."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Annotated

import typer

from stoat.cli.render import say
from stoat.demo import workspace
from stoat.errors import NotAPerson, StoatError
from stoat.plan.variables import AGENT

DEFAULT = "stoat-demo"
PACE = ("--settle-seconds", "1", "--stagger-seconds", "0.2", "--poll-seconds", "2")
"""A scripted agent's evidence is there when it exits: nothing has to settle for three minutes."""


def demo(
    directory: Annotated[Path | None, typer.Argument(metavar="[DIR]", help="Where to build it.")] = None,
    no_serve: Annotated[bool, typer.Option("--no-serve", help="End when the plan is done; serve no board.")] = False,
) -> None:
    """Build a project with a plan of eight nodes, let a scripted agent work it, and show the board.

    Needs no account, no network and no model. What happens are ordinary commands, each shown before it runs. The
    directory, by default stoat-demo among the system's temporary files, is built anew when the demo made it before; one
    with anything else in it is refused, and so is another user's.
    """
    if os.environ.get(AGENT):
        raise NotAPerson(
            f"the demo gives a go-ahead in your name, and this is an agent's environment ({AGENT} is set)",
            hint="run it in a terminal of your own",
        )
    built = workspace.build(directory or Path(tempfile.gettempdir()) / DEFAULT)
    say(f"The demo's world is in {built.root}: a project and its origin, a plan, a launcher for a scripted agent.\n")
    stoat = Commands(built.project)
    stoat.must("init")
    stoat.must("plan", "import", "../plan.yaml")
    stoat.must("approve", workspace.PLAN)
    ended = stoat.run(
        "run-plan", workspace.PLAN, "--launcher", workspace.LAUNCHER, "--launchers", "../launchers.json", *PACE
    )
    say()
    stoat.must("status", workspace.PLAN)
    if not no_serve:
        say(f"The board shows {workspace.PLAN} until Ctrl-C.")
        stoat.run("serve")
    say(f"workspace: {built.root}")
    raise typer.Exit(ended)


class Commands:
    """Stoat's own commands, run in one project and shown as one would type them."""

    def __init__(self, project: Path) -> None:
        self._project = project
        self._environment = {name: value for name, value in os.environ.items() if not name.startswith("STOAT_")}
        # The plan's steps say `python`, which not every machine has under that name.
        own = str(Path(sys.executable).parent)
        self._environment["PATH"] = os.pathsep.join([own, os.environ.get("PATH", os.defpath)])

    def run(self, *arguments: str) -> int:
        """Run `stoat` with these arguments; its exit code, 0 also when Ctrl-C ended it."""
        say("$ " + shlex.join(["stoat", *arguments]))
        sys.stdout.flush()
        argv = [sys.executable, "-m", "stoat", *arguments]
        process = subprocess.Popen(argv, cwd=self._project, env=self._environment)
        while True:
            try:
                return process.wait()
            except KeyboardInterrupt:
                # The terminal told the command as well; it ends as it sees fit.
                continue

    def must(self, *arguments: str) -> None:
        """Run a command that cannot fail in a world of the demo's own."""
        code = self.run(*arguments)
        say()
        if code:
            raise StoatError(
                f"`{shlex.join(['stoat', *arguments])}` ended with {code} in the demo's own project",
                hint=f"look at it in {self._project}, or ask `stoat doctor` there",
            )
