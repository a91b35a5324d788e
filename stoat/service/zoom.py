"""A node with GitHub's own text: asked for on demand, and kept a minute beside the store, unless news of it came.

Nothing of the text is recorded. Where GitHub cannot be asked the node is shown all the same, with why it is missing.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from stoat import clock
from stoat.errors import UNDECODABLE, StoatError
from stoat.observe.github.now import folder, read_now
from stoat.observe.replacing import replaced
from stoat.plan.github import GitHubState, Numbered, RepositoryNow
from stoat.plan.ids import NodeRef
from stoat.service import nodes
from stoat.service.session import Session, node_of

if TYPE_CHECKING:
    from stoat.observe.github.text import GitHubText

KEPT = 60.0
"""Seconds for which a text is shown again without asking."""
AWAY = 10.0
"""Seconds for which a process says a failure again without asking: an open page asks with every piece of news."""
PATIENCE = 30.0
"""Seconds that the command line waits for GitHub."""
_ANSWER = 10.0
_SHORT_WAIT = 1.0


class TextProblem(Struct, frozen=True, rename="camel"):
    """Why GitHub's text is missing, and what to do about it; `again_at` is when GitHub may be asked again."""

    why: str
    fix: str = ""
    again_at: str | None = None


class _Asking:
    """One question to GitHub, answered by a thread of its own: whoever asks the same meanwhile waits for the same."""

    def __init__(self, place: Path, issue: Numbered | None, pulls: list[Numbered], environ: Mapping[str, str]) -> None:
        self.text: GitHubText | None = None
        self.problem: TextProblem | None = None
        self._about = (place, issue, pulls, environ)
        self._failed: float | None = None
        self._bug: Exception | None = None
        self._thread = threading.Thread(target=self._run, name="stoat-zoom", daemon=True)

    def start(self) -> None:
        """Begin to ask."""
        self._thread.start()

    @property
    def is_old(self) -> bool:
        """Whether it failed too long ago for the failure to be said again."""
        return self._failed is not None and time.monotonic() - self._failed >= AWAY

    def wait(self, seconds: float) -> tuple[GitHubText | None, TextProblem | None]:
        """What came of it within so many seconds; what comes later is kept for the next one who asks.

        A defect of ours that the thread ran into is raised here.
        """
        self._thread.join(seconds)
        if self._thread.is_alive():
            return None, TextProblem(f"GitHub has not answered within {clock.duration_text(seconds)}", "ask again")
        if self._bug is not None:
            raise self._bug
        return self.text, self.problem

    def _run(self) -> None:
        from stoat.observe.github import detail
        from stoat.observe.github.client import connect

        place, issue, pulls, environ = self._about
        try:
            # Nobody waits here for a limit to pass: the text is for somebody who looks now.
            client = connect(environ, wait=lambda seconds, why: seconds <= _SHORT_WAIT, timeout=_ANSWER)
            self.text = detail.read(client, issue, pulls, clock.now())
            _keep(place, self.text)
        except StoatError as trouble:
            fix = trouble.hint or "ask again later"
            self.problem = TextProblem(trouble.message, fix, getattr(trouble, "again_at", None))
        except UNDECODABLE as surprise:
            self.problem = TextProblem(f"GitHub's answer could not be read ({type(surprise).__name__}: {surprise})")
        except Exception as bug:
            self._bug = bug
        finally:
            if self.text is None or self.problem is not None:
                self._failed = time.monotonic()
            else:
                with _lock:
                    _asking.pop(place, None)


_asking: dict[Path, _Asking] = {}
_lock = threading.Lock()


def show(
    session: Session, ref: NodeRef, *, environ: Mapping[str, str] | None = None, ask: bool = True,
    seconds: float = PATIENCE,
) -> dict[str, Any]:  # fmt: skip
    """All there is of a node (see `nodes.show`), and `github`: its GitHubText, None where it has none.

    Where it has one and it is missing, `githubProblem` says why. `environ` stands in for the process's environment;
    without `ask` nothing is asked, and only a text that is still fresh is given. NotFound as `nodes.show`.
    """
    shown = nodes.show(session, ref)
    text, problem = _text(session, ref, shown, os.environ if environ is None else environ, seconds if ask else 0.0)
    return {**shown, "github": text, "githubProblem": problem}


def on_github(session: Session, ref: NodeRef, shown: dict[str, Any]) -> bool:
    """Whether a node, as `nodes.show` gave it, has anything on GitHub that a text could be about."""
    issue, pulls = _about(session, ref, shown)
    return issue is not None or bool(pulls)


def _text(
    session: Session, ref: NodeRef, shown: dict[str, Any], environ: Mapping[str, str], seconds: float
) -> tuple[GitHubText | None, TextProblem | None]:
    issue, pulls = _about(session, ref, shown)
    if issue is None and not pulls:
        return None, None
    asked = f"{environ.get('STOAT_GITHUB_API', '')} {issue} {' '.join(sorted(map(str, pulls)))}".lower()
    named = hashlib.sha256(asked.encode() + _known(session, issue, pulls)).hexdigest()[:20]
    place = folder(session.store.common) / f"zoom-{named}.json"
    kept = _kept(place)
    if kept is not None or not seconds:
        return kept, None
    with _lock:
        asking = _asking.get(place)
        if asking is None or asking.is_old:
            asking = _asking[place] = _Asking(place, issue, pulls, environ)
            asking.start()
    return asking.wait(seconds)


def _known(session: Session, issue: Numbered | None, pulls: list[Numbered]) -> bytes:
    """What was seen of them until now, on record and beside it: a text that was read before that is kept for nobody.

    A text is as old as the facts that it is kept under, so that none of a node stands below a status that is newer.
    """
    record, seen = session.state().repositories(), read_now(session.store.common).repositories
    facts: list[object] = []
    if issue is not None:
        facts.append(record.get(issue.repo.lower(), GitHubState()).issues.get(issue.number))
    for pull in sorted(pulls):
        facts.append(record.get(pull.repo.lower(), GitHubState()).pulls.get(pull.number))
        facts.append(seen.get(pull.repo.lower(), RepositoryNow()).pulls.get(pull.number))
    return msgspec.json.encode(facts)


def _about(session: Session, ref: NodeRef, shown: dict[str, Any]) -> tuple[Numbered | None, list[Numbered]]:
    """The issue of a node and its pull requests, as far as they are known."""
    _, node = node_of(session.state(), ref)
    repo, spec = shown["repo"], node.spec
    issue = Numbered(repo, spec.issue) if repo and spec.issue is not None else None
    pulls = [Numbered(pr["repo"], pr["number"]) for pr in shown["prs"]]
    own = Numbered(repo, spec.pr) if repo and spec.pr is not None else None
    if own is not None and str(own).lower() not in {str(one).lower() for one in pulls}:
        pulls.append(own)
    return issue, pulls


def _kept(place: Path) -> GitHubText | None:
    """The text read less than a minute ago, by whatever process."""
    from stoat.observe.github.text import GitHubText

    try:
        text = msgspec.json.decode(place.read_bytes(), type=GitHubText)
        age = clock.seconds_between(text.at, clock.now())
    except (OSError, *UNDECODABLE):
        return None
    return text if 0 <= age < KEPT else None


def _keep(place: Path, text: GitHubText) -> None:
    """Keep a text for a minute, for this user alone, and throw away those whose minute is over."""
    with contextlib.suppress(OSError):
        place.parent.mkdir(parents=True, exist_ok=True)
        now = clock.parse(clock.now()).timestamp()
        for old in place.parent.glob("zoom-*"):
            if now - old.stat().st_mtime > KEPT:
                old.unlink(missing_ok=True)
        replaced(place, msgspec.json.encode(text), 0o600)
