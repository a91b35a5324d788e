"""Whether an issue is created, and what comes next about it, as whole tables."""

from __future__ import annotations

from typing import Any

import pytest

from stoat.clock import plus
from stoat.derive.creation import SETTLED, Action, Wait, decide, wanted
from stoat.derive.holds import hold_of
from stoat.plan.creation import Creation
from stoat.plan.state import PlanState
from tests.support.states import JO, NOW, answer, claim, node, plan

AT = NOW
EARLY = plus(AT, SETTLED / 2)
LATE = plus(AT, SETTLED)
ASKED = Creation(repo="o/n", mark="i-1", since=AT, at=AT, by_runner="r-1")


@pytest.mark.parametrize(
    ("on_record", "looked", "now", "action"),
    [
        (None, None, AT, "begin"),
        (None, AT, AT, "begin"),
        (ASKED, None, AT, "look"),
        (ASKED, None, LATE, "look"),
        (ASKED, plus(AT, -1), LATE, "look"),
        (ASKED, AT, EARLY, Wait(LATE)),
        (ASKED, EARLY, EARLY, Wait(LATE)),
        (ASKED, EARLY, LATE, "look"),
        (ASKED, LATE, LATE, "begin"),
        (ASKED, plus(LATE, 1), plus(LATE, 2), "begin"),
    ],
)
def test_github_is_asked_again_only_after_a_late_look_found_nothing(
    on_record: Creation | None, looked: str | None, now: str, action: Action
) -> None:
    assert decide(on_record, looked, now) == action


def test_what_github_declined_itself_needs_no_look() -> None:
    assert decide(ASKED, None, AT, AT) == "begin"
    assert decide(ASKED, None, LATE, EARLY) == "look", "somebody has asked again since"


def one(header: dict[str, Any] | None = None, allowed: bool = True, **state: Any) -> PlanState:
    spec = {"repo": "o/n", **state.pop("spec", {})}
    fix = node("fix", "issue", *spec.pop("depends_on", ()), spec=spec, **{"go_ahead": JO, **state})
    return plan("p", fix, header=header, creates_issues=JO if allowed else None)


@pytest.mark.parametrize(
    ("made", "repo"),
    [
        (one(), "o/n"),
        (one({"repos": {}}, spec={"repo": "other/one"}), "other/one"),
        (one(allowed=False), None),
        (one(go_ahead=None), None),
        (one(spec={"repo": None}), None),
        (one(spec={"issue": 4}), None),
        (one(spec={"assignee": "person"}), None),
        (one(spec={"depends_on": ("nothing",)}), None),
        (one(claim=claim()), None),
        (one(open_questions=1), None),
        (one(gave_up=JO), None),
    ],
)
def test_an_issue_is_created_only_where_nothing_else_keeps_it_from_being_worked(
    made: PlanState, repo: str | None
) -> None:
    assert wanted(made, made.nodes["fix"], answer("p/fix", made)) == repo


def test_other_kinds_are_no_issues() -> None:
    made = plan("p", node("a", spec={"repo": "o/n"}, go_ahead=JO), creates_issues=JO)
    assert wanted(made, made.nodes["a"], answer("p/a", made)) is None


@pytest.mark.parametrize(
    ("made", "reason"),
    [
        (one(allowed=False), "unbound"),
        (one(spec={"repo": None}), "unbound"),
        (one(go_ahead=None), "go-ahead"),
        (one(), "creating"),
    ],
)
def test_why_it_is_not_launched_yet(made: PlanState, reason: str) -> None:
    hold = hold_of(made, made.nodes["fix"], status="unrealized", detail="", holder=None, upstream=None)
    assert hold is not None and hold.reason == reason


def test_a_go_ahead_can_be_given_before_there_is_an_issue_only_where_one_is_created() -> None:
    assert answer("p/fix", one(go_ahead=None)).approvable
    assert answer("p/fix", one(go_ahead=None)).stance == "you"
    assert not answer("p/fix", one(go_ahead=None, allowed=False)).approvable
