"""Archives made elsewhere: the same events, under an id and a tag of ours."""

from __future__ import annotations

import json

import pytest

from stoat.errors import Invalid
from tests.observe.reports.conftest import Report
from tests.support.reports import told

EVENTS = [
    {"type": "run_started", "runId": "6F9619FF-8B86-D011-B42D-00CF4FC964FF", "suite": "Acme", "repository": "acme",
     "mode": "Bobcat", "startedAt": "2026-12-01T09:00:00Z", "tag": "other/node", "own": {"kept": True}},
    {"type": "scenario_finished", "runId": "6f9619ff-8b86-d011-b42d-00cf4fc964ff", "uid": "Parcels/Send one",
     "outcome": "CleanPass", "attempts": 1, "durationMs": 3},
    {"type": "something_new", "runId": "6f9619ff-8b86-d011-b42d-00cf4fc964ff", "x": 1},
    {"type": "run_finished", "runId": "6f9619ff-8b86-d011-b42d-00cf4fc964ff", "exitCode": 0, "passed": 1, "failed": 0,
     "passedOnRetry": 0, "indeterminate": 0, "finishedAt": "2026-12-01T09:00:05Z"},
]  # fmt: skip


def text(*events: dict[str, object]) -> str:
    return "".join(json.dumps(event) + "\n" for event in events)


def test_every_event_is_kept_under_our_id_and_tag(report: Report) -> None:
    seen = told([report(text(*EVENTS), "run.ndjson")], "bobcat")
    assert [event["type"] for event in seen.events] == [event["type"] for event in EVENTS]
    assert {event["runId"] for event in seen.events} == {"r-test"}
    assert (seen.events[0]["tag"], seen.events[0]["own"], seen.events[2]["x"]) == ("demo/send", {"kept": True}, 1)
    assert (seen.run.verdict, seen.run.tag, seen.run.suite) == ("passed", "demo/send", "Acme")


def test_a_torn_last_line_is_left_out(report: Report) -> None:
    seen = told([report(text(*EVENTS[:2]) + '{"type":"run_fini', "run.ndjson")], "bobcat")
    assert [event["type"] for event in seen.events] == ["run_started", "scenario_finished"]


@pytest.mark.parametrize(
    ("written", "said"),
    [
        (text(EVENTS[0]) + "nonsense\n" + text(EVENTS[1]), ":2:1: is no wire event"),
        (text(EVENTS[0], {**EVENTS[1], "runId": "another"}), ":2:1: holds another run as well"),
        (text({"type": "x"}), ":1:1: is no wire event"),
        ("", ":1:1: is empty"),
    ],
)
def test_what_is_no_archive_of_one_run_is_refused(report: Report, written: str, said: str) -> None:
    with pytest.raises(Invalid) as refused:
        told([report(written, "run.ndjson")], "bobcat")
    assert said in str(refused.value.problems[0])


def test_several_archives_are_several_runs(report: Report) -> None:
    files = [report(text(*EVENTS), "1.ndjson"), report(text(*EVENTS), "2.ndjson")]
    with pytest.raises(Invalid, match="each is a run"):
        told(files, "bobcat")
