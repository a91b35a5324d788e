"""`stoat gate exec` and `stoat gate run`: commands as evidence."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from stoat.cli import context, render
from stoat.cli.context import NodeArgument

if TYPE_CHECKING:
    from stoat.plan.nodes import Step

app = typer.Typer(
    no_args_is_help=True, add_completion=False, rich_markup_mode=None,
    help="Run commands as evidence: what ran, where, on which commit, clean or not, and how it ended is recorded. "
    "`run` runs what a gate declares, `exec` any command; `stoat status PLAN` shows what it came to.",
)  # fmt: skip

@app.command("exec", epilog="Example: stoat gate exec my-plan/suite --step unit --timeout 20m -- make test")
def exec_(
    node: NodeArgument,
    command: Annotated[list[str], typer.Argument(metavar="-- COMMAND", show_default=False)],
    step: Annotated[
        str | None, typer.Option("--step", metavar="ID", help="The step of the node that this is; else all of it.")
    ] = None,
    cwd: Annotated[
        str | None,
        typer.Option("--cwd", metavar="DIR", help="Run it there, below the checkout's top; else where one stands."),
    ] = None,
    env: Annotated[
        list[str] | None, typer.Option("--env", metavar="NAME=VALUE", help="A variable for it; repeatable.")
    ] = None,
    timeout: Annotated[
        str | None, typer.Option("--timeout", metavar="TIME", help="Kill it, and all it started, after that time.")
    ] = None,
) -> None:
    """Run a command untouched, and record how it ended as evidence for a node or for one of its steps.

    A step is a command that the plan declares on a node, under an id; the exact line that runs each is on the node's
    page, and in `stoat node show PLAN/NODE --json`. It passes by a run of that very command in the directory that it
    declares. A run of anything else is recorded too, and reads mismatch where it should have been the step.

    On record are the command, where it ran, the commit, branch and cleanliness of the checkout before and after, how
    long it took and how it ended; nothing of what it printed. It gets its tag in BOBCAT_RUN_TAG, so that test runs
    which it starts publish under the same step.

    Its streams, its terminal, its signals and its exit code are its own: 124 when it was killed at --timeout, 128+n
    on signal n, 127 when it was not found. Whatever keeps Stoat from recording it is a warning and changes nothing.
    """
    from stoat.plan.ids import split_ref
    from stoat.service import gates

    variables = _variables(env or [])
    limit = None if timeout is None else context.duration(timeout, "--timeout")
    ref = split_ref(node)
    if ref is None:
        _warn(f"not recorded: {node!r} is not written PLAN/NODE")
    outcome = gates.execute(
        context.session, ref, step, command, tag=node, directory=Path.cwd(), cwd=cwd, env=variables, timeout=limit,
        store=context.store_flag(), warn=_warn,
    )  # fmt: skip
    raise typer.Exit(outcome.code)


@app.command("run", epilog="Example: stoat gate run my-plan/suite --checkout ../project")
def run(
    node: NodeArgument,
    step: Annotated[
        str | None, typer.Option("--step", metavar="ID", help="Only this one of its steps; else all of them.")
    ] = None,
    checkout: Annotated[
        Path | None,
        typer.Option("--checkout", metavar="DIR", help="The checkout to run them in; else that in which one stands."),
    ] = None,
) -> None:
    """Run the steps that a node declares in their order, all of them, each as `gate exec` would.

    A step is a command that the plan declares under an id, with the directory, the variables and the timeout that it
    needs. Each runs in its directory, else at the top of the checkout, however deep in it one stands; a red one does
    not keep the next from running. What is on record of each is what `gate exec` records.

    Refused where the node declares no steps, where one has no command, and in a checkout of another repository than
    the node's. Exit code 0 when all were green, 1 when one was red or timed out, 3 when it was refused.
    """
    from stoat.clock import duration_text
    from stoat.service import gates
    from stoat.service.session import parse_ref

    ref = parse_ref(node)
    ran = list(gates.run(context.session(), ref, step, Path(checkout or Path.cwd()), warn=_warn, begin=_announce))
    words = {0: "passed", gates.TIMED_OUT: "timed out"}
    render.table(
        ("step", "result", "took"),
        [(one.step, words.get(one.code, f"failed ({one.code})"), duration_text(one.seconds)) for one in ran],
    )
    if any(one.code != 0 for one in ran):
        raise typer.Exit(1)


def _announce(step: Step) -> None:
    render.tell(f"── {step.id}: {step.run}")


def _variables(written: list[str]) -> dict[str, str]:
    from stoat.plan.variables import RUN_TAG

    variables = {}
    for entry in written:
        name, equals, value = entry.partition("=")
        if not equals or not name:
            raise typer.BadParameter(f"{entry!r} is not written NAME=VALUE", param_hint="--env")
        if name == RUN_TAG:
            raise typer.BadParameter(f"{RUN_TAG} is set by Stoat itself", param_hint="--env")
        variables[name] = value
    return variables


def _warn(text: str) -> None:
    render.tell(f"stoat: {text}")
