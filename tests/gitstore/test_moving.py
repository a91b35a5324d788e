"""A lock left on the ref: removed where a killed process of Stoat's provably left it, else named and left alone."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from stoat.errors import Unreachable
from stoat.gitstore import log, moving, refs
from stoat.gitstore.log import Store
from stoat.processes import Identity, identity_of
from tests.gitstore.building import AGENT, PLAN, always, claim, claims, new_store
from tests.support.gitrepo import GitRepo, MakeRepo

_KILLED = """\
import os, signal, sys
from pathlib import Path
from stoat.gitstore.log import Store
store = Store.open(Path(sys.argv[1]))
old, new, content = sys.argv[2], sys.argv[3], sys.argv[4]
with store._turnstile.turn() as store._moving.in_turn, store._moving.announced(old, new):
    with open(store.common / "refs/stoat/state.lock", "x") as lock:
        lock.write(content)
    os.kill(os.getpid(), signal.SIGKILL)
"""

NEW = "c" * 40


def _kill_in_a_move(repo: GitRepo, content: str = "") -> None:
    """Let a process die as it holds the ref's lock, which it made as libgit2 does."""
    tip = repo.head("stoat/state")
    ran = subprocess.run([sys.executable, "-c", _KILLED, str(repo.path), tip, NEW, content], check=False)
    assert ran.returncode == -signal.SIGKILL and _lock(repo).exists()


def _lock(repo: GitRepo) -> Path:
    return repo.path / ".git" / "refs" / "stoat" / "state.lock"


def _record(repo: GitRepo) -> Path:
    return repo.path / ".git" / "stoat" / "locks" / "moving"


@pytest.mark.parametrize("content", ["", f"{NEW}\n"])
def test_the_lock_of_a_killed_process_is_removed_by_the_next_append(make_repo: MakeRepo, content: str) -> None:
    repo = make_repo()
    store = new_store(repo.path)
    _kill_in_a_move(repo, content)
    assert Store.open(repo.path).state() == store.state()
    assert store.append(always((PLAN, claim(1))), AGENT).events
    assert any("state.lock" in note and "was removed" in note for note in store.notes)
    assert not _lock(repo).exists()
    assert Store.open(repo.path).append(always((PLAN, claim(2))), AGENT).events
    assert claims(store) == ["c1", "c2"]


class Foreign(NamedTuple):
    """The lock of a killed process, made into one that may be somebody else's."""

    repo: GitRepo
    owner: Identity
    rest: str

    def rewrite(self, owner: Identity | None) -> None:
        before = _lock(self.repo).stat().st_mtime_ns
        _record(self.repo).write_text(f"{(owner or self.owner).key}{self.rest}")
        os.utime(_record(self.repo), ns=(before, before))


def _other_commit(case: Foreign) -> None:
    _lock(case.repo).write_text(f"{'d' * 40}\n")


def _older(case: Foreign) -> None:
    before = _record(case.repo).stat().st_mtime - 60
    os.utime(_lock(case.repo), (before, before))


def _moved_since(case: Foreign) -> None:
    parent = case.repo.head("stoat/state~1")
    (case.repo.path / ".git" / "refs" / "stoat" / "state").write_text(f"{parent}\n")


def _linked(case: Foreign) -> None:
    _lock(case.repo).rename(_lock(case.repo).with_name("elsewhere"))
    _lock(case.repo).symlink_to("elsewhere")


FOREIGN: dict[str, Callable[[Foreign], object]] = {
    "its owner lives": lambda case: case.rewrite(identity_of(os.getpid())),
    "its owner is of another machine": lambda case: case.rewrite(case.owner._replace(machine="elsewhere")),
    "its owner is of another container": lambda case: case.rewrite(
        case.owner._replace(boot=case.owner.boot.partition("+")[0] + "+1")
    ),
    "it holds another commit": _other_commit,
    "it is older than the record": _older,
    "the ref has moved since": _moved_since,
    "it is a link": _linked,
    "nobody announced a move": lambda case: _record(case.repo).unlink(),
    "the record is over": lambda case: case.rewrite(case.owner._replace(machine="-" + case.owner.machine[1:])),
    "the record is torn": lambda case: _record(case.repo).write_bytes(b"\xff\0"),
}


@pytest.mark.parametrize("why", FOREIGN)
def test_a_lock_that_may_be_somebody_elses_stays(
    make_repo: MakeRepo, monkeypatch: pytest.MonkeyPatch, why: str
) -> None:
    monkeypatch.setattr(log, "LOCKED", 0.1)
    monkeypatch.setattr(moving, "SETTLED", 0.0)
    repo = make_repo()
    store = new_store(repo.path)
    _kill_in_a_move(repo)
    owner, rest = _record(repo).read_text().split(" ", 1)
    FOREIGN[why](Foreign(repo, Identity.parse(owner), f" {rest}"))
    if not _lock(repo).is_symlink() and why != "it is older than the record":
        _age(repo, 0)
    store._moving.in_turn = True
    assert not store._moving.leftover() and store._moving.clear() is None
    assert os.path.lexists(_lock(repo))


def test_a_lock_that_a_live_process_has_open_stays_and_the_process_is_named(
    make_repo: MakeRepo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log, "LOCKED", 0.1)
    repo = make_repo()
    store = new_store(repo.path)
    _kill_in_a_move(repo)
    _age(repo, 60)
    with _lock(repo).open(), pytest.raises(Unreachable, match=f"process {os.getpid()}, has it open"):
        store.append(always((PLAN, claim(1))), AGENT)
    assert store.append(always((PLAN, claim(1))), AGENT).events


def test_without_a_turn_nothing_is_removed(make_repo: MakeRepo) -> None:
    repo = make_repo()
    store = new_store(repo.path)
    _kill_in_a_move(repo)
    _age(repo, 60)
    assert store._moving.leftover() and store._moving.clear() is None


def test_the_record_of_the_dead_is_not_overwritten_by_those_who_find_the_lock(make_repo: MakeRepo) -> None:
    repo = make_repo()
    store = new_store(repo.path)
    _kill_in_a_move(repo)
    before = _record(repo).read_text()
    store._moving.in_turn = True
    with store._moving.announced(store.tip(), "d" * 40):
        pass
    assert _record(repo).read_text() == before


def test_a_store_whose_creator_was_killed_is_created_by_the_next(make_repo: MakeRepo) -> None:
    repo = make_repo()
    Store.create(repo.path)
    _kill_in_a_move(repo)
    owner = _record(repo).read_text().split(" ")[0]
    _record(repo).write_text(f"{owner}  {NEW}\n")
    _age(repo, 60)
    (repo.path / ".git" / "refs" / "stoat" / "state").unlink()
    assert Store.create(repo.path)[1]
    assert not _lock(repo).exists()


@pytest.mark.parametrize("name", ["packed-refs.lock", "refs/stoat/state.lock"])
def test_a_lock_of_unknown_origin_is_described(make_repo: MakeRepo, name: str) -> None:
    repo = make_repo()
    store = new_store(repo.path)
    assert refs.locked(store.common) is None
    lock = store.common / name
    lock.touch()
    os.utime(lock, (time.time() - 3700, time.time() - 3700))
    found = refs.locked(store.common)
    assert found is not None and found.hint is not None
    assert f"{lock}, which is 1h 1m" in found.message and "no live process that can be seen" in found.message


def _age(repo: GitRepo, seconds: float) -> None:
    """Make the lock, and the record before it, that much older; the record's own order is kept."""
    lock, record = _lock(repo), _record(repo)
    for path in (record, lock):
        if path.exists():
            at = time.time() - seconds
            os.utime(path, (at, at))
