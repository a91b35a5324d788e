"""An issue's own words, asked of GitHub as its agent starts: they are never recorded, and the agent can read them."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from typing import NamedTuple

from stoat.errors import UNDECODABLE, StoatError
from stoat.gitstore.work import remotes
from stoat.plan.nodes import ISSUE, repository_of
from stoat.plan.state import NodeState
from stoat.runner.issues.briefing import Brief
from stoat.runner.state import Run, RunState

PATIENCE = 15.0
"""Seconds that a launch waits for GitHub's answer."""


class Text(NamedTuple):
    """An issue's title and body."""

    title: str
    body: str


def brief_of(run: Run, state: RunState, node: NodeState) -> Brief | None:
    """What the agent of an issue node is told of its issue; None for a node of another kind."""
    spec = node.spec
    repo = repository_of(state.plan.header, spec)
    if spec.kind != ISSUE or spec.issue is None or repo is None:
        return None
    shown = next((answer for answer in state.answer.nodes if answer.id == spec.id), None)
    text = ask(run.environ, repo, spec.issue)
    return Brief(
        number=spec.issue, repo=repo, url=(shown.url if shown is not None else None) or f"{repo}#{spec.issue}",
        remote=remotes.remote_of(run.project.directory) or "origin", default=_default_branch(run, state, repo),
        title=text.title if text is not None else None, body=text.body if text is not None else None,
    )  # fmt: skip


def ask(environ: Mapping[str, str], repo: str, number: int, patience: float = PATIENCE) -> Text | None:
    """The text of an issue; None when GitHub did not give it within `patience` seconds. No limit is waited out."""
    found: list[Text] = []

    def read() -> None:
        from stoat.observe.github.client import connect

        try:
            client = connect(environ, wait=lambda seconds, why: False)
            answer = json.loads(client.get(f"/repos/{repo}/issues/{number}").body)
            found.append(Text(str(answer["title"]), str(answer.get("body") or "")))
        except (StoatError, OSError, LookupError, TypeError, AttributeError, *UNDECODABLE):
            return  # the agent is told to read it by itself

    asking = threading.Thread(target=read, name="stoat-issue", daemon=True)
    asking.start()
    asking.join(patience)
    return found[0] if found else None


def _default_branch(run: Run, state: RunState, repo: str) -> str:
    """The default branch's name as GitHub shows it, else as this clone knows it."""
    seen = state.state.repositories().get(repo.lower())
    if seen is not None and seen.default is not None:
        return seen.default.name
    if seen is not None and seen.repository is not None and seen.repository.default_branch:
        return seen.repository.default_branch
    known = remotes.default_branch(run.project.directory, remotes.FetchFailed("here", "fetched a moment ago"))
    return known.name if known is not None else "the default branch"
