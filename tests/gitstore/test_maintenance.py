"""Packing in the background: due after so many appends, by git itself, one at a time."""

from __future__ import annotations

import fcntl
import threading

import pytest

from stoat.gitstore import maintenance
from stoat.gitstore.log import Store
from tests.gitstore.building import AGENT, PLAN, always, claim, claims, fill, new_store
from tests.support.gitrepo import GitRepo, MakeRepo
from tests.support.waiting import wait_until


def _loose(repo: GitRepo) -> int:
    return int(repo.run_git("count-objects", "-v").split("count: ")[1].splitlines()[0])


def test_the_count_gives_no_number_twice(make_repo: MakeRepo) -> None:
    common = make_repo().path / ".git"
    numbers: list[int] = []
    threads = [
        threading.Thread(target=lambda: numbers.extend(maintenance.count(common) for _ in range(100))) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(numbers) == list(range(1, 401))


def test_packing_leaves_hardly_a_loose_object_and_everything_readable(make_repo: MakeRepo) -> None:
    repo = make_repo()
    store = new_store(repo.path)
    fill(store, 0, 30, batch=1)
    before = _loose(repo)
    assert maintenance.pack(store.common)
    assert _loose(repo) < 10 < before
    assert len(claims(Store.open(repo.path))) == 30
    repo.run_git("fsck", "--full")


def test_two_are_never_at_it_at_once(make_repo: MakeRepo) -> None:
    common = make_repo().path / ".git"
    (common / "stoat" / "locks").mkdir(parents=True)
    with (common / "stoat" / "locks" / "maintenance.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert not maintenance.pack(common)
    assert maintenance.pack(common)


def test_it_starts_behind_our_back_when_it_is_due_and_not_where_it_is_switched_off(
    make_repo: MakeRepo, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo = make_repo()
    monkeypatch.setattr(maintenance, "EVERY", 20)
    store = new_store(repo.path)
    repo.run_git("config", "stoat.maintenance", "false")
    quiet = Store.open(repo.path)
    fill(quiet, 0, 25, batch=1)
    assert _loose(repo) > 100
    fill(store, 100, 20, batch=1)
    wait_until(lambda: _loose(repo) < 60, 60, "the packing")
    assert store.append(always((PLAN, claim(1))), AGENT).events
