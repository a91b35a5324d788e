"""What the templates show: signs, tallies and safe links, so that a template decides nothing."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any
from urllib.parse import quote

from markupsafe import Markup, escape
from msgspec import Struct

from stoat.clock import Time
from stoat.derive.answers import NodeAnswer, PlanAnswer, StepShown
from stoat.derive.steps import Steps
from stoat.derive.wording import commands as commands  # the templates have these as `show.commands`, `show.steering`
from stoat.derive.wording import stance, status, text, zoom
from stoat.derive.wording import steering as steering
from stoat.derive.wording.text import moment as moment
from stoat.derive.wording.text import money as money
from stoat.observe.github.text import PullText
from stoat.plan.characters import spelled

CLASSES = ("done", "moving", "broken", "you", "held", "waiting")
"""The order in which a plan's nodes are counted and its bar is filled."""

PULLS_FIRST = 2
"""How many pull requests a card has room for; its page has all."""

NEEDS_FIRST = 4
"""How many needs are in sight before the rest are folded: the graph stays in reach."""

KINDS = {
    "change": "change", "consume": "consume", "issue": "issue", "person": "person", "pr": "pull request",
    "publish": "publish", "review": "review", "slice": "slice", "test-run-gate": "gate",
}  # fmt: skip
STEP_SIGNS = {"pending": "○", "running": "⟳", "passed": "✓", "failed": "✗", "timed-out": "✗", "mismatch": "≠"}

_SIGNS = {"✋": "you", "⨯": "broken", "⏸": "held", "⟳": "moving"}
_LINK = re.compile(r"https?://[^\s/?#@\\]+(?:[/?#]\S*)?", re.IGNORECASE)


class Tally(Struct, frozen=True):
    """So many steps with the same sign."""

    sign: str
    state: str
    count: int


def shown(value: Any) -> Any:
    """What is put into every page, by Jinja's finalize: plain text loses what would turn or hide what is read.

    Controls and direction marks become `\\u202e` and the like; None is nothing. Escaping comes after this.
    """
    if value is None:
        return ""
    if type(value) is not str or value.isprintable():
        return value
    return spelled(value.replace("\r\n", "\n"))


def link(address: str | None) -> str | None:
    """An address that may be followed: http or https, with no user in it; None for anything else."""
    return address if address and _LINK.fullmatch(address) else None


def page_of(ref: str) -> str:
    """The page of a node that is named PLAN/NODE."""
    plan, _, node = ref.partition("/")
    return f"/plans/{quote(plan, safe='')}/nodes/{quote(node, safe='')}"


def class_of(node: NodeAnswer) -> str:
    """How a node stands in one word, for its colour and sign: its stance, or `done`."""
    if node.stance is not None:
        return node.stance
    return "done" if node.status == "done" else "waiting"


def signed(text: str) -> Markup:
    """A sentence of ours with the signs of its stances as icons, which need no font; everything else is escaped."""
    html = escape(shown(text))
    for sign, name in _SIGNS.items():
        html = html.replace(sign, Markup('<i class="icon icon-{}" aria-hidden="true"></i>').format(name))
    return html


def timed(sentence: str, at: Time) -> Markup:
    """A sentence of ours that tells a moment, which a browser shows on its own clock; everything else is escaped."""
    told = Markup('<time datetime="{}">{}</time>').format(at, moment(at))
    return escape(shown(sentence)).replace(escape(moment(at)), told, 1)


BACK = text.BACK

card = stance.card
"""The sentence beside a card's status."""


words = zoom
"""The words around GitHub's text."""


def opinions(of: PullText) -> list[tuple[str | None, str]]:
    """Who said what of a pull request in a review."""
    return [(one.author, one.state) for one in of.reviews]


def counts(plan: PlanAnswer) -> list[tuple[str, int]]:
    """How many nodes stand in each class, in the order of CLASSES, those of no node left out."""
    found = Counter(class_of(node) for node in plan.nodes)
    return [(name, found[name]) for name in CLASSES if found[name]]


def tally(steps: tuple[StepShown, ...]) -> list[Tally]:
    """The steps of a node counted by state, verdicts first."""
    found: Counter[str] = Counter(step.state for step in steps)
    order = ("passed", "failed", "timed-out", "mismatch", "running", "pending")
    return [Tally(STEP_SIGNS[state], state, found[state]) for state in order if found[state]]


def progress(steps: tuple[StepShown, ...]) -> str:
    """A running gate in words: how many steps have a verdict, and how many of those are bad."""
    return status.progress(Steps(steps).tally)
