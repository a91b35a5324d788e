"""The door to git: the same answers whatever the environment, the locale and the user's settings are."""

from __future__ import annotations

import os
import signal
import stat
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stoat.gitstore import porcelain
from stoat.gitstore.porcelain import GitFailed, GitTimedOut, environment, git, legible, zsplit
from tests.support.gitrepo import MakeRepo


def test_a_repository_named_in_the_environment_is_not_the_one_that_is_used(
    make_repo: MakeRepo, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine, other = make_repo("mine"), make_repo("other", files={"o": "1"})
    monkeypatch.setenv("GIT_DIR", str(other.path / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other.path))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other.path / ".git" / "index"))
    monkeypatch.setenv("GIT_OBJECT_DIRECTORY", str(other.path / ".git" / "objects"))
    top = git(mine.path, "rev-parse", "--show-toplevel").out.strip()
    assert top == str(mine.path.resolve())
    assert git(mine.path, "ls-files").out == "README.md\n"


@pytest.mark.parametrize(
    "name", ["GIT_DIR", "GIT_CONFIG_PARAMETERS", "GIT_TRACE", "GIT_NAMESPACE", "GIT_EXTERNAL_DIFF"]
)
def test_what_would_redirect_git_is_stripped(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, "x")
    assert name not in environment()


@pytest.mark.parametrize(
    "name", ["GIT_SSH_COMMAND", "GIT_AUTHOR_NAME", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_KEY_0", "HOME"]
)
def test_how_to_sign_in_and_who_commits_is_kept(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, "x")
    assert environment()[name] == "x"


def test_users_settings_and_locale_do_not_change_output(make_repo: MakeRepo, monkeypatch: pytest.MonkeyPatch) -> None:
    repo = make_repo(files={"grün.txt": "1"})
    for key, value in (
        ("color.ui", "always"),
        ("column.ui", "always"),
        ("core.abbrev", "4"),
        ("core.quotePath", "true"),
    ):
        repo.run_git("config", key, value)
    monkeypatch.setenv("LANG", "de_DE.UTF-8")
    monkeypatch.setenv("LANGUAGE", "de")
    repo.branch("other")
    assert git(repo.path, "branch").out == "* main\n  other\n"
    assert git(repo.path, "ls-files").out == "grün.txt\n"
    assert git(repo.path, "log", "--format=%h", "-1").out.strip() == repo.head()
    with pytest.raises(GitFailed) as failed:
        git(repo.path, "rev-parse", "--verify", "nothing")
    assert failed.value.why == "fatal: Needed a single revision"


def test_an_editor_ends_at_once(make_repo: MakeRepo, monkeypatch: pytest.MonkeyPatch) -> None:
    repo = make_repo()
    monkeypatch.setenv("GIT_EDITOR", "sleep 600 #")
    repo.run_git("config", "core.editor", "sleep 600 #")
    git(repo.path, "commit", "--amend", timeout=30)


def test_a_command_that_never_ends_is_ended_with_what_it_started(make_repo: MakeRepo, tmp_path: Path) -> None:
    repo = make_repo()
    said = tmp_path / "pid"
    repo.run_git("config", "alias.hang", f"!echo $$ >'{said}'; sleep 600")
    started = time.monotonic()
    with pytest.raises(GitTimedOut):
        git(repo.path, "hang", timeout=0.5)
    assert time.monotonic() - started < 10
    with pytest.raises(ProcessLookupError):
        os.kill(int(said.read_text()), 0)


def test_a_group_is_signalled_only_while_its_leader_keeps_the_number_from_others(
    make_repo: MakeRepo, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo = make_repo()
    repo.run_git("config", "alias.hang", "!sleep 600")
    kill, signalled = os.killpg, []

    def checked(group: int, number: int) -> None:
        os.waitid(os.P_PID, group, os.WEXITED | os.WNOWAIT | os.WNOHANG)  # ChildProcessError once it is reaped
        signalled.append(number)
        kill(group, number)

    monkeypatch.setattr(os, "killpg", checked)
    with pytest.raises(GitTimedOut):
        git(repo.path, "hang", timeout=0.2)
    assert signalled == [signal.SIGTERM, signal.SIGKILL]


def test_a_hook_that_leaves_a_daemon_behind_does_not_hold_the_caller(make_repo: MakeRepo) -> None:
    repo = make_repo()
    hook = repo.write(".git/hooks/post-checkout", "#!/bin/sh\nsleep 20 &\n")
    hook.chmod(hook.stat().st_mode | stat.S_IXUSR)
    started = time.monotonic()
    git(repo.path, "checkout", "--quiet", "-b", "x")
    assert time.monotonic() - started < 10


def test_a_directory_that_is_gone_and_a_git_that_is_missing_are_told_apart(
    make_repo: MakeRepo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(GitFailed, match="no such directory"):
        git(tmp_path / "gone", "status")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(GitFailed, match="cannot be started"):
        git(make_path(tmp_path), "status")


def make_path(tmp_path: Path) -> Path:
    place = tmp_path / "there"
    place.mkdir()
    return place


def test_a_repository_of_another_user_is_refused_with_the_exact_setting(make_repo: MakeRepo) -> None:
    repo = make_repo()
    ran = porcelain.Ran(
        128,
        "",
        "fatal: detected dubious ownership in repository at '/r'\nTo add it, call:\n\n"
        "\tgit config --global --add safe.directory /r\n",
    )
    error = porcelain.failure(repo.path, ("status",), ran)
    assert error.hint is not None
    assert error.hint.endswith("git config --global --add safe.directory /r")


def test_input_reaches_git_and_bytes_survive(make_repo: MakeRepo) -> None:
    repo = make_repo()
    oid = git(repo.path, "hash-object", "-w", "--stdin", input=b"\xff\x00x").out.strip()
    out = git(repo.path, "cat-file", "blob", oid).out
    assert os.fsencode(out) == b"\xff\x00x"
    assert legible(out) == "\\xff\x00x"


@given(st.lists(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]))))
def test_records_come_back_as_they_were(records: list[str]) -> None:
    assert zsplit("".join(record + "\0" for record in records)) == records
