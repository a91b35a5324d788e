"""A directory of plan documents that seeds a store: each plan it never had, once; an edit is never undone by a file."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from stoat.errors import Invalid, StoatError
from stoat.gitstore.porcelain import git
from stoat.gitstore.refs import REF
from stoat.plan import streams
from stoat.plan.document import parse, report
from stoat.plan.yaml_in import decode
from stoat.service.authoring import Authored
from stoat.service.plans import import_document
from stoat.service.session import Session

SETTING = "stoat.plans"


class Seeded(NamedTuple):
    """What a file came to: the plan it began, or why it could not; files of plans that were there are left out."""

    file: Path
    authored: Authored | None
    problem: StoatError | None


def seed(session: Session) -> list[Seeded]:
    """Seed from the directory that `git config stoat.plans` names (relative to the repository); nothing without one."""
    said = git(session.store.common, "config", "--type=path", "--get", SETTING, check=False)
    if said.code != 0 or not said.out.strip():
        return []
    root = session.store.common.parent if session.store.common.name == ".git" else session.store.common
    return seed_from_directory(session, root / said.out.removesuffix("\n"))


def seed_from_directory(session: Session, directory: Path) -> list[Seeded]:
    """Import every *.yaml and *.yml document whose plan the store never had: a purged or archived one it had.

    Plans may depend on each other, whatever their files are called. A file that cannot be taken is said, and the
    others go on.
    """
    files = sorted(file for file in directory.glob("*") if file.suffix in (".yaml", ".yml") and file.is_file())
    done: list[Seeded] = []
    while files:
        tried = [_seed(session, file) for file in files]
        done += [seeded for seeded in tried if seeded is not None and seeded.authored is not None]
        failed = [seeded for seeded in tried if seeded is not None and seeded.authored is None]
        if len(failed) == len(files):
            return [*done, *failed]
        # Something was taken: what failed may have waited for it.
        files = [seeded.file for seeded in failed]
    return done


def ever_had(session: Session, slug: str) -> bool:
    """Whether the store has or had a plan of that slug; asked of git, whose history keeps what was purged."""
    if session.state().plan(slug) is not None:
        return True
    path = f"{streams.of_plan(slug)}/"
    return bool(git(session.store.common, "log", "-1", "--format=%H", REF, "--", path).out.strip())


def _seed(session: Session, file: Path) -> Seeded | None:
    try:
        text = decode(file.read_bytes())
        slug = parse(text).header.plan
        if slug and ever_had(session, slug):
            return None
        return Seeded(file, import_document(session, text, only_new=True), None)
    except Invalid as invalid:
        named = Invalid(invalid.problems, report(str(file), invalid.problems))
        return Seeded(file, None, named)
    except StoatError as problem:
        return Seeded(file, None, problem)
    except OSError as problem:
        return Seeded(file, None, StoatError(f"{file} cannot be read: {problem.strerror}"))
