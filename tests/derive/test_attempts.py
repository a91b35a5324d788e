"""What becomes of an attempt, by its evidence."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from stoat.clock import plus
from stoat.derive import attempts, pulls
from stoat.derive.answers import NodeAnswer
from stoat.derive.attempts import Judged, Look, Verify, Wait, another, in_a_row
from stoat.derive.integration import (
    Elsewhere,
    Finish,
    Mergeable,
    NeverCommitted,
    Red,
    StepsOpen,
    ToVerify,
    Uncommitted,
    Unusable,
    Verified,
)
from stoat.derive.pulls import Mine
from stoat.plan.evidence import Evidence
from stoat.plan.nodes import CHANGE, GATE, ISSUE, SLICE, Node, Step
from stoat.plan.state import Attempt, Limited, Mark, NodeState
from tests.support.github_states import gh_pull

START = "2026-11-30T10:00:00.000Z"
EXIT = "2026-11-30T10:05:00.000Z"
SETTLE = 180.0
EARLY, LATE = plus(EXIT, 10), plus(EXIT, 180)
HEAD = "c" * 40


def node_of(kind: str = SLICE, *, exited: str | None = EXIT, process: str | None = "m:b:1:2", questions: int = 0,
            evidence: tuple[Evidence, ...] = ()) -> NodeState:  # fmt: skip
    return NodeState(
        spec=Node(id="n", kind=kind), added=Mark("ada", START), open_questions=questions,
        evidence={run.step or "": run for run in evidence},
        attempt=Attempt(
            number=1, claim="c-1", started=START, runner="r", machine="m", launcher="l", worktree="/w", branch="b",
            base="a" * 40, base_ref="main", log="/l", process=process, exited_at=exited,
        ),
    )  # fmt: skip


def answer(kind: str, status: str, detail: str = "the detail") -> NodeAnswer:
    return NodeAnswer(
        id="n", kind=kind, title="n", repo=None, status=status, detail=detail, ready=False, readiness="",  # type: ignore[arg-type]
        depends_on=(), unblocks=0, stance=None, stance_why="", waits_on=(), claim=None, approvable=False,
        approved_for_agents=None, expedited=None, cloud=None, assignee=None, merge=None, launch=None, prs=(), steps=(),
        attempts=1, spent_usd=None, url=None,
    )  # fmt: skip


def judge(node: NodeState, status: str, branch: Finish, now: str = LATE) -> attempts.Verdict:
    return attempts.judge(node, answer(node.spec.kind, status), branch, now=now, settle=SETTLE)


@pytest.mark.parametrize("kind", [SLICE, GATE])
@pytest.mark.parametrize("branch", [Mergeable(HEAD, 1), Verified(), Uncommitted(("a",)), NeverCommitted(), Elsewhere()])
def test_a_node_that_reads_done_is_judged_at_once_whatever_its_branch_is(kind: str, branch: Finish) -> None:
    assert judge(node_of(kind), "done", branch, EARLY) == Judged("done", "the detail")


def test_a_change_is_done_by_its_branch_and_not_by_what_it_reads() -> None:
    assert judge(node_of(CHANGE), "open", Mergeable(HEAD, 2), EARLY) == Judged("done", "2 commits on its branch")
    assert judge(node_of(CHANGE), "done", NeverCommitted()) == Judged("nothing", "its branch has no new commit")


def test_what_reads_done_is_verified_before_it_is_believed_where_there_is_a_command() -> None:
    assert judge(node_of(), "done", ToVerify(HEAD), EARLY) == Verify(HEAD)
    assert judge(node_of(), "done", Red(HEAD), EARLY) == Judged(
        "failed", "its verification is red on the committed branch"
    )


@pytest.mark.parametrize("status", ["failed", "waiting", "open", "unknown", "stale", "mismatch", "unrealized"])
def test_nothing_is_held_against_an_attempt_before_its_evidence_had_time_to_show(status: str) -> None:
    assert judge(node_of(), status, Mergeable(HEAD, 1), EARLY) == Wait(LATE)
    assert judge(node_of(), status, Mergeable(HEAD, 1), LATE) == Judged("failed", "the detail")


def test_a_run_that_is_still_going_is_waited_for_however_long() -> None:
    assert judge(node_of(), "running", Mergeable(HEAD, 1), plus(EXIT, 86400)) == Wait(None)


def test_an_attempt_whose_process_nobody_saw_is_lost_at_once_unless_its_work_is_there() -> None:
    unseen = node_of(SLICE, process=None)
    assert judge(unseen, "waiting", NeverCommitted(), EARLY) == Judged("lost", "its runner went away around its start")
    assert judge(unseen, "waiting", Mergeable(HEAD, 1), EARLY) == Wait(LATE)
    assert judge(unseen, "done", Mergeable(HEAD, 1), EARLY) == Judged("done", "the detail")


def test_an_agent_that_asked_a_person_is_given_its_attempt_back_at_once() -> None:
    found = judge(node_of(questions=1), "waiting", NeverCommitted(), EARLY)
    assert isinstance(found, Judged) and found.outcome == "given-back"


@pytest.mark.parametrize("kind", [CHANGE, GATE, ISSUE, SLICE])
@pytest.mark.parametrize("status", ["waiting", "failed", "running", "done"])
def test_an_attempt_that_a_limit_ended_does_not_count_unless_it_is_proved_all_the_same(kind: str, status: str) -> None:
    node = node_of(kind, questions=1)
    assert node.attempt is not None
    limit = Limited(kind="usage", text="You've hit your limit", at=EXIT)
    stopped = replace(node, attempt=replace(node.attempt, limit=limit))
    branch = Mergeable(HEAD, 1) if status == "done" else NeverCommitted()
    found = (
        of_issue(status, branch, now=EARLY, node=stopped) if kind == ISSUE else judge(stopped, status, branch, EARLY)
    )
    assert isinstance(found, Judged)
    assert found.outcome == ("done" if status == "done" and kind != CHANGE else "limited")
    assert found.outcome == "done" or found.detail == "You've hit your limit"


@pytest.mark.parametrize("steps", [(), (Step(id="t", run="make"),)])
@pytest.mark.parametrize("cut_off", [True, False])
@pytest.mark.parametrize("branch", [Mergeable(HEAD, 1), ToVerify(HEAD)])
def test_a_change_without_steps_is_not_done_by_an_agent_that_was_cut_off(
    steps: tuple[Step, ...], cut_off: bool, branch: Finish
) -> None:
    node = node_of(CHANGE)
    assert node.attempt is not None
    gone = replace(node, spec=replace(node.spec, steps=steps), attempt=replace(node.attempt, cut_off=cut_off))
    found = judge(gone, "waiting", branch, EARLY)
    if cut_off and not steps:
        assert isinstance(found, Judged) and found.outcome == "failed"
        assert "cut off" in found.detail
    else:
        assert found == Verify(HEAD) if isinstance(branch, ToVerify) else isinstance(found, Judged)
        assert not isinstance(found, Judged) or found.outcome == "done"


def test_an_attempt_without_commits_and_without_evidence_left_nothing() -> None:
    assert judge(node_of(SLICE), "waiting", NeverCommitted()) == Judged("nothing", "the detail")


def test_an_attempt_without_commits_whose_run_was_red_failed() -> None:
    red = Evidence(run="r", source="exec", state="failed", at=EXIT, by="x", seq=1)
    assert judge(node_of(GATE, evidence=(red,)), "failed", Verified()) == Judged("failed", "the detail")


@pytest.mark.parametrize(
    ("branch", "outcome", "words"),
    [
        (NeverCommitted(), "nothing", "no new commit"),
        (Uncommitted(("a.txt", "b.txt")), "failed", "a.txt, b.txt"),
        (Uncommitted(tuple("abcdefg")), "failed", "a, b, c, d, e …"),
        (StepsOpen(("lint",)), "failed", "lint"),
        (Unusable("a rebase was left in progress"), "failed", "rebase"),
        (Elsewhere(), "nothing", "no worktree"),
    ],
)
def test_a_change_that_is_not_finished_says_why(branch: Finish, outcome: str, words: str) -> None:
    found = judge(node_of(CHANGE), "open", branch)
    assert isinstance(found, Judged)
    assert found.outcome == outcome
    assert words in found.detail


def test_attempts_are_bounded() -> None:
    assert [another(tries, 2) for tries in (0, 1, 2, 3)] == [True, True, False, False]


def test_a_gate_that_its_agent_diagnosed_is_given_back_at_once() -> None:
    diagnosed = replace(node_of(GATE), diagnosed=Mark("bot", EXIT, "no database"), diagnosed_seq=9)
    assert judge(diagnosed, "findings", Verified(), EARLY) == Judged("given-back", "the detail")
    assert judge(diagnosed, "failed", Verified(), EARLY) == Wait(LATE)


@pytest.mark.parametrize(
    ("outcome", "after"), [("done", 0), ("failed", 3), ("nothing", 3), ("lost", 3), ("given-back", 2)]
)
def test_failures_in_a_row(outcome: attempts.Outcome, after: int) -> None:
    assert in_a_row(2, outcome) == after


@pytest.mark.parametrize(("seq", "outcome"), [(4, "lost"), (6, "failed")])
def test_evidence_is_an_attempts_by_the_logs_order_and_not_by_a_clock(seq: int, outcome: str) -> None:
    other_clock = START if outcome == "lost" else "2026-11-30T09:00:00.000Z"
    red = Evidence(run="r", source="exec", state="failed", at=other_clock, by="x", seq=seq)
    node = node_of(GATE, process=None, evidence=(red,))
    assert node.attempt is not None
    found = judge(replace(node, attempt=replace(node.attempt, seq=5)), "failed", Verified())
    assert isinstance(found, Judged) and found.outcome == outcome


def of_issue(
    status: str, branch: Finish, *, now: str = LATE, seen_at: str | None = LATE, node: NodeState | None = None
) -> attempts.Verdict:
    given = node or node_of(ISSUE)
    bound = replace(given, spec=replace(given.spec, issue=7, repo="o/r"))
    return attempts.judge(bound, answer(ISSUE, status), branch, now=now, settle=SETTLE, seen_at=seen_at)


BRANCHES = (Mergeable(HEAD, 1), Uncommitted(("a",)), NeverCommitted(), Elsewhere(), Unusable("a rebase"))


@pytest.mark.parametrize("status", ["done", "pr-open"])
@pytest.mark.parametrize("branch", BRANCHES)
def test_an_attempt_on_an_issue_succeeded_once_github_shows_it_closed_or_a_pull_request(
    status: str, branch: Finish
) -> None:
    assert of_issue(status, branch, now=EARLY, seen_at=None) == Judged("done", "the detail")


@pytest.mark.parametrize("status", ["open", "abandoned", "claimed", "unknown", "missing"])
def test_an_attempt_on_an_issue_has_its_time_to_show(status: str) -> None:
    assert of_issue(status, Mergeable(HEAD, 1), now=EARLY, seen_at=EARLY) == Wait(LATE)


@pytest.mark.parametrize("status", ["open", "abandoned", "claimed", "unknown", "missing"])
@pytest.mark.parametrize("seen_at", [None, START, EXIT, EARLY])
def test_what_github_showed_before_the_attempt_had_its_time_is_never_held_against_it(
    status: str, seen_at: str | None
) -> None:
    assert of_issue(status, Mergeable(HEAD, 1), now=plus(LATE, 86400), seen_at=seen_at) == Look()


def test_an_issue_that_cannot_be_seen_is_never_a_failure() -> None:
    assert of_issue("unknown", NeverCommitted()) == Look()
    assert of_issue("missing", Mergeable(HEAD, 1)) == Judged("given-back", "the detail")


@pytest.mark.parametrize(("merged_at", "outcome"), [(EARLY, "done"), ("2026-11-29T10:00:00.000Z", "failed")])
def test_a_pull_request_that_was_merged_at_once_and_closed_nothing_was_one(merged_at: str, outcome: str) -> None:
    node = node_of(ISSUE)
    merged = gh_pull(9, "merged", merged_at=merged_at)
    seen = replace(answer(ISSUE, "open"), prs=pulls.shown([(Mine("o/r", merged, LATE), "#9 merged")]))
    found = attempts.judge(node, seen, Mergeable(HEAD, 1), now=LATE, settle=SETTLE, seen_at=LATE)
    assert isinstance(found, Judged) and found.outcome == outcome


def test_a_pull_request_that_was_closed_is_what_a_failed_attempt_ended_in() -> None:
    assert of_issue("abandoned", Mergeable(HEAD, 1)) == Judged("failed", "the detail")


@pytest.mark.parametrize("status", ["open", "claimed"])
def test_no_pull_request_seen_in_time_is_a_failed_attempt(status: str) -> None:
    assert of_issue(status, Mergeable(HEAD, 1)) == Judged("failed", "no PR was seen that closes #7")
    assert of_issue(status, NeverCommitted()) == Judged("nothing", "no PR was seen that closes #7")


def test_an_attempt_on_an_issue_that_asked_is_given_back_and_one_that_never_was_is_lost() -> None:
    asked = of_issue("open", NeverCommitted(), now=EARLY, node=node_of(ISSUE, questions=1))
    assert isinstance(asked, Judged) and asked.outcome == "given-back"
    lost = of_issue("open", NeverCommitted(), now=EARLY, node=node_of(ISSUE, process=None))
    assert isinstance(lost, Judged) and lost.outcome == "lost"
    assert of_issue("open", Mergeable(HEAD, 1), now=EARLY, node=node_of(ISSUE, process=None)) == Wait(LATE)
