"""What of a reading is news: whole tables of what differs, and two properties of everything that could be read."""

from __future__ import annotations

import copy
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from stoat.derive.news import News, news, now
from stoat.derive.wording import observed
from stoat.derive.wording import sweep as say
from stoat.plan.events.github import DefaultBranchSeen, IssueSeen, NotSeen, PullSeen, RepositorySeen
from stoat.plan.github import (
    Blocker,
    Branch,
    Ci,
    GitHubNow,
    GitHubState,
    Issue,
    Link,
    Looked,
    NotThere,
    Numbered,
    Opinion,
    Pull,
    PullLooked,
    PullNow,
    Reading,
    Repository,
    RepositoryNow,
    WhyUnseen,
)
from stoat.plan.state import State

HEAD, HEAD2 = "a" * 40, "b" * 40
T1, T2, T3 = "2026-11-30T10:00:00.000Z", "2026-11-30T11:00:00.000Z", "2026-11-30T12:00:00.000Z"

ISSUE = Issue(number=7, url="u", title="Fix lanes", open=True, labels=("bug", "ui"), updated_at=T2)
PULL = Pull(
    number=8, url="u", title="Fix", state="open", head=HEAD, head_branch="stoat/p/n", base="main",
    mergeable="mergeable", ci="passed", updated_at=T2,
)  # fmt: skip
MAIN = Branch(name="main", ci="passed")
RED = Branch(name="main", ci="failed", failing=("test",), red_commit=HEAD, red_subject="Merge", red_at=T1, red_pull=4)
REPO = Repository(name="acme/widgets", default_branch="main", methods=("squash", "merge"))
GREEN = Ci(verdict="passed", passed=2)
EMPTY = State("0" * 40, {})


def pull_looked(pull: Pull, repo: str = "acme/widgets", **more: Any) -> PullLooked:
    return PullLooked(repo, pull, PullNow(head=pull.head, ci=GREEN, **more))


def reading(*looked: Looked, **more: Any) -> Reading:
    return Reading(repositories=looked, **more)


def looked(name: str = "acme/widgets", *, issue: Issue | None = None, pull: Pull | None = None, **more: Any) -> Looked:
    """A look at one repository, with one issue and one pull request in it at most."""
    issues = (issue,) if issue is not None else ()
    pulls = (pull_looked(pull),) if pull is not None else ()
    return Looked(name=name, issues=issues, pulls=pulls, **more)


def after(state: State, found: News, at: str = T3) -> State:
    """The state once that is recorded."""
    parts = dict(state.parts)
    for stream, event in found:
        part = parts.get(stream)
        mine = copy.copy(part) if isinstance(part, GitHubState) else GitHubState()
        mine.issues, mine.pulls = dict(mine.issues), dict(mine.pulls)
        replace(event, at=at).fold(mine)
        parts[stream] = mine
    return State("1" * 40, parts)


def known(*looks: Looked) -> State:
    """The state in which all that is on record."""
    return after(EMPTY, news(EMPTY, reading(*looks)))


WHOLE = Looked(
    name="acme/widgets", repository=REPO, default=MAIN, issues=(ISSUE,), pulls=(pull_looked(PULL),),
    not_there=(NotThere(what="issue", why="missing", number=99, detail="Could not resolve"),),
)  # fmt: skip


def test_everything_seen_for_the_first_time_is_news_in_the_repositorys_stream() -> None:
    assert news(EMPTY, reading(WHOLE)) == [
        ("github/acme/widgets", RepositorySeen(repository=REPO)),
        ("github/acme/widgets", DefaultBranchSeen(branch=MAIN)),
        ("github/acme/widgets", IssueSeen(issue=ISSUE)),
        ("github/acme/widgets", PullSeen(pull=PULL)),
        ("github/acme/widgets", NotSeen(what="issue", why="missing", number=99, detail="Could not resolve")),
    ]


def test_the_same_again_is_none() -> None:
    assert news(known(WHOLE), reading(WHOLE)) == []


def test_a_reading_that_names_something_twice_gives_it_once() -> None:
    two = replace(WHOLE, pulls=(pull_looked(PULL), pull_looked(PULL)))
    other = Looked(name="acme/gadgets", pulls=(pull_looked(PULL),))
    found = news(EMPTY, reading(two, other))
    assert [event for _, event in found if isinstance(event, PullSeen)] == [PullSeen(pull=PULL)]


def told(state: State, event: Any) -> str:
    """A piece of news of acme/widgets in a sweep's words."""
    return observed.told(state.repositories()["acme/widgets"], event, "acme/widgets", full=True)


ISSUE_CHANGES: list[tuple[dict[str, Any], str]] = [
    ({"open": False, "reason": "completed", "closed_at": T3}, "issue #7 was closed (completed)"),
    ({"open": False, "reason": "not_planned"}, "issue #7 was closed (not planned)"),
    ({"reason": "reopened"}, "issue #7 was reopened"),
    ({"title": "Fix\nthe lanes"}, "issue #7 is called 'Fix the lanes' now"),
    ({"labels": ("bug",)}, "issue #7 is labelled bug"),
    ({"assignees": ("ada",)}, "issue #7 was assigned to ada"),
    ({"milestone": "1.0"}, "issue #7 is in milestone 1.0"),
    ({"parent": Numbered("acme/widgets", 1)}, "issue #7 is part of acme/widgets#1"),
    ({"children": 3, "children_open": 2}, "issue #7 has 2 of 3 sub-issues open"),
    ({"blockers": (Blocker("acme/widgets", 3, True),)}, "issue #7 is blocked by #3"),
    ({"pulls": (Link("acme/widgets", 8, "closes"),)}, "issue #7 is to be closed by #8"),
    ({"url": "v"}, "issue #7 has another address"),
    ({"closed_commit": HEAD}, "issue #7 changed"),
]


@pytest.mark.parametrize(("change", "text"), ISSUE_CHANGES, ids=[text for _, text in ISSUE_CHANGES])
def test_every_change_of_an_issue_is_news_and_said(change: dict[str, Any], text: str) -> None:
    state = known(WHOLE)
    ((stream, event),) = news(state, reading(looked(issue=replace(ISSUE, updated_at=T3, **change))))
    assert stream == "github/acme/widgets"
    assert event == IssueSeen(issue=replace(ISSUE, updated_at=T3, **change))
    assert told(state, event) == text


PULL_CHANGES: list[tuple[dict[str, Any], str]] = [
    ({"state": "merged", "merged_at": T3, "merge_commit": HEAD2}, "pull request #8 was merged into main"),
    ({"state": "closed"}, "pull request #8 was closed without merging"),
    ({"state": "draft"}, "pull request #8 is a draft again"),
    ({"head": HEAD2, "ci": None}, "pull request #8 was pushed to (bbbbbbb)"),
    ({"head": HEAD2}, "pull request #8 was pushed to (bbbbbbb); checks of #8 passed"),
    ({"ci": "failed", "failing": ("test",)}, "checks of #8 failed: test"),
    ({"ci": "none"}, "pull request #8 has no checks"),
    ({"mergeable": "conflicting"}, "pull request #8 turned conflicting with main"),
    ({"review": "changes_requested"}, "changes were requested on #8"),
    ({"opinions": (Opinion("bob", "approved", HEAD),)}, "bob approved #8"),
    ({"queued": True}, "pull request #8 entered the merge queue"),
    ({"base": "net11"}, "pull request #8 goes into net11 now"),
    ({"title": "Other"}, "pull request #8 is called 'Other' now"),
    ({"url": "v"}, "pull request #8 has another address"),
    ({"head_repo_owner": "ada"}, "pull request #8 changed"),
]


@pytest.mark.parametrize(("change", "text"), PULL_CHANGES, ids=[text for _, text in PULL_CHANGES])
def test_every_change_of_a_pull_request_is_news_and_said(change: dict[str, Any], text: str) -> None:
    state = known(WHOLE)
    ((_, event),) = news(state, reading(looked(pull=replace(PULL, **change))))
    assert event == PullSeen(pull=replace(PULL, **change))
    assert told(state, event) == text


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"name": "acme/gizmos"}, "acme/widgets is acme/gizmos now"),
        ({"methods": ("rebase",)}, "the settings of acme/widgets changed"),
    ],
)
def test_every_change_of_a_repository_is_news_and_said(change: dict[str, Any], text: str) -> None:
    state = known(WHOLE)
    ((_, event),) = news(state, reading(looked(repository=replace(REPO, **change))))
    assert told(state, event) == text


NO_NEWS: dict[str, Looked] = {
    "an issue's time of change": looked(issue=replace(ISSUE, updated_at=T3)),
    "the order of its labels": looked(issue=replace(ISSUE, labels=("ui", "bug"))),
    "an older read of an issue": looked(issue=replace(ISSUE, open=False, updated_at=T1)),
    "a pull request's time of change": looked(pull=replace(PULL, updated_at=T3)),
    "an older read of a pull request": looked(pull=replace(PULL, head=HEAD2, updated_at=T1)),
    "a merge state that is worked out": looked(pull=replace(PULL, mergeable="unknown")),
    "checks that run again": looked(pull=replace(PULL, ci=None)),
    "the default branch's checks that run": looked(default=replace(MAIN, ci=None)),
    "the order of a repository's methods": looked(repository=replace(REPO, methods=("merge", "squash"))),
    "a missing issue in other words": looked(
        not_there=(NotThere(what="issue", why="missing", number=99, detail="Request id 4711"),)
    ),
    "a look that failed": Looked(name="acme/widgets", problem="502"),
    "a look at nothing": Looked(name="acme/widgets"),
}


@pytest.mark.parametrize("look", NO_NEWS.values(), ids=NO_NEWS)
def test_what_is_no_news(look: Looked) -> None:
    assert news(known(WHOLE), reading(look)) == []


def test_a_read_without_a_time_of_change_is_never_taken_for_an_old_one() -> None:
    ((_, event),) = news(known(WHOLE), reading(looked(issue=replace(ISSUE, open=False, updated_at=""))))
    assert isinstance(event, IssueSeen) and not event.issue.open


@pytest.mark.parametrize("state", ["open", "draft", "closed"])
def test_what_was_merged_stays_merged(state: Any) -> None:
    merged = replace(PULL, state="merged", merged_at=T2)
    assert news(known(looked(pull=merged)), reading(looked(pull=replace(PULL, state=state, updated_at=T3)))) == []


def test_a_pull_request_that_was_closed_may_open_again() -> None:
    state = known(looked(pull=replace(PULL, state="closed")))
    assert [event for _, event in news(state, reading(looked(pull=PULL)))] == [PullSeen(pull=PULL)]


def test_the_last_answers_for_a_head_stay_when_something_else_of_it_changes() -> None:
    failed = replace(PULL, ci="failed", failing=("test",), mergeable="conflicting")
    read = replace(PULL, title="New", mergeable="unknown", ci=None)
    ((_, event),) = news(known(looked(pull=failed)), reading(looked(pull=read)))
    assert event == PullSeen(pull=replace(failed, title="New"))


def test_of_two_words_on_one_pull_request_in_one_reading_the_first_counts() -> None:
    other = replace(PULL, mergeable="conflicting")
    twice = reading(replace(WHOLE, pulls=(pull_looked(PULL), pull_looked(other))))
    assert [event for _, event in news(EMPTY, twice) if isinstance(event, PullSeen)] == [PullSeen(pull=PULL)]
    assert news(known(WHOLE), twice) == []


def test_a_new_head_has_no_answers_of_the_old_one() -> None:
    read = replace(PULL, head=HEAD2, mergeable="unknown", ci=None)
    ((_, event),) = news(known(WHOLE), reading(looked(pull=read)))
    assert event == PullSeen(pull=read)


def test_settled_checks_are_recorded_once_for_a_head() -> None:
    state, said = EMPTY, []
    for ci in (None, "none", None, "passed", None, "passed", None, "failed"):
        found = news(state, reading(looked(pull=replace(PULL, ci=ci))))
        said.append([event.pull.ci for _, event in found if isinstance(event, PullSeen)])
        state = after(state, found)
    assert said == [[None], ["none"], [], ["passed"], [], [], [], ["failed"]]


DEFAULTS: list[tuple[Branch, Branch, str | None]] = [
    (MAIN, RED, "main is red since aaaaaaa 'Merge': test"),
    (RED, replace(RED, ci=None, failing=(), red_commit=None), None),
    (RED, replace(RED, failing=("test", "lint")), "main is red since aaaaaaa 'Merge': test, lint"),
    (RED, MAIN, "main is green again"),
    (MAIN, replace(MAIN, ci="none"), None),
    (RED, Branch(name="main", ci="none"), None),
    (Branch(name="main"), Branch(name="main", ci="none"), "main has no checks"),
    (Branch(name="main", ci="none"), MAIN, "main is green"),
    (MAIN, Branch(name="trunk"), "the default branch is trunk now"),
]


@pytest.mark.parametrize(("before", "read", "text"), DEFAULTS)
def test_the_default_branch_is_news_when_its_checks_end_otherwise(
    before: Branch, read: Branch, text: str | None
) -> None:
    state = known(looked(default=before))
    found = news(state, reading(looked(default=read)))
    assert [told(state, event) for _, event in found] == ([text] if text else [])


def test_what_cannot_be_seen_is_recorded_once_and_again_when_the_reason_changes() -> None:
    state, said = known(WHOLE), []
    for why, to in (
        ("missing", None), ("missing", None), ("transferred", "acme/x#1"), ("transferred", "acme/x#2"),
        ("deleted", None),
    ):  # fmt: skip
        found = news(state, reading(looked(not_there=(NotThere(what="issue", why=why, number=7, to=to),))))
        said.append([told(state, event) for _, event in found])
        state = after(state, found)
    assert said == [
        ["GitHub shows no issue #7: it does not exist, or this token may not see it"],
        [],
        ["issue #7 was transferred to acme/x#1"],
        ["issue #7 was transferred to acme/x#2"],
        ["issue #7 was deleted"],
    ]
    assert state.repositories()["acme/widgets"].issues[7].fact == ISSUE


@pytest.mark.parametrize(
    ("missing", "again", "text"),
    [
        (NotThere(what="issue", why="missing", number=7), looked(issue=ISSUE), "issue #7 can be seen again"),
        (NotThere(what="pull", why="missing", number=8), looked(pull=PULL), "pull request #8 can be seen again"),
        (
            NotThere(what="repository", why="blocked"),
            looked(repository=REPO),
            "acme/widgets can be seen again",
        ),
    ],
)
def test_what_is_seen_again_is_news_though_it_is_the_same(missing: NotThere, again: Looked, text: str) -> None:
    gone = after(known(WHOLE), news(known(WHOLE), reading(looked(not_there=(missing,)))))
    found = news(gone, reading(again))
    assert [told(gone, event) for _, event in found] == [text]
    assert news(after(gone, found), reading(again)) == []


def test_a_stream_is_found_whatever_its_case_and_made_as_github_spells_it() -> None:
    found = news(EMPTY, reading(looked("ACME/Widgets", repository=REPO, issue=ISSUE)))
    assert {stream for stream, _ in found} == {"github/acme/widgets"}
    state = State("0" * 40, {"github/Acme/WIDGETS": GitHubState()})
    assert {stream for stream, _ in news(state, reading(WHOLE))} == {"github/Acme/WIDGETS"}


def test_a_renamed_repository_keeps_the_stream_that_plans_know_and_so_do_its_pull_requests() -> None:
    issue = replace(
        ISSUE, pulls=(Link("acme/gizmos", 8, "closes"), Link("x/y", 2, "body")), closed_by=Numbered("acme/gizmos", 8)
    )
    renamed = replace(REPO, name="acme/gizmos")
    look = Looked(name="acme/widgets", repository=renamed, issues=(issue,), pulls=(pull_looked(PULL, "acme/gizmos"),))
    found = news(EMPTY, reading(look))
    assert {stream for stream, _ in found} == {"github/acme/widgets"}
    state = after(EMPTY, found).repositories()["acme/widgets"]
    assert state.repository == renamed
    assert state.issues[7].fact is not None and state.issues[7].fact.closed_by == Numbered("acme/widgets", 8)
    assert state.issues[7].fact.pulls == (Link("acme/widgets", 8, "closes"), Link("x/y", 2, "body"))
    assert list(state.pulls) == [8]
    assert list(now(GitHubNow(), reading(look), T1).repositories["acme/widgets"].pulls) == [8]
    assert news(after(EMPTY, found), reading(look)) == []


def test_a_pull_request_of_another_repository_is_recorded_there() -> None:
    look = replace(WHOLE, pulls=(pull_looked(PULL, "Ada/fork"),))
    assert [stream for stream, event in news(EMPTY, reading(look)) if isinstance(event, PullSeen)] == [
        "github/Ada/fork"
    ]
    assert list(now(GitHubNow(), reading(look), T1).repositories["ada/fork"].pulls) == [8]


TIMES = st.sampled_from(["", T1, T2, T3])
NUMBERS = st.integers(1, 3)
ISSUES = st.builds(
    Issue, number=NUMBERS, url=st.just("u"), title=st.sampled_from(["a", "b"]), open=st.booleans(), updated_at=TIMES,
    labels=st.sampled_from([(), ("a", "b"), ("b", "a"), ("a",)]),
)  # fmt: skip
PULLS = st.builds(
    Pull, number=NUMBERS, url=st.just("u"), title=st.just("t"), head=st.sampled_from([HEAD, HEAD2]),
    state=st.sampled_from(["open", "draft", "merged", "closed"]), head_branch=st.just("b"), base=st.just("main"),
    mergeable=st.sampled_from(["mergeable", "conflicting", "unknown"]), updated_at=TIMES,
    ci=st.sampled_from([None, "none", "passed", "failed"]),
)  # fmt: skip
NAMES = st.sampled_from(["acme/widgets", "Acme/Widgets", "acme/gadgets"])
BRANCHES = st.builds(Branch, name=st.sampled_from(["main", "trunk"]), ci=st.sampled_from([None, "passed", "failed"]))
MISSING = st.builds(NotThere, what=st.just("issue"), number=NUMBERS, why=st.sampled_from(["missing", "deleted"]))
LOOKS = st.builds(
    Looked, name=NAMES, repository=st.none() | st.just(REPO) | st.just(replace(REPO, name="acme/gizmos")),
    default=st.none() | BRANCHES,
    issues=st.lists(ISSUES, max_size=3, unique_by=lambda one: one.number).map(tuple),
    pulls=st.lists(st.builds(pull_looked, PULLS, NAMES), max_size=3, unique_by=lambda one: one.pull.number).map(tuple),
    not_there=st.just(()),
)  # fmt: skip


def missing_too(look: Looked, missing: list[NotThere]) -> Looked:
    """The look with what is missing in it: nothing is both read and missing."""
    read = {one.number for one in look.issues}
    return replace(look, not_there=tuple(one for one in missing if one.number not in read))


READINGS = st.lists(
    st.builds(missing_too, LOOKS, st.lists(MISSING, max_size=2, unique_by=lambda one: one.number)),
    max_size=2, unique_by=lambda one: one.name.lower(),
).map(lambda looks: reading(*looks))  # fmt: skip


@settings(max_examples=40)
@given(st.lists(READINGS, min_size=1, max_size=4))
def test_what_was_just_recorded_is_no_news(readings: list[Reading]) -> None:
    state = EMPTY
    for one in readings:
        state = after(state, news(state, one))
        pulls = [looked for look in one.repositories for looked in look.pulls]
        if len({(looked.repo.lower(), looked.pull.number) for looked in pulls}) == len(pulls):
            assert news(state, one) == []


@settings(max_examples=40)
@given(READINGS)
def test_the_record_is_what_was_read_first(one: Reading) -> None:
    found = after(EMPTY, news(EMPTY, one)).repositories()
    for look in one.repositories:
        record = found.get(look.name.lower(), GitHubState())
        assert record.default == look.default and record.repository == look.repository
        assert {number: kept.fact for number, kept in record.issues.items() if kept.fact} == {
            issue.number: issue for issue in look.issues
        }
        assert {number for number, kept in record.issues.items() if kept.unseen} >= {
            missing.number for missing in look.not_there
        }


@settings(max_examples=40)
@given(READINGS)
def test_the_state_that_is_looked_at_is_left_as_it_was(one: Reading) -> None:
    state = known(WHOLE)
    before = copy.deepcopy(state)
    news(state, one)
    assert state == before


def test_now_is_what_was_seen_of_every_repository_that_was_looked_at() -> None:
    found = now(GitHubNow(), reading(WHOLE, looked("Acme/Gadgets")), T1)
    assert found == GitHubNow(
        at=T1,
        repositories={
            "acme/widgets": RepositoryNow(seen_at=T1, pulls={8: PullNow(head=HEAD, ci=GREEN)}),
            "acme/gadgets": RepositoryNow(),
        },
    )


BEFORE = now(GitHubNow(), reading(WHOLE), T1)


def test_what_is_wanted_no_more_goes_and_what_could_not_be_read_stays() -> None:
    assert now(BEFORE, reading(), T2) == GitHubNow(at=T2)
    assert now(BEFORE, reading(looked(repository=REPO)), T2).repositories["acme/widgets"].pulls == {}
    failed = now(BEFORE, reading(Looked(name="acme/widgets", repository=REPO, problem="502")), T2)
    assert failed.repositories["acme/widgets"] == replace(BEFORE.repositories["acme/widgets"], problem="502")
    limited = now(BEFORE, reading(problem="no token", fix="gh auth login", again_at=T3), T2)
    assert limited == replace(BEFORE, at=T2, problem="no token", fix="gh auth login", again_at=T3)


def test_a_problem_is_over_with_the_next_look_that_meets_none() -> None:
    away = now(BEFORE, reading(Looked(name="acme/widgets", problem="502"), problem="away"), T2)
    assert (away.problem, away.repositories["acme/widgets"].problem) == ("away", "502")
    well = now(away, reading(WHOLE), T3)
    assert (well.problem, well.repositories["acme/widgets"].problem) == (None, None)
    assert (away.repositories["acme/widgets"].seen_at, well.repositories["acme/widgets"].seen_at) == (T1, T3)


@pytest.mark.parametrize(("head", "state"), [(HEAD, "clean"), (HEAD2, "unknown")])
def test_a_merge_state_that_is_worked_out_keeps_the_last_answer_for_the_same_head(head: str, state: str) -> None:
    before = now(GitHubNow(), reading(replace(WHOLE, pulls=(pull_looked(PULL, merge_state="clean"),))), T1)
    found = now(before, reading(replace(WHOLE, pulls=(pull_looked(replace(PULL, head=head)),))), T2)
    assert found.repositories["acme/widgets"].pulls[8].merge_state == state


def test_a_conflict_that_is_none_any_more_is_not_kept_while_the_merge_state_is_worked_out() -> None:
    before = now(GitHubNow(), reading(replace(WHOLE, pulls=(pull_looked(PULL, merge_state="dirty"),))), T1)
    for mergeable, state in (("mergeable", "unknown"), ("unknown", "dirty")):
        read = pull_looked(replace(PULL, mergeable=mergeable))
        found = now(before, reading(replace(WHOLE, pulls=(read,))), T2)
        assert found.repositories["acme/widgets"].pulls[8].merge_state == state


@pytest.mark.parametrize(
    ("names", "text"),
    [
        (["a/b"], "github: 3 news in a/b"),
        (["a/b", "c/d"], "github: 3 news in a/b, c/d"),
        (["a/b", "c/d", "e/f", "g/h"], "github: 3 news in 4 repositories"),
    ],
)
def test_the_subject_names_a_few_repositories(names: list[str], text: str) -> None:
    assert say.subject(names, 3) == text


def test_every_reason_why_something_is_not_seen_has_words() -> None:
    said = [say.unseen("o/r", "issue", 7, why, "GitHub's words", None) for why in get_args(WhyUnseen)]
    assert all("issue #7" in text for text, _ in said) and len(set(said)) == len(said)
    assert [text.endswith(": GitHub's words") for text, _ in said] == [False] * 4 + [True] * 3
    assert "GitHub shows no o/r: " in say.unseen("o/r", "repository", None, "missing", "", None)[0]
