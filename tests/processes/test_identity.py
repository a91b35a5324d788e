"""Who a process is: nothing else is taken for it, and it is not taken for anything else."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stoat.processes import Identity, find_marked, identity_of, is_alive, is_dead, machine_name, seeing
from tests.support.programs import TELL, python, told, told_identity, wait_for_death
from tests.support.waiting import wait_until

ME = identity_of(os.getpid())
assert ME is not None


def test_a_running_process_is_alive_and_not_dead() -> None:
    assert is_alive(ME)
    assert not is_dead(ME)


def test_a_pid_that_nobody_has_is_nobody() -> None:
    process = subprocess.Popen(["true"])
    process.wait()
    assert identity_of(process.pid) is None


def test_a_zombie_is_dead_although_a_signal_would_reach_it() -> None:
    process = subprocess.Popen(["true"])
    wait_until(lambda: (seen := seeing.see(process.pid)) and seen.zombie, what="a zombie")
    identity = identity_of(process.pid)
    os.kill(process.pid, 0)
    assert not is_alive(identity)
    assert is_dead(identity)
    process.wait()


@pytest.mark.parametrize("field", ["boot", "started"])
def test_a_pid_that_was_given_away_again_is_not_the_process_that_was_recorded(field: str) -> None:
    recorded = ME._replace(**{field: "1"})
    assert not is_alive(recorded)
    assert is_dead(recorded)


def test_what_another_machine_or_container_runs_is_neither_seen_alive_nor_known_dead() -> None:
    elsewhere = ME._replace(machine="elsewhere")
    beside = ME._replace(boot=ME.boot.partition("+")[0] + "+1")
    for identity in (elsewhere, beside):
        assert not is_alive(identity)
        assert not is_dead(identity)


def test_a_command_whose_name_imitates_the_kernels_line_is_read_correctly(tmp_path: Path) -> None:
    program = tmp_path / ") Z 1 ("
    shutil.copy(shutil.which("sleep"), program)
    process = subprocess.Popen([program, "60"])
    try:
        seen = wait_until(
            lambda: b") Z 1 (" in Path(f"/proc/{process.pid}/stat").read_bytes() and seeing.see(process.pid)
        )
        assert not seen.zombie
        assert seen.parent == os.getpid()
        assert is_alive(identity_of(process.pid))
    finally:
        process.kill()
        process.wait()


@given(st.binary(max_size=15).map(lambda name: name.replace(b"\0", b"")))
def test_no_name_of_a_command_changes_what_is_read_after_it(name: bytes) -> None:
    rest = b" S 7 8 9 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 4242 1000 0\n"
    assert seeing.parse_stat(b"12 (" + name + b")" + rest) == seeing.Seen(12, "4242", 7, 8, 9, False)


def test_a_key_is_one_word_that_reads_back() -> None:
    assert Identity.parse(ME.key) == ME
    assert len(ME.key.split()) == 1


@pytest.mark.parametrize("key", ["", "a:b:c", "a:b:c:d", "a:b:1:2:3"])
def test_what_is_no_key_is_refused(key: str) -> None:
    with pytest.raises(ValueError):
        Identity.parse(key)


def test_the_machines_name_is_fit_for_a_path_of_the_store() -> None:
    assert machine_name()
    assert not set(machine_name()) - set("abcdefghijklmnopqrstuvwxyz0123456789.-")


def test_every_program_gives_a_process_the_same_identity() -> None:
    code = f"from stoat.processes import identity_of; print(identity_of({os.getpid()}).key)"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == ME.key


def test_processes_are_found_by_their_mark_the_oldest_first(place: Path) -> None:
    code = TELL + (
        "import subprocess, time\ntell('parent')\nif len(sys.argv) < 3:\n"
        "    child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
        "    tell('child', child.pid)\ntime.sleep(60)"
    )
    mark = ("STOAT_CLAIM", f"claim of {os.getpid()}")
    parent = subprocess.Popen(python(code, str(place)), env={**os.environ, mark[0]: mark[1]})
    other = subprocess.Popen(["sleep", "60"], env={**os.environ, mark[0]: "another"})
    child = told_identity(place, "child")
    try:
        expected = [identity_of(parent.pid), child]
        wait_until(lambda: find_marked(*mark) == expected, what="both to carry the mark")
        parent.kill()
        wait_until(lambda: find_marked(*mark) == [child], what="the zombie to be left out")
        assert find_marked(mark[0], "claim") == []
    finally:
        for process in (parent, other):
            process.kill()
            process.wait()


def test_psutil_sees_the_same_where_there_is_no_proc(monkeypatch: pytest.MonkeyPatch, place: Path) -> None:
    process = subprocess.Popen(python(TELL + "tell('up'); sys.stdin.read()", str(place)), stdin=subprocess.PIPE)
    told(place, "up")
    by_hand = seeing.see(process.pid)
    monkeypatch.setattr(seeing, "PROC", Path("/nonexistent"))
    by_psutil = seeing.see(process.pid)
    assert by_psutil._replace(started="") == by_hand._replace(started="")
    assert by_psutil.started == seeing.see(process.pid).started
    assert process.pid in seeing.see_all()
    identity = identity_of(process.pid)
    process.communicate()
    wait_for_death(identity)
