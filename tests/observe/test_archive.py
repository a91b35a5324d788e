"""Archives of runs: appended as received, read whatever happened to them, moved and retired."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest

from stoat.errors import NotFound
from stoat.observe.archive import Archive, read_run
from stoat.observe.run_index import RunIndex
from tests.support.streams import RUN, Publisher


@pytest.fixture
def archive(tmp_path: Path) -> Archive:
    """An archive that nothing was kept in yet."""
    return Archive(tmp_path / "the runs")


def lines(says: Publisher) -> list[bytes]:
    """What was said, a line each."""
    return [json.dumps(event).encode() for event in says.events]


def a_run(run_id: str = RUN, *, over: bool = True) -> Publisher:
    """A run of one scenario."""
    says = Publisher(run_id)
    says.start(total=1)
    says.scenario("Send/One", "CleanPass")
    if over:
        says.finish(0, passed=1)
    return says


def test_events_are_kept_as_they_came_and_folded_back(archive: Archive) -> None:
    written = lines(a_run())
    archive.append(RUN, written[:3])
    archive.append(RUN.upper(), written[3:])
    assert list(archive.lines(RUN)) == [line + b"\n" for line in written]
    run = archive.read(RUN)
    assert (run.run_id, run.verdict, run.orphaned, list(run.scenarios)) == (RUN, "passed", False, ["Send/One"])


def test_a_run_that_did_not_finish_is_read_back_as_an_orphan(archive: Archive) -> None:
    archive.append(RUN, lines(a_run(over=False)))
    assert archive.read(RUN).orphaned


def test_a_torn_last_line_loses_itself_and_nothing_else_wherever_it_was_torn(archive: Archive) -> None:
    written = lines(a_run())
    whole = b"".join(line + b"\n" for line in written)
    path = archive.path(RUN)
    archive.append(RUN, written)
    last = len(written[-1]) + 1
    for cut in range(1, last + 1):
        path.write_bytes(whole[:-cut])
        run = read_run(path)
        # Without its line break alone it is whole.
        assert (len(run.scenarios), run.heard) == (1, len(written) - (cut > 1))


def test_what_is_appended_after_a_torn_line_is_a_line_of_its_own(archive: Archive) -> None:
    written = lines(a_run())
    archive.append(RUN, written[:-1])
    path = archive.path(RUN)
    path.write_bytes(path.read_bytes()[:-9])
    span = archive.append(RUN, written[-1:])
    assert path.read_bytes()[span.begin : span.end] == written[-1] + b"\n"
    assert archive.read(RUN).finished


def test_where_events_are_is_told_and_from_there_they_are_read(archive: Archive) -> None:
    written = lines(a_run())
    first, second = archive.append(RUN, written[:2]), archive.append(RUN, written[2:])
    assert (first.begin, first.end, archive.size(RUN)) == (0, second.begin, second.end)
    found = list(archive.part(RUN, *second))
    assert [event for _, event in found] == [json.loads(line) for line in written[2:]]
    assert found[-1][0] == second.end and list(archive.part(RUN, second.end, second.end)) == []


@pytest.mark.parametrize("whole", [True, False])
def test_a_line_that_is_being_written_is_read_when_it_is_whole(archive: Archive, whole: bool) -> None:
    written = lines(a_run())
    before = archive.append(RUN, written[:1])
    path = archive.path(RUN)
    with path.open("ab") as file:
        file.write(written[1] if whole else written[1][:-9])
    found = list(archive.part(RUN, 0, archive.size(RUN)))
    assert (len(found), found[-1][0]) == ((2, archive.size(RUN)) if whole else (1, before.end))
    # What is appended behind it says where it begins itself.
    after = archive.append(RUN, written[2:])
    rest = [event for _, event in archive.part(RUN, found[-1][0], after.end)]
    assert [event for event in rest if event] == [json.loads(line) for line in written[2:]]


def test_of_a_run_without_a_file_there_is_nothing(archive: Archive) -> None:
    assert archive.size(RUN) == 0
    with pytest.raises(NotFound):
        list(archive.part(RUN, 0, 9))


def test_junk_between_events_is_stepped_over(archive: Archive) -> None:
    archive.append(RUN, [b"", b"\x00" * 4096, b"null", b"{}", *lines(a_run()), b"\xff", b"[" * 3000])
    run = archive.read(RUN)
    assert (run.verdict, run.heard) == ("passed", len(a_run().events))


def test_a_line_that_is_longer_than_any_event_is_never_held_in_memory(
    archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("stoat.observe.archive._LONGEST", 1000)
    archive.append(RUN, [b"x" * 999, b"y" * 1000, b"z" * 5000, *lines(a_run())])
    assert archive.read(RUN).verdict == "passed"
    assert max(len(line) for line in archive.lines(RUN)) <= 1000


@pytest.mark.parametrize("written", [b"", b"\n", bytes(4096), b"{}\n"])
def test_a_file_without_an_event_is_no_run(archive: Archive, written: bytes) -> None:
    archive.append("r-2", lines(a_run("r-2")))
    archive.path(RUN).write_bytes(written)
    with pytest.raises(NotFound):
        archive.read(RUN)
    assert [one.summary.run_id for one in RunIndex(archive).all()] == ["r-2"]


def test_runs_are_listed_by_when_they_were_touched(archive: Archive) -> None:
    assert archive.runs() == []
    for number in range(3):
        archive.append(f"r-{number}", lines(a_run(f"r-{number}")))
        os.utime(archive.path(f"r-{number}"), (1000 + number, 1000 + number))
    (archive.directory / "notes.txt").write_text("not a run")
    (archive.directory / ".ndjson").write_text("nor this")
    assert [(one.run_id, one.touched) for one in archive.runs()] == [("r-2", 1002.0), ("r-1", 1001.0), ("r-0", 1000.0)]


@pytest.mark.parametrize("run_id", ["", "..", "../x", "a/b", ".hidden", "x\n"])
def test_no_id_leads_out_of_the_directory(archive: Archive, run_id: str) -> None:
    assert not archive.has(run_id)
    for does in (archive.read, archive.lines, archive.eject, archive.path):
        with pytest.raises(NotFound):
            does(run_id)
    with pytest.raises(NotFound):
        archive.append(run_id, [b"{}"])


def test_what_is_ejected_is_kept_aside_each_time(archive: Archive) -> None:
    for _ in range(2):
        archive.append("new", lines(a_run("r-1")))
        archive.path("new").replace(archive.path("r-1"))  # as a report is that was read once more
        archive.eject("r-1")
    assert (archive.runs(), archive.has("r-1")) == ([], False)
    assert sorted(path.name for path in (archive.directory / "ejected").iterdir()) == ["r-1.2.ndjson", "r-1.ndjson"]
    with pytest.raises(NotFound):
        archive.eject("r-1")


@pytest.mark.parametrize(
    ("days", "left"), [(14.0, ["new"]), (0.0, ["new", "old"]), (-1.0, ["new", "old"]), (40.0, ["new", "old"])]
)
def test_what_nobody_touched_for_so_long_is_retired(archive: Archive, days: float, left: list[str]) -> None:
    now = time.time()
    for name in ("old", "new", "aside"):
        archive.append(name, lines(a_run(name)))
    archive.eject("aside")
    for path in (archive.path("old"), archive.directory / "ejected" / "aside.ndjson"):
        os.utime(path, (now - 15 * 86400, now - 15 * 86400))
    assert archive.retire(now, days, going={"old", "aside"}) == []
    gone = archive.retire(now, days)
    assert sorted(one.run_id for one in archive.runs()) == left
    assert sorted(gone) == ([] if "old" in left else ["aside", "old"])


class TestIndex:
    """Archived runs in one line each."""

    def test_only_what_changed_is_folded_again(self, archive: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
        for name in ("r-1", "r-2"):
            archive.append(name, lines(a_run(name, over=False)))
        index = RunIndex(archive)
        read: list[str] = []
        fold = Archive.read
        monkeypatch.setattr(Archive, "read", lambda self, run_id: (read.append(run_id), fold(self, run_id))[1])
        first = {one.summary.run_id: one.summary for one in index.all()}
        assert sorted(read) == ["r-1", "r-2"] and not first["r-1"].finished
        assert {one.summary.run_id: one.summary for one in RunIndex(archive).all()} == first
        assert len(read) == 2
        archive.append("r-1", lines(a_run("r-1"))[-1:])
        assert {one.summary.run_id: one.summary.finished for one in index.all()} == {"r-1": True, "r-2": False}
        assert read[2:] == ["r-1"]

    def test_summaries_that_are_torn_or_gone_are_made_again(self, archive: Archive) -> None:
        archive.append("r-1", lines(a_run("r-1")))
        expected = RunIndex(archive).all()
        (kept,) = (archive.directory / "summaries").iterdir()
        for wrong in (b"", b"{", b'{"summary": 7}', b'{"version": 0}'):
            kept.write_bytes(wrong)
            assert RunIndex(archive).all() == expected
        archive.eject("r-1")
        index = RunIndex(archive)
        index.tidy()
        assert (index.all(), list((archive.directory / "summaries").iterdir())) == ([], [])
