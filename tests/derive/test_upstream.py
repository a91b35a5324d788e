"""Which merges on GitHub a plan's branch has to have before what builds on them begins."""

from __future__ import annotations

from typing import Any

import pytest

from stoat.derive.derivation import derive
from stoat.derive.upstream import Merge, merges
from stoat.plan import github, streams
from stoat.plan.facts import Facts
from stoat.plan.ids import NodeRef
from stoat.plan.state import PlanState, State
from tests.support.states import BEFORE, NOW, issue, node, plan, state

SQUASH, OTHER = "a" * 40, "b" * 40
FIX = NodeRef("p", "fix")
INTEG = {"branch": "integ"}


def closed(**fields: Any) -> github.Issue:
    given = {"number": 7, "url": "u", "title": "t", "open": False, "reason": "completed", "closed_at": BEFORE, **fields}
    return github.Issue(**given)


def pull(number: int, **fields: Any) -> github.Pull:
    given = {
        "number": number, "url": "u", "title": "t", "state": "merged", "head": "h", "head_branch": "mine",
        "base": "main", "merged_at": BEFORE, "merge_commit": SQUASH, **fields,
    }  # fmt: skip
    return github.Pull(**given)


def found(
    *plans: PlanState, seen: github.Issue, pulls: tuple[github.Pull, ...] = (), repo: str | None = "o/r"
) -> list[Merge]:
    on_record = github.GitHubState(
        issues={7: github.IssueRecord(seen, BEFORE)},
        pulls={one.number: github.PullRecord(one, BEFORE) for one in pulls},
    )
    known = state(*plans)
    whole = State(known.commit, {**known.parts, streams.of_repository("o/r"): on_record})
    now = github.GitHubNow(at=NOW, repositories={"o/r": github.RepositoryNow(seen_at=NOW)})
    answers = derive(whole, Facts(github=now), NOW)
    return list(merges(whole, plans[0], answers, repo))


PLAN = plan("p", issue("fix"), node("next", "change", "fix"), header=INTEG)
LINKED = (github.Link("o/r", 9, "closes"),)
SEEN = closed(pulls=LINKED)


def test_the_merge_commit_of_the_pull_request_that_closed_it() -> None:
    by = {"closed_by": github.Numbered("o/r", 9), "closed_commit": SQUASH}
    assert found(PLAN, seen=closed(**by)) == [Merge(FIX, ((SQUASH, None),))]
    assert found(PLAN, seen=closed(pulls=LINKED), pulls=(pull(9),)) == [Merge(FIX, ((SQUASH, "main"),))]
    own = pull(9, head_branch="stoat/p/fix")
    assert found(PLAN, seen=closed(), pulls=(own,)) == [Merge(FIX, ((SQUASH, "main"),))]
    two = (pull(9), pull(10, merge_commit=OTHER, head_branch="stoat/p/fix", base="rel"))
    [merge] = found(PLAN, seen=closed(pulls=LINKED), pulls=two)
    assert set(merge.commits) == {(SQUASH, "main"), (OTHER, "rel")}


@pytest.mark.parametrize(
    ("of", "seen", "pulls", "repo"),
    [
        (plan("p", issue("fix"), node("next", "change", "fix")), SEEN, (pull(9),), "o/r"),
        (PLAN, SEEN, (pull(9),), "o/other"),
        (PLAN, SEEN, (pull(9),), None),
        (PLAN, closed(pulls=LINKED, open=True, reason=None, closed_at=None), (pull(9),), "o/r"),
        (PLAN, closed(), (pull(9),), "o/r"),
        (PLAN, SEEN, (pull(9, state="closed", merge_commit=None, merged_at=None),), "o/r"),
        (PLAN, closed(), (pull(9, head_branch="stoat/p/fix", fork=True),), "o/r"),
        (plan("p", issue("fix"), header=INTEG), SEEN, (pull(9),), "o/r"),
        (plan("p", issue("fix"), issue("then", "fix", number=8), header=INTEG), SEEN, (pull(9),), "o/r"),
        (plan("p", issue("fix"), node("next", "person", "fix"), header=INTEG), SEEN, (pull(9),), "o/r"),
    ],
    ids=["no branch", "elsewhere", "no repository", "open", "by hand", "not merged", "a fork's", "nobody waits",
         "an issue waits", "a person waits"],
)  # fmt: skip
def test_nothing_is_to_be_brought_in(
    of: PlanState, seen: github.Issue, pulls: tuple[github.Pull, ...], repo: str | None
) -> None:
    assert found(of, seen=seen, pulls=pulls, repo=repo) == []


def test_an_issue_of_another_plan_counts_as_well() -> None:
    mine = plan("mine", node("next", "change", "p/fix"), header=INTEG)
    other = plan("p", issue("fix"))
    assert found(mine, other, seen=closed(pulls=LINKED), pulls=(pull(9),)) == [Merge(FIX, ((SQUASH, "main"),))]
