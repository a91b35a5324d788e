"""Folding: every event type has its effect, nothing given is changed, and what cannot be taken is stepped over."""

from __future__ import annotations

import copy
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from stoat.errors import Refused
from stoat.plan import fold
from stoat.plan.events import FAMILIES
from stoat.plan.events.attempts import (
    AttemptJudged,
    AttemptStarted,
    CostReported,
    GaveUp,
    WorktreeFreed,
    WorktreeParked,
)
from stoat.plan.events.authoring import DependencyAdded, NodeAdded, NodeBound, NodeChanged, NodeRemoved
from stoat.plan.events.base import Actor, Event, PlanEvent, Unknown
from stoat.plan.events.claims import Claimed, ClaimReleased, ClaimRenewed
from stoat.plan.events.decisions import (
    MergePolicySet,
    NodeApproved,
    NodeExpedited,
    NodeRestarted,
    NoteAdded,
    PlanApproved,
    restart,
)
from stoat.plan.events.evidence import GateFinished, GateStarted, RunRecorded, Tree
from stoat.plan.events.landings import BranchMoved, Landed, LandingParked
from stoat.plan.events.machines import MachineLimited
from stoat.plan.events.plans import NodesReordered, PlanCreated, PlanHeaderChanged
from stoat.plan.events.questions import Answered, Asked
from stoat.plan.nodes import Header, Node, Resource
from stoat.plan.state import MachineState, OtherState, PlanState

JO = Actor("jo", "person")
AT = "2026-11-30T12:00:00.000Z"


def line(event: Event, at: str = AT, by: Actor = JO) -> bytes:
    return fold.encode_event(replace(event, id="01", at=at, by=by))


def plan_of(*events: Event) -> PlanState:
    begin: list[Event] = [PlanCreated(header=Header(plan="p", branch="integ"))]
    begin += [NodeAdded(node=name, spec=Node(id=name, kind="issue")) for name in ("a", "b")]
    part, troubles = fold.fold_part("plans/p", None, [line(event) for event in [*begin, *events]])
    assert troubles == []
    assert isinstance(part, PlanState)
    return part


def test_every_event_class_has_its_own_type_and_family() -> None:
    classes = [cls for family in FAMILIES.values() for cls in family]
    assert len(fold.EVENT_TYPES) == len(classes)
    defined = {cls for cls in all_subclasses(Event) if cls.__struct_config__.tag != cls.__name__}
    assert defined == set(classes)


def all_subclasses(cls: type) -> set[type]:
    return {sub for direct in cls.__subclasses__() for sub in {direct, *all_subclasses(direct)}}


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf, 1 << 63, -(1 << 63) - 1])
def test_no_event_is_written_with_a_number_that_cannot_be_read_again(number: float) -> None:
    with pytest.raises(Refused, match="no number that can be recorded"):
        line(CostReported(node="a", usd=0.5, session_usd=number))
    with pytest.raises(Refused, match=r"machine_limited"):
        line(MachineLimited(disk=0, memory=0, load=number))
    with pytest.raises(Refused):
        line(PlanHeaderChanged(header=Header(plan="p", resources={"db": Resource(number)})))


def test_types_are_snake_case() -> None:
    assert all(name.islower() and name.replace("_", "").isalpha() for name in fold.EVENT_TYPES)


@pytest.mark.parametrize("before", [b"", b'{"type":"note_added","odd":', b'{"type":"later","odd":'])
def test_a_line_nested_deeper_than_anything_is_stepped_over(before: bytes) -> None:
    deep = before + b'{"a":' * 1200
    part, troubles = fold.fold_part("plans/p", plan_of(), [deep, line(NoteAdded(node="a", text="after"))])
    assert [trouble.line for trouble in troubles] == [0]
    assert "is not an event" in troubles[0].what
    assert part.seq == plan_of().seq + 2
    with pytest.raises(ValueError, match="recursion"):
        fold.decode_part("plans/p", b"\x81\xa1a" * 3000)


def test_folding_leaves_the_state_it_was_given_untouched() -> None:
    before = plan_of()
    kept = copy.deepcopy(before)
    fold.fold_part("plans/p", before, [line(NodeApproved(node="a")), line(NodeRemoved(node="b"))])
    assert before == kept


def test_folding_in_any_two_portions_gives_the_same_state() -> None:
    lines = [
        line(event)
        for event in (
            PlanCreated(header=Header(plan="p")), NodeAdded(node="a", spec=Node(id="a", kind="slice")),
            NodeApproved(node="a"), Claimed(node="a", claim="c-1", holder="x"),
            Asked(node="a", question="q-1", text="?"),
            Answered(node="a", question="q-1", text="!"),
            ClaimReleased(node="a", claim="c-1"),
        )
    ]  # fmt: skip
    whole, _ = fold.fold_part("plans/p", None, lines)
    for cut in range(len(lines) + 1):
        first = fold.fold_part("plans/p", None, lines[:cut])[0] if cut else None
        assert fold.fold_part("plans/p", first, lines[cut:])[0] == whole


def test_a_part_comes_back_from_its_cached_bytes() -> None:
    plan = plan_of(NodeApproved(node="a"), Claimed(node="a", claim="c", holder="x"))
    assert fold.decode_part("plans/p", fold.encode_part(plan)) == plan
    assert fold.decode_part("machines/m", fold.encode_part(MachineState(seq=3))) == MachineState(seq=3)
    assert fold.decode_part("feeds/f", fold.encode_part(OtherState(seq=3))) == OtherState(seq=3)


@given(st.binary(max_size=60))
def test_bytes_that_are_no_part_are_a_value_error(data: bytes) -> None:
    try:
        fold.decode_part("plans/p", data)
    except ValueError:
        return
    assert data == fold.encode_part(fold.decode_part("plans/p", data))


@given(st.binary(max_size=80))
def test_any_line_decodes_to_an_event_or_to_itself(raw: bytes) -> None:
    decoded = fold.decode_line(raw)
    assert isinstance(decoded, Event) or decoded.raw == raw


def test_a_type_of_a_newer_version_is_kept_and_said() -> None:
    raw = b'{"type":"node_teleported","node":"a","at":"2026-11-30T12:00:00.000Z"}'
    unknown = fold.decode_line(raw)
    assert isinstance(unknown, Unknown)
    assert (unknown.raw, unknown.type, unknown.node) == (raw, "node_teleported", "a")
    assert "does not know" in unknown.why


def test_fields_of_a_newer_version_are_skipped() -> None:
    assert isinstance(fold.decode_line(b'{"type":"node_approved","node":"a","mood":"fine"}'), NodeApproved)


@pytest.mark.parametrize(
    "bad", [b"", b"{", b"[]", b'{"type":"node_approved"}', b'{"type":1}', b"\xff", b"null", b'"x"']
)
def test_a_line_that_is_no_event_is_reported_and_the_rest_goes_on(bad: bytes) -> None:
    before = plan_of()
    part, troubles = fold.fold_part("plans/p", before, [bad, line(NodeApproved(node="a"))])
    assert [trouble.line for trouble in troubles] == [0]
    assert isinstance(part, PlanState)
    assert part.nodes["a"].go_ahead
    assert part.seq == before.seq + 2


def test_an_event_about_a_node_that_is_not_there_is_reported() -> None:
    _, troubles = fold.fold_part("plans/p", plan_of(), [line(NodeApproved(node="zzz"))])
    assert [trouble.line for trouble in troubles] == [0]
    assert "zzz" in troubles[0].what


def test_every_node_event_about_a_missing_node_is_reported_and_changes_nothing_else() -> None:
    """No family forgets: whatever the event, a node that is not there is trouble, never a crash."""
    fields = {
        "spec": {"id": "zzz", "kind": "slice"}, "on": "a", "number": 1, "policy": "manual-review", "claim": "c",
        "holder": "x", "run": "r", "command": [], "machine": "m", "exit_code": 0, "seconds": 1, "source": "s",
        "state": "failed", "attempt": 1, "runner": "r", "launcher": "l", "worktree": "w", "branch": "b", "base": "b",
        "base_ref": "b", "log": "l", "process": "p", "outcome": "done", "detail": "d", "why": "w", "usd": 1,
        "commit": "c", "onto": "o", "tip": "t", "how": "merged", "question": "q", "text": "t", "event": {},
        "header": {"plan": "p"}, "finding": "f1", "fix": "a",
        "order": [], "kind": "usage", "step": "s", "steps": [], "repo": "o/n", "mark": "m",
    }  # fmt: skip
    import msgspec

    for name, cls in fold.EVENT_TYPES.items():
        if not issubclass(cls, PlanEvent) or "node" not in cls.__struct_fields__ or name in ("node_added", "rejected"):
            continue
        known = {key: value for key, value in fields.items() if key in cls.__struct_fields__}
        raw = msgspec.json.encode(
            {"type": name, "node": "zzz", "id": "01", "at": AT, "by": {"name": "j", "as": "person"}, **known}
        )
        assert isinstance(fold.decode_line(raw), cls), (name, fold.decode_line(raw))
        before = plan_of()
        part, troubles = fold.fold_part("plans/p", before, [raw])
        assert isinstance(part, PlanState)
        assert len(troubles) == 1, name
        assert part.nodes == before.nodes, name


def test_an_event_of_another_family_of_streams_is_reported() -> None:
    _, troubles = fold.fold_part("machines/m", None, [line(NodeApproved(node="a"))])
    assert "machine" in troubles[0].what
    _, troubles = fold.fold_part("plans/p", plan_of(), [b'{"type":"machine_held"}'])
    assert "plan" in troubles[0].what


def test_a_stream_whose_beginning_is_torn_is_reported_line_by_line() -> None:
    part, troubles = fold.fold_part("plans/p", None, [b"{", line(NodeApproved(node="a"))])
    assert part == OtherState(seq=2)
    assert [trouble.line for trouble in troubles] == [0, 1]


def test_a_changed_node_loses_its_go_ahead_and_keeps_its_turn() -> None:
    plan = plan_of(
        NodeApproved(node="a"),
        NodeExpedited(node="a"),
        NodeChanged(node="a", spec=Node(id="a", kind="issue", title="new")),
    )
    assert plan.nodes["a"].go_ahead is None
    assert plan.nodes["a"].expedited
    assert plan.nodes["a"].spec.title == "new"


def test_a_rebound_node_loses_both() -> None:
    plan = plan_of(NodeApproved(node="a"), NodeExpedited(node="a"), NodeBound(node="a", number=7))
    assert (plan.nodes["a"].go_ahead, plan.nodes["a"].expedited, plan.nodes["a"].spec.issue) == (None, None, 7)


def test_an_edge_or_a_merge_policy_keeps_the_go_ahead() -> None:
    plan = plan_of(
        NodeApproved(node="a"), DependencyAdded(node="a", on="b"), MergePolicySet(node="a", policy="merge-on-green")
    )
    assert plan.nodes["a"].go_ahead
    assert plan.nodes["a"].spec.depends_on == ("b",)
    assert plan.nodes["a"].spec.merge == "merge-on-green"


def test_a_renewal_or_release_with_an_old_fence_does_nothing() -> None:
    plan = plan_of(
        Claimed(node="a", claim="c-1", holder="x"), Claimed(node="a", claim="c-2", holder="y"),
        ClaimRenewed(node="a", claim="c-1", lease=9000), ClaimReleased(node="a", claim="c-1"),
    )  # fmt: skip
    held = plan.nodes["a"].claim
    assert held is not None
    assert (held.id, held.holder, held.expires_at) == ("c-2", "y", "2026-11-30T12:30:00.000Z")


def test_no_lease_is_longer_than_four_hours_whatever_the_event_says() -> None:
    plan = plan_of(Claimed(node="a", claim="c-1", holder="x", lease=1e9))
    held = plan.nodes["a"].claim
    assert held is not None
    assert held.expires_at == "2026-11-30T16:00:00.000Z"


def test_a_run_is_going_until_it_ends_and_then_decides_its_step() -> None:
    start = GateStarted(node="a", run="r-1", command=("make",), machine="m", step="s", tree=Tree("c0", "b", False))
    end = GateFinished(
        node="a", run="r-1", command=("make",), machine="m", step="s", exit_code=0, seconds=2,
        before=Tree("c0", "b", False), after=Tree("c1", "b", True),
    )  # fmt: skip
    assert list(plan_of(start).nodes["a"].running) == ["r-1"]
    node = plan_of(start, end).nodes["a"]
    assert node.running == {}
    seen = node.evidence["s"]
    assert (seen.state, seen.commit, seen.commit_after, seen.dirty) == ("passed", "c0", "c1", True)


def test_cleanliness_that_nobody_saw_at_one_end_is_not_known() -> None:
    end = GateFinished(
        node="a", run="r", command=(), machine="m", exit_code=0, seconds=1, before=Tree("c", None, False)
    )
    assert plan_of(end).nodes["a"].evidence[""].dirty is None


def test_the_newest_word_on_a_spec_counts_and_others_stay() -> None:
    node = plan_of(
        RunRecorded(node="a", run="r-1", source="junit", state="passed", machine="m", specs_passed=("F/x", "F/y")),
        RunRecorded(node="a", run="r-2", source="junit", state="failed", machine="m", specs_failed=("F/x",)),
    ).nodes["a"]
    assert {name: result.passed for name, result in node.specs.items()} == {"F/x": False, "F/y": True}


def test_only_attempts_that_got_nowhere_count_and_a_restart_forgives_them() -> None:
    def attempt(number: int, outcome: str) -> list[Event]:
        return [
            AttemptStarted(
                node="a", attempt=number, claim="c", runner="r", machine="m", launcher="l", worktree="w", branch="b",
                base="x", base_ref="main", log="log",
            ),
            AttemptJudged(node="a", attempt=number, outcome=outcome, detail=""),  # type: ignore[arg-type]
        ]  # fmt: skip

    events = [
        *attempt(1, "failed"),
        *attempt(2, "given-back"),
        *attempt(3, "lost"),
        GaveUp(node="a", why="tried enough"),
    ]
    node = plan_of(*events).nodes["a"]
    assert (node.tries, node.attempts, bool(node.gave_up)) == (2, 3, True)
    node = plan_of(*events, NodeRestarted(node="a")).nodes["a"]
    assert (node.tries, node.attempts, node.gave_up) == (0, 3, None)


def test_the_commits_that_a_branch_was_at_are_known_with_when_it_left_them() -> None:
    moves = [
        BranchMoved(branch="integ", tip=tip, repo=repo) for tip, repo in (("t1", "O/r"), ("u1", "o/s"), ("t2", "o/R"))
    ]
    plan = plan_of(*moves)
    assert plan.left_tips == {"o/r": {"t1": plan.seq}}
    assert plan.moved_seqs == {"o/r": plan.seq, "o/s": plan.seq - 1}
    many = plan_of(*[BranchMoved(branch="integ", tip=f"t{at}") for at in range(300)])
    assert (len(many.left_tips[""]), "t298" in many.left_tips[""], "t0" in many.left_tips[""]) == (200, True, False)


def test_a_landing_moves_the_plans_branch_unless_nothing_moved() -> None:
    moved = plan_of(Landed(node="a", branch="s", commit="c", onto="integ", tip="t", how="rebased"))
    still = plan_of(Landed(node="a", branch="s", commit="c", onto="integ", tip="t", how="nothing"))
    elsewhere = plan_of(Landed(node="a", branch="s", commit="c", onto="main", tip="t", how="observed"))
    assert (moved.branch_tip, still.branch_tip, elsewhere.branch_tip) == ("t", None, None)
    assert moved.moved_seq == moved.seq


def test_a_branch_seen_where_it_was_has_not_moved() -> None:
    landed = Landed(node="a", branch="s", commit="c", onto="integ", tip="t", how="rebased")
    once = plan_of(landed)
    again = plan_of(landed, BranchMoved(branch="integ", tip="t"))
    beyond = plan_of(landed, BranchMoved(branch="integ", tip="u"))
    assert again.moved_seq == once.moved_seq
    assert beyond.moved_seq > once.moved_seq


def test_a_branch_has_a_tip_of_its_own_in_each_repository() -> None:
    here = Landed(node="a", branch="s", commit="c", onto="integ", tip="t", how="rebased", repo="o/one")
    there = BranchMoved(branch="integ", tip="u", repo="o/two")
    both = plan_of(here, there)
    assert (both.tip_in("O/One"), both.tip_in("o/two"), both.tip_in(None)) == ("t", "u", None)
    again = plan_of(here, there, BranchMoved(branch="integ", tip="t", repo="o/one"))
    assert (again.moved_seq, again.branch_tip) == (both.moved_seq, "u")


def test_a_landing_clears_what_was_parked() -> None:
    parked = LandingParked(node="a", commit="c", why="conflict", files=("x",))
    assert plan_of(parked).nodes["a"].parked
    landed = Landed(node="a", branch="s", commit="c", onto="integ", tip="t", how="merged")
    assert plan_of(parked, landed).nodes["a"].parked is None


def test_a_worktree_waits_for_a_person_until_it_is_used_seen_in_order_landed_from_or_its_node_is_begun_again() -> None:
    parked = WorktreeParked(node="a", why="a rebase was left in it", commands=("git status",))
    stuck = plan_of(parked).nodes["a"].stuck
    assert stuck is not None
    assert (stuck.why, stuck.commands) == (parked.why, parked.commands)
    started = AttemptStarted(
        node="a", attempt=1, claim="c", runner="r", machine="m", launcher="l", worktree="w", branch="b", base="x",
        base_ref="main", log="log",
    )  # fmt: skip
    landed = Landed(node="a", branch="s", commit="c", onto="integ", tip="t", how="merged")
    for event in (started, landed, WorktreeFreed(node="a"), NodeRestarted(node="a")):
        assert plan_of(parked, event).nodes["a"].stuck is None
    again = plan_of(parked)
    assert restart(again, again.nodes["a"]) == NodeRestarted(node="a")


def test_a_question_is_open_until_it_is_settled_once() -> None:
    plan = plan_of(
        Asked(node="a", question="q", text="which?"),
        Answered(node="a", question="q", text="this"),
        Answered(node="a", question="q", text="that"),
    )
    assert plan.questions["q"].state == "answered"
    assert plan.questions["q"].answer is not None
    assert plan.questions["q"].answer.why == "this"
    assert plan.nodes["a"].open_questions == 0


def test_a_removed_node_takes_its_questions_along() -> None:
    assert plan_of(Asked(node="a", question="q", text="?"), NodeRemoved(node="a")).questions == {}


def test_a_new_go_ahead_rule_takes_the_old_approval_of_the_plan_back() -> None:
    plan = plan_of(PlanApproved(), PlanHeaderChanged(header=Header(plan="p", go_ahead="plan")))
    assert plan.approved is None
    assert plan_of(PlanApproved(), PlanHeaderChanged(header=Header(plan="p", title="t"))).approved


def test_a_header_never_renames_the_plan() -> None:
    assert plan_of(PlanHeaderChanged(header=Header(plan="other"))).slug == "p"


def test_reordering_keeps_every_node() -> None:
    assert list(plan_of(NodesReordered(order=("b", "zzz"))).nodes) == ["b", "a"]
