"""Plans in a few words: states as the fold would leave them, for tests of what is derived from them."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from stoat.derive.answers import Answers, NodeAnswer
from stoat.derive.derivation import derive
from stoat.plan import streams
from stoat.plan.evidence import Evidence, SpecResult
from stoat.plan.facts import Facts, RunnerFact
from stoat.plan.nodes import CHANGE, GATE, ISSUE, PERSON, SLICE, Header, Node, Step
from stoat.plan.review import Finding, Found, Review
from stoat.plan.state import (
    Attempt,
    Claim,
    Landing,
    MachineState,
    Mark,
    NodeState,
    Part,
    PlanState,
    State,
)

BEFORE = "2026-11-30T11:00:00.000Z"
NOW = "2026-11-30T12:00:00.000Z"
LATER = "2026-11-30T12:30:00.000Z"
JO = Mark("jo", BEFORE)


def node(
    node_id: str, kind: str = CHANGE, *depends_on: str, spec: dict[str, Any] | None = None, **state: Any
) -> NodeState:
    """A node's state: `spec` has the fields that are written, the keywords those that happened."""
    fields = {"added": JO, **state}
    return NodeState(spec=Node(id=node_id, kind=kind, depends_on=depends_on, **(spec or {})), **fields)


def plan(slug: str, *nodes: NodeState, header: dict[str, Any] | None = None, **state: Any) -> PlanState:
    """A plan with those nodes, in that order."""
    found = PlanState(header=Header(plan=slug, **(header or {})), created=JO, **{"seq": 1000, **state})
    found.nodes = {one.spec.id: one for one in nodes}
    return found


def state(*plans: PlanState, machine: tuple[str, Mark] | None = None) -> State:
    """The state of a store with those plans, and one machine held."""
    parts: dict[str, Part] = {streams.of_plan(one.slug): one for one in plans}
    if machine:
        parts[streams.of_machine(machine[0])] = MachineState(held=machine[1])
    return State("0" * 40, parts)


def derived(*plans: PlanState, facts: Facts | None = None, now: str = NOW, **more: Any) -> Answers:
    """The answers about those plans."""
    return derive(state(*plans, **more), facts or Facts(), now)


def answer(ref: str, *plans: PlanState, facts: Facts | None = None, now: str = NOW, **more: Any) -> NodeAnswer:
    """The answer about one node."""
    return derived(*plans, facts=facts, now=now, **more).by_ref[ref]


def runner(plan_slug: str = "p", **fields: Any) -> RunnerFact:
    """A runner of a plan, idle, with two slots."""
    given = {"runner_id": "r-1", "host": "box", "checkout": "/code/x", "state": "running", "parallel": 2, **fields}
    return RunnerFact(plan=plan_slug, **given)


def claim(holder: str = "bot", **fields: Any) -> Claim:
    """A lease that runs until LATER."""
    given = {"id": "c-1", "since": BEFORE, "renewed_at": BEFORE, "expires_at": LATER, **fields}
    return Claim(holder=holder, **given)


def run(step: str | None = None, result: str = "passed", seq: int = 1, **fields: Any) -> Evidence:
    """A finished run on a clean commit, in 3 seconds."""
    given: dict[str, Any] = {
        "source": "exec", "at": BEFORE, "by": "bot", "seconds": 3.0, "commit": "a" * 40, "commit_after": "a" * 40,
        "dirty": False, "machine": "box", **fields,
    }  # fmt: skip
    return Evidence(run=f"r-{seq}", step=step, state=result, seq=seq, **given)  # type: ignore[arg-type]


def going(step: str | None = None, seq: int = 5, process: str = "alive", **fields: Any) -> dict[str, Evidence]:
    """A node's `running` with one run in it."""
    one = replace(run(step, seq=seq), state="running", process=process, seconds=None, **fields)
    return {one.run: one}


def landing(how: str = "rebased", **fields: Any) -> Landing:
    """A landing on the branch integ."""
    given = {"branch": "stoat/p/a", "commit": "b" * 40, "onto": "integ", "tip": "b" * 40, "seq": 3, **fields}
    return Landing(how=how, at=BEFORE, by="stoat-runner", **given)


def attempt(**fields: Any) -> Attempt:
    """A first attempt with its agent's process."""
    given = {
        "number": 1, "claim": "c-1", "started": BEFORE, "runner": "r-1", "machine": "box", "launcher": "claude",
        "worktree": "/code/x-a", "branch": "stoat/p/a", "base": "c" * 40, "base_ref": "main", "log": "/code/log",
        "process": "agent", **fields,
    }  # fmt: skip
    return Attempt(**given)


def gate(node_id: str, *depends_on: str, steps: tuple[str, ...] = (), **state_fields: Any) -> NodeState:
    """A gate; each step runs `make STEP`."""
    declared = tuple(Step(id=step, run=f"make {step}", timeout="20m") for step in steps)
    return node(node_id, GATE, *depends_on, spec={"steps": declared}, **state_fields)


def done(node_id: str, *depends_on: str) -> NodeState:
    """A node that is done: a person's, marked so."""
    return node(node_id, PERSON, *depends_on, done=JO)


def piece(
    node_id: str, *depends_on: str, green: tuple[str, ...] = (), red: tuple[str, ...] = (), **state_fields: Any
) -> NodeState:
    """A slice with the specs F/a and F/b."""
    words = {**dict.fromkeys(green, True), **dict.fromkeys(red, False)}
    specs = {name: SpecResult(passed, "r-1", 1, BEFORE, "a" * 40, False) for name, passed in words.items()}
    return node(node_id, SLICE, *depends_on, spec={"specs": ("F/a", "F/b")}, **{"specs": specs, **state_fields})


def review(*titles: str, seq: int = 500, number: int = 1, **fields: Any) -> Review:
    """A round of a review of integ with those findings (f1, f2 …), none of them decided."""
    found = tuple(Found(finding=Finding(id=f"f{at}", title=title), round=number) for at, title in enumerate(titles, 1))
    given = {
        "at": BEFORE,
        "by": "bot",
        "branch": "integ",
        "commit": "c" * 40,
        "standing": "tip",
        "found": found,
        **fields,
    }
    return Review(round=number, seq=seq, **given)


def issue(node_id: str, *depends_on: str, number: int | None = 7, **state_fields: Any) -> NodeState:
    """An issue of o/r."""
    return node(node_id, ISSUE, *depends_on, spec={"issue": number, "repo": "o/r"}, **state_fields)
