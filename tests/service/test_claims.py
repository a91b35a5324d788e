"""Leases through the service: who may take a node, keep it and give it back."""

from __future__ import annotations

import pytest

from stoat import clock
from stoat.errors import NotFound, Refused
from stoat.gitstore.log import Change
from stoat.plan.events.claims import Claimed
from stoat.service import claims, decisions
from stoat.service.session import NodeRef
from tests.service.conftest import As


def test_a_free_node_is_taken_for_the_time_asked_for(speak: As) -> None:
    alf = speak("alf", "agent", "s-1")
    granted = claims.claim(alf, "demo", "bare", lease=600)
    assert granted.holder == "alf"
    assert 595 < clock.seconds_between(clock.now(), granted.expires_at) <= 600
    held = alf.state().plans["demo"].nodes["bare"].claim
    assert held is not None
    assert (held.id, held.session) == (granted.claim_id, "s-1")


def test_a_taken_node_is_refused_with_its_holders_name(speak: As) -> None:
    claims.claim(speak("alf", "agent"), "demo", "bare")
    with pytest.raises(Refused, match="alf"):
        claims.claim(speak("bob", "agent"), "demo", "bare")
    with pytest.raises(Refused, match="alf"):
        claims.claim(speak("ada"), "demo", "bare")


def test_an_agent_waits_for_the_go_ahead_that_a_person_may_do_without(speak: As) -> None:
    with pytest.raises(Refused, match="go-ahead"):
        claims.claim(speak("alf", "agent"), "demo", "parser")
    with pytest.raises(Refused, match="go-ahead"):
        claims.claim(speak("ada"), "demo", "parser", holder="alf")
    assert claims.claim(speak("ada"), "demo", "parser").holder == "ada"


def test_a_done_node_is_refused_outright(speak: As) -> None:
    decisions.done(speak(), NodeRef("demo", "film"))
    with pytest.raises(Refused, match="done"):
        claims.claim(speak(), "demo", "film")


def test_a_lapsed_lease_is_nobodys_and_its_holder_cannot_touch_the_next(speak: As) -> None:
    alf, bob = speak("alf", "agent"), speak("bob", "agent")
    lapsed = Claimed(node="bare", claim="c-old", holder="alf", lease=0.001)
    alf.commit(lambda state, now: Change([("plans/demo", lapsed)], "demo: claimed"))
    taken = claims.claim(bob, "demo", "bare")
    with pytest.raises(Refused, match="held by bob"):
        claims.report(alf, "demo", "bare", claim_id="c-old")
    with pytest.raises(Refused, match="held by bob"):
        claims.release(alf, "demo", "bare", claim_id="c-old")
    assert claims.report(bob, "demo", "bare", claim_id=taken.claim_id, note="going on").holder == "bob"


def test_a_person_takes_a_node_back_and_another_agent_does_not(speak: As) -> None:
    claims.claim(speak("alf", "agent"), "demo", "bare")
    with pytest.raises(Refused, match="held by alf"):
        claims.release(speak("bob", "agent"), "demo", "bare")
    assert claims.release(speak("ada"), "demo", "bare") == "alf"
    with pytest.raises(Refused, match="nobody holds"):
        claims.release(speak("ada"), "demo", "bare")


def test_no_lease_is_longer_than_four_hours(speak: As) -> None:
    with pytest.raises(Refused, match="too long"):
        claims.claim(speak("alf", "agent"), "demo", "bare", lease=5 * 3600)


def test_what_is_not_there_cannot_be_taken(speak: As) -> None:
    with pytest.raises(NotFound):
        claims.claim(speak(), "demo", "nope")
    with pytest.raises(NotFound):
        claims.claim(speak(), "nope", "bare")
