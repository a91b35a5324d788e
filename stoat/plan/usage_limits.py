"""The limits of an agent's account in the words of its tool, told from ordinary prose about limits (pure).

A sentence counts at the start of a line only, after the signs and prefixes that tools put before an error, and in the
wording of a tool. “429”, “rate limit”, “quota exceeded” or `RESOURCE_EXHAUSTED` by themselves are said by everything.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from stoat.plan.characters import spelled
from stoat.plan.limit_errors import Told, error_in, laid_out
from stoat.plan.resets import Resets, resets_in
from stoat.plan.state import LimitKind

SHOWN = 300
"""How many characters of a tool's sentence people are shown."""

_FOLLOWING = 4
"""Lines after a sentence that still belong to it: gemini says below it when to try again."""

_LINES = 200
_LONG = 4000


class Said(NamedTuple):
    """A limit that a tool spoke of: the sentence as people are shown it, which window ran out, when that resets."""

    kind: LimitKind
    text: str
    window: str | None = None
    resets: Resets | None = None


_A = "['’ʼ]"
_DOT = "[·∙•]"
_SIGNS = re.compile(r"[\s■✕✖✗⎿🖐⚠●]+")
_PREFIXES = re.compile(
    r"\[?(?:(?:API )?Error|ERROR|error|stream error|fatal): *|\[|Attempt \d+ failed: "
    r"|Error when talking to [^\n]*?Error: |rate limit exceeded: (?=Rate limit)|Reconnecting\.{3} \d+/\d+ \("
)
_GOES_ON = (
    r"(?:or |please |try |upgrade|visit|to |switch|see |your |it resets|resets|ask |contact|send |purchase|raise)"
)
_END = rf"(?=[.!]?\]?\s*$|\s*{_DOT}|[.,;] {_GOES_ON})"
"""What may follow a limit's name: prose that begins with the same words goes on in its own."""

_KNOWN = r"(?:5-hour|session|daily|weekly|monthly|usage|(?:opus|sonnet|haiku)(?: weekly)?)"
_NOT_THE_ACCOUNT = {"fast", "context", "token", "tokens", "length", "turn", "turns", "message", "budget"}
_WORD = r"[\w-]+(?:['’]s)?"

_HIT = re.compile(
    rf"You{_A}ve (?:hit|reached) your (?P<window>(?:{_WORD} ){{0,4}}?)limit(?: for \S+(?: \S+)?)??{_END}", re.IGNORECASE
)
_RAN_OUT = re.compile(rf"(?P<window>{_KNOWN}) limit reached(?=\s*{_DOT}\s*resets)", re.IGNORECASE)
_REACHED = re.compile(
    r"Claude (?:AI )?usage limit reached(?=\||\.|\s*$)|usage limit reached(?=\|\d{9,13}\s*$)", re.IGNORECASE
)
_EXTRA = re.compile(rf"You{_A}re out of extra usage{_END}", re.IGNORECASE)
_EXHAUSTED = re.compile(
    r"You have exhausted your (?:(?P<window>daily|weekly) quota|capacity|quota) on this model", re.IGNORECASE
)
_QUOTA = re.compile(r"You exceeded your current quota\b", re.IGNORECASE)
_METRIC = re.compile(r"Quota exceeded for (?:quota )?metric\b", re.IGNORECASE)
_OF_GOOGLE = re.compile(r"ai\.google\.dev|for (?:quota )?metric|\bretry (?:in|after) \d", re.IGNORECASE)
_PER_DAY = re.compile(r"per ?day", re.IGNORECASE)


class _Form(NamedTuple):
    """A sentence that says its kind by itself. `whole` lines still have the prefixes that tools put before an error."""

    kind: LimitKind
    pattern: re.Pattern[str]
    whole: bool = False


_FORMS = (
    _Form("spend", re.compile(r"(?:Your )?credit balance is too low(?=[.]?\s*$|\s*[·∙•]| to access)", re.IGNORECASE)),
    _Form("spend", re.compile(rf"You{_A}re out of (?:usage )?credits\b", re.IGNORECASE)),
    _Form("spend", re.compile(r"Quota exceeded\. Check your plan and billing details", re.IGNORECASE)),
    _Form("rate", re.compile(r"API Error: Request rejected \(429\)"), whole=True),
    _Form("rate", re.compile(r"(?:API Error: )?Server is temporarily limiting requests \(not your usage limit\)")),
    _Form("rate", re.compile(r"Rate limit reached for \S+ (?:in|on|\()", re.IGNORECASE)),
    _Form("rate", re.compile(r"exceeded retry limit, last status: 429\b")),
    _Form("rate", re.compile(r"Resource has been exhausted \(e\.g\. check quota\)", re.IGNORECASE)),
    _Form("rate", re.compile(r"Resource exhausted\. Please try again later\.", re.IGNORECASE)),
    _Form("rate", re.compile(r"Attempt \d+ failed with status 429\. Retrying with backoff"), whole=True),
    _Form("overloaded", re.compile(r"API Error: (?:(?:Repeated )?(?:529|503) |Overloaded\b)"), whole=True),
    _Form("overloaded", re.compile(r"exceeded retry limit, last status: (?:503|529)\b")),
    _Form("overloaded", re.compile(r"Attempt \d+ failed with status 503\. Retrying with backoff"), whole=True),
    _Form("overloaded", re.compile(r"The model is overloaded\. Please try again later", re.IGNORECASE)),
    _Form("overloaded", re.compile(r"Selected model is at capacity\.", re.IGNORECASE)),
    _Form("overloaded", re.compile(rf"We{_A}re currently experiencing high demand, which may", re.IGNORECASE)),
)


def find(text: str, tool: str | None = None) -> Said | None:
    """The newest limit that is spoken of in `text`, the last lines or the last message of an agent's tool, or None.

    Structure counts before words: JSON is read as the error that it holds. `tool` (`claude`, `codex`, `gemini`) settles
    what two of them mean differently by the same words.
    """
    if (told := laid_out(text)) is not None:
        return _of_error(told, tool)
    lines = text.splitlines()[-_LINES:]
    for at in reversed(range(len(lines))):
        line = lines[at][:_LONG]
        if (told := error_in(line)) is not None:
            if (said := _of_error(told, tool)) is not None:
                return said
        elif (said := _in_words(line, "\n".join(lines[at : at + 1 + _FOLLOWING])[:_LONG], tool)) is not None:
            return said
    return None


def shown(text: str) -> str:
    """A tool's sentence as people are shown it: one line, at most `SHOWN` characters, nothing that a terminal obeys."""
    line = spelled(" ".join(text.split()))
    if line.endswith("]") and "[" not in line:  # gemini puts a sentence in brackets; the first went with its prefix
        line = line[:-1]
    return line if len(line) <= SHOWN else line[: SHOWN - 1] + "…"


def _of_error(told: Told, tool: str | None) -> Said | None:
    """The limit that an API's error is; its message may say more of it than its type."""
    words = _in_words(told.message, told.message, tool) if told.message else None
    if told.kind is None:
        return words
    kind: LimitKind = told.kind
    if words is not None and words.kind in ("usage", "spend") and kind == "rate":
        kind = words.kind
    return Said(
        kind,
        shown(told.message or told.name),
        told.window or (words.window if words is not None else None),
        told.resets or resets_in(told.message),
    )


def _in_words(line: str, block: str, tool: str | None) -> Said | None:
    """The limit that a line begins to speak of; `block` is the line with those that follow it."""
    whole = _without(_SIGNS, line)
    sentence = whole
    while (bare := _without(_SIGNS, _without(_PREFIXES, sentence))) != sentence:
        sentence = bare
    for form in _FORMS:
        if form.pattern.match(whole if form.whole else sentence):
            return Said(form.kind, shown(whole if form.whole else sentence), None, resets_in(sentence))
    return _usage(sentence, block[len(line) - len(sentence) :], tool)


def _usage(sentence: str, block: str, tool: str | None) -> Said | None:
    """A quota that ran out. When it resets may stand in the lines below."""
    if found := _HIT.match(sentence):
        words = found["window"].lower().replace("’", "'").split()
        if _NOT_THE_ACCOUNT & set(words):
            return None
        resets = resets_in(sentence)
        spend = "spend" in words or ("monthly" in words and resets is None)
        window = None if spend else _window(words)
        return Said("spend" if spend else "usage", shown(sentence), window, None if spend else resets)
    if found := _RAN_OUT.match(sentence):
        return Said("usage", shown(sentence), _window(found["window"].lower().split()), resets_in(sentence))
    if _REACHED.match(sentence):
        return Said("usage", shown(sentence), None, resets_in(sentence))
    if _EXTRA.match(sentence):
        return Said("usage", shown(sentence), "extra", resets_in(sentence))
    if found := _EXHAUSTED.match(sentence):
        return Said("usage", shown(sentence), found["window"] and found["window"].lower(), resets_in(block))
    # OpenAI says these words of money that is spent, Google of requests that come back.
    if _QUOTA.match(sentence) and (tool == "codex" or (tool != "gemini" and not _OF_GOOGLE.search(block))):
        return Said("spend", shown(sentence))
    if _QUOTA.match(sentence) or _METRIC.match(sentence):
        return Said(
            "usage",
            shown(block.partition(" For more information")[0]),
            "daily" if _PER_DAY.search(block) else None,
            resets_in(block),
        )
    return None


def _window(words: list[str]) -> str | None:
    return " ".join(word for word in words if word != "usage") or None


def _without(pattern: re.Pattern[str], line: str) -> str:
    found = pattern.match(line)
    return line if found is None else line[found.end() :]
