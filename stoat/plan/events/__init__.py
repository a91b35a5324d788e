"""Every event type, by family; one file a family holds shape, checks and fold.

Adding a type is a class in its family's file, a line in that family's row here, a row in `derive/wording/events.py` (a
test misses it) and, where a program saw it happen, a place in `OBSERVED` of `derive/timeline.py`.
"""

from __future__ import annotations

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

FAMILIES: dict[str, tuple[type, ...]] = {
    "plans": (
        plans.PlanCreated, plans.PlanHeaderChanged, plans.NodesReordered, plans.PlanArchived, plans.PlanUnarchived,
        plans.LeadTaken, plans.LeadReleased,
    ),
    "authoring": (
        authoring.NodeAdded, authoring.NodeChanged, authoring.NodeRemoved, authoring.DependencyAdded,
        authoring.DependencyRemoved, authoring.NodeBound,
    ),
    "decisions": (
        decisions.NodeApproved, decisions.NodeApprovalWithdrawn, decisions.PlanApproved,
        decisions.PlanApprovalWithdrawn, decisions.NodeExpedited, decisions.NodeExpediteWithdrawn,
        decisions.NodeSentToCloud, decisions.NodeCloudWithdrawn, decisions.MergePolicySet, decisions.NodeMarkedDone,
        decisions.NodeRestarted, decisions.ReverifyAsked, decisions.AssertedAllowed, decisions.AssertedDisallowed,
        decisions.PartialAccepted, decisions.NoteAdded,
    ),
    "claims": (claims.Claimed, claims.ClaimRenewed, claims.ClaimReleased),
    "working": (working.StepsDeclared, working.StepReported),
    "evidence": (
        evidence.GateStarted, evidence.GateFinished, evidence.RunStarted, evidence.RunRecorded, evidence.RunLost,
        evidence.ResultAsserted, evidence.GateDiagnosed,
    ),
    "attempts": (
        attempts.AttemptStarted, attempts.AgentSpawned, attempts.AttemptExited, attempts.AttemptJudged,
        attempts.AttemptLimited, attempts.GaveUp, attempts.WorktreeParked, attempts.WorktreeFreed,
        attempts.CostReported,
    ),
    "landings": (landings.Landed, landings.LandingParked, landings.BranchMoved),
    "questions": (questions.Asked, questions.Answered, questions.QuestionDismissed),
    "reviews": (
        reviews.ReviewSubmitted, reviews.FindingAccepted, reviews.FindingRejected, reviews.ReviewSignedOff,
    ),
    "runners": (runners.RunnerPaused, runners.RunnerResumed),
    "machines": (machines.MachineHeld, machines.MachineHoldLifted, machines.MachineLimited),
    "github": (
        github.IssueSeen, github.PullSeen, github.DefaultBranchSeen, github.RepositorySeen, github.NotSeen,
    ),
    "issues": (issues.IssuesImported,),
    "creation": (creation.IssueCreationAllowed, creation.IssueCreationWithdrawn, creation.IssueCreationBegun),
    "sync": (sync.Rejected,),
}  # fmt: skip
