"""How much a node holds back: how many undone nodes wait for it, directly or through others, across plans."""

from __future__ import annotations

from collections.abc import Sequence

from stoat.derive.graph import Graph, Order


def unblocks(graph: Graph, order: Order, counts: Sequence[bool]) -> list[int]:
    """The leverage of every node by index; 0 for one that is done.

    A way through a done node holds nothing back. A node that `counts` says no of (its plan is archived) is passed
    through and not counted. Members of a circle share what waits behind them, and count each other.
    """
    # One bit a node, in walking order, so that the sets of nodes with little behind them are small numbers. A set
    # holds the node itself; 0 stands for a node that is done.
    sets = [0] * len(graph.refs)
    many = [0] * len(graph.refs)
    closed: set[int] = set()
    for place, i in enumerate(order.walk):
        own = 1 << place if counts[i] else 0
        group = order.circle_of.get(i)
        if group is None:
            users = [user for user in graph.users[i] if sets[user]]
            behind = 0
            for user in users:
                behind |= sets[user]
            if len(users) == 1:
                many[i] = many[users[0]] + counts[users[0]]
            elif users:
                many[i] = (behind >> 1).bit_count()
            sets[i] = behind | own << 1 | 1
        elif group not in closed:
            closed.add(group)
            members = order.circles[group]
            behind = 1
            for step, member in enumerate(members):
                behind |= counts[member] << (place + step + 1)
                for user in graph.users[member]:
                    behind |= sets[user]
            total = (behind >> 1).bit_count()
            for member in members:
                sets[member] = behind
                many[member] = total - counts[member]
    return many
