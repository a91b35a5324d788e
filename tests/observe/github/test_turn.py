"""One sweeper a machine and store, told by name to the next; what the last sweep saw, whatever state its file is in."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from stoat.errors import Unreachable
from stoat.observe.github.now import folder, forget_now, keep_now, read_now
from stoat.observe.github.turn import Sweeping, turn
from stoat.plan.github import Ci, GitHubNow, PullNow, RepositoryNow

HOLD = """
import sys
from pathlib import Path
from stoat.observe.github.turn import turn
with turn(Path(sys.argv[1]), "stoat serve") as holder:
    print(holder.ours, flush=True)
    sys.stdin.read()
"""


def test_the_turn_is_one_process_at_a_time_and_free_as_soon_as_that_is_gone(tmp_path: Path) -> None:
    other = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert other.stdout is not None
    assert other.stdout.readline() == "True\n"
    with turn(tmp_path, "stoat sweep") as holder:
        assert holder == Sweeping(other.pid, "stoat serve")
        assert str(holder) == f"process {other.pid} (stoat serve)"
    other.send_signal(signal.SIGKILL)
    other.communicate()
    with turn(tmp_path, "stoat sweep") as holder:
        assert holder == Sweeping(os.getpid(), "stoat sweep", ours=True)
        with turn(tmp_path, "another thread") as second:
            assert not second.ours and second.what == "stoat sweep"
    with turn(tmp_path, "stoat sweep") as holder:
        assert holder.ours


def test_a_lock_file_that_says_nothing_names_nobody(tmp_path: Path) -> None:
    with turn(tmp_path, "x"):
        (tmp_path / "stoat" / "locks" / "sweep.lock").write_bytes(b"{torn")
        with turn(tmp_path, "y") as second:
            assert str(second) == "another process"


def test_where_no_lock_can_be_had_it_says_so(tmp_path: Path) -> None:
    (tmp_path / "stoat").write_text("a file in the way")
    with pytest.raises(Unreachable, match="no sweep can be told from another one"), turn(tmp_path, "x"):
        pass


NOW = GitHubNow(
    at="2026-11-30T10:00:00.000Z",
    repositories={"o/r": RepositoryNow(pulls={8: PullNow(head="a" * 40, ci=Ci(verdict="passed", passed=2))})},
)


def test_what_was_kept_is_read_again_until_it_is_forgotten(tmp_path: Path) -> None:
    assert read_now(tmp_path) == GitHubNow()
    keep_now(tmp_path, NOW)
    assert read_now(tmp_path) == NOW
    assert [path.name for path in folder(tmp_path).iterdir()] == ["github.json"]
    forget_now(tmp_path)
    forget_now(tmp_path)
    assert read_now(tmp_path) == GitHubNow()


@pytest.mark.parametrize("damage", [b"", b"{", b"[]", b'{"at": 7}', b"\xff" * 40, b'{"repositories": {"o/r": 3}}'])
def test_a_damaged_file_is_as_none(tmp_path: Path, damage: bytes) -> None:
    keep_now(tmp_path, NOW)
    (folder(tmp_path) / "github.json").write_bytes(damage)
    assert read_now(tmp_path) == GitHubNow()
    keep_now(tmp_path, NOW)
    assert read_now(tmp_path) == NOW


def test_a_disk_that_takes_nothing_loses_only_what_the_next_sweep_brings(tmp_path: Path) -> None:
    (tmp_path / "stoat").write_text("a file in the way")
    keep_now(tmp_path, NOW)
    forget_now(tmp_path)
    assert read_now(tmp_path) == GitHubNow()
