"""The page about plan documents says everything there is, and its example is one."""

from __future__ import annotations

import re
from pathlib import Path

from stoat.plan.document import parse
from stoat.plan.nodes import KINDS, Header, Node, Step

PAGE = (Path(__file__).parents[2] / "docs" / "plan-document.md").read_text(encoding="utf-8")


def test_every_field_and_every_kind_is_on_the_page() -> None:
    fields = {*Header.__struct_fields__, *Node.__struct_fields__, *Step.__struct_fields__, *KINDS}
    assert sorted(field for field in fields if f"`{field}" not in PAGE) == []


def test_the_example_on_the_page_is_a_plan() -> None:
    examples = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    assert [parse(example).all_problems({}) for example in examples] == [[]]
