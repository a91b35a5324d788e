"""A report says one thing, and loses nothing of what is said in it."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from stoat.errors import Refused
from stoat.plan.ids import NodeRef
from stoat.service import claims, decisions, reporting
from tests.service.conftest import As

BARE = NodeRef("demo", "bare")
KEEPS: dict[str, Any] = {"note": "half way", "link": "https://example.org", "lease": 600.0, "claim_id": "c-1"}
SAYS: dict[str, Any] = {"diagnosis": "no database", "result": "passed", "why": "ran it", "step": "unit"}
EACH = [
    tuple(itertools.compress([*KEEPS, *SAYS], chosen))
    for chosen in itertools.product((False, True), repeat=len(KEEPS) + len(SAYS))
]


def belong_together(names: set[str]) -> bool:
    return names <= set(KEEPS) or names == {"diagnosis"} or {"result"} <= names <= {"result", "why", "step"}


def test_parts_that_do_not_belong_together_are_refused_and_nothing_is_recorded(speak: As) -> None:
    agent = speak("alf", "agent")
    decisions.allow_asserted(speak(), BARE)
    before = agent.store.tip()
    for names in EACH:
        if not belong_together(set(names)):
            with pytest.raises(Refused, match=r"does not take|without the result") as refused:
                reporting.report(agent, BARE, **{name: (KEEPS | SAYS)[name] for name in names})
            assert refused.value.hint, names
    assert agent.store.tip() == before


def test_a_report_keeps_the_claim_or_is_a_word_on_a_gate_in_one_commit(speak: As) -> None:
    agent = speak("alf", "agent")
    granted = claims.claim(speak(), "demo", "bare", holder="alf")
    kept = reporting.report(agent, BARE, note="half way", lease=600, launched_with=granted.claim_id)
    assert (kept.claim_id, kept.holder, kept.said) == (granted.claim_id, "alf", ())
    with pytest.raises(Refused, match="is over"):
        reporting.report(agent, BARE, claim_id="c-other", launched_with=granted.claim_id)
    decisions.allow_asserted(speak(), BARE)
    assert reporting.report(agent, BARE, result="failed", why="ran it").said == ("result",)
    assert reporting.report(agent, BARE, diagnosis="no database").said == ("diagnosis",)
    assert agent.answers().by_ref["demo/bare"].status == "findings"
