"""`stoat node show` with GitHub's text, as a process against the fake GitHub: the whole output, hostile text in it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from stoat.cli import render
from tests.support.command import Stoat
from tests.support.fakehub import Annotation, FakeHub
from tests.support.gitrepo import GitRepo

NOON = 1_796_040_000.0
"""2026-11-30 12:00 UTC."""


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[FakeHub]:
    """The fake GitHub at noon, with the repository of the plan's nodes."""
    with FakeHub(tmp_path / "hub", clock=lambda: NOON) as hub:
        hub.repository("o/n")
        yield hub


@pytest.fixture
def stoat(repo: GitRepo, hub: FakeHub) -> Stoat:
    """The command, pointed at that GitHub."""
    return Stoat(repo.path, {"STOAT_GITHUB_API": hub.url, "GH_TOKEN": hub.token})


def test_a_node_is_shown_with_what_github_says_of_it(stoat: Stoat, hub: FakeHub) -> None:
    repo = hub.repositories["o/n"]
    issue = repo.issue(
        "Fix lanes", number=7, body="They *drift*.\r\n\r\n<b>Always</b>.", labels=("bug", "p1"), milestone="3.0"
    )
    for word in ("one", "two", "three", "four", "five", "six"):
        issue.comment("cleo", word)
    pull = repo.pull("Mend lanes", head="ada/mend", number=8, body="Fixes #7", files={"a.txt": "1\n"}, draft=True)
    pull.check("lint", "success")
    pull.check("test", "failure", title="1 failed", summary="See below.", log="running\n##[error]no", annotations=[
        Annotation(".github", 1, "Process completed with exit code 1."),
        Annotation("src/a.py", 12, "expected 2, got 3", title="Retries.count_twice"),
    ])  # fmt: skip
    pull.review("bob", "changes_requested")
    ran = stoat.run("node", "show", "demo/bug")
    assert (ran.code, ran.err) == (0, "")
    _, _, text = ran.out.partition("\n\n")
    assert (
        text
        == """\
o/n#7 Fix lanes
  https://github.com/o/n/issues/7
  open · by ada, 2026-11-30 12:00Z · labels bug, p1 · milestone 3.0 · assigned to nobody

  They *drift*.

  <b>Always</b>.

  the newest 5 of 6 comments:
    cleo, 2026-11-30 12:00Z
        two
    cleo, 2026-11-30 12:00Z
        three
    cleo, 2026-11-30 12:00Z
        four
    cleo, 2026-11-30 12:00Z
        five
    cleo, 2026-11-30 12:00Z
        six

o/n#8 Mend lanes
  https://github.com/o/n/pull/8
  draft · by ada, 2026-11-30 12:00Z · bob asked for changes · merges into main (draft) · +1 −0 in 1 file

  Fixes #7

  checks: 1 failed, 1 passed
    ✕ CI / test: 1 failed
        See below.
        src/a.py:12: Retries.count_twice: expected 2, got 3
        the end of its log:
          running
          error: no
    ✓ CI / lint
"""
    )
    sent = len(hub.journal)
    again = stoat.ok("node", "show", "demo/bug").partition("\n\n")[2]
    assert re.fullmatch(r"GitHub's text, as of \d+s ago\n\n", again.removesuffix(text))
    document = stoat.json("node", "show", "demo/bug")
    assert len(hub.journal) == sent
    assert document["id"] == "bug" and document["githubProblem"] is None
    assert document["github"]["issue"]["comments"]["total"] == 6
    assert document["github"]["prs"][0]["checks"][0]["log"] == {
        "text": "running\nerror: no",
        "cut": False,
        "missing": None,
    }


def test_without_github_the_node_is_shown_and_one_line_says_why(stoat: Stoat, hub: FakeHub) -> None:
    whole = stoat.ok("node", "show", "demo/bug", "--offline")
    assert "bug" in whole and "GitHub's text" not in whole and hub.journal == []
    ran = stoat.run("node", "show", "demo/bug", env={"GH_TOKEN": None})
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith(whole)
    why = ran.out.removeprefix(whole).strip()
    assert why.startswith("GitHub's text is not shown: there is no token for") and "GH_TOKEN" in why and "\n" not in why
    hub.stop()
    ran = stoat.run("node", "show", "demo/bug", "--json")
    assert ran.code == 0 and '"github":null' in ran.out and "cannot be reached" in ran.out


def test_nothing_that_github_shows_reaches_the_terminal_as_a_command(stoat: Stoat, hub: FakeHub) -> None:
    evil = "\x1b]0;owned\x07\x1b[2J\u202egnp.exe\u2066\r\x9b31m"
    repo = hub.repositories["o/n"]
    repo.issue(evil, number=7, body=evil, labels=(evil,)).comment("cleo", evil)
    pull = repo.pull(evil, head="ada/mend", number=8, body=f"{evil} Fixes #7")
    pull.check(evil, "failure", title=evil, summary=evil, log=evil, annotations=[Annotation(evil, 1, evil, title=evil)])
    said = stoat.ok("node", "show", "demo/bug")
    assert not set("\x1b\x07\x9b\r\u202e\u2066") & set(said)
    assert "\\u001b]0;owned\\u0007" in said
    assert stoat.json("node", "show", "demo/bug")["github"]["issue"]["body"] == evil


def test_a_long_text_is_counted_where_it_ends(capsys: pytest.CaptureFixture[str]) -> None:
    render.block("a\nb\nc\nd", most=3)
    render.block("a\nb\nc\nd", indent=0, most=-2)
    assert capsys.readouterr().out == "  a\n  b\n  c\n  … 1 more line\n… 2 more lines\nc\nd\n"


def test_below_a_newer_status_stands_no_older_text(stoat: Stoat, hub: FakeHub) -> None:
    repo = hub.repositories["o/n"]
    repo.issue("Fix lanes", number=7)
    pull = repo.pull("Mend lanes", head="ada/mend", number=8, body="Fixes #7")
    stoat.ok("sweep")
    assert "  open · by ada" in stoat.ok("node", "show", "demo/pull")
    pull.merge()
    stoat.ok("sweep")
    shown = stoat.ok("node", "show", "demo/pull")
    assert "  merged · by ada" in shown and "  open · by ada" not in shown and "ago" not in shown
