"""Ending a process tree: all of it, and never anything else."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from stoat.processes import Identity, Process, end_tree, ending, interrupt, is_alive, seeing, spawn
from tests.support.programs import TELL, python, told, told_identity, wait_for_death

STUBBORN = "import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
REST = "\nimport time\ntime.sleep(60)"


def start(code: str, place: Path, **mark: str) -> Process:
    """Spawn a program that tells into `place`."""
    env = {**os.environ, **mark}
    return spawn(python(TELL + code, str(place)), cwd=place, env=env, output=place.with_name("log"))


def test_a_program_that_heeds_term_ends_within_its_grace_and_says_its_goodbye(place: Path) -> None:
    code = "import signal\nsignal.signal(signal.SIGTERM, lambda *_: (tell('bye', 'bye'), sys.exit(3)))\ntell('up')"
    process = start(code + REST, place)
    told(place, "up")
    assert end_tree(process.identity, 20) == ()
    assert told(place, "bye") == "bye"
    assert process.wait(5) == 3


def test_one_that_is_interrupted_gets_to_say_what_it_has_to_say(place: Path) -> None:
    code = "import signal\nsignal.signal(signal.SIGINT, lambda *_: (tell('bye', 'bye'), sys.exit(0)))\ntell('up')"
    process = start(code + REST, place)
    told(place, "up")
    assert interrupt(process.identity, 20)
    assert told(place, "bye") == "bye"
    assert process.wait(5) == 0


def test_one_that_ignores_an_interrupt_is_given_its_time_and_no_more(place: Path) -> None:
    process = start("import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\ntell('up')" + REST, place)
    told(place, "up")
    begun = time.monotonic()
    assert not interrupt(process.identity, 0.3)
    assert time.monotonic() - begun < 10
    assert is_alive(process.identity)
    end_tree(process.identity, 5)


def test_a_process_that_only_has_the_pid_of_an_interrupted_one_is_not_touched(place: Path) -> None:
    process = start("tell('up')" + REST, place)
    told(place, "up")
    assert interrupt(process.identity._replace(started="1"), 5)
    assert is_alive(process.identity)
    end_tree(process.identity, 5)


def test_one_that_ignores_term_is_killed_after_its_grace(place: Path) -> None:
    process = start(STUBBORN + "tell('up')" + REST, place)
    told(place, "up")
    begun = time.monotonic()
    assert end_tree(process.identity, 0.3) == ()
    assert 0.3 <= time.monotonic() - begun < 10
    assert process.wait(5) == 128 + signal.SIGKILL


def test_children_go_too_whatever_group_or_session_they_made_their_own(place: Path) -> None:
    code = (
        STUBBORN + "for name, leave in (('plain', None), ('group', os.setpgrp), ('session', os.setsid)):\n"
        "    if os.fork() == 0:\n        leave and leave()\n        tell(name)\n        break\n"
    )
    process = start(code + REST, place)
    children = [told_identity(place, name) for name in ("plain", "group", "session")]
    assert end_tree(process.identity, 0.1) == ()
    for child in children:
        assert not is_alive(child)
    assert process.wait(5) is not None


def test_an_orphan_that_stayed_in_the_group_goes_with_it(place: Path) -> None:
    code = (
        "if os.fork() == 0:\n    if os.fork() == 0:\n        tell('orphan')\n        time.sleep(60)\n"
        "    os._exit(0)\nos.wait()"
    )
    process = start("import time\n" + code + REST, place)
    orphan = told_identity(place, "orphan")
    assert end_tree(process.identity, 5) == ()
    assert not is_alive(orphan)


DAEMON = (
    STUBBORN + "if os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n        tell('daemon')\n"
    "        import time; time.sleep(60)\n    os._exit(0)\nos.wait()\n"
)


def test_a_daemon_that_cut_every_tie_goes_by_its_mark(place: Path) -> None:
    process = start(DAEMON + "tell('up')" + REST, place, STOAT_CLAIM="marked-1")
    daemon = told_identity(place, "daemon")
    told(place, "up")
    assert end_tree(process.identity, 0.1, marker=("STOAT_CLAIM", "marked-1")) == ()
    assert not is_alive(daemon)


def test_what_an_ended_program_left_behind_goes_by_its_mark(place: Path) -> None:
    process = start(DAEMON, place, STOAT_CLAIM="marked-2")
    daemon = told_identity(place, "daemon")
    assert process.wait(20) == 0
    assert end_tree(process.identity, 0.1) == ()
    assert is_alive(daemon)
    assert end_tree(process.identity, 0.1, marker=("STOAT_CLAIM", "marked-2")) == ()
    assert not is_alive(daemon)


def test_a_stopped_program_still_gets_to_heed_term(place: Path) -> None:
    code = "import signal\nsignal.signal(signal.SIGTERM, lambda *_: sys.exit(5))\ntell('up')"
    process = start(code + REST, place)
    told(place, "up")
    os.kill(process.pid, signal.SIGSTOP)
    assert end_tree(process.identity, 20) == ()
    assert process.wait(5) == 5


def test_a_tree_that_forks_all_the_time_cannot_outrun_us(place: Path) -> None:
    code = (
        "import signal, time\nsignal.signal(signal.SIGCHLD, signal.SIG_IGN)\n" + STUBBORN + "tell('up')\n"
        # It ends by itself: should we fail, it must not go on for ever.
        "end = time.monotonic() + 20\nwhile time.monotonic() < end:\n"
        "    if os.fork():\n        time.sleep(.002)\n        os._exit(0)"
    )
    process = start(code, place, STOAT_CLAIM="marked-3")
    told(place, "up")
    assert end_tree(process.identity, 0.1, marker=("STOAT_CLAIM", "marked-3")) == ()
    assert [seen for seen in seeing.see_all().values() if seen.group == process.pid and not seen.zombie] == []


def test_a_process_that_only_has_the_recorded_pid_is_never_touched(place: Path) -> None:
    process = start(STUBBORN + "tell('up')" + REST, place)
    told(place, "up")
    recorded = process.identity._replace(started="1")
    assert end_tree(recorded, 0.1) == ()
    assert is_alive(process.identity)
    ending._signal(recorded, signal.SIGKILL)
    assert process.wait(0.1) is None
    end_tree(process.identity, 0)


def test_another_machines_process_is_never_touched(place: Path) -> None:
    process = start("tell('up')" + REST, place)
    told(place, "up")
    assert end_tree(process.identity._replace(machine="elsewhere"), 0) == ()
    assert is_alive(process.identity)
    end_tree(process.identity, 0)


def test_a_zombie_that_nobody_reaped_needs_no_ending(place: Path) -> None:
    process = start("tell('up')", place)
    wait_for_death(process.identity)
    begun = time.monotonic()
    assert end_tree(process.identity, 30) == ()
    assert time.monotonic() - begun < 10
    assert process.wait(5) == 0


def test_who_asks_survives_though_it_is_inside_the_tree_and_carries_the_mark(place: Path) -> None:
    # The package is not on the path of a bare Python: the program is run by the one that runs the tests.
    code = (
        "import os, subprocess, sys\nfrom stoat.processes import end_tree, identity_of, is_alive\n"
        "sibling = subprocess.Popen(['sleep', '60'])\n"
        "left = end_tree(identity_of(os.getppid()), 0.1, marker=('STOAT_CLAIM', 'marked-4'))\n"
        "print(left, sibling.wait())"
    )
    asked = subprocess.run(
        ["sh", "-c", '"$@"; echo alive', "sh", sys.executable, "-c", code],
        env={**os.environ, "STOAT_CLAIM": "marked-4"},
        capture_output=True,
        text=True,
        check=True,
        start_new_session=True,
    )
    assert asked.stdout == f"() {-signal.SIGTERM}\nalive\n"


@pytest.fixture
def without_pidfd(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "pidfd_open")


@pytest.mark.usefixtures("without_pidfd")
def test_it_works_where_there_are_no_pidfds(place: Path) -> None:
    process = start(STUBBORN + "tell('up')" + REST, place)
    told(place, "up")
    assert end_tree(process.identity, 0.1) == ()
    assert process.wait(5) == 128 + signal.SIGKILL
    assert isinstance(process.identity, Identity)
