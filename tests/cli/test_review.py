"""`stoat review` as a process: what it prints, its exit codes, and who may."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.support.command import Stoat
from tests.support.gitrepo import GitRepo

FOUND = [{"title": "Wrong\u202e lane", "severity": "high", "file": "src/a.py", "line": 3, "text": "It \x1b[31mturns."}]


@pytest.fixture
def stoat(repo: GitRepo, tmp_path: Path) -> Stoat:
    demo = Stoat(repo.path)
    demo.ok("node", "add", "demo/final", "--kind", "review")
    (tmp_path / "found.json").write_text(json.dumps(FOUND), encoding="utf-8")
    return demo


def test_a_review_on_the_command_line(stoat: Stoat, tmp_path: Path) -> None:
    agent = {"STOAT_AGENT": "otter"}
    found = str(tmp_path / "found.json")
    assert stoat.ok("review", "submit", "demo/final", found, env=agent) == (
        "demo/final: findings, 1 of 1 finding to decide: f1 (Wrong\\u202e lane, high)\n"
    )
    listed = stoat.ok("review", "list", "demo/final", env=agent)
    assert listed.splitlines()[2:] == [
        "f1  [high] Wrong\\u202e lane", "    src/a.py:3", "    round 1: to decide", "    It \\u001b[31mturns."
    ]  # fmt: skip
    for words in (("accept", "f1"), ("reject", "f1", "--why", "x"), ("sign-off",)):
        ran = stoat.run("review", words[0], "demo/final", *words[1:], env=agent)
        assert (ran.code, "only a person may decide this" in ran.err) == (3, True)
    ran = stoat.run("review", "sign-off", "demo/final")
    assert (ran.code, "a finding is not decided (f1)" in ran.err) == (3, True)

    ran = stoat.run("review", "reject", "demo/final", "f1")
    assert (ran.code, "hint: stoat review reject demo/final f1 --why '…'" in ran.err) == (3, True)

    assert stoat.ok("review", "accept", "demo/final", "f1").splitlines() == [
        "accepted f1: demo/final-f1 mends it (stoat approve demo/final-f1 lets an agent start)",
        "demo/final: fixing, 1 finding decided, 1 fix to be done: final-f1",
    ]
    document = stoat.json("review", "list", "demo/final")
    assert (document["status"], document["round"], document["findings"][0]["fix"]) == ("fixing", 1, "final-f1")
    assert document["findings"][0]["text"] == FOUND[0]["text"]
    needs = stoat.json("needs", "demo")["needs"]
    assert [one["node"] for one in needs if one["kind"] == "findings"] == []
    log = stoat.ok("log", "demo/final")
    assert "accepted finding f1, to be mended by final-f1" in log
    assert "submitted a review" in log


def test_what_is_wrong_with_a_submission_is_told_at_once(stoat: Stoat, tmp_path: Path) -> None:
    bad = tmp_path / "bad.json"
    bad.write_text('[{"severty": "high"}, {"title": "x", "line": "3"}]')
    ran = stoat.run("review", "submit", "demo/final", str(bad))
    assert ran.code == 3
    for told in ("finding 1: there is no field 'severty'", "finding 1: it has no title",
                 "finding 2: `line` is '3'", "finding 2: `line` is of no file"):  # fmt: skip
        assert told in ran.err
    missing = stoat.run("review", "submit", "demo/final", str(tmp_path / "none.json"))
    assert (missing.code, "name a file FINDINGS.json, or -" in missing.err) == (3, True)
    assert stoat.run("review", "submit", "demo/parser", "-", stdin=subprocess.DEVNULL).code == 3
    assert stoat.run("review", "accept", "demo/final").code == 2
    assert stoat.json("review", "list", "demo/final")["round"] == 0
