"""The cache: worth having, never believed without proof, and nothing is lost with it."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from stoat.clock import now, plus
from stoat.gitstore import cache as module
from stoat.gitstore.cache import Cache
from stoat.gitstore.log import Store
from tests.gitstore.building import (
    AGENT,
    PLAN,
    always,
    claim,
    fill,
    new_store,
    plan_of,
    read_segment,
    seed,
    write_segment,
)
from tests.support.gitrepo import MakeRepo


def _parts(repo: Path) -> list[Path]:
    return sorted((repo / ".git" / "stoat" / "cache").rglob("*.part"))


def _reads(store: Store, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    read: list[int] = []
    original = store._reader.content
    monkeypatch.setattr(
        store._reader, "content", lambda stream, segment: read.append(segment.number) or original(stream, segment)
    )
    return read


def test_a_cold_reader_reads_only_what_is_new(make_repo: MakeRepo, monkeypatch: pytest.MonkeyPatch) -> None:
    repo = make_repo()
    writer = new_store(repo.path)
    fill(writer, 0, 1000)
    assert _parts(repo.path)
    first = Store.open(repo.path)
    read = _reads(first, monkeypatch)
    assert first.state() == writer.state() and read == []
    writer.append(always((PLAN, claim(5000))), AGENT)
    assert first.state() == writer.state() and len(read) <= 2
    later = Store.open(repo.path)
    read = _reads(later, monkeypatch)
    assert later.state() == writer.state() and len(read) <= 2


def test_deleting_everything_under_stoat_loses_nothing(make_repo: MakeRepo) -> None:
    repo = make_repo()
    writer = new_store(repo.path)
    fill(writer, 0, 500)
    shutil.rmtree(repo.path / ".git" / "stoat")
    assert Store.open(repo.path).state() == writer.state()
    writer.append(always((PLAN, claim(5000))), AGENT)
    assert Store.open(repo.path).state() == writer.state()


SPOILED: list[Callable[[bytes], bytes]] = [
    lambda data: data[: len(data) // 2],
    lambda data: b"",
    lambda data: b"hello",
    lambda data: data[:-3] + b"abc",
]


@pytest.mark.parametrize("spoil", SPOILED)
def test_a_torn_or_foreign_file_is_rebuilt_and_said(make_repo: MakeRepo, spoil: Callable[[bytes], bytes]) -> None:
    repo = make_repo()
    writer = new_store(repo.path)
    fill(writer, 0, 500)
    (part,) = _parts(repo.path)
    part.write_bytes(spoil(part.read_bytes()))
    store = Store.open(repo.path)
    assert store.state() == writer.state()
    assert any("rebuilt" in note for note in store.notes)
    assert Store.open(repo.path).state() == writer.state()


def test_a_stream_that_was_rewritten_behind_the_cache_is_folded_anew(make_repo: MakeRepo) -> None:
    repo = make_repo()
    store = new_store(repo.path)
    fill(store, 0, 100)
    store.state()
    lines = read_segment(repo.path).splitlines(keepends=True)
    write_segment(repo.path, b"".join(lines[:50]))
    assert plan_of(store.state()).seq == plan_of(Store.open(repo.path).state()).seq == 50
    assert store.state() == Store.open(repo.path).state()


def test_a_ref_put_back_by_hand_is_followed(make_repo: MakeRepo) -> None:
    repo = make_repo()
    store = new_store(repo.path)
    before = store.state()
    fill(store, 0, 300)
    repo.run_git("update-ref", "refs/stoat/state", before.commit)
    assert store.state() == before == Store.open(repo.path).state()


def test_a_cache_that_cannot_be_written_is_said_once_and_does_no_harm(make_repo: MakeRepo) -> None:
    repo = make_repo()
    store = new_store(repo.path)
    place = repo.path / ".git" / "stoat" / "cache"
    shutil.rmtree(place, ignore_errors=True)
    place.write_text("in the way")
    fill(store, 0, 300, batch=100)
    assert plan_of(Store.open(repo.path).state()).seq == 304
    assert len([note for note in store.notes if "cannot be" in note]) <= 2


def test_files_of_other_versions_and_of_streams_that_are_gone_are_removed(make_repo: MakeRepo) -> None:
    repo = make_repo()
    store = new_store(repo.path)
    seed(store, "q", 200)
    old = repo.path / ".git" / "stoat" / "cache" / "0-0"
    old.mkdir()
    (old / "x.part").write_text("old")
    store.purge("plans/q", AGENT, "q: purged")
    fresh = Store.open(repo.path)
    fill(fresh, 0, 300)
    assert not old.exists() and len(_parts(repo.path)) == 1


def test_an_answer_holds_for_its_key_its_commit_and_its_time(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache")
    assert cache.answer("ready", "c1") is None
    cache.keep_answer("ready", "c1", b"{}", None)
    cache.keep_answer("status", "c1", b"later", plus(now(), 60))
    cache.keep_answer("needs", "c1", b"over", plus(now(), -1))
    assert cache.answer("ready", "c1") == b"{}"
    assert cache.answer("ready", "c2") is None
    assert cache.answer("status", "c1") == b"later"
    assert cache.answer("needs", "c1") is None


def test_only_so_many_answers_are_kept_and_torn_ones_are_none(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache")
    for number in range(module.KEPT_ANSWERS + 10):
        cache.keep_answer(str(number), "c", b"x", None)
    files = list((tmp_path / "cache").rglob("*.answer"))
    assert len(files) == module.KEPT_ANSWERS
    for path in files:
        path.write_bytes(path.read_bytes()[:-1] + b"y")
    assert cache.answer(str(module.KEPT_ANSWERS + 9), "c") is None
