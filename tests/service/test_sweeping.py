"""A sweep against the fake GitHub: one commit of news or none, what is kept beside the store, all kinds of trouble."""

from __future__ import annotations

import errno
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from msgspec import structs

from stoat import clock
from stoat.gitstore.log import Appended, Decide, Store
from stoat.observe.github.now import folder, keep_now, read_now
from stoat.observe.github.turn import turn
from stoat.plan.events.base import Actor
from stoat.plan.github import GitHubNow, GitHubState
from stoat.service import branch_moves, plans, reading
from stoat.service.session import Session
from stoat.service.sweeper import Sweeper
from stoat.service.sweeping import ProblemShown, Sweep, Swept, sweep
from tests.support.fakehub import FakeHub
from tests.support.gitrepo import GitRepo, MakeRepo
from tests.support.waiting import wait_until

PLAN = """
schema: 1
plan: p
nodes:
  - {id: fix, kind: issue, repo: acme/widgets, issue: 1}
  - {id: pull, kind: pr, repo: acme/widgets, pr: 2}
"""
ELSEWHERE = """
schema: 1
plan: q
nodes:
  - {id: far, kind: issue, repo: acme/gadgets, issue: 1}
"""
NO_GITHUB = """
schema: 1
plan: r
repos: {w: {repo: acme/widgets}}
nodes:
  - {id: work, kind: change, repo: w}
  - {id: look, kind: person}
"""


@dataclass
class Place:
    """A store with a plan, and the GitHub that it hangs on."""

    repo: GitRepo
    session: Session
    hub: FakeHub

    @property
    def environ(self) -> dict[str, str]:
        return {"GH_TOKEN": self.hub.token, "STOAT_GITHUB_API": self.hub.url, "PATH": "/nowhere"}

    def sweep(self, **environ: str | None) -> Sweep:
        """One sweep that waits a second for a limit, no longer; a variable of None is taken away."""
        given = {name: value for name, value in {**self.environ, **environ}.items() if value is not None}
        return sweep(self.session, given, wait=lambda seconds, why: seconds <= 1)

    def commits(self) -> list[str]:
        """The subjects of the store's commits, newest first, without the first two."""
        return self.repo.run_git("log", "--format=%s", "refs/stoat/state").splitlines()

    def of(self, name: str = "acme/widgets") -> GitHubState:
        return self.session.state().repositories()[name]

    def seen(self) -> GitHubNow:
        return read_now(self.session.store.common)


@pytest.fixture
def place(make_repo: MakeRepo, tmp_path: Path) -> Iterator[Place]:
    """A store with plan `p` and a GitHub with issue 1 and pull request 2 of acme/widgets."""
    repo = make_repo()
    store, _ = Store.create(repo.path)
    session = Session(store, Actor("Ada", "person"), repo.path)
    plans.import_document(session, PLAN)
    with FakeHub(tmp_path / "hub") as hub:
        widgets = hub.repository("acme/widgets")
        widgets.issue("Fix lanes")
        widgets.pull("Fix lanes", head="fix", body="Fixes #1").check("test", "success")
        yield Place(repo, session, hub)


def texts(done: Sweep) -> list[str]:
    return [one.text for one in done.swept.news]


def test_the_first_sweep_records_everything_in_one_commit_and_the_second_nothing(place: Place) -> None:
    done = place.sweep()
    assert (done.blind, done.other, done.swept.problems) == (None, None, ())
    numbered = [(one.type, one.number) for one in done.swept.news if one.number]
    assert numbered == [("issue_seen", 1), ("pull_seen", 2)]
    assert done.swept.facts == 4
    assert place.commits()[0] == f"github: {len(done.swept.news)} news in acme/widgets"
    count, requests = len(place.commits()), len(place.hub.journal)
    again = place.sweep()
    assert again.swept == Swept(requests=len(place.hub.journal) - requests, facts=4)
    assert len(place.commits()) == count


def test_a_head_without_checks_has_no_ci_only_once_it_had_time_for_some(place: Place) -> None:
    pull = place.hub.repositories["acme/widgets"].pulls[2]
    clock_now = place.hub.clock
    for at, recorded, verdict in ((lambda: clock_now() - 600, "none", "none"), (clock_now, None, "pending")):
        place.hub.clock = at
        pull.push("Again")
        assert place.sweep().blind is None
        fact, now = place.of().pulls[2].fact, place.seen().repositories["acme/widgets"].pulls[2]
        assert fact is not None and (fact.head, fact.ci) == (pull.head_oid, recorded)
        assert (now.head, now.ci.verdict, now.ci.total) == (pull.head_oid, verdict, 0)
    commits = len(place.commits())
    place.sweep()
    assert len(place.commits()) == commits


def test_the_commit_is_an_observers_whoever_swept_even_without_a_name(place: Place) -> None:
    nobody = replace(place.session, actor=Actor("", "person"))
    sweep(nobody, place.environ, wait=lambda seconds, why: False)
    said = place.repo.run_git("log", "-1", "--format=%an|%(trailers:key=Stoat-Actor,valueonly)", "refs/stoat/state")
    assert said.strip() == "github-sweep|observer"


def test_news_is_said_in_words_and_what_changes_too_often_is_kept_beside_the_store(place: Place) -> None:
    place.sweep()
    widgets = place.hub.find("acme/widgets")
    assert widgets is not None
    pull = widgets.thread(2)
    assert pull is not None
    before = len(place.commits())
    running = pull.check("build", "in_progress")  # type: ignore[union-attr]
    assert place.sweep().swept.news == ()
    assert len(place.commits()) == before
    now = place.seen().repositories["acme/widgets"].pulls[2]
    assert (now.ci.verdict, now.ci.passed, now.ci.pending) == ("pending", 1, 1)
    assert running is not None
    pull.merge()  # type: ignore[union-attr]
    done = place.sweep()
    assert texts(done)[0] == "issue #1 was closed (completed) by #2"
    assert any(text.startswith("pull request #2 was merged into main") for text in texts(done))
    assert place.session.facts().github == place.seen()


def test_several_repositories_are_one_commit(place: Place) -> None:
    place.hub.repository("acme/gadgets").issue("Far")
    plans.import_document(place.session, ELSEWHERE)
    before = len(place.commits())
    done = place.sweep()
    assert len(place.commits()) == before + 1
    assert place.commits()[0] == f"github: {len(done.swept.news)} news in acme/gadgets, acme/widgets"
    assert place.of("acme/gadgets").issues[1].fact is not None


def test_where_no_plan_hangs_on_github_nobody_is_asked_and_nothing_is_said(place: Place) -> None:
    place.sweep()
    plans.import_document(place.session, NO_GITHUB)
    plans.archive(place.session, "p")
    requests, commits = len(place.hub.journal), len(place.commits())
    done = place.sweep(GH_TOKEN=None)
    assert done == Sweep(Swept(), looked=False)
    assert (len(place.hub.journal), len(place.commits())) == (requests, commits)
    assert place.seen() == GitHubNow() and not (folder(place.session.store.common) / "github.json").exists()


def test_without_a_token_nothing_is_sent_and_the_fix_is_named(place: Place) -> None:
    done = place.sweep(GH_TOKEN=None)
    assert len(place.hub.journal) == 0
    assert done.blind is not None and done.swept.problems == (done.blind,)
    assert "token" in done.blind.text and done.blind.fix and "gh auth login" in done.blind.fix
    assert place.seen().problem == done.blind.text and place.seen().fix == done.blind.fix


def test_a_wrong_token_costs_one_request_and_the_last_facts_stay(place: Place) -> None:
    place.sweep()
    before, requests, commits = place.seen(), len(place.hub.journal), len(place.commits())
    done = place.sweep(GH_TOKEN="wrong")
    assert done.blind is not None and done.blind.fix
    assert len(place.hub.journal) == requests + 1 and len(place.commits()) == commits
    kept, seen = before.repositories["acme/widgets"], place.seen().repositories["acme/widgets"]
    assert (seen.seen_at, seen.pulls) == (kept.seen_at, kept.pulls)
    assert place.seen().problem == done.blind.text and done.swept.problems == (done.blind,)
    assert place.sweep().blind is None
    assert place.seen().problem is None


def test_a_limit_that_is_long_is_said_with_the_time_it_ends(place: Place) -> None:
    place.hub.faults.rate_limit(reset_in=1800)
    done = place.sweep()
    assert done.blind is not None and done.swept.facts == 0
    assert place.seen().again_at is not None and clock.seconds_between(clock.now(), place.seen().again_at) > 1000


def test_a_short_limit_is_waited_for(place: Place) -> None:
    place.hub.faults.secondary(retry_after=1)
    assert place.sweep().blind is None


def test_an_outage_is_no_news_and_leaves_what_is_known(place: Place) -> None:
    place.sweep()
    commits, before = len(place.commits()), place.of()
    place.hub.faults.next(status=502, path="/graphql", times=50)
    done = place.sweep()
    assert done.blind is not None and len(place.commits()) == commits
    assert place.of() == before
    assert place.seen().problem is not None or place.seen().repositories["acme/widgets"].problem is not None


def test_what_github_does_not_show_is_recorded_once_and_told_every_time(place: Place) -> None:
    plans.import_document(place.session, PLAN.replace("issue: 1", "issue: 99"))
    done = place.sweep()
    (problem,) = [one for one in done.swept.problems]
    assert problem.repo == "acme/widgets" and problem.text.startswith("GitHub shows no issue #99: ")
    assert problem.text in texts(done)
    assert done.blind is None
    again = place.sweep()
    assert again.swept.news == () and again.swept.problems == (problem,)


def test_a_deleted_and_a_transferred_issue_are_news_and_the_last_facts_stay(place: Place) -> None:
    place.sweep()
    place.hub.repository("acme/gadgets")
    widgets = place.hub.find("acme/widgets")
    assert widgets is not None
    widgets.resolve(1).transfer("acme/gadgets", 7)
    done = place.sweep()
    record = place.of().issues[1]
    assert record.unseen is not None and (record.unseen.why, record.unseen.to) == ("transferred", "acme/gadgets#7")
    assert record.fact is not None and record.fact.title == "Fix lanes"
    assert "issue #1 was transferred to acme/gadgets#7" in texts(done)
    (problem,) = done.swept.problems
    assert (problem.text, problem.fix) == (
        "issue #1 was transferred to acme/gadgets#7", "name acme/gadgets#7 in the plan instead"
    )  # fmt: skip
    followed = place.sweep()
    assert any(one.repo == "acme/gadgets" and one.number == 7 for one in followed.swept.news)
    assert followed.swept.problems == place.sweep().swept.problems == ()
    with turn(place.session.store.common, "stoat serve"):
        assert place.sweep().swept.problems == ()


def test_a_blocker_that_closed_and_whoever_approved_are_named(place: Place) -> None:
    widgets = place.hub.find("acme/widgets")
    assert widgets is not None
    blocked = widgets.issue("Then this", blocked_by=(widgets.resolve(1),))
    plans.import_document(place.session, PLAN.replace("issue: 1", f"issue: {blocked.number}"))
    place.sweep()
    widgets.resolve(1).close()
    widgets.thread(2).review("bob", "approved")  # type: ignore[union-attr]
    found = texts(place.sweep())
    assert f"issue #{blocked.number} is no longer blocked by #1, which was closed" in found
    assert "bob approved #2" in found


def test_a_number_of_the_other_kind_is_said_with_what_settles_it(place: Place) -> None:
    document = PLAN.replace("issue: 1", "issue: 2").replace("pr: 2", "pr: 1")
    plans.import_document(place.session, document)
    done = place.sweep()
    assert sorted(one.text for one in done.swept.problems) == [
        "issue #2 is a pull request, not an issue", "pull request #1 is an issue, not a pull request",
    ]  # fmt: skip
    node = reading.status(place.session, "p").nodes[0]
    assert node.status == "missing"
    assert node.detail.startswith(
        "acme/widgets#2 is a pull request, not an issue; bind the node to an issue (stoat node bind --issue N), or "
        "make it a pr node (stoat node change) (since "
    )


def test_while_another_process_sweeps_this_one_tells_what_is_on_record(place: Place) -> None:
    place.sweep()
    requests = len(place.hub.journal)
    with turn(place.session.store.common, "stoat serve"):
        done = place.sweep()
    assert done.other is not None and done.other.what == "stoat serve"
    assert done.swept == Swept(requests=0, facts=4) and len(place.hub.journal) == requests
    keep_now(place.session.store.common, GitHubNow(problem="no token", fix="log in"))
    with turn(place.session.store.common, "stoat serve"):
        assert place.sweep().swept.problems == (ProblemShown(None, "no token", "log in"),)


def test_a_hundred_issues_with_their_pull_requests_take_five_requests_at_most(place: Place) -> None:
    many = place.hub.repository("acme/many")
    nodes = []
    for number in range(1, 101):
        many.issue(f"Issue {number}", number=number)
        nodes.append(f"  - {{id: n{number}, kind: issue, repo: acme/many, issue: {number}}}")
    many.pull("Many", head="many", body="\n".join(f"Fixes #{number}" for number in range(1, 51)))
    plans.import_document(place.session, PLAN + "\n".join(nodes))
    done = place.sweep()
    assert done.blind is None and done.swept.problems == ()
    assert done.swept.requests <= 5, place.hub.operations()


def test_the_kept_answer_of_ready_notices_that_something_else_is_seen(place: Place) -> None:
    first = reading.ready_document(place.session)
    keep_now(place.session.store.common, GitHubNow(problem="no token"))
    key = "ready  False"
    kept = place.session.store.answer(key, place.session.store.tip())
    assert kept is not None
    assert reading._kept(place.session, key) is None
    keep_now(place.session.store.common, GitHubNow(at="2026-11-30T10:00:00.000Z"))
    assert reading._kept(place.session, key) == first


class Watched(Store):
    """A store that counts how often somebody wants to know whether it moved: a sweeper does before each decision."""

    asked = 0

    def tip(self) -> str:
        self.asked += 1
        return super().tip()

    def wait_for_decisions(self) -> None:
        """Wait until whoever has this store has decided several times more."""
        until = self.asked + 10
        wait_until(lambda: self.asked >= until, what="several decisions whether to look")


class FullForBranches(Store):
    """A store that has no room for what is seen of branches."""

    def append(self, decide: Decide, actor: Actor) -> Appended:
        if actor == branch_moves.OBSERVER:
            raise OSError(errno.ENOSPC, "No space left on device")
        return super().append(decide, actor)


@pytest.fixture
def sweeper(place: Place) -> Iterator[Callable[..., Sweeper]]:
    """Starts a sweeper that looks every 50 ms unless told otherwise; all are stopped at the end."""
    made: list[Sweeper] = []

    def start(
        period: float = 0.05, store: Store | None = None, then: Callable[..., object] | None = None, **environ: str
    ) -> Sweeper:
        session = replace(place.session, store=store or Store.open(place.repo.path))
        made.append(Sweeper(session, {**place.environ, **environ}, "stoat serve", period=period, then=then))
        made[-1].start()
        return made[-1]

    yield start
    for one in made:
        one.stop()


def test_a_sweeper_sees_what_happens_without_being_asked(place: Place, sweeper: Callable[..., Sweeper]) -> None:
    sweeper()
    wait_until(lambda: "acme/widgets" in place.session.state().repositories(), what="the first sweep")
    widgets = place.hub.find("acme/widgets")
    assert widgets is not None
    widgets.resolve(1).close()
    wait_until(lambda: (fact := place.of().issues[1].fact) is not None and not fact.open, what="the issue closed")


def test_a_branch_look_that_the_disk_refuses_keeps_nobody_from_github(
    place: Place, sweeper: Callable[..., Sweeper], caplog: pytest.LogCaptureFixture
) -> None:
    place.repo.commit({"a": "1"})
    place.repo.branch("next")
    place.repo.run_git("config", "stoat.repo", "acme/widgets")
    plans.import_document(place.session, PLAN.replace("nodes:", "branch: next\nnodes:"))
    sweeper(store=FullForBranches.open(place.repo.path))
    wait_until(lambda: "acme/widgets" in place.session.state().repositories(), what="the first sweep")
    assert [said for said in caplog.messages if "No space left" in said] == ["[Errno 28] No space left on device"]


def test_a_sweeper_looks_at_once_at_what_a_new_plan_names_and_when_it_is_asked(
    place: Place, sweeper: Callable[..., Sweeper]
) -> None:
    one = sweeper(3600)
    wait_until(lambda: place.seen().at is not None)
    place.hub.repository("acme/gadgets").issue("Far")
    one._not_before = 0.0  # two sweeps of one process are some seconds apart
    plans.import_document(place.session, ELSEWHERE)
    wait_until(lambda: "acme/gadgets" in place.session.state().repositories(), what="the new repository")
    asked = clock.now()
    one.ask()
    wait_until(lambda: (place.seen().at or "") >= asked, what="the look that was asked for")


def test_of_several_sweepers_one_works_and_the_next_takes_over(place: Place, sweeper: Callable[..., Sweeper]) -> None:
    first = sweeper(0.4)
    wait_until(lambda: place.seen().at is not None, what="the first one's sweep")
    first.stop()
    seen, requests = place.seen(), len(place.hub.journal)
    # It was another one's look and is older than a period: still that one's turn.
    keep_now(place.session.store.common, structs.replace(seen, at=clock.plus(clock.now(), -3600)))
    decided = threading.Event()
    sweeper(3200, then=lambda *_: decided.set())
    assert decided.wait(10), "it never came to what follows its first decision"
    assert len(place.hub.journal) == requests

    # Nobody has looked for longer than a quarter of a period more.
    keep_now(place.session.store.common, structs.replace(seen, at=clock.plus(clock.now(), -4200)))
    wait_until(lambda: len(place.hub.journal) > requests, what="the second one's sweep")


def test_a_sweeper_asks_nobody_where_no_plan_hangs_on_github(place: Place, sweeper: Callable[..., Sweeper]) -> None:
    plans.archive(place.session, "p")
    store = Watched.open(place.repo.path)
    sweeper(store=store)
    store.wait_for_decisions()
    assert place.hub.journal == [] and place.seen() == GitHubNow()


def test_a_sweeper_with_a_wrong_token_does_not_storm(place: Place, sweeper: Callable[..., Sweeper]) -> None:
    begun, period = time.monotonic(), 0.1
    one = sweeper(period, GH_TOKEN="wrong")
    wait_until(lambda: len(place.hub.journal) >= 3, what="the third try")
    one.stop()
    tries = len(place.hub.journal)
    # The pause before each try is twice the one before it, however slow this machine is.
    assert tries >= 3 and time.monotonic() - begun > period * (2 ** (tries - 1) - 1)


def test_a_sweeper_stands_down_until_the_limit_is_over(place: Place, sweeper: Callable[..., Sweeper]) -> None:
    place.hub.faults.rate_limit(reset_in=1800)
    store = Watched.open(place.repo.path)
    one = sweeper(store=store)
    wait_until(lambda: place.seen().again_at is not None, what="the limit")
    requests = len(place.hub.journal)
    place.hub.faults.clear()
    one.ask()
    store.wait_for_decisions()
    assert len(place.hub.journal) == requests

    keep_now(place.session.store.common, structs.replace(place.seen(), again_at=clock.plus(clock.now(), -1)))
    wait_until(lambda: place.seen().problem is None, what="the look after the limit")


def test_a_sweeper_ends_at_once_while_github_keeps_it_waiting(place: Place, sweeper: Callable[..., Sweeper]) -> None:
    place.hub.faults.secondary(retry_after=60)
    one = sweeper()
    wait_until(lambda: len(place.hub.journal) == 1)
    one.stop()
    assert not one._thread.is_alive()
