"""The kinds whose observers come later: what is known is said, and what cannot be seen is never no and never done."""

from __future__ import annotations

import pytest

from stoat.derive.kinds import RULES
from stoat.plan.nodes import CONSUME, ISSUE, KINDS, PERSON, PR, PUBLISH, REVIEW
from stoat.plan.state import NodeState
from tests.support.states import JO, answer, claim, issue, landing, node, plan, run

CASES = {
    "issue not filed": (issue("a", number=None), "unrealized", "no issue is filed for it yet"),
    "issue": (issue("a"), "unknown", "no GitHub sweep has seen o/r#7 yet (`stoat sweep` looks)"),
    "issue held": (
        issue("a", claim=claim()),
        "claimed",
        "bot is on it · no GitHub sweep has seen o/r#7 yet (`stoat sweep` looks)",
    ),
    "issue not filed, held": (issue("a", number=None, claim=claim()), "unrealized", "no issue is filed for it yet"),
    "pr not opened": (node("a", PR), "unrealized", "no pull request is bound to it yet"),
    "pr": (node("a", PR, spec={"pr": 9}), "unknown", "no GitHub sweep has seen #9 yet (`stoat sweep` looks)"),
    "publish": (node("a", PUBLISH, spec={"package": "F"}), "unknown", "no sweep has looked for F on nuget.org yet"),
    "consume": (
        node("a", CONSUME, spec={"package": "F", "repo": "o/r"}),
        "unknown",
        "no sweep has read the pin of F in Directory.Packages.props of o/r yet",
    ),
    "person": (node("a", PERSON), "open", "a person's step: mark it done when it is"),
    "person done": (node("a", PERSON, done=JO), "done", "jo marked it done at 2026-11-30 11:00Z"),
    "a kind of a newer version": (node("a", "dance"), "unknown", "this version of Stoat does not know the kind dance"),
}


@pytest.mark.parametrize("case", CASES)
def test_every_case(case: str) -> None:
    given, status, detail = CASES[case]
    found = answer("p/a", plan("p", given))
    assert (found.status, found.detail) == (status, detail)


@pytest.mark.parametrize("kind", [ISSUE, PR, PUBLISH, CONSUME, REVIEW])
def test_nothing_that_happened_here_makes_one_done(kind: str) -> None:
    spec = {ISSUE: {"issue": 7}, PR: {"pr": 7}}.get(kind, {})
    everything = {"done": JO, "landing": landing(), "evidence": {"": run()}}
    assert answer("p/a", plan("p", node("a", kind, spec=spec, **everything))).status != "done"


def test_a_persons_step_is_done_by_a_persons_word_alone() -> None:
    busy: NodeState = node("a", PERSON, landing=landing(), evidence={"": run()})
    assert answer("p/a", plan("p", busy)).status == "open"


def test_every_kind_has_its_rule() -> None:
    assert sorted(RULES) == sorted(KINDS)
