"""The shared view: one derivation for everybody, and what changed from one to the next."""

from __future__ import annotations

import threading

import pytest

from stoat.observe.github.now import keep_now
from stoat.plan.github import GitHubNow
from stoat.plan.ids import NodeRef
from stoat.service import decisions, nodes, plans
from stoat.service.session import Session, open_session
from stoat.web.watch import REMEMBERED, PlanChange, Watch
from stoat.web.watching import watch_files


@pytest.fixture
def watch(session: Session) -> Watch:
    """A watch that looks when it is asked."""
    return Watch(open_session(session.directory))


def test_nothing_new_is_the_same_view(watch: Watch) -> None:
    view = watch.view()
    assert watch.view() is view
    assert watch.refresh() is view
    assert watch.changes(view.version) == (view, [])


def test_a_commit_is_a_new_view(watch: Watch, session: Session) -> None:
    before = watch.view()
    decisions.done(session, NodeRef("rates", "publish"))
    after = watch.view()
    assert after.state().commit == session.store.tip() != before.state().commit
    assert after.number == before.number + 1


def test_a_view_stands_still(watch: Watch, session: Session) -> None:
    view = watch.view()
    decisions.done(session, NodeRef("rates", "publish"))
    watch.view()
    assert view.answers().plans["rates"].done == 0
    assert view.state().plans["rates"].nodes["publish"].done is None


def test_a_change_names_the_nodes_whose_answer_is_another(watch: Watch, session: Session) -> None:
    since = watch.view().version
    decisions.done(session, NodeRef("rates", "publish"))
    watch.view()
    changes = {change.plan: change for change in seen(watch, since)}
    assert changes["rates"].nodes == ("publish",)
    assert "suite" in changes["parcels"].nodes
    assert "zones" not in changes["parcels"].nodes
    assert not any(change.shape or change.removed for change in changes.values())


def test_one_plan_can_be_asked_for(watch: Watch, session: Session) -> None:
    since = watch.view().version
    decisions.done(session, NodeRef("rates", "publish"))
    watch.view()
    found = watch.changes(since, ["rates"])
    assert found is not None and [change.plan for change in found[1]] == ["rates"]


def test_a_note_is_a_change_of_its_plan_alone(watch: Watch, session: Session) -> None:
    since = watch.view().version
    decisions.note(session, "parcels", None, "mind the gap")
    watch.view()
    assert seen(watch, since) == [PlanChange("parcels")]


def test_a_new_edge_is_another_shape(watch: Watch, session: Session) -> None:
    since = watch.view().version
    nodes.link(session, NodeRef("parcels", "weights"), "zones")
    watch.view()
    (change,) = seen(watch, since)
    assert change.shape and "weights" in change.nodes


def test_a_node_that_went_is_named(watch: Watch, session: Session) -> None:
    since = watch.view().version
    nodes.remove(session, NodeRef("parcels", "tell"))
    watch.view()
    removed = {change.plan: (change.removed, change.shape) for change in seen(watch, since)}
    assert removed["parcels"] == (("tell",), True)


def test_a_plan_that_came_is_another_shape(watch: Watch, session: Session) -> None:
    since = watch.view().version
    plans.import_document(session, "schema: 1\nplan: third\nnodes: []\n")
    watch.view()
    assert seen(watch, since) == [PlanChange("third", shape=True)]


def test_changes_that_were_missed_come_as_one_a_plan(watch: Watch, session: Session) -> None:
    since = watch.view().version
    for name in ("zones", "weights"):
        decisions.approve(session, [NodeRef("parcels", name)])
        watch.view()
    (change,) = seen(watch, since)
    assert {"zones", "weights"} <= set(change.nodes)


@pytest.mark.parametrize("since", ["", "x", "0", "deadbeef.0", "deadbeef.x", ".", "99999"])
def test_a_version_of_another_server_is_not_known(watch: Watch, since: str) -> None:
    watch.view()
    assert watch.changes(since) is None


def test_a_version_too_old_is_not_known(watch: Watch, session: Session) -> None:
    since = watch.view().version
    decisions.note(session, "parcels", None, "one")
    watch.view()
    watch._changes.extend([(2, PlanChange("rates"))] * REMEMBERED)
    assert watch.changes(since) is None


def test_who_waits_is_woken_by_news_and_by_the_end(watch: Watch, session: Session) -> None:
    since = watch.view().version
    woken: list[bool] = []
    waiting = threading.Thread(target=lambda: woken.append(watch.wait(since, 20)))
    waiting.start()
    decisions.note(session, "parcels", None, "news")
    watch.view()
    waiting.join(10)
    since = watch.view().version
    waiting = threading.Thread(target=lambda: woken.append(watch.wait(since, 20)))
    waiting.start()
    watch.stop()
    waiting.join(10)
    assert woken == [True, False]


def test_the_end_may_come_in_the_middle_of_the_beginning(watch: Watch, monkeypatch: pytest.MonkeyPatch) -> None:
    begin, begun = threading.Thread.start, []

    def ended_first(thread: threading.Thread) -> None:
        watch.stop()
        begin(thread)
        begun.append(thread)

    with monkeypatch.context() as hurried:
        hurried.setattr(threading.Thread, "start", ended_first)
        watch.start()
    begun[0].join(10)
    assert not begun[0].is_alive()


def test_many_readers_cost_one_derivation(watch: Watch, session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    watch.view()
    decisions.done(session, NodeRef("rates", "publish"))
    derived: list[int] = []
    derive = watch._derive

    def counted() -> object:
        derived.append(1)
        return derive()

    monkeypatch.setattr(watch, "_derive", counted)
    readers = [threading.Thread(target=watch.view) for _ in range(8)]
    for reader in readers:
        reader.start()
    for reader in readers:
        reader.join(10)
    assert len({id(watch.view()) for _ in range(3)}) == 1
    assert len(derived) <= len(readers)
    assert watch.view().number == 1


def seen(watch: Watch, since: str) -> list[PlanChange]:
    found = watch.changes(since)
    assert found is not None
    return found[1]


def test_what_a_sweep_saw_is_looked_at_and_a_sweep_without_news_is_no_new_version(watch: Watch) -> None:
    poked = threading.Event()
    observer = watch_files(watch.session.store.common, poked.set)
    try:
        before = watch.view()
        keep_now(watch.session.store.common, GitHubNow(at="2026-11-30T10:00:00.000Z"))
        assert poked.wait(10)
        assert watch.refresh().version == before.version
    finally:
        observer.stop()
        observer.join()
