"""What a node may have of a machine beside what others have, as whole tables and as rules."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from stoat.derive import reservations
from stoat.derive.capacity import short, strictest
from stoat.derive.holds import Hold
from stoat.derive.reservations import Shared, reserved_against, reserver, why_not
from stoat.plan.nodes import Resource
from stoat.plan.reservations import Limits, Pressure, Reservation, Use

NOW = "2026-11-30T12:00:00.000Z"
LATER = "2026-11-30T12:00:01.000Z"


def one(name: str, where: str = "s/p", **given: object) -> Reservation:
    """An agent's reservation on a node; `where` is STORE/PLAN."""
    store, _, plan = where.partition("/")
    fields = {"id": f"{where}/{name}", "kind": "agent", "since": NOW, "store": store, "plan": plan, "node": name}
    return Reservation(**{**fields, **given})  # type: ignore[arg-type]


DB, DB_MACHINE = {"db": Use(1)}, {"db": Use(1, True)}


@pytest.mark.parametrize("where", ["s/p", "s/q", "t/p"])
@pytest.mark.parametrize("mine", [False, True], ids=["of the plan", "of the machine"])
@pytest.mark.parametrize("theirs", [None, False, True], ids=["unused", "of their plan", "of their machine"])
@pytest.mark.parametrize("kind", ["agent", "verify"])
def test_a_resource_counts_in_its_plan_and_one_of_the_machine_counts_everywhere(
    where: str, mine: bool, theirs: bool | None, kind: str
) -> None:
    uses = {} if theirs is None else {"db": Use(1, theirs)}
    other = one("other", where, kind=kind, uses=uses)
    hold = why_not(one("a", uses={"db": Use(1, mine)}), Shared(live=(other,)))
    meets = theirs is not None and (where == "s/p" or (mine and theirs))
    assert (hold is not None and hold.reason == "resource") == meets


@pytest.mark.parametrize(("mine", "theirs", "holders"), list(itertools.product((1, 2, 3), (1, 2, 3), (0, 1, 2, 3))))
def test_the_smaller_capacity_counts_where_two_plans_differ(mine: int, theirs: int, holders: int) -> None:
    live = tuple(one(f"o{index}", "t/q", uses={"db": Use(theirs, True)}) for index in range(holders))
    held = why_not(one("a", uses={"db": Use(mine, True)}), Shared(live=live)) is not None
    assert held == (holders >= (min(mine, theirs) if holders else mine))


@pytest.mark.parametrize("exclusive", [False, True])
def test_nothing_starts_while_what_others_have_cannot_be_read(exclusive: bool) -> None:
    hold = why_not(one("a", exclusive=exclusive), Shared(unreadable=("/m/c-1.json: torn",)))
    assert hold is not None
    assert (hold.reason, "/m/c-1.json: torn" in hold.what) == ("unread", True)


def test_the_machine_is_reserved_against_every_node_but_the_one_that_has_it() -> None:
    first, second = one("x", exclusive=True), one("y", "t/p", exclusive=True, since=LATER)
    assert reserved_against((one("a"),), ("s", "p", "x")) is None
    assert reserved_against((second, first), first.of) is None
    for of in (second.of, ("t", "p", "x"), ("s", "q", "x"), ("", "", "")):
        assert reserved_against((second, first), of) == first


def test_the_hold_says_who_has_it() -> None:
    live = (one("parser", "s/app", uses=DB_MACHINE),)
    assert why_not(one("a", uses=DB_MACHINE), Shared(live=live)) == Hold("a", "resource", "db (parser of plan app)")
    near = (one("parser", uses=DB), one("lexer", kind="verify", uses=DB))
    assert why_not(one("a", uses={"db": Use(2)}), Shared(live=near)) == Hold(
        "a", "resource", "db (parser, the verification of lexer)"
    )


def test_resources_are_had_all_or_none() -> None:
    live = (one("o", uses={"b": Use(1)}),)
    assert why_not(one("x", uses={"a": Use(1), "b": Use(1)}), Shared(live=live)) == Hold("x", "resource", "b (o)")


def test_heavy_counts_on_the_whole_machine_without_being_declared_and_what_nobody_declared_is_free() -> None:
    declared = {"db": Resource(2), "gpu": Resource(1, scope="machine")}
    assert reservations.uses(("heavy", "db", "gpu", "nobody's"), declared) == {
        "heavy": Use(1, True), "db": Use(2), "gpu": Use(1, True),
    }  # fmt: skip


@pytest.mark.parametrize("agents", [None, 1, 2])
@pytest.mark.parametrize("kind", ["agent", "verify"])
@pytest.mark.parametrize("running", range(3))
def test_the_cap_counts_the_agents_of_all_stores_and_only_agents(agents: int | None, kind: str, running: int) -> None:
    live = (*(one(f"o{index}", "t/q") for index in range(running)), one("v", kind="verify"), one("g", kind="gate"))
    hold = why_not(one("a", kind=kind), Shared(live=live, agents=agents))
    full = kind == "agent" and agents is not None and running >= agents
    assert hold == (Hold("a", "cap", f"{running}/{agents}") if full else None)


@pytest.mark.parametrize("kind", ["agent", "verify", "gate", "turn"])
@pytest.mark.parametrize("where", ["s/p", "t/q"])
def test_an_exclusive_node_waits_for_all_that_runs_on_the_machine(kind: str, where: str) -> None:
    other = one("o", where, kind=kind, exclusive=kind == "turn")
    hold = why_not(one("x", exclusive=True), Shared(live=(other,)))
    assert hold is not None
    assert hold.reason == ("reserved" if kind == "turn" else "alone")


def test_an_exclusive_node_waits_for_what_is_claimed_by_hand_and_says_so() -> None:
    shared = Shared(live=(one("g", "t/q", kind="gate"),), by_hand=("p/h",))
    hold = Hold("x", "alone", "a gate run on g of plan q, p/h (claimed by hand)")
    assert why_not(one("x", exclusive=True), shared) == hold
    assert why_not(one("a"), shared) is None


@pytest.mark.parametrize("kind", ["turn", "agent"])
@pytest.mark.parametrize("exclusive", [False, True])
def test_nothing_else_starts_while_an_exclusive_node_runs_or_waits_for_its_turn(kind: str, exclusive: bool) -> None:
    first = one("x", "t/q", kind=kind, exclusive=True)
    assert why_not(one("a", exclusive=exclusive), Shared(live=(first,))) == Hold("a", "reserved", "q/x")
    assert why_not(one("x", "t/q", id="new", exclusive=True), Shared(live=(replace(first, kind="turn"),))) is None


def test_the_machine_is_the_one_that_runs_first_else_of_the_first_come() -> None:
    early, late = one("a", kind="turn", exclusive=True), one("b", kind="turn", exclusive=True, since=LATER)
    runs = one("c", exclusive=True, since=LATER)
    for order in itertools.permutations((early, late, runs)):
        assert reserver(order) == runs
    assert reserver((late, early, one("n"))) == early
    assert reserver((one("n"),)) is None


def test_a_claim_that_a_reservation_stands_for_is_not_by_hand() -> None:
    assert reservations.claimed_by_hand([("p/a", "c-1"), ("p/b", "c-2")], (one("a", claim="c-1"),)) == ("p/b",)


STEPS = st.lists(st.tuples(st.integers(0, 2), st.sampled_from("abc"), st.booleans(), st.booleans()), max_size=12)


@given(STEPS)
def test_whatever_comes_in_whatever_order_nothing_is_ever_over_capacity(
    steps: list[tuple[int, str, bool, bool]],
) -> None:
    """Three runners of two stores take and give back; `db` is the machine's with room for two, `own` each plan's."""
    live: tuple[Reservation, ...] = ()
    for runner, name, exclusive, ends in steps:
        where = ("s/p", "s/q", "t/p")[runner]
        node = f"{name}{runner}"
        if ends:
            live = tuple(other for other in live if other.node != node)
            continue
        wanted = one(node, where, exclusive=exclusive, uses={"db": Use(2, True), "own": Use(1)} if name != "c" else {})
        if all(other.id != wanted.id for other in live) and why_not(wanted, Shared(live=live)) is None:
            live = (*live, wanted)
        assert sum("db" in other.uses for other in live) <= 2
        for place in ("p", "q"):
            for store in ("s", "t"):
                assert sum("own" in other.uses for other in live if (other.store, other.plan) == (store, place)) <= 1
        assert len(live) == 1 or not any(other.exclusive for other in live)


GIB = 1 << 30
FREE = Pressure(load=0.5, memory=8 * GIB, memory_total=16 * GIB, disk=100 * GIB, disk_total=200 * GIB)


@pytest.mark.parametrize(
    ("pressure", "limits", "agents", "of"),
    [
        (FREE, Limits(), 1, None),
        (replace(FREE, disk=GIB - 1), Limits(), 0, "disk"),
        (replace(FREE, disk=GIB), Limits(), 0, None),
        (replace(FREE, disk=0), Limits(disk=0), 0, None),
        (replace(FREE, memory=1 << 20), Limits(), 0, "memory"),
        (replace(FREE, memory=0), Limits(memory=0), 0, None),
        (replace(FREE, load=9.0), Limits(), 1, "load"),
        (replace(FREE, load=9.0), Limits(), 0, None),
        (replace(FREE, load=99.0), Limits(load=0), 3, None),
        (Pressure(), Limits(), 5, None),
    ],
)
def test_what_a_machine_is_short_of(pressure: Pressure, limits: Limits, agents: int, of: str | None) -> None:
    found = short(pressure, limits, agents)
    assert (found.of if found is not None else None) == of


def test_what_is_short_is_said_with_its_figures_and_what_to_do() -> None:
    found = short(replace(FREE, disk=GIB // 2), Limits(), 0)
    assert found is not None
    assert "512 MiB of disk are free" in found.why
    assert "1 GiB are to stay free" in found.why
    assert "stoat prune" in found.why


def test_the_limits_of_all_stores_hold_together() -> None:
    assert strictest([]) == Limits()
    both = strictest([Limits(agents=4, disk=0, load=0), Limits(agents=2, disk=5, memory=9, load=2.0), Limits(load=3.0)])
    assert both == Limits(agents=2, disk=GIB, memory=512 << 20, load=2.0)
