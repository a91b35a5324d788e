"""How far the test runs of nodes are, for cards and pages: looked at once a second, and told when it is another."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from stoat.derive.wording import status
from stoat.plan.ids import NodeRef
from stoat.service.heard import HeardRuns
from stoat.service.proving import tag_in
from stoat.web.watch import PlanChange


class Following:
    """How far runs are, as it was last looked at. `tell` hears which nodes of which plans moved."""

    def __init__(self, tell: Callable[[Sequence[PlanChange]], object]) -> None:
        self.runs: HeardRuns | None = None
        self._tell = tell
        self._runs: dict[str, str] = {}
        self._nodes: dict[NodeRef, str] = {}

    def of_node(self, plan: str, node_id: str) -> str:
        """How far the runs of a node are; nothing when none goes on."""
        return self._nodes.get(NodeRef(plan, node_id), "")

    def of_run(self, run_id: str) -> str:
        """How far a run is; nothing when it does not go on."""
        return self._runs.get(run_id, "")

    def look(self) -> None:
        """Look at all that go on. Several runs of one node are added up."""
        together: dict[NodeRef, list[tuple[int, int | None, int]]] = {}
        runs = {}
        for run_id, (tag, done) in (self.runs.going() if self.runs is not None else {}).items():
            named = tag_in(tag)
            if named is not None:
                together.setdefault(named.ref, []).append(done)
                runs[run_id] = status.in_flight(*done)
        before, self._runs = self._nodes, runs
        self._nodes = {ref: _added(each) for ref, each in together.items()}
        moved: dict[str, list[str]] = {}
        for ref in before.keys() | self._nodes.keys():
            if before.get(ref) != self._nodes.get(ref):
                moved.setdefault(ref.plan, []).append(ref.node)
        self._tell([PlanChange(plan, tuple(nodes)) for plan, nodes in moved.items()])


def _added(each: Sequence[tuple[int, int | None, int]]) -> str:
    done, totals, stalled = zip(*each, strict=True)
    known = [total for total in totals if total is not None]
    return status.in_flight(sum(done), sum(known) if len(known) == len(totals) else None, sum(stalled))
