"""How an agent ended, read from the files that its tool wrote to: the door to what the other modules hear."""

from __future__ import annotations

import contextlib
from pathlib import Path

from stoat import clock
from stoat.clock import Time
from stoat.observe.agents import Ending, Heard, SeenLimit, claude, codex, gemini
from stoat.observe.agents.output import tail, values
from stoat.observe.agents.resolving import resolve
from stoat.plan.usage_limits import Said, find

_BY_SIGNAL = frozenset(128 + number for number in (1, 2, 3, 9, 15))
_LAST_LINES = 40
_LAST_LINES_OF_SUCCESS = 5


def read(
    form: str, output: Path | None, log: Path, log_from: int, *,
    code: int | None, now: Time,
) -> Ending:  # fmt: skip
    """How an agent ended by its tool's own account, as far as it said so in a form that is known.

    `form` is the profile's `result`; `output` the file of its standard output (None: it went to `log`), `log` where its
    errors went, from byte `log_from` on. `code` is its exit code, None where nobody knows it. What cannot be read says
    nothing.
    """
    source, start = (log, log_from) if output is None else (output, 0)
    at = _said_at(now, output, log)
    heard = hear(form, source, start, tail(log, log_from))
    if heard is None:
        count = _LAST_LINES_OF_SUCCESS if code == 0 else _LAST_LINES
        said = find(_last_lines(source, start, count)) or find(_last_lines(log, log_from, count))
        return Ending(limit=seen(said, at))
    silent = heard.began or code is None or code <= 0 or code in _BY_SIGNAL
    interrupted = heard.aborted or (not heard.ended and silent)
    return Ending(
        final=heard.final,
        usd=heard.usd,
        cumulative=heard.usd is not None and claude.is_cumulative(heard.version),
        turns=heard.turns,
        session=heard.session,
        failed=heard.failed or not (heard.ended or interrupted),
        interrupted=interrupted,
        denied=heard.denied,
        limit=seen(heard.limit if heard.ended else heard.stuck, at),
    )


def hear(form: str, source: Path, start: int, errors: str) -> Heard | None:
    """What a tool's output says so far, from byte `start` of the file `source` on; None in a form that is not known.

    `errors` is the end of what it wrote to stderr.
    """
    match form:
        case "claude-json":
            return claude.hear(values(source, start))
        case "codex-jsonl":
            return codex.hear(values(source, start))
        case "gemini-json":
            return gemini.hear(values(source, start), errors)
    return None


def seen(said: Said | None, at: Time) -> SeenLimit | None:
    """A limit that was spoken of at `at`, with the moment of its reset."""
    return None if said is None else SeenLimit(kind=said.kind, text=said.text, resets_at=resolve(said.resets, at))


def _last_lines(path: Path, start: int, count: int) -> str:
    return "\n".join([line for line in tail(path, start).splitlines() if line.strip()][-count:])


def _said_at(now: Time, output: Path | None, log: Path) -> Time:
    """When the tool last said something: a reset is named from there, and nobody may have looked for hours."""
    with contextlib.suppress(OSError, ValueError, OverflowError):
        return min(now, clock.since_epoch((output or log).stat().st_mtime))
    return now
