"""The text of the sweep's queries."""

from __future__ import annotations

import pytest
from graphql import OperationDefinitionNode, parse, validate
from hypothesis import given
from hypothesis import strategies as st

from stoat.observe.github.queries import Ask, Kind, Query, compose
from stoat.observe.github.sweep import ISSUES, OTHERS, chunks
from tests.support.fakehub.cost import Weight, weigh
from tests.support.fakehub.graphql import schema

PAGED: tuple[Kind, ...] = ("checks", "tip_checks", "closing", "references")
KINDS: tuple[Kind, ...] = ("facts", "red", "issue", "pull", "branch", *PAGED, "history")


def weight(query: Query) -> Weight:
    document = parse(query.text)
    operation = document.definitions[0]
    assert isinstance(operation, OperationDefinitionNode)
    return weigh(schema(), document, operation, query.variables)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("after", [None, "Y3Vyc29y"])
def test_every_question_is_one_that_github_understands(kind: Kind, after: str | None) -> None:
    query = compose([Ask(kind, "acme/widgets", 7, "a" * 40, after if kind in PAGED else None)], {})
    assert validate(schema(), parse(query.text)) == []


def test_all_of_them_over_several_repositories_are_one_query_with_each_answer_in_its_place() -> None:
    asks = [Ask(kind, repo, 7, "a" * 40) for repo in ("acme/widgets", "acme/gadgets") for kind in KINDS]
    aliases = {"acme/widgets": "r0"}
    query = compose(asks, aliases)
    assert validate(schema(), parse(query.text)) == []
    assert aliases == {"acme/widgets": "r0", "acme/gadgets": "r1"}
    assert [ask for places in query.places.values() for ask in places.values()] == asks


def test_issues_and_pull_requests_have_aliases_that_name_them() -> None:
    query = compose([Ask("issue", "acme/widgets", 120), Ask("pull", "acme/widgets", 71)], {})
    assert list(query.places["r0"]) == ["i120", "p71"]


@given(st.text(max_size=60), st.text(max_size=60))
def test_no_name_becomes_part_of_the_text(repo: str, branch: str) -> None:
    plain = compose([Ask("branch", "acme/widgets", name="stoat/a/b")], {})
    strange = compose([Ask("branch", repo, name=branch)], {})
    assert strange.text == plain.text
    owner, _, name = repo.partition("/")
    assert list(strange.variables.values()) == [branch, owner, name] or list(strange.variables.values()) == [
        owner,
        name,
        branch,
    ]


def test_the_largest_chunk_is_far_from_githubs_limit_of_nodes() -> None:
    asks = [Ask("facts", f"acme/r{n}") for n in range(20)] + [Ask("red", f"acme/r{n}") for n in range(20)]
    asks += [Ask("issue", f"acme/r{n % 20}", n) for n in range(1, 1 + ISSUES)]
    asks += [Ask("pull", f"acme/r{n % 20}", n) for n in range(1, 1 + OTHERS - 40)]
    query = compose(asks, {})
    assert len(chunks(asks)) == 1
    assert weight(query).nodes < 100_000


def test_a_hundred_issues_with_their_pull_requests_and_branches_are_four_chunks() -> None:
    asks = [Ask("facts", "acme/widgets")]
    for n in range(1, 101):
        asks += [
            Ask("issue", "acme/widgets", n),
            Ask("pull", "acme/widgets", n),
            Ask("branch", "acme/widgets", name=f"b{n}"),
        ]
    found = chunks(asks)
    assert len(found) == 4
    assert sorted(ask for chunk in found for ask in chunk) == sorted(asks)
    assert found[0][0].kind == "facts"
    assert all(sum(ask.kind == "issue" for ask in chunk) == 25 for chunk in found)
    assert sum(weight(compose(chunk, {})).points for chunk in found) < 60


@given(st.lists(st.sampled_from([Ask("issue", "a/b", 1), Ask("pull", "a/b", 1), Ask("facts", "a/b")]), max_size=300))
def test_nothing_is_lost_in_chunks_and_none_is_too_large(asks: list[Ask]) -> None:
    found = chunks(asks)
    assert sorted(ask for chunk in found for ask in chunk) == sorted(asks)
    for chunk in found:
        issues = sum(ask.kind == "issue" for ask in chunk)
        assert chunk and issues <= ISSUES and len(chunk) - issues <= OTHERS
