"""What is seen of a plan's branch: news or none, and whose it is, as tables."""

from __future__ import annotations

import pytest

from stoat.derive.branches import Tip, moved, news, repositories, speaks
from stoat.plan.events.landings import BranchMoved
from stoat.plan.nodes import Repo
from stoat.plan.state import PlanState
from tests.support.states import JO, node, plan, state


def on(*tips: tuple[str, str], branch: str | None = "integ", archived: bool = False) -> PlanState:
    """A plan whose branch was seen at these (repository, commit)."""
    made = plan("demo", header={"branch": branch}, archived=JO if archived else None)
    for repo, commit in tips:
        made.move_branch(repo, commit)
    return made


@pytest.mark.parametrize(
    ("known", "repo", "commit", "is_news"),
    [
        (on(), None, "c1", True),
        (on(("", "c1")), None, "c1", False),
        (on(("", "c1")), None, "c2", True),
        (on(("", "c2"), ("", "c1")), None, "c2", True),
        (on(("o/r", "c1")), "O/R", "c1", False),
        (on(("o/r", "c1")), "o/s", "c1", True),
        (on(branch="other"), None, "c1", False),
        (on(branch=None), None, "c1", False),
        (on(archived=True), None, "c1", False),
    ],
)
def test_a_branch_is_news_where_the_log_has_it_somewhere_else(
    known: PlanState, repo: str | None, commit: str, is_news: bool
) -> None:
    tip = Tip("demo", "integ", repo, commit)
    event = BranchMoved(branch="integ", tip=commit, repo=repo) if is_news else None
    assert moved(known, tip) == event
    assert news(state(known), [tip, Tip("gone", "integ", repo, commit)]) == ([("plans/demo", event)] if event else [])


@pytest.mark.parametrize(
    ("named", "repo", "does"),
    [
        ((), None, True),
        ((), "o/r", True),
        (("o/r",), "O/R", True),
        (("o/r",), None, True),
        (("o/r",), "o/s", False),
        (("o/r", "o/s"), "o/s", True),
    ],
)
def test_a_repository_speaks_for_a_plan_that_names_it_or_none(
    named: tuple[str, ...], repo: str | None, does: bool
) -> None:
    assert speaks(named, repo) is does


def test_a_plan_names_repositories_in_its_header_and_on_its_nodes() -> None:
    made = plan(
        "demo",
        node("a", spec={"repo": "core"}), node("b", spec={"repo": "O/Core"}), node("c", spec={"repo": "o/other"}),
        node("d"),
        header={"repos": {"core": Repo("o/core"), "more": Repo("o/more")}},
    )  # fmt: skip
    assert [name.casefold() for name in repositories(made)] == ["o/core", "o/more", "o/other"]
