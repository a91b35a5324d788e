"""The map in the package's docstring leads to every module."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import stoat.derive

MODULES = [file for file in sorted(Path(stoat.derive.__file__).parent.glob("*.py")) if file.stem != "__init__"]


@pytest.mark.parametrize("file", MODULES, ids=lambda file: file.stem)
def test_every_module_is_on_the_map(file: Path) -> None:
    said = stoat.derive.__doc__ or ""
    assert re.search(rf"\b{file.stem}(\.|\b.*\|$)", said, re.MULTILINE), file.stem
