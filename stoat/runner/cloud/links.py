"""The address of a cloud agent's session, as its dispatcher printed it."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

LONGEST = 2000
_URL = re.compile(r"https?://[^\s<>\"'`\x00-\x20\x7f-\x9f]+")


def first_link(text: str) -> str | None:
    """The first address in what was printed: http or https, of a bounded length, without anybody's password."""
    for found in _URL.finditer(text):
        url = found[0].rstrip(".,;:!?)]}")
        try:
            parts = urlsplit(url)
            usable = bool(parts.hostname) and "@" not in parts.netloc
        except ValueError:
            usable = False
        if usable and len(url) <= LONGEST and url.isprintable():
            return url
    return None
