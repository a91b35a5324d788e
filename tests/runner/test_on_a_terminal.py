"""A run on a terminal: its lines scroll, how it is now stands below them; in a pipe there are the lines alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.runner.conftest import World
from tests.support.command import Stoat
from tests.support.terminal import Terminal
from tests.support.waiting import wait_until

pytestmark = pytest.mark.slow

HELD = "(TOLD.parent / f'up-{NODE}').touch(); wait_for(f'go-{NODE}'); commit(NODE)"


@pytest.fixture
def terminal(world: World) -> Iterator[Callable[..., Terminal]]:
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


def test_what_runs_stands_below_the_lines_and_goes_when_it_is_over(
    world: World,
    terminal: Callable[..., Terminal],
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


def test_ctrl_c_twice_leaves_a_clean_terminal(world: World, terminal: Callable[..., Terminal]) -> None:
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


@pytest.mark.parametrize("env", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_plain_lines_where_they_are_asked_for(
    world: World,
    terminal: Callable[..., Terminal],
    env: dict[str, str],
) -> None:
    world.plan("nodes: [{id: a, kind: change}]\nbranch: next")
    on = terminal(env=env)
    assert on.end(60) == 0
    assert b"\x1b" not in on.raw and b"at work" not in on.raw.replace(b"agents at work", b"")


def test_a_pipe_has_the_lines_alone(world: World) -> None:
    world.plan("nodes: [{id: a, kind: change}]\nbranch: next")
    env = {"TOLD": str(world.told_at), "SCRIPTS": str(world.place / "scripts")}
    ran = Stoat(world.repo.path, env).run(*world.flags())
    assert ran.code == 0 and "\x1b" not in ran.out and "1 of 2 at work" not in ran.out


def test_a_terminal_that_is_held_holds_no_run(world: World, terminal: Callable[..., Terminal]) -> None:
    world.plan("nodes: [{id: a, kind: change}]\nbranch: next")
    world.agent("a", HELD)
    on = terminal("--watch", "--poll-seconds", "0.2")
    on.shows("running · 1 of 2 at work")
    on.type("\x13")  # Ctrl-S
    world.signal("go-a")
    wait_until(lambda: world.statuses() == {"a": "done"}, 60, "the end of the work")
    on.type("\x11")  # Ctrl-Q
    on.shows("waiting · 0 of 2 at work · 1 of 1 done")
    on.type("\x03")
    assert on.end() == 0
    assert b"agent for 'a' exited (0)" in on.raw
