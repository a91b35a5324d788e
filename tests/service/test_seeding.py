"""A plans directory begins what the store never had, and never undoes an edit."""

from __future__ import annotations

from pathlib import Path

import pytest

from stoat.service import plans, seeding
from stoat.service.session import Session
from tests.service.authors import person_at
from tests.support.gitrepo import GitRepo, MakeRepo

FIRST = "schema: 1\nplan: first\ntitle: As the file says\nnodes:\n  - {id: a, kind: change}\n"
SECOND = "schema: 1\nplan: second\nnodes:\n  - {id: b, kind: change, depends_on: [first/a]}\n"


@pytest.fixture
def repo(make_repo: MakeRepo) -> GitRepo:
    return make_repo()


@pytest.fixture
def ada(repo: GitRepo) -> Session:
    return person_at(repo.path)


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    """Two plans, of which the first by name depends on the other."""
    place = tmp_path / "plan files"
    place.mkdir()
    (place / "a-second.yaml").write_text(SECOND, encoding="utf-8")
    (place / "b-first.yml").write_text(FIRST, encoding="utf-8")
    (place / "README.md").write_text("not a plan", encoding="utf-8")
    return place


def seeded(found: list[seeding.Seeded]) -> list[tuple[str, bool]]:
    return [(each.file.name, each.problem is None) for each in found]


def test_plans_are_seeded_once_in_whatever_order_they_need(ada: Session, directory: Path) -> None:
    assert seeded(seeding.seed_from_directory(ada, directory)) == [("b-first.yml", True), ("a-second.yaml", True)]
    tip = ada.store.tip()
    assert seeding.seed_from_directory(ada, directory) == []
    assert ada.store.tip() == tip


def test_an_edit_is_never_undone(ada: Session, directory: Path) -> None:
    seeding.seed_from_directory(ada, directory)
    plans.change(ada, "first", title="Edited")
    seeding.seed_from_directory(ada, directory)
    assert ada.state().plans["first"].header.title == "Edited"


def test_a_plan_that_was_archived_or_purged_was_had(ada: Session, directory: Path) -> None:
    (directory / "a-second.yaml").unlink()
    seeding.seed_from_directory(ada, directory)
    plans.archive(ada, "first")
    assert seeding.seed_from_directory(ada, directory) == []
    plans.purge(ada, "first")
    assert seeding.seed_from_directory(ada, directory) == []
    assert not ada.state().plans
    assert seeding.ever_had(ada, "first")
    assert not seeding.ever_had(ada, "firs")


def test_a_file_that_cannot_be_taken_is_said_and_the_others_go_on(ada: Session, directory: Path) -> None:
    (directory / "c-broken.yaml").write_text("schema: 1\nplan: c\ntitel: x\n", encoding="utf-8")
    (directory / "d-latin.yaml").write_bytes(b"title: \xff\n")
    found = seeding.seed_from_directory(ada, directory)
    assert seeded(found)[2:] == [("c-broken.yaml", False), ("d-latin.yaml", False)]
    problems = [each.problem.message for each in found if each.problem]
    assert problems == [
        f"{directory / 'c-broken.yaml'}:3:1: a plan has no field 'titel' (did you mean 'title'?)",
        f"{directory / 'd-latin.yaml'}:1:8: this is not UTF-8 text (save the file as UTF-8)",
    ]


def test_the_directory_is_a_setting_relative_to_the_repository(ada: Session, repo: GitRepo) -> None:
    assert seeding.seed(ada) == []
    repo.write("plans/first.yaml", FIRST)
    repo.run_git("config", "stoat.plans", "plans")
    assert seeded(seeding.seed(ada)) == [("first.yaml", True)]
