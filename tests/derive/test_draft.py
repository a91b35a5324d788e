"""What an issue is made of."""

from __future__ import annotations

from stoat.derive.wording.draft import LONGEST_BODY, LONGEST_TITLE, Draft, draft, marker
from stoat.plan.ids import NodeRef
from stoat.plan.nodes import Node

REF = NodeRef("p", "fix")


def of(title: str | None = None, brief: str | None = None) -> Draft:
    return draft(REF, Node(id="fix", kind="issue", title=title, brief=brief), "i-1")


def test_an_issue_is_the_nodes_title_and_brief_and_a_hidden_mark() -> None:
    made = of("Sort\nthe  lanes", "They cross.\n\n- see #4\n")
    assert made == Draft("Sort the lanes", f"They cross.\n\n- see #4\n\n{marker(REF, 'i-1')}")
    assert marker(REF, "i-1") == "<!-- stoat p/fix i-1 -->"


def test_a_node_without_words_has_its_id_for_a_title() -> None:
    assert of() == Draft("fix", marker(REF, "i-1"))


def test_what_is_too_long_for_github_is_cut_and_keeps_its_mark() -> None:
    made = of("t" * 300, "b" * 70_000)
    assert (len(made.title), len(made.body)) == (LONGEST_TITLE, LONGEST_BODY)
    assert made.body.endswith(marker(REF, "i-1"))
