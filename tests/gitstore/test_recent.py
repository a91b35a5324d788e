"""The second copy of the newest appends: what a collection of garbage takes too much comes back."""

from __future__ import annotations

import os
from pathlib import Path

from stoat.gitstore.log import Store
from stoat.gitstore.recent import SLOTS, Recent
from stoat.gitstore.writing import Loose, loose, present, put
from tests.gitstore.building import AGENT, PLAN, always, claim, new_store
from tests.support.gitrepo import MakeRepo


def _blobs(*contents: bytes) -> list[Loose]:
    return [loose(b"blob", content) for content in contents]


def _nothing_packed(oid: str) -> bool:
    return False


def test_what_was_collected_is_put_back_by_whoever_comes_next(make_repo: MakeRepo) -> None:
    repo = make_repo()
    store = new_store(repo.path)
    store.append(always((PLAN, claim(1))), AGENT)
    objects = repo.path / ".git" / "objects"
    # As if the ref had been elsewhere when the collection looked: all of the append's objects go, and the bait.
    tip = store.tip()
    repo.run_git("update-ref", "-d", "refs/stoat/state")
    repo.run_git("prune", "--expire=now")
    (repo.path / ".git" / "refs" / "stoat").mkdir(exist_ok=True)
    (repo.path / ".git" / "refs" / "stoat" / "state").write_text(tip + "\n")
    assert "missing" in repo.run_git("fsck", "--full", check=False) or not (objects / tip[:2] / tip[2:]).exists()
    assert Store.open(repo.path).state() == store.state()
    repo.run_git("fsck", "--full")


def test_while_the_bait_is_there_nothing_is_searched(tmp_path: Path) -> None:
    objects = tmp_path / "objects"
    objects.mkdir()
    recent = Recent(tmp_path / "recent", objects)
    each = _blobs(b"one", b"two")
    put(objects, each, sync=False)
    recent.keep(1, "c" * 40, each)
    assert recent.restore(_nothing_packed) == []
    gone = objects / each[0].oid[:2] / each[0].oid[2:]
    gone.unlink()
    assert recent.restore(_nothing_packed) == []
    bait = (tmp_path / "recent" / "bait").read_text()
    (objects / bait[:2] / bait[2:]).unlink()
    assert Recent(tmp_path / "recent", objects).restore(_nothing_packed) == [each[0].oid]
    assert all(present(objects, blob) for blob in each)


def test_packed_objects_need_no_loose_file(tmp_path: Path) -> None:
    objects = tmp_path / "objects"
    objects.mkdir()
    recent = Recent(tmp_path / "recent", objects)
    recent.keep(1, "c" * 40, _blobs(b"one"))
    assert recent.restore(lambda oid: True) == []


def test_slots_go_round_and_torn_ones_are_passed_over(tmp_path: Path) -> None:
    objects = tmp_path / "objects"
    objects.mkdir()
    recent = Recent(tmp_path / "recent", objects)
    first, second, third = (_blobs(content) for content in (b"first", b"second", b"third"))
    recent.keep(1, "a" * 40, first)
    recent.keep(1 + SLOTS, "b" * 40, second)
    recent.keep(2, "c" * 40, third)
    assert recent.find(first[0].oid) is None
    assert recent.find(second[0].oid) == second[0].data
    last = recent.last()
    assert last is not None and last.commit == "b" * 40
    ring = tmp_path / "recent" / "ring"
    whole = ring.read_bytes()
    at = whole.index(second[0].data)
    ring.write_bytes(whole[:at] + b"?" + whole[at + 1 :])
    assert recent.find(second[0].oid) is None
    assert recent.find(third[0].oid) == third[0].data
    assert recent.find("0" * 40) is None


def test_what_is_too_long_for_the_ring_is_kept_too(tmp_path: Path) -> None:
    objects = tmp_path / "objects"
    objects.mkdir()
    recent = Recent(tmp_path / "recent", objects)
    longest, long = (_blobs(os.urandom(size)) for size in (1_000_000, 100_000))
    recent.keep(5, "a" * 40, longest)
    assert recent.find(longest[0].oid) == longest[0].data
    recent.keep(5 + SLOTS, "b" * 40, long)
    assert recent.find(long[0].oid) == long[0].data
    assert recent.find(longest[0].oid) is None
    assert sum(path.stat().st_size for path in (tmp_path / "recent").iterdir()) < 500_000
    recent.restore(_nothing_packed)
    assert present(objects, long[0])
