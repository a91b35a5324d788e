"""The environment of an agent, tried on the real git."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from stoat.processes import agent_environment
from tests.support.gitrepo import GitRepo, MakeRepo


def test_git_finds_the_repository_it_stands_in_whatever_the_environment_pointed_at(make_repo: MakeRepo) -> None:
    here, other = make_repo("here"), make_repo("other", files={"theirs": "1"})
    hook = {
        "GIT_DIR": f"{other.path}/.git",
        "GIT_WORK_TREE": str(other.path),
        "GIT_INDEX_FILE": f"{other.path}/.git/index",
        "GIT_OBJECT_DIRECTORY": f"{other.path}/.git/objects",
        "GIT_COMMON_DIR": f"{other.path}/.git",
        "GIT_NAMESPACE": "theirs",
        "GIT_CEILING_DIRECTORIES": str(here.path),
        "GIT_PREFIX": "sub/",
    }
    env = agent_environment({**os.environ, **hook})
    (here.path / "sub").mkdir()
    for command, answer in ((("rev-parse", "--show-toplevel"), str(here.path.resolve())), (("ls-files",), "")):
        said = subprocess.run(["git", *command], cwd=here.path / "sub", env=env, capture_output=True, text=True)
        assert said.stdout.strip() == answer
    assert not set(hook) & set(env)


def test_every_variable_that_git_itself_calls_local_is_gone_but_settings_given_on_purpose(make_repo: MakeRepo) -> None:
    local = make_repo().run_git("rev-parse", "--local-env-vars").split()
    kept = set(local) & set(agent_environment(dict.fromkeys(local, "x")))
    assert kept == {"GIT_CONFIG_COUNT"}


@pytest.mark.parametrize(
    "name",
    [
        "PATH",
        "HOME",
        "LANG",
        "STOAT_STORE",
        "GIT_CONFIG_KEY_0",
        "GIT_CONFIG_VALUE_0",
        "GIT_CONFIG_GLOBAL",
        "GIT_AUTHOR_NAME",
        "GIT_SSH_COMMAND",
        "GIT_ASKPASS",
        "GIT_EXEC_PATH",
        "GIT_ALLOW_PROTOCOL",
        "GITHUB_TOKEN",
    ],
)
def test_what_says_who_the_user_is_and_how_to_reach_remotes_stays(name: str) -> None:
    assert agent_environment({name: "as it was"})[name] == "as it was"


@pytest.mark.parametrize(
    "name", ["GIT_COMMITTER_DATE", "GIT_AUTHOR_DATE", "GIT_CONFIG_PARAMETERS", "PWD", "SSH_ASKPASS"]
)
def test_what_was_meant_for_one_command_or_directory_goes(name: str) -> None:
    assert name not in agent_environment({name: "as it was"})


@pytest.fixture
def conflicted(make_repo: MakeRepo) -> GitRepo:
    """A repository in the middle of a rebase whose conflict is settled and staged."""
    repo = make_repo(files={"f": "0\n"})
    repo.checkout("side", new=True).commit({"f": "side\n"}, "From the side")
    repo.checkout("main").commit({"f": "main\n"}, "From main")
    repo.checkout("side").run_git("rebase", "main", check=False)
    repo.write("f", "both\n")
    repo.run_git("add", "f")
    return repo


def run(repo: GitRepo, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Git as an agent runs it: no input, the agent's environment over one whose editors would wait for ever."""
    base = {**os.environ, "GIT_EDITOR": "sleep 60 #", "EDITOR": "sleep 60 #", "GIT_SEQUENCE_EDITOR": "sleep 60 #"}
    return subprocess.run(
        ["git", *arguments],
        cwd=repo.path,
        env=agent_environment(base),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )


def test_a_rebase_goes_on_without_an_editor_and_keeps_its_message(conflicted: GitRepo) -> None:
    assert run(conflicted, "rebase", "--continue").returncode == 0
    assert conflicted.run_git("log", "-1", "--format=%s") == "From the side"


def test_an_interactive_rebase_ends_at_once_and_says_that_nobody_edited_it(make_repo: MakeRepo) -> None:
    repo = make_repo()
    tip = repo.commit({"a": "1"}, "One")
    ran = run(repo, "rebase", "--interactive", "HEAD~1")
    assert (ran.returncode, repo.head()) == (0, tip)
    assert "nobody edits this list here" in ran.stderr


def test_a_commit_without_a_message_is_refused_at_once(make_repo: MakeRepo) -> None:
    ran = run(make_repo(), "commit", "--allow-empty")
    assert ran.returncode == 1
    assert "empty commit message" in ran.stderr


def test_a_remote_that_wants_a_password_is_refused_at_once(tmp_path: Path) -> None:
    script = tmp_path / "git-remote-locked"
    script.write_text("#!/bin/sh\nprintf 'protocol=https\\nhost=locked.example\\n\\n' | git credential fill\n")
    script.chmod(0o755)
    env = agent_environment({**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}", "GIT_ALLOW_PROTOCOL": "locked"})
    ran = subprocess.run(
        ["git", "ls-remote", "locked://x"],
        env=env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=30,
        start_new_session=True,
    )
    assert ran.returncode != 0
    assert "terminal prompts disabled" in ran.stderr
