"""The ref: absent, unreadable and readable are told apart, and nothing is ever begun over an unreadable one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from stoat.errors import NotFound, RefMoved, StoreUnreadable
from stoat.gitstore import refs
from stoat.gitstore.log import Store
from tests.gitstore.building import AGENT, PLAN, always, claim, claims, new_store
from tests.support.gitrepo import GitRepo, MakeRepo


def _ref(repo: GitRepo) -> Path:
    return repo.path / ".git" / "refs" / "stoat" / "state"


def _loose(repo: GitRepo, revision: str) -> Path:
    oid = repo.run_git("rev-parse", revision)
    return repo.path / ".git" / "objects" / oid[:2] / oid[2:]


def _truncate(path: Path) -> None:
    data = path.read_bytes()
    path.chmod(0o644)
    path.write_bytes(data[: len(data) // 2])


def _empty(path: Path) -> None:
    path.chmod(0o644)
    path.write_bytes(b"")


def _replaced(repo: GitRepo) -> None:
    _ref(repo).unlink()
    _ref(repo).mkdir()
    (_ref(repo) / "x").write_text("1" * 40)


def _in_its_way(repo: GitRepo) -> None:
    _ref(repo).unlink()
    _ref(repo).parent.rmdir()
    _ref(repo).parent.write_text("1" * 40)


def _without_recent(repo: GitRepo) -> None:
    import shutil

    shutil.rmtree(repo.path / ".git" / "stoat")


def _packed_with(line: bytes) -> Callable[[GitRepo], None]:
    def damage(repo: GitRepo) -> None:
        _ref(repo).unlink()
        (repo.path / ".git" / "packed-refs").write_bytes(line)

    return damage


DAMAGE: dict[str, Callable[[GitRepo], object]] = {
    "an empty file": lambda repo: _ref(repo).write_bytes(b""),
    "garbage": lambda repo: _ref(repo).write_bytes(b"not a commit\n"),
    "a symbolic ref to nothing": lambda repo: _ref(repo).write_bytes(b"ref: refs/stoat/nothing\n"),
    "a missing commit": lambda repo: _ref(repo).write_bytes(b"1" * 40 + b"\n"),
    "a truncated commit": lambda repo: _truncate(_loose(repo, "stoat/state")),
    "a truncated tree": lambda repo: _truncate(_loose(repo, "stoat/state^{tree}")),
    "a missing tree": lambda repo: _loose(repo, "stoat/state^{tree}").unlink(),
    "a truncated stoat.json": lambda repo: _truncate(_loose(repo, "stoat/state:stoat.json")),
    "an empty commit object": lambda repo: _empty(_loose(repo, "stoat/state")),
    "garbage in packed-refs": _packed_with(b"\x00\x01 nonsense\n"),
    "a bad id in packed-refs": _packed_with(b"zzzz refs/stoat/state\n"),
    "refs below it": _replaced,
    "a file for its directory": _in_its_way,
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_ref_that_cannot_be_read_is_said_to_be_and_nothing_is_begun_over_it(make_repo: MakeRepo, damage: str) -> None:
    repo = make_repo()
    new_store(repo.path)
    _without_recent(repo)
    DAMAGE[damage](repo)
    refs_before = sorted(p for p in (repo.path / ".git" / "refs").rglob("*"))
    for attempt in (Store.open, Store.create):
        with pytest.raises(StoreUnreadable) as said:
            attempt(repo.path)
        assert "\n" not in said.value.message and said.value.hint
        assert "force" not in said.value.hint and "init" not in said.value.hint
    assert sorted(p for p in (repo.path / ".git" / "refs").rglob("*")) == refs_before


@pytest.mark.parametrize("which", ["stoat/state:plans/p/events/000001.jsonl", "stoat/state:plans/p/events"])
@pytest.mark.parametrize("how", [_truncate, Path.unlink])
def test_a_damaged_stream_is_said_when_it_is_read(make_repo: MakeRepo, which: str, how: Callable[[Path], None]) -> None:
    repo = make_repo()
    new_store(repo.path)
    _without_recent(repo)
    how(_loose(repo, which))
    store = Store.open(repo.path)
    with pytest.raises(StoreUnreadable, match="plans/p/events"):
        store.state()
    with pytest.raises(StoreUnreadable):
        store.append(always((PLAN, claim(1))), AGENT)


def test_what_git_threw_away_or_a_crash_cut_off_comes_back_from_the_recent_appends(make_repo: MakeRepo) -> None:
    repo = make_repo()
    new_store(repo.path)
    commit, tree = _loose(repo, "stoat/state"), _loose(repo, "stoat/state^{tree}")
    _truncate(commit)
    tree.unlink()
    assert Store.open(repo.path).state().plans["p"].nodes
    repo.run_git("fsck", "--full")


def test_a_packed_ref_is_found_and_moved(make_repo: MakeRepo) -> None:
    repo = make_repo()
    store = new_store(repo.path)
    repo.run_git("pack-refs", "--all")
    assert not _ref(repo).exists()
    assert Store.open(repo.path).append(always((PLAN, claim(1))), AGENT).events
    assert claims(store) == ["c1"]


def test_an_empty_directory_that_git_left_is_no_ref(make_repo: MakeRepo) -> None:
    repo = make_repo()
    _ref(repo).mkdir(parents=True)
    with pytest.raises(NotFound):
        Store.open(repo.path)
    assert Store.create(repo.path)[1]


def test_move_refuses_a_ref_that_is_elsewhere_and_one_that_exists(make_repo: MakeRepo) -> None:
    repo = make_repo()
    store = new_store(repo.path)
    tip = store.tip()
    first = repo.head("stoat/state~1")
    repository = store._objects.repository
    with pytest.raises(RefMoved):
        refs.move(repository, store.common, first, first)
    with pytest.raises(RefMoved):
        refs.move(repository, store.common, None, first)
    assert store.tip() == tip
    refs.move(repository, store.common, tip, first)
    assert store.tip() == first
