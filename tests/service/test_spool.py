"""Results that could not be recorded in time: kept whole, recorded once, in their order."""

from __future__ import annotations

from pathlib import Path

import pytest

from stoat.gitstore.log import Change
from stoat.plan.events.base import Actor
from stoat.plan.events.decisions import NodeRestarted
from stoat.plan.events.evidence import GateFinished, GateStarted
from stoat.service import spool
from stoat.service.session import Session, open_session
from tests.service.conftest import As

OBSERVER = Actor("ada", "observer")


def start(run: str) -> GateStarted:
    return GateStarted(node="bare", run=run, command=("make",), machine="box")


def end(run: str, code: int = 0) -> GateFinished:
    return GateFinished(node="bare", run=run, command=("make",), machine="box", exit_code=code, seconds=1.0)


def keep(session: Session, *events: spool.GateEvent) -> Path:
    return spool.keep(session.store.common, spool.Spooled("demo", OBSERVER, events))


def record(session: Session, event: spool.GateEvent | NodeRestarted) -> None:
    session.commit(lambda state, now: Change([("plans/demo", event)], "demo: run"))


def test_opening_a_session_records_what_waits_in_the_order_it_came(speak: As) -> None:
    session = speak()
    keep(session, start("r-2"), end("r-2", 1))
    keep(session, start("r-1"), end("r-1", 0))
    assert len(spool.waiting(session.store.common)) == 2
    opened = open_session(session.directory, environ={})
    node = opened.state().plans["demo"].nodes["bare"]
    assert (node.evidence[""].run, node.evidence[""].state, node.running) == ("r-1", "passed", {})
    assert spool.waiting(session.store.common) == []


def test_what_reached_the_log_after_all_is_not_recorded_twice(speak: As) -> None:
    session = speak()
    record(session, start("r-1"))
    keep(session, start("r-1"), end("r-1"))
    record(session, end("r-1"))
    tip = session.store.tip()
    assert spool.deliver(session.store) == []
    assert session.store.tip() == tip


def test_an_end_whose_start_is_on_record_is_recorded_alone(speak: As) -> None:
    session = speak()
    record(session, start("r-1"))
    keep(session, end("r-1", 3))
    spool.deliver(session.store)
    node = session.state().plans["demo"].nodes["bare"]
    assert (node.evidence[""].exit_code, node.running) == (3, {})


def test_a_run_that_a_restart_let_go_of_stays_gone(speak: As) -> None:
    session = speak()
    record(session, start("r-1"))
    record(session, NodeRestarted(node="bare"))
    keep(session, end("r-1"))
    spool.deliver(session.store)
    assert session.state().plans["demo"].nodes["bare"].evidence == {}
    assert spool.waiting(session.store.common) == []


@pytest.mark.parametrize("content", [b"{torn", b'{"plan":' * 2000, b"\xff", b""])
def test_what_cannot_be_read_stays_and_is_said(speak: As, content: bytes) -> None:
    session = speak()
    path = keep(session, end("r-1"))
    path.write_bytes(content)
    (said,) = spool.deliver(session.store)
    assert str(path) in said
    assert path.exists()
