"""How a run stands, as the lines below its own on a terminal."""

from __future__ import annotations

import contextlib
import os
import pty
import re
import threading
import tty
from collections.abc import Iterator
from typing import Any

import pytest

from stoat.cli import live_run
from stoat.cli.live_run import frame
from stoat.cli.render import fitted
from stoat.derive.answers import AgentShown, Decision, Need, RunnerShown
from stoat.runner.telling import Glimpse
from tests.support.waiting import wait_until

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


class Pty:
    """A terminal that takes nothing (about 4 kB are kept for it) until it is read."""

    def __init__(self) -> None:
        self._own, theirs = pty.openpty()
        tty.setraw(theirs)
        self.out = os.fdopen(theirs, "w", encoding="utf-8")
        self.raw = b""
        self._reader = threading.Thread(target=self._read, daemon=True)

    def _read(self) -> None:
        with contextlib.suppress(OSError):
            while data := os.read(self._own, 65536):
                self.raw += data

    def read(self) -> None:
        self._reader.start()

    def shows(self, text: str, times: int = 1) -> None:
        wait_until(lambda: self.raw.count(text.encode()) >= times, 30, f"{times} times {text!r}")

    def close(self) -> None:
        os.close(self._own)


@pytest.fixture
def terminal() -> Iterator[Pty]:
    made = Pty()
    yield made
    made.close()


def test_a_run_goes_on_while_its_terminal_takes_nothing_and_hears_later_how_much_was_left_out(terminal: Pty) -> None:
    screen = live_run.Screen(terminal.out, str)
    lines = 3 * live_run.MOST
    with screen.shown():
        for number in range(lines):
            screen.say(f"line {number}.")
        screen.seen(glimpse())
        terminal.read()
        terminal.shows("not shown")
        screen.say("the last one")
    terminal.shows("the last one")
    unshown = re.search(rb"(\d+) more lines not shown", terminal.raw)
    assert unshown is not None
    shown = len(re.findall(rb"line \d+\.", terminal.raw))
    assert shown >= live_run.MOST and shown + int(unshown[1]) == lines


def test_a_run_ends_though_its_terminal_takes_nothing(terminal: Pty, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_run, "LAST", 0.05)
    screen = live_run.Screen(terminal.out, str)
    with screen.shown():
        for number in range(live_run.MOST):
            screen.say(f"a line that a terminal which is held does not take, number {number}")


def test_what_a_log_says_after_the_end_is_written_as_well(terminal: Pty) -> None:
    terminal.read()
    screen = live_run.Screen(terminal.out, str)
    with screen.shown():
        screen.say("first")
    screen.say("second")
    terminal.shows("first\r\nsecond\r\n")


def test_what_stands_still_is_drawn_once_and_an_agents_time_again_and_again(
    terminal: Pty, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_run, "_OFTEN", 0.02)
    terminal.read()
    screen = live_run.Screen(terminal.out, str)
    with screen.shown():
        screen.seen(glimpse(runner={"state": "waiting"}))
        terminal.shows("waiting ·")
        screen.say("a line")
        terminal.shows("waiting ·", 2)
        assert terminal.raw.count(b"waiting \xc2\xb7") == 2  # by itself it would have been drawn many times
        screen.seen(glimpse(runner={"running": (agent("n"),)}))
        terminal.shows("running ·", 5)
