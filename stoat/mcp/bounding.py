"""Long texts from outside, cut to what an agent can take in one answer: it pays for every character of it."""

from __future__ import annotations

from typing import Any

import msgspec

TEXT = 8_000
"""Characters of one text at most."""
WHOLE = 60_000
"""Bytes of all of it, which texts are cut shorter for."""
_SHORTEST = 200


def bounded(value: Any) -> Any:
    """A value of builtins with its long texts cut, each with how much is missing."""
    longest = TEXT
    cut = _cut(value, longest)
    while len(msgspec.json.encode(cut)) > WHOLE and longest > _SHORTEST:
        longest //= 2
        cut = _cut(value, longest)
    return cut


def _cut(value: Any, longest: int) -> Any:
    match value:
        case str() if len(value) > longest:
            return f"{value[:longest]}… ({len(value) - longest} more characters)"
        case dict():
            return {key: _cut(one, longest) for key, one in value.items()}
        case list() | tuple():
            return [_cut(one, longest) for one in value]
    return value
