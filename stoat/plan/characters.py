"""Which characters a plan's texts may hold, which ones an eye cannot tell from nothing, and which ones act."""

from __future__ import annotations

import re

FORBIDDEN = re.compile("[^\t\n\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Control characters, half surrogates and the like: YAML has no place for them, and a terminal would obey some."""

UNSEEN = re.compile(
    "[\x00-\x1f\x7f-\xa0\xad\u061c\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff\ufff9-\uffff]"
)
"""What is written as an escape, so that it can be seen. A fixed list: the same in every version of Python."""

ACTING = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028\u2029\u202a-\u202e\u2060-\u2069\ufeff\ud800-\udfff"
    "\U000e0000-\U000e007f]"
)
"""What a terminal would obey, or what turns or hides text: never shown as it is, nor given to an agent.

Tab and line end stay, and so do the two joiners (U+200C, U+200D): scripts and emoji are written with them.
"""


def spelled(text: str, what: re.Pattern[str] = ACTING) -> str:
    """`text` with the characters of `what` spelled as JSON spells them: `\\u001b`, `\\u202e`."""
    return what.sub(_spelling, text)


def _spelling(found: re.Match[str]) -> str:
    units = found[0].encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))
