"""What is never published."""

from __future__ import annotations

import pytest

from stoat.derive.private import private

TOKEN = "ghp_" + "a1B2" * 9


@pytest.mark.parametrize(
    "words",
    [
        f"use {TOKEN}", "github_pat_" + "x" * 30, "AKIA" + "A" * 16, "-----BEGIN OPENSSH PRIVATE KEY-----",
        "sk-" + "q" * 40, "the secret is hunter2hunter2", "in /home/ada/code", "see /Users/ada/x",
        "C:\\Users\\ada", "(/home/ada)", "`/srv/secret place/app`",
    ],
)  # fmt: skip
def test_tokens_and_places_of_a_machine_are_seen(words: str) -> None:
    assert private(words, places=["/srv/secret place"], secrets=["hunter2hunter2", ""]) is not None


@pytest.mark.parametrize(
    "words",
    ["GET /home returns 404", "https://example.com/home/index", "src/home/ada.py", "sk-1", "see /srv", "ghp_short", ""],
)
def test_ordinary_words_are_published(words: str) -> None:
    assert private(words, places=["/srv/secret place", "/x"], secrets=["", "abc"]) is None
