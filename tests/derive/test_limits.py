"""When a run stops claiming."""

from __future__ import annotations

import pytest

from stoat.derive.limits import Limits, Spent, Stop, stop


def test_without_limits_a_run_goes_on_for_ever() -> None:
    spent = Spent(launched=10_000, reported_usd=1e6, minutes=1e6, failures=10_000)
    assert stop(Limits(), spent) is None


def test_what_a_person_says_comes_before_every_limit() -> None:
    limits, spent = Limits(minutes=1, failures=1), Spent(minutes=2, failures=1)
    assert stop(limits, spent, asked=True, stop_file=True) == Stop("asked")
    assert stop(limits, spent, stop_file=True) == Stop("stop-file")


@pytest.mark.parametrize(
    ("launched", "stops"),
    [(0, False), (1, False), (9, False), (10, True), (11, True)],
)
def test_budgets_handed_out_never_pass_the_total(launched: int, stops: bool) -> None:
    limits = Limits(total_usd=1.0, budget_usd=0.1)
    assert (stop(limits, Spent(launched=launched)) is not None) is stops


def test_with_budgets_the_reported_cost_does_not_count() -> None:
    assert stop(Limits(total_usd=1.0, budget_usd=0.1), Spent(launched=1, reported_usd=50.0)) is None


@pytest.mark.parametrize(("reported", "stops"), [(0.0, False), (0.99, False), (1.0, True), (7.0, True)])
def test_without_budgets_the_reported_cost_counts(reported: float, stops: bool) -> None:
    found = stop(Limits(total_usd=1.0), Spent(launched=99, reported_usd=reported))
    assert found == (Stop("cost", reported, 1.0) if stops else None)


@pytest.mark.parametrize(("minutes", "stops"), [(0.0, False), (29.9, False), (30.0, True)])
def test_time_runs_out(minutes: float, stops: bool) -> None:
    assert (stop(Limits(minutes=30), Spent(minutes=minutes)) is not None) is stops


@pytest.mark.parametrize(("failures", "stops"), [(0, False), (2, False), (3, True), (4, True)])
def test_failures_in_a_row_stop_the_run(failures: int, stops: bool) -> None:
    assert (stop(Limits(failures=3), Spent(failures=failures)) is not None) is stops
