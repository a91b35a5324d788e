"""Who stands in a directory, whatever led there and whatever became of it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from stoat.processes.whereabouts import standing_in

WAIT = "import sys; print(flush=True); sys.stdin.read()"


@contextmanager
def standing(place: Path) -> Iterator[int]:
    """A process that stands there until the end."""
    with subprocess.Popen(
        [sys.executable, "-c", WAIT], cwd=place, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as one:
        assert one.stdout is not None
        one.stdout.readline()
        yield one.pid
        one.communicate()


def test_nobody_stands_in_a_new_directory_nor_in_one_that_is_gone(tmp_path: Path) -> None:
    place = tmp_path / "a place"
    place.mkdir()
    assert standing_in(place) == ()
    place.rmdir()
    assert standing_in(place) == ()


def test_this_process_counts(tmp_path: Path) -> None:
    assert os.getpid() in (standing_in(Path.cwd()) or ())


def test_below_it_by_a_link_and_with_dots_in_front_is_in_it(tmp_path: Path) -> None:
    place = tmp_path / "w"
    inside = place / "..cache" / "é"
    inside.mkdir(parents=True)
    link = tmp_path / "link"
    link.symlink_to(inside)
    with standing(link) as pid:
        assert standing_in(place) == (pid,)
        assert standing_in(link.parent / "w") == (pid,)


def test_beside_it_is_not_in_it(tmp_path: Path) -> None:
    place, beside = tmp_path / "w", tmp_path / "w-2"
    place.mkdir()
    beside.mkdir()
    with standing(beside):
        assert standing_in(place) == ()


def test_in_what_was_deleted_is_still_in_it(tmp_path: Path) -> None:
    place = tmp_path / "w"
    inside = place / "sub"
    inside.mkdir(parents=True)
    with standing(inside) as pid:
        inside.rmdir()
        assert standing_in(place) == (pid,)
        place.rmdir()
        assert standing_in(place) == (pid,)


def test_in_what_was_moved_is_known_by_where_it_is_now(tmp_path: Path) -> None:
    place, moved = tmp_path / "w", tmp_path / "moved"
    place.mkdir()
    with standing(place) as pid:
        place.rename(moved)
        assert standing_in(moved) == (pid,)
        assert standing_in(place) == ()
