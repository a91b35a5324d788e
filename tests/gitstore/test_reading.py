"""Reading states: every family of streams is found, what this version does not read is kept, and damage is local."""

from __future__ import annotations

from stoat.gitstore.log import Store
from stoat.plan.events.base import Unknown
from tests.gitstore.building import AGENT, PLAN, always, claim, new_store, plan_of, read_segment, write_segment
from tests.support.gitrepo import MakeRepo

STRANGE = b'{"type":"seen_by_a_later_version","at":"2030-01-01T00:00:00.000Z"}\n'


def test_streams_of_every_family_are_found_at_their_depth(make_repo: MakeRepo) -> None:
    repo = make_repo()
    new_store(repo.path)
    streams = ["agents", "feeds/nuget", "github/o/r", "machines/m1", "plans/events", "repositories/o/r", "runs"]
    for stream in streams:
        write_segment(repo.path, STRANGE, stream)
    write_segment(repo.path, STRANGE, "of_a_later_version/x")
    store = Store.open(repo.path)
    assert store.streams() == sorted([*streams, PLAN])
    assert set(store.state().parts) == {*streams, PLAN}
    assert [type(each.event) for each in store.history("github/o/r")] == [Unknown]
    store.append(always((PLAN, claim(1))), AGENT)
    assert repo.run_git("show", "stoat/state:of_a_later_version/x/events/000001.jsonl").encode() + b"\n" == STRANGE


def test_a_line_that_is_no_event_stops_neither_its_stream_nor_another(make_repo: MakeRepo) -> None:
    repo = make_repo()
    new_store(repo.path)
    lines = read_segment(repo.path).splitlines(keepends=True)
    broken = [lines[0], b"<<<<<<< HEAD\n", b'{"type":"node_added"}\n', b"\xff\xfe\n", b"[1, 2]\n", *lines[1:]]
    write_segment(repo.path, b"".join(broken))
    store = Store.open(repo.path)
    assert list(plan_of(store.state()).nodes) == ["n0", "n1", "n2"]
    for number in (2, 3, 4, 5):
        assert any(f"line {number} " in note for note in store.notes)


def test_notes_are_bounded_and_survive_the_cache(make_repo: MakeRepo) -> None:
    repo = make_repo()
    new_store(repo.path)
    write_segment(repo.path, read_segment(repo.path) + STRANGE * 500)
    first = Store.open(repo.path)
    first.state()
    again = Store.open(repo.path)
    again.state()
    assert first.notes == again.notes and 5 < len(first.notes) < 30
