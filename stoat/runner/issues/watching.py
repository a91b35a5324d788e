"""GitHub as a run needs it: looked at soon after an agent on an issue exits, and what to say of pull requests."""

from __future__ import annotations

from dataclasses import replace

from stoat.clock import Time
from stoat.derive import glances
from stoat.derive.watching import on_github
from stoat.derive.wording import issues as say
from stoat.plan.nodes import ISSUE, PR, repository_of
from stoat.plan.state import Attempt, NodeState
from stoat.runner import workspace
from stoat.runner.state import Run, RunState


def watch(run: Run, state: RunState) -> RunState:
    """The step: ask for a look at GitHub where one is due, and say what became of pull requests. Nothing for a plan
    without issues and pull requests."""
    if not on_github(state.plan):
        return state
    github, waits = state.github, awaits_first_look(run, state)
    since = glances.needed(
        run.fact.since, _unjudged(run, state), settle=run.options.settle_seconds, now=state.now
    )  # fmt: skip
    if glances.ask(github, since=since, asked=state.asked, now=state.now):
        run.sweeper.ask()
        state = replace(state, asked=state.now)
    if github.problem is not None:
        run.narrator.once("github", say.unseen(github.problem, github.fix))
    else:
        run.narrator.forget("github")
    if not waits:
        _say_what_is_open(run, state)
        _call_out(run, state)
    return replace(state, pending=state.pending or waits)


def awaits_first_look(run: Run, state: RunState) -> bool:
    """Whether the plan hangs on GitHub and nobody has looked at that since the run began: until then nothing is begun
    or said on what was seen before."""
    return on_github(state.plan) and glances.awaited(state.github, began=run.fact.since, now=state.now)


def is_blind(run: Run, state: RunState) -> bool:
    """Whether the run ends with something of its scope unseen because GitHub cannot be read at all."""
    return state.github.problem is not None and any(
        shown.kind in (ISSUE, PR) and shown.status == "unknown" and run.options.scope.takes(shown.id)
        for shown in state.answer.nodes
    )


def seen_at(run: Run, state: RunState, node: NodeState) -> Time | None:
    """When the repository of an issue was last seen whole; None for a node of another kind."""
    repo = repository_of(state.plan.header, node.spec)
    if node.spec.kind != ISSUE or repo is None:
        return None
    seen = state.github.repositories.get(repo.lower())
    return seen.seen_at if seen is not None else None


def look_again(run: Run, state: RunState, node: NodeState) -> RunState:
    """An attempt waits to be judged until GitHub is seen; the question was asked by `watch`."""
    github = state.github
    repo = repository_of(state.plan.header, node.spec) or ""
    seen = github.repositories.get(repo.lower())
    why = github.problem or (seen.problem if seen is not None else None)
    if why is not None:
        run.narrator.once(("unseen", node.spec.id), say.waiting(node.spec.id, why))
    return replace(state, pending=True)


def _unjudged(run: Run, state: RunState) -> list[Attempt]:
    """The attempts on issues that are this run's to judge and are not judged."""
    found = []
    for node in state.plan.nodes.values():
        attempt = node.current_attempt
        if node.spec.kind == ISSUE and attempt is not None and attempt.outcome is None:
            ours = workspace.is_ours(run, state, attempt) or workspace.is_ours_in_the_cloud(run, state, attempt)
            found += [attempt] if ours else []
    return found


def _say_what_is_open(run: Run, state: RunState) -> None:
    for shown in state.answer.nodes:
        if shown.status != "pr-open" or not run.options.scope.takes(shown.id):
            continue
        if shown.kind == ISSUE:
            run.narrator.once(("pull", shown.id), say.pr_open(shown.id))
        if shown.kind in (ISSUE, PR) and shown.merge == "merge-on-green":
            run.narrator.once(("merge", shown.id), say.merge_on_green(shown.id))


def _call_out(run: Run, state: RunState) -> None:
    """Say once for each head what is wrong with a pull request that an agent here has opened, and of each red branch
    which ones it holds."""
    shown = {answer.id: answer for answer in state.answer.nodes}
    for need in state.answers.needs:
        node = state.plan.nodes.get(need.node or "") if need.plan == run.plan else None
        if need.kind == "main-red" and need.plan == run.plan:
            run.narrator.once(("main-red", need.action), say.main_red(need.why))
        if node is None or need.kind != "fix" or shown[node.spec.id].status != "pr-open":
            continue
        attempt = node.attempt
        if attempt is None or attempt.outcome != "done" or not workspace.is_ours(run, state, attempt):
            continue
        heads = tuple(pull.head for pull in shown[node.spec.id].prs if pull.is_open)
        run.narrator.first(("fix", node.spec.id, heads), say.a_persons(node.spec.id, need.why))
