"""Answers cut to what an agent can take at once, for it pays for every character: texts first, then lists."""

from __future__ import annotations

from typing import Any

import msgspec

TEXT = 8_000
"""Characters of one text at most."""
WHOLE = 60_000
"""Bytes of a whole answer as JSON."""
_SHORTEST = 200
"""Characters to which a text is cut before entries of lists are left out."""
_LONGEST_LIST = 512


def bounded(value: Any) -> Any:
    """A value of builtins within WHOLE, as far as its objects' keys let it be: they all stay.

    What is left out is said where it was: a cut text ends with how many characters are missing, a list with how many
    entries, `… (7 more)`.
    """
    text, entries = TEXT, None
    cut = _cut(value, text, entries)
    while len(msgspec.json.encode(cut)) > WHOLE and entries != 0:
        if text > _SHORTEST:
            text //= 2
        else:
            entries = _LONGEST_LIST if entries is None else entries // 2
        cut = _cut(value, text, entries)
    return cut


def _cut(value: Any, text: int, entries: int | None) -> Any:
    match value:
        case str() if len(value) > text:
            return f"{value[:text]}… ({len(value) - text} more characters)"
        case dict():
            return {key: _cut(one, text, entries) for key, one in value.items()}
        case list():
            cut = [_cut(one, text, entries) for one in value[:entries]]
            return cut if len(cut) == len(value) else [*cut, f"… ({len(value) - len(cut)} more)"]
    return value
