"""New trees out of old ones: the same ids that git would give, and nothing touched beside the path of the change."""

from __future__ import annotations

from stoat.gitstore.objects import Objects
from stoat.gitstore.trees import Trees
from stoat.gitstore.writing import Loose, loose, put
from tests.support.gitrepo import MakeRepo


def test_edits_give_the_trees_that_git_gives(make_repo: MakeRepo) -> None:
    repo = make_repo(files={"a/b/c": "1", "a/b.d": "2", "a/b0": "3", "z": "4", "gone/x": "5"})
    trees = Trees(Objects(repo.path / ".git"))
    before = repo.run_git("rev-parse", "HEAD^{tree}")
    blob = loose(b"blob", b"new")
    written: list[Loose] = [blob]
    after = trees.edit(
        before,
        {b"a": {b"b": {b"c": blob.oid, b"e": blob.oid}}, b"gone": {b"x": None}, b"new": {b"deep": {b"er": blob.oid}}},
        "",
        written,
    )
    put(repo.path / ".git" / "objects", written, sync=False)
    repo.commit({"a/b/c": "new", "a/b/e": "new", "gone/x": None, "new/deep/er": "new"})
    assert after == repo.run_git("rev-parse", "HEAD^{tree}")
    assert trees.find(str(after), [b"new", b"deep"]) == repo.run_git("rev-parse", "HEAD:new/deep")
    assert len(written) == 1 + 2 + 2 + 1  # the blob; a, a/b; new, new/deep; the root


def test_an_edit_that_changes_nothing_writes_nothing_and_one_that_empties_a_tree_leaves_none(
    make_repo: MakeRepo,
) -> None:
    repo = make_repo(files={"a/b": "1"})
    trees = Trees(Objects(repo.path / ".git"))
    root = repo.run_git("rev-parse", "HEAD^{tree}")
    written: list[Loose] = []
    assert trees.edit(root, {b"a": {b"b": repo.run_git("rev-parse", "HEAD:a/b")}}, "", written) == root
    assert trees.edit(root, {b"nothing": None}, "", written) == root
    assert trees.edit(root, {b"a": None}, "", written) is None
    assert written == []
