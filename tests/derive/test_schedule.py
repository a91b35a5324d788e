"""What is launched next, what is held, and in which order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from stoat.derive import reservations
from stoat.derive.answers import ClaimShown, Decision, NodeAnswer, PlanAnswer, RunnerShown
from stoat.derive.derivation import derive
from stoat.derive.holds import Hold
from stoat.derive.reservations import Shared
from stoat.derive.schedule import Offer, Pick, Scope, offers, pick
from stoat.plan.facts import Facts, RunnerFact
from stoat.plan.nodes import Header, Node, Repo, Resource
from stoat.plan.reservations import Reservation
from stoat.plan.state import Attempt, Claim, Landing, Mark, NodeState, PlanState, State

NOW = "2026-11-30T12:00:00.000Z"
BEFORE = "2026-11-30T11:00:00.000Z"
AFTER = "2026-11-30T13:00:00.000Z"
ADA = Mark("ada", BEFORE)


BOUND = {"issue": 7, "repo": "o/app"}


def attempt(outcome: str | None, started: str = BEFORE) -> Attempt:
    return Attempt(
        number=1, claim="c-1", started=started, runner="r", machine="m", launcher="l", worktree="/w", branch="b",
        base="a" * 40, base_ref="main", log="/l", outcome=outcome,
    )  # fmt: skip


def shown(node_id: str, kind: str = "slice", **fields: Any) -> NodeAnswer:
    given: dict[str, Any] = {
        "id": node_id, "kind": kind, "title": node_id, "repo": None, "status": "waiting", "detail": "", "ready": True,
        "readiness": "", "depends_on": (), "unblocks": 0, "stance": None, "stance_why": "", "waits_on": (),
        "claim": None, "approvable": False, "approved_for_agents": None, "expedited": None, "cloud": None,
        "assignee": None, "merge": None, "launch": None, "prs": (), "steps": (), "attempts": 0, "spent_usd": None,
        "url": None, **fields,
    }  # fmt: skip
    return NodeAnswer(**given)


def plan_of(*nodes: tuple[NodeState, NodeAnswer], header: Header | None = None) -> tuple[PlanState, PlanAnswer]:
    state = PlanState(
        header=header or Header(plan="p"), created=ADA, nodes={node.spec.id: node for node, _ in nodes}, questions={}
    )
    answer = PlanAnswer(
        plan="p", title="p", at=NOW, archived=False, done=0, total=len(nodes), spent_usd=None,
        spent_at_least=False, attempts=0, lead=None, runner=RunnerShown(), runners=(),
        nodes=tuple(one for _, one in nodes),
    )  # fmt: skip
    return state, answer


def one(
    node_id: str = "a", kind: str = "slice", *, answer: dict[str, Any] | None = None,
    spec: dict[str, Any] | None = None, **state: Any,
) -> tuple[NodeState, NodeAnswer]:  # fmt: skip
    node = NodeState(spec=Node(id=node_id, kind=kind, **(spec or {})), added=ADA, **state)
    return node, shown(node_id, kind, **(answer or {}))


def offered(
    *nodes: tuple[NodeState, NodeAnswer], scope: Scope | None = None, repo: str | None = "o/app",
    running: tuple[str, ...] = (), unlanded: tuple[str, ...] = (), header: Header | None = None,
) -> Any:  # fmt: skip
    plan, answer = plan_of(*nodes, header=header)
    return offers(plan, answer, scope or Scope(), repo=repo, running=running, unlanded=unlanded)


def test_expedited_nodes_go_first_then_what_unblocks_most_then_the_plans_order() -> None:
    by_ada = {"expedited": Decision("ada", BEFORE)}
    found = offered(
        one("leaf-1", answer={"unblocks": 0}),
        one("trunk", answer={"unblocks": 5}),
        one("leaf-2", answer={"unblocks": 0}),
        one("flaky", answer={"unblocks": 1, **by_ada}),
        one("urgent", answer={"unblocks": 2, **by_ada}),
    )
    assert [offer.node for offer in found.launchable] == ["urgent", "flaky", "trunk", "leaf-1", "leaf-2"]


@pytest.mark.parametrize(
    ("node", "hold"),
    [
        (one(kind="issue", spec={"assignee": "person"}), Hold("a", "person")),
        (one(kind="issue"), Hold("a", "unbound")),
        (one(kind="issue", spec=BOUND, answer={"status": "pr-open"}), Hold("a", "pr-open")),
        (one(kind="issue", spec=BOUND, answer={"status": "open"}), Hold("a", "go-ahead")),
        (one(kind="issue", spec=BOUND, go_ahead=ADA, answer={"status": "open"}, attempt=attempt(None)),
         Hold("a", "judging")),
        (one(kind="issue", spec=BOUND, go_ahead=ADA, answer={"status": "unknown", "detail": "GitHub is away"}),
         Hold("a", "unseen", "GitHub is away")),
        (one(kind="issue", spec=BOUND, go_ahead=ADA, answer={"status": "missing", "detail": "gone", "ready": False}),
         Hold("a", "unseen", "gone")),
        (one(kind="issue", spec=BOUND, go_ahead=ADA, answer={"status": "open"}, attempt=attempt("done")),
         Hold("a", "over")),
        (one(kind="issue", spec={"issue": 7, "repo": "o/other"}, go_ahead=ADA, answer={"status": "open"}),
         Hold("a", "elsewhere", "o/other")),
        (one(spec={"assignee": "person"}), Hold("a", "person")),
        (one(spec={"agent": "cloud"}), Hold("a", "cloud")),
        (one(cloud=ADA), Hold("a", "cloud")),
        (one(spec={"repo": "o/other"}), Hold("a", "elsewhere", "o/other")),
        (one(kind="change"), Hold("a", "go-ahead")),
        (one(open_questions=1), Hold("a", "question")),
        (one(gave_up=Mark("r", BEFORE, "red")), Hold("a", "gave-up", "red")),
        (one(attempt=attempt(None)), Hold("a", "judging")),
        (one(kind="change", go_ahead=ADA, attempt=attempt("done")), Hold("a", "finished")),
        (one(spec={"depends_on": ("up",)}), Hold("a", "upstream", "up")),
        (
            one(answer={"claim": ClaimShown("eve", BEFORE, AFTER)}),
            Hold("a", "claimed", "eve"),
        ),
    ],
    ids=lambda value: value.reason if isinstance(value, Hold) else "",
)  # fmt: skip
def test_what_holds_a_node(node: tuple[NodeState, NodeAnswer], hold: Hold) -> None:
    found = offered(node, unlanded=("up",))
    assert found.launchable == ()
    assert found.holds == (hold,)


def test_a_checkout_whose_remote_names_no_repository_says_so() -> None:
    assert offered(one(spec={"repo": "o/app"}), repo=None).holds == (Hold("a", "unnamed", "o/app"),)


@pytest.mark.parametrize(
    "node",
    [
        one(kind="change", go_ahead=ADA),
        one(spec={"repo": "O/App"}),
        one(claim=Claim(id="c", holder="eve", since=BEFORE, renewed_at=BEFORE, expires_at=NOW), answer={"claim": None}),
        one(attempt=attempt("failed")),
        one(attempt=attempt(None), restarted=ADA, restarted_seq=1),
        one(kind="change", go_ahead=ADA, attempt=attempt("done"), restarted=ADA, restarted_seq=1),
        one(attempt=attempt("done")),
        one(kind="issue", spec=BOUND, go_ahead=ADA, answer={"status": "open"}),
        one(kind="issue", spec=BOUND, go_ahead=ADA, answer={"status": "open"}, attempt=attempt("failed")),
        one(
            kind="issue",
            spec=BOUND,
            go_ahead=ADA,
            answer={"status": "abandoned"},
            attempt=attempt("done"),
            restarted=ADA,
            restarted_seq=1,
        ),
    ],
    ids=[
        "approved",
        "its repository",
        "lapsed claim",
        "failed",
        "restarted",
        "done over",
        "red again",
        "issue",
        "failed issue",
        "restarted issue",
    ],
)
def test_what_does_not_hold_a_node(node: tuple[NodeState, NodeAnswer]) -> None:
    assert [offer.node for offer in offered(node).launchable] == ["a"]


@pytest.mark.parametrize("status", ["done", "running", "missing", "partial", "findings", "fixing"])
def test_nodes_that_are_done_or_at_it_are_neither_offered_nor_held(status: str) -> None:
    found = offered(one(answer={"status": status}))
    assert (found.launchable, found.holds) == ((), ())


def test_a_landed_change_that_somehow_opened_again_is_offered() -> None:
    landing = Landing(branch="b", commit="c", onto="i", tip="t", how="rebased", at=NOW, by="r", seq=1)
    found = offered(one(kind="change", go_ahead=ADA, attempt=attempt("done"), landing=landing))
    assert [offer.node for offer in found.launchable] == ["a"]


def test_only_what_the_run_is_scoped_to_is_looked_at() -> None:
    nodes = (one("a"), one("b"), one("c"))
    only = offered(*nodes, scope=Scope(only=frozenset({"a", "b"}), skip=frozenset({"b"})))
    assert [offer.node for offer in only.launchable] == ["a"]
    assert only.holds == ()


def test_an_upstream_that_is_not_done_is_ignored_for_the_named_nodes_alone() -> None:
    nodes = (one("a", answer={"ready": False}), one("b", answer={"ready": False}))
    scope = Scope(only=frozenset({"a"}), ignore_dependencies=True)
    assert [offer.node for offer in offered(*nodes, scope=scope).launchable] == ["a"]
    assert offered(*nodes).launchable == ()


def test_a_repository_is_looked_up_by_its_alias() -> None:
    header = Header(plan="p", repos={"app": Repo("o/app")})
    found = offered(one(spec={"repo": "app"}), one("b", spec={"repo": "app"}), header=header, running=("b",))
    assert [offer.node for offer in found.launchable] == ["a"]


def want(resources: dict[str, Resource]) -> Callable[[Offer], Reservation]:
    """What a node takes of the machine, in a plan with these resources."""

    def wanted(offer: Offer) -> Reservation:
        taken = reservations.uses(offer.uses, resources)
        return Reservation(
            id=offer.node, kind="agent", since=NOW, store="/s", plan="p", node=offer.node, uses=taken,
            exclusive=offer.alone,
        )  # fmt: skip

    return wanted


def picked(
    waiting: list[Offer], going: list[Offer], *, parallel: int = 9, extra: bool = False,
    resources: dict[str, Resource] | None = None, verifying: list[Offer] | None = None,
) -> Pick:  # fmt: skip
    """What is picked beside the agents that go and the verifications."""
    wanted = want(resources or {})
    live = [wanted(one) for one in going] + [replace(wanted(one), kind="verify") for one in verifying or []]
    return pick(
        waiting, len(going), parallel=parallel, expedite_slot=extra, want=wanted, shared=Shared(live=tuple(live))
    )


@pytest.mark.parametrize(
    ("running", "extra", "started"),
    [(0, False, ["x", "a"]), (1, False, ["x"]), (2, False, []), (2, True, ["x"]), (3, True, [])],
)
def test_an_expedited_node_takes_one_slot_past_the_cap_and_never_a_second(
    running: int, extra: bool, started: list[str]
) -> None:
    going = [Offer(f"r{index}") for index in range(running)]
    waiting = [Offer("x", expedited=True), Offer("a"), Offer("y", expedited=True)]
    found = picked(waiting, going, parallel=2, extra=extra)
    assert [offer.node for offer in found.launch] == started


def test_resources_are_had_all_or_none_and_hold_nobody_else_up() -> None:
    resources = {"db": Resource(1), "port": Resource(2)}
    waiting = [Offer("both", uses=("port", "db")), Offer("one", uses=("port",)), Offer("free")]
    found = picked(waiting, [Offer("r", uses=("db",))], resources=resources)
    assert [offer.node for offer in found.launch] == ["one", "free"]
    assert found.holds == (Hold("both", "resource", "db (r)"),)


def test_a_verification_takes_resources_and_no_slot() -> None:
    found = picked(
        [Offer("a", uses=("db",)), Offer("b")], [], parallel=1, resources={"db": Resource(1)},
        verifying=[Offer("v", uses=("db",))],
    )  # fmt: skip
    assert [offer.node for offer in found.launch] == ["b"]


def test_heavy_work_goes_one_at_a_time_without_being_declared() -> None:
    found = picked([Offer("a", uses=("heavy",)), Offer("b", uses=("heavy",)), Offer("c")], [])
    assert [offer.node for offer in found.launch] == ["a", "c"]


def test_a_node_that_wants_the_machine_has_it_kept_until_it_is_free_and_then_runs_alone() -> None:
    busy = picked([Offer("a"), Offer("x", alone=True), Offer("b"), Offer("y", alone=True)], [Offer("r")])
    assert [offer.node for offer in busy.launch] == ["a"]
    assert busy.turn == Offer("x", alone=True)
    assert busy.holds == (Hold("x", "alone", "r, a"), Hold("b", "reserved", "p/x"), Hold("y", "reserved", "p/x"))
    free = picked([Offer("x", alone=True), Offer("a")], [])
    assert [offer.node for offer in free.launch] == ["x"]
    assert (free.turn, free.holds) == (None, (Hold("a", "reserved", "p/x"),))


def test_an_exclusive_node_without_a_slot_keeps_the_machine_from_nobody() -> None:
    found = picked([Offer("a"), Offer("x", alone=True)], [Offer("r")], parallel=2)
    assert (found.turn, found.holds) == (None, (Hold("x", "slot", "2/2"),))


USES = st.sets(st.sampled_from(["db", "port"])).map(tuple)
OFFERS = st.lists(st.builds(Offer, st.uuids().map(str), st.booleans(), USES, st.booleans()), max_size=8)


@given(OFFERS, OFFERS, st.integers(1, 4), st.booleans())
def test_no_pick_ever_passes_a_capacity_or_a_cap(
    waiting: list[Offer], going: list[Offer], parallel: int, extra: bool
) -> None:
    resources = {"db": Resource(1), "port": Resource(2)}
    found = picked(waiting, going, parallel=parallel, extra=extra, resources=resources)
    assert {offer.node for offer in found.launch}.isdisjoint(hold.node for hold in found.holds)
    assert len(found.launch) + len(found.holds) == len(waiting)
    assert (found.turn is not None) == any(hold.reason == "alone" for hold in found.holds)
    if found.launch:
        assert len(going) + len(found.launch) <= parallel + extra
        running = [*going, *found.launch]
        for name, declared in resources.items():
            if any(name in offer.uses for offer in found.launch):
                assert sum(name in offer.uses for offer in running) <= declared.capacity
        if any(offer.alone for offer in found.launch):
            assert len(running) == 1


HELD = [
    {"kind": "issue", "go_ahead": ADA}, {"kind": "review"}, {"cloud": ADA}, {"open_questions": 1},
    {"gave_up": Mark("r", BEFORE, "red")}, {"kind": "change"}, {"attempt": attempt(None)}, {},
    {"kind": "change", "go_ahead": ADA}, {"attempt": attempt("failed")},
]  # fmt: skip


@pytest.mark.parametrize("given", HELD, ids=lambda given: "-".join(given) or "nothing")
def test_the_board_and_the_runner_never_disagree_about_what_comes_next(given: dict[str, Any]) -> None:
    node = NodeState(
        spec=Node(id="a", kind=given.get("kind", "slice")), added=ADA,
        **{name: value for name, value in given.items() if name != "kind"},
    )  # fmt: skip
    plan = PlanState(header=Header(plan="p"), created=ADA, nodes={"a": node})
    runner = RunnerFact(runner_id="r", plan="p", host="m", checkout="/c", state="running", parallel=1, repo="o/app")
    answer = derive(State("0" * 40, {"plans/p": plan}), Facts(runners=(runner,)), NOW).plans["p"]
    found = offers(plan, answer, Scope(), repo="o/app", running=(), unlanded=())
    launch = answer.nodes[0].launch
    assert launch is not None
    assert (launch.reason == "next") == bool(found.launchable)
    assert (launch.reason in ("held", "go-ahead")) == bool(found.holds)
