"""Runners of several plans and stores on one machine: what they share is never had twice, and is never lost."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from stoat.errors import Refused
from stoat.gitstore.log import Change
from stoat.observe import reserved
from stoat.plan import streams
from stoat.plan.events.runners import RunnerPaused
from stoat.plan.reservations import Reservation, Use
from stoat.processes import Identity, end_tree, identity_of, is_alive
from stoat.runner import reserving
from tests.runner.conftest import World
from tests.support.command import Stoat
from tests.support.gitrepo import MakeRepo
from tests.support.waiting import wait_until

pytestmark = pytest.mark.slow

GPU = "resources: {gpu: {capacity: 1, scope: machine}}"


@pytest.fixture
def other(make_repo: MakeRepo, tmp_path: Path) -> Iterator[World]:
    """Another project `other` with a store of its own, on the same machine."""
    made = World(make_repo("other", origin=True), tmp_path / "other agents")
    yield made
    made.close()


@pytest.fixture
def started() -> Iterator[Callable[..., subprocess.Popen[bytes]]]:
    """Starts `stoat` in a world as a process, which is killed at the end of the test."""
    processes: list[subprocess.Popen[bytes]] = []

    def start(world: World, *words: str) -> subprocess.Popen[bytes]:
        process = Stoat(world.repo.path).start(*words, env=world.environ, start_new_session=True)
        processes.append(process)
        return process

    yield start
    for process in processes:
        identity = identity_of(process.pid)
        if identity is not None:
            end_tree(identity, 0)  # with what it runs, which a gate starts in a session of its own
        process.communicate()


def most_at_once(*worlds: World) -> int:
    """How many agents of these worlds ran at the same time, at most; one that was killed runs no more."""
    told = sorted((float(words[0]), words[3], words[4]) for world in worlds for words in world.told())
    out: set[str] = set()
    most = 0
    for _, pid, what in told:
        if what in ("ends", "dies"):
            out.discard(pid)
        else:
            out.add(pid)
        most = max(most, len(out))
    return most


def launch_of(world: World, node: str, slug: str = "p") -> str:
    """Why a node is not launched, as everybody is shown it: REASON: DETAIL."""
    launch = world.shown(node, slug).launch
    return f"{launch.reason}: {launch.detail}" if launch is not None else ""


def gpu_nodes(*names: str) -> str:
    """A plan whose nodes all use the one gpu of the machine."""
    nodes = ", ".join(f"{{id: {name}, kind: change, uses: [gpu]}}" for name in names)
    return f"branch: i\n{GPU}\nnodes: [{nodes}]"


def test_two_runners_of_two_stores_take_turns_on_what_the_machine_has_once(
    world: World, other: World, started: Callable[..., subprocess.Popen[bytes]]
) -> None:
    for place in (world, other):
        place.plan(gpu_nodes("a", "b"))
        for node in "ab":
            place.agent(node, "time.sleep(0.2); commit(NODE + '.txt')")
    runs = [started(place, *place.flags("--parallel", "2")) for place in (world, other)]
    assert [run.wait(60) for run in runs] == [0, 0]
    assert most_at_once(world, other) == 1
    assert world.statuses() == other.statuses() == {"a": "done", "b": "done"}
    assert reserved.read() == ()


def test_a_killed_runners_agent_keeps_what_it_has_until_it_ends_and_its_successor_takes_it_over(
    world: World, other: World, started: Callable[..., subprocess.Popen[bytes]]
) -> None:
    world.plan(gpu_nodes("a", "c"), slug="app")
    other.plan(gpu_nodes("b"))
    world.agent("a", "wait_for('go'); commit('a.txt')")
    killed = started(world, *world.flags("--parallel", "2", slug="app"))
    wait_until(lambda: [one.process for one in reserved.read()][:1] not in ([], [None]), 30, "an agent with the gpu")
    killed.kill()
    killed.communicate()
    [kept] = reserved.read()
    assert (kept.plan, kept.node, list(kept.uses)) == ("app", "a", ["gpu"])

    waiting = started(other, *other.flags())
    wait_until(
        lambda: launch_of(other, "b") == "resource: waiting on gpu (a of plan app)", 30, "the reason to be shown"
    )
    successor = started(world, *world.flags("--parallel", "2", slug="app"))
    wait_until(lambda: reserved.read()[0].runner != kept.runner, 30, "the successor to take it over")
    assert reserved.read()[0].process == kept.process
    assert other.starts() == []
    world.signal("go")
    assert [waiting.wait(60), successor.wait(60)] == [0, 0]
    assert most_at_once(world, other) == 1
    assert reserved.read() == ()


def test_nothing_stays_reserved_for_a_killed_runner_and_its_killed_agent(
    world: World, other: World, started: Callable[..., subprocess.Popen[bytes]]
) -> None:
    world.plan(gpu_nodes("a"))
    other.plan(gpu_nodes("b"))
    world.agent("a", "time.sleep(600)")
    killed = started(world, *world.flags())
    wait_until(lambda: [one.process for one in reserved.read()][:1] not in ([], [None]), 30, "an agent with the gpu")
    [kept] = reserved.read()
    agent = Identity.parse(kept.process or "")
    killed.kill()
    killed.communicate()
    os.killpg(agent.pid, signal.SIGKILL)
    wait_until(lambda: not is_alive(agent), 10)
    assert other.run() == 0
    assert other.statuses() == {"b": "done"}
    assert reserved.read() == ()


def test_an_exclusive_node_waits_for_all_other_work_and_nothing_new_starts_meanwhile(
    world: World, other: World, started: Callable[..., subprocess.Popen[bytes]]
) -> None:
    nodes = "{id: a, kind: change}, {id: b, kind: change, depends_on: [a]}, {id: c, kind: person}"
    other.plan(f"branch: i\nnodes: [{nodes}]", slug="light")
    world.plan("branch: i\nnodes: [{id: x, kind: change, exclusive: machine}, {id: n, kind: person}]")
    other.agent("a", "wait_for('go'); commit('a.txt')")
    gate = started(
        other, "gate", "exec", "light/c", "--", "sh", "-c",
        f"n=0; until test -e '{other.place}/gate' || test $n -gt 2400; do n=$((n + 1)); sleep 0.05; done",
    )  # fmt: skip
    light = started(other, *other.flags(slug="light"))
    wait_until(lambda: other.starts() == ["a"] and len(reserved.read()) == 2, 30, "light work and a gate to run")
    heavy = started(world, *world.flags())
    wait_until(lambda: any(one.kind == "turn" for one in reserved.read()), 30, "the machine to be reserved")
    wait_until(lambda: "has to run alone, and waits for" in launch_of(world, "x"), 30, "the reason to be shown")
    assert "a of plan light" in launch_of(world, "x")
    assert "a gate run on c of plan light" in launch_of(world, "x")

    claimed = Stoat(world.repo.path).run("claim", "p/n", env=world.environ)
    assert (claimed.code, "machine reserved for p/x" in claimed.err) == (3, True)
    by_hand = Stoat(other.repo.path).run("gate", "exec", "light/c", "--", "true", env=other.environ)
    assert (by_hand.code, "reserved for p/x" in by_hand.err) == (0, True)
    other.signal("go")
    wait_until(lambda: other.statuses("light")["a"] == "done", 30, "running work to end")
    wait_until(lambda: launch_of(other, "b", "light") == "held: machine reserved for p/x", 30, "that b waits for x")
    assert world.starts() == []
    other.signal("gate")
    assert gate.wait(30) == 0
    assert [heavy.wait(60), light.wait(60)] == [0, 0]
    order = sorted((float(words[0]), words[1], words[4]) for place in (world, other) for words in place.told())
    assert [(node, what) for _, node, what in order] == [
        ("a", "starts"), ("a", "ends"), ("x", "starts"), ("x", "ends"), ("b", "starts"), ("b", "ends"),
    ]  # fmt: skip
    assert reserved.read() == ()


@pytest.mark.parametrize("why", ["paused", "no go-ahead", "held", "scoped out", "no base"])
def test_an_exclusive_node_that_would_not_run_reserves_nothing(world: World, why: str) -> None:
    world.plan("nodes: [{id: x, kind: change, exclusive: machine}]", approve=why != "no go-ahead")
    me = identity_of(os.getpid())
    assert me is not None
    reserved.write(Reservation(id="g-else", kind="gate", since="2026-11-30T12:00:00.000Z", process=me.key))
    flags: dict[str, object] = {"once": True}
    if why == "paused":
        pause = Change([(streams.of_plan("p"), RunnerPaused(runner="r"))], "p: Ada pauses")
        world.session.commit(lambda state, now: pause)
    elif why == "held":
        Stoat(world.repo.path).ok("hold", env=world.environ)
    elif why == "scoped out":
        flags["skip"] = frozenset({"x"})
    elif why == "no base":
        world.repo.run_git("remote", "set-url", "origin", str(world.place / "gone"))
    runner: list[str] = []

    def said(line: str) -> None:
        runner.append(line)
        assert all(one.kind != "turn" for one in reserved.read()), line

    world.lines = type("Lines", (list,), {"append": staticmethod(said)})()  # type: ignore[assignment]
    world.run(**flags)
    assert [one.kind for one in reserved.read()] == ["gate"]


def test_a_cap_on_the_machine_counts_the_agents_of_every_store(world: World, other: World) -> None:
    Stoat(other.repo.path).ok("machine", "--agents", "1", env=other.environ)
    world.plan("branch: i\nnodes: [{id: a, kind: change}, {id: b, kind: change}]")
    assert world.run(parallel=2) == 0
    assert most_at_once(world) == 1
    assert len(world.said("this machine takes no more agents (1/1 at work)")) == 1


def test_too_little_disk_starts_nothing_is_said_once_and_counts_against_nobody(world: World) -> None:
    world.plan("branch: i\nnodes: [{id: a, kind: change}, {id: b, kind: change}]")
    stoat = Stoat(world.repo.path)
    stoat.ok("machine", "--disk", "900T", env=world.environ)
    assert world.run() == 1
    assert world.starts() == []
    assert len(world.said("of disk are free", "900 TiB", "stoat prune")) == 1
    assert world.said("not in order: too little disk is free")
    assert world.node("a").attempts == 0
    stoat.ok("machine", "--disk", "none", env=world.environ)
    assert world.run() == 0


def test_every_worktree_has_ports_of_its_own_in_its_setup_its_agent_and_its_retry(world: World) -> None:
    world.plan("branch: i\nnodes: [{id: a, kind: change}, {id: b, kind: change}]")
    for node in "ab":
        world.agent(
            node,
            """
            tell("ports", os.environ["WEB_PORT"] + " " + os.environ["DB"] + " " + pathlib.Path("set-up").read_text())
            if ATTEMPT > 1: os.remove("set-up"); commit(NODE + ".txt")
            """,
        )
    ignore = "echo /set-up >> $(git rev-parse --git-path info/exclude)"
    world.run(
        parallel=2, ports=("WEB_PORT", "DB_PORT"), agent_env=(("DB", "db:{port:DB_PORT}"),),
        agent_setup=f"printf %s:{{port:DB_PORT}} $WEB_PORT > set-up; {ignore}",
    )  # fmt: skip
    told = [(words[1], words[2], words[5], words[6], words[7]) for words in world.told() if words[4] == "ports"]
    assert len(told) == 4
    for node in "ab":
        first, second = [one[2:] for one in sorted(told) if one[0] == node]
        assert first == second
        web, db, set_up = first
        assert set_up == f"{web}:{db.removeprefix('db:')}"
        assert world.said(f"→ attempt 1 on '{node}'", f"WEB_PORT={web}", f"DB={db}")
    ports = {port for one in told for port in one[4].split(":")}
    assert len(ports) == 4
    assert all(20_000 <= int(port) <= 29_999 for port in ports)


def test_nothing_starts_beside_a_reservation_that_cannot_be_read_and_its_file_is_named(world: World) -> None:
    world.plan("branch: i\nnodes: [{id: a, kind: change}, {id: b, kind: change}]")
    newer = reserved.folder() / "c-newer.json"
    newer.parent.mkdir(parents=True, exist_ok=True)
    newer.write_text('{"id": "c-newer", "kind": "of a newer version"}')
    world.run(once=True)
    assert world.starts() == []
    assert len(world.said("cannot be read", str(newer))) == 1
    assert str(newer) in Stoat(world.repo.path).ok("machine", env=world.environ)
    newer.unlink()
    assert world.run() == 0


def test_a_place_of_reservations_that_cannot_be_used_starts_nothing_and_ends_no_poll(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.plan("branch: i\nnodes: [{id: a, kind: change}]")
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("STOAT_MACHINE", str(tmp_path / "file"))
    world.run(once=True)
    assert world.starts() == []
    assert len(world.said("what is taken of this machine cannot be read", str(tmp_path / "file"))) == 1
    assert world.said("trying again") == []


def test_ports_of_a_worktree_that_cannot_be_read_keep_that_node_alone_from_starting(world: World) -> None:
    world.plan("branch: i\nnodes: [{id: a, kind: change}, {id: b, kind: change}]")
    spoil = "open(os.popen('git rev-parse --absolute-git-dir').read().strip() + '/stoat-ports', 'w').write('torn')"
    world.agent("a", spoil)
    world.agent("b", "commit('b.txt')")
    assert world.run(ports=("WEB",), parallel=1) == 1
    assert world.starts().count("a") == 1
    assert world.statuses()["b"] == "done"
    assert len(world.said("a: not launched", "cannot be read", "stoat-ports")) == 1
    assert world.said("not in order: a (its part of the machine could not be had)")


def test_a_runner_whose_process_cannot_be_seen_is_refused_and_owns_nothing() -> None:
    over = subprocess.Popen(["true"])
    over.wait()
    with pytest.raises(Refused, match="cannot be seen") as refused:
        reserving.key_of(over.pid)
    assert refused.value.hint


def test_ports_are_unique_among_twenty_worktrees_and_what_somebody_listens_on(world: World) -> None:
    from stoat.runner import ports

    live: list[Reservation] = []
    with socket.socket() as listening:
        wanted = Reservation(id="r0", kind="agent", since="", store="/s", plan="p", node="n0")
        first = ports.allot(wanted, ("WEB",), {}, ())["WEB"]
        listening.bind(("127.0.0.1", first))
        listening.listen(1)
        for index in range(20):
            one = Reservation(id=f"r{index}", kind="agent", since="", store="/s", plan="p", node=f"n{index}")
            given = ports.allot(one, ("WEB", "DB"), {}, live)
            live.append(Reservation(id=one.id, kind="agent", since="", ports=given))
    given_out = [port for one in live for port in one.ports.values()]
    assert len(set(given_out)) == 40
    assert first not in given_out
    kept = {"WEB": live[3].ports["WEB"]}
    again = Reservation(id="r3b", kind="agent", since="", store="/s", plan="p", node="elsewhere")
    assert ports.allot(again, ("WEB",), kept, [one for one in live if one.id != "r3"]) == kept
    assert ports.allot(again, ("WEB",), kept, live) != kept


def test_ignored_files_are_copied_into_a_new_worktree_before_its_setup(world: World) -> None:
    (world.repo.path / ".git" / "info" / "exclude").write_text("/.env\n/certs/\n")
    env = world.repo.path / ".env"
    env.write_text("SECRET=1\n")
    env.chmod(0o600)
    (world.repo.path / "certs").mkdir()
    (world.repo.path / "certs" / "a.pem").write_text("a")
    world.plan("branch: i\nnodes: [{id: a, kind: change}]")
    world.agent("a", "tell('env', oct(os.stat('.env').st_mode)[-3:] + open('certs/a.pem').read()); commit('a.txt')")
    assert world.run(copies=(".env", "certs"), agent_setup="grep -q SECRET .env") == 0
    assert [words[5] for words in world.told() if words[4] == "env"] == ["600a"]
    assert world.repo.run_git("ls-tree", "-r", "--name-only", "refs/heads/i").splitlines() == ["README.md", "a.txt"]


def test_a_verification_has_its_nodes_resources_too_and_waits_for_them(world: World) -> None:
    me = identity_of(os.getpid())
    assert me is not None
    theirs = Reservation(
        id="c-theirs", kind="agent", since="2026-11-30T12:00:00.000Z", store="/s", plan="q", node="b", process=me.key,
        uses={"gpu": Use(1, True)},
    )  # fmt: skip

    class Lines(list[str]):
        def append(self, line: str) -> None:
            super().append(line)
            if "agent for 's' exited" in line:
                reserved.write(theirs)  # somebody else is quicker than the verification
            elif "the verification of 's' is not started" in line:
                assert "waiting on gpu (b of plan q)" in line
                reserved.remove(theirs.id)
            elif "verifying 's'" in line:
                assert all(one.id != theirs.id for one in reserved.read())

    world.lines = Lines()
    world.plan(f"branch: i\n{GPU}\nnodes: [{{id: s, kind: slice, pattern: command, specs: [F/One], uses: [gpu]}}]")
    world.agent("s", "commit('s.txt'); specs(passed=['F/One'])")
    assert world.run(verify_command=("true",)) == 0
    assert len(world.said("the verification of 's' is not started")) == 1
    assert world.said("verifying 's'")
    assert world.statuses() == {"s": "done"}
    assert reserved.read() == ()
