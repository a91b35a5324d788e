"""What a runner says of the base drifting, as a whole table of what it saw before and sees now."""

from __future__ import annotations

import pytest

from stoat.derive.drift import Told, Word, decide
from stoat.derive.wording import drift as say
from stoat.plan.facts import DriftFact

AT = "2026-10-26T14:00:00.000Z"
LEVEL = DriftFact(at=AT, base="origin/main")
BEHIND = DriftFact(at=AT, base="origin/main", behind=3)
CONFLICT = DriftFact(at=AT, base="origin/main", behind=3, conflicts=("a",), commits=("1234567 Touch a",))
FURTHER = DriftFact(at=AT, base="origin/main", behind=4, conflicts=("a",), commits=("1234567 Touch a",))
OTHER = DriftFact(at=AT, base="origin/main", behind=4, conflicts=("a", "b"), commits=("1234567 Touch a",))
AGAIN = DriftFact(at=AT, base="origin/main", behind=4, conflicts=("a",), commits=("89abcde Touch it again",))
BLIND = DriftFact(at=AT, problem="origin cannot be reached")
BLINDED = DriftFact(at=AT, problem="there is no remote to compare with")


@pytest.mark.parametrize(
    ("seen", "words"),
    [
        ([LEVEL, BEHIND, LEVEL], [None, None, None]),
        ([CONFLICT, CONFLICT, FURTHER], ["conflict", None, None]),
        ([CONFLICT, OTHER, CONFLICT], ["conflict"] * 3),
        ([CONFLICT, AGAIN], ["conflict", "conflict"]),
        ([CONFLICT, BEHIND, LEVEL], ["conflict", "gone", None]),
        ([CONFLICT, BLIND, CONFLICT], ["conflict", "unknown", None]),
        ([CONFLICT, BLIND, LEVEL], ["conflict", "unknown", "gone"]),
        ([BLIND, BLIND, BLINDED], ["unknown", None, "unknown"]),
        ([BLIND, LEVEL, BLIND], ["unknown", None, "unknown"]),
        ([BLIND, CONFLICT, LEVEL], ["unknown", "conflict", "gone"]),
    ],
)
def test_a_thing_is_said_once_and_again_when_it_is_another(seen: list[DriftFact], words: list[Word | None]) -> None:
    told, said = Told(), []
    for one in seen:
        word, told = decide(told, one)
        said.append(word)
    assert said == words


def test_how_the_branch_stands_is_one_sentence() -> None:
    assert say.standing("plan", LEVEL) == "plan has all of origin/main"
    assert say.standing("plan", BEHIND) == "plan is 3 commits behind origin/main, and would merge cleanly"
    assert say.standing("plan", CONFLICT) == (
        "merging origin/main into plan would conflict in a; changed there by 1234567 Touch a"
    )
    assert say.standing("plan", BLIND) == "how plan stands to its base is unknown: origin cannot be reached"


def test_no_name_of_a_file_or_subject_makes_a_line_of_its_own() -> None:
    hostile = DriftFact(at=AT, base="b", behind=1, conflicts=("a\n✓ done",), commits=("1234567 x\r\ny",))
    assert "\n" not in say.conflict_line("plan", hostile)
    assert "\r" not in say.conflict_line("plan", hostile)
