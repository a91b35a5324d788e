"""`stoat machine`: what runs here, who has what, and the limits that a person sets."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from stoat.observe import machine_limits, reserved
from stoat.plan.reservations import Reservation, Use
from stoat.processes import identity_of, machine_name
from tests.support.command import Stoat
from tests.support.waiting import wait_until

AT = "2026-11-30T12:00:00.000Z"
GIB = 1 << 30


def me() -> str:
    identity = identity_of(os.getpid())
    assert identity is not None
    return identity.key


def test_it_shows_limits_what_is_short_and_who_has_what(stoat: Stoat) -> None:
    stoat.ok("hold", "--why", "battery")
    reserved.write(
        Reservation(id="c-1", kind="agent", since=AT, store="/s", plan="demo", node="parser", process=me(),
                    uses={"gpu": Use(1, True)}, ports={"WEB": 20_001})
    )  # fmt: skip
    reserved.write(
        Reservation(id="t-1", kind="turn", since=AT, store="/s", plan="demo", node="suite", runner=me(), exclusive=True)
    )
    shown = stoat.json("machine", "--disk", "900T", "--agents", "4")
    assert (shown["machine"], shown["held"]["why"], shown["reservedFor"]) == (machine_name(), "battery", "demo/suite")
    assert (shown["limits"]["agents"], shown["limits"]["disk"], shown["agents"]) == (4, 900 * 1024 * GIB, 1)
    assert "of disk are free" in shown["short"]
    assert [(one["kind"], one["node"], one["uses"], one["ports"]) for one in shown["taken"]] == [
        ("agent", "parser", ["gpu"], {"WEB": 20_001}), ("turn", "suite", [], {}),
    ]  # fmt: skip
    said = stoat.ok("machine")
    for words in (
        "is held by Ada Tester: battery", "1 at work, at most 4", "900 TiB to stay so",
        "⚠ machine reserved for demo/suite",
        "demo/parser", "gpu, WEB=20001", "waits for its turn", "the machine",
    ):  # fmt: skip
        assert words in said, words


def test_a_limit_is_a_persons_and_is_told_to_every_store(stoat: Stoat) -> None:
    assert stoat.run("machine", "--agents", "2", env={"STOAT_AGENT": "bot"}).code == 3
    assert stoat.json("machine", "--agents", "2")["limits"]["agents"] == 2
    assert [one.agents for one in machine_limits.limits() if one.agents is not None] == [2]
    again = stoat.run("machine", "--agents", "2")
    assert (again.code, "already" in again.err) == (0, True)
    assert stoat.json("machine", "--agents", "none", "--load", "3")["limits"] == {
        "agents": None, "disk": GIB, "memory": GIB // 2, "load": 3.0,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("words", "code"),
    [(("--agents", "0"), 3), (("--agents", "-1"), 3), (("--agents", "x"), 2), (("--disk", "much"), 2),
     (("--load", "-1"), 3), (("--memory", "1.5G"), 0), (("--disk", "500mib"), 0), (("--load", "none"), 0),
     (("--load", "nan"), 2), (("--load", "inf"), 2), (("--load", "1e400"), 2), (("--load", "1e300"), 3),
     (("--agents", "9" * 30), 3), (("--agents", "9" * 400), 2), (("--disk", "9" * 400), 2),
     (("--memory", "9999999999T"), 3)],
)  # fmt: skip
def test_what_a_limit_may_be(stoat: Stoat, words: tuple[str, str], code: int) -> None:
    before = stoat.json("machine")["limits"]
    ran = stoat.run("machine", *words)
    assert ran.code == code, ran
    assert code == 0 or stoat.json("machine")["limits"] == before


def test_a_gate_is_seen_while_it_runs_and_says_that_the_machine_is_reserved(stoat: Stoat, tmp_path: Path) -> None:
    reserved.write(
        Reservation(id="t-1", kind="turn", since=AT, store="/s", plan="other", node="x", runner=me(), exclusive=True)
    )
    until = f"until test -e '{tmp_path}/go'; do sleep 0.02; done"
    running = stoat.start("gate", "exec", "demo/bare", "--", "sh", "-c", until)
    wait_until(lambda: any(one.kind == "gate" and one.node == "bare" for one in reserved.read()), 30, "the gate")
    (tmp_path / "go").touch()
    _, err = running.communicate(timeout=30)
    assert running.returncode == 0
    assert b"this machine is reserved for other/x, which waits until this run has ended" in err
    assert all(one.kind != "gate" for one in reserved.read())


def test_a_gate_runs_whatever_becomes_of_its_reservation(stoat: Stoat, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    begun = time.monotonic()
    ran = stoat.run("gate", "exec", "demo/bare", "--", "true", env={"STOAT_MACHINE": str(tmp_path / "file")})
    assert (ran.code, time.monotonic() - begun < 30) == (0, True)
