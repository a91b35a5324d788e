"""What of GitHub touches which node: a warm answer is the cold one after whatever a sweep shows."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from stoat.derive.answers import Answers
from stoat.derive.derivation import derive
from stoat.derive.watched import Watched, changed
from stoat.plan.facts import Facts
from stoat.plan.github import Ci, GitHubNow, GitHubState, Link, PullNow, RepositoryNow
from stoat.plan.state import State
from tests.support.github_states import (
    GREEN,
    HEAD,
    MAIN,
    OLD,
    RED,
    RED_MAIN,
    REPOSITORY,
    RUNNING,
    Fact,
    gh_closed,
    gh_issue,
    gh_pull,
    hidden,
    looked,
    seen,
    with_github,
)
from tests.support.states import LATER, NOW, done, issue, node, plan, state

PLANS = state(
    plan("p", issue("a"), issue("b", "a", number=8), node("c", "pr", "b", spec={"pr": 12, "repo": "O/R"}), done("d")),
    plan("q", node("e", "change", "p/a"), node("f", "issue", "p/c", spec={"issue": 3, "repo": "o/x"})),
)
SHOWN: tuple[Fact, ...] = (
    REPOSITORY, MAIN, RED_MAIN, gh_issue(), gh_issue(9), gh_issue(Link("o/x", 9, "closes")), gh_closed(9, by=9),
    gh_issue(number=8), gh_issue(12, number=8), gh_closed(number=8), gh_issue(9, number=3), gh_closed(number=3),
    gh_pull(), gh_pull(9, "merged"), gh_pull(9, "closed"), gh_pull(9, ci="failed", failing=("test",)),
    gh_pull(12), gh_pull(12, "merged", base="net11"), gh_pull(13, head_branch="stoat/p/a"),
    gh_pull(13, head_branch="stoat/p/b"), gh_pull(13, head_branch="stoat/q/f", fork=True), hidden("deleted", 7),
    hidden("transferred", 7, to="o/x#3"), hidden("transferred", 3, to="o/r#8"), hidden("forbidden"), hidden("missing"),
    hidden("missing", 12, "pull"),
)  # fmt: skip
CHECKS = (GREEN, RED, RUNNING)
LOOKS = ("2026-11-30T11:58:30.000Z", "2026-11-30T09:00:00.000Z", NOW)

Change = tuple[str, Fact | tuple[int, Ci, str] | str | None]
changes = st.one_of(
    st.tuples(st.sampled_from(["o/r", "o/x"]), st.sampled_from(SHOWN)),
    st.tuples(
        st.sampled_from(["o/r", "o/x"]),
        st.tuples(st.sampled_from([9, 12, 13]), st.sampled_from(CHECKS), st.sampled_from([HEAD, OLD])),
    ),
    st.tuples(st.sampled_from(["o/r", "o/x", ""]), st.sampled_from(["away", "seen", "old", "older"])),
)


class World:
    """What is on record and what was looked at, one change after another."""

    def __init__(self) -> None:
        self.record: dict[str, GitHubState] = {}
        self.now = GitHubNow(at=NOW)

    def after(self, name: str, what: Fact | tuple[int, Ci, str] | str | None) -> None:
        """Something is different."""
        if isinstance(what, str) and not name:
            self.now = GitHubNow(at=NOW, problem=None if what == "seen" else what, repositories=self.now.repositories)
        elif isinstance(what, str):
            there = self.now.repositories.get(name, RepositoryNow())
            at = {"old": LOOKS[0], "older": LOOKS[1], "seen": NOW}.get(what, there.seen_at)
            problem = "no access" if what == "away" else None if what == "seen" else there.problem
            self._look(name, RepositoryNow(seen_at=at, problem=problem, pulls=there.pulls))
        elif isinstance(what, tuple):
            number, ci, head = what
            there = self.now.repositories.get(name, RepositoryNow())
            pulls = {**there.pulls, number: PullNow(head=head, ci=ci)}
            self._look(name, RepositoryNow(seen_at=there.seen_at, problem=there.problem, pulls=pulls))
        elif what is not None:
            self.record[name] = seen(what, before=self.record.get(name))

    def _look(self, name: str, there: RepositoryNow) -> None:
        self.now = GitHubNow(
            at=self.now.at, problem=self.now.problem, repositories={**self.now.repositories, name: there}
        )

    def state(self) -> State:
        """The plans, with what is on record."""
        return with_github(PLANS, **{name.replace("/", "_"): part for name, part in self.record.items()})


def plain(answers: Answers) -> tuple[object, ...]:
    return (answers.plans, answers.ready, answers.needs, answers.until)


@given(st.lists(st.tuples(changes, st.sampled_from([NOW, NOW, LATER])), min_size=1, max_size=25))
@settings(max_examples=150, deadline=None)
def test_a_warm_answer_is_the_cold_one_after_each_thing_that_is_seen(steps: list[tuple[Change, str]]) -> None:
    world = World()
    warm = derive(world.state(), Facts(github=world.now), NOW)
    for (name, what), at in steps:
        world.after(name, what)
        of, facts = world.state(), Facts(github=world.now)
        warm = derive(of, facts, at, warm)
        assert plain(warm) == plain(derive(of, facts, at))


def test_every_fact_after_every_other_is_answered_as_if_for_the_first_time() -> None:
    base = seen(REPOSITORY, MAIN, gh_issue(9), gh_issue(12, number=8), gh_pull(9, ci="failed", failing=("test",)))
    facts = Facts(github=looked())
    for first in SHOWN:
        before = seen(first, before=base)
        known = derive(with_github(PLANS, before), facts, NOW)
        for second in SHOWN:
            of = with_github(PLANS, seen(second, before=before))
            assert plain(derive(of, facts, NOW, known)) == plain(derive(of, facts, NOW)), (first, second)


def test_nothing_new_is_no_change() -> None:
    record = seen(REPOSITORY, MAIN, gh_issue(9), gh_pull())
    one = Watched({"o/r": record}, looked({9: GREEN}))
    other = Watched({"o/r": seen(before=record)}, looked({9: GREEN}, seen_at=LATER))
    assert list(changed(one, other, NOW, LATER)) == []


def test_what_changed_is_named() -> None:
    record = seen(REPOSITORY, MAIN, gh_issue(9), gh_pull(9, head_branch="stoat/p/a"))
    one = Watched({"o/r": record}, looked({9: GREEN}))
    pushed = seen(gh_pull(9, head=OLD, head_branch="stoat/p/a"), RED_MAIN, before=record)
    found = set(changed(one, Watched({"o/r": pushed}, looked({9: GREEN})), NOW, NOW))
    assert found == {("o/r", "pull", 9), ("o/r", "branch", "stoat/p/a"), ("o/r", "default", "")}
    assert set(changed(one, Watched({"o/r": record}, looked({9: RED})), NOW, NOW)) == {("o/r", "pull", 9)}
    away = Watched({"o/r": record}, looked({9: GREEN}, problem="away"))
    assert set(changed(one, away, NOW, NOW)) == {("o/r", "whole", "")}
    assert set(changed(away, away, NOW, LATER)) == {("o/r", "whole", "")}


def test_a_branch_is_found_once_the_pull_request_is_there() -> None:
    first = Watched({"o/r": seen(gh_pull(9))}, GitHubNow())
    assert first.on_branch("O/R", "stoat/p/a") == ()
    second = Watched({"o/r": seen(gh_pull(9), gh_pull(12, head_branch="stoat/p/a"))}, GitHubNow(), first)
    assert second.on_branch("o/r", "stoat/p/a") == (12,)
    assert second.on_branch("o/x", "stoat/p/a") == ()
