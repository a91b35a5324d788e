"""Where a plan's nodes stand on the board: dependency columns, an order in each that keeps edges short, and lines.

A node's column is the length of the longest chain before it, so what stands left may start first. Lines that skip a
column run through thin lanes between the cards, and all lines out of one node share their lanes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from msgspec import Struct

CARD = 1.0
"""A card's height: the unit of every `y`, which is measured to the middle of a thing."""
STUB = 0.42
LANE = 0.06
GAP = 0.16

_ORDER_SWEEPS = 6
_PLACE_SWEEPS = 4
_STRAIGHT = 4.0
"""How much harder a lane holds its height than a card does: long lines come out straight, cards step aside."""


class Place(Struct, frozen=True):
    """A node's place: its column from the left and the middle of its height; a stub is a node of another plan."""

    id: str
    column: int
    y: float
    stub: bool = False


class Line(Struct, frozen=True):
    """A dependency as drawn from `source` to the `target` that waits for it.

    `lanes` are the (column, y) that it passes on its way, left to right, none for neighbouring columns.
    """

    source: str
    target: str
    lanes: tuple[tuple[int, float], ...] = ()


class Layout(Struct, frozen=True):
    """A plan's drawing: places column by column from top to bottom, the lines, and its size in columns and cards."""

    places: tuple[Place, ...]
    lines: tuple[Line, ...]
    columns: int
    height: float


class _Item:
    """Something that takes room in a column: a card, a stub or a lane; `left` and `right` are its neighbours."""

    __slots__ = ("column", "height", "left", "name", "rank", "right", "stub", "y")

    def __init__(self, name: str | None, column: int, height: float, stub: bool = False) -> None:
        self.name = name
        self.column = column
        self.height = height
        self.stub = stub
        self.left: list[_Item] = []
        self.right: list[_Item] = []
        self.rank = 0.0
        self.y = 0.0


def lay_out(depends_on: Mapping[str, Sequence[str]]) -> Layout:
    """The drawing of a plan from its nodes' dependencies, nodes in plan order.

    A dependency that is not a key (a node of another plan) becomes a stub beside the first node that waits for it.
    Dependencies that a longer chain says already are not drawn. A cycle, which no plan should have, is cut where the
    plan's order meets it first; nothing is raised.
    """
    before = _without_cycles(depends_on)
    depth = _depths(before)
    drawn = _without_implied(before)
    for outside, first in _first_users(before, depth, depends_on).items():
        depth[outside] = first - 1
    columns, chains = _columns(drawn, depth, depends_on)
    _order(columns)
    _place(columns)
    top = min((item.y - item.height / 2 for column in columns for item in column), default=0.0)
    bottom = max((item.y + item.height / 2 for column in columns for item in column), default=0.0)
    places = tuple(
        Place(item.name, item.column, round(item.y - top, 3), item.stub)
        for column in columns
        for item in column
        if item.name is not None
    )
    lines = tuple(
        Line(
            source,
            target,
            tuple((lane.column, round(lane.y - top, 3)) for lane in chains[source][1:] if lane.column < depth[target]),
        )
        for target, sources in drawn.items()
        for source in sources
    )
    return Layout(places, lines, len(columns), round(bottom - top, 3))


def _without_cycles(depends_on: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, ...]]:
    """Every name with what it waits for, each after all of those; what would close a cycle is left out."""
    before: dict[str, tuple[str, ...]] = {}
    waiting: dict[str, set[str]] = {}
    for root in depends_on:
        stack = [(root, iter(depends_on[root]))] if root not in before else []
        if stack:
            waiting[root] = set()
        while stack:
            name, rest = stack[-1]
            for dependency in rest:
                if dependency in waiting and dependency not in before:
                    continue
                waiting[name].add(dependency)
                if dependency not in before:
                    waiting[dependency] = set()
                    stack.append((dependency, iter(depends_on.get(dependency, ()))))
                    break
            else:
                before[name] = tuple(sorted(waiting[name]))
                stack.pop()
    return before


def _depths(before: Mapping[str, tuple[str, ...]]) -> dict[str, int]:
    """The length of the longest chain in front of each name."""
    depth: dict[str, int] = {}
    for name, names in before.items():
        depth[name] = max((depth[other] + 1 for other in names), default=0)
    return depth


def _first_users(
    before: Mapping[str, tuple[str, ...]], depth: Mapping[str, int], depends_on: Mapping[str, Sequence[str]]
) -> dict[str, int]:
    """For every node of another plan, the column of the leftmost node that waits for it."""
    first: dict[str, int] = {}
    for name, names in before.items():
        for other in names:
            if other not in depends_on:
                first[other] = min(first.get(other, depth[name]), depth[name])
    return first


def _without_implied(before: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """The dependencies less those that another dependency of the same node has before it anyway."""
    bit = {name: 1 << index for index, name in enumerate(before)}
    above: dict[str, int] = {}
    drawn: dict[str, tuple[str, ...]] = {}
    for name, names in before.items():
        implied = 0
        for other in names:
            implied |= above[other]
        drawn[name] = tuple(other for other in names if not bit[other] & implied)
        above[name] = implied | sum(bit[other] for other in names if not bit[other] & implied)
    return drawn


def _columns(
    drawn: Mapping[str, tuple[str, ...]], depth: Mapping[str, int], depends_on: Mapping[str, Sequence[str]]
) -> tuple[list[list[_Item]], dict[str, list[_Item]]]:
    """The items of each column, joined to their neighbours; and each name's item with the lanes that follow it."""
    reach: dict[str, int] = {}
    for target, sources in drawn.items():
        for source in sources:
            reach[source] = max(reach.get(source, 0), depth[target])
    columns: list[list[_Item]] = [[] for _ in range(max(depth.values(), default=-1) + 1)]
    chains: dict[str, list[_Item]] = {}
    for name in [*depends_on, *(name for name in drawn if name not in depends_on)]:
        stub = name not in depends_on
        chain = [_Item(name, depth[name], STUB if stub else CARD, stub)]
        for column in range(depth[name] + 1, reach.get(name, 0)):
            chain.append(_Item(None, column, LANE))
            _join(chain[-2], chain[-1])
        for item in chain:
            columns[item.column].append(item)
        chains[name] = chain
    for target, sources in drawn.items():
        for source in sources:
            _join(chains[source][depth[target] - depth[source] - 1], chains[target][0])
    return columns, chains


def _join(left: _Item, right: _Item) -> None:
    left.right.append(right)
    right.left.append(left)


def _order(columns: list[list[_Item]]) -> None:
    """Sort each column by where its neighbours stand, sweeping both ways; the order with fewest crossings stays."""
    _rank(columns)
    best = [list(column) for column in columns]
    fewest = _crossings(columns)
    for sweep in range(_ORDER_SWEEPS):
        if not fewest:
            break
        rightward = sweep % 2 == 0
        for column in columns if rightward else reversed(columns):
            column.sort(key=lambda item: _mean((other.rank for other in _side(item, rightward)), item.rank))
            _rank([column])
        crossings = _crossings(columns)
        if crossings < fewest:
            fewest = crossings
            best = [list(column) for column in columns]
    columns[:] = best
    _rank(columns)


def _rank(columns: Iterable[list[_Item]]) -> None:
    """Note each item's place in its column as a share of it, so that columns of different lengths compare."""
    for column in columns:
        for index, item in enumerate(column):
            item.rank = (index + 0.5) / len(column)


def _side(item: _Item, rightward: bool) -> list[_Item]:
    return item.left if rightward else item.right


def _mean(values: Iterable[float], otherwise: float) -> float:
    known = list(values)
    return sum(known) / len(known) if known else otherwise


def _crossings(columns: list[list[_Item]]) -> int:
    """How many lines cross between neighbouring columns: the inversions among their right ends."""
    count = 0
    for column, following in pairwise(columns):
        place = {id(item): index for index, item in enumerate(following)}
        tree = [0] * (len(following) + 1)
        seen = 0
        for item in column:
            ends = sorted(place[id(other)] for other in item.right)
            for end in ends:
                index, smaller = end + 1, 0
                while index:
                    smaller += tree[index]
                    index &= index - 1
                count += seen - smaller
            for end in ends:
                index = end + 1
                while index < len(tree):
                    tree[index] += 1
                    index += index & -index
            seen += len(ends)
    return count


def _place(columns: list[list[_Item]]) -> None:
    """Give every item its height: near its neighbours' mean, in the order of its column, never touching."""
    for column in columns:
        y = 0.0
        for item in column:
            item.y = y + item.height / 2
            y += item.height + GAP
    for sweep in range(_PLACE_SWEEPS):
        rightward = sweep % 2 == 0
        for column in columns if rightward else reversed(columns):
            _settle(column, [_wish(item, rightward) for item in column])
    for column in columns:
        _settle(column, [_wish(item, None) for item in column])


def _wish(item: _Item, rightward: bool | None) -> tuple[float, float]:
    """Where an item would like to stand, and how much: by its left neighbours, its right ones, or (None) both."""
    neighbours = item.left + item.right if rightward is None else _side(item, rightward)
    if not neighbours:
        return item.y, 0.05
    weight = _STRAIGHT if item.name is None else 1.0
    return sum(other.y for other in neighbours) / len(neighbours), weight


def _settle(column: list[_Item], wishes: list[tuple[float, float]]) -> None:
    """Move a column's items as little as possible (in weighted squares) from their wishes, keeping order and gaps.

    Neighbours whose wishes overlap are pooled and moved as one block to their mean, as in isotonic regression.
    """
    offsets: list[float] = []
    offset = 0.0
    for index, item in enumerate(column):
        if index:
            offset += (column[index - 1].height + item.height) / 2 + GAP
        offsets.append(offset)
    blocks: list[tuple[float, float, int]] = []
    for (wish, weight), shift in zip(wishes, offsets, strict=True):
        total, size, count = (wish - shift) * weight, weight, 1
        while blocks and blocks[-1][0] / blocks[-1][1] > total / size:
            earlier_total, earlier_size, earlier_count = blocks.pop()
            total, size, count = total + earlier_total, size + earlier_size, count + earlier_count
        blocks.append((total, size, count))
    index = 0
    for total, size, count in blocks:
        for _ in range(count):
            column[index].y = total / size + offsets[index]
            index += 1
