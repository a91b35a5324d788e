"""Somebody sees a plan's branch move although no runner is at work: from real checkouts, and only as news."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from stoat.observe import live
from stoat.plan.events.landings import BranchMoved
from stoat.plan.facts import RunnerFact
from stoat.service import branch_moves, plans
from stoat.service.session import Session, open_session
from stoat.service.sweeper import Sweeper
from tests.service.authors import events_of, person_at
from tests.support.gitrepo import GitRepo, MakeRepo
from tests.support.waiting import wait_until

PLAN = "schema: 1\nplan: demo\nbranch: integ\nnodes: [{id: work, kind: change}]\n"
NAMED = PLAN.replace("nodes:", "repos: {app: {repo: acme/app}}\nnodes:")


@pytest.fixture
def repo(make_repo: MakeRepo) -> GitRepo:
    made = make_repo("project")
    made.commit({"a": "1"})
    made.branch("integ")
    made.checkout("integ")
    return made


def named(repo: GitRepo, name: str) -> GitRepo:
    repo.run_git("config", "stoat.repo", name)
    return repo


def moves(session: Session, slug: str = "demo") -> list[tuple[str | None, str]]:
    events = [recorded.event for recorded in session.store.history(f"plans/{slug}")]
    return [(event.repo, event.tip) for event in events if isinstance(event, BranchMoved)]


def runner(session: Session, checkout: GitRepo, repo: str | None, name: str = "demo-1") -> live.Live:
    fact = RunnerFact(
        runner_id=name, plan="demo", host="here", checkout=str(checkout.path), state="running", parallel=1,
        repo=repo,
    )  # fmt: skip
    return live.announce(session.store.common, "runner", name, fact)


def test_a_move_is_recorded_once_and_a_branch_at_rest_appends_nothing(repo: GitRepo) -> None:
    session = person_at(repo.path)
    plans.import_document(session, PLAN)
    first = repo.head()
    observed = branch_moves.observe(session)
    assert [(tip.commit, before) for tip, before in observed.moved] == [(first, None)]
    at_rest = session.store.tip()
    assert branch_moves.observe(session).moved == () and session.store.tip() == at_rest

    second = repo.commit(message="Next")
    assert [(tip.commit, before) for tip, before in branch_moves.observe(session).moved] == [(second, first)]
    repo.run_git("reset", "--quiet", "--hard", first)
    branch_moves.observe(session)
    assert moves(session) == [(None, first), (None, second), (None, first)]
    assert (recorded := list(session.store.history("plans/demo"))[-1].event) is not None
    assert recorded.by.as_ == "observer"


def test_plans_without_a_branch_archived_ones_and_branches_that_are_nowhere_are_left_alone(repo: GitRepo) -> None:
    session = person_at(repo.path)
    plans.import_document(session, PLAN.replace("branch: integ\n", ""))
    plans.import_document(session, PLAN.replace("plan: demo", "plan: other").replace("integ", "elsewhere"))
    plans.import_document(session, PLAN.replace("plan: demo", "plan: old"))
    plans.archive(session, "old")
    at_rest = session.store.tip()
    assert branch_moves.observe(session) == (branch_moves.Look((), ()), ()) and session.store.tip() == at_rest


def test_a_tracking_ref_counts_until_there_is_a_local_branch(repo: GitRepo, tmp_path: Path) -> None:
    clone = repo.clone(tmp_path / "clone")
    clone.run_git("checkout", "--quiet", "--detach")
    clone.run_git("branch", "--delete", "--force", "integ")
    clone.run_git("remote", "set-head", "origin", "main")
    session = person_at(clone.path)
    plans.import_document(session, PLAN)
    branch_moves.observe(session)
    repo.commit(message="Not fetched yet")
    branch_moves.observe(session)
    clone.run_git("fetch", "--quiet")
    branch_moves.observe(session)
    assert [tip for _, tip in moves(session)] == [clone.head(), repo.head()]


def test_a_repository_that_the_plan_does_not_name_says_nothing_of_its_branch(repo: GitRepo) -> None:
    session = person_at(named(repo, "acme/plans").path)
    plans.import_document(session, NAMED)
    branch_moves.observe(session)
    assert moves(session) == []
    named(repo, "Acme/App")
    branch_moves.observe(session)
    assert moves(session) == [("Acme/App", repo.head())]


def test_a_store_elsewhere_hears_of_the_checkout_that_one_stands_in(repo: GitRepo, make_repo: MakeRepo) -> None:
    central = make_repo("central")
    central.commit({"b": "1"})
    person_at(central.path)
    repo.run_git("config", "stoat.store", str(central.path))
    session = open_session(repo.path, environ={})
    plans.import_document(session, PLAN)
    branch_moves.observe(session)
    ahead = repo.commit(message="Ahead")
    branch_moves.observe(session)
    assert [tip for _, tip in moves(session)] == [repo.run_git("rev-parse", "HEAD^"), ahead]


def test_a_clone_that_one_only_stands_in_does_not_take_a_branch_back(
    repo: GitRepo, make_repo: MakeRepo, tmp_path: Path
) -> None:
    central = make_repo("central")
    central.commit({"b": "1"})
    plans.import_document(person_at(central.path), PLAN)
    behind = repo.clone(tmp_path / "clone")
    ahead = repo.commit(message="Ahead")
    one = open_session(repo.path, store=central.path, environ={})
    other = open_session(behind.path, store=central.path, environ={})
    branch_moves.observe(one)
    branch_moves.observe(other)
    behind.run_git("fetch", "--quiet")
    branch_moves.observe(other)
    assert moves(one) == [(None, ahead)]
    behind.run_git("merge", "--quiet", "--ff-only", "origin/integ")
    further = behind.commit(message="Further")
    branch_moves.observe(other)
    branch_moves.observe(one)
    assert [tip for _, tip in moves(one)] == [ahead, further]


def test_a_runners_checkout_speaks_before_the_stores_own(repo: GitRepo, tmp_path: Path) -> None:
    session = person_at(repo.path)
    plans.import_document(session, PLAN)
    clone = repo.clone(tmp_path / "clone")
    worked = clone.commit(message="Worked")
    alive = runner(session, clone, None)
    branch_moves.observe(session)
    alive.close()
    assert [tip for _, tip in moves(session)] == [worked]


def test_a_runner_that_says_nothing_any_more_speaks_after_one_at_work(repo: GitRepo, tmp_path: Path) -> None:
    session = person_at(repo.path)
    plans.import_document(session, PLAN)
    silent = runner(session, repo.clone(tmp_path / "silent"), None, "demo-1")
    (place,) = (session.store.common / "stoat" / "live").glob("runner-demo-1.json")
    os.utime(place, (1, 1))
    clone = repo.clone(tmp_path / "clone")
    worked = clone.commit(message="Worked")
    alive = runner(session, clone, None, "demo-2")
    branch_moves.observe(session)
    alive.close()
    silent.close()
    assert [tip for _, tip in moves(session)] == [worked]


def test_each_repository_of_a_plan_has_its_own_tip(repo: GitRepo, make_repo: MakeRepo) -> None:
    other = named(make_repo("web"), "acme/web")
    other.commit({"w": "1"})
    other.branch("integ")
    session = person_at(named(repo, "acme/app").path)
    plans.import_document(session, NAMED.replace("}}\n", "}, web: {repo: acme/web}}\n"))
    alive = runner(session, other, "acme/web")
    branch_moves.observe(session)
    branch_moves.observe(session)
    alive.close()
    assert moves(session) == [("acme/web", other.head()), ("acme/app", repo.head())]


def test_what_cannot_be_read_is_said_and_is_no_event(repo: GitRepo, tmp_path: Path) -> None:
    session = person_at(repo.path)
    plans.import_document(session, PLAN)
    branch_moves.observe(session)
    known = session.store.tip()
    (repo.path / ".git" / "refs" / "heads" / "integ").write_text("")
    observed = branch_moves.observe(session)
    assert session.store.tip() == known and observed.look.tips == ()
    assert [problem.partition(" (")[0] for problem in observed.look.problems] == [
        f"demo: it is not known where the branch integ is in {repo.path.resolve() / '.git'}"
    ]


def test_a_sweeper_sees_the_branch_move_and_says_once_what_it_cannot_see(
    repo: GitRepo, caplog: pytest.LogCaptureFixture
) -> None:
    session = person_at(repo.path)
    plans.import_document(session, PLAN)
    sweeper = Sweeper(session, {}, "stoat serve", period=0.05)
    sweeper.start()
    try:
        watch = replace(session)
        wait_until(lambda: moves(watch) == [(None, repo.head())], what="the first look")
        head = repo.commit(message="Next")
        wait_until(lambda: moves(watch)[-1:] == [(None, head)], what="the move")
        place = repo.path / ".git" / "refs" / "heads" / "integ"
        place.write_text("")
        wait_until(lambda: caplog.messages, what="the word on what cannot be seen")
        looked = sweeper._branches_at
        wait_until(lambda: sweeper._branches_at > looked, what="another look")
    finally:
        sweeper.stop()
    assert len([said for said in caplog.messages if "it is not known where the branch integ is" in said]) == 1
    assert events_of(session, "demo").count("branch_moved") == 2
