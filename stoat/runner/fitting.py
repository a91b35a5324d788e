"""What a run asks of its launcher, held against what that takes: every misfit at once, before anything is claimed."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from stoat.errors import Refused
from stoat.observe import hosts, programs
from stoat.observe.programs import Program
from stoat.plan.nodes import LAUNCHED
from stoat.plan.state import PlanState
from stoat.runner import builtin
from stoat.runner.launchers import has_posture, is_flag
from stoat.runner.mcp_server import address
from stoat.runner.options import RunOptions, executable

_NO_PROMPTS = ("--dangerously-skip-permissions", "--allow-dangerously-skip-permissions")
_BYPASS = "bypassPermissions"
_SANDBOXED = ("IS_SANDBOX", "CLAUDE_CODE_BUBBLEWRAP")


_SERVER = "mcp__stoat"


class Misfit(NamedTuple):
    """Something the launcher cannot give: what, and what to do about it."""

    what: str
    do: str


def check(options: RunOptions, plan: PlanState, waiting: Collection[str], environ: Mapping[str, str]) -> None:
    """Refused with everything that the run's launcher cannot do of what options and plan ask of it.

    `waiting` are the ids of the plan's nodes that are not done. The program is looked at, and asked for its version.
    """
    found = [*_asked(options, plan, waiting), *_program(options, environ), *_host(options)]
    if found:
        raise Refused("\n".join(one.what for one in found), hint="\n      ".join(one.do for one in found))


def _asked(options: RunOptions, plan: PlanState, waiting: Collection[str]) -> Iterator[Misfit]:
    profile, limits = options.profile, options.limits
    yield from _posture(options)
    if not profile.model_arguments:
        yield from _models(options, plan, waiting)
    if limits.budget_usd is not None and not profile.budget_arguments:
        yield Misfit(
            f"--budget-usd: launcher {profile.name} takes no budget, and a cap that nobody enforces is none",
            "give its profile budgetArguments with {budget}, or leave --budget-usd out",
        )
    if limits.total_usd is not None and limits.budget_usd is None and profile.result != "claude-json":
        yield Misfit(
            f"--max-total-usd: launcher {profile.name} reports no cost",
            "limit the run with --max-minutes or --max-consecutive-failures; a profile whose tool prints a cost as "
            'Claude Code does says "result": "claude-json"',
        )
    if options.lean and not profile.lean_arguments:
        yield Misfit(
            f"--lean: launcher {profile.name} has no way to leave your own settings, servers and skills out",
            "leave --lean out, or give its profile leanArguments",
        )


def _posture(options: RunOptions) -> Iterator[Misfit]:
    profile = options.profile
    refused = builtin.REFUSED_FLAGS.get(profile.name, {}) if builtin.is_built_in(profile) else {}
    named = [flag for flag in refused if any(is_flag(word, flag) for word in options.agent_args)]
    for flag in named:
        yield Misfit(f"--agent-args {flag}: {profile.name} no longer takes it, and ends at once", refused[flag])
    if not named and not options.allow_prompting and not has_posture(profile, options.agent_args):
        yield Misfit(
            f"--agent-args names no permission flag of {profile.name}: every agent would stop and ask before its first"
            " write, and never finish",
            f"choose one of {', '.join(profile.posture_flags)}; or --allow-prompting to start all the same",
        )


def _models(options: RunOptions, plan: PlanState, waiting: Collection[str]) -> Iterator[Misfit]:
    name = options.profile.name
    asks = "--model" if options.model else "the plan" if plan.header.model else None
    if asks:
        yield Misfit(
            f"{asks} asks for a model, and launcher {name} takes none", "give its profile modelArguments with {model}"
        )
    for node in (plan.nodes[node_id].spec for node_id in waiting if node_id in plan.nodes):
        if node.model and node.kind in LAUNCHED and options.scope.takes(node.id):
            yield Misfit(
                f"node {node.id} asks for {node.model}, and launcher {name} takes no model",
                f"leave it out of this run: --skip {node.id}; or give the profile modelArguments with {{model}}",
            )


def _program(options: RunOptions, environ: Mapping[str, str]) -> Iterator[Misfit]:
    profile, command = options.profile, executable(options)
    program = programs.find(command, environ)
    if program is None:
        yield Misfit(
            f"launcher {profile.name}: there is no program {command}",
            "install it, or name it with --agent-command",
        )
    elif program.is_stub:
        yield Misfit(
            f"launcher {profile.name}: {program.path} only says that the tool is not installed",
            f"its install script did not run: node {_installer(program)}; or name the tool with --agent-command",
        )
    elif builtin.is_built_in(profile):
        yield from _tool(options, program, environ)


def _installer(program: Program) -> Path:
    return program.path.parent.parent / "install.cjs"


def _tool(options: RunOptions, program: Program, environ: Mapping[str, str]) -> Iterator[Misfit]:
    """What the tool itself would refuse. Of a person's own wrapper nobody knows what it takes."""
    name = options.profile.name
    said = programs.version(program, environ)
    if said is None:
        return
    numbers, text = said
    for flag, since in builtin.SINCE[name].items():
        if numbers < since and flag in _flags(options):
            yield Misfit(
                f"launcher {name}: {program.path} is {text}, and {flag} came with {'.'.join(map(str, since))}",
                "bring it up to date, or name a newer one with --agent-command",
            )
    if name == builtin.CLAUDE.name and os.geteuid() == 0 and _bypasses(options) and not _sandboxed(options, environ):
        yield Misfit(
            "--agent-args: Claude Code bypasses no permissions for root, and every agent would end at once",
            "run as another user; or, in a sandbox that may be thrown away, say so: --agent-env IS_SANDBOX=1",
        )


def _flags(options: RunOptions) -> set[str]:
    """The flags of the profile's that this run would use."""
    profile, limits = options.profile, options.limits
    words = [*profile.arguments, *profile.session_arguments, *profile.resume_arguments, *profile.mcp_arguments]
    words += profile.budget_arguments if limits.budget_usd is not None else ()
    words += (*profile.lean_arguments, *profile.skill_arguments) if options.lean else ()
    return {word for word in words if word.startswith("-")}


def _host(options: RunOptions) -> Iterator[Misfit]:
    if options.url is None or not options.profile.mcp_arguments:
        return
    why = hosts.why_no_mcp(address(options.url))
    if why is not None:
        yield Misfit(
            f"--url: agents would find no tools at {address(options.url)}, {why}",
            "leave --url out: each agent then starts a server of its own",
        )


def _bypasses(options: RunOptions) -> bool:
    return any(
        word in _NO_PROMPTS or word == f"--permission-mode={_BYPASS}" or (word == _BYPASS and before.startswith("-"))
        for before, word in _pairs(options.agent_args)
    )


def denies_our_tools(options: RunOptions) -> bool:
    """Whether Claude Code gets our MCP server and a posture that denies its tools, as far as the arguments tell."""
    profile = options.profile
    ours = bool(profile.mcp_arguments) and profile.result == "claude-json"
    return ours and not _bypasses(options) and not any(_SERVER in word for word in options.agent_args)


def _pairs(words: Iterable[str]) -> Iterator[tuple[str, str]]:
    before = ""
    for word in words:
        yield before, word
        before = word


def _sandboxed(options: RunOptions, environ: Mapping[str, str]) -> bool:
    given = {**environ, **dict(options.agent_env)}
    return any(given.get(name) == "1" for name in _SANDBOXED)
