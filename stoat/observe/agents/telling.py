"""One line of a tool's machine output as text for the log that people follow: what was said, done, and what failed."""

from __future__ import annotations

from stoat.observe.agents import claude, codex, gemini
from stoat.observe.agents.output import string, value_in
from stoat.plan.characters import spelled


def told(form: str, line: bytes, *, first: bool = False) -> str | None:
    """What one line of a tool's standard output tells a person, as one or more lines; None where it is nothing.

    `first` says that nothing stood before it: a result is then all that there is, and is told with its last message.
    A line in no known form is told as it is. Nothing in it can act on a terminal.
    """
    if form == "none" or not line.strip():
        return None
    value = value_in(line)
    if value is None:
        text = _unknown(form, line)
    elif form == "claude-json":
        text = claude.told(value, first=first)
    elif form == "codex-jsonl":
        text = codex.told(value)
    else:
        text = gemini.told(value)
    return spelled(text.strip("\n")) or None if text is not None and text.strip() else None


def _unknown(form: str, line: bytes) -> str | None:
    """A line that is no object: a warning of the tool, or a line of an object that is laid out over several."""
    if form == "gemini-json" and (said := gemini.told_in(line)) is not None:
        return said
    if line.lstrip()[:1] in (b"{", b"}", b"[", b"]", b'"'):
        return None
    return string(line.decode("utf-8", "replace"))
