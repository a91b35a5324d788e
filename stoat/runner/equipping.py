"""What each worker of a run starts with: its model, Stoat's MCP server, its skills. Said at start, handed to each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from stoat.derive.wording import workers as say
from stoat.gitstore.work.worktrees import git_directory
from stoat.plan.nodes import Node
from stoat.plan.state import Attempt, PlanState
from stoat.runner import fitting, skills
from stoat.runner.command_lines import Places, command_line
from stoat.runner.mcp_server import server_for
from stoat.runner.options import executable
from stoat.runner.skills import Skills
from stoat.runner.state import Run


def announce(run: Run, plan: PlanState) -> None:
    """Say what workers are started with, and what of it is amiss; Refused where skills cannot be handed over."""
    options, profile = run.options, run.options.profile
    model, asked = _model(run, plan)
    chooses = bool(profile.model_arguments)
    run.narrator.say(say.banner(profile.name, executable(options), model, asked, chooses=chooses, lean=options.lean))
    if profile.skill_arguments:
        found = _skills(run, plan)
        if found.missing:
            run.narrator.say(say.skills_missing(found.missing, str(skills.home_of(run.environ, run.home))))
        _plugin(run, plan)
    if options.url is not None and not profile.mcp_arguments:
        run.narrator.say(say.takes_no_server(profile.name))
    if fitting.denies_our_tools(options):
        run.narrator.say(say.tools_not_allowed())


def _model(run: Run, plan: PlanState) -> tuple[str | None, say.Asked]:
    if run.options.model:
        return run.options.model, "run"
    if plan.header.model:
        return plan.header.model, "plan"
    return run.options.profile.default_model, "profile"


def argument_list(
    run: Run, plan: PlanState, attempt: Attempt, prompt: str, environment: Mapping[str, str]
) -> list[str]:
    """The command that starts the attempt's agent in that environment.

    Raises GitFailed where its worktree cannot be read, Refused where its skills cannot be handed over.
    """
    options, worktree = run.options, Path(attempt.worktree)
    places = Places(worktree, git_directory(worktree), run.project.common, run.session.store.common)
    server = server_for(run.stoat, environment, options.url) if options.profile.mcp_arguments else None
    return command_line(
        options.profile, prompt=prompt, places=places, extra=options.agent_args, command=executable(options),
        model=attempt.model, budget=options.limits.budget_usd, session=attempt.session, resume=attempt.resumes,
        mcp=server, skills=_plugin(run, plan), lean=options.lean,
    )  # fmt: skip


def tool(run: Run, node: Node, model: str | None) -> str:
    """What one agent is started with, as its launch line says it."""
    profile = run.options.profile
    chooses = bool(profile.model_arguments)
    return say.tool(profile.name, model, of_node=bool(node.model), chooses=chooses, lean=run.options.lean)


def skills_as_seen(run: Run, names: Sequence[str]) -> tuple[str, ...]:
    """The names under which an agent finds these skills: those that are handed over carry the plugin's name."""
    if not _hands_skills(run):
        return tuple(names)
    found = skills.look(names, skills.home_of(run.environ, run.home), run.project.directory).installed
    return tuple(f"{skills.PLUGIN}:{name}" if name in found else name for name in names)


def _hands_skills(run: Run) -> bool:
    return run.options.lean and bool(run.options.profile.skill_arguments)


def _skills(run: Run, plan: PlanState) -> Skills:
    wanted = skills.named(plan, run.options.scope)
    return skills.look(wanted, skills.home_of(run.environ, run.home), run.project.directory)


def _plugin(run: Run, plan: PlanState) -> Path | None:
    return skills.write_plugin(run.plan, _skills(run, plan), run.home) if _hands_skills(run) else None
