"""Runs of gates and specs: what was executed, on which commit, and how it ended; and an agent's word on a gate."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from stoat.clock import Time
from stoat.errors import NotFound, Refused
from stoat.plan import placing
from stoat.plan.events.base import NodeEvent
from stoat.plan.evidence import ASSERTED, Evidence, SpecResult
from stoat.plan.nodes import GATE
from stoat.plan.state import Mark, NodeState, PlanState


class Tree(Struct, frozen=True, omit_defaults=True):
    """Where something ran: commit and cleanliness, None for what could not be told (no repository, no git).

    `behind` is how many commits its branch's remote one had beyond it, as it was last fetched; None without one.
    """

    commit: str | None = None
    branch: str | None = None
    dirty: bool | None = None
    behind: int | None = None


class GateStarted(NodeEvent, tag="gate_started", frozen=True):
    """A command began under `stoat gate`, as the whole gate (`step` None) or as one of its steps.

    `cwd` is where it runs below the top of the checkout (`.`: there), None outside one; `limit` its timeout in seconds;
    `process` the key of the wrapper's process, by which a run that never ended can be told from one that goes on.
    """

    run: str
    command: tuple[str, ...]
    machine: str
    step: str | None = None
    cwd: str | None = None
    limit: float | None = None
    process: str | None = None
    tree: Tree = Tree()

    def fold(self, plan: PlanState) -> None:
        """Note the run as going."""
        node = plan.nodes[self.node]
        going = Evidence(
            run=self.run, source="exec", state="running", at=self.at, by=self.by.name, seq=plan.seq, step=self.step,
            command=self.command, started=self.at, limit=self.limit, commit=self.tree.commit, dirty=self.tree.dirty,
            branch=self.tree.branch, machine=self.machine, process=self.process, session=self.by.session, cwd=self.cwd,
        )  # fmt: skip
        plan.change(self.node, running={**node.running, self.run: going})


class GateFinished(NodeEvent, tag="gate_finished", frozen=True):
    """A command under `stoat gate` ended. `seconds` is how long it took; `timed_out` that Stoat killed it at `limit`.

    `dirty` in either tree means the result is of more than the commit. `cwd` is where it ran, as in its start.
    """

    run: str
    command: tuple[str, ...]
    machine: str
    exit_code: int
    seconds: float
    step: str | None = None
    signal: str | None = None
    timed_out: bool = False
    limit: float | None = None
    started: Time | None = None
    before: Tree = Tree()
    after: Tree = Tree()
    cwd: str | None = None

    def fold(self, plan: PlanState) -> None:
        """The newest run of its step decides the step."""
        node = plan.nodes[self.node]
        passed = self.exit_code == 0 and not self.timed_out
        ended = Evidence(
            run=self.run, source="exec", state="timed-out" if self.timed_out else "passed" if passed else "failed",
            at=self.at, by=self.by.name, seq=plan.seq, step=self.step, command=self.command, exit_code=self.exit_code,
            signal=self.signal, started=self.started, seconds=self.seconds, limit=self.limit, commit=self.before.commit,
            commit_after=self.after.commit, dirty=_either(self.before.dirty, self.after.dirty),
            branch=self.after.branch or self.before.branch, machine=self.machine, session=self.by.session,
            began=placing.began(node, self.run, plan.seq), behind=self.before.behind or 0, cwd=self.cwd,
        )  # fmt: skip
        going = {run: one for run, one in node.running.items() if run != self.run}
        plan.change(self.node, running=going, evidence=placing.with_newest(node.evidence, ended))


class RunStarted(NodeEvent, tag="run_started", frozen=True):
    """A test run began to publish, for the whole node, for a step, or for one `unit` of a step (PROJECT.FRAMEWORK).

    `source` is bobcat, pytest or a report's format; `total` how many tests it is going to run; `process` the key of
    the publishing process where it is known, by which a run that was killed can be told from one that goes on.
    """

    run: str
    source: str
    machine: str
    step: str | None = None
    unit: str | None = None
    total: int | None = None
    suite: str = ""
    process: str | None = None
    tree: Tree = Tree()

    def fold(self, plan: PlanState) -> None:
        """Note the run as going; one that ended already stays ended, and lost ones before it are history."""
        node = plan.nodes[self.node]
        going = Evidence(
            run=self.run, source=self.source, state="running", at=self.at, by=self.by.name, seq=plan.seq,
            step=self.step, unit=self.unit, suite=self.suite, total=self.total, started=self.at, began=plan.seq,
            commit=self.tree.commit, dirty=self.tree.dirty, branch=self.tree.branch, machine=self.machine,
            process=self.process, session=self.by.session,
        )  # fmt: skip
        if any(ended.run == self.run for ended in node.evidence.values()):
            return
        place = placing.began(node, self.run, plan.seq)
        going = replace(going, seq=place, began=place)
        running = {**_without_lost(node, going.key), self.run: going}
        plan.change(self.node, running=running, places=placing.remembered(node, self.run, place))


class RunRecorded(NodeEvent, tag="run_recorded", frozen=True):
    """A test run's results, from a stream or from a file: its counts, and which specs passed and failed.

    `state` is unknown when nothing failed and something is indeterminate: neither red nor green. `specs_passed` and
    `specs_failed` name `{Feature}/{Scenario}`; `source` is bobcat, pytest or the report's format; `unit` the part of a
    step that it ran; `on_retry` how many passed at a later attempt only, which are not among the `passed`. `found` is
    set where the recorder knows that it comes late, from an archive: the time when the run was heard of.
    """

    run: str
    source: str
    state: Literal["passed", "failed", "unknown"]
    machine: str
    step: str | None = None
    unit: str | None = None
    suite: str = ""
    exit_code: int | None = None
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    indeterminate: int = 0
    on_retry: int = 0
    seconds: float | None = None
    started: Time | None = None
    specs_passed: tuple[str, ...] = ()
    specs_failed: tuple[str, ...] = ()
    tree: Tree = Tree()
    found: Time | None = None

    def fold(self, plan: PlanState) -> None:
        """The run decides its step or unit, and each spec that it names.

        Recorded once more, it corrects what it said before, and stays as old as it was.
        """
        node = plan.nodes[self.node]
        before = next((one for one in node.evidence.values() if one.run == self.run), None)
        began, newer = placing.place(node, self.run, self.found, plan.seq)
        seen = Evidence(
            run=self.run, source=self.source, state=self.state, at=self.at, by=self.by.name,
            seq=plan.seq if before is None else before.seq,
            step=self.step, unit=self.unit, suite=self.suite, exit_code=self.exit_code, started=self.started,
            seconds=self.seconds, commit=self.tree.commit, commit_after=self.tree.commit, dirty=self.tree.dirty,
            branch=self.tree.branch, machine=self.machine, session=self.by.session, passed=self.passed,
            failed=self.failed, skipped=self.skipped, indeterminate=self.indeterminate, on_retry=self.on_retry,
            began=began, behind=self.tree.behind or 0, heard=placing.first_heard(node, self.run, self.found),
        )  # fmt: skip
        named = {*self.specs_passed, *self.specs_failed}
        specs = {
            name: word for name, word in _without_vanished(node, seen, named).items()
            if word.run != self.run or name in named
        }  # fmt: skip
        for names, green in ((self.specs_passed, True), (self.specs_failed, False)):
            for name in names:
                if name in specs and (specs[name].began > seen.began or specs[name].run in newer):
                    continue
                specs[name] = SpecResult(
                    green, self.run, plan.seq, self.at, self.tree.commit, self.tree.dirty, self.source, seen.key,
                    seen.tests, seen.began, behind=seen.behind, branch=seen.branch,
                )  # fmt: skip
        going = {run: one for run, one in _without_lost(node, seen.key).items() if run != self.run}
        places = placing.remembered(node, self.run, seen.began)
        evidence = placing.with_newest(node.evidence, seen, newer)
        plan.change(self.node, specs=specs, running=going, places=places, evidence=evidence)


class RunLost(NodeEvent, tag="run_lost", frozen=True):
    """A test run went quiet and never said that it finished: it is neither going nor passed nor failed. Its results,
    if they come after all, count."""

    run: str
    why: str = ""

    def fold(self, plan: PlanState) -> None:
        """It is going no more."""
        node = plan.nodes[self.node]
        going = node.running.get(self.run)
        if going is not None:
            lost = replace(going, state="lost", why=self.why or None)
            plan.change(self.node, running={**node.running, self.run: lost})


class ResultAsserted(NodeEvent, tag="result_asserted", frozen=True):
    """An agent's word that a gate (or its `step`) passed or failed. It counts only while a person allows that.

    `why` is what the word rests on; `tree` what the checkout was that it was said in.
    """

    run: str
    state: Literal["passed", "failed"]
    why: str
    machine: str
    step: str | None = None
    tree: Tree = Tree()

    def fold(self, plan: PlanState) -> None:
        """Keep the newest word on it."""
        said = Evidence(
            run=self.run, source=ASSERTED, state=self.state, at=self.at, by=self.by.name, seq=plan.seq, began=plan.seq,
            step=self.step, why=self.why, commit=self.tree.commit, commit_after=self.tree.commit,
            dirty=self.tree.dirty, branch=self.tree.branch, machine=self.machine, session=self.by.session,
            behind=self.tree.behind or 0,
        )  # fmt: skip
        plan.change(self.node, evidence=placing.with_newest(plan.nodes[self.node].evidence, said))


class GateDiagnosed(NodeEvent, tag="gate_diagnosed", frozen=True):
    """A worker found out why a gate is red, and that its own work cannot make it green: what a person has to decide."""

    text: str

    def fold(self, plan: PlanState) -> None:
        """It stands until the gate is run again or restarted."""
        plan.change(self.node, diagnosed=Mark(self.by.name, self.at, self.text), diagnosed_seq=plan.seq)


def assert_result(
    plan: PlanState, node: NodeState, *, run: str, state: str, why: str, step: str | None, machine: str, tree: Tree
) -> ResultAsserted:
    """A worker's word on a gate or one of its steps. Refused where no person allowed it, and without a reason."""
    ref = f"{plan.slug}/{node.spec.id}"
    if node.spec.kind != GATE:
        raise Refused(f"{ref} is a {node.spec.kind} node: only a test-run-gate has a result")
    if node.asserted_allowed is None:
        raise Refused(
            f"nobody's word counts as a result of {ref}: run it, or ask a person to allow it",
            hint=f"stoat gate exec {ref} -- COMMAND; a person may allow it: stoat allow-asserted {ref}",
        )
    if state not in ("passed", "failed"):
        raise Refused(f"{state!r} is not a result", hint="it is one of passed and failed")
    if not why.strip():
        raise Refused("a result that nobody saw needs its reason", hint="say what it rests on: --why TEXT")
    declared = [one.id for one in node.spec.steps]
    if step is not None and step not in declared:
        raise NotFound(f"{ref} has no step {step!r}", hint=f"its steps are: {', '.join(declared) or 'none'}")
    if declared and step is None:
        raise Refused(f"{ref} declares steps: say of which", hint=f"name it: --step {declared[0]}")
    return ResultAsserted(
        node=node.spec.id, run=run, state="passed" if state == "passed" else "failed", why=why, machine=machine,
        step=step, tree=tree,
    )  # fmt: skip


def diagnose(plan: PlanState, node: NodeState, text: str) -> GateDiagnosed:
    """Why a gate is red. Refused for what is no gate, and without words."""
    ref = f"{plan.slug}/{node.spec.id}"
    if node.spec.kind != GATE:
        raise Refused(
            f"{ref} is a {node.spec.kind} node: only a test-run-gate is diagnosed", hint=f"ask: stoat ask {ref}"
        )
    if not text.strip():
        raise Refused("a diagnosis says what is wrong", hint="--diagnosis TEXT")
    return GateDiagnosed(node=node.spec.id, text=text)


def _without_lost(node: NodeState, key: str) -> dict[str, Evidence]:
    """The node's unfinished runs, without those of the same step and unit that were lost."""
    return {run: one for run, one in node.running.items() if one.state != "lost" or one.key != key}


def _without_vanished(node: NodeState, run: Evidence, named: set[str]) -> dict[str, SpecResult]:
    """The node's words on specs, with those marked as gone that the run should have had and did not name.

    It should have had a spec when it is a run of the same tag, on another tree, that has at least one of the specs that
    were in the spec's own run (where it is the node's only one: any), and no fewer tests than that one, those specs
    left out. A smaller run is a part of the suite, and says nothing of what it left out.
    """
    specs, found = node.specs, dict(node.specs)
    if run.state not in ("passed", "failed"):
        return found
    beside: dict[str, set[str]] = {}
    for name, word in specs.items():
        beside.setdefault(word.run, set()).add(name)
    for name, word in specs.items():
        others = beside[word.run] - {name}
        shared = others & named if others else node.spec.specs == (name,)
        missing = len(beside[word.run] - named)
        same_tree = word.commit is not None and word.commit == run.commit and not word.dirty and not run.dirty
        if name in named or word.of != run.key or word.began > run.began or same_tree or not shared:
            continue
        if run.tests and run.tests + missing >= word.tests:
            found[name] = replace(word, gone=run.run)
    return found


def _either(before: bool | None, after: bool | None) -> bool | None:
    """Dirty at either end is dirty; clean needs both ends seen clean."""
    if before or after:
        return True
    return None if before is None or after is None else False
