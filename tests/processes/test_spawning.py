"""Starting programs that outlive us: what they inherit, where their output goes, how their end is seen."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from stoat.processes import NotStarted, find_marked, is_alive, spawn, wait_for_end
from tests.support.programs import TELL, python, told_identity, wait_for_death
from tests.support.waiting import wait_until

PLAIN = {"PATH": os.environ["PATH"]}


def run(argv: list[str], directory: Path, **more: Path) -> tuple[int | None, str]:
    """Spawn in `directory` and wait: the exit code and the log."""
    process = spawn(argv, cwd=directory, env=PLAIN, output=directory / "out.log", **more)
    return process.wait(20), (directory / "out.log").read_text()


def test_a_program_gets_its_own_session_no_input_and_exactly_the_given_environment(tmp_path: Path) -> None:
    code = (
        "import os, sys; print(os.getsid(0) == os.getpid() == os.getpgid(0), repr(sys.stdin.read()),"
        " os.getcwd(), sorted(set(os.environ) - {'LC_CTYPE'}))"
    )
    assert run([sys.executable, "-c", code], tmp_path) == (0, f"True '' {tmp_path.resolve()} ['PATH']\n")


def test_it_inherits_no_handle_of_ours(tmp_path: Path) -> None:
    with (tmp_path / "lock").open("w") as lock:
        os.set_inheritable(lock.fileno(), True)
        code, said = run(["sh", "-c", f"test -e /proc/self/fd/{lock.fileno()} && echo inherited"], tmp_path)
    assert (code, said) == (1, "")


def test_both_streams_are_appended_to_the_file(tmp_path: Path) -> None:
    (tmp_path / "out.log").write_text("from before\n")
    assert run(["sh", "-c", "echo one; echo two >&2"], tmp_path) == (0, "from before\none\ntwo\n")


def test_standard_output_may_have_a_file_of_its_own(tmp_path: Path) -> None:
    log, spoken = tmp_path / "log", tmp_path / "spoken"
    spoken.write_text("before\n")
    code = "import sys; print('out'); print('err', file=sys.stderr)"
    process = spawn(python(code), cwd=tmp_path, env=dict(os.environ), output=log, stdout=spoken)
    assert process.wait(30) == 0
    assert (log.read_text(), spoken.read_text()) == ("err\n", "before\nout\n")


def test_input_may_come_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "prompt").write_text("do it")
    assert run(["cat"], tmp_path, stdin=tmp_path / "prompt") == (0, "do it")


def test_exit_codes_are_the_shells(tmp_path: Path) -> None:
    assert run(["sh", "-c", "exit 7"], tmp_path)[0] == 7
    assert run(["sh", "-c", "kill -KILL $$"], tmp_path)[0] == 128 + signal.SIGKILL


@pytest.mark.parametrize("argv", [["no-such-program"], ["./plain"], ["./directory"]])
def test_what_cannot_be_started_says_which_program_and_why(tmp_path: Path, argv: list[str]) -> None:
    (tmp_path / "plain").write_text("not executable")
    (tmp_path / "directory").mkdir()
    with pytest.raises(NotStarted, match=argv[0]):
        run(argv, tmp_path)


@pytest.mark.parametrize("word", ["a\0b", "\ud800"])
def test_a_word_that_no_program_can_be_given_is_said(tmp_path: Path, word: str) -> None:
    with pytest.raises(NotStarted, match="true could not be started"):
        run(["true", word], tmp_path)


def test_a_directory_that_is_gone_is_named(tmp_path: Path) -> None:
    with pytest.raises(NotStarted, match="gone"):
        spawn(["true"], cwd=tmp_path / "gone", env=PLAIN, output=tmp_path / "log")


def test_fifty_megabytes_of_output_freeze_nobody(tmp_path: Path) -> None:
    code = "import sys\nfor _ in range(50): sys.stdout.write('x' * 2**20)"
    process = spawn(python(code), cwd=tmp_path, env=PLAIN, output=tmp_path / "log")
    assert process.wait(60) == 0
    assert (tmp_path / "log").stat().st_size == 50 * 2**20


def test_the_end_is_seen_at_once_though_a_daemon_keeps_the_output_open(tmp_path: Path, place: Path) -> None:
    daemon = (
        TELL + "import time\nif os.fork() == 0:\n    os.setsid()\n    tell('daemon')\n    time.sleep(60)\n"
        "while not os.path.exists(sys.argv[1] + '/daemon'): time.sleep(.01)"
    )
    process = spawn(python(daemon, str(place)), cwd=tmp_path, env=PLAIN, output=tmp_path / "log")
    left = told_identity(place, "daemon")
    begun = time.monotonic()
    assert process.wait(20) == 0
    assert time.monotonic() - begun < 10
    assert not is_alive(process.identity)
    assert is_alive(left)


def test_the_end_of_one_of_several_is_waited_for_without_being_their_parent(tmp_path: Path, place: Path) -> None:
    starter = TELL + (
        "import subprocess\nfor name in ('short', 'long'):\n"
        "    tell(name, subprocess.Popen(['sleep', '60'], start_new_session=True).pid)"
    )
    subprocess.run(python(starter, str(place)), check=True)
    short, long = told_identity(place, "short"), told_identity(place, "long")
    assert wait_for_end([short, long], 0.05) == frozenset()
    os.kill(short.pid, signal.SIGKILL)
    begun = time.monotonic()
    assert wait_for_end([short, long], 30) == {short}
    assert time.monotonic() - begun < 10


def test_a_program_survives_its_starter_and_is_found_though_its_pid_was_never_recorded(
    tmp_path: Path, place: Path
) -> None:
    starter = (
        "import os, sys, pathlib\nfrom stoat.processes import spawn\n"
        "env = {**os.environ, 'STOAT_CLAIM': sys.argv[2]}\n"
        "argv = [sys.executable, '-S', '-c', sys.argv[3], sys.argv[1]]\n"
        "spawn(argv, cwd=pathlib.Path(sys.argv[1]), env=env, output=pathlib.Path(os.devnull))\n"
        "os.kill(os.getpid(), 9)"
    )
    agent = TELL + "import time; tell('agent'); time.sleep(60)"
    claim = f"claim-{os.getpid()}"
    ran = subprocess.run([sys.executable, "-c", starter, str(place), claim, agent], check=False)
    assert ran.returncode == -signal.SIGKILL
    found = wait_until(lambda: find_marked("STOAT_CLAIM", claim), what="the agent to be found")
    assert found == [told_identity(place, "agent")]
    os.kill(found[0].pid, signal.SIGKILL)
    wait_for_death(found[0])
