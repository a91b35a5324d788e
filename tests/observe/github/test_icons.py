"""Which favicon of a repository's tree is its own."""

from __future__ import annotations

from typing import Any

import pytest

from stoat.observe.github.icons import best, kind_of


def tree(*paths: str, blob: str = "a" * 40, size: int = 800) -> list[dict[str, Any]]:
    """A tree as REST gives it."""
    return [{"path": path, "type": "blob", "sha": blob, "size": size} for path in paths]


@pytest.mark.parametrize(
    ("paths", "chosen"),
    [
        ((), None),
        (("favicon.txt", "my-favicon.ico", "src/icon.svg"), None),
        (("src/web/public/favicon.ico",), "src/web/public/favicon.ico"),
        (("favicon.ico", "docs/public/favicon.svg"), "docs/public/favicon.svg"),
        (("a/b/favicon.svg", "a/favicon.ico"), "a/favicon.ico"),
        (("favicon.ico", "favicon.png", "FavIcon.SVG"), "FavIcon.SVG"),
        (("samples/web/favicon.ico", "src/Shop.Tests/favicon.ico", "OldSite/favicon.png", "scratch/favicon.svg"), None),
        (("src/SampleApp/wwwroot/favicon.ico", "gold/favicon.ico"), "gold/favicon.ico"),
        (("docs/samples/favicon.ico", "latest/favicon.ico"), "latest/favicon.ico"),
    ],
)
def test_the_docs_sites_first_and_never_a_samples(paths: tuple[str, ...], chosen: str | None) -> None:
    found = best(tree(*paths))
    assert (found.path if found else None) == chosen


def test_a_templates_icon_is_not_its_own() -> None:
    assert best(tree("favicon.ico", blob="df36fcfb72584e00488330b560ebcf34a41c64c2")) is None


def test_a_folder_a_huge_file_and_an_empty_one_are_no_icons() -> None:
    folder = {"path": "favicon.ico", "type": "tree", "sha": "b" * 40}
    assert best([folder, *tree("favicon.png", size=10**7), *tree("favicon.svg", size=0)]) is None


@pytest.mark.parametrize(
    ("image", "kind"),
    [
        (b"\x89PNG\r\n\x1a\n...", "image/png"),
        (b"\x00\x00\x01\x00\x01\x00", "image/x-icon"),
        (b'\xef\xbb\xbf<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg"/>', "image/svg+xml"),
        (b"<!doctype html><script>alert(1)</script>", None),
        (b"version https://git-lfs.github.com/spec/v1", None),
        (b"", None),
    ],
)
def test_what_is_in_it_says_what_it_is(image: bytes, kind: str | None) -> None:
    assert kind_of(image) == kind
