"""Segments: lines in, the same lines out, and what was there is never rewritten."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from stoat.gitstore import segments

_lines = st.lists(st.binary(min_size=1, max_size=40).map(lambda b: b.hex().encode()), max_size=30)


@given(st.integers(1, 3), _lines, _lines, st.booleans())
def test_extending_keeps_every_byte_and_adds_every_line(
    number: int, old: list[bytes], new: list[bytes], torn: bool
) -> None:
    content = b"".join(line + b"\n" for line in old)
    if torn and content:
        content = content[:-1]
    written = segments.extend(number if content else 0, content, new)
    assert bool(written) == bool(new)
    if new:
        assert written[0][1].startswith(content)
        assert [n for n, _ in written] == list(range(written[0][0], written[0][0] + len(written)))
        together = b"".join(data for _, data in written)
        assert segments.split(together).lines == [*old, *new]


def test_a_full_segment_stays_as_it_is_and_the_next_is_begun() -> None:
    full = b"x" * (segments.BOUND - 1) + b"\n"
    assert segments.extend(4, full, [b"new"]) == [(5, b"new\n")]
    assert segments.extend(4, full[1:], [b"a", b"b"]) == [(4, full[1:] + b"a\n"), (5, b"b\n")]
    assert segments.extend(0, b"", [b"first"]) == [(1, b"first\n")]


def test_names_sort_like_numbers() -> None:
    assert segments.name(1) == b"000001.jsonl"
    assert segments.number(segments.name(123456)) == 123456
    assert [segments.number(name) for name in (b"1.jsonl", b"000001.json", b"x000001.jsonl")] == [None] * 3


def test_odd_line_ends_are_said() -> None:
    assert segments.split(b"a\nb\n") == ([b"a", b"b"], [])
    assert segments.split(b"a\n\nb") == ([b"a", b"b"], [(1, "is not ended")])
    assert segments.split(b"\xef\xbb\xbfa\r\n").lines == [b"a"]
    assert len(segments.split(b"\xef\xbb\xbfa\r\n").oddities) == 2
