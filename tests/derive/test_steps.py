"""Where a step stands, as a full table, and which runs count for it."""

from __future__ import annotations

from itertools import product

import pytest

from stoat.derive import steps
from stoat.derive.verdict import Context
from stoat.plan.evidence import Evidence
from stoat.plan.facts import Facts
from stoat.plan.nodes import GATE, Step
from stoat.plan.state import NodeState
from tests.support.states import NOW, going, node, run

CONTEXT = Context(NOW, Facts(machine="box", dead=frozenset({"dead"})))


def of(step: Step, **state: object) -> steps.Steps:
    return steps.read("p", node("g", GATE, spec={"steps": (step,)}, **state), CONTEXT)


DECLARED = ("make test", None)
NEWEST = (None, "passed", "failed", "timed-out")
COMMANDS = ((), ("make", "test"), ("sh", "-c", "make test"), ("make", "test", "-j4"))
IN_FLIGHT = (None, "alive", "dead")


@pytest.mark.parametrize(
    ("declared", "newest", "command", "process"), [*product(DECLARED, NEWEST, COMMANDS, IN_FLIGHT)]
)
def test_every_case_of_a_step(
    declared: str | None, newest: str | None, command: tuple[str, ...], process: str | None
) -> None:
    evidence: dict[str, Evidence] = {"s": run("s", newest, command=command)} if newest else {}
    running = going("s", process=process) if process else {}
    state = of(Step(id="s", run=declared), evidence=evidence, running=running).shown[0].state
    if process == "alive":
        expected = "running"
    elif newest is None:
        expected = "pending"
    elif newest != "passed":
        expected = newest
    elif declared and command == ("make", "test", "-j4"):
        expected = "mismatch"
    else:
        expected = "passed"
    assert state == expected


def test_quoting_is_no_mismatch_and_an_extra_flag_is() -> None:
    step = Step(id="s", run='grep "a b" file')
    assert of(step, evidence={"s": run("s", command=("grep", "a b", "file"))}).shown[0].state == "passed"
    other = of(step, evidence={"s": run("s", command=("grep", "-q", "a b", "file"))}).shown[0]
    assert other.state == "mismatch"
    assert other.detail == "ran another command: `grep -q 'a b' file`, declared is `grep \"a b\" file`"


SRC, TOP, UNKNOWN = "src", ".", None
PLACES = {
    SRC: ("src", "./src", "src/", "src/./", "src//"),
    TOP: (".", "./", ""),
    "src/app": ("src/app", "./src//app/"),
    "link": ("link",),
}


@pytest.mark.parametrize(
    ("declared", "ran", "same"),
    [
        *((a, b, one == other) for one in PLACES for other in PLACES for a in PLACES[one] for b in PLACES[other]),
        *((None, ran, True) for ran in (*PLACES, UNKNOWN)),
        *((declared, UNKNOWN, True) for declared in PLACES),
    ],
)
def test_a_step_that_declares_its_directory_counts_only_where_it_ran_in_it(
    declared: str | None, ran: str | None, same: bool
) -> None:
    step = Step(id="s", run="make", cwd=declared)
    shown = of(step, evidence={"s": run("s", command=("make",), cwd=ran)}).shown[0]
    assert shown.state == ("passed" if same else "mismatch")
    red = of(step, evidence={"s": run("s", "failed", command=("make",), cwd=ran)}).shown[0]
    assert red.state == "failed"


@pytest.mark.parametrize(
    ("declared", "ran", "command", "detail"),
    [
        ("src/", "docs", "make", "ran in docs, not in src/"),
        ("src", ".", "make", "ran in the top of the checkout, not in src"),
        ("./", "src", "make", "ran in src, not in the top of the checkout"),
        ("src", "docs", "ls", "ran another command: `ls`, declared is `make`; ran in docs, not in src"),
        ("src", "./src", "ls", "ran another command: `ls`, declared is `make`"),
    ],
)
def test_what_ran_elsewhere_is_said(declared: str, ran: str, command: str, detail: str) -> None:
    step = Step(id="s", run="make", cwd=declared)
    assert of(step, evidence={"s": run("s", command=(command,), cwd=ran)}).shown[0].detail == detail
    bare = of(Step(id="s", cwd="src"), evidence={"s": run("s", command=("ls",), cwd="docs")}).shown[0]
    assert bare.detail == "ran in docs, not in src"


def test_a_dead_run_is_orphaned_and_said() -> None:
    step = of(Step(id="s", run="make"), running=going("s", process="dead")).shown[0]
    assert step.state == "pending"
    assert step.detail == "not run: the run begun at 2026-11-30 11:00Z never finished (its process is gone)"
    assert step.run is None


def test_a_run_elsewhere_counts_as_going_until_a_newer_word_comes() -> None:
    far = going("s", seq=5, process="far", machine="elsewhere")
    assert of(Step(id="s"), running=far).shown[0].state == "running"
    assert of(Step(id="s"), running=far, evidence={"s": run("s", seq=4)}).shown[0].state == "running"
    assert of(Step(id="s"), running=far, evidence={"s": run("s", seq=6)}).shown[0].state == "passed"
    here = going("s", seq=5)
    assert of(Step(id="s"), running=here, evidence={"s": run("s", seq=6)}).shown[0].state == "running"


def test_what_runs_again_carries_all_that_the_step_declares() -> None:
    step = Step(id="s", run="make test | tee log", cwd="src/My Tests", env={"A": "b c"}, timeout="20m")
    assert of(step).shown[0].command == (
        "stoat gate exec p/g --step s --cwd 'src/My Tests' --env 'A=b c' --timeout 20m -- sh -c 'make test | tee log'"
    )
    assert of(Step(id="s", run="make 'a b'")).shown[0].command == "stoat gate exec p/g --step s -- make 'a b'"
    assert of(Step(id="s")).shown[0].command == "stoat gate exec p/g --step s -- COMMAND"


def test_the_detail_says_how_it_ended_which_run_and_on_what() -> None:
    def detail(evidence: Evidence) -> str:
        return of(Step(id="s"), evidence={"s": evidence}).shown[0].detail

    assert detail(run("s")) == "passed in 3s · r-1 (exec) on aaaaaaa"
    assert detail(run("s", "failed", exit_code=2, dirty=True)) == (
        "failed (exit 2) in 3s · r-1 (exec) on aaaaaaa with uncommitted changes"
    )
    assert detail(run("s", "failed", signal="SIGSEGV", commit=None)) == "failed (killed by SIGSEGV) in 3s · r-1 (exec)"
    assert detail(run("s", "timed-out", limit=1200.0, seconds=1203.0)).startswith("timed out (limit 20m) after 20m 3s")


def test_a_run_that_names_no_declared_step_is_unassigned() -> None:
    read = of(Step(id="s"), evidence={"": run(seq=1), "t": run("t", seq=2)})
    assert read.unassigned == ("r-1", "r-2")
    assert read.shown[0].state == "pending"


def test_the_tally_counts_passed_bad_and_open() -> None:
    declared = tuple(Step(id=name) for name in "abcde")
    evidence = {"a": run("a"), "b": run("b", "failed"), "c": run("c", "timed-out")}
    state: NodeState = node("g", GATE, spec={"steps": declared}, evidence=evidence, running=going("d"))
    assert steps.read("p", state, CONTEXT).tally == (1, 2, 2)
