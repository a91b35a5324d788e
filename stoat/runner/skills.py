"""The skills of a plan for workers without the user's own context: one generated plugin of links to the installed ones.

It is at ~/.stoat/worker-skills/<plan>/, for the launcher's skillArguments. Whatever else lies there is left alone.
"""

from __future__ import annotations

import contextlib
import json
import os
import threading
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from stoat.derive.schedule import Scope
from stoat.errors import Refused
from stoat.observe.replacing import DRAFT, replaced
from stoat.plan.state import PlanState

PLUGIN = "stoat"
"""What the plugin is called: Claude Code shows its skills as `stoat:<skill>`."""

_ABOUT = {"name": PLUGIN, "version": "1.0.0", "description": "The skills that a plan names for its workers"}


class Skills(NamedTuple):
    """Where the named skills are installed, by name, and which of them are nowhere."""

    installed: Mapping[str, Path]
    missing: tuple[str, ...]


def named(plan: PlanState, scope: Scope) -> tuple[str, ...]:
    """Every skill that the plan or one of the run's nodes names, each once."""
    nodes = (node.spec.skills for node_id, node in plan.nodes.items() if scope.takes(node_id))
    return tuple(dict.fromkeys([*plan.header.skills, *(skill for skills in nodes for skill in skills)]))


def home_of(environ: Mapping[str, str], home: Path) -> Path:
    """Where Claude Code keeps the user's own skills."""
    configured = environ.get("CLAUDE_CONFIG_DIR")
    return (Path(configured).absolute() if configured else home / ".claude") / "skills"


def look(names: Iterable[str], home: Path, project: Path) -> Skills:
    """Which of these skills are installed in `home`. One that the project has itself is not missing: it comes along."""
    installed, missing = {}, []
    for name in names:
        if _is_skill(home, name):
            installed[name] = home / name
        elif not _is_skill(project / ".claude" / "skills", name):
            missing.append(name)
    return Skills(installed, tuple(missing))


def _is_skill(place: Path, name: str) -> bool:
    return Path(name).name == name and not name.startswith(".") and (place / name / "SKILL.md").is_file()


def write_plugin(plan: str, skills: Skills, home: Path) -> Path | None:
    """The plugin's directory, brought up to date; None where no skill is installed. Refused where it cannot be written.

    `home` is the user's. Links of ours to skills that nobody names any more are removed, and nothing else.
    """
    if not skills.installed:
        return None
    place = home / ".stoat" / "worker-skills" / plan
    try:
        manifest = place / ".claude-plugin" / "plugin.json"
        about = json.dumps(_ABOUT, indent=2).encode() + b"\n"
        if not manifest.is_file() or manifest.read_bytes() != about:
            replaced(manifest, about)
        (place / "skills").mkdir(exist_ok=True)
        for name, source in skills.installed.items():
            _link(place / "skills" / name, source)
        _unlink_others(place / "skills", skills)
    except OSError as problem:
        raise Refused(
            f"the plan's skills cannot be handed over in {place}: {problem.strerror}",
            hint="make room for it, or leave --lean out",
        ) from problem
    return place


def _link(place: Path, source: Path) -> None:
    """Put a link to `source` there in one step. What is no link is somebody's own and stays."""
    if (place.exists() and not place.is_symlink()) or (place.is_symlink() and place.readlink() == source):
        return
    draft = place.with_name(f".{place.name}.{os.getpid()}-{threading.get_ident()}{DRAFT}")
    draft.unlink(missing_ok=True)
    draft.symlink_to(source)
    draft.replace(place)


def _unlink_others(place: Path, skills: Skills) -> None:
    """Remove links that lead to the home of the skills, where all of ours lead, and are not among them."""
    homes = {source.parent for source in skills.installed.values()}
    for entry in place.iterdir():
        if entry.is_symlink() and entry.name not in skills.installed and entry.readlink().parent in homes:
            with contextlib.suppress(FileNotFoundError):
                entry.unlink()
