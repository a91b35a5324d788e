"""Where a gate stands, in every mix of step states, and when a pass is stale."""

from __future__ import annotations

from itertools import combinations_with_replacement

import pytest
from msgspec.structs import replace

from stoat.derive.answers import NodeAnswer
from stoat.plan.evidence import Evidence
from stoat.plan.facts import Facts
from stoat.plan.state import Mark, NodeState, PlanState
from tests.support.states import BEFORE, JO, answer, claim, derived, done, gate, going, landing, node, plan, run

INTEG = {"branch": "integ"}
STATES = ("pending", "running", "passed", "failed", "timed-out", "mismatch")


def gate_with(states: tuple[str, ...], **more: object) -> NodeState:
    """A gate whose steps s0, s1 … are in those states."""
    evidence: dict[str, Evidence] = {}
    running: dict[str, Evidence] = {}
    for at, state in enumerate(states):
        name, seq = f"s{at}", at + 1
        if state == "running":
            running |= going(name, seq=seq)
        elif state == "mismatch":
            evidence[name] = run(name, seq=seq, command=("make", "else"))
        elif state != "pending":
            evidence[name] = run(name, state, seq=seq, command=("make", name), limit=1200.0)
    names = tuple(f"s{at}" for at in range(len(states)))
    return gate("g", steps=names, evidence=evidence, running=running, **more)


@pytest.mark.parametrize("states", [*combinations_with_replacement(STATES, 3)])
def test_every_mix_of_three_steps(states: tuple[str, ...]) -> None:
    if "running" in states:
        expected = "running"
    elif {"failed", "timed-out"} & set(states):
        expected = "failed"
    elif "mismatch" in states:
        expected = "mismatch"
    elif "pending" in states:
        expected = "waiting"
    else:
        expected = "done"
    found = answer("p/g", plan("p", gate_with(states)), facts=Facts(machine="box"))
    assert found.status == expected
    assert [step.state for step in found.steps] == list(states)


@pytest.mark.parametrize(
    ("states", "detail"),
    [
        (("passed", "passed", "pending"), "2 of 3 steps passed, not run: s2"),
        (("pending", "pending"), "no run yet: 2 steps to pass"),
        (("passed", "failed", "running"), "2 of 3 steps, 1 failed"),
        (("passed", "timed-out", "pending"), "step s1 timed out (limit 20m) after 3s · 1✓ 1✗ 1○"),
        (("passed", "passed"), "all 2 steps passed"),
        (("passed",), "its step passed"),
        (("mismatch", "passed"), "step s0 ran another command: `make else`, declared is `make s0` · 1✓ 1✗"),
    ],
)
def test_the_detail_says_why(states: tuple[str, ...], detail: str) -> None:
    assert answer("p/g", plan("p", gate_with(states))).detail == detail


@pytest.mark.parametrize(
    ("code", "verdict", "status", "bare", "stepped"),
    [
        (0, "passed", "done", "its run passed on aaaaaaa", "its step passed"),
        (0, "unknown", "waiting", "its run ended without a verdict", "0 of 1 step passed, without a verdict: s"),
        (0, "failed", "failed", "failed", "step s failed · 1✗"),
        (2, "passed", "failed", "failed (exit 2)", "step s failed (exit 2) · 1✗"),
        (2, "unknown", "failed", "failed (exit 2)", "step s failed (exit 2) · 1✗"),
        (2, "failed", "failed", "failed (exit 2)", "step s failed (exit 2) · 1✗"),
        (5, "unknown", "failed", "failed (exit 5)", "step s failed (exit 5) · 1✗"),
    ],
)
def test_a_command_and_the_run_that_published_in_it(
    code: int, verdict: str, status: str, bare: str, stepped: str
) -> None:
    def ran(step: str | None) -> dict[str, Evidence]:
        word = run(step, "failed" if code else "passed", 20, began=10, exit_code=code, command=("make", "s"))
        published = run(step, verdict, 15, began=12, exit_code=code or None, source="pytest")
        return {step or "": word, f"{step or ''}/": published}

    one = answer("p/g", plan("p", gate("g", evidence=ran(None))))
    assert (one.status, one.detail) == (status, bare)
    one = answer("p/g", plan("p", gate("g", steps=("s",), evidence=ran("s"))))
    assert (one.status, one.detail) == (status, stepped)


def test_steps_without_a_verdict_are_told_from_steps_that_were_not_run() -> None:
    undecided = {"a/": run("a", "unknown", 3, source="pytest")}
    found = answer("p/g", plan("p", gate("g", steps=("a", "b"), evidence=undecided)))
    assert (found.status, found.detail) == ("waiting", "0 of 2 steps passed, without a verdict: a, not run: b")


def test_a_run_under_the_bare_tag_counts_for_no_step_and_is_shown() -> None:
    found = answer("p/g", plan("p", gate("g", steps=("s",), evidence={"": run(seq=9)})))
    assert found.status == "waiting"
    assert found.detail == "no run yet: 1 step to pass, unassigned, counts for no step: r-9"


def test_a_done_gate_still_mentions_the_runs_that_are_of_no_step() -> None:
    more = {"": run(seq=9), "old": run("old", seq=3), "old/core": run("old", seq=4, source="pytest", unit="core")}
    one = gate("g", steps=("s",), evidence={"s": run("s", command=("make", "s")), **more})
    found = answer("p/g", plan("p", one))
    assert (found.status, found.detail) == ("done", "its step passed, 3 runs not assigned to a step")
    dirty = gate("g", steps=("s",), evidence={"s": run("s", command=("make", "s"), dirty=True), "": run(seq=9)})
    held = answer("p/g", plan("p", dirty, node("next", "change", "g")))
    assert held.status == "stale" and held.detail.endswith(", 1 run not assigned to a step")


LOST = "begun at 2026-11-30 11:00Z by bot, its process is gone"
SEEN = Facts(machine="box", dead=frozenset({"dead"}))


@pytest.mark.parametrize("result", ["passed", "failed"])
@pytest.mark.parametrize("process", ["alive", "dead", "finished since"])
def test_older_evidence_decides_and_a_newer_run_that_was_lost_is_said(result: str, process: str) -> None:
    """Of a bare gate, and of one with steps, in the gate's detail and the step's."""
    seq = 9 if process == "finished since" else 2
    running = {**going(seq=5, process="dead" if seq == 9 else process)}
    ended = {"": run(None, result, seq, command=("x",))}
    bare = answer("p/g", plan("p", gate("g", evidence=ended, running=running)), facts=SEEN)
    running = {**going("a", seq=5, process="dead" if seq == 9 else process)}
    evidence = {"a": run("a", result, seq, command=("make", "a")), "b": run("b", seq=1, command=("make", "b"))}
    stepped = answer("p/g", plan("p", gate("g", steps=("a", "b"), evidence=evidence, running=running)), facts=SEEN)
    plain = {"passed": ("done", "its run passed on aaaaaaa"), "failed": ("failed", "failed")}
    if process == "alive":
        assert bare.status == stepped.status == "running" and "lost" not in bare.detail + stepped.detail
    elif process == "finished since":
        assert bare.status == stepped.status == plain[result][0]
        assert "lost" not in bare.detail + stepped.detail + stepped.steps[0].detail
    else:
        assert (bare.status, bare.detail) == (plain[result][0], f"{plain[result][1]}, a newer run was lost: {LOST}")
        assert stepped.status == plain[result][0]
        assert stepped.detail.endswith(f", a newer run of a was lost: {LOST}")
        assert stepped.steps[0].detail.endswith(f", a newer run was lost: {LOST}")
        assert "lost" not in stepped.steps[1].detail


def test_of_several_lost_runs_the_last_one_is_told() -> None:
    evidence = {name: run(name, seq=1, command=("make", name)) for name in ("a", "b")}
    running = {**going("a", seq=5, process="dead"), **going("b", seq=7, process="dead", by="ada")}
    found = answer("p/g", plan("p", gate("g", steps=("a", "b"), evidence=evidence, running=running)), facts=SEEN)
    said = LOST.replace("bot", "ada")
    assert found.detail == f"all 2 steps passed, newer runs of a, b were lost, the last one: {said}"


def test_a_lost_test_run_of_a_unit_is_said_beside_the_one_that_decides() -> None:
    evidence = {"s/core": run("s", seq=3, source="pytest", unit="core")}
    quiet = {"r-8": replace(run("s", seq=8, source="pytest", unit="core"), state="lost", why="it fell silent")}
    found = answer("p/g", plan("p", gate("g", steps=("s",), evidence=evidence, running=quiet)))
    assert found.status == "done"
    assert found.detail == (
        "its step passed, a newer run of s was lost: begun at 2026-11-30 11:00Z by bot, it fell silent"
    )


@pytest.mark.parametrize(
    ("state", "status", "detail"),
    [
        ({}, "waiting", "no run yet"),
        ({"evidence": {"": run()}}, "done", "its run passed on aaaaaaa"),
        ({"evidence": {"": run(result="failed", exit_code=1)}}, "failed", "failed (exit 1)"),
        ({"evidence": {"": run()}, "running": going()}, "running", "running since 2026-11-30 11:00Z"),
        (
            {"running": going(process="dead")},
            "waiting",
            "no run yet: the run begun at 2026-11-30 11:00Z never finished (its process is gone)",
        ),
        (
            {"evidence": {"": run(result="failed", source="junit", passed=3, failed=2)}},
            "failed",
            "failed (2 of 5 tests)",
        ),
    ],
)
def test_a_gate_without_steps_goes_by_its_one_run(state: dict[str, object], status: str, detail: str) -> None:
    facts = Facts(machine="box", dead=frozenset({"dead"}))
    found = answer("p/g", plan("p", gate("g", **state)), facts=facts)
    assert (found.status, found.detail) == (status, detail)


def test_newest_is_by_the_log_and_not_by_the_clock() -> None:
    older_clock = run(result="failed", seq=8, at="2020-01-01T00:00:00.000Z")
    assert answer("p/g", plan("p", gate("g", evidence={"": older_clock}))).status == "failed"


def proved(seq: int = 5, commit: str = "a" * 40, **state: object) -> NodeState:
    evidence = {"s": run("s", seq=seq, commit=commit, commit_after=commit), "t": run("t", seq=seq + 1)}
    return gate("g", steps=("s", "t"), evidence=evidence, **state)


def of_branch(gate_node: NodeState, **more: object) -> PlanState:
    spec = gate_node.spec
    rearming = type(spec)(id=spec.id, kind=spec.kind, steps=spec.steps, reverify="on-branch-change")
    kept = type(gate_node)(spec=rearming, added=JO, evidence=gate_node.evidence, landing=gate_node.landing)
    return plan("p", kept, header=INTEG, **more)


def test_reverify_goes_stale_when_the_branch_moved_after_the_oldest_run() -> None:
    assert answer("p/g", of_branch(proved(), moved_seq=4, branch_tip="d" * 40)).status == "done"
    found = answer("p/g", of_branch(proved(), moved_seq=6, branch_tip="d" * 40))
    assert (found.status, found.detail) == ("stale", "passed before, and no longer counts: integ moved since (s)")
    assert found.ready


def test_a_gate_that_does_not_re_arm_keeps_its_pass() -> None:
    assert answer("p/g", plan("p", proved(), header=INTEG, moved_seq=99, branch_tip="d" * 40)).status == "done"


def test_a_pass_of_the_very_tip_is_not_stale_however_late_the_move_was_seen() -> None:
    moved = of_branch(proved(landing=landing("fast-forwarded")), moved_seq=99, branch_tip="a" * 40)
    assert answer("p/g", moved).status == "done"


def test_a_person_may_ask_for_it_again() -> None:
    found = answer("p/g", plan("p", proved(reverify_asked=JO, reverify_seq=6)))
    assert found.status == "stale"
    assert found.detail == "passed before, and no longer counts: jo asked for it to be verified again (s)"
    assert [step.state for step in found.steps] == ["pending", "passed"]
    assert found.steps[0].detail.startswith("has to pass again: passed")
    assert answer("p/g", plan("p", proved(seq=7, reverify_asked=JO, reverify_seq=6))).status == "done"


LESS = {
    "dirty": run("s", dirty=True),
    "moved": run("s", commit_after="b" * 40),
    "behind": run("s", behind=3, branch="main"),
}


@pytest.mark.parametrize("less", LESS)
def test_a_pass_that_proves_less_stands_until_something_waits_on_it(less: str) -> None:
    alone = gate("g", steps=("s",), evidence={"s": LESS[less]})
    found = answer("p/g", plan("p", alone))
    assert found.status == "done" and found.detail.startswith("its step passed, on ")
    waited_on = answer("p/g", plan("p", alone, node("after", "change", "g")))
    assert waited_on.status == "stale" and waited_on.ready
    assert answer("p/g", plan("p", alone), plan("q", node("after", "change", "p/g"))).status == "stale"
    assert answer("p/g", plan("p", alone, done("after", "g"))).status == "done"
    archived = plan("q", node("after", "change", "p/g"), archived=JO)
    assert answer("p/g", plan("p", alone), archived).status == "done"


def test_a_pass_of_a_commit_that_the_branch_had_left_before_the_run_began_proves_less() -> None:
    old, tip = "a" * 40, "d" * 40
    left = {"left_tips": {"": {old: 4}}, "branch_tip": tip, "branch_tips": {"": tip}, "moved_seqs": {"": 4}}

    def shown(seq: int, *after: NodeState, **more: object) -> NodeAnswer:
        behind = gate("g", evidence={"": run(seq=seq)})
        return answer("p/g", plan("p", behind, *after, header=INTEG, **{"moved_seq": 4, **left, **more}))

    waiting = node("after", "change", "g")
    found = shown(6)
    assert (found.status, found.detail) == (
        "done", "its run passed on aaaaaaa, on a commit that integ had already moved on from"
    )  # fmt: skip
    assert shown(6, waiting).status == "stale"
    assert shown(3, waiting).status == "done", "the branch moved after it: only `reverify` minds that"
    back = {"branch_tip": old, "branch_tips": {"": old}}
    assert shown(6, waiting, **back).status == "done", "the branch is at that commit again"


def test_a_run_that_was_going_when_a_person_asked_again_is_not_the_one_asked_for() -> None:
    asked = {"reverify_asked": JO, "reverify_seq": 6}
    assert answer("p/g", plan("p", gate("g", evidence={"": run(seq=8, began=5)}, **asked))).status == "stale"
    assert answer("p/g", plan("p", gate("g", evidence={"": run(seq=8, began=7)}, **asked))).status == "done"


def test_reverify_goes_by_the_branch_in_the_gates_own_repository() -> None:
    spec = {"repo": "o/one", "reverify": "on-branch-change"}
    other = node("g", "test-run-gate", spec=spec, evidence={"": run(seq=5)})
    tips = {"moved_seqs": {"o/one": 2, "o/two": 9}, "branch_tips": {"o/one": "a" * 40, "o/two": "d" * 40}}
    assert answer("p/g", plan("p", other, header=INTEG, moved_seq=9, branch_tip="d" * 40, **tips)).status == "done"
    tips["moved_seqs"] = {"o/one": 6}
    tips["branch_tips"] = {"o/one": "d" * 40}
    assert answer("p/g", plan("p", other, header=INTEG, moved_seq=9, branch_tip="d" * 40, **tips)).status == "stale"


def test_units_of_a_pass_name_their_step_once() -> None:
    units = {f"s/{name}": run("s", seq=9, unit=name, source="bobcat", dirty=True) for name in "ab"}
    found = answer("p/g", plan("p", gate("g", steps=("s",), evidence=units)))
    assert found.detail == "its step passed, on a tree with uncommitted changes (s)"


DIAGNOSED = {"diagnosed": Mark("bot", BEFORE, "the database image is gone"), "diagnosed_seq": 9}


@pytest.mark.parametrize(
    ("evidence", "more", "status"),
    [
        (run(result="failed", exit_code=1), {}, "findings"),
        (run(result="failed", seq=12), {}, "failed"),
        (run(result="failed"), {"restarted_seq": 11}, "failed"),
        (run(), {}, "done"),
        (run(result="failed"), {"running": going()}, "running"),
    ],
)
def test_a_red_gate_that_its_worker_diagnosed_reads_findings_until_it_is_run_or_begun_again(
    evidence: Evidence, more: dict[str, object], status: str
) -> None:
    found = answer("p/g", plan("p", gate("g", evidence={"": evidence}, **DIAGNOSED, **more)))
    assert found.status == status


def test_a_diagnosed_gate_waits_for_a_person() -> None:
    red = gate("g", evidence={"": run(result="failed", exit_code=1)}, **DIAGNOSED)
    answers = derived(plan("p", red, node("after", "change", "g")))
    found = answers.by_ref["p/g"]
    assert (found.detail, found.ready) == ("failed (exit 1) · bot found: the database image is gone", False)
    assert (found.stance, found.readiness) == ("you", "findings")
    (need,) = [one for one in answers.needs if one.node == "g"]
    assert (need.kind, need.action, need.holds) == ("findings", "stoat restart p/g", 1)
    held = gate("g", evidence={"": run(result="failed")}, claim=claim(), **DIAGNOSED)
    assert answer("p/g", plan("p", held)).stance == "moving"


def test_a_step_of_another_command_can_be_diagnosed_too() -> None:
    wrong = gate("g", steps=("s",), evidence={"s": run("s", command=("make", "else"))}, **DIAGNOSED)
    assert answer("p/g", plan("p", wrong)).status == "findings"


def test_an_indeterminate_run_is_neither_red_nor_green() -> None:
    unknown = {"/": run(result="unknown", source="bobcat", indeterminate=3)}
    found = answer("p/g", plan("p", gate("g", evidence=unknown)))
    assert (found.status, found.detail) == ("waiting", "its run ended without a verdict on 3 tests")


def test_a_gate_without_steps_is_the_worst_of_its_command_and_its_run() -> None:
    def status(command: str, published: str) -> str:
        evidence = {
            "": run(result=command, seq=20, began=10),
            "/": run(result=published, seq=15, began=12, source="bobcat"),
        }
        return answer("p/g", plan("p", gate("g", evidence=evidence))).status

    assert [status(*both) for both in (("passed", "passed"), ("failed", "passed"), ("passed", "failed"))] == [
        "done", "failed", "failed"
    ]  # fmt: skip


def test_a_bare_run_on_a_gate_with_steps_is_shown_even_while_it_goes() -> None:
    found = answer("p/g", plan("p", gate("g", steps=("s",), running=going(source="bobcat", process=None))))
    assert (found.status, found.detail) == (
        "waiting", "no run yet: 1 step to pass, unassigned, counts for no step: r-5"
    )  # fmt: skip


def test_lesser_passes_fall_one_after_the_other() -> None:
    dirty = {"": run(dirty=True)}
    chain = [gate("a", evidence=dirty), gate("b", "a", evidence=dirty), gate("c", "b", evidence=dirty)]
    assert [one.status for one in (answer(f"p/{name}", plan("p", *chain)) for name in "abc")] == ["done"] * 3
    after = node("z", "change", "c")
    assert {answer(f"p/{name}", plan("p", *chain, after)).status for name in "abc"} == {"stale"}


def test_lesser_passes_in_a_circle_settle() -> None:
    dirty = {"": run(dirty=True)}
    found: list[NodeAnswer] = []
    for extra in ([], [node("z", "change", "a")]):
        ring = plan("p", gate("a", "b", evidence=dirty), gate("b", "a", evidence=dirty), *extra)
        found += [answer("p/a", ring), answer("p/b", ring)]
    assert [one.status for one in found] == ["done", "done", "stale", "stale"]


def test_a_claim_shows_where_the_evidence_has_nothing_to_say() -> None:
    held = answer("p/g", plan("p", gate("g", steps=("s", "t"), evidence={"s": run("s")}, claim=claim())))
    assert held.status == "claimed"
    assert held.detail == "bot is on it · 1 of 2 steps passed, not run: t"
    red = answer("p/g", plan("p", gate("g", evidence={"": run(result="failed")}, claim=claim())))
    assert (red.status, red.stance) == ("failed", "moving")
    assert answer("p/g", plan("p", gate("g", evidence={"": run()}, claim=claim()))).status == "done"
