"""Answers kept on disk."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from stoat.observe.github import etags
from stoat.observe.github.etags import Etags

URL, ACCEPT = "https://api.github.com/repos/acme/widgets", "application/json"


def test_an_answer_comes_back_as_it_was(tmp_path: Path) -> None:
    kept = Etags(tmp_path / "a b" / "answers", "token")
    kept.keep(URL, ACCEPT, {"etag": 'W/"1"', "link": "<next>", "x-secret": "no"}, b"body")
    found = kept.find(URL, ACCEPT)
    assert found is not None
    assert (found.etag, found.headers, found.body) == ('W/"1"', {"etag": 'W/"1"', "link": "<next>"}, b"body")
    assert Etags(tmp_path / "a b" / "answers", "other").find(URL, ACCEPT) is None


def test_only_its_owner_can_read_it_and_the_token_is_not_in_it(tmp_path: Path) -> None:
    Etags(tmp_path, "verysecret").keep(URL, ACCEPT, {"etag": "1"}, b"private")
    (file,) = tmp_path.iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert b"verysecret" not in file.read_bytes() and "verysecret" not in file.name


def test_what_has_no_etag_is_not_kept_and_without_a_directory_nothing_is(tmp_path: Path) -> None:
    Etags(tmp_path, "token").keep(URL, ACCEPT, {}, b"body")
    nowhere = Etags(None, "token")
    nowhere.keep(URL, ACCEPT, {"etag": "1"}, b"body")
    assert list(tmp_path.iterdir()) == [] and nowhere.find(URL, ACCEPT) is None


@pytest.mark.parametrize("damage", [b"", b"\x83", b"not msgpack at all", b"\xff" * 100])
def test_what_cannot_be_read_counts_as_not_kept(tmp_path: Path, damage: bytes) -> None:
    kept = Etags(tmp_path, "token")
    kept.keep(URL, ACCEPT, {"etag": "1"}, b"body")
    (file,) = tmp_path.iterdir()
    file.write_bytes(damage)
    assert kept.find(URL, ACCEPT) is None


def test_a_directory_that_takes_nothing_is_no_trouble(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    kept = Etags(tmp_path / "file" / "answers", "token")
    kept.keep(URL, ACCEPT, {"etag": "1"}, b"body")
    assert kept.find(URL, ACCEPT) is None


def test_the_least_recently_used_go_when_there_are_too_many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(etags, "_FILES", 3)
    kept = Etags(tmp_path, "token")
    for number in range(5):
        kept.keep(f"{URL}/{number}", ACCEPT, {"etag": str(number)}, b"body")
        for place in tmp_path.iterdir():
            os.utime(place, (place.stat().st_atime, place.stat().st_mtime - 10))
    assert [kept.find(f"{URL}/{number}", ACCEPT) is not None for number in range(5)] == [False, False, True, True, True]
    monkeypatch.setattr(etags, "_BYTES", 400)
    kept.keep(f"{URL}/9", ACCEPT, {"etag": "9"}, b"x" * 90)
    assert kept.find(f"{URL}/9", ACCEPT) is not None
    assert sum(place.stat().st_size for place in tmp_path.iterdir()) <= 400
