"""Everything that is looked at before a run claims anything. Whatever is wrong here costs nobody anything yet."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shlex
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from stoat import clock
from stoat.derive.wording import cloud, landing
from stoat.derive.wording import runner as say
from stoat.errors import Refused
from stoat.gitstore.names import IDENTIFY
from stoat.gitstore.porcelain import GitFailed, git
from stoat.gitstore.work import bases, copies, remotes
from stoat.gitstore.work.integration import identity_problem
from stoat.gitstore.work.planbranches import why_not_a_plan_branch
from stoat.gitstore.work.worktrees import Project, project_at
from stoat.observe.agents import outputs
from stoat.observe.live import Live, announce
from stoat.observe.tree import repository_at
from stoat.plan.events.base import Actor
from stoat.plan.facts import RunnerFact
from stoat.plan.nodes import GATE, SLICE
from stoat.plan.state import PlanState
from stoat.processes import machine_name
from stoat.runner import agents, equipping, fitting, reserving, workspace
from stoat.runner.drifting import Drifts
from stoat.runner.issues.filing import Filing
from stoat.runner.issues.texts import Texts
from stoat.runner.landing import prepare_branch
from stoat.runner.narration import Narrator
from stoat.runner.options import RunOptions, check
from stoat.runner.reading import begin
from stoat.runner.state import Interrupts, Run, RunState
from stoat.runner.waking import Waker
from stoat.service import steering
from stoat.service.session import Session, mint, plan_of
from stoat.service.sweeper import Sweeper

_NAME_ONE = "name a checkout: stoat run-plan PLAN PROJECT_DIR"


def start(
    options: RunOptions, session: Session, emit: Callable[[str], None], environ: Mapping[str, str],
    monotonic: Callable[[], float],
) -> tuple[Run, RunState]:  # fmt: skip
    """The run, registered as the plan's runner in this checkout, and its first state; Refused with the reason.

    Whoever gets a run must `finish` it.
    """
    project = _project(options.project)
    options = replace(options, project=project.directory)
    plan = plan_of(session.state(), options.plan)
    check(options, plan)
    fitting.check(options, plan, _not_done(session, options.plan), environ)
    _check_repository(project, plan)
    _check_base(project, options.base)
    copies.files_of(project.directory, options.copies)
    reserving.key_of(os.getpid())  # Refused now, and not when there is something to reserve
    machine, runner_id = machine_name(), f"{options.plan}-{mint('r').removeprefix('r-')}"
    fact = RunnerFact(
        runner_id=runner_id, plan=options.plan, host=machine, checkout=str(project.directory), state="running",
        parallel=options.parallel, repo=repository_at(project.directory), since=clock.now(), pid=os.getpid(),
        cloud=options.cloud.name if options.cloud is not None else None,
    )  # fmt: skip
    if options.paused:
        session.person()
    live = _register(session, project, options.plan, fact)
    waker = Waker(session.store.common, project.directory)
    sweeper = Sweeper(session, environ, f"stoat run-plan {options.plan}")
    try:
        run = Run(
            options=options, project=project, repo=fact.repo, runner_id=runner_id, machine=machine, live=live,
            session=replace(session, actor=Actor(name=options.agent, as_="runner", session=None)),
            narrator=Narrator(emit), waker=waker, sweeper=sweeper, environ=environ,
            texts=Texts(environ, waker.wake, monotonic), drifts=Drifts(waker.wake),
            filing=Filing(environ, waker.wake),
            stoat=agents.own_command(session.store.common), interrupts=Interrupts(), monotonic=monotonic,
            started=monotonic(), home=Path.home(), fact=fact,
        )  # fmt: skip
        if options.paused:
            steering.pause(session, options.plan, runner_id)
        state = _begun(run)
        sweeper.start()
        return run, state
    except BaseException:
        sweeper.stop()
        waker.close()
        live.close()
        raise


def finish(run: Run) -> None:
    """Let go of what the run holds."""
    with contextlib.suppress(OSError):
        reserving.let_go(run)
    run.sweeper.stop()
    run.waker.close()
    run.live.close()


def _begun(run: Run) -> RunState:
    state = begin(run)
    _check_evidence(run, state)
    attempts = (node.attempt for plan in state.state.plans.values() for node in plan.nodes.values())
    going = {one.output for one in attempts if one is not None and one.output is not None and one.outcome is None}
    outputs.forget_old(run.session.store.common, going, state.now)
    run.narrator.say(say.starting(run.plan, str(run.project.directory), run.options.parallel, run.runner_id))
    equipping.announce(run, state.plan)
    _warn_of_the_cloud(run)
    ready = prepare_branch(run, state.plan)
    if ready is not None and ready.cut_from is not None:
        run.narrator.say(landing.branch_cut(ready.place.branch, ready.cut_from.label, ready.cut_from.commit))
    elif ready is not None:
        run.narrator.say(landing.branch_used(ready.place.branch, ready.tip))
    if ready is not None:
        workspace.warn_of_hooks(run, ready.place.path)
    return replace(state, integration=ready)


def _warn_of_the_cloud(run: Run) -> None:
    """Say for how long cloud agents have what they are handed."""
    if run.options.cloud is not None:
        run.narrator.say(cloud.held_only())


def _not_done(session: Session, plan: str) -> list[str]:
    return [node.id for node in session.answers().plans[plan].nodes if node.stance is not None]


def _project(directory: Path) -> Project:
    try:
        project = project_at(directory)
        bare = git(directory, "rev-parse", "--is-inside-work-tree", check=False).out.strip() != "true"
    except GitFailed as failed:
        raise Refused(f"{directory} is no checkout: {failed.why}", hint=failed.hint or _NAME_ONE) from failed
    if bare:
        raise Refused(f"{directory} is no checkout, it has no work tree", hint=_NAME_ONE)
    return project


def _check_repository(project: Project, plan: PlanState) -> None:
    """Refused where git could not commit, or where the plan's branch is one that nothing may land on."""
    problem = identity_problem(project.directory)
    if problem is not None:
        raise Refused(
            f"agents' work and landings could not be committed: {problem}",
            hint=IDENTIFY,
        )
    if plan.header.branch is not None:
        why = why_not_a_plan_branch(project.directory, plan.header.branch)
        if why is not None:
            raise Refused(why, hint=f"give the plan another branch: stoat plan change {plan.slug} --branch NAME")


def _check_base(project: Project, base: str | None) -> None:
    """Refused when --base names nothing to start from; a remote that cannot be asked just now is no reason."""
    if base is None:
        return
    fetched = remotes.fetch(project.directory, base)
    found = bases.explicit_base(project.directory, fetched, base) if isinstance(fetched, remotes.Fetched) else None
    if isinstance(found, bases.Hold):
        raise Refused(found.why, hint=f"see what there is: git -C {shlex.quote(str(project.directory))} branch --all")


def _register(session: Session, project: Project, plan: str, fact: RunnerFact) -> Live:
    place = hashlib.sha256(str(project.directory).encode(errors="surrogateescape")).hexdigest()[:8]
    try:
        return announce(session.store.common, "runner", f"{plan}-{place}", fact)
    except Refused as refused:
        raise Refused(f"plan {plan}, checkout {project.directory}: {refused.message}", hint=refused.hint) from refused


def _check_evidence(run: Run, state: RunState) -> None:
    """Refused when every slice and gate reads unknown: no run is visible at all, so no agent could prove a thing."""
    proved = [shown for shown in state.answer.nodes if shown.kind in (SLICE, GATE)]
    if proved and all(shown.status == "unknown" for shown in proved) and not run.options.allow_unprovable:
        raise Refused(
            "no evidence is visible: every slice and gate of the plan reads unknown, so no agent could prove its work",
            hint="see why with `stoat status`, or start all the same with --allow-unprovable",
        )
