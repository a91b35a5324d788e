"""How a run stands, as the lines below its own on a terminal."""

from __future__ import annotations

from typing import Any

import pytest

from stoat.cli.live_run import frame
from stoat.cli.render import fitted
from stoat.derive.answers import AgentShown, Decision, Need, RunnerShown
from stoat.runner.telling import Glimpse

AT = "2026-11-30T12:00:00.000Z"


def glimpse(**fields: Any) -> Glimpse:
    shown = {"state": "running", "parallel": 3, "slots_in_use": 1, **fields.pop("runner", {})}
    given = {"done": 1, "total": 4, "spent": None, "at_least": False, "needs": (), **fields}
    return Glimpse(runner=RunnerShown(**shown), **given)


def agent(node: str, since: str = "2026-11-30T11:56:30.000Z", **fields: Any) -> AgentShown:
    return AgentShown(node=node, attempt=1, since=since, **fields)


def need(node: str) -> Need:
    return Need(plan="p", node=node, kind="go-ahead", why="awaits your go-ahead", holds=0, since=None,
                action=f"stoat approve p/{node}")  # fmt: skip


def test_the_first_line_says_how_the_run_stands_and_a_line_each_the_agents_and_needs() -> None:
    runner = {"running": (agent("parser", model="sonnet"),)}
    assert frame(glimpse(runner=runner, spent=1.5, at_least=True, needs=(need("x"),)), AT, 20) == [
        "running · 1 of 3 at work · 1 of 4 done · at least $1.50 spent · 1 waits for you",
        "  → parser   3m 30s  attempt 1  sonnet",
        "  ✋ x: awaits your go-ahead — stoat approve p/x",
    ]


def test_a_pause_and_a_usage_limit_are_said_with_who_and_until_when() -> None:
    runner = {"state": "limited", "paused": Decision("jo", AT), "limited_until": AT, "limited": ("a", "b")}
    lines = frame(glimpse(runner=runner), AT, 20)
    assert lines[1] == "  ⏸ paused by jo at 2026-11-30 12:00Z"
    assert lines[2].startswith("  ⏸ paused for a usage limit — resumes at ") and lines[2].endswith("(a, b)")


def test_many_agents_and_needs_are_counted_and_a_low_terminal_keeps_what_is_said_first() -> None:
    many = glimpse(
        runner={"running": tuple(agent(f"n{i}") for i in range(12))}, needs=tuple(need(f"x{i}") for i in range(9))
    )
    lines = frame(many, AT, 50)
    assert "    and 4 more agents" in lines and lines[-1] == "    and 6 more: stoat needs p"
    assert len(frame(many, AT, 3)) == 3 and len(frame(many, AT, 0)) == 1


def test_what_agents_and_plans_call_themselves_moves_no_cursor() -> None:
    runner = {"running": (agent("n", model="\x1b[2J\u202e"),)}
    assert "\x1b" not in "".join(frame(glimpse(runner=runner), AT, 9))


@pytest.mark.parametrize(
    ("line", "cells", "expected"),
    [
        ("abc", 3, "abc"),
        ("abcd", 3, "ab…"),
        ("日本語", 6, "日本語"),
        ("日本語", 5, "日本…"),
        ("日本語", 4, "日…"),
        ("ab", 1, ""),
    ],
)
def test_a_line_is_cut_to_the_cells_there_are(line: str, cells: int, expected: str) -> None:
    assert fitted(line, cells) == expected
