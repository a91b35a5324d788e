"""A run on a terminal: its lines scroll, how it is now stands below them; in a pipe there are the lines alone."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import psutil
import pytest

from stoat.cli.live_run import frame
from stoat.cli.render import fitted
from stoat.derive.answers import AgentShown, Decision, Need, RunnerShown
from stoat.runner.telling import Glimpse
from tests.runner.conftest import World, world  # noqa: F401 -- a fixture
from tests.support.command import Stoat
from tests.support.terminal import Terminal
from tests.support.waiting import wait_until

AT = "2026-11-30T12:00:00.000Z"
HELD = "(TOLD.parent / f'up-{NODE}').touch(); wait_for(f'go-{NODE}'); commit(NODE)"


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


@pytest.fixture
def terminal(world: World) -> Iterator[Callable[..., Terminal]]:  # noqa: F811
    begun: list[Terminal] = []

    def start(*more: str, **given: Any) -> Terminal:
        env = {"TOLD": str(world.told_at), "SCRIPTS": str(world.place / "scripts"), **given.pop("env", {})}
        begun.append(Terminal(world.flags(*more), cwd=world.repo.path, env=env, **given))
        return begun[-1]

    yield start
    for one in begun:
        if one.process.poll() is None:
            one.process.kill()
            one.end()


@pytest.mark.slow
def test_what_runs_stands_below_the_lines_and_goes_when_it_is_over(
    world: World,
    terminal: Callable[..., Terminal],  # noqa: F811
) -> None:
    world.plan("nodes: [{id: a, kind: change}, {id: mine, kind: person}]\nbranch: next")
    world.agent("a", HELD)
    on = terminal()
    screen = on.shows("running · 1 of 2 at work · 0 of 2 done · 1 waits for you")
    assert any("→ a " in line and "attempt 1" in line for line in screen)
    on.shows("  → a", " 2s")  # the time goes on by itself
    on.resize(40, 24)
    wait_until(lambda: any(line.endswith("…") and len(line) < 40 for line in on.screen()), 30)
    on.resize(100, 24)
    on.shows("running · 1 of 2 at work · 0 of 2 done · 1 waits for you")
    world.signal("go-a")
    assert on.end() == 0
    screen = on.screen()
    assert screen[-1].startswith("1 of 2 done") and not any("at work ·" in line for line in screen)


@pytest.mark.slow
def test_ctrl_c_twice_leaves_a_clean_terminal(world: World, terminal: Callable[..., Terminal]) -> None:  # noqa: F811
    world.plan("nodes: [{id: a, kind: change}]")
    world.agent("a", HELD)
    on = terminal("--watch")
    on.shows("running · 1 of 2 at work")
    on.type("\x03")
    on.shows("stopping · 1 of 2 at work")
    on.type("\x03")
    assert on.end() == 130
    assert not any("at work ·" in line for line in on.screen())
    world.signal("go-a")


@pytest.mark.slow
@pytest.mark.parametrize("env", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_plain_lines_where_they_are_asked_for(
    world: World,
    terminal: Callable[..., Terminal],
    env: dict[str, str],  # noqa: F811
) -> None:
    world.plan("nodes: [{id: a, kind: change}]\nbranch: next")
    on = terminal(env=env)
    assert on.end(60) == 0
    assert b"\x1b" not in on.raw and b"at work" not in on.raw.replace(b"agents at work", b"")


@pytest.mark.slow
def test_a_pipe_has_the_lines_alone(world: World) -> None:  # noqa: F811
    world.plan("nodes: [{id: a, kind: change}]\nbranch: next")
    env = {"TOLD": str(world.told_at), "SCRIPTS": str(world.place / "scripts")}
    ran = Stoat(world.repo.path, env).run(*world.flags())
    assert ran.code == 0 and "\x1b" not in ran.out and "1 of 2 at work" not in ran.out


@pytest.mark.slow
def test_an_idle_run_leaves_the_terminal_and_the_processor_alone(
    world: World,
    terminal: Callable[..., Terminal],  # noqa: F811
) -> None:
    world.plan("nodes: [{id: mine, kind: person}]")
    on = terminal("--watch", "--poll-seconds", "60")
    on.shows("waiting · 0 of 2 at work")
    process = psutil.Process(on.process.pid)
    time.sleep(1)  # what starting up still does
    before, written = sum(process.cpu_times()[:2]), len(on.raw)
    time.sleep(3)
    assert len(on.raw) == written
    assert sum(process.cpu_times()[:2]) - before < 0.15
