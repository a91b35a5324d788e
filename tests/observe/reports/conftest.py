"""A report file with a text in it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

Report = Callable[..., Path]


@pytest.fixture
def report(tmp_path: Path) -> Report:
    """`report(text, "name.xml")` is a file that holds it, in a directory whose name has a space."""

    def write(text: str | bytes, name: str = "report.xml") -> Path:
        file = tmp_path / "re ports" / name
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        return file

    return write
