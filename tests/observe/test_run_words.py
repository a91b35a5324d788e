"""How the scenarios of archived runs ended: kept beside the archive, and never older than it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from stoat.errors import NotFound
from stoat.observe.archive import Archive
from stoat.observe.run_words import RunWords


def finish(uid: str, outcome: str, **more: Any) -> bytes:
    return msgspec.json.encode(
        {"type": "scenario_finished", "runId": "r", "uid": uid, "outcome": outcome, "attempts": 1, **more}
    )


END = msgspec.json.encode({"type": "run_finished", "runId": "r", "exitCode": 0})


def test_each_scenario_with_a_verdict_is_told(tmp_path: Path) -> None:
    archive = Archive(tmp_path / "runs")
    begun = msgspec.json.encode({"type": "run_started", "runId": "r", "commit": "c", "dirty": False})
    ended = [
        finish("A/a", "CleanPass"),
        finish("A/b", "PassOnRetry"),
        finish("A/c", "Failed"),
        finish("A/d", "Aborted"),
    ]
    archive.append("r", [begun, *ended, finish("A/e", "CleanPass", state="Skipped"), END])
    words = RunWords(archive).of("r")
    assert (words.passed, words.on_retry, words.failed) == (["A/a"], ["A/b"], ["A/c"])
    assert (words.commit, words.dirty) == ("c", False)


def test_what_is_kept_is_as_old_as_the_archive_or_read_anew(tmp_path: Path) -> None:
    archive = Archive(tmp_path / "runs")
    archive.append("r", [finish("A/a", "CleanPass"), END])
    kept = archive.directory / "words" / "r.json"
    assert RunWords(archive).of("r") == RunWords(archive).of("r")
    assert kept.exists()
    archive.append("r", [finish("A/b", "Failed")])
    assert RunWords(archive).of("r").failed == ["A/b"]
    kept.write_bytes(b"broken")
    assert RunWords(archive).of("r").passed == ["A/a"]


def test_a_run_that_goes_on_is_not_kept_and_one_that_is_gone_leaves_nothing(tmp_path: Path) -> None:
    archive = Archive(tmp_path / "runs")
    archive.append("r", [finish("A/a", "CleanPass")])
    words = RunWords(archive)
    assert words.of("r").passed == ["A/a"]
    kept = archive.directory / "words" / "r.json"
    assert not kept.exists()
    archive.append("r", [END])
    words.of("r")
    assert kept.exists()
    archive.eject("r")
    words.tidy()
    assert not kept.exists()
    with pytest.raises(NotFound):
        words.of("r")
