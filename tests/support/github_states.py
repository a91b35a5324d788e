"""What GitHub showed, in a few words: repositories as their events would leave them, for tests of what is derived.

`seen(…)` folds facts through their events into a state's part; `looked(…)` is what a last sweep saw beside the record.
"""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from stoat.derive.answers import Answers, NodeAnswer
from stoat.derive.derivation import derive
from stoat.plan import streams
from stoat.plan.events.github import (
    DefaultBranchSeen,
    GitHubEvent,
    IssueSeen,
    NotSeen,
    PullSeen,
    RepositorySeen,
)
from stoat.plan.facts import Facts
from stoat.plan.github import (
    Branch,
    Ci,
    GitHubNow,
    GitHubState,
    Issue,
    Link,
    Numbered,
    Opinion,
    Pull,
    PullNow,
    Repository,
    RepositoryNow,
)
from stoat.plan.state import PlanState, State
from tests.support.states import BEFORE, NOW, state

HEAD, OLD = "a" * 40, "0" * 40
URL = "https://github.com/o/r"
REPOSITORY = Repository(name="o/r", default_branch="main", permission="WRITE", methods=("squash",))
MAIN = Branch(name="main", ci="passed")
RED_MAIN = Branch(
    name="main", ci="failed", failing=("test", "lint"), red_commit="1a2b3c4" + "0" * 33, red_subject="Merge #3",
    red_at=BEFORE,
)  # fmt: skip


def gh_issue(*pulls: int | Link, open: bool = True, number: int = 7, **fields: Any) -> Issue:
    """Issue #7 of o/r; a number is a pull request of o/r that closes it."""
    links = tuple(one if isinstance(one, Link) else Link("o/r", one, "closes") for one in pulls)
    given = {"url": f"{URL}/issues/{number}", "title": "Fix lanes", "pulls": links, **fields}
    return Issue(number=number, open=open, **given)


def gh_closed(*pulls: int | Link, reason: str | None = "completed", by: int | None = None, **fields: Any) -> Issue:
    """The same, closed."""
    closer = Numbered("o/r", by) if by is not None else None
    return gh_issue(*pulls, open=False, reason=reason, closed_at=BEFORE, closed_by=closer, **fields)


def gh_pull(number: int = 9, pull_state: str = "open", **fields: Any) -> Pull:
    """A pull request of o/r into main that can be merged, on a branch that is nobody's."""
    given: dict[str, Any] = {
        "url": f"{URL}/pull/{number}", "title": "Fix lanes", "head": HEAD, "head_branch": f"topic-{number}",
        "base": "main", "mergeable": "mergeable" if pull_state in ("open", "draft") else "unknown",
        "merged_at": BEFORE if pull_state == "merged" else None,
        "closed_at": BEFORE if pull_state in ("merged", "closed") else None, **fields,
    }  # fmt: skip
    return Pull(number=number, state=pull_state, **given)  # type: ignore[arg-type]


def said(author: str, what: str, commit: str | None = HEAD) -> Opinion:
    """A review."""
    return Opinion(author, what, commit)  # type: ignore[arg-type]


def ci(verdict: str = "passed", passed: int = 0, failing: tuple[str, ...] = (), **fields: Any) -> Ci:
    """Checks just now."""
    given = {"failed": len(failing), **fields}
    return Ci(verdict=verdict, passed=passed, failing=failing, **given)  # type: ignore[arg-type]


GREEN, RUNNING = ci(passed=6), ci("pending", 2, pending=4)
RED = ci("failed", 5, ("test",))


def hidden(why: str = "missing", number: int | None = None, what: str = "issue", **fields: Any) -> NotSeen:
    """That something is not shown."""
    return NotSeen(what=what if number is not None else "repository", why=why, number=number, **fields)  # type: ignore[arg-type]


Fact = Issue | Pull | Branch | Repository | NotSeen


def seen(*facts: Fact, name: str = "o/r", at: str = BEFORE, before: GitHubState | None = None) -> GitHubState:
    """What is on record once those facts were seen, in that order."""
    part = GitHubState() if before is None else replace(before)
    part.issues, part.pulls = dict(part.issues), dict(part.pulls)
    for fact in facts:
        event = replace(event_of(fact), at=at)
        event.fold(part)
        part.seq += 1
    return part


def event_of(fact: Fact) -> GitHubEvent:
    """The event that records a fact."""
    match fact:
        case Issue():
            return IssueSeen(issue=fact)
        case Pull():
            return PullSeen(pull=fact)
        case Branch():
            return DefaultBranchSeen(branch=fact)
        case Repository():
            return RepositorySeen(repository=fact)
        case NotSeen():
            return fact


def looked(
    pulls: dict[int, Ci | PullNow] | None = None, *, seen_at: str | None = NOW, problem: str | None = None,
    name: str = "o/r", **more: Any,
) -> GitHubNow:  # fmt: skip
    """The last sweep's look at one repository; checks given alone are those of HEAD."""
    now = {
        number: one if isinstance(one, PullNow) else PullNow(head=HEAD, ci=one, merge_state="clean")
        for number, one in (pulls or {}).items()
    }
    repository = RepositoryNow(seen_at=seen_at, problem=problem, pulls=now)
    return GitHubNow(at=NOW, repositories={name: repository}, **more)


def with_github(of: State, *parts: GitHubState, **named: GitHubState) -> State:
    """A state with o/r on record, and others under their name (`o_x` is o/x)."""
    found = dict(of.parts)
    for part in parts:
        found[streams.of_repository("o/r")] = part
    for name, part in named.items():
        found[streams.of_repository(name.replace("_", "/"))] = part
    return State(of.commit, found)


def github_answers(
    *plans: PlanState, record: GitHubState | None = None, now: GitHubNow | None = None, at: str = NOW,
    facts: Facts | None = None, **named: GitHubState,
) -> Answers:  # fmt: skip
    """The answers about plans with o/r as on record and as looked at."""
    of = with_github(state(*plans), *([record] if record is not None else []), **named)
    return derive(of, replace(facts or Facts(), github=now or GitHubNow()), at)


def github_answer(ref: str, *plans: PlanState, **given: Any) -> NodeAnswer:
    """The answer about one node."""
    return github_answers(*plans, **given).by_ref[ref]
