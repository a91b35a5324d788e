"""How long what an agent's tool said is kept."""

from __future__ import annotations

import os
from pathlib import Path

from stoat.clock import now, parse, plus
from stoat.observe.agents import outputs


def written(common_dir: Path, claim: str, age: float) -> Path:
    """An output of that age, in seconds."""
    output = outputs.place(common_dir, claim)
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text("{}")
    moment = parse(now()).timestamp() - age
    os.utime(output, (moment, moment))
    return output


def test_outputs_are_kept_for_a_month_and_those_in_use_for_as_long_as_they_are(tmp_path: Path) -> None:
    young = written(tmp_path, "c-1", outputs.KEPT - 60)
    old = written(tmp_path, "c-2", outputs.KEPT + 60)
    used = written(tmp_path, "c-3", outputs.KEPT * 5)
    other = young.with_name("notes.txt")
    other.write_text("mine")
    os.utime(other, (0, 0))
    outputs.forget_old(tmp_path, [str(used)], now())
    assert [one.exists() for one in (young, old, used, other)] == [True, False, True, True]
    outputs.forget_old(tmp_path, [], plus(now(), 3600))
    assert not young.exists()


def test_there_may_be_no_outputs_at_all(tmp_path: Path) -> None:
    outputs.forget_old(tmp_path, [], now())
