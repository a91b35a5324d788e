"""Objects: read whole or said to be damaged, from wherever git keeps them, without ever hanging."""

from __future__ import annotations

import random
import zlib
from pathlib import Path

import pygit2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stoat.errors import StoreUnreadable
from stoat.gitstore.objects import Entry, Objects, Torn, inflate, object_id, parse_tree, tree_data
from stoat.gitstore.writing import loose, put
from tests.support.gitrepo import MakeRepo


def test_loose_and_packed_objects_and_those_of_alternates_are_read(make_repo: MakeRepo, tmp_path: Path) -> None:
    repo = make_repo(files={"a": "text"})
    oid = repo.run_git("rev-parse", "HEAD:a")
    assert Objects(repo.path / ".git").raw(oid, "blob", "a") == b"text"
    repo.run_git("clone", "--quiet", "--shared", str(repo.path), str(tmp_path / "borrower"))
    borrowing = Objects(tmp_path / "borrower" / ".git")
    assert borrowing.raw(oid, "blob", "a") == b"text"
    repo.run_git("repack", "-adq")
    assert borrowing.raw(oid, "blob", "a") == b"text"
    assert Objects(repo.path / ".git").raw(oid, "blob", "a") == b"text"


def test_a_pack_that_a_repack_replaced_is_looked_for_again(make_repo: MakeRepo) -> None:
    repo = make_repo(files={"a": "text"})
    objects = Objects(repo.path / ".git")
    repo.run_git("repack", "-adq")
    oids = [repo.run_git("rev-parse", name) for name in ("HEAD", "HEAD:a")]
    objects.raw(oids[0], "commit", "it")
    repo.commit({"b": "more"})
    repo.run_git("repack", "-adfq")
    assert objects.raw(oids[1], "blob", "a") == b"text"


def test_an_object_of_another_kind_or_a_missing_one_is_named(make_repo: MakeRepo) -> None:
    repo = make_repo()
    objects = Objects(repo.path / ".git")
    with pytest.raises(StoreUnreadable, match="should be a tree and is a commit"):
        objects.raw(repo.head(), "tree", "the tree")
    with pytest.raises(StoreUnreadable, match=r"the thing \(blob 1{40}\) is missing"):
        objects.raw("1" * 40, "blob", "the thing")


@given(st.binary(max_size=300), st.data())
def test_whatever_is_cut_off_or_flipped_is_torn_and_the_whole_is_read(content: bytes, data: st.DataObject) -> None:
    whole = loose(b"blob", content)
    assert inflate(whole.data, whole.oid) == ("blob", content)
    assert object_id(b"blob", content) == whole.oid
    cut = data.draw(st.integers(0, len(whole.data) - 1))
    with pytest.raises(Torn):
        inflate(whole.data[:cut], whole.oid)
    with pytest.raises(Torn):
        inflate(zlib.compress(b"blob 1\0" + content + b"!"), whole.oid)


def test_writing_is_what_git_reads_and_never_changes_what_is_there(make_repo: MakeRepo) -> None:
    repo = make_repo()
    directory = repo.path / ".git" / "objects"
    for sync in (True, False):
        content = random.randbytes(3000)
        each = loose(b"blob", content)
        put(directory, [each, each], sync)
        path = directory / each.oid[:2] / each.oid[2:]
        before = path.stat().st_ino
        put(directory, [each], sync)
        assert path.stat().st_ino == before
        path.chmod(0o644)
        path.write_bytes(b"")
        put(directory, [each], sync)
        assert Objects(repo.path / ".git").raw(each.oid, "blob", "it") == content
    assert not [path for path in directory.rglob("tmp_obj*")]
    repo.run_git("fsck", "--full")


_names = st.text("abc.-/"[:5], min_size=1, max_size=6).map(str.encode).filter(lambda n: n not in (b".", b".."))


@given(st.dictionaries(_names, st.tuples(st.sampled_from([b"100644", b"40000"]), st.integers(0, 9))))
def test_trees_survive_being_written_and_parsed(entries: dict[bytes, tuple[bytes, int]]) -> None:
    listed = [Entry(mode, name, f"{number}" * 40) for name, (mode, number) in entries.items()]
    assert set(parse_tree(tree_data(listed))) == set(listed)


@pytest.mark.parametrize("error", [OSError("invalid packfile"), ValueError("odb: cannot read"), None])
def test_a_pack_that_is_taken_away_while_it_is_read_is_looked_for_again(
    make_repo: MakeRepo, monkeypatch: pytest.MonkeyPatch, error: Exception | None
) -> None:
    repo = make_repo()
    oid = repo.commit({"a": "1"}, "one")
    repo.run_git("repack", "-adq")
    objects = Objects(repo.path / ".git")
    gone = [error or pygit2.GitError("gone"), error or pygit2.GitError("gone")]

    read = pygit2.Repository(str(repo.path)).odb.read

    class Odb:
        def read(self, wanted: str) -> object:
            if gone:
                raise gone.pop()
            return read(wanted)

    class Repository:
        odb = Odb()

    monkeypatch.setattr("stoat.gitstore.objects.open_repository", lambda _: Repository())
    assert objects.raw(oid, "commit", "the commit").startswith(b"tree ")
    assert gone == []
