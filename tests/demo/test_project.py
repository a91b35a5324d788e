"""The demo's project: its history is real, its features land in any order, and one first attempt is wrong."""

from __future__ import annotations

import itertools
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from stoat.demo.project import features, history, project_files, write_feature
from tests.support.fixtures import REPOS, build
from tests.support.gitrepo import GitRepo

ORDER = ("model", "zones", "weights", "pricing", "cli", "docs", "release")


@pytest.fixture
def project(tmp_path: Path) -> GitRepo:
    return build("parcels", tmp_path / "a project")


def python(project: GitRepo, *arguments: str) -> int:
    """The exit code of a Python in the project's work tree."""
    return subprocess.run([sys.executable, *arguments], cwd=project.path, capture_output=True, check=False).returncode


def add(project: GitRepo, feature: str, **attempt: bool) -> None:
    """Write a feature and commit it, as its agent does."""
    message, files = write_feature(project_files(), feature, project.path, **attempt)
    project.run_git("add", "--", *files)
    project.commit(message=message)
    assert project.run_git("status", "--porcelain") == ""


def test_a_checkout_finds_the_fixture_in_its_own_place() -> None:
    assert project_files().resolve() == (REPOS / "parcels").resolve()


def test_a_wheel_carries_the_fixture_to_where_it_is_looked_for(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    settings = tomllib.loads((REPOS.parents[1] / "pyproject.toml").read_text(encoding="utf-8"))
    carried = settings["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]["fixtures/repos/parcels"]
    (tmp_path / carried).mkdir(parents=True)
    monkeypatch.setattr("stoat.demo.project.resources.files", lambda package: tmp_path / package)
    assert project_files() == tmp_path / carried


def test_every_feature_has_its_place_in_the_order() -> None:
    assert features(project_files()) == sorted(ORDER)


def test_the_history_holds_every_file_of_the_tree_once() -> None:
    tree = project_files() / "tree"
    held = [name for commit in history(project_files()) for name in commit.files]
    there = [file for file in tree.rglob("*") if file.is_file() and file.suffix != ".pyc"]
    assert sorted(held) == sorted(file.relative_to(tree).as_posix() for file in there)


def test_it_is_the_same_repository_every_time(project: GitRepo, tmp_path: Path) -> None:
    assert build("parcels", tmp_path / "again").head() == project.head()
    assert project.run_git("rev-list", "--count", "HEAD") == str(len(history(project_files())))
    assert project.run_git("status", "--porcelain") == ""


def test_every_commit_of_the_way_passes_its_own_tests(project: GitRepo) -> None:
    assert python(project, "-m", "unittest") == 0
    for feature in ORDER:
        add(project, feature)
        assert python(project, "-m", "unittest") == 0, feature
    assert python(project, "-m", "specs", "build/specs.xml") == 0
    assert (project.path / "build" / "specs.xml").is_file()
    assert project.run_git("status", "--porcelain") == ""


@pytest.mark.parametrize("pair", list(itertools.permutations(("zones", "weights"))))
def test_features_worked_on_side_by_side_rebase_onto_each_other(project: GitRepo, pair: tuple[str, str]) -> None:
    add(project, "model")
    for feature in pair:
        project.checkout("main").checkout(feature, new=True)
        add(project, feature)
    project.run_git("rebase", "--quiet", pair[0])
    add(project, "pricing")
    for feature in ("cli", "docs"):
        project.checkout(pair[1]).checkout(feature, new=True)
        add(project, feature)
    project.run_git("rebase", "--quiet", "cli")
    assert python(project, "-m", "unittest") == 0
    assert python(project, "-m", "specs", "build/specs.xml") == 0


def test_the_first_attempt_at_weights_fails_its_test_and_the_second_mends_it(project: GitRepo) -> None:
    add(project, "model")
    add(project, "weights", first_attempt=True)
    assert python(project, "-m", "unittest", "tests.test_weights") == 1
    add(project, "weights")
    assert python(project, "-m", "unittest", "tests.test_weights") == 0
    assert project.run_git("show", "--name-only", "--format=") == "parcels/weights.py"


def test_a_feature_that_comes_too_early_is_refused(project: GitRepo) -> None:
    with pytest.raises(FileNotFoundError):
        write_feature(project_files(), "zones", project.path)
