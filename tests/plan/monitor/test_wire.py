"""Reading what publishers write, whatever they make of JSON."""

from __future__ import annotations

from typing import Any

import pytest

from stoat.plan.monitor import wire

RUN = "5b0c9d8e-0000-4000-8000-000000000001"


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("2026-12-01T09:00:00Z", "2026-12-01T09:00:00.000Z"),
        ("2026-12-01T09:00:00.1234567+01:00", "2026-12-01T08:00:00.123Z"),
        ("2026-12-01T09:00:00", "2026-12-01T09:00:00.000Z"),
        ("0001-01-01T00:00:00+14:00", None), ("soon", None), ("", None), (12, None), (None, None),
    ],
)  # fmt: skip
def test_a_time_is_read_in_any_zone_and_precision(written: Any, read: str | None) -> None:
    assert wire.moment({"at": written}, "at") == read


@pytest.mark.parametrize("name", ["a", "r-1", RUN, "A.b_c-9", "x" * 128])
def test_a_run_may_be_named_so(name: str) -> None:
    assert wire.run_of({"type": "x", "runId": name}) == name


@pytest.mark.parametrize("name", ["", ".", "..", ".x", "a/b", "../a", "a\\b", "a b", "é", "a\n", "x" * 129, "-", "\0"])
def test_no_run_is_named_so(name: str) -> None:
    assert wire.run_of({"type": "x", "runId": name}) is None


def test_a_uuid_is_one_in_any_case() -> None:
    assert wire.run_of({"type": "x", "runId": RUN.upper()}) == RUN


@pytest.mark.parametrize(
    "event",
    [b'{"type":"x","runId":"r","of":"\\ud83d"}', b'{"type":"x","runId":"r","of":NaN}',
     b'{"type":"x","runId":"r","of":1e999}',
     b'{"type":"x","runId":"r","of":123456789012345678901234567890}', b'{"type":"x","runId":"r","of":"\xff"}'],
)  # fmt: skip
def test_what_strict_readers_refuse_loses_no_event(event: bytes) -> None:
    (line,) = wire.split_batch(b'{"events":[' + event + b"]}")
    read = wire.decode(line)
    assert read is not None and read["runId"] == "r"
    str(read["of"]).encode()


def test_an_event_is_one_line_however_it_was_written() -> None:
    body = b'{\r\n "events": [\n {"type": "x",\r\n "runId": "r", "of": "two\\nlines"}\n ]\n}'
    (line,) = wire.split_batch(body)
    assert b"\n" not in line and b"\r" not in line
    assert wire.decode(line) == {"type": "x", "runId": "r", "of": "two\nlines"}


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"[]", b"{}", b'{"events":null}', b'{"events":{}}', b'"events"', b"7", b"\xff\xfe", b"[" * 100_000],
)
def test_what_is_no_batch_is_said(body: bytes) -> None:
    with pytest.raises(ValueError):
        wire.split_batch(body)


@pytest.mark.parametrize(
    "line", [b"", b"7", b"[]", b"{}", b'{"type":"x"}', b'{"runId":"r"}', b'{"type":"x","runId":"r"']
)
def test_what_is_no_event_is_stepped_over(line: bytes) -> None:
    assert wire.decode(line) is None
