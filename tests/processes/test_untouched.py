"""A command run as if Stoat were not there: its streams, its terminal, its signals, its exit code, its end."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from stoat.processes import Identity, NotStarted, Outcome, identity_of, is_alive, run_untouched
from tests.support.programs import TELL, python, told, told_identity, wait_for_death
from tests.support.waiting import wait_until

RUNNER = """
import json, os, pathlib, sys
from stoat.processes import run_untouched
timeout = json.loads(sys.argv[2])
result = run_untouched(sys.argv[3:], cwd=pathlib.Path.cwd(), env=os.environ, timeout=timeout, grace=0.2)
place = pathlib.Path(sys.argv[1], "outcome")
place.with_name("outcome~").write_text(json.dumps(result._replace(received=sorted(result.received))))
place.with_name("outcome~").rename(place)
sys.exit(result.code)
"""
"""A program that does what `stoat gate exec` does with a command: arguments are the place, the timeout, the command."""

COUNT = (
    TELL + "import signal, time\ncounts = {}\ndef count(number, frame):\n"
    "    counts[number] = counts.get(number, 0) + 1\n    tell('counts', counts)\n"
    "    number == signal.SIGTERM and sys.exit(9)\n"
    "for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT): signal.signal(number, count)\n"
    "tell('up')\nwhile True: time.sleep(60)"
)
"""A command that tells how often it got which signal, and ends with 9 at TERM."""


def run(*argv: str, cwd: Path, timeout: float | None = None) -> Outcome:
    """In this very process, as a caller would."""
    return run_untouched(argv, cwd=cwd, env=os.environ, timeout=timeout, grace=0.2)


def outside(place: Path, *argv: str, timeout: float | None = None, **more: Any) -> subprocess.Popen[bytes]:
    """In a process of its own, which a test may signal."""
    command = [sys.executable, "-c", RUNNER, str(place), json.dumps(timeout), *argv]
    return subprocess.Popen(command, start_new_session=True, **more)


def outcome(place: Path) -> Outcome:
    """What the process outside told of the command's end."""
    return Outcome(*json.loads(told(place, "outcome")))


@pytest.mark.parametrize("code", [0, 1, 7, 255])
def test_the_exit_code_is_the_commands(tmp_path: Path, code: int) -> None:
    result = run("sh", "-c", f"exit {code}", cwd=tmp_path)
    assert (result.code, result.signal, result.timed_out, result.why) == (code, None, False, "")


def test_a_signal_that_ended_it_is_told_as_the_shell_does(tmp_path: Path) -> None:
    result = run("sh", "-c", "kill -SEGV $$", cwd=tmp_path)
    assert (result.code, result.signal, result.timed_out) == (128 + signal.SIGSEGV, signal.SIGSEGV, False)


def test_what_is_not_there_is_127_and_what_cannot_run_is_126(tmp_path: Path) -> None:
    (tmp_path / "plain").write_text("text")
    (tmp_path / "odd").write_text("text")
    (tmp_path / "odd").chmod(0o755)
    assert run("no-such-command", cwd=tmp_path)[:3] == (127, None, False)
    assert run("./plain", cwd=tmp_path)[:3] == (126, None, False)
    assert run("./odd", cwd=tmp_path)[:3] == (126, None, False)
    assert "no-such-command" in run("no-such-command", cwd=tmp_path).why


def test_a_directory_that_is_not_there_is_no_fault_of_the_commands(tmp_path: Path) -> None:
    with pytest.raises(NotStarted, match="gone"):
        run("true", cwd=tmp_path / "gone")


def test_an_ignored_sigchld_does_not_turn_red_into_green(tmp_path: Path) -> None:
    before = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    try:
        assert run("sh", "-c", "exit 7", cwd=tmp_path).code == 7
        assert signal.getsignal(signal.SIGCHLD) == signal.SIG_IGN
    finally:
        signal.signal(signal.SIGCHLD, before)


def test_our_own_signals_are_as_before_afterwards(tmp_path: Path) -> None:
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [])
    run("true", cwd=tmp_path)
    run("no-such-command", cwd=tmp_path)
    assert signal.pthread_sigmask(signal.SIG_BLOCK, []) == before


def test_the_command_starts_with_no_signal_blocked(tmp_path: Path) -> None:
    check = "import signal, sys; sys.exit(len(signal.pthread_sigmask(signal.SIG_BLOCK, [])))"
    assert run(sys.executable, "-c", check, cwd=tmp_path).code == 0


def test_waiting_for_a_command_costs_nothing(tmp_path: Path) -> None:
    before = time.process_time()
    result = run("sleep", "1", cwd=tmp_path)
    assert result.seconds >= 1
    assert time.process_time() - before < 0.2


def test_streams_are_passed_through_untouched(place: Path) -> None:
    code = "import sys; data = sys.stdin.buffer.read(); sys.stdout.buffer.write(data); sys.stderr.write('to the other')"
    process = outside(place, *python(code), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    data = bytes(range(256)) * 1000
    assert process.communicate(data, timeout=30) == (data, b"to the other")
    assert process.returncode == 0


def test_a_handle_left_open_for_the_command_reaches_it(place: Path) -> None:
    reading, writing = os.pipe()
    write = f"import os; os.write({writing}, b'through')"
    process = outside(place, *python(write), pass_fds=[writing])
    os.close(writing)
    assert process.wait(30) == 0
    with os.fdopen(reading) as end:
        assert end.read() == "through"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP, signal.SIGQUIT])
def test_a_signal_sent_to_us_reaches_the_command_once(place: Path, number: signal.Signals) -> None:
    process = outside(place, *python(COUNT, str(place)))
    told(place, "up")
    process.send_signal(number)
    assert told(place, "counts") == str({int(number): 1})
    process.terminate()
    assert process.wait(30) == 9
    assert told(place, "counts") == str({int(number): 1, int(signal.SIGTERM): 1})
    assert outcome(place)[:4] == (9, None, False, outcome(place).seconds)
    assert outcome(place).received == sorted([number, signal.SIGTERM])


def test_a_command_that_a_passed_on_signal_ends_gives_128_and_the_signal(place: Path) -> None:
    process = outside(place, *python(TELL + "import time; tell('up'); time.sleep(60)", str(place)))
    told(place, "up")
    process.terminate()
    assert process.wait(30) == 128 + signal.SIGTERM
    assert outcome(place).signal == signal.SIGTERM


def test_a_signal_that_another_thread_of_ours_takes_reaches_the_command_too(place: Path) -> None:
    threaded = "import threading, time; threading.Thread(target=time.sleep, args=(60,), daemon=True).start()\n" + RUNNER
    command = [sys.executable, "-c", threaded, str(place), "null", *python(COUNT, str(place))]
    process = subprocess.Popen(command, start_new_session=True)
    told(place, "up")
    process.send_signal(signal.SIGINT)
    assert told(place, "counts") == str({int(signal.SIGINT): 1})
    process.terminate()
    assert process.wait(30) == 9
    assert outcome(place).received == sorted([signal.SIGINT, signal.SIGTERM])


def test_an_ignored_hang_up_stays_ignored_by_both(place: Path) -> None:
    sleeper = python(TELL + "import time; tell('up'); time.sleep(60)", str(place))
    ours = [sys.executable, "-c", RUNNER, str(place), "null", *sleeper]
    process = subprocess.Popen(["sh", "-c", 'trap "" HUP; exec "$@"', "sh", *ours], start_new_session=True)
    told(place, "up")
    process.send_signal(signal.SIGHUP)
    process.terminate()
    assert process.wait(30) == 128 + signal.SIGTERM


def test_a_timeout_ends_all_of_it_also_what_ignores_term_or_became_a_daemon(place: Path) -> None:
    code = TELL + (
        "import signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "if os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0: tell('daemon'); time.sleep(60)\n    os._exit(0)\n"
        "if os.fork() == 0:\n    tell('child'); time.sleep(60)\n"
        "tell('parent')\ntime.sleep(60)"
    )
    process = outside(place, *python(code, str(place)), timeout=4)
    all_of_it = [told_identity(place, name) for name in ("parent", "child", "daemon")]
    assert process.wait(30) == 124
    result = outcome(place)
    assert (result.code, result.signal, result.timed_out) == (124, signal.SIGKILL, True)
    assert result.seconds >= 4
    assert [one for one in all_of_it if is_alive(one)] == []


def test_a_timeout_spares_what_was_there_before(place: Path) -> None:
    bystander = subprocess.Popen(["sleep", "60"])
    try:
        assert run("sleep", "60", cwd=place, timeout=0.2).code == 124
        assert bystander.poll() is None
    finally:
        bystander.kill()
        bystander.wait()


def test_a_command_that_ends_in_time_leaves_its_daemons_alone(place: Path) -> None:
    code = TELL + "import time\nif os.fork() == 0:\n    os.setsid(); tell('daemon'); time.sleep(60)"
    assert run(*python(code, str(place)), cwd=place, timeout=30).code == 0
    assert is_alive(told_identity(place, "daemon"))


class Terminal:
    """A terminal with a program in front of it, as a person has it."""

    def __init__(self, argv: list[str]) -> None:
        self.pid, self.master = pty.fork()
        if self.pid == 0:
            os.execv(argv[0], argv)
        self.identity: Identity | None = identity_of(self.pid)

    def type(self, keys: bytes) -> None:
        """Press keys; `\\x03` is Ctrl-C."""
        os.write(self.master, keys)

    def exit_code(self) -> int:
        """Wait for the program's end."""
        wait_for_death(self.identity)
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])

    def close(self) -> None:
        """Hang up."""
        os.close(self.master)


@pytest.fixture
def terminal(place: Path) -> Iterator[Any]:
    opened = []

    def open_terminal(*argv: str) -> Terminal:
        opened.append(Terminal([sys.executable, "-c", RUNNER, str(place), "null", *argv]))
        return opened[-1]

    yield open_terminal
    for one in opened:
        if is_alive(one.identity):
            os.kill(one.pid, signal.SIGKILL)
        one.close()


def test_a_terminal_stays_a_terminal_and_ours_to_control(place: Path, terminal: Any) -> None:
    code = TELL + (
        "tell('tty', [os.isatty(n) for n in (0, 1, 2)] + [os.tcgetpgrp(0) == os.getpgrp(), open('/dev/tty').isatty()])"
    )
    running = terminal(*python(code, str(place)))
    assert told(place, "tty") == str([True] * 5)
    assert running.exit_code() == 0


@pytest.mark.parametrize(("key", "number"), [(b"\x03", signal.SIGINT), (b"\x1c", signal.SIGQUIT)])
def test_a_key_of_the_terminal_reaches_the_command_once(
    place: Path, terminal: Any, key: bytes, number: signal.Signals
) -> None:
    running = terminal(*python(COUNT, str(place)))
    told(place, "up")
    running.type(key)
    assert told(place, "counts") == str({int(number): 1})
    os.kill(running.pid, signal.SIGTERM)
    assert running.exit_code() == 9
    assert told(place, "counts") == str({int(number): 1, int(signal.SIGTERM): 1})


def test_ctrl_c_ends_a_plain_command_and_its_outcome_is_still_told(place: Path, terminal: Any) -> None:
    running = terminal(
        *python(TELL + "import time, signal; signal.signal(2, signal.SIG_DFL); tell('up'); time.sleep(60)", str(place))
    )
    told(place, "up")
    running.type(b"\x03")
    assert running.exit_code() == 130
    assert outcome(place)[:3] == (130, signal.SIGINT, False)
    assert outcome(place).received == [signal.SIGINT]


def test_stopping_our_group_stops_both_and_both_go_on(place: Path, terminal: Any) -> None:
    running = terminal("sh", "-c", 'echo $$ >"$0/pid~"; mv "$0/pid~" "$0/pid"; sleep 60', str(place))
    command = int(told(place, "pid"))

    def states() -> set[str]:
        return {Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] for pid in (command, running.pid)}

    # The program leads the session here, and a group that no shell watches cannot be stopped by a key.
    os.killpg(os.getpgid(running.pid), signal.SIGSTOP)
    wait_until(lambda: states() == {"T"}, what="both to stop")
    os.killpg(os.getpgid(running.pid), signal.SIGCONT)
    wait_until(lambda: states() == {"S"}, what="both to go on")
