"""The words around GitHub's own text: what stands over an issue, a pull request, a check, or why a text is missing."""

from __future__ import annotations

from collections.abc import Sequence

from stoat.clock import Time, duration_text
from stoat.derive.wording.text import counted, listed, moment

UNREAD = "GitHub cannot be read"
NOT_LOOKED_AT = "GitHub was not looked at yet: stoat sweep"
GONE = "somebody who left GitHub"
NO_TEXT = "(no text)"
LOG = "the end of its log"
_REVIEWS = {
    "approved": "review: approved", "changes_requested": "review: changes requested",
    "review_required": "review required",
}  # fmt: skip
_OPINIONS = {"approved": "approved", "changes_requested": "asked for changes", "dismissed": "dismissed"}
_REASONS = {"completed": "completed", "not_planned": "not planned", "duplicate": "a duplicate"}
SIGNS = {"passed": "✓", "failed": "✕", "pending": "○", "skipped": "–"}


def not_shown(why: str, fix: str) -> str:
    """GitHub's text is missing."""
    return f"GitHub's text is not shown: {why}" + (f" ({fix})" if fix else "")


def unread(problem: str, fix: str | None) -> str:
    """GitHub as a whole cannot be read, and what to do."""
    return f"{problem} ({fix})" if fix else problem


def partly(problem: str) -> str:
    """Some of it is missing."""
    return f"not read: {problem}"


def kept(seconds: float) -> str:
    """Over a text that was read so long ago, and not just now."""
    return f"GitHub's text, as of {duration_text(max(1, round(seconds)))} ago"


def by(author: str | None) -> str:
    """Who wrote something."""
    return author or GONE


def issue(
    state: str, reason: str | None, author: str | None, created: Time, labels: Sequence[str],
    milestone: str | None, assignees: Sequence[str],
) -> str:  # fmt: skip
    """The line under an issue's title."""
    why = _REASONS.get(reason or "")
    parts = [f"{state} as {why}" if state == "closed" and why else state]
    parts.append(f"by {by(author)}, {moment(created)}" if created else f"by {by(author)}")
    if labels:
        parts.append(f"labels {listed(labels, len(labels))}")
    if milestone:
        parts.append(f"milestone {milestone}")
    parts.append(f"assigned to {listed(assignees, len(assignees))}" if assignees else "assigned to nobody")
    return " · ".join(parts)


def pull(
    state: str, author: str | None, created: Time, review: str | None, opinions: Sequence[tuple[str | None, str]],
    mergeable: str, merge_state: str, base: str, size: tuple[int, int, int],
) -> str:  # fmt: skip
    """The line under a pull request's title; `size` is lines added, lines taken away, files."""
    parts = [{"closed": "closed without merging"}.get(state, state)]
    parts.append(f"by {by(author)}, {moment(created)}" if created else f"by {by(author)}")
    if review:
        parts.append(_REVIEWS.get(review, review))
    parts += [f"{by(who)} {_OPINIONS.get(said, said)}" for who, said in opinions]
    if state in ("open", "draft"):
        parts.append(_mergeability(mergeable, merge_state, base))
    added, deleted, files = size
    parts.append(f"+{added} −{deleted} in {counted(files, 'file')}")
    return " · ".join(parts)


def _mergeability(mergeable: str, merge_state: str, base: str) -> str:
    if mergeable == "conflicting":
        return f"conflicts with {base}"
    if mergeable == "unknown":
        return f"GitHub is working out whether it merges into {base}"
    return f"merges into {base}" + (f" ({merge_state})" if merge_state not in ("unknown", "clean") else "")


def comments(total: int, shown: int) -> str:
    """Over the newest comments."""
    if total <= shown:
        return counted(total, "comment")
    return f"the newest {shown} of {total} comments"


def comment(author: str | None, at: Time) -> str:
    """Over one comment."""
    return f"{by(author)}, {moment(at)}"


def checks(states: Sequence[str]) -> str:
    """Over a pull request's checks."""
    if not states:
        return "no checks"
    order = ("failed", "pending", "passed", "skipped")
    return "checks: " + ", ".join(f"{states.count(state)} {state}" for state in order if state in states)


def check(sign_of: str, label: str, said: str, title: str) -> str:
    """One check; `title` is what it says of itself."""
    plain = {"success": "", "failure": "", "error": ""}.get(said, said.replace("_", " "))
    return f"{SIGNS[sign_of]} {label}" + (f" ({plain})" if plain else "") + (f": {title}" if title else "")


def annotation(path: str, line: int | None, title: str, message: str) -> str:
    """A failure in a file: where, the test that it names, what it says."""
    place = f"{path}:{line}" if line else path
    return ": ".join(part for part in (place, title, message) if part)


def more_annotations(count: int) -> str:
    """That there are further ones."""
    return f"and {counted(count, 'annotation')} more"


def no_log(why: str) -> str:
    """A log that cannot be shown."""
    return f"its log is not available: {why}"


def more_lines(count: int) -> str:
    """That a text goes on."""
    return f"… {counted(count, 'more line', 'more lines')}"
