"""`stoat init` and `stoat doctor`: beginning, and looking at what one stands on."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.command import Stoat
from tests.support.fakehub import FakeHub
from tests.support.gitrepo import GitRepo, MakeRepo

STATE = "refs/stoat/state"


def test_init_makes_the_ref_once_and_says_what_it_did(make_repo: MakeRepo) -> None:
    repo = make_repo()
    stoat = Stoat(repo.path)
    assert stoat.ok("init") == f"made {STATE} in {repo.path / '.git'}\n"
    tip = repo.head(STATE)
    assert stoat.ok("init") == f"{repo.path / '.git'} holds plans already (0); nothing was changed\n"
    assert repo.head(STATE) == tip
    assert repo.run_git("branch", "--list") == "* main"


def test_a_clone_takes_the_plans_of_its_remote_and_never_forces(repo: GitRepo, tmp_path: Path) -> None:
    origin = repo.add_bare_origin()
    repo.run_git("push", "--quiet", "origin", STATE)
    clone = origin.clone(tmp_path / "clone")
    said = Stoat(clone.path).ok("init")
    assert f"took the plans that origin has: {STATE} is at {repo.head(STATE)[:10]}" in said
    assert clone.head(STATE) == repo.head(STATE)
    assert Stoat(clone.path).json("status")["plans"][0]["plan"] == "demo"
    specs = clone.run_git("config", "--get-all", "remote.origin.fetch").splitlines()
    assert [spec for spec in specs if "stoat" in spec] == ["refs/stoat/*:refs/stoat/remotes/origin/*"]
    Stoat(repo.path).ok("note", "demo", "news")
    repo.run_git("push", "--quiet", "origin", STATE)
    before = clone.head(STATE)
    clone.run_git("fetch", "--quiet")
    assert clone.head("refs/stoat/remotes/origin/state") == repo.head(STATE)
    Stoat(clone.path).ok("init")
    assert clone.head(STATE) == before


def test_a_remote_without_plans_breaks_no_fetch(make_repo: MakeRepo) -> None:
    repo = make_repo(origin=True)
    Stoat(repo.path).ok("init")
    repo.run_git("fetch", "--prune", "origin")


def test_a_remote_that_is_out_of_reach_is_said_and_hinders_nothing(make_repo: MakeRepo) -> None:
    repo = make_repo()
    repo.run_git("remote", "add", "origin", str(repo.path / "gone.git"))
    said = Stoat(repo.path).ok("init")
    assert "origin could not be asked for plans" in said
    assert f"made {STATE}" in said
    ran = Stoat(repo.path).run("init", "--remote", "nope")
    assert (ran.code, ran.out) == (3, "")
    assert "there is no remote 'nope'" in ran.err


def test_a_linked_worktree_and_a_bare_repository_hold_plans_too(repo: GitRepo, tmp_path: Path) -> None:
    repo.run_git("worktree", "add", "--quiet", str(tmp_path / "linked"), "-b", "other")
    assert Stoat(tmp_path / "linked").json("status")["plans"][0]["plan"] == "demo"
    bare = GitRepo(tmp_path / "bare.git").init(bare=True)
    assert Stoat(bare.path).ok("init") == f"made {STATE} in {bare.path}\n"


def test_init_over_damaged_packed_refs_goes_by_the_ref_alone(repo: GitRepo, stoat: Stoat) -> None:
    repo.add_bare_origin()
    tip = repo.head(STATE)
    loose = repo.path / ".git" / "refs" / "stoat" / "state"
    repo.run_git("pack-refs", "--all")
    loose.parent.mkdir(exist_ok=True)
    loose.write_text(f"{tip}\n")
    (repo.path / ".git" / "packed-refs").write_bytes(b"\xff\xfe garbage\n")
    said = stoat.ok("init")
    assert "none was asked for plans: fatal: unexpected line" in said
    assert "holds plans already (1); nothing was changed" in said
    assert "\\xff" in said
    assert loose.read_text().strip() == tip
    loose.unlink()
    ran = stoat.run("init")
    assert (ran.code, ran.out) == (4, "")
    assert "packed-refs is damaged in line 1" in ran.err
    assert not loose.exists()


def test_doctor_finds_all_well(stoat: Stoat, hub: FakeHub) -> None:
    stoat.env |= {"STOAT_GITHUB_API": hub.url, "GH_TOKEN": hub.token}
    checks = stoat.json("doctor")["checks"]
    assert {check["state"] for check in checks} == {"ok"}
    assert [check["name"] for check in checks] == ["git", "agents", "identity", "store", "objects", "github"]
    assert "plans: 1, nodes: 7" in stoat.ok("doctor")


def test_doctor_is_not_content_with_a_name_alone_where_git_is_not(stoat: Stoat, home: Path) -> None:
    (home / ".gitconfig").write_text("[user]\n\tname = Jo\n\tuseConfigOnly = true\n")
    ran = stoat.run("doctor")
    assert ran.code == 1
    assert "✗ identity: agents' work could not be committed here" in ran.out
    assert "git config --global user.email" in ran.out


@pytest.mark.parametrize("name", ["refs/stoat/state.lock", "packed-refs.lock"])
def test_doctor_names_a_lock_that_keeps_everybody_out(stoat: Stoat, repo: GitRepo, name: str) -> None:
    lock = repo.path / ".git" / name
    lock.touch()
    os.utime(lock, (time.time() - 3700, time.time() - 3700))
    ran = stoat.run("doctor")
    assert ran.code == 1
    assert f"{lock}, which is 1h 1m" in ran.out
    assert "removed by hand" in ran.out
    assert lock.exists()


def test_doctor_says_what_to_do_and_changes_nothing(
    stoat: Stoat, repo: GitRepo, make_repo: MakeRepo, tmp_path: Path
) -> None:
    def problems(there: Stoat) -> list[str]:
        ran = there.run("doctor")
        assert ran.code == 1
        assert "\n  hint: " in ran.out
        return [line.split()[1].rstrip(":") for line in ran.out.splitlines() if line.startswith("✗")]

    assert problems(Stoat(tmp_path)) == ["repository"]
    assert problems(Stoat(make_repo("empty").path)) == ["store"]
    tree = repo.run_git("rev-parse", f"{STATE}^{{tree}}")
    place = repo.path / ".git" / "objects" / tree[:2] / tree[2:]
    content = place.read_bytes()
    place.chmod(0o644)
    place.write_bytes(content[:20])
    (cache,) = [path for path in (repo.path / ".git" / "stoat").iterdir() if path.name == "recent"]
    for slot in cache.iterdir():
        slot.unlink()
    assert "objects" in problems(stoat)
    assert place.read_bytes() == content[:20]


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[FakeHub]:
    """The fake GitHub."""
    with FakeHub(tmp_path / "hub") as hub:
        yield hub


def github(stoat: Stoat, hub: FakeHub, **env: str | None) -> dict[str, str]:
    """What doctor says of GitHub; it has to be the last thing, and the exit code has to fit."""
    ran = stoat.run("doctor", "--json", env={"STOAT_GITHUB_API": hub.url, "GH_TOKEN": hub.token, **env})
    check: dict[str, str] = json.loads(ran.out)["checks"][-1]
    assert check.pop("name") == "github"
    assert ran.code == (check["state"] == "problem")
    return check


def test_doctor_asks_github_once_and_tells_what_the_token_may(stoat: Stoat, hub: FakeHub) -> None:
    check = github(stoat, hub)
    assert check["state"] == "ok" and check["what"].endswith("its token has the scopes repo, read:org")
    assert [one.path for one in hub.journal] == ["/rate_limit"]
    hub.scopes = "public_repo"
    assert github(stoat, hub)["state"] == "warning"
    hub.scopes = "gist"
    check = github(stoat, hub)
    assert check["state"] == "problem" and "has only the scopes gist" in check["what"] and "-s repo" in check["do"]


def test_doctor_says_what_is_wrong_with_the_way_to_github(stoat: Stoat, hub: FakeHub) -> None:
    check = github(stoat, hub, GH_TOKEN=None)
    assert check["state"] == "problem" and check["what"].startswith("there is no token for 127.0.0.1")
    assert hub.journal == []
    check = github(stoat, hub, GH_TOKEN="wrong")
    assert check["state"] == "problem" and "does not accept the token" in check["what"] and "GH_TOKEN" in check["do"]
    check = github(stoat, hub, STOAT_GITHUB_API=f"{hub.url}/elsewhere")
    assert check["state"] == "problem" and "STOAT_GITHUB_API" in check["do"]
    hub.stop()
    check = github(stoat, hub)
    assert check["state"] == "problem" and "cannot be reached" in check["what"]


def test_doctor_asks_nothing_of_github_where_no_node_is_about_it(make_repo: MakeRepo, hub: FakeHub) -> None:
    stoat = Stoat(make_repo().path, {"STOAT_GITHUB_API": hub.url})
    stoat.ok("init")
    checks = stoat.json("doctor")["checks"]
    assert [check["name"] for check in checks] == ["git", "agents", "identity", "store", "objects"]
    assert hub.journal == []
