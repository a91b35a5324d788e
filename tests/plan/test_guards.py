"""What authoring may not do to a plan as it stands."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from stoat.errors import Refused
from stoat.plan.events.authoring import DependencyAdded, NodeChanged, NodeRemoved
from stoat.plan.events.base import Actor
from stoat.plan.guards import agents_work, may_be_purged, not_archived, nothing_names, nothing_waits, with_merge_policy
from stoat.plan.nodes import Header, Node
from stoat.plan.state import Claim, Mark, NodeState, PlanState

AT, LATER, NOW = "2026-01-01T00:00:00.000Z", "2026-01-01T01:00:00.000Z", "2026-01-01T00:10:00.000Z"
MARK = Mark("Ada", AT)
CLAIM = Claim(id="c-1", holder="otter", since=AT, renewed_at=AT, expires_at=LATER)
AGENT, PERSON = Actor("otter", "agent"), Actor("Ada", "person")


def plan(node: Node, claim: Claim | None = None) -> PlanState:
    state = NodeState(spec=node, added=MARK, claim=claim)
    return PlanState(header=Header(plan="p"), created=MARK, nodes={node.id: state})


@pytest.mark.parametrize(
    ("before", "written", "allowed"),
    [
        (None, None, None),
        (None, "manual-review", "manual-review"),
        (None, "merge-on-green", "refused"),
        ("manual-review", None, "manual-review"),
        ("manual-review", "merge-on-green", "refused"),
        ("merge-on-green", None, "merge-on-green"),
        ("merge-on-green", "merge-on-green", "merge-on-green"),
        ("merge-on-green", "manual-review", "manual-review"),
    ],
)
def test_an_agent_keeps_what_a_person_set_and_may_only_go_back_to_review(
    before: str | None, written: str | None, allowed: str | None
) -> None:
    stands = plan(Node(id="n", kind="issue", merge=before))  # type: ignore[arg-type]
    node = Node(id="n", kind="issue", merge=written)  # type: ignore[arg-type]
    assert with_merge_policy(node, stands, PERSON) == node
    if allowed == "refused":
        with pytest.raises(Refused, match="only a person may set merge-on-green"):
            with_merge_policy(node, stands, AGENT)
    else:
        assert with_merge_policy(node, stands, AGENT).merge == allowed


def test_an_agent_adds_no_node_that_merges_on_green() -> None:
    with pytest.raises(Refused):
        with_merge_policy(Node(id="n", kind="pr", merge="merge-on-green"), None, AGENT)


def test_a_policy_is_not_kept_where_the_new_kind_takes_none() -> None:
    stands = plan(Node(id="n", kind="issue", merge="merge-on-green"))
    assert with_merge_policy(Node(id="n", kind="change"), stands, AGENT).merge is None


def test_a_node_is_not_taken_away_from_under_its_agent() -> None:
    held = plan(Node(id="n", kind="change"), CLAIM)
    for event in (NodeRemoved(node="n"), NodeChanged(node="n", spec=Node(id="n", kind="slice"))):
        with pytest.raises(Refused, match="p/n is held by otter"):
            agents_work(held, [event], NOW)
        assert agents_work(held, [event], LATER) == []


def test_a_held_node_may_change_with_a_warning_and_its_edges_without() -> None:
    held = plan(Node(id="n", kind="change"), CLAIM)
    changed = NodeChanged(node="n", spec=Node(id="n", kind="change", title="New"))
    assert agents_work(held, [changed], NOW) == ["n is held by otter, who works from what it said before"]
    assert agents_work(held, [DependencyAdded(node="n", on="m")], NOW) == []


def test_what_another_plan_waits_for_is_not_removed() -> None:
    other = plan(Node(id="x", kind="change", depends_on=("p/n",)))
    with pytest.raises(Refused, match=r"p/n cannot be removed: q/x depends on it") as refused:
        nothing_waits(plan(Node(id="n", kind="change")), ["n"], {"q": other})
    assert refused.value.hint == "drop the dependency first: stoat node unlink q/x --on p/n"


def test_what_the_plan_itself_waits_for_or_names_is_not_removed() -> None:
    of = plan(Node(id="n", kind="change"))
    of.nodes["m"] = replace(of.nodes["n"], spec=Node(id="m", kind="change", depends_on=("n",)))
    with pytest.raises(Refused, match=r"p/n cannot be removed: m depends on it") as refused:
        nothing_names(of, "n")
    assert refused.value.hint == "drop the dependency first: stoat node unlink p/m --on n"
    nothing_names(of, "m")


def test_only_an_archived_plan_that_no_other_waits_for_is_purged() -> None:
    of, other = plan(Node(id="n", kind="change")), plan(Node(id="x", kind="change", depends_on=("p/n",)))
    with pytest.raises(Refused, match="plan p is active"):
        may_be_purged(of, {})
    of.archived = MARK
    may_be_purged(of, {})
    with pytest.raises(Refused, match="q/x depends on it"):
        may_be_purged(of, {"q": other})


def test_an_archived_plan_is_not_written_to() -> None:
    archived = plan(Node(id="n", kind="change"))
    not_archived(archived)
    archived.archived = MARK
    with pytest.raises(Refused) as refused:
        not_archived(archived)
    assert refused.value.hint == "bring it back first: stoat plan archive p --off"
