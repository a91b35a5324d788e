"""What runners say of themselves: files of others that cannot be read are no runners."""

from __future__ import annotations

from pathlib import Path

import pytest

from stoat.observe import live


@pytest.mark.parametrize("content", [b"", b"{torn", b"\xff\x00", b'{"stop":' * 2000, b"[]"])
def test_a_file_that_says_nothing_is_passed_over(tmp_path: Path, content: bytes) -> None:
    directory = tmp_path / "stoat" / "live"
    directory.mkdir(parents=True)
    (directory / "runner-p.json").write_bytes(content)
    (directory / "runner-q.json").mkdir()
    assert live.read_runners(tmp_path) == ()
