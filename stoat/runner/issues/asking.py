"""What the agent of an issue is told of it as it starts."""

from __future__ import annotations

from stoat.gitstore.work import remotes
from stoat.plan.nodes import ISSUE, repository_of
from stoat.plan.state import NodeState
from stoat.runner.issues.briefing import Brief
from stoat.runner.state import Run, RunState


def awaited(run: Run, state: RunState, node: NodeState) -> float | None:
    """The moment (monotonic) until which the launch of an issue node waits for its text; None when it may begin."""
    about = _issue_of(state, node)
    return run.texts.awaited(node.spec.id, *about) if about is not None else None


def brief_of(run: Run, state: RunState, node: NodeState) -> Brief | None:
    """What the agent of an issue node is told of its issue; None for a node of another kind."""
    about = _issue_of(state, node)
    if about is None:
        return None
    repo, number = about
    shown = next((answer for answer in state.answer.nodes if answer.id == node.spec.id), None)
    text = run.texts.take(node.spec.id, repo, number)
    return Brief(
        number=number, repo=repo, url=(shown.url if shown is not None else None) or f"{repo}#{number}",
        remote=remotes.remote_of(run.project.directory) or "origin", default=_default_branch(run, state, repo),
        title=text.title if text is not None else None, body=text.body if text is not None else None,
    )  # fmt: skip


def _issue_of(state: RunState, node: NodeState) -> tuple[str, int] | None:
    spec, repo = node.spec, repository_of(state.plan.header, node.spec)
    return (repo, spec.issue) if spec.kind == ISSUE and spec.issue is not None and repo is not None else None


def _default_branch(run: Run, state: RunState, repo: str) -> str:
    """The default branch's name as GitHub shows it, else as this clone knows it."""
    seen = state.state.repositories().get(repo.lower())
    if seen is not None and seen.default is not None:
        return seen.default.name
    if seen is not None and seen.repository is not None and seen.repository.default_branch:
        return seen.repository.default_branch
    known = remotes.default_branch(run.project.directory, remotes.FetchFailed("here", "fetched a moment ago"))
    return known.name if known is not None else "the default branch"
