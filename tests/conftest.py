"""What every test gets: a home, a git configuration and an environment of its own, on whatever machine."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pygit2
import pytest
from hypothesis import settings
from pygit2.enums import ConfigLevel

from stoat.processes import machine_name
from tests.support.browser import browser, page  # noqa: F401 -- fixtures of the tests marked `browser`
from tests.support.gitrepo import Files, GitRepo, MakeRepo

# A busy machine is no failure of the example that was being tried.
settings.register_profile("stoat", deadline=None)
settings.load_profile("stoat")

# What runs the tests in the background may ignore Ctrl-C, and every program that they start would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)

LEAKING_PREFIXES = ("GIT_", "STOAT_", "BOBCAT_", "XDG_", "GH_", "GITHUB_")
LEAKING_NAMES = {
    *("EDITOR", "VISUAL", "PAGER", "EMAIL"),
    *("NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE", "COLUMNS", "LINES"),
}

GIT_CONFIGURATION = """\
[user]
\tname = Ada Tester
\temail = ada@example.org
\tuseConfigOnly = true
[init]
\tdefaultBranch = main
[core]
\tfsync = none
[gc]
\tauto = 0
[maintenance]
\tauto = false
[advice]
\tdetachedHead = false
[protocol "file"]
\tallow = always
"""


def _isolate(patch: pytest.MonkeyPatch, home: Path) -> None:
    """Point everything that Python, git and libgit2 read about the user at `home`."""
    for name in list(os.environ):
        if name.startswith(LEAKING_PREFIXES) or name in LEAKING_NAMES:
            patch.delenv(name)
    # Runners count what others have of the machine: here only those of their test, however short of anything it is.
    machine = home.with_name(f"{home.name}-machine")
    patch.setenv("STOAT_MACHINE", str(machine))
    (machine / machine_name()).mkdir(parents=True)
    unlimited = {"store": str(machine), "limits": {"disk": 0, "memory": 0, "load": 0.0}}
    (machine / machine_name() / "limits-tests.json").write_text(json.dumps(unlimited), encoding="utf-8")
    configuration = home / ".gitconfig"
    configuration.write_text(GIT_CONFIGURATION, encoding="utf-8")
    patch.setenv("HOME", str(home))
    patch.setenv("USERPROFILE", str(home))
    for name, place in (
        ("XDG_CONFIG_HOME", ".config"),
        ("XDG_CACHE_HOME", ".cache"),
        ("XDG_DATA_HOME", ".local/share"),
        ("XDG_STATE_HOME", ".local/state"),
    ):
        patch.setenv(name, str(home / place))
    patch.setenv("GIT_CONFIG_GLOBAL", str(configuration))
    patch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    patch.setenv("GIT_ALLOW_PROTOCOL", "file")
    patch.setenv("GIT_TERMINAL_PROMPT", "0")
    # libgit2 looked up the home directory once, when it was loaded: the environment alone does not move it.
    for level, place in (
        (ConfigLevel.GLOBAL, str(home)),
        (ConfigLevel.XDG, str(home / ".config" / "git")),
        (ConfigLevel.SYSTEM, str(home / "no-system")),
        (ConfigLevel.PROGRAMDATA, str(home / "no-system")),
    ):
        pygit2.settings.search_path[level] = place


@pytest.fixture(scope="session", autouse=True)
def _isolated_session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The isolation that fixtures wider than one test run under."""
    with pytest.MonkeyPatch.context() as patch:
        _isolate(patch, tmp_path_factory.mktemp("session-home"))
        yield


@pytest.fixture(autouse=True)
def home(
    _isolated_session: None, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """This test's own home directory; it holds a .gitconfig (Ada Tester, branch main) and nothing else."""
    place = tmp_path_factory.mktemp("home")
    _isolate(monkeypatch, place)
    return place


@pytest.fixture
def make_repo(tmp_path: Path) -> MakeRepo:
    """A factory: `make_repo("name", files={…}, origin=True)` makes a repository; its path has a space."""

    def make(name: str = "project", *, files: Files | None = None, origin: bool = False) -> GitRepo:
        repo = GitRepo(tmp_path / "work space" / name).init()
        repo.commit({"README.md": f"# {name}\n"} if files is None else files, "Start")
        if origin:
            repo.add_bare_origin()
        return repo

    return make
