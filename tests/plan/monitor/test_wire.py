"""Reading what publishers write, whatever they make of JSON."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stoat.plan.monitor import wire
from stoat.plan.monitor.batches import split_batch

GOOD = b'{"type":"x","runId":"r"}'
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
    "value",
    [
        b'"\\ud83d"', b"NaN", b"-Infinity", b"1e999", b"123456789012345678901234567890", b"9" * 5_000,
        b"-" + b"9" * 5_000, b'"\xff"', b'"\xed\xa0\x80"', b'"a\tb"', b'"a\nb"', b'"a\\u0000b"',
        b"[" * 98 + b"]" * 98, b'"' + b"x" * 2_000_000 + b'"',
        b'"]},{"', b'"\\\"]}"',
    ],
)  # fmt: skip
def test_what_strict_readers_refuse_loses_no_event(value: bytes) -> None:
    odd = b'{"type":"x","runId":"r","of":' + value + b"}"
    first, line, last = split_batch(b'{"events":[' + GOOD + b", " + odd + b"\n,\n" + GOOD + b"]}")
    assert first == last == GOOD
    read = wire.decode(line)
    assert read is not None and read["runId"] == "r" and b"\n" not in line
    # What it holds can be shown, kept and written again.
    assert wire.decode(msgspec.json.encode(read)) is not None


@pytest.mark.parametrize("levels", [101, 900, 5_000, 100_000])
@pytest.mark.parametrize("pair", [(b"[", b"]"), (b'{"a":', b"}")])
def test_an_event_that_is_nested_too_deep_is_refused_alone(levels: int, pair: tuple[bytes, bytes]) -> None:
    deep = b'{"type":"x","runId":"r","of":' + pair[0] * levels + b"1" + pair[1] * levels + b"}"
    lines = split_batch(b'{"events":[' + b",".join([GOOD, deep, GOOD]) + b"]}")
    assert [wire.decode(line) is not None for line in lines] == [True, False, True]
    with pytest.raises(wire.Unfit, match="deeper than 100"):
        wire.read(lines[1])


@pytest.mark.parametrize(
    "bad", [b"7", b"null", b'"x"', b"[]", b"{}", b'{"type":"x"}', b"nonsense", b'{"type":"x",}', b"{]}"]
)
def test_what_is_no_event_is_refused_alone(bad: bytes) -> None:
    try:
        lines = split_batch(b'{"events":[' + b",".join([GOOD, bad, GOOD]) + b"]}")
    except ValueError:
        assert bad == b"{]}"  # Nobody can say where that one ends.
        return
    assert [wire.decode(line) is not None for line in lines] == [True, False, True]


def test_of_a_key_that_is_there_twice_the_last_counts_at_the_door_and_in_the_archive() -> None:
    (line,) = split_batch(b'{"events":[{"type":"x","runId":"r","runId":"q","of":NaN,"of":1}]}')
    assert wire.decode(line) == {"type": "x", "runId": "q", "of": 1}


def test_two_lists_of_events_are_both_taken() -> None:
    assert split_batch(b'{"events":[' + GOOD + b'],"note":"events","events":[' + GOOD + b"]}") == [GOOD, GOOD]


@pytest.mark.parametrize(
    "around", [b'"a":[{"events":[7]}],', b'"a":' + b"[" * 5_000 + b"]" * 5_000 + b",", b'"a":"events",']
)
def test_only_the_outermost_events_are_the_batchs(around: bytes) -> None:
    assert split_batch(b"\xef\xbb\xbf{" + around + b'"events":[' + GOOD + b'],"b":NaN}') == [GOOD]


def test_a_batch_may_be_empty() -> None:
    assert split_batch(b'{"events":[]}') == split_batch(b'{"a":NaN,"events":[ ]}') == []


def test_an_event_is_one_line_however_it_was_written() -> None:
    body = b'{\r\n "events": [\n {"type": "x",\r\n "runId": "r", "of": "two\\nlines"}\n ]\n}'
    (line,) = split_batch(body)
    assert b"\n" not in line and b"\r" not in line
    assert wire.decode(line) == {"type": "x", "runId": "r", "of": "two\nlines"}


@given(st.binary(max_size=40))
def test_no_body_does_more_than_be_refused(body: bytes) -> None:
    for whole in (body, b'{"events":[' + body + b"]}", b'{"a":NaN,"events":[' + GOOD + b"," + body + b"]}"):
        try:
            lines = split_batch(whole)
        except ValueError:
            continue
        assert not any(b"\n" in line for line in lines)
        for line in lines:
            wire.decode(line)


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"[]", b"{}", b'{"events":null}', b'{"events":{}}', b'"events"', b"7", b"\xff\xfe", b"[" * 100_000,
     GOOD, b"[" + GOOD + b"]", b'{"events":{"a":' + GOOD + b"}}", b'{"events":[' + GOOD + b"]} x",
     b'{"events":[' + GOOD + b',{"type":"x', b'{"events":[' + GOOD + b"]", b'{"events":["' + b'\\"' * 100_000,
     b'{"events":[' + b"[]," * 300_000 + b"NaN]}", '{"events":[]}'.encode("utf-16")],
)  # fmt: skip
def test_what_is_no_batch_is_said(body: bytes) -> None:
    with pytest.raises(ValueError):
        split_batch(body)


@pytest.mark.parametrize(
    "line", [b"", b"7", b"[]", b"{}", b'{"type":"x"}', b'{"runId":"r"}', b'{"type":"x","runId":"r"']
)
def test_what_is_no_event_is_stepped_over(line: bytes) -> None:
    assert wire.decode(line) is None
