"""Commit texts: whatever anybody is called or says, git reads one author, one subject and our trailers."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from stoat.gitstore.commits import LONGEST, commit_text, one_line
from stoat.plan.events.base import Actor

AT = "2026-11-30T22:16:41.123Z"
TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"


def test_a_commit_as_it_is_written() -> None:
    actor = Actor("Ada", "person", "s-1", "ada@example.org")
    assert commit_text(TREE, ["1" * 40], actor, AT, "p: approved n1").decode() == (
        f"tree {TREE}\nparent {'1' * 40}\n"
        "author Ada <ada@example.org> 1796077001 +0000\n"
        "committer Stoat <stoat@stoat.invalid> 1796077001 +0000\n"
        "\np: approved n1\n\nStoat-Actor: person\nStoat-Session: s-1\n"
    )


@given(st.text(), st.text(), st.text(), st.one_of(st.none(), st.text()))
def test_any_text_gives_a_commit_of_the_same_shape(name: str, email: str, subject: str, session: str | None) -> None:
    data = commit_text(TREE, [], Actor(name, "agent", session, email), AT, subject)
    head, _, body = data.partition(b"\n\n")
    lines = head.split(b"\n")
    assert len(lines) == 3 and lines[1].count(b"<") == lines[1].count(b">") == 1
    assert lines[1].startswith(b"author ") and not lines[1].startswith((b"author  ", b"author <"))
    title, empty, *trailers = body.decode().rstrip("\n").split("\n")
    assert title and empty == "" and trailers[0] == "Stoat-Actor: agent" and len(trailers) <= 2
    assert not any(ord(char) < 32 or ord(char) == 127 for char in title)


@given(st.text())
def test_one_line_is_one_short_line_and_stays_itself(text: str) -> None:
    line = one_line(text)
    assert len(line) <= LONGEST and len(line.splitlines()) <= 1
    assert one_line(line) == line
