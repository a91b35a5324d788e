"""GraphQL's nodes as values: what may be null, unknown or hostile."""

from __future__ import annotations

import re
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stoat.observe.github import linking, parsing, queries
from stoat.observe.github.gathering import Gathered
from stoat.observe.github.looking import looked
from stoat.observe.github.queries import Ask
from stoat.plan.github import Blocker, Ci, Link, Numbered, Repository, Wanted

NO_CI = Ci(verdict="none")
HOME = {"nameWithOwner": "acme/widgets", "defaultBranchRef": {"name": "main"}}


def pull(**fields: Any) -> dict[str, Any]:
    return {
        "__typename": "PullRequest",
        "number": 71,
        "url": "https://github.com/acme/widgets/pull/71",
        "title": "Fix",
        "state": "OPEN",
        "isDraft": False,
        "repository": HOME,
        "isCrossRepository": False,
        "headRepositoryOwner": {"login": "acme"},
        "headRefOid": "a" * 40,
        "headRefName": "a",
        "baseRefName": "main",
        **fields,
    }


@pytest.mark.parametrize(
    ("fields", "state"),
    [
        ({}, "open"),
        ({"isDraft": True}, "draft"),
        ({"state": "CLOSED"}, "closed"),
        ({"state": "CLOSED", "isDraft": True}, "closed"),
        ({"state": "MERGED"}, "merged"),
        ({"state": "MERGED", "isDraft": True}, "merged"),
        ({"state": "SOMETHING"}, "open"),
    ],
)
def test_a_pull_request_is_in_one_of_four_states(fields: dict[str, Any], state: str) -> None:
    assert parsing.pull(pull(**fields), NO_CI)[0].state == state


@pytest.mark.parametrize(
    ("fields", "fork"),
    [
        ({}, False),
        ({"headRepositoryOwner": {"login": "ACME"}}, False),
        ({"isCrossRepository": True}, True),
        ({"isCrossRepository": None}, True),
        ({"headRepositoryOwner": None}, True),
        ({"headRepositoryOwner": {"login": "mallory"}}, True),
    ],
)
def test_whose_branch_a_pull_request_is_from(fields: dict[str, Any], fork: bool) -> None:
    assert parsing.pull(pull(**fields), NO_CI)[0].fork is fork


@pytest.mark.parametrize(
    ("field", "word", "attribute", "expected"),
    [
        ("mergeable", "MERGEABLE", "mergeable", "mergeable"),
        ("mergeable", "CONFLICTING", "mergeable", "conflicting"),
        ("mergeable", "UNKNOWN", "mergeable", "unknown"),
        ("mergeable", None, "mergeable", "unknown"),
        ("mergeable", "PERHAPS", "mergeable", "unknown"),
        ("reviewDecision", "APPROVED", "review", "approved"),
        ("reviewDecision", "CHANGES_REQUESTED", "review", "changes_requested"),
        ("reviewDecision", "REVIEW_REQUIRED", "review", "review_required"),
        ("reviewDecision", None, "review", None),
        ("reviewDecision", "SHRUGGED", "review", None),
    ],
)
def test_githubs_words_are_read_leniently(field: str, word: str | None, attribute: str, expected: str | None) -> None:
    assert getattr(parsing.pull(pull(**{field: word}), NO_CI)[0], attribute) == expected


def test_a_merge_state_that_nobody_knows_is_kept_as_it_is() -> None:
    assert parsing.pull(pull(mergeStateStatus="QUEUED"), NO_CI)[1].merge_state == "queued"
    assert parsing.pull(pull(), NO_CI)[1].merge_state == "unknown"


def test_the_verdict_on_a_pull_request_is_recorded_once_all_its_checks_have_ended() -> None:
    failing = Ci(verdict="failed", failed=1, failing=("test",))
    assert parsing.pull(pull(), failing)[0].failing == ("test",)
    found, now = parsing.pull(pull(), Ci(verdict="failed", failed=1, pending=1, failing=("test",)))
    assert (found.ci, found.failing, now.ci.failing) == (None, (), ("test",))


def test_rules_narrow_the_methods_and_add_up() -> None:
    def rule(type: str, **parameters: Any) -> dict[str, Any]:
        return {"type": type, "parameters": parameters or None}

    node = {
        **{"nameWithOwner": "acme/widgets", "isArchived": True, "viewerPermission": "READ", "mergeQueue": None},
        **{"squashMergeAllowed": True, "mergeCommitAllowed": True, "rebaseMergeAllowed": True},
        "defaultBranchRef": {
            "name": "main",
            "branchProtectionRule": {
                "requiresStatusChecks": True,
                "requiresStrictStatusChecks": False,
                "requiredStatusCheckContexts": ["classic", None],
                "requiredApprovingReviewCount": None,
            },
            "rules": {
                "nodes": [
                    rule("PULL_REQUEST", requiredApprovingReviewCount=2, allowedMergeMethods=["SQUASH", "merge"]),
                    rule("PULL_REQUEST", requiredApprovingReviewCount=1, allowedMergeMethods=None),
                    rule(
                        "REQUIRED_STATUS_CHECKS",
                        requiredStatusChecks=[{"context": "test"}],
                        strictRequiredStatusChecksPolicy=True,
                    ),
                    rule("REQUIRED_LINEAR_HISTORY"),
                    rule("MERGE_QUEUE"),
                    rule("SOMETHING_NEW", x=1),
                    None,
                ]
            },
        },
    }
    assert parsing.repository(node, "asked/for") == Repository(
        name="acme/widgets",
        default_branch="main",
        archived=True,
        permission="read",
        methods=("squash",),
        queue=True,
        required=("classic", "test"),
        strict=True,
        approvals=2,
    )


def test_a_protection_that_asks_for_no_checks_requires_none() -> None:
    rule = {"requiresStatusChecks": False, "requiresStrictStatusChecks": True, "requiredStatusCheckContexts": ["old"]}
    found = parsing.repository({"defaultBranchRef": {"name": "main", "branchProtectionRule": rule}}, "acme/widgets")
    assert (found.name, found.required, found.strict) == ("acme/widgets", (), False)


def commit(oid: str, state: str | None, pulls: list[int] | None = None) -> dict[str, Any]:
    return {
        **{"oid": oid, "messageHeadline": f"Subject {oid}", "committedDate": "2026-11-30T16:00:00Z"},
        "statusCheckRollup": state and {"state": state},
        "associatedPullRequests": {"nodes": [{"number": number} for number in pulls or ()]},
    }


@pytest.mark.parametrize(
    ("states", "since", "green"),
    [
        ("R", 0, False),
        ("RG", 0, True),
        ("RRG", 1, True),
        ("RRGR", 1, True),
        ("RPRG", 2, True),
        ("R-PG", 0, True),
        ("RRP", 1, False),
        ("EEG", 1, True),
        ("XRG", 1, True),
    ],
)
@pytest.mark.parametrize("more", [False, True])
def test_where_a_branch_went_red(states: str, since: int, green: bool, more: bool) -> None:
    words = {"R": "FAILURE", "E": "ERROR", "G": "SUCCESS", "P": "PENDING", "X": "EXPECTED", "-": None}
    history = [commit(str(position), words[state]) for position, state in enumerate(states)]
    red, found_green = parsing.red_since(history, more)
    assert red is not None and (red.commit, red.floor, found_green) == (str(since), more and not green, green)
    assert red.at == "2026-11-30T16:00:00.000Z" and red.subject == f"Subject {since}"


def test_the_pull_request_of_a_red_commit_is_named_where_there_is_one() -> None:
    red, _ = parsing.red_since([commit("a", "FAILURE", [639, 7])], more=False)
    assert red is not None and red.pull == 639
    assert parsing.red_since([], more=False) == (None, False)


@pytest.mark.parametrize(
    ("url", "place"),
    [
        ("https://github.com/acme/widgets/issues/7", Numbered("acme/widgets", 7)),
        ("https://github.com/acme/widgets/pull/7", Numbered("acme/widgets", 7)),
        ("https://ghe.example/api/v3/repos/acme/widgets/issues/7", Numbered("acme/widgets", 7)),
        ("https://github.com/acme/widgets/issues/seven", None),
        ("https://github.com/acme/widgets/tree/7", None),
        ("https://api.github.com/repositories/1/issues/7", Numbered("repositories/1", 7)),
        ("", None),
    ],
)
def test_an_address_leads_to_an_issue(url: str, place: Numbered | None) -> None:
    assert parsing.place(url) == place


def test_lists_come_in_one_order_and_leave_out_what_is_not_shown() -> None:
    node = {
        **{
            "number": 1,
            "url": "u",
            "title": "t",
            "state": "OPEN",
            "stateReason": None,
            "updatedAt": "2026-11-30T16:00:00Z",
        },
        "labels": {"nodes": [{"name": "b"}, None, {"name": "a"}]},
        "assignees": None,
        "milestone": None,
        "parent": {"number": 3, "repository": {"nameWithOwner": "acme/other"}},
        "blockedBy": {
            "nodes": [
                {"number": 9, "state": "OPEN", "stateReason": "REOPENED", "repository": {"nameWithOwner": "acme/b"}},
                None,
                {
                    "number": 2,
                    "state": "CLOSED",
                    "stateReason": "NOT_PLANNED",
                    "repository": {"nameWithOwner": "acme/a"},
                },
            ]
        },
    }
    found = parsing.issue(node, [Link("z/z", 1, "body"), Link("a/a", 2, "closes"), Link("a/a", 2, "closes")])
    assert (found.labels, found.assignees, found.parent) == (("a", "b"), (), Numbered("acme/other", 3))
    assert found.blockers == (Blocker("acme/a", 2, False, "not_planned"), Blocker("acme/b", 9, True))
    assert found.pulls == (Link("a/a", 2, "closes"), Link("z/z", 1, "body"))
    assert found.updated_at == "2026-11-30T16:00:00.000Z"


@pytest.mark.parametrize(
    ("closer", "by", "at"),
    [
        (None, None, None),
        ({"__typename": "Commit", "oid": "c" * 40}, None, "c" * 40),
        (
            {"__typename": "PullRequest", "number": 7, "repository": HOME, "mergeCommit": {"oid": "d" * 40}},
            Numbered("acme/widgets", 7),
            "d" * 40,
        ),
        (
            {"__typename": "PullRequest", "number": 7, "repository": HOME, "mergeCommit": None},
            Numbered("acme/widgets", 7),
            None,
        ),
    ],
)
def test_who_closed_an_issue(closer: Any, by: Numbered | None, at: str | None) -> None:
    events = [
        {"__typename": "ClosedEvent", "closer": {"oid": "old"}},
        {"__typename": "ClosedEvent", "closer": closer},
        None,
    ]
    node = {"number": 1, "state": "CLOSED", "timelineItems": {"nodes": events}}
    found = parsing.issue(node, ())
    assert (found.closed_by, found.closed_commit) == (by, at)
    still_open = parsing.issue({**node, "state": "OPEN"}, ())
    assert (still_open.closed_by, still_open.closed_commit) == (None, None)


@pytest.mark.parametrize(
    ("fields", "linked"),
    [
        ({"baseRefName": "net11"}, True),
        ({"baseRefName": "main"}, False),
        ({"baseRefName": "net11", "body": "about #1"}, False),
        ({"baseRefName": "net11", "body": "Fixes other/repo#1"}, False),
        ({"baseRefName": "net11", "body": "Fixes https://github.com/acme/widgets/issues/1"}, True),
        ({"baseRefName": "main", "repository": {"nameWithOwner": "acme/widgets", "defaultBranchRef": None}}, False),
        ({"baseRefName": "net11", "repository": {"nameWithOwner": "acme/widgets"}}, True),
        ({"baseRefName": "net11", "repository": None}, False),
    ],
)
def test_a_text_links_only_where_github_does_not(fields: dict[str, Any], linked: bool) -> None:
    found = linking.by_text(Numbered("ACME/widgets", 1), [pull(**{"body": "Fixes #1", **fields})], "main")
    assert len(list(found)) == linked


def test_what_github_links_is_not_linked_by_its_text_again() -> None:
    assert linking.links([pull()], [pull(), pull(number=72)]) == [
        Link("acme/widgets", 71, "closes"),
        Link("acme/widgets", 72, "body"),
    ]


words = st.sampled_from(["number", "state", "nodes", "repository", "nameWithOwner", "name", "url", "contexts", "oid"])
values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(max_size=8)
    | st.sampled_from(["acme/widgets", "OPEN", "9999-99-99", "https://["]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words | st.text(max_size=5), inner, max_size=4),
    max_leaves=20,
)
FIELDS = re.findall(r"\w+", str(queries._FRAGMENTS))
KINDS: tuple[queries.Kind, ...] = get_args(queries.Kind)
objects = st.dictionaries(st.sampled_from(FIELDS), values, max_size=8)


@given(objects)
def test_whatever_github_sends_nothing_raises(node: dict[str, Any]) -> None:
    parsing.issue(node, ())
    parsing.pull(node, NO_CI)
    parsing.repository(node, "acme/widgets")
    parsing.red_since([node], more=True)
    list(linking.by_text(Numbered("acme/widgets", 1), [node], None))


@given(st.lists(st.tuples(st.sampled_from(KINDS), objects), max_size=8))
def test_whatever_is_answered_a_look_comes_of_it(answers: list[tuple[queries.Kind, dict[str, Any]]]) -> None:
    gathered = Gathered([Wanted(name="acme/widgets", issues=(1,), pulls=(71,))], {})
    gathered.take(Ask("pull", "acme/widgets", 71), pull(), ())
    for kind, node in answers:
        gathered.take(Ask(kind, "acme/widgets", 71, after="x"), node, ())
        gathered.remaining()
    (found,) = looked(gathered, ["acme/widgets"], {})
    assert found.name == "acme/widgets"
