"""A gate at work on the board, in a browser: its progress once, its ring round, its times and runs in one order."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from stoat.gitstore.log import Change
from stoat.plan.events.evidence import GateFinished, GateStarted
from stoat.service.session import Session
from tests.web.test_board import opened

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser

ROUND = """() => [...document.querySelectorAll("#node-suite .ring")].map((ring) => {
  const was = ring.style.animation;
  ring.style.animation = "none";
  const box = ring.getBoundingClientRect();
  ring.style.animation = was;
  return [box.width, box.height];
})"""
WRITTEN = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\dZ")
ANY_TIME = re.compile(r"\d\d?:\d\d")


COMMANDS = {"build": ("make", "build"), "unit": ("make", "test")}


def begin(session: Session, *runs: GateStarted | GateFinished) -> None:
    """Have these on record, in this order."""
    session.commit(lambda state, now: Change([("plans/parcels", run) for run in runs], "parcels: runs"))


def started(run: str, step: str) -> GateStarted:
    return GateStarted(node="suite", run=run, step=step, command=COMMANDS[step], machine="elsewhere")


def ended(run: str, step: str, code: int = 0) -> GateFinished:
    return GateFinished(
        node="suite", run=run, step=step, command=COMMANDS[step], machine="elsewhere", exit_code=code, seconds=2.0
    )


@pytest.mark.parametrize("width", [1280, 390])
def test_a_running_gate_says_its_progress_once_and_turns_a_round_ring(
    page: Page, served: str, session: Session, width: int
) -> None:
    begin(session, started("r-1", "build"), ended("r-1", "build", 2), started("r-2", "unit"))
    page.set_viewport_size({"width": width, "height": 800})
    opened(page, f"{served}/plans/parcels")
    card = page.inner_text("#node-suite")
    assert card.count("1 of 2 steps, 1 failed") == 1
    assert page.locator("#node-suite .tally.quiet").count() == 1, "the tally is for who cannot see the ring and the bar"
    assert page.evaluate(ROUND) == [[16, 16]]
    assert page.get_attribute("#node-suite", "aria-label") == "suite: running"
    assert page.inner_text("#node-suite .state .quiet").strip() == "running"

    begin(session, ended("r-2", "unit"))
    page.wait_for_selector("#node-suite[data-status=failed]")
    assert page.evaluate(ROUND) == []
    assert page.inner_text("#node-suite .tally").replace("\n", " ").split() == ["passed", "1✓", "failed", "1✗"]


def test_a_nodes_page_writes_every_time_alike_and_its_runs_the_newest_first(
    page: Page, served: str, session: Session
) -> None:
    begin(session, started("r-1", "unit"), started("r-2", "build"), ended("r-2", "build"), ended("r-1", "unit"))
    begin(session, started("r-3", "build"))
    opened(page, f"{served}/plans/parcels/nodes/suite")
    said = page.inner_text("main")
    assert len(ANY_TIME.findall(said)) == len(WRITTEN.findall(said)) >= 5
    runs = page.eval_on_selector_all("#node-proof .proof:last-of-type > li", "all => all.map((it) => it.innerText)")
    assert [re.search(r"r-\d", run)[0] for run in runs] == ["r-3", "r-1", "r-2"]  # type: ignore[index]
    assert page.get_attribute("#node-history time", "title")
