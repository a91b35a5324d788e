"""The table of one poll in docs/runner.md has every step, in its order."""

from __future__ import annotations

import re
from pathlib import Path

from stoat.runner.loop import STEPS

PAGE = Path(__file__).parents[2] / "docs" / "runner.md"


def test_the_page_tells_every_step_of_a_poll_in_its_order() -> None:
    table = PAGE.read_text(encoding="utf-8").partition("\n## One poll\n")[2].partition("\n## ")[0]
    assert re.findall(r"^\| (\w+) \|", table, re.MULTILINE)[1:] == [step.__name__ for step in STEPS]
