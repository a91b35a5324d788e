"""Names are refused where git or a file system would trip over them later."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stoat.plan import ids


@pytest.mark.parametrize("slug", ["a", "critter-parity", "p0", "3-10"])
def test_a_kebab_word_names_a_plan(slug: str) -> None:
    assert ids.slug_problem(slug) is None


@pytest.mark.parametrize("slug", ["", "A", "a_b", "a--b", "-a", "a-", "a/b", "a b", "ä", "a" * 101, "a\n"])
def test_anything_else_does_not(slug: str) -> None:
    assert ids.slug_problem(slug)


@pytest.mark.parametrize("node", ["a", "fix-codegen", "a_b", "v1.10", "a--b"])
def test_a_node_id_may_also_hold_dots_and_underscores(node: str) -> None:
    assert ids.node_id_problem(node) is None


@pytest.mark.parametrize(
    "node", ["", "A", "a..b", "a.lock", ".a", "a.", "-a", "a/b", "a b", "a~", "a^", "a:", "a\n", "ü"]
)
def test_what_cannot_be_part_of_a_branch_is_no_node_id(node: str) -> None:
    assert ids.node_id_problem(node)


@given(st.text(max_size=20))
def test_an_accepted_node_id_is_a_valid_branch_component(node: str) -> None:
    import pygit2

    if ids.node_id_problem(node) is None:
        assert pygit2.reference_is_valid_name(f"refs/heads/stoat/p/{node}")


@pytest.mark.parametrize(
    ("text", "plan", "expected"),
    [
        ("p/n", None, ids.NodeRef("p", "n")), ("n", "p", ids.NodeRef("p", "n")), ("n", None, None),
        ("p/n/x", None, None), ("/n", None, None), ("p/", None, None), ("q/n", "p", ids.NodeRef("q", "n")),
    ],
)  # fmt: skip
def test_a_node_is_written_plan_slash_node(text: str, plan: str | None, expected: ids.NodeRef | None) -> None:
    assert ids.split_ref(text, plan) == expected


@pytest.mark.parametrize("name", ["JasperFx/fisher", "a/b.c", "a-b/c_d"])
def test_owner_slash_name_is_a_repository(name: str) -> None:
    assert ids.is_repository(name)


@pytest.mark.parametrize(
    "name", ["fisher", "a/b/c", "-a/b", "a-/b", "a/b.git", "a/..", "a/.", "a/b c", "https://x/a/b"]
)
def test_anything_else_is_no_repository(name: str) -> None:
    assert not ids.is_repository(name)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [("o/r", "o/r", True), ("O/App", "o/aPP", True), ("o/r", "o/s", False), (None, "o/r", False), (None, None, False)],
)
def test_repositories_are_the_same_whatever_their_case(one: str | None, other: str | None, same: bool) -> None:
    assert ids.same_repository(one, other) is ids.same_repository(other, one) is same


def test_nobody_compares_repositories_in_another_way() -> None:
    stoat = Path(ids.__file__).parent.parent
    compared = re.compile(r"\.repo (==|!=) |repository (==|!=) |(wanted|here|repo)\.casefold")
    found = [
        f"{file.relative_to(stoat)}: {line.strip()}"
        for file in sorted(stoat.rglob("*.py"))
        for line in file.read_text(encoding="utf-8").splitlines()
        if compared.search(line)
    ]
    assert found == []


def test_event_ids_sort_by_time_whatever_the_noise() -> None:
    earlier = ids.event_id("2026-11-30T22:16:41.123Z", b"\xff" * 10)
    later = ids.event_id("2026-11-30T22:16:41.124Z", b"\x00" * 10)
    assert earlier < later
    assert len(earlier) == len(later) == 26
