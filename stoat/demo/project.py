"""The project that the demo works on: where its files are, its history, and each feature as its agent writes it."""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path
from typing import NamedTuple

NAME = "parcels"


class Commit(NamedTuple):
    """One commit of a fixture's history: its message, its date, and the files that it adds."""

    message: str
    at: str
    files: dict[str, bytes]


def project_files() -> Path:
    """The directory with the demo's project: `history.json`, `tree/` and `features/`.

    A wheel carries it inside the package; a checkout keeps it where the tests have theirs.
    """
    package = Path(str(resources.files("stoat")))
    shipped = package / "fixtures" / NAME
    return shipped if shipped.is_dir() else package.parent / "fixtures" / "repos" / NAME


def history(place: Path) -> list[Commit]:
    """The commits, oldest first, that make a project out of the directory of a fixture."""
    written = json.loads((place / "history.json").read_text(encoding="utf-8"))
    return [
        Commit(one["message"], one["at"], {name: (place / "tree" / name).read_bytes() for name in one["files"]})
        for one in written
    ]


def features(place: Path) -> list[str]:
    """The names of the features that a fixture has ready."""
    return sorted(directory.name for directory in (place / "features").iterdir())


def write_feature(place: Path, feature: str, worktree: Path, *, first_attempt: bool = False) -> tuple[str, list[str]]:
    """Edit a feature into a work tree; gives the message for its commit and the files written, by name.

    With `first_attempt` what that attempt gets wrong is written in place of the right files. To write again over an
    attempt is safe: a line that is there already is not inserted twice.
    """
    source = place / "features" / feature
    told = json.loads((source / "feature.json").read_text(encoding="utf-8"))
    written = set()
    for layer in ("files", "first-attempt") if first_attempt else ("files",):
        for file in sorted((source / layer).rglob("*")):
            # What Python compiled beside an installed fixture is no part of it.
            if file.is_file() and file.suffix != ".pyc":
                name = file.relative_to(source / layer).as_posix()
                target = worktree / name
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(file.read_bytes())
                written.add(name)
    for edit in told.get("insert", ()):
        _insert_below(worktree / edit["file"], edit["below"], edit["line"])
        written.add(edit["file"])
    return told["message"], sorted(written)


def _insert_below(file: Path, heading: str, line: str) -> None:
    text = file.read_text(encoding="utf-8")
    above, found, below = text.partition(f"{heading}\n")
    if not found:
        raise ValueError(f"{file.name} has no line {heading!r}")
    if not below.startswith(f"{line}\n"):
        file.write_bytes(f"{above}{found}{line}\n{below}".encode())
