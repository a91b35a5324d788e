"""GitHub's text about a node: asked for on demand, kept a minute, and never in the way of the node itself."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from stoat import clock
from stoat.plan.ids import NodeRef
from stoat.service import zoom
from stoat.service.sweeping import sweep
from stoat.service.zoom import TextProblem
from tests.service.conftest import As
from tests.support.fakehub import FakeHub
from tests.support.gitrepo import GitRepo
from tests.support.waiting import wait_until

BUG = NodeRef("demo", "bug")


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeHub]:
    """The GitHub that this process is pointed at, with the issue and the pull request of the plan's nodes."""
    with FakeHub(tmp_path / "hub") as hub:
        repo = hub.repository("o/n")
        repo.issue("Fix lanes", number=7)
        repo.pull("Mend lanes", head="ada/mend", number=8)
        monkeypatch.setenv("STOAT_GITHUB_API", hub.url)
        monkeypatch.setenv("GH_TOKEN", hub.token)
        yield hub


def test_within_a_minute_nothing_is_asked_again(speak: As, hub: FakeHub) -> None:
    first = zoom.show(speak(), BUG)["github"]
    assert first.issue.title == "Fix lanes"
    sent = len(hub.journal)
    assert zoom.show(speak(), BUG)["github"] == first
    assert zoom.show(speak(), BUG, ask=False)["github"] == first
    assert len(hub.journal) == sent == 1


def test_after_a_minute_it_is_asked_again(speak: As, hub: FakeHub, repo: GitRepo) -> None:
    shown = zoom.show(speak(), BUG)["github"]
    (place,) = (repo.path / ".git" / "stoat" / "volatile").glob("zoom-*")
    for at in (clock.plus(clock.now(), -61), clock.plus(clock.now(), 3600)):
        place.write_bytes(msgspec.json.encode(msgspec.structs.replace(shown, at=at)))
        assert zoom.show(speak(), BUG, ask=False)["github"] is None
    place.write_bytes(b"{garbage")
    assert zoom.show(speak(), BUG)["github"].issue.title == "Fix lanes"
    assert len(hub.journal) == 2


def test_what_a_sweep_sees_of_a_node_makes_its_text_an_old_one(speak: As, hub: FakeHub) -> None:
    session, repo, pull = speak(), hub.repositories["o/n"], NodeRef("demo", "pull")
    waits = {"environ": os.environ, "wait": lambda seconds, why: False}

    def asks(node: NodeRef) -> bool:
        sent = len(hub.journal)
        zoom.show(session, node)
        return len(hub.journal) > sent

    sweep(session, **waits)
    assert (asks(BUG), asks(pull)) == (True, True)
    sweep(session, **waits)
    assert (asks(BUG), asks(pull)) == (False, False)  # nothing was news
    repo.pulls[8].check("test", "in_progress")
    sweep(session, **waits)
    assert (asks(BUG), asks(pull)) == (False, True)  # a check that runs is not recorded, and seen all the same
    repo.issues[7].close()
    sweep(session, **waits)
    assert (asks(BUG), asks(pull)) == (True, False)
    assert zoom.show(session, BUG)["github"].issue.state == "closed"


def test_a_defect_of_ours_is_not_said_to_be_githubs(speak: As, hub: FakeHub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stoat.observe.github.detail._ISSUE", None)
    with pytest.raises(TypeError):
        zoom.show(speak(), BUG)


def test_what_is_kept_is_for_this_user_and_goes_when_it_is_old(speak: As, hub: FakeHub, repo: GitRepo) -> None:
    zoom.show(speak(), BUG)
    (old,) = (repo.path / ".git" / "stoat" / "volatile").glob("zoom-*")
    assert old.stat().st_mode & 0o777 == 0o600
    os.utime(old, (1, 1))
    zoom.show(speak(), NodeRef("demo", "pull"))
    assert not old.exists()


def test_a_pr_node_has_its_own(speak: As, hub: FakeHub) -> None:
    shown = zoom.show(speak(), NodeRef("demo", "pull"))["github"]
    assert (shown.issue, [one.number for one in shown.prs]) == (None, [8])


def test_a_node_that_has_nothing_on_github_asks_nothing(speak: As, hub: FakeHub) -> None:
    shown = zoom.show(speak(), NodeRef("demo", "parser"))
    assert (shown["github"], shown["githubProblem"], hub.journal) == (None, None, [])


def test_without_a_token_nothing_is_sent_and_the_node_is_shown(speak: As, hub: FakeHub) -> None:
    shown = zoom.show(speak(), BUG, environ={"STOAT_GITHUB_API": hub.url, "PATH": ""})
    assert shown["id"] == "bug" and shown["github"] is None
    assert shown["githubProblem"].why.startswith("there is no token for 127.0.0.1")
    assert "GH_TOKEN" in shown["githubProblem"].fix
    assert hub.journal == []


def test_a_wrong_token_and_a_limit_are_said_and_not_tried_again(
    speak: As, hub: FakeHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(zoom, "AWAY", 0.0)
    hub.faults.rate_limit(reset_in=600, times=9)
    problem = zoom.show(speak(), BUG)["githubProblem"]
    assert "rate limit" in problem.why and problem.again_at > clock.now()
    hub.faults.clear()
    hub.faults.unauthorized()
    problem = zoom.show(speak(), BUG)["githubProblem"]
    assert "does not accept the token" in problem.why and hub.token not in str(problem)
    assert len(hub.journal) == 2


def test_a_failure_is_said_again_without_asking_for_a_while(
    speak: As, hub: FakeHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub.faults.unauthorized()
    first = zoom.show(speak(), BUG)["githubProblem"]
    hub.faults.clear()
    assert zoom.show(speak(), BUG)["githubProblem"] == first and len(hub.journal) == 1
    monkeypatch.setattr(zoom, "AWAY", 0.0)
    assert zoom.show(speak(), BUG)["github"].issue.title == "Fix lanes"


def test_an_outage_is_said_with_what_to_do(speak: As, hub: FakeHub) -> None:
    hub.stop()
    problem = zoom.show(speak(), BUG)["githubProblem"]
    assert "cannot be reached" in problem.why and problem.fix == "ask again later"


def test_who_does_not_want_to_wait_does_not_and_finds_it_later(speak: As, hub: FakeHub, repo: GitRepo) -> None:
    hub.faults.slow(0.5)
    shown = zoom.show(speak(), BUG, seconds=0.05)
    assert shown["githubProblem"] == TextProblem("GitHub has not answered within 0.1s", "ask again")
    place = repo.path / ".git" / "stoat" / "volatile"
    wait_until(lambda: list(place.glob("zoom-*.json")), 20, "the text to be kept")
    assert zoom.show(speak(), BUG, ask=False)["github"].issue.title == "Fix lanes"
    assert len(hub.journal) == 1
