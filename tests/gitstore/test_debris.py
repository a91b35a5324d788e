"""Whatever lies under the store's own directory in place of its files, reading and appending go on."""

from __future__ import annotations

import os
import random
import shutil
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from stoat.gitstore.log import Store
from stoat.gitstore.recent import Recent
from stoat.gitstore.writing import loose
from tests.gitstore.building import AGENT, PLAN, always, claim, claims, fill, new_store
from tests.support.gitrepo import GitRepo, MakeRepo

_HEAD = b"stoat-recent-1 7 %b" % (b"c" * 40)
_CHECK = b"d" * 40

CONTENT: dict[str, bytes] = {
    "nothing": b"",
    "text": b"hello\n",
    "bytes": random.Random(1).randbytes(3000),
    "only line ends": b"\n" * 50,
    "brackets": b"[" * 5000,
    "a short head": _HEAD + b"\n",
    "a negative length": _HEAD + b" -5 -1 " + _CHECK + b"\nxyz",
    "an endless length": _HEAD + b" 99999999999999999999 99999999999999999999 " + _CHECK + b"\nxyz",
    "no numbers": _HEAD + b" five six " + _CHECK + b"\nxyz",
    "a long line": b"7 " * 50_000,
}


def _directory(path: Path) -> None:
    path.mkdir()
    (path / "inside").touch()


DEBRIS: dict[str, Callable[[Path], object]] = {
    **{name: lambda path, content=content: path.write_bytes(content) for name, content in CONTENT.items()},
    "a directory": _directory,
    "a link to nowhere": lambda path: path.symlink_to(path.parent / "nowhere" / "at-all"),
}


def _well(repo: GitRepo, number: int) -> None:
    """A new reader finds everything, and two more appends stand."""
    # Without the bait, a collection of garbage is thought to have been at work, and the slots are searched.
    for bait in (repo.path / ".git" / "objects" / "ff").glob("*"):
        if b"Stoat: gone" in zlib.decompress(bait.read_bytes()):
            bait.unlink()
    store = Store.open(repo.path)
    before = claims(store)
    assert store.state().plans["p"].seq == len(before) + 4
    assert store.answer("ready", store.tip()) in (None, b"{}")
    store.keep_answer("ready", store.tip(), b"{}")
    for each in (number, number + 1):
        store.append(always((PLAN, claim(each))), AGENT)
    again = Store.open(repo.path)
    assert claims(again) == [*before, f"c{number}", f"c{number + 1}"]
    assert again.state() == store.state()


@pytest.mark.parametrize("what", DEBRIS)
def test_any_file_may_be_replaced_by_anything(make_repo: MakeRepo, what: str) -> None:
    repo = make_repo()
    repo.run_git("config", "stoat.fsync", "false")
    store = new_store(repo.path)
    fill(store, 0, 200, batch=100)
    _well(repo, 1000)
    place = repo.path / ".git" / "stoat"
    files = sorted(path for path in place.rglob("*") if path.is_file())
    assert {path.parent.name for path in files} >= {"stoat", "locks", "recent"}
    for number, path in enumerate(files):
        path.unlink(missing_ok=True)
        DEBRIS[what](path)
        _well(repo, 2000 + 2 * number)
        if path.is_dir():
            shutil.rmtree(path)
    for path in files:
        path.unlink(missing_ok=True)
        DEBRIS[what](path)
    _well(repo, 5000)
    repo.run_git("fsck", "--full")


@pytest.mark.parametrize("name", ["", "recent", "locks", "cache"])
def test_a_file_may_stand_where_a_directory_should(make_repo: MakeRepo, name: str) -> None:
    repo = make_repo()
    new_store(repo.path)
    place = repo.path / ".git" / "stoat" / name
    shutil.rmtree(place, ignore_errors=True)
    place.write_text("in the way")
    _well(repo, 1000)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_directory_of_somebody_elses_does_not_keep_from_appending(make_repo: MakeRepo) -> None:
    repo = make_repo()
    new_store(repo.path)
    place = repo.path / ".git" / "stoat"
    shutil.rmtree(place)
    place.mkdir()
    place.chmod(0o555)
    try:
        _well(repo, 1000)
    finally:
        place.chmod(0o755)


def test_damaged_slots_are_written_anew_by_the_next_appends(tmp_path: Path) -> None:
    objects = tmp_path / "objects"
    objects.mkdir()
    recent = Recent(tmp_path / "recent", objects)
    blob = loose(b"blob", b"one")
    recent.keep(1, "a" * 40, [blob])
    for content in CONTENT.values():
        (tmp_path / "recent" / "ring").write_bytes(content)
        assert recent.find(blob.oid) is None and recent.last() is None
        Recent(tmp_path / "recent", objects).restore(lambda oid: False)
        recent.keep(1, "a" * 40, [blob])
        assert recent.find(blob.oid) == blob.data


@pytest.mark.parametrize("content", ["", ".." * 20, "\0" * 40, "f", "F" * 40, "x" * 10_000])
def test_a_bait_that_names_nothing_is_none(tmp_path: Path, content: str) -> None:
    objects = tmp_path / "objects"
    objects.mkdir()
    (tmp_path / "recent").mkdir()
    (tmp_path / "recent" / "bait").write_text(content)
    recent = Recent(tmp_path / "recent", objects)
    blob = loose(b"blob", b"one")
    recent.keep(1, "a" * 40, [blob])
    assert recent.restore(lambda oid: False) == [blob.oid]


def test_every_byte_of_a_kept_part_counts(make_repo: MakeRepo) -> None:
    repo = make_repo()
    store = new_store(repo.path)
    fill(store, 0, 300)
    (path,) = (repo.path / ".git" / "stoat" / "cache").rglob("*.part")
    data = path.read_bytes()
    chosen = random.Random(2).sample(range(len(data)), 20)
    for position in {*range(0, 200, 7), *chosen}:
        path.write_bytes(data[:position] + bytes([data[position] ^ 1]) + data[position + 1 :])
        again = Store.open(repo.path)
        assert again.state() == store.state()
        assert any("rebuilt" in note for note in again.notes)
