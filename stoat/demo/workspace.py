"""The demo's world on disk: a project repository with a history, its bare origin, a plan, and a launcher profile.

    DIR/project      the repository that agents work on      DIR/plan.yaml        what they work
    DIR/origin.git   where it was cloned from                DIR/launchers.json   how the agent is started

A directory that the demo made carries a marker; only such a one, or an empty one, is built in, and only where it is the
user's own: the default one lies where others of the machine have theirs, and the demo runs what is in it.
"""

from __future__ import annotations

import json
import os
import pwd
import shutil
import sys
from importlib import resources
from pathlib import Path
from typing import NamedTuple

from stoat.demo import project
from stoat.errors import Refused
from stoat.gitstore.porcelain import git

MARKER = ".stoat-demo"
PLAN = "parcels"
LAUNCHER = "scripted"
PERSON = ("Demo Person", "demo@example.invalid")


class Workspace(NamedTuple):
    """The demo's places."""

    root: Path
    project: Path
    plan: Path
    launchers: Path


def build(root: Path) -> Workspace:
    """Make the world in `root`, anew where the demo made it before.

    Refused where there is something that the demo did not make, or made for another user: nothing of it is touched.
    """
    _check_owner(root)
    root = root.resolve()
    _check_owner(root)
    _make_room(root)
    workspace = Workspace(root, root / "project", root / "plan.yaml", root / "launchers.json")
    _make_project(workspace.project, root / "origin.git")
    workspace.plan.write_text(resources.files("stoat.demo").joinpath("plan.yaml").read_text("utf-8"), "utf-8")
    profile = {"name": LAUNCHER, "command": sys.executable, "arguments": ["-m", "stoat.demo.agent", "{prompt}"]}
    workspace.launchers.write_text(json.dumps([profile], indent=2) + "\n", "utf-8")
    return workspace


def _check_owner(place: Path) -> None:
    """Refused where something is at `place` (a symbolic link itself) that is another user's."""
    try:
        owner = place.lstat().st_uid
    except FileNotFoundError:
        return
    if owner != os.getuid():
        raise Refused(f"{place} belongs to {_user(owner)}", hint="name a directory of your own: stoat demo DIR")


def _user(number: int) -> str:
    try:
        return f"another user, {pwd.getpwuid(number).pw_name}"
    except KeyError:
        return f"another user, number {number}"


def _make_room(root: Path) -> None:
    if root.exists() and not root.is_dir():
        raise Refused(f"{root} is a file", hint="name a directory that is empty or does not exist yet")
    marked = (root / MARKER).is_file()
    if marked:
        _check_owner(root / MARKER)
    if root.is_dir() and any(root.iterdir()) and not marked:
        raise Refused(
            f"{root} is not empty, and the demo did not make what is in it",
            hint="name a directory that is empty or does not exist yet: stoat demo DIR",
        )
    if marked:
        shutil.rmtree(root)
    root.mkdir(parents=True, exist_ok=True)
    (root / MARKER).write_text("Made by `stoat demo`, which builds it anew when it is run here again.\n", "utf-8")


def _make_project(place: Path, origin: Path) -> None:
    place.mkdir()
    git(place, "init", "--quiet", "--initial-branch=main")
    for name, value in zip(("user.name", "user.email"), PERSON, strict=True):
        git(place, "config", name, value)
    for commit in project.history(project.project_files()):
        for name, content in commit.files.items():
            file = place / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
        git(place, "add", "--all")
        dated = {"GIT_AUTHOR_DATE": commit.at, "GIT_COMMITTER_DATE": commit.at}
        git(place, "commit", "--quiet", "--no-gpg-sign", "--message", commit.message, env=dated)
    git(place.parent, "clone", "--quiet", "--bare", "project", origin.name)
    git(place, "remote", "add", "origin", str(origin))
    git(place, "fetch", "--quiet", "origin")
    git(place, "branch", "--quiet", "--set-upstream-to=origin/main", "main")
