"""The flaky ledger: what passed on a retry, what flipped on one commit, and what did neither."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from stoat.derive.flaky import Flaky, Flip, Seen, Suspects, ledger


def seen(run: str, passed: bool = True, uid: str = "Parcels/Send one", tag: str = "p/n", **more: object) -> Seen:
    return Seen(uid=uid, run=run, tag=tag, passed=passed, **more)  # type: ignore[arg-type]


def test_a_pass_on_a_retry_is_a_line() -> None:
    words = [
        seen("r1", at="2026-12-01"),
        seen("r2", on_retry=True, commit="c", at="2026-12-02"),
        seen("r3", at="2026-12-03"),
    ]
    assert ledger(words) == (
        Flaky(
            uid="Parcels/Send one", feature="Parcels", scenario="Send one", tag="p/n", runs=3, failed=0, on_retry=1,
            flips=(), times=1, last_seen="2026-12-02", last_run="r2",
        ),
    )  # fmt: skip


@pytest.mark.parametrize(("first", "second"), list(product((True, False), repeat=2)))
@pytest.mark.parametrize(("one", "other"), [("c", "c"), ("c", "d"), ("c", None), (None, None)])
@pytest.mark.parametrize("tag", ["p/n", "p/other"])
def test_a_flip_is_green_and_red_of_one_tag_on_one_commit(
    first: bool, second: bool, one: str | None, other: str | None, tag: str
) -> None:
    found = ledger([seen("r1", first, commit=one), seen("r2", second, commit=other, tag=tag)])
    flipped = first != second and one == other == "c" and tag == "p/n"
    if not flipped:
        assert found == ()
    else:
        green, red = (("r1",), ("r2",)) if first else (("r2",), ("r1",))
        assert [line.flips for line in found] == [(Flip("c", green, red),)]


def test_the_most_often_flaky_come_first_then_those_seen_last() -> None:
    words = [
        seen("r1", on_retry=True, uid="A/once", at="2026-12-01"),
        seen("r2", on_retry=True, uid="A/later", at="2026-12-05"),
        seen("r3", on_retry=True, uid="A/twice", at="2026-12-02"),
        seen("r4", uid="A/twice", commit="c", at="2026-12-03"),
        seen("r5", False, uid="A/twice", commit="c", at="2026-12-04"),
        seen("r6", uid="A/steady"),
        seen("r7", False, uid="A/broken", commit="c"),
        seen("r8", on_retry=True, uid="bare"),
    ]
    found = ledger(words)
    assert [(line.uid, line.times, line.runs, line.failed, line.last_run) for line in found] == [
        ("A/twice", 2, 3, 1, "r5"), ("A/later", 1, 1, 0, "r2"), ("A/once", 1, 1, 0, "r1"), ("bare", 1, 1, 0, "r8"),
    ]  # fmt: skip
    assert (found[-1].feature, found[-1].scenario) == ("", "bare")


@pytest.mark.parametrize(
    "words", list(product([(True, False), (True, True), (False, False)], ["c", "d", None], repeat=2))
)
def test_whatever_the_ledger_finds_is_a_suspect(words: tuple[Any, ...]) -> None:
    (one, commit), (other, another) = words[:2], words[2:]
    told = [
        seen("r1", one[0], on_retry=one[1], commit=commit), seen("r2", other[0], on_retry=other[1], commit=another),
    ]  # fmt: skip
    suspects = Suspects()
    for word in told:
        suspects.look(word)
    assert {(line.tag, line.uid) for line in ledger(told)} == suspects.found
