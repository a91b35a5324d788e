"""The command `stoat`: the flags before the command, the lazy command tree, and the one place where errors end.

A command's module is imported when the command is run or its help is shown, so that `stoat --version` and completion
cost next to nothing.
"""

from __future__ import annotations

import gc
import importlib
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from stoat.cli import context
from stoat.cli.commands import ENTRIES, LATER, SECTIONS, Entry
from stoat.cli.failing import ending, reader_gone
from stoat.cli.light import lighten
from stoat.derive.wording import later
from stoat.errors import INTERRUPTED

ABOUT = """\
Stoat keeps plans of work, works out where every node stands from what it can observe, and runs coding agents on what
is ready. Everything is on one git ref of your repository: no server, no account, and nobody sets a status."""


COMPLETION = ("install_completion", "show_completion")
"""Typer's own two options, which the whole of `stoat` has once."""


class CommandTree(TyperGroup):
    """The group whose commands are the table of commands.py, each loaded when it is wanted."""

    def list_commands(self, ctx: Any) -> list[str]:
        """The names, in the order of the help."""
        return list(ENTRIES)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Load a command; None when there is none of that name."""
        entry = ENTRIES.get(cmd_name)
        if entry is not None:
            return load(entry)
        return _later(cmd_name) if cmd_name in LATER else None

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """As click does; an unknown name is answered with the one that was probably meant, or all there are."""
        if args and args[0] not in (*ENTRIES, *LATER) and not args[0].startswith("-"):
            from difflib import get_close_matches

            close = get_close_matches(args[0], (*ENTRIES, *LATER), n=1)
            there_are = f"did you mean `stoat {close[0]}`?" if close else f"the commands are: {', '.join(ENTRIES)}"
            ctx.fail(f"there is no command {args[0]!r}; {there_are}")
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """As click does; a Ctrl-C and a reader that went away end here, before click gives them codes of its own."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise SystemExit(INTERRUPTED) from None
        except BrokenPipeError:
            raise SystemExit(reader_gone()) from None

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """The help that teaches: what one does, in groups, with an example each."""
        formatter.write("Usage: stoat [-C DIR] [--store DIR] [--by NAME] COMMAND …\n\n" + ABOUT + "\n")
        for title, entries in SECTIONS.items():
            formatter.write(f"\n{title}\n")
            for entry in entries:
                formatter.write(f"  {entry.name:<15} {entry.does}\n{'':18}$ {entry.example}\n")
        formatter.write(f"\nlater: {', '.join(LATER)}\n\nFlags before the command\n")
        for parameter in self.get_params(ctx):
            if record := parameter.get_help_record(ctx):
                formatter.write(f"  {record[0]:<24} {record[1]}\n")
        formatter.write(
            "\nA node is written PLAN/NODE. Every read takes --json. `stoat COMMAND --help` says more.\n"
            "Exit codes: 0 done, 1 the answer is bad, 2 usage, 3 refused by a rule, 4 out of reach, 130 interrupted.\n"
        )


def load(entry: Entry) -> Any:
    """The click command of an entry, its module imported now.

    Its example is put at the end of its help, and --by may be given behind it as well as before it.
    """
    module, _, attribute = entry.target.partition(":")
    found = getattr(importlib.import_module(f"stoat.cli.{module}"), attribute)
    app = found if isinstance(found, typer.Typer) else _single(entry.name, found)
    command: Any = typer.main.get_command(app)
    command.rich_markup_mode = None
    command.params = [option for option in command.params if option.name not in COMPLETION]
    for leaf in getattr(command, "commands", {}).values() or [command]:
        leaf.rich_markup_mode = None
        if not any("--by" in parameter.opts for parameter in leaf.params):
            leaf.params.append(_by_option())
    lighten(command)
    command.name = entry.name
    command.epilog = command.epilog or f"Example: {entry.example}"
    return command


def _later(name: str) -> Any:
    """The click command of a name whose work comes with a later version."""
    from stoat.cli.later import TAKES_ANYTHING, refuse

    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    app.command(name, context_settings=TAKES_ANYTHING)(refuse(later.COMMANDS[name]))
    command: Any = typer.main.get_command(app)
    command.name = name
    return command


def _speaks(by: str | None) -> None:
    if by is not None:
        context.remember(context.store_flag(), by)


_By = Annotated[str | None, typer.Option("--by", help="Who speaks.", metavar="NAME", callback=_speaks)]


def _takes_by(by: _By = None) -> None:
    """Nothing but the option, to take it from."""


def _by_option() -> Any:
    """The option --by of a single command, as click knows it."""
    option = typer.main.get_command(_single("by", _takes_by)).params[0]
    option.expose_value = False
    return option


def _single(name: str, function: Callable[..., Any]) -> typer.Typer:
    """A Typer app of one command."""
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    app.command(name)(function)
    return app


app = typer.Typer(cls=CommandTree, rich_markup_mode=None, no_args_is_help=True, add_completion=True)


def _version(wanted: bool) -> None:
    if wanted:
        from stoat.cli.version import version

        print(f"stoat {version()}")
        raise typer.Exit()


@app.callback()
def stoat(
    directory: Annotated[
        Path | None, typer.Option("-C", metavar="DIR", help="Run as if started in DIR.", show_default=False)
    ] = None,
    store: Annotated[
        Path | None, typer.Option("--store", metavar="DIR", help="The repository that holds the plans.")
    ] = None,
    by: Annotated[str | None, typer.Option("--by", metavar="NAME", help="Who speaks; else git's user.name.")] = None,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Plans of work for coding agents, on one git ref."""
    if directory is not None:
        try:
            os.chdir(directory)
        except OSError as problem:
            raise typer.BadParameter(f"cannot go to {directory}: {problem.strerror}", param_hint="-C") from problem
    context.remember(store, by)


def main() -> None:
    """Run `stoat` with this process's arguments and end the process with its exit code."""
    # A store of 10,000 nodes is read into a million objects that all stay: looking for garbage among them again and
    # again costs a third of the reading.
    gc.set_threshold(100_000, 20, 20)
    sys.exit(ending(lambda: tree().main(prog_name="stoat")))


def tree() -> Any:
    """The whole command tree, as click sees it."""
    command = typer.main.get_command(app)
    lighten(command)
    return command
