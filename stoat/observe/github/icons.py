"""A repository's icon: the favicon in its tree that is its own, and the bytes of it.

The names, the folders that do not count and the stock icons of templates are in here; who looks when is not.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote

if TYPE_CHECKING:
    from stoat.observe.github.client import Client

LARGEST = 256 * 1024
"""Bytes; a favicon that is larger is no cue but a burden."""

_NAMES = ("favicon.svg", "favicon.png", "favicon.ico")
"""The one that is drawn best at any size first."""
_DOCS = {"doc", "docs", "documentation", "site", "website", "www"}
_NOT_ITS_OWN = {"sample", "samples", "scratch", "test", "tests", "old"}
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_STOCK = frozenset({
    "df36fcfb72584e00488330b560ebcf34a41c64c2", "c7b9a43c8cd16d0b434adaf513fcacb340809a11",  # Vue
    "63e859b476eff5055e0e557aaa151ca8223fbeef", "a3a799985c43bc7309d701b2cad129023377dc71",  # ASP.NET
    "8422b59695935d180d11d5dbe99653e711097819",  # Blazor
})  # fmt: skip
"""The blobs of icons that came with a template."""


class Entry(NamedTuple):
    """A favicon in a tree: where it is, its blob, its size in bytes."""

    path: str
    blob: str
    size: int


def best(tree: Iterable[Mapping[str, Any]]) -> Entry | None:
    """The favicon that a repository is shown with, from the entries of its tree as REST gives them; None without one.

    Its docs site's comes first, then the one nearest to the root.
    """
    found = [
        Entry(str(one["path"]), str(one["sha"]), int(one.get("size") or 0))
        for one in tree
        if one.get("type") == "blob" and _is_its_own(str(one.get("path", "")), str(one.get("sha", "")))
    ]
    return min((one for one in found if 0 < one.size <= LARGEST), key=_rank, default=None)


def look(client: Client, repo: str, branch: str) -> Entry | None:
    """The favicon in the tree of a branch; one request. Raises GitHubTrouble as the client does."""
    response = client.get(f"/repos/{repo}/git/trees/{quote(branch, safe='')}?recursive=1")
    document = response.json() if response.status == 200 else {}
    tree = document.get("tree") if isinstance(document, dict) else None
    return best(one for one in tree if isinstance(one, dict)) if isinstance(tree, list) else None


def fetch(client: Client, repo: str, entry: Entry) -> bytes | None:
    """Its bytes, if they are an image of a kind that browsers show; one request."""
    response = client.get(f"/repos/{repo}/git/blobs/{entry.blob}")
    document = response.json() if response.status == 200 else None
    try:
        image = base64.b64decode(document["content"]) if isinstance(document, dict) else b""
    except (KeyError, TypeError, ValueError):
        return None
    return image if len(image) <= LARGEST and kind_of(image) else None


def kind_of(image: bytes) -> str | None:
    """The media type by what is in it, never by its name; None for anything but an icon, a PNG or an SVG."""
    if image.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if image.startswith(b"\x00\x00\x01\x00"):
        return "image/x-icon"
    begin = image[:1024].lstrip(b"\xef\xbb\xbf \t\r\n")
    return "image/svg+xml" if begin.startswith(b"<") and b"<svg" in begin else None


def _is_its_own(path: str, blob: str) -> bool:
    *folders, name = path.split("/")
    words = {word.lower() for folder in folders for word in _WORDS.findall(folder)}
    return name.lower() in _NAMES and blob not in _STOCK and not words & _NOT_ITS_OWN


def _rank(entry: Entry) -> tuple[bool, int, int, str]:
    *folders, name = entry.path.split("/")
    docs = any(folder.lower() in _DOCS for folder in folders)
    return not docs, len(folders), _NAMES.index(name.lower()), entry.path
