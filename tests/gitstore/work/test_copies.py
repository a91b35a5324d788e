"""Files copied into a worktree: only what git ignores, never out of the project, never over what is there."""

from __future__ import annotations

import os
import signal
import stat
from pathlib import Path

import pytest

from stoat.errors import Refused
from stoat.gitstore.work import copies
from tests.support.gitrepo import GitRepo, MakeRepo


@pytest.fixture
def project(make_repo: MakeRepo) -> GitRepo:
    """A project that ignores `.env*`, `secret/` and `odd/`, with a tracked `kept.txt`."""
    return make_repo("app", files={".gitignore": "/.env*\nsecret/\n/odd/\n/out\n", "kept.txt": "kept\n"})


def worktree_of(project: GitRepo) -> Path:
    place = project.path.with_name("app-n")
    project.run_git("worktree", "add", "--quiet", "-b", "n", str(place))
    return place


def killed(project: GitRepo, worktree: Path) -> None:
    """A process that copies `.env`, and is killed when its first draft is written and not in its place yet."""
    child = os.fork()
    if child == 0:
        os.link = lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL)
        try:
            copies.bring(project.path, worktree, (".env",))
        finally:
            os._exit(1)
    assert os.WTERMSIG(os.waitpid(child, 0)[1]) == signal.SIGKILL


def test_files_and_directories_arrive_with_their_modes_and_links_and_git_sees_no_change(project: GitRepo) -> None:
    project.write(".env", "A=1\n").chmod(0o600)
    project.write("secret/deep er/key", "k").chmod(0o640)
    project.write("secret/run.sh", "#!/bin/sh\n").chmod(0o755)
    (project.path / "secret" / "latest").symlink_to("run.sh")
    place = worktree_of(project)
    assert copies.bring(project.path, place, (".env", "secret")) == 4
    assert (place / ".env").read_text() == "A=1\n"
    modes = [stat.S_IMODE((place / name).stat().st_mode) for name in (".env", "secret/deep er/key", "secret/run.sh")]
    assert modes == [0o600, 0o640, 0o755]
    assert (place / "secret" / "latest").readlink() == Path("run.sh")
    assert GitRepo(place).run_git("status", "--porcelain") == ""


def test_it_is_done_once_and_what_a_killed_process_left_half_done_is_done_over(project: GitRepo) -> None:
    project.write(".env", "whole\n")
    place = worktree_of(project)
    killed(project, place)
    assert list(place.glob(".stoat-*.copying"))
    assert copies.bring(project.path, place, (".env",)) == 1
    assert (place / ".env").read_text() == "whole\n"
    assert GitRepo(place).run_git("status", "--porcelain") == ""
    (place / ".env").write_text("the agent's own\n")
    assert copies.bring(project.path, place, (".env",)) == 0
    assert (place / ".env").read_text() == "the agent's own\n"
    project.write(".env.test", "more\n")
    assert copies.bring(project.path, place, (".env", ".env.test")) == 1
    assert (place / ".env").read_text() == "the agent's own\n"


def test_what_a_person_put_there_after_a_kill_stays(project: GitRepo) -> None:
    project.write(".env", "the project's\n")
    place = worktree_of(project)
    killed(project, place)
    (place / ".env").write_text("a person's own\n")
    assert copies.bring(project.path, place, (".env",)) == 0
    assert (place / ".env").read_text() == "a person's own\n"
    assert GitRepo(place).run_git("status", "--porcelain") == ""


def test_what_a_note_names_and_is_no_draft_is_left_alone(project: GitRepo) -> None:
    project.write(".env", "the project's\n")
    place = worktree_of(project)
    own = Path(GitRepo(place).run_git("rev-parse", "--absolute-git-dir"))
    (own / "stoat-copying").write_text(".env")
    (place / ".env").write_text("a person's own\n")
    assert copies.bring(project.path, place, (".env",)) == 0
    assert (place / ".env").read_text() == "a person's own\n"


def test_files_are_compared_byte_by_byte_however_alike_they_were_before(project: GitRepo) -> None:
    there = project.write(".env", "A=1\n")
    place = worktree_of(project)
    copies.bring(project.path, place, (".env",))
    assert copies.is_kept_elsewhere(project.path, place, ".env")
    seen = there.stat()
    there.write_text("B=2\n")
    os.utime(there, ns=(seen.st_atime_ns, seen.st_mtime_ns))
    assert not copies.is_kept_elsewhere(project.path, place, ".env")


def test_a_link_to_a_file_of_the_project_is_copied_as_that_file(project: GitRepo) -> None:
    project.write("secret/dev.env", "dev\n")
    (project.path / ".env").symlink_to("secret/dev.env")
    place = worktree_of(project)
    copies.bring(project.path, place, (".env",))
    assert not (place / ".env").is_symlink()
    assert (place / ".env").read_text() == "dev\n"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("../outside", "no path below the project"),
        ("/etc/passwd", "no path below the project"),
        ("secret/../../x", "no path below the project"),
        (".", "no path below the project"),
        ("", "no path below the project"),
        (".git/config", "git's own"),
        (".env", "is not there"),
        ("kept.txt", "git tracks kept.txt"),
        ("loose.txt", "git does not ignore loose.txt"),
        ("out", "a link out of the project"),
        ("odd/absolute", "a link by an absolute path"),
        ("odd/fifo", "is no file"),
        ("odd", "is no file"),
        ("secret/away/x", "leads out of the project"),
        ("secret", "a link out of the project"),
        ("secret/nested/.git", "git's own"),
    ],
)
def test_what_may_not_be_copied_is_refused_before_anything_is(
    project: GitRepo, tmp_path: Path, name: str, words: str
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "x").write_text("not ours")
    project.write("loose.txt", "loose")
    (project.path / "out").symlink_to(elsewhere / "x")
    for folder in ("odd", "secret/nested/.git"):
        (project.path / folder).mkdir(parents=True)
    (project.path / "odd" / "absolute").symlink_to(project.path / "kept.txt")
    os.mkfifo(project.path / "odd" / "fifo")
    (project.path / "secret" / "away").symlink_to(elsewhere)
    with pytest.raises(Refused, match=words) as refused:
        copies.files_of(project.path, (name,))
    assert refused.value.hint


def test_what_the_worktrees_own_base_does_not_ignore_is_refused(project: GitRepo) -> None:
    project.write(".env", "A=1\n")
    project.run_git("checkout", "--quiet", "-b", "older")
    project.write(".gitignore", "")
    project.run_git("commit", "--quiet", "-am", "Ignore nothing")
    project.run_git("checkout", "--quiet", "main")
    place = project.path.with_name("app-old")
    project.run_git("worktree", "add", "--quiet", str(place), "older")
    with pytest.raises(Refused, match="in the worktree"):
        copies.bring(project.path, place, (".env",))
    assert not (place / ".env").exists()


@pytest.mark.parametrize("what", ["same", "changed", "more", "link here", "link there", "none there", "led there"])
def test_a_copy_is_kept_elsewhere_only_as_the_same_bytes_in_a_file_of_the_main_work_tree(
    project: GitRepo, what: str
) -> None:
    key, place = project.write("secret/deep/key", "k"), worktree_of(project)
    copies.bring(project.path, place, ("secret",))
    copy = place / "secret" / "deep" / "key"
    if what == "changed":
        copy.write_text("K")
    elif what == "more":
        copy.with_name("new").write_text("only here")
    elif what == "link here":
        copy.unlink()
        copy.symlink_to(key)
    elif what == "link there":
        key.unlink()
        key.symlink_to(copy)
    elif what == "none there":
        key.unlink()
    elif what == "led there":
        key.unlink()
        key.parent.rmdir()
        key.parent.symlink_to(copy.parent)
    assert copies.is_kept_elsewhere(project.path, place, "secret/") == (what == "same")
    assert not copies.is_kept_elsewhere(place, place, "secret/")


def test_nothing_is_written_over_or_through_a_link_of_the_worktree(project: GitRepo, tmp_path: Path) -> None:
    project.write("secret/key", "ours")
    project.write(".env", "ours")
    place, elsewhere = worktree_of(project), tmp_path / "elsewhere"
    elsewhere.mkdir()
    (place / "secret").symlink_to(elsewhere)
    GitRepo(place).write(".gitignore", "secret\n.env\n")
    (place / ".env").symlink_to(elsewhere / "env")
    try:
        copies.bring(project.path, place, ("secret", ".env"))
    except Refused as refused:
        assert "secret" in refused.message  # git itself says that a path is beyond a link
    assert list(elsewhere.iterdir()) == []
    assert (place / ".env").is_symlink()
