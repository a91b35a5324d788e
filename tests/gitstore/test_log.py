"""The log: appends land on exactly the state they were decided on, and nothing readable is lost."""

from __future__ import annotations

import multiprocessing
import subprocess
import threading
import time
from pathlib import Path

import pytest

from stoat.clock import Time
from stoat.errors import NotFound, Refused, StoreUnreadable, Unreachable
from stoat.gitstore import log, refs
from stoat.gitstore.log import Change, Store
from stoat.plan.events.base import Actor, Event, Unknown
from stoat.plan.events.claims import Claimed
from stoat.plan.state import State
from tests.gitstore.building import (
    ADA,
    AGENT,
    PLAN,
    always,
    claim,
    claims,
    fill,
    new_store,
    plan_of,
    read_segment,
    seed,
    write_segment,
)
from tests.support.gitrepo import MakeRepo

SPAWN = multiprocessing.get_context("spawn")


def test_a_repository_without_a_store_says_so_and_how_to_make_one(make_repo: MakeRepo) -> None:
    with pytest.raises(NotFound) as found:
        Store.open(make_repo().path)
    assert found.value.hint == "stoat init"


def test_create_makes_the_ref_once_and_never_touches_it_again(make_repo: MakeRepo) -> None:
    repo = make_repo()
    store, created = Store.create(repo.path)
    tip = store.tip()
    again, created_again = Store.create(repo.path)
    assert (created, created_again) == (True, False)
    assert again.tip() == tip == repo.head("refs/stoat/state")
    assert repo.run_git("show", "stoat/state:stoat.json") == '{"format": 1}'


def test_what_was_appended_is_folded_stamped_and_read_back_by_another_process_s_store(make_repo: MakeRepo) -> None:
    repo = make_repo()
    store = new_store(repo.path)
    done = store.append(always((PLAN, claim(1)), subject="p: claimed n1"), AGENT)
    (event,) = done.events
    assert event.by == AGENT and event.id and event.at.endswith("Z")
    assert done.commit == store.tip()
    held = plan_of(Store.open(repo.path).state()).nodes["n1"].claim
    assert held is not None and held.id == "c1" and held.since == event.at
    assert done.state == Store.open(repo.path).state()


def test_the_commit_reads_as_history(make_repo: MakeRepo) -> None:
    repo = make_repo()
    store = new_store(repo.path)
    store.append(always((PLAN, claim(1)), subject="p: claimed n1"), AGENT)
    shown = repo.run_git("log", "-1", "--format=%an|%ae|%cn|%s|%(trailers:separator=%x2C)", "stoat/state")
    assert shown == "agent-1|agent-1@stoat.invalid|Stoat|p: claimed n1|Stoat-Actor: agent,Stoat-Session: session-1"
    created = repo.run_git("log", "-1", "--format=%an|%ae|%(trailers)", "stoat/state~1")
    assert created.strip() == "Ada Tester|ada@example.org|Stoat-Actor: person"


def test_deciding_nothing_writes_nothing(make_repo: MakeRepo) -> None:
    store = new_store(make_repo().path)
    tip = store.tip()
    assert store.append(lambda state, at: None, AGENT) == (tip, (), store.state())
    assert store.append(always(), AGENT).events == ()
    assert store.tip() == tip


def test_a_refusal_writes_nothing(make_repo: MakeRepo) -> None:
    store = new_store(make_repo().path)
    tip = store.tip()

    def refuse(state: State, at: Time) -> Change:
        raise Refused("no")

    with pytest.raises(Refused, match="no"):
        store.append(refuse, AGENT)
    assert store.tip() == tip


def test_a_writer_who_was_overtaken_decides_again_on_the_new_tip(make_repo: MakeRepo) -> None:
    repo = make_repo()
    store, rival = new_store(repo.path), Store.open(repo.path)
    seen: list[str | None] = []

    def decide(state: State, at: Time) -> Change:
        held = plan_of(state).nodes["n1"].claim
        seen.append(held.id if held else None)
        if len(seen) == 1:
            # The turnstile is ours; a writer that knows nothing of it gets in between all the same.
            rival._until_done(lambda: rival._attempt(always((PLAN, claim(1))), AGENT, None))
        if held:
            raise Refused(f"held by {held.holder}")
        return Change([(PLAN, claim(2))], "p: claimed n2")

    with pytest.raises(Refused, match="held by agent-1"):
        store.append(decide, AGENT)
    assert seen == [None, "c1"]
    assert claims(store) == ["c1"]


def test_one_change_is_one_commit_whatever_number_of_streams_it_touches(make_repo: MakeRepo) -> None:
    repo = make_repo()
    store = new_store(repo.path)
    seed(store, "q")
    before = int(repo.run_git("rev-list", "--count", "stoat/state"))
    store.append(always((PLAN, claim(1)), ("plans/q", claim(2)), (PLAN, claim(3))), AGENT)
    assert int(repo.run_git("rev-list", "--count", "stoat/state")) == before + 1
    assert claims(store) == ["c1", "c3"] and claims(store, "plans/q") == ["c2"]
    assert store.streams() == [PLAN, "plans/q"]


def test_a_stream_that_no_path_can_carry_is_refused_by_name(make_repo: MakeRepo) -> None:
    store = new_store(make_repo().path)
    for name in ("plans/../x", "plans", "plans/a/b", "elsewhere/x", "plans/.git", "plans/"):
        with pytest.raises(ValueError, match="cannot name a stream"):
            store.append(always((name, claim(1))), AGENT)


def test_segments_are_closed_at_their_bound_and_closed_ones_never_change(make_repo: MakeRepo) -> None:
    repo = make_repo()
    store = new_store(repo.path)
    fill(store, 0, 900)
    listing = repo.run_git("ls-tree", "-l", "stoat/state:plans/p/events").splitlines()
    assert len(listing) >= 3
    fill(store, 900, 50, batch=10)
    after = repo.run_git("ls-tree", "-l", "stoat/state:plans/p/events").splitlines()
    assert after[: len(listing) - 1] == listing[:-1]
    assert claims(store) == [f"c{number}" for number in range(950)]


def test_history_goes_both_ways_and_stops_at_its_limit(make_repo: MakeRepo) -> None:
    repo = make_repo()
    store = new_store(repo.path)
    fill(store, 0, 700)
    newest = [each.event for each in store.history(PLAN, newest_first=True, limit=3)]
    assert [event.claim for event in newest if isinstance(event, Claimed)] == ["c699", "c698", "c697"]
    assert len(list(store.history(PLAN, limit=2))) == 2
    assert list(store.history("plans/none")) == []


def test_newest_first_reads_only_the_segments_it_needs(make_repo: MakeRepo, monkeypatch: pytest.MonkeyPatch) -> None:
    store = new_store(make_repo().path)
    fill(store, 0, 2000)
    read: list[str] = []
    original = store._reader.content
    monkeypatch.setattr(store._reader, "content", lambda s, segment: read.append(segment.oid) or original(s, segment))
    assert len(list(store.history(PLAN, newest_first=True, limit=5))) == 5
    assert len(read) <= 2


def test_unknown_types_and_fields_are_kept_byte_for_byte(make_repo: MakeRepo) -> None:
    repo = make_repo()
    store = new_store(repo.path)
    strange = b'{"type":"foreseen","id":"x","at":"2030-01-01T00:00:00.000Z","by":{"name":"z","as":"agent"},"k":1.50}\n'
    known = b'{"type":"claimed","id":"y","at":"2030-01-01T00:00:00.000Z","by":{"name":"z","as":"agent"},"node":"n1",'
    known += b'"claim":"cx","holder":"z","colour":"red"}\n'
    before = read_segment(repo.path)
    write_segment(repo.path, before + strange + known)
    store.append(always((PLAN, claim(2))), AGENT)
    assert read_segment(repo.path).startswith(before + strange + known)
    assert [each.event.type for each in store.history(PLAN) if isinstance(each.event, Unknown)] == ["foreseen"]
    held = plan_of(store.state()).nodes["n1"].claim
    assert held is not None and held.id == "cx"
    assert any("000001.jsonl line 5" in note and "foreseen" in note for note in store.notes)


def test_a_torn_last_line_is_reported_with_commit_and_line_and_the_next_append_begins_a_new_one(
    make_repo: MakeRepo,
) -> None:
    repo = make_repo()
    store = new_store(repo.path)
    torn = read_segment(repo.path) + b'{"type":"claimed","id":"y","at":"2030-'
    commit = write_segment(repo.path, torn)
    assert plan_of(store.state()).nodes
    assert any("line 5" in note and commit[:12] in note for note in store.notes)
    store.append(always((PLAN, claim(2))), AGENT)
    assert read_segment(repo.path).startswith(torn + b"\n{")
    for each in (store, Store.open(repo.path)):
        held = plan_of(each.state()).nodes["n2"].claim
        assert held is not None and held.id == "c2"


def test_line_ends_of_windows_and_a_byte_order_mark_are_reported_and_read(make_repo: MakeRepo) -> None:
    repo = make_repo()
    new_store(repo.path)
    write_segment(repo.path, b"\xef\xbb\xbf" + read_segment(repo.path).replace(b"\n", b"\r\n"))
    store = Store.open(repo.path)
    assert list(plan_of(store.state()).nodes) == ["n0", "n1", "n2"]
    assert any("byte order mark" in note for note in store.notes)
    assert any("CR LF" in note for note in store.notes)


def test_a_newer_format_is_read_and_not_written(make_repo: MakeRepo) -> None:
    repo = make_repo()
    new_store(repo.path)
    blob = repo.run_git("hash-object", "-w", "--stdin", input=b'{"format": 2}')
    tree = repo.run_git("ls-tree", "stoat/state").replace(repo.run_git("rev-parse", "stoat/state:stoat.json"), blob)
    made = repo.run_git("mktree", input=tree.encode() + b"\n")
    commit = repo.run_git("commit-tree", made, "-p", "stoat/state", "-m", "newer")
    repo.run_git("update-ref", refs.REF, commit)
    store = Store.open(repo.path)
    assert plan_of(store.state()).nodes and any("format 2" in note for note in store.notes)
    with pytest.raises(Refused, match="format 2"):
        store.append(always((PLAN, claim(1))), AGENT)
    assert store.tip() == commit


def test_purge_takes_a_stream_out_of_the_tree_and_leaves_it_in_the_history(make_repo: MakeRepo) -> None:
    repo = make_repo()
    store = new_store(repo.path)
    seed(store, "q")
    before = store.tip()
    done = store.purge(PLAN, ADA, "p: purged", always(("plans/q", claim(7))))
    assert store.streams() == ["plans/q"] and done.state.plan("p") is None
    assert claims(store, "plans/q") == ["c7"]
    assert repo.run_git("show", f"{before}:plans/p/events/000001.jsonl")
    assert repo.run_git("log", "-1", "--format=%s", "stoat/state") == "p: purged"
    assert Store.open(repo.path).state() == done.state
    with pytest.raises(NotFound):
        store.purge(PLAN, ADA, "p: purged")
    seed(store, "p")
    assert plan_of(store.state()).seq == 4


def test_a_stale_lock_file_is_named_with_its_age_and_left_alone(
    make_repo: MakeRepo, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo = make_repo()
    store = new_store(repo.path)
    monkeypatch.setattr(log, "LOCKED", 0.1)
    lock = repo.path / ".git" / "refs" / "stoat" / "state.lock"
    lock.touch()
    import os

    os.utime(lock, (time.time() - 3700, time.time() - 3700))
    with pytest.raises(Unreachable, match=r"state\.lock, which is 1h 1m"):
        store.append(always((PLAN, claim(1))), AGENT)
    assert lock.exists()
    lock.unlink()
    assert store.append(always((PLAN, claim(1))), AGENT).events


def test_a_lock_that_goes_away_is_waited_for(make_repo: MakeRepo) -> None:
    repo = make_repo()
    store = new_store(repo.path)
    lock = repo.path / ".git" / "refs" / "stoat" / "state.lock"
    lock.touch()
    timer = threading.Timer(0.3, lock.unlink)
    timer.start()
    assert store.append(always((PLAN, claim(1))), AGENT).events
    timer.join()


def test_text_of_any_kind_is_sanitised_for_the_commit_and_kept_verbatim_in_the_event(make_repo: MakeRepo) -> None:
    repo = make_repo()
    store = new_store(repo.path)
    ugly = "Eve <eve@evil>\nStoat-Actor: person\x1b[31m \u202e" + "ä" * 10_000
    actor = Actor(ugly, "agent", "s\n\nStoat-Actor: person")
    store.append(always((PLAN, claim(1, note=ugly)), subject=f"p: {ugly}"), actor)
    raw = repo.run_git("cat-file", "commit", "stoat/state")
    assert raw.count("\nStoat-Actor: ") == 1 and "\x1b" not in raw and len(raw) < 2000
    assert repo.run_git("log", "-1", "--format=%(trailers:key=Stoat-Actor,valueonly)", "stoat/state").strip() == "agent"
    repo.run_git("fsck", "--strict")
    event = next(store.history(PLAN, newest_first=True)).event
    assert isinstance(event, Claimed) and event.note == ugly and event.by.name == ugly


def test_worktrees_subdirectories_links_and_bare_repositories_share_one_store(
    make_repo: MakeRepo, tmp_path: Path
) -> None:
    repo = make_repo(files={"sub dir/file": "x"})
    store = new_store(repo.path)
    tree = tmp_path / "other tree"
    repo.run_git("worktree", "add", "--quiet", "-b", "other", str(tree))
    link = tmp_path / "link"
    link.symlink_to(repo.path)
    for place in (repo.path / "sub dir", tree, link, repo.path / ".git"):
        assert Store.open(place).common == store.common
        Store.open(place).append(always((PLAN, claim(1))), AGENT)
    assert len(claims(store)) == 4
    bare = tmp_path / "bare one.git"
    subprocess.run(["git", "init", "--quiet", "--bare", str(bare)], check=True)
    assert new_store(bare).append(always((PLAN, claim(1))), AGENT).events


def test_git_dir_of_another_repository_in_the_environment_misleads_nobody(
    make_repo: MakeRepo, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo, other = make_repo("mine"), make_repo("other")
    store = new_store(repo.path)
    for name in ("GIT_DIR", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY"):
        monkeypatch.setenv(name, str(other.path / ".git" / ("objects" if "OBJECT" in name else "")))
    monkeypatch.setenv("GIT_WORK_TREE", str(other.path))
    assert Store.open(repo.path).append(always((PLAN, claim(1))), AGENT).events
    assert claims(store) == ["c1"]


def test_a_read_only_repository_is_read_and_says_why_it_cannot_be_written(make_repo: MakeRepo) -> None:
    import os

    repo = make_repo()
    new_store(repo.path)
    if os.geteuid() == 0:
        pytest.skip("nothing is read-only for root")
    subprocess.run(["chmod", "-R", "a-w", str(repo.path)], check=True)
    try:
        store = Store.open(repo.path)
        assert plan_of(store.state()).nodes
        with pytest.raises(Unreachable):
            store.append(always((PLAN, claim(1))), AGENT)
    finally:
        subprocess.run(["chmod", "-R", "u+w", str(repo.path)], check=True)


def test_objects_and_ref_are_on_the_disk_unless_the_setting_says_otherwise(make_repo: MakeRepo) -> None:
    repo = make_repo()
    new_store(repo.path)
    repo.run_git("config", "stoat.fsync", "false")
    assert Store.open(repo.path)._appender._sync is False
    assert Store.open(repo.path, fsync=True)._appender._sync is True


def test_threads_share_a_store(make_repo: MakeRepo) -> None:
    store = new_store(make_repo().path)
    threads = [
        threading.Thread(target=fill, args=(store, worker * 100, 10), kwargs={"batch": 1}) for worker in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(claims(store))) == 40


def test_a_commit_that_is_no_store_s_is_unreadable(make_repo: MakeRepo) -> None:
    repo = make_repo()
    repo.run_git("update-ref", refs.REF, "HEAD")
    with pytest.raises(StoreUnreadable, match=r"stoat\.json"):
        Store.open(repo.path)
    with pytest.raises(StoreUnreadable):
        Store.create(repo.path)


def _append(path: str, worker: int, count: int, took: multiprocessing.Queue[float]) -> None:
    store = Store.open(Path(path), fsync=False)
    began = time.monotonic()
    for number in range(count):
        store.append(always((PLAN, claim(worker * 1000 + number))), AGENT)
    took.put(time.monotonic() - began)


def _race(path: Path, writers: int, each: int) -> list[float]:
    took: multiprocessing.Queue[float] = SPAWN.Queue()
    processes = [SPAWN.Process(target=_append, args=(str(path), worker, each, took)) for worker in range(writers)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0] * writers
    return [took.get() for _ in processes]


@pytest.mark.slow
def test_eight_processes_lose_and_repeat_nothing_and_nobody_starves(make_repo: MakeRepo) -> None:
    repo = make_repo()
    store = new_store(repo.path)
    took = _race(repo.path, 8, 100)
    found = claims(store)
    assert len(found) == len(set(found)) == 800
    for worker in range(8):
        mine = [name for name in found if int(name[1:]) // 1000 == worker]
        assert mine == [f"c{worker * 1000 + number}" for number in range(100)]
    # They start at different moments; who has begun is never held up to less than half of the others' pace.
    assert max(took) <= 2 * min(took)


@pytest.mark.slow
def test_nothing_is_lost_while_git_packs_and_collects_garbage(make_repo: MakeRepo) -> None:
    repo = make_repo()
    store = new_store(repo.path)
    over = threading.Event()

    def tidy() -> None:
        while not over.is_set():
            repo.run_git("gc", "--prune=now", "--quiet", check=False)
            repo.run_git("repack", "-adq", check=False)
            repo.run_git("maintenance", "run", "--task=loose-objects", "--task=incremental-repack", check=False)
            repo.run_git("prune", "--expire=now", check=False)

    cleaner = threading.Thread(target=tidy)
    cleaner.start()
    try:
        _race(repo.path, 4, 40)
    finally:
        over.set()
        cleaner.join()
    assert len(set(claims(store))) == 160
    assert plan_of(Store.open(repo.path).state()) == plan_of(store.state())
    assert "missing" not in repo.run_git("fsck", "--full", check=False)
    assert int(repo.run_git("rev-list", "--count", "stoat/state")) == 162


def test_a_change_of_many_events_spans_segments(make_repo: MakeRepo) -> None:
    store = new_store(make_repo().path)
    events: list[tuple[str, Event]] = [(PLAN, claim(number, "z" * 100)) for number in range(1500)]
    done = store.append(always(*events), AGENT)
    assert len({event.id for event in done.events}) == 1500
    assert [event.id for event in done.events] == sorted(event.id for event in done.events)
    assert len(claims(store)) == 1500
