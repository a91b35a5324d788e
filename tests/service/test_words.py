"""What a worker may say of a gate: a result where a person allowed it, and why it is red."""

from __future__ import annotations

import pytest

from stoat.errors import NotFound, Refused
from stoat.plan.ids import NodeRef
from stoat.service import decisions, gates, plans, words
from stoat.service.session import Session
from tests.service.conftest import As

BARE, SUITE, PARSER = (NodeRef("demo", node) for node in ("bare", "suite", "parser"))


def red(speak: As) -> None:
    """The gate without steps, run to red."""
    session = speak("alf", "agent")
    gates.execute(
        lambda: session, BARE, None, ("false",), tag=str(BARE), directory=session.directory, warn=lambda what: None
    )


def status(session: Session, ref: NodeRef = BARE) -> str:
    return session.answers().by_ref[str(ref)].status


def test_a_word_counts_only_where_a_person_allowed_it(speak: As) -> None:
    agent, person = speak("alf", "agent"), speak()
    with pytest.raises(Refused) as refused:
        words.result(agent, BARE, "passed", "ran it on the GPU box")
    assert "stoat allow-asserted demo/bare" in (refused.value.hint or "")
    decisions.allow_asserted(person, BARE)
    words.result(agent, BARE, "passed", "ran it on the GPU box")
    shown = agent.answers().by_ref["demo/bare"]
    assert shown.status == "done"
    assert shown.detail.startswith("passed by the word of alf: ran it on the GPU box")
    decisions.allow_asserted(person, BARE, off=True)
    assert status(agent) == "waiting"


def test_the_newest_counts_a_run_or_a_word(speak: As) -> None:
    agent = speak("alf", "agent")
    decisions.allow_asserted(speak(), BARE)
    words.result(agent, BARE, "passed", "ran it elsewhere")
    red(speak)
    assert status(agent) == "failed"
    words.result(agent, BARE, "passed", "mended, and ran it elsewhere")
    assert status(agent) == "done"


@pytest.mark.parametrize(
    ("ref", "state", "why", "step", "said"),
    [
        (BARE, "passed", None, None, "needs its reason"),
        (BARE, "passed", "  ", None, "needs its reason"),
        (BARE, "green", "so", None, "'green' is not a result"),
        (BARE, "passed", "so", "unit", "has no step 'unit'"),
        (SUITE, "passed", "so", None, "declares steps"),
        (SUITE, "passed", "so", "nope", "has no step 'nope'"),
        (PARSER, "passed", "so", None, "only a test-run-gate has a result"),
    ],
)
def test_a_word_that_says_too_little_is_refused(
    speak: As, ref: NodeRef, state: str, why: str | None, step: str | None, said: str
) -> None:
    for gate in (BARE, SUITE):
        decisions.allow_asserted(speak(), gate)
    before = speak().store.tip()
    with pytest.raises((Refused, NotFound)) as refused:
        words.result(speak("alf", "agent"), ref, state, why, step)
    assert said in refused.value.message
    assert speak().store.tip() == before


def test_a_word_on_one_step_passes_that_step_alone(speak: As) -> None:
    decisions.allow_asserted(speak(), SUITE)
    words.result(speak("alf", "agent"), SUITE, "passed", "so", "unit")
    shown = speak().answers().by_ref["demo/suite"]
    assert (shown.status, [step.state for step in shown.steps]) == ("waiting", ["passed", "pending"])


def test_a_red_gate_that_its_worker_diagnosed_reads_findings_until_a_person_restarts_it(speak: As) -> None:
    agent = speak("alf", "agent")
    with pytest.raises(Refused, match="is not red"):
        words.diagnose(agent, BARE, "the database image is gone")
    red(speak)
    words.diagnose(agent, BARE, "the database image is gone")
    shown = agent.answers().by_ref["demo/bare"]
    assert (shown.status, shown.detail) == ("findings", "failed (exit 1) · alf found: the database image is gone")
    assert decisions.restart(speak(), BARE)
    assert status(agent) == "failed"
    assert not decisions.restart(speak(), BARE)


@pytest.mark.parametrize(
    ("ref", "text", "said"), [(PARSER, "so", "only a test-run-gate is diagnosed"), (BARE, " ", "what is wrong")]
)
def test_a_diagnosis_is_of_a_gate_and_says_something(speak: As, ref: NodeRef, text: str, said: str) -> None:
    red(speak)
    with pytest.raises(Refused, match=said):
        words.diagnose(speak("alf", "agent"), ref, text)


def test_nothing_is_said_of_a_gate_of_an_archived_plan(speak: As) -> None:
    red(speak)
    decisions.allow_asserted(speak(), BARE)
    plans.archive(speak(), "demo")
    for say in (
        lambda: words.diagnose(speak("alf", "agent"), BARE, "so"),
        lambda: words.result(speak("alf", "agent"), BARE, "passed", "so"),
    ):
        with pytest.raises(Refused, match="archived"):
            say()
