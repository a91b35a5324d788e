"""What a node needs before it is claimed: a fresh base, and a worktree for an agent; or why it cannot start now."""

from __future__ import annotations

from dataclasses import dataclass

from stoat.clock import Time
from stoat.derive.troubles import Trouble
from stoat.derive.wording import landing
from stoat.derive.wording import runner as say
from stoat.errors import Refused
from stoat.gitstore.porcelain import GitFailed
from stoat.gitstore.work import bases, copies, nodetrees, remotes
from stoat.plan.events.attempts import WorktreeFreed, WorktreeParked
from stoat.plan.events.base import PlanEvent
from stoat.plan.state import NodeState, PlanState
from stoat.runner import workspace
from stoat.runner.reading import append
from stoat.runner.state import Run, RunState


@dataclass(frozen=True)
class Prepared:
    """A worktree ready for an agent, and the commit beyond which commits on its branch are the node's own."""

    tree: nodetrees.Made | nodetrees.Reused
    began: str


@dataclass(frozen=True, kw_only=True)
class NotNow:
    """Nothing was started: the line that says why, and the trouble to note.

    `parked` is a worktree that only a person can put right. `unreachable` is set when the remote itself does not
    answer, which is then true of every other node.
    """

    line: str
    trouble: Trouble
    parked: nodetrees.Parked | None = None
    unreachable: remotes.FetchFailed | None = None


def prepare(
    run: Run, state: RunState, node: NodeState, unreachable: remotes.FetchFailed | None = None
) -> Prepared | NotNow:
    """The node's worktree on a base fetched just now, or why there is none; that never keeps another node waiting.

    `unreachable` is how the remote failed a moment ago: it is not asked again.
    """
    try:
        return _prepared(run, state, node, unreachable)
    except (GitFailed, OSError) as problem:
        why = problem.why if isinstance(problem, GitFailed) else str(problem)
        return NotNow(line=say.no_base(node.spec.id, why), trouble="no-base")


def _prepared(run: Run, state: RunState, node: NodeState, unreachable: remotes.FetchFailed | None) -> Prepared | NotNow:
    name = node.spec.id
    fetched = unreachable or workspace.fetch_for(run.project, state.plan, node.spec, run.repo, run.options.base)
    base = workspace.base_of(run.project, state.plan, node.spec, run.repo, run.options.base, fetched)
    if isinstance(base, bases.Hold):
        gone = fetched if isinstance(fetched, remotes.FetchFailed) and fetched.where == "remote" else None
        return NotNow(line=say.no_base(name, base.why), trouble="no-base", unreachable=gone)
    tree = workspace.prepare(run.project, run.plan, node, base)
    if isinstance(tree, bases.Hold):
        return NotNow(line=say.no_base(name, tree.why), trouble="busy")
    if isinstance(tree, nodetrees.Parked):
        path = str(workspace.place_of(run.project, run.plan, name).path)
        return NotNow(line=landing.unusable(name, tree.why, path, tree.commands), trouble="unusable", parked=tree)
    workspace.warn_of_hooks(run, tree.path)
    try:
        copies.bring(run.project.directory, tree.path, run.options.copies)
    except (Refused, OSError) as problem:
        return NotNow(line=say.not_equipped(name, problem), trouble="copy")
    return Prepared(tree, workspace.began_at(node, tree))


def call_a_person(run: Run, state: RunState, node: str, why: str, commands: tuple[str, ...]) -> RunState:
    """Record that the node's worktree waits for a person, unless just that is on record."""

    def known(plan: PlanState) -> bool:
        stuck = plan.nodes[node].stuck if node in plan.nodes else None
        return node not in plan.nodes or (stuck is not None and (stuck.why, stuck.commands) == (why, commands))

    def decide(plan: PlanState, now: Time) -> list[PlanEvent]:
        return [] if known(plan) else [WorktreeParked(node=node, why=why, commands=commands)]

    if known(state.plan):
        return state
    return append(run, state, f"the worktree of {node} waits for a person", decide)


def in_order_again(run: Run, state: RunState, node: str) -> RunState:
    """Record that the node's worktree waits for nobody, if it did."""
    if state.plan.nodes[node].stuck is None:
        return state

    def decide(plan: PlanState, now: Time) -> list[PlanEvent]:
        fresh = plan.nodes.get(node)
        return [] if fresh is None or fresh.stuck is None else [WorktreeFreed(node=node)]

    return append(run, state, f"the worktree of {node} is in order again", decide)
