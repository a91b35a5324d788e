"""`stoat run-plan`: the flags of a run, what they mean together, and how a person watching sees it."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
import typer.core

from stoat.cli import context, seeded

if TYPE_CHECKING:
    from stoat.runner.options import RunOptions
    from stoat.service.session import Session

_SPREAD = {"-n": "node", "--node": "node", "-k": "node", "--skip": "node", "-E": "pair", "--agent-env": "pair",
           "--port": "node", "--copy": "path"}  # fmt: skip


def spread(words: Sequence[str]) -> list[str]:
    """`--node a b` as `--node a --node b`, likewise the other flags of _SPREAD: these take several values.

    Once PLAN was named, the words that follow such a flag are its values for as long as they look like one: a node id
    has no slash, a variable has an equals sign, a path to copy is below the project.
    """
    given: list[str] = []
    flag, kind, values, named = "", "", 0, False
    for index, word in enumerate(words):
        if word in _SPREAD:
            flag, kind, values = word, _SPREAD[word], 0
            given.append(word)
            continue
        if flag and not word.startswith("-") and (values == 0 or (named and _fits(word, kind))):
            given += [word] if values == 0 else [flag, word]
            values += 1
            continue
        flag = ""
        named = named or (not word.startswith("-") and (index == 0 or not _takes_a_value(words[index - 1])))
        given.append(word)
    return given


def _fits(word: str, kind: str) -> bool:
    """Whether a word can be one more value of a flag of that kind, and not the project's directory."""
    if kind == "pair":
        return "=" in word
    if kind == "path":
        return not word.startswith(("/", "./", "../", "~")) and word not in (".", "..")
    return "/" not in word and word not in (".", "..")


def _takes_a_value(word: str) -> bool:
    """Whether the word before could have this one as its value: a flag that is no switch."""
    return word.startswith("-") and "=" not in word and word not in _SWITCHES


_SWITCHES = {
    "--expedite-slot", "--lean", "-i", "--ignore-dependencies", "--watch", "--paused", "-p", "--allow-prompting", "-e",
    "--allow-unprovable", "--once",
}  # fmt: skip


class _Spreading(typer.core.TyperCommand):
    """The command whose repeatable flags take several values each."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """As click does, with the values spread first."""
        return super().parse_args(ctx, spread(args))


run_plan = typer.Typer(add_completion=False, rich_markup_mode=None)


@run_plan.command("run-plan", cls=_Spreading)
def work(
    ctx: typer.Context,
    plan: context.PlanArgument,
    project: Annotated[Path, typer.Argument(metavar="[PROJECT_DIR]", help="The checkout that is worked in.")] = Path(),
    url: Annotated[str | None, typer.Option("--url", "-u", help="A Stoat host for agents to ask over HTTP.")] = None,
    parallel: Annotated[int, typer.Option(min=1, help="Agents in parallel.")] = 2,
    expedite_slot: Annotated[bool, typer.Option("--expedite-slot", help="A slot more for an expedited node.")] = False,
    max_attempts: Annotated[int, typer.Option(min=1, help="Attempts a node before giving up loudly.")] = 2,
    max_fix_attempts: Annotated[int, typer.Option(min=0, help="Resumes to fix an agent's own PR. (Later.)")] = 2,
    max_rebases: Annotated[int, typer.Option(min=0, help="Resumes to rebase an agent's PR. (Later.)")] = 5,
    fix_stall_minutes: Annotated[float, typer.Option(min=0, help="When a fix counts as stalled. (Later.)")] = 20,
    fix_with: Annotated[str, typer.Option(help="Who fixes a PR: resume or fresh. (Later.)")] = "resume",
    launcher: Annotated[str, typer.Option(help="Launcher profile.")] = "claude",
    launchers: Annotated[Path | None, typer.Option(help="Profiles file; else ~/.stoat/launchers.json.")] = None,
    cloud_launcher: Annotated[str | None, typer.Option(help="Hands cloud-marked issues to a cloud agent.")] = None,
    cloud_url: Annotated[str | None, typer.Option(help="Where cloud agents report. (Later.)")] = None,
    agent_command: Annotated[str | None, typer.Option(help="Another executable for the profile.")] = None,
    model: Annotated[str | None, typer.Option(help="Every worker's model, unless its node names one.")] = None,
    lean: Annotated[bool, typer.Option("--lean", help="Workers without your own settings and skills.")] = False,
    budget_usd: Annotated[float | None, typer.Option(help="Spend cap an attempt.")] = None,
    agent_args: Annotated[str, typer.Option(help="More arguments for every agent, split like a shell would.")] = "",
    node: Annotated[list[str] | None, typer.Option("--node", "-n", help="Launch only these nodes.")] = None,
    skip: Annotated[list[str] | None, typer.Option("--skip", "-k", help="Never launch these nodes.")] = None,
    ignore_dependencies: Annotated[
        bool, typer.Option("--ignore-dependencies", "-i", help="Launch the --node nodes whatever their upstream says.")
    ] = False,
    agent_env: Annotated[
        list[str] | None, typer.Option("--agent-env", "-E", help="KEY=VALUE; {plan} {node} {ident} {worktree}.")
    ] = None,
    agent_setup: Annotated[
        str | None, typer.Option("--agent-setup", "-S", help="Run by a shell in each new worktree first.")
    ] = None,
    port: Annotated[
        list[str] | None, typer.Option("--port", help="A port of its own for each worktree, in that variable.")
    ] = None,
    copy: Annotated[
        list[str] | None, typer.Option("--copy", help="Ignored files (.env) for each new worktree.")
    ] = None,
    verify_command: Annotated[
        str | None, typer.Option("--verify-command", "-v", help="Re-run a done node's specs on its branch; {specs}.")
    ] = None,
    agent: Annotated[str, typer.Option(help="Agent identity for claims.")] = "stoat-runner",
    watch: Annotated[bool, typer.Option("--watch", help="Stay, waiting for new ready work.")] = False,
    paused: Annotated[bool, typer.Option("--paused", help="With --watch: wait for a person's `stoat resume`.")] = False,
    once: Annotated[bool, typer.Option("--once", help="One poll, then exit; agents run on.")] = False,
    base: Annotated[str | None, typer.Option("--base", "-B", help="Where new branches are cut from.")] = None,
    max_total_usd: Annotated[float | None, typer.Option(help="Stop claiming past this cost.")] = None,
    max_minutes: Annotated[float | None, typer.Option(help="Stop claiming after this long.")] = None,
    max_consecutive_failures: Annotated[
        int | None, typer.Option(min=1, help="Stop claiming after so many attempts in a row got nowhere.")
    ] = None,
    settle_seconds: Annotated[float, typer.Option(min=0, help="What evidence gets to show before judging.")] = 180,
    stagger_seconds: Annotated[float, typer.Option(min=0, help="Between spawns.")] = 5,
    poll_seconds: Annotated[float, typer.Option(min=0.05, help="Between polls, when nothing happens.")] = 15,
    allow_prompting: Annotated[
        bool, typer.Option("--allow-prompting", "-p", help="Start without a permission posture.")
    ] = False,
    allow_unprovable: Annotated[
        bool, typer.Option("--allow-unprovable", "-e", help="Start with no observable evidence.")
    ] = False,
) -> None:
    """Let agents work the ready nodes of a plan, each in its own worktree, and let evidence decide what is done."""
    from stoat.derive.limits import Limits
    from stoat.derive.schedule import Scope
    from stoat.runner import launchers as known
    from stoat.runner import options
    from stoat.runner.cloud.launchers import choose_cloud

    options.refuse_later(name for name in options.LATER if _was_given(ctx, name))
    arguments = known.split_arguments("--agent-args", agent_args)
    variables = options.parse_environment(agent_env or ())
    verification = known.split_arguments("--verify-command", verify_command or "")
    chosen = options.RunOptions(
        plan=plan, project=project, profile=known.choose(launcher, launchers, Path.home()), parallel=parallel,
        expedite_slot=expedite_slot, max_attempts=max_attempts, agent_command=agent_command, model=model,
        lean=lean, url=url,
        cloud=choose_cloud(cloud_launcher, launchers, Path.home(), os.environ) if cloud_launcher is not None else None,
        agent_args=arguments, scope=Scope(only=frozenset(node or ()), skip=frozenset(skip or ()),
                                          ignore_dependencies=ignore_dependencies),
        agent_env=variables, agent_setup=agent_setup, ports=options.parse_ports(port or (), variables),
        copies=tuple(copy or ()), verify_command=verification,
        agent=agent, watch=watch, paused=paused, once=once, base=base,
        limits=Limits(total_usd=max_total_usd, budget_usd=budget_usd, minutes=max_minutes,
                      failures=max_consecutive_failures),
        settle_seconds=settle_seconds, stagger_seconds=stagger_seconds, poll_seconds=poll_seconds,
        allow_prompting=allow_prompting, allow_unprovable=allow_unprovable,
    )  # fmt: skip
    raise typer.Exit(_run(chosen, _session(plan, project)))


def _run(chosen: RunOptions, session: Session) -> int:
    """Work the plan, with a live view below the lines where there is a terminal for it; the exit code."""
    from stoat.cli import live_run, logs
    from stoat.runner import loop

    if not live_run.wanted(sys.stdout, os.environ):
        logs.to_stderr()
        return loop.run_plan(chosen, session, _show, dict(os.environ))
    screen = live_run.Screen(sys.stdout, _painted)
    logs.to_stderr(screen.say)
    with screen.shown():
        return loop.run_plan(chosen, session, screen.say, dict(os.environ), screen.seen)


def _was_given(ctx: typer.Context, name: str) -> bool:
    source = ctx.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def _session(plan: str, project: Path) -> Session:
    """The session at the store that has the plan: the one by flags or from here, else the project's own.

    A directory of plans that seeds it is taken in first: the plan may be in there.
    """
    from stoat.errors import NotFound
    from stoat.service.session import open_session, plan_of

    try:
        here = context.session()
        seeded.take_in(here)
        plan_of(here.state(), plan)
        return here
    except NotFound:
        if context.store_flag() is not None or not project.is_dir():
            raise
        there = open_session(project, by=context.by_flag())
        seeded.take_in(there)
        return there


_COLOURS = {
    "✓": "green", "✗": "red", "⚠": "yellow", "→": "cyan", "↻": "cyan", "⇡": "magenta", "?": "yellow", "✋": "yellow",
}  # fmt: skip


def _painted(line: str) -> str:
    """A line in the colour of its sign."""
    return typer.style(line, fg=_COLOURS.get(line[:1]))


def _show(line: str) -> None:
    """One line of the run, at once and plain; a reader that went away does not end the run."""
    from stoat.cli import render

    with contextlib.suppress(OSError, ValueError):
        print(render.clean(line, lines=True), flush=True)
