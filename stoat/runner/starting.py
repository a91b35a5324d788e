"""The processes of an attempt that is on the ref: the setup of its new worktree, and then its agent."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from stoat.derive.resume import Resume
from stoat.derive.schedule import Offer
from stoat.derive.troubles import Trouble
from stoat.derive.wording import runner as say
from stoat.errors import Refused
from stoat.gitstore.porcelain import GitFailed
from stoat.plan.events.attempts import AgentSpawned
from stoat.plan.state import Attempt, NodeState
from stoat.processes import NotStarted, Process, spawn
from stoat.runner import agents, equipping, resumed, workspace
from stoat.runner.claiming import give_back
from stoat.runner.filling import fill_shell
from stoat.runner.issues import asking
from stoat.runner.prompts import assignment, prompt
from stoat.runner.reading import append
from stoat.runner.state import Job, JobKind, Run, RunState


def start_agent(run: Run, state: RunState, offer: Offer, note: str = "") -> RunState:
    """Start the process of the node's attempt that is on the ref, and record it."""
    node = state.plan.nodes[offer.node]
    attempt, spec = node.attempt, node.spec
    assert attempt is not None
    worktree, log = Path(attempt.worktree), Path(attempt.log)
    try:
        own = agents.own_variables(run.options, spec.id, worktree)
        env = agents.environment(
            run, node=spec.id, worktree=worktree, claim=attempt.claim, attempt=attempt.number, session=attempt.session
        )
        argv = equipping.argument_list(run, state.plan, attempt, _told(run, state, node, tuple(own)), env)
        process = spawn(argv, cwd=worktree, env=env, output=log, stdout=_output(attempt))
    except (NotStarted, GitFailed, Refused, OSError) as problem:
        state = give_back(run, state, spec.id, say.nothing_started(str(problem)))
        return not_launched(run, state, spec.id, str(problem))
    run.narrator.say(
        say.launched(
            say.Launched(
                spec.id, attempt.number, equipping.tool(run, spec, attempt.model),
                f"{attempt.base_ref} ({attempt.base[:7]})", workspace.shown(worktree, run.home),
                workspace.shown(log, run.home), note, tuple(f"{name}={value}" for name, value in own.items()),
            )
        )
    )  # fmt: skip
    spawned = AgentSpawned(node=spec.id, attempt=attempt.number, process=process.identity.key)
    state = append(run, state, f"attempt {attempt.number} on {spec.id} runs", lambda plan, now: [spawned])
    job = _job("agent", offer, process, attempt.claim, attempt.number, worktree, log)
    jobs = {**state.jobs, spec.id: job}
    return replace(state, jobs=jobs, last_spawn=run.monotonic(), launched=state.launched + 1)


def _output(attempt: Attempt) -> Path | None:
    """The file for what the agent's tool says for programs, with room made for it."""
    if attempt.output is None:
        return None
    output = Path(attempt.output)
    output.parent.mkdir(parents=True, exist_ok=True)
    return output


def _told(run: Run, state: RunState, node: NodeState, own_names: tuple[str, ...]) -> str:
    """The prompt of the node's attempt: all of it, or what is new to a session that goes on."""
    attempt, spec = node.attempt, node.spec
    assert attempt is not None
    takes_mcp = bool(run.options.profile.mcp_arguments)
    if attempt.resumes and attempt.session is not None:
        going_on = state.resuming.get(spec.id) or Resume(attempt.session, "unbegun")
        return resumed.prompt(f"{run.plan}/{spec.id}", attempt, going_on, takes_mcp=takes_mcp)
    told = assignment(
        state.plan, node, holder=run.options.agent, own_names=own_names, before=state.last_words.get(spec.id),
        issue=asking.brief_of(run, state, node), takes_mcp=takes_mcp,
    )  # fmt: skip
    return prompt(replace(told, skills=equipping.skills_as_seen(run, told.skills)))


def _job(kind: JobKind, offer: Offer, process: Process, claim: str, number: int, worktree: Path, log: Path) -> Job:
    return Job(
        kind=kind, node=offer.node, identity=process.identity, claim=claim,
        attempt=number, worktree=worktree, log=log, offer=offer, process=process,
    )  # fmt: skip


def set_up(run: Run, state: RunState, offer: Offer) -> RunState:
    """Begin the setup of the node's new worktree; its agent starts when that has succeeded."""
    node = state.plan.nodes[offer.node]
    attempt, spec = node.attempt, node.spec
    assert attempt is not None and run.options.agent_setup is not None
    worktree = Path(attempt.worktree)
    log = workspace.log_of(run.project, "setup", workspace.name_of(run.project, worktree))
    try:
        command = fill_shell(run.options.agent_setup, agents.placeholders(run.options, spec.id, worktree))
        env = agents.environment(
            run, node=spec.id, worktree=worktree, claim=attempt.claim, attempt=attempt.number, session=attempt.session
        )
        process = spawn(("sh", "-c", command), cwd=worktree, env=env, output=log)
    except (NotStarted, GitFailed, Refused, OSError) as problem:
        return setup_failed(run, state, spec.id, None, log, str(problem))
    run.narrator.say(say.setting_up(spec.id, workspace.shown(log, run.home)))
    job = _job("setup", offer, process, attempt.claim, attempt.number, worktree, log)
    return replace(state, jobs={**state.jobs, spec.id: job})


def setup_failed(run: Run, state: RunState, node: str, code: int | None, log: Path, why: str = "") -> RunState:
    """Release the claim and give the attempt back: nothing was started."""
    run.narrator.say(say.setup_failed(node, code, workspace.shown(log, run.home)))
    state = give_back(run, state, node, why or say.setup_ended(code))
    return unlaunchable(state, node, "setup")


def not_launched(run: Run, state: RunState, node: str, why: str) -> RunState:
    """Say why no agent could be started on the node, and leave it alone from now."""
    run.narrator.once(("hold", node), say.not_started(node, why))
    return unlaunchable(state, node, "not-launched")


def unlaunchable(state: RunState, node: str, why: Trouble) -> RunState:
    """Not tried again by this run, until a person restarts the node: it would fail the same way."""
    mark = state.plan.nodes[node].restarted_seq
    return replace(state.with_trouble(node, why), unlaunchable={**state.unlaunchable, node: mark})
