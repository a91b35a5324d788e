"""What `stoat status` and `stoat runners` say of a plan's runner beside its state."""

from __future__ import annotations

from stoat.cli.steer import lines, notes
from stoat.derive.answers import AgentShown, Decision, RunnerShown

AT = "2026-11-30T12:00:00.000Z"
JO = Decision("jo", AT)


def test_of_a_plan_without_a_runner_only_its_pause_is_said() -> None:
    assert lines(RunnerShown(start="stoat run-plan p CHECKOUT --watch")) == []
    assert lines(RunnerShown(paused=JO, start="stoat run-plan p CHECKOUT --watch")) == [
        "paused by jo at 2026-11-30 12:00Z"
    ]


def test_agents_come_first_then_what_holds_it() -> None:
    one = RunnerShown(
        state="stopping", paused=JO, running=(AgentShown("a", 2),), stopped="20m are over", drift="next is behind",
    )  # fmt: skip
    assert lines(one) == [
        "a (attempt 2)", "paused by jo at 2026-11-30 12:00Z", "stopping: 20m are over", "next is behind",
    ]  # fmt: skip


def test_an_account_without_money_is_not_called_a_usage_limit() -> None:
    (line,) = notes(RunnerShown(state="limited", limited=("a",), limited_until=AT, out_of_money=True))
    assert line.startswith("paused: a person has to put money into the account; tried again at ")
    assert line.endswith(" (a)")


def test_a_usage_limit_is_said_with_its_agents_and_when_it_is_over_or_that_nobody_knows() -> None:
    (line,) = notes(RunnerShown(state="limited", limited=("a", "b"), limited_until=AT))
    assert line.startswith("paused for a usage limit — resumes at ") and line.endswith("(a, b)")
    (line,) = notes(RunnerShown(state="limited", limited=("a",)))
    assert line == "paused for a usage limit — it is not known when it resumes (a)"


def test_one_that_went_away_says_what_it_was_doing_and_how_to_go_on() -> None:
    one = RunnerShown(state="gone", was=("a", "b"), start="stoat run-plan p /code/x --watch")
    assert lines(one) == ["it was working on a, b", "stoat run-plan p /code/x --watch"]
