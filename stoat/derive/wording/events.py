"""Every event in words, as a line of the Activity without its node and its actor: past tense, what happened."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from stoat.clock import duration_text
from stoat.derive.wording import machine, review
from stoat.derive.wording.text import because, conflict_or, counted, one_line
from stoat.plan.events import (
    attempts,
    authoring,
    claims,
    creation,
    decisions,
    evidence,
    github,
    issues,
    landings,
    machines,
    plans,
    questions,
    reviews,
    runners,
    sync,
    working,
)
from stoat.plan.events.base import Event, Unknown


def told(event: Event) -> str:
    """What happened. An event without a sentence of its own says its type."""
    tell = _SENTENCES.get(type(event))
    return tell(event) if tell else str(event.__struct_config__.tag).replace("_", " ")


def unknown(event: Unknown) -> str:
    """A line that this version cannot read."""
    return event.why


def _finished(event: evidence.GateFinished) -> str:
    what = f"step {event.step}" if event.step else "the gate"
    took = duration_text(event.seconds)
    if event.timed_out:
        limit = f" (limit {duration_text(event.limit)})" if event.limit else ""
        return f"{what} timed out{limit} after {took}"
    dirty = ", on a tree with uncommitted changes" if event.before.dirty or event.after.dirty else ""
    if event.exit_code == 0:
        return f"{what} passed in {took}{dirty}"
    how = f"killed by {event.signal}" if event.signal else f"exit {event.exit_code}"
    return f"{what} failed ({how}) in {took}{dirty}"


def _begun(event: evidence.RunStarted) -> str:
    tests = f", {counted(event.total, 'test')}" if event.total else ""
    return f"{_run_of(event)} began ({event.source}{tests})"


def _recorded(event: evidence.RunRecorded) -> str:
    counts = f"{event.passed + event.on_retry} passed" + (f" ({event.on_retry} on retry)" if event.on_retry else "")
    counts += f", {event.failed} failed" + (f", {event.skipped} skipped" if event.skipped else "")
    if event.indeterminate:
        counts += f", {event.indeterminate} indeterminate"
    specs = len(event.specs_passed) + len(event.specs_failed)
    bound = f"; {len(event.specs_passed)} of {counted(specs, 'spec')} green" if specs else ""
    state = "ended without a verdict" if event.state == "unknown" else event.state
    return f"{_run_of(event)} {state} ({event.source}: {counts}{bound})"


def _run_of(event: evidence.RunStarted | evidence.RunRecorded) -> str:
    if event.step is None:
        return "a run"
    return f"step {event.step}, unit {event.unit}," if event.unit else f"step {event.step}"


def _asserted(event: evidence.ResultAsserted) -> str:
    what = f"step {event.step}" if event.step else "the gate"
    return because(f"says that {what} {event.state}", event.why)


def _landed(event: landings.Landed) -> str:
    if event.how == "nothing":
        return f"nothing to land on {event.onto}"
    commits = f", {counted(event.commits, 'commit')}" if event.commits else ""
    how = "seen there" if event.how == "observed" else event.how
    return f"landed on {event.onto} ({how}{commits}, {event.tip[:7]})"


def _renewed(event: claims.ClaimRenewed) -> str:
    return event.note or "renewed the claim"


def _started(event: attempts.AttemptStarted) -> str:
    if not event.worktree:
        return f"attempt {event.attempt} is handed to a cloud agent with {event.launcher}"
    return f"attempt {event.attempt} started with {event.launcher}, from {event.base_ref} ({event.base[:7]})"


def _exited(event: attempts.AttemptExited) -> str:
    code = f" ({event.exit_code})" if event.exit_code is not None else ""
    return f"the agent of attempt {event.attempt} exited{code}"


def _rejected(event: sync.Rejected) -> str:
    return f"{event.event.get('type', 'an event')} from another clone was rejected: {event.why}"


_SENTENCES: dict[type, Callable[[Any], str]] = {
    plans.PlanCreated: lambda e: "created the plan",
    plans.PlanHeaderChanged: lambda e: "changed the plan's header",
    plans.NodesReordered: lambda e: "put the nodes in another order",
    plans.PlanArchived: lambda e: "archived the plan",
    plans.PlanUnarchived: lambda e: "took the plan out of the archive",
    plans.LeadTaken: lambda e: "leads the plan",
    plans.LeadReleased: lambda e: "leads the plan no more",
    authoring.NodeAdded: lambda e: f"added {'an' if e.spec.kind[0] in 'aeiou' else 'a'} {e.spec.kind} node",
    authoring.NodeChanged: lambda e: "changed the node",
    authoring.NodeRemoved: lambda e: "removed the node",
    authoring.DependencyAdded: lambda e: f"made it depend on {e.on}",
    authoring.DependencyRemoved: lambda e: f"made it depend no more on {e.on}",
    authoring.NodeBound: lambda e: f"bound it to #{e.number}",
    decisions.NodeApproved: lambda e: "gave the go-ahead",
    decisions.NodeApprovalWithdrawn: lambda e: "withdrew the go-ahead",
    decisions.PlanApproved: lambda e: "gave the plan's change nodes the go-ahead",
    decisions.PlanApprovalWithdrawn: lambda e: "withdrew the plan's go-ahead",
    decisions.NodeExpedited: lambda e: "expedited it",
    decisions.NodeExpediteWithdrawn: lambda e: "took the expedite back",
    decisions.NodeSentToCloud: lambda e: "kept it for a cloud agent",
    decisions.NodeCloudWithdrawn: lambda e: "gave it back to this machine",
    decisions.MergePolicySet: lambda e: f"set its merge to {e.policy}",
    decisions.NodeMarkedDone: lambda e: "marked it done",
    decisions.NodeRestarted: lambda e: "restarted it",
    decisions.ReverifyAsked: lambda e: "asked for it to be verified again",
    decisions.AssertedAllowed: lambda e: "allowed an asserted result",
    decisions.AssertedDisallowed: lambda e: "allows no asserted result any more",
    decisions.PartialAccepted: lambda e: "accepted it as partial",
    decisions.NoteAdded: lambda e: f"noted: {e.text}",
    claims.Claimed: lambda e: because(f"{e.holder} claimed it", e.note),
    claims.ClaimRenewed: _renewed,
    claims.ClaimReleased: lambda e: because("released it", e.why),
    working.StepsDeclared: lambda e: f"means to take {counted(len(e.steps), 'step')}" if e.steps else "takes no steps",
    working.StepReported: lambda e: f"says that its step {e.step} is {e.state}",
    attempts.AttemptStarted: _started,
    attempts.AgentSpawned: lambda e: f"the agent of attempt {e.attempt} runs",
    attempts.AttemptExited: _exited,
    attempts.AttemptLimited: lambda e: f"the agent of attempt {e.attempt} ran into a limit: {one_line(e.text)}",
    attempts.AttemptJudged: lambda e: f"attempt {e.attempt}: {e.outcome}, {e.detail}",
    attempts.GaveUp: lambda e: because("gave up on it", e.why),
    attempts.WorktreeParked: lambda e: f"its worktree cannot be used: {e.why}",
    attempts.WorktreeFreed: lambda e: "its worktree can be used again",
    attempts.CostReported: lambda e: f"it cost ${e.usd:.2f}" + (f" in {counted(e.turns, 'turn')}" if e.turns else ""),
    evidence.GateStarted: lambda e: f"{f'step {e.step}' if e.step else 'the gate'} began",
    evidence.GateFinished: _finished,
    evidence.RunStarted: _begun,
    evidence.RunRecorded: _recorded,
    evidence.RunLost: lambda e: because(f"the run {e.run} never finished", e.why),
    evidence.ResultAsserted: _asserted,
    evidence.GateDiagnosed: lambda e: f"diagnosed it: {e.text}",
    landings.Landed: _landed,
    landings.LandingParked: lambda e: f"could not be landed: {conflict_or(e.why, e.files)}",
    landings.BranchMoved: lambda e: f"{e.branch} moved to {e.tip[:7]}",
    questions.Asked: lambda e: f"asked: {e.text}",
    questions.Answered: lambda e: f"answered: {e.text}",
    questions.QuestionDismissed: lambda e: "dismissed the question",
    reviews.ReviewSubmitted: lambda e: review.submitted(e.findings, e.branch, e.commit, e.standing),
    reviews.FindingAccepted: lambda e: review.accepted(e.finding, e.fix, e.why),
    reviews.FindingRejected: lambda e: review.rejected(e.finding, e.why),
    reviews.ReviewSignedOff: lambda e: "signed the review off",
    runners.RunnerPaused: lambda e: "paused the plan's runners",
    runners.RunnerResumed: lambda e: "let the plan's runners go on",
    github.IssueSeen: lambda e: f"issue #{e.issue.number} is {'open' if e.issue.open else 'closed'}",
    github.PullSeen: lambda e: f"pull request #{e.pull.number} is {e.pull.state}",
    github.DefaultBranchSeen: lambda e: f"{e.branch.name}: checks {e.branch.ci or 'not settled'}",
    github.RepositorySeen: lambda e: "was seen",
    github.NotSeen: lambda e: because(f"cannot be seen: {e.why}", e.detail),
    creation.IssueCreationAllowed: lambda e: "lets runners create its issues on GitHub",
    creation.IssueCreationWithdrawn: lambda e: "lets runners create no issues any more",
    creation.IssueCreationBegun: lambda e: f"asks for its issue in {e.repo}",
    issues.IssuesImported: lambda e: f"took over {counted(len(e.issues), 'issue')} from GitHub",
    sync.Rejected: _rejected,
    machines.MachineHeld: lambda e: because("held the machine", e.why),
    machines.MachineHoldLifted: lambda e: "lifted the machine's hold",
    machines.MachineLimited: lambda e: machine.limited(e.agents, e.disk, e.memory, e.load),
}
