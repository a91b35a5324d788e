"""The plan's graph in the page's measure: where a card lies, and the curves that run from card to card.

Lengths are rem, so that the drawing grows with the reader's letters; curves are drawn on a canvas of 16 units a rem.
"""

from __future__ import annotations

from functools import lru_cache

from msgspec import Struct

from stoat.derive.answers import PlanAnswer
from stoat.derive.layout import CARD, STUB, Line, lay_out

CARD_WIDTH = 16.0
CARD_HEIGHT = 8.75
COLUMN_GAP = 3.25
_UNITS = 16
_PITCH = CARD_WIDTH + COLUMN_GAP
_SHAPES_KEPT = 64


class Slot(Struct, frozen=True):
    """Where a card or a stub lies: its left and top edge in rem."""

    id: str
    left: float
    top: float
    stub: bool


class Curve(Struct, frozen=True):
    """A drawn dependency: `path` is an SVG path from the right edge of `source` to the left edge of `target`."""

    source: str
    target: str
    path: str


class Column(Struct, frozen=True):
    """A dependency column: its left edge in rem, and its slots from top to bottom."""

    left: float
    slots: tuple[Slot, ...]


class Graph(Struct, frozen=True):
    """A plan's drawing, width and height in rem; `box` is the canvas of the curves."""

    columns: tuple[Column, ...]
    curves: tuple[Curve, ...]
    width: float
    height: float
    box: str

    @property
    def stubs(self) -> list[str]:
        """The nodes of other plans that it shows, as PLAN/NODE."""
        return [slot.id for column in self.columns for slot in column.slots if slot.stub]


def draw(plan: PlanAnswer) -> Graph:
    """The drawing of a plan. The same nodes with the same dependencies are laid out once."""
    return _draw(tuple((node.id, node.depends_on) for node in plan.nodes))


@lru_cache(maxsize=_SHAPES_KEPT)
def _draw(shape: tuple[tuple[str, tuple[str, ...]], ...]) -> Graph:
    layout = lay_out(dict(shape))
    middle = {place.id: (place.column, place.y) for place in layout.places}
    columns: list[list[Slot]] = [[] for _ in range(layout.columns)]
    for place in layout.places:
        tall = STUB if place.stub else CARD
        columns[place.column].append(
            Slot(place.id, place.column * _PITCH, round((place.y - tall / 2) * CARD_HEIGHT, 2), place.stub)
        )
    width = max(layout.columns * _PITCH - COLUMN_GAP, 0.0)
    height = round(layout.height * CARD_HEIGHT, 2)
    return Graph(
        tuple(Column(index * _PITCH, tuple(slots)) for index, slots in enumerate(columns)),
        tuple(Curve(line.source, line.target, _path(line, middle)) for line in layout.lines),
        width,
        height,
        f"0 0 {width * _UNITS:g} {height * _UNITS:g}",
    )


def _path(line: Line, middle: dict[str, tuple[int, float]]) -> str:
    """A curve in each gap between columns, a straight run in each lane."""
    column, y = middle[line.source]
    x, height = (column * _PITCH + CARD_WIDTH) * _UNITS, y * CARD_HEIGHT * _UNITS
    parts = [f"M{x:g} {height:.0f}"]
    for stop, at in [*line.lanes, middle[line.target]]:
        left, there = stop * _PITCH * _UNITS, at * CARD_HEIGHT * _UNITS
        bend = (x + left) / 2
        parts.append(f"C{bend:g} {height:.0f} {bend:g} {there:.0f} {left:g} {there:.0f}")
        x, height = left + CARD_WIDTH * _UNITS, there
        if (stop, at) in line.lanes:
            parts.append(f"H{x:g}")
    return "".join(parts)
