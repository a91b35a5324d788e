"""Replacing a file: whole for every reader, for whom it is meant, and nothing left behind by a failure."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from stoat.observe.replacing import replaced


def test_a_reader_finds_the_old_one_or_the_new_one(tmp_path: Path) -> None:
    place, sizes = tmp_path / "deep" / "file.json", (1, 300_000)
    replaced(place, b"0" * sizes[0])
    seen: set[int] = set()
    ended = threading.Event()

    def read() -> None:
        while not ended.is_set():
            seen.add(len(place.read_bytes()))

    def write(data: bytes) -> None:
        for _ in range(40):
            replaced(place, data)

    reader = threading.Thread(target=read)
    writers = [threading.Thread(target=write, args=(b"0" * size,)) for size in sizes]
    for thread in (reader, *writers):
        thread.start()
    for thread in writers:
        thread.join()
    ended.set()
    reader.join()
    assert seen <= set(sizes)
    assert [one.name for one in place.parent.iterdir()] == ["file.json"]


@pytest.mark.parametrize("mode", [0o600, 0o644, 0o755])
def test_it_is_for_whom_it_is_meant(tmp_path: Path, mode: int) -> None:
    place = tmp_path / "file"
    place.write_bytes(b"")
    place.chmod(0o666)
    replaced(place, b"data", mode)
    assert place.stat().st_mode & 0o777 == mode


def test_what_cannot_be_replaced_leaves_no_draft(tmp_path: Path) -> None:
    (tmp_path / "taken").mkdir()
    with pytest.raises(OSError):
        replaced(tmp_path / "taken", b"data")
    assert [one.name for one in tmp_path.iterdir()] == ["taken"]
