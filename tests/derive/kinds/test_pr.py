"""Pull request nodes, situation by situation."""

from __future__ import annotations

from typing import Any

import pytest

from stoat.plan.github import GitHubNow, Repository
from stoat.plan.state import NodeState
from tests.support.github_states import (
    GREEN,
    MAIN,
    RED,
    RED_MAIN,
    REPOSITORY,
    RUNNING,
    ci,
    gh_pull,
    github_answer,
    github_answers,
    hidden,
    looked,
    seen,
)
from tests.support.states import BEFORE, claim, node, plan


def pr(number: int | None = 9, **more: Any) -> NodeState:
    """A pr node of o/r."""
    written = {name: more.pop(name) for name in ("merge",) if name in more}
    return node("a", "pr", spec={"pr": number, "repo": "o/r", **written}, **more)


AWAY = looked(seen_at=BEFORE, problem="GitHub could not be reached")
SITUATIONS: dict[str, tuple[NodeState, tuple[Any, ...], GitHubNow, tuple[str, str | None, str | None, str]]] = {
    "not opened": (pr(None), (), looked(), ("unrealized", "waiting", None, "no pull request is bound to it yet")),
    "not swept": (pr(), (), GitHubNow(), ("unknown", "waiting", None, "no GitHub sweep has seen o/r#9 yet")),
    "not there": (pr(), (hidden("missing", 9, "pull"),), looked(), ("missing", "broken", None, "shows no o/r#9")),
    "an issue's number": (
        pr(), (hidden("other-kind", 9, "pull"),), looked(),
        ("missing", "broken", None, "o/r#9 is an issue, not a pull request; bind the node to a pull request ("),
    ),
    "open": (pr(), (gh_pull(),), looked({9: GREEN}), ("pr-open", "you", "review", "#9 open · CI ✓ 6/6")),
    "open, held": (pr(claim=claim()), (gh_pull(),), looked({9: GREEN}), ("pr-open", "moving", None, "#9 open")),
    "approved": (
        pr(), (gh_pull(review="approved"),), looked({9: GREEN}), ("pr-open", "you", "merge", "review: approved")
    ),
    "merge-on-green": (
        pr(merge="merge-on-green"), (gh_pull(),), looked({9: GREEN}), ("pr-open", "you", "merge", "CI ✓ 6/6")
    ),
    "draft": (pr(), (gh_pull(9, "draft"),), looked({9: GREEN}), ("pr-open", "you", "review", "#9 draft")),
    "running": (pr(), (gh_pull(),), looked({9: RUNNING}), ("pr-open", "moving", None, "CI ○ 2/6")),
    "its checks hidden": (
        pr(), (gh_pull(),), looked({9: ci("pending", hidden=True)}),
        ("pr-open", "you", "review", "#9 open · CI cannot be read with this token"),
    ),
    "its checks hidden in part, and one of the others running": (
        pr(), (gh_pull(),), looked({9: ci("pending", 2, pending=1, hidden=True)}),
        ("pr-open", "you", "review", "CI cannot be read with this token"),
    ),
    "its checks hidden in part, and one of the others red": (
        pr(), (gh_pull(),), looked({9: ci("failed", 2, ("test",), hidden=True)}),
        ("pr-open", "you", "fix", "CI ✕ 1 failed (test)"),
    ),
    "a draft with its checks hidden": (
        pr(), (gh_pull(9, "draft"),), looked({9: ci("pending", hidden=True)}), ("pr-open", "you", "review", "#9 draft")
    ),
    "red": (pr(), (gh_pull(),), looked({9: RED}), ("pr-open", "you", "fix", "CI ✕ 1 failed (test)")),
    "red because of main, where the check needs its workflow's name": (
        pr(), (RED_MAIN, gh_pull()), looked({9: ci("failed", 5, ("CI / test",))}),
        ("pr-open", "held", "main-red", "main is red (CI / test), not this PR"),
    ),
    "red because of main": (
        pr(), (RED_MAIN, gh_pull()), looked({9: RED}),
        ("pr-open", "held", "main-red", "main is red (test), not this PR"),
    ),
    "conflict": (
        pr(), (gh_pull(mergeable="conflicting"),), looked({9: ci(passed=1)}),
        ("pr-open", "you", "fix", "conflicts with main"),
    ),
    "merged": (pr(), (gh_pull(9, "merged"),), looked(), ("done", None, None, "merged into main at 2026-11-30 11:00Z")),
    "merged, and GitHub away": (pr(), (gh_pull(9, "merged"),), AWAY, ("done", None, None, "merged into main")),
    "merged, and not shown any more": (
        pr(), (gh_pull(9, "merged"), hidden("missing", 9, "pull")), looked(), ("done", None, None, "merged into main")
    ),
    "closed": (
        pr(), (gh_pull(9, "closed"),), looked(),
        ("abandoned", "broken", None, "closed without merging at 2026-11-30 11:00Z"),
    ),
    "closed, and GitHub away": (pr(), (gh_pull(9, "closed"),), AWAY, ("abandoned", "broken", None, "closed without")),
    "opened again": (
        pr(), (gh_pull(9, "closed"), gh_pull(9)), looked({9: GREEN}), ("pr-open", "you", "review", "#9 open")
    ),
    "open, and GitHub away": (
        pr(), (gh_pull(),), AWAY,
        ("unknown", "broken", None, "last seen 1h ago, open; GitHub could not be reached"),
    ),
    "gone": (
        pr(), (gh_pull(), hidden("deleted", 9, "pull")), looked(),
        ("missing", "broken", None, "or take it out of the plan (since 2026-11-30 11:00Z"),
    ),
    "in a renamed repository": (
        pr(), (Repository(name="o/new"), gh_pull()), looked({9: GREEN}),
        ("pr-open", "you", "review", "its repository is o/new now"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SITUATIONS)
def test_every_situation(name: str) -> None:
    given, facts, now, (status, stance, need, detail) = SITUATIONS[name]
    record = seen(REPOSITORY, MAIN, *facts) if facts else None
    answers = github_answers(plan("p", given), record=record, now=now)
    found = answers.by_ref["p/a"]
    assert detail in found.detail
    assert (found.status, found.stance) == (status, stance)
    assert [one.kind for one in answers.needs] == ([need] if need else [])


def test_checks_that_the_token_may_not_read_are_said_with_what_it_lacks_and_stay_pending() -> None:
    record = seen(REPOSITORY, MAIN, gh_pull())
    found = github_answer("p/a", plan("p", pr()), record=record, now=looked({9: ci("pending", hidden=True)}))
    assert found.stance_why == (
        "the checks of #9 cannot be read with this token: look at them there, or use one that may "
        "(fine-grained: the permission Commit statuses; classic: the scope repo)"
    )
    assert found.prs[0].ci.verdict == "pending"


def test_its_link_is_githubs() -> None:
    record = seen(REPOSITORY, gh_pull(url="https://github.example.com/o/r/pull/9"))
    assert github_answer("p/a", plan("p", pr()), record=record).url == "https://github.example.com/o/r/pull/9"
    assert github_answer("p/a", plan("p", pr())).url == "https://github.com/o/r/pull/9"


def test_what_it_waits_for_comes_before_its_merge() -> None:
    of = plan("p", node("b", "change"), node("a", "pr", "b", spec={"pr": 9, "repo": "o/r"}))
    record = seen(REPOSITORY, MAIN, gh_pull())
    found = github_answer("p/a", of, record=record, now=looked({9: GREEN}))
    assert (found.stance, found.stance_why) == ("waiting", "waits on b (✋ your go-ahead)")
