"""`stoat demo` works its plan to the end, and never builds over what it did not make."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from stoat.demo.workspace import MARKER, build

STOAT = [sys.executable, "-m", "stoat"]


@pytest.mark.slow
def test_the_demo_works_its_plan_to_the_end_and_can_be_run_again(tmp_path: Path) -> None:
    place = tmp_path / "a demo"
    for _ in range(2):
        ran = subprocess.run([*STOAT, "demo", str(place), "--no-serve"], capture_output=True, text=True, timeout=300)
        assert ran.returncode == 0, ran.stdout + ran.stderr
        assert ran.stderr == ""
        lines = ran.stdout.splitlines()
        assert lines[-1] == f"workspace: {place}"
        assert sum(line.startswith("→ attempt ") for line in lines) == 9
        assert any(line.startswith("✗ attempt 1 on 'weights' failed") for line in lines)
        assert "8 of 8 done" in lines
    status = subprocess.run(
        [*STOAT, "status", "parcels", "--json"], cwd=place / "project", capture_output=True, check=True
    )
    assert {node["status"] for node in json.loads(status.stdout)["nodes"]} == {"done"}
    landed = subprocess.run(["git", "log", "--format=%s", "main..delivery"], cwd=place / "project", capture_output=True)
    assert len(landed.stdout.splitlines()) == 8
    branches = subprocess.run(["git", "rev-parse", "main", "origin/main"], cwd=place / "project", capture_output=True)
    assert len(set(branches.stdout.split())) == 1


@pytest.mark.parametrize("what", ["a file in it", "a file in its place"])
def test_what_the_demo_did_not_make_is_refused_and_kept(tmp_path: Path, what: str) -> None:
    place = tmp_path / "mine"
    if what == "a file in it":
        place.mkdir()
    kept = place / "thesis.txt" if place.is_dir() else place
    kept.write_text("years of work")
    ran = subprocess.run([*STOAT, "demo", str(place), "--no-serve"], capture_output=True, text=True, timeout=60)
    assert ran.returncode == 3
    assert "hint: name a directory that is empty" in ran.stderr
    assert kept.read_text() == "years of work"


def test_an_agent_does_not_give_the_demos_go_ahead(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STOAT_AGENT", "someone")
    ran = subprocess.run(
        [*STOAT, "demo", str(tmp_path / "d"), "--no-serve"], capture_output=True, text=True, timeout=60
    )
    assert ran.returncode == 3
    assert "STOAT_AGENT" in ran.stderr
    assert not (tmp_path / "d").exists()


@pytest.mark.skipif(os.getuid() != 0, reason="only root can make a directory another user's")
@pytest.mark.parametrize("whose", ["the directory", "its marker", "an empty one", "a link to one's own"])
def test_another_users_directory_is_refused_and_kept(tmp_path: Path, whose: str) -> None:
    """By default all users of a machine have theirs in one place."""
    place, other = tmp_path / "stoat-demo", 54321
    real = tmp_path / "real" if whose == "a link to one's own" else place
    real.mkdir()
    if whose != "an empty one":
        (real / MARKER).write_text("Made by another\n")
        (real / "project").mkdir()
    if real != place:
        place.symlink_to(real)
    os.lchown(place / MARKER if whose == "its marker" else place, other, other)
    environ = {**os.environ, "TMPDIR": str(tmp_path)}
    ran = subprocess.run([*STOAT, "demo", "--no-serve"], capture_output=True, text=True, timeout=60, env=environ)
    assert ran.returncode == 3 and ran.stdout == ""
    assert "belongs to another user, number 54321" in ran.stderr and "stoat demo DIR" in ran.stderr
    assert whose == "an empty one" or (real / "project").is_dir()
    assert os.lstat(place / MARKER if whose == "its marker" else place).st_uid == other


def test_ones_own_directory_is_built_anew(tmp_path: Path) -> None:
    place = tmp_path / "own"
    build(place)
    (place / "left.txt").write_text("of the last time")
    build(place)
    assert not (place / "left.txt").exists() and (place / "project" / ".git").is_dir()
