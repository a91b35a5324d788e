"""What of a text must not be published: tokens and keys, and the directories of somebody's machine."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal

_TOKEN = re.compile(
    r"gh[pousr]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{20,}|xox[abprs]-[\w-]{10,}|sk-[\w-]{20,}|AKIA[0-9A-Z]{16}"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY-----"
)
_HOME = re.compile(r"(?<![\w/.])/(?:home|Users|root)/[^\s`'\"/]+|\b[A-Za-z]:\\Users\\")
_SHORTEST = 8
"""Characters of the shortest place or secret of this machine that is looked for: a shorter one is a word."""

Private = Literal["token", "place"]
"""What looks like a token or a private key; a directory of somebody's machine."""


def private(words: str, *, places: Iterable[str], secrets: Iterable[str]) -> Private | None:
    """What of these words is nobody else's business; None where nothing is seen.

    `places` are directories of this machine, `secrets` tokens that are in use here.
    """
    if _TOKEN.search(words) or any(one in words for one in secrets if len(one) >= _SHORTEST):
        return "token"
    if _HOME.search(words) or any(one in words for one in places if len(one) >= _SHORTEST):
        return "place"
    return None
