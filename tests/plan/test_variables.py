"""What several rooms agree on is written down once."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import stoat
from stoat.gitstore.refs import REF
from stoat.plan import variables

ROOT = Path(stoat.__file__).parent
NAMES = [value for value in vars(variables).values() if isinstance(value, str) and value.isupper()]


@pytest.mark.parametrize("value", [*NAMES, REF, 130, 5526, "0123456789abcdefghjkmnpqrstvwxyz"])
def test_a_value_that_rooms_agree_on_is_written_in_one_module(value: object) -> None:
    """As a value: a sentence may well speak of it."""
    found = {
        str(file.relative_to(ROOT))
        for file in ROOT.rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and node.value == value
    }
    assert len(found) == 1, found
