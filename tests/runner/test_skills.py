"""The plugin of a plan's skills: links to the installed ones, brought up to date, and nothing else touched."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from stoat.derive.schedule import Scope
from stoat.errors import Refused
from stoat.runner import skills
from stoat.runner.skills import Skills, look, write_plugin
from tests.support.states import node, plan


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A user's home with three skills, one of them a link."""
    place = tmp_path / "the home"
    for name in ("tdd", "docs"):
        install(place / ".claude" / "skills", name)
    install(tmp_path / "elsewhere", "linked")
    (place / ".claude" / "skills" / "linked").symlink_to(tmp_path / "elsewhere" / "linked")
    return place


def install(place: Path, name: str) -> None:
    (place / name).mkdir(parents=True)
    (place / name / "SKILL.md").write_text(f"---\nname: {name}\ndescription: {name}\n---\n")


def found(home: Path, *names: str) -> Skills:
    return look(names, skills.home_of({}, home), home / "project")


def links(plugin: Path | None) -> dict[str, str]:
    assert plugin is not None
    return {entry.name: str(entry.readlink()) for entry in sorted((plugin / "skills").iterdir())}


def test_the_plans_skills_and_its_nodes_are_named_once_for_the_nodes_of_the_run() -> None:
    nodes = (node("a", spec={"skills": ("x", "tdd")}), node("b", spec={"skills": ("y",)}))
    planned = plan("p", *nodes, header={"skills": ("tdd", "docs")})
    assert skills.named(planned, Scope()) == ("tdd", "docs", "x", "y")
    assert skills.named(planned, Scope(skip=frozenset({"b"}))) == ("tdd", "docs", "x")


@pytest.mark.parametrize("name", ["nope", "../skills/tdd", ".", "..", "", "tdd/", "a/b", ".hidden"])
def test_what_is_not_installed_is_missing_whatever_it_is_called(name: str, home: Path) -> None:
    assert found(home, "tdd", name) == Skills({"tdd": home / ".claude" / "skills" / "tdd"}, (name,))


def test_a_skill_of_the_project_itself_is_not_missing(home: Path) -> None:
    install(home / "project" / ".claude" / "skills", "own")
    assert found(home, "own") == Skills({}, ())


def test_the_users_own_directory_of_claude_code_counts(tmp_path: Path) -> None:
    assert skills.home_of({"CLAUDE_CONFIG_DIR": "/x"}, tmp_path) == Path("/x/skills")


def test_the_installed_ones_become_a_plugin(home: Path) -> None:
    plugin = write_plugin("p", found(home, "tdd", "linked", "nope"), home)
    installed = home / ".claude" / "skills"
    assert plugin == home / ".stoat" / "worker-skills" / "p"
    assert links(plugin) == {"linked": str(installed / "linked"), "tdd": str(installed / "tdd")}
    assert json.loads((plugin / ".claude-plugin" / "plugin.json").read_text())["name"] == "stoat"
    assert (plugin / "skills" / "linked" / "SKILL.md").is_file()


def test_nothing_installed_is_no_plugin(home: Path) -> None:
    assert write_plugin("p", found(home, "nope"), home) is None
    assert not (home / ".stoat").exists()


def test_it_is_brought_up_to_date_and_others_things_in_it_stay(home: Path) -> None:
    plugin = write_plugin("p", found(home, "tdd", "linked"), home)
    assert plugin is not None
    place = plugin / "skills"
    (place / "mine").mkdir()
    (place / "theirs").symlink_to(home)
    (place / "docs").mkdir()
    (place / "tdd").unlink()
    (place / "tdd").symlink_to("nowhere")
    assert write_plugin("p", found(home, "tdd", "docs"), home) == plugin
    assert (place / "tdd").readlink() == home / ".claude" / "skills" / "tdd"
    assert sorted(entry.name for entry in place.iterdir()) == ["docs", "mine", "tdd", "theirs"]
    assert not (place / "docs").is_symlink()


def test_a_second_time_changes_nothing(home: Path) -> None:
    plugin = write_plugin("p", found(home, "tdd"), home)
    assert plugin is not None
    before = {path: path.lstat().st_mtime_ns for path in plugin.rglob("*")}
    write_plugin("p", found(home, "tdd"), home)
    assert {path: path.lstat().st_mtime_ns for path in plugin.rglob("*")} == before


def test_a_place_that_cannot_be_written_is_refused(home: Path) -> None:
    (home / ".stoat").write_text("a file")
    with pytest.raises(Refused, match="cannot be handed over") as refused:
        write_plugin("p", found(home, "tdd"), home)
    assert "--lean" in (refused.value.hint or "")
