"""A pull request in one line, from its public object."""

from __future__ import annotations

from typing import Any

import pytest

from stoat.derive.wording.pulls import line


def pr(state: str = "open", verdict: str = "passed", counts: tuple[int, int, int] = (6, 0, 0), **more: Any) -> Any:
    """A pull request as doors show it; `counts` are passed, failed and pending checks."""
    passed, failed, pending = counts
    ci = {
        "verdict": verdict, "passed": passed, "failed": failed, "pending": pending,
        "total": sum(counts) + 1, "failing": list(more.pop("failing", ())),
    }  # fmt: skip
    given = {"review": None, "mergeable": "mergeable", "mergeState": "clean", "mergedAt": None, **more}
    return {"number": 585, "repo": "acme/widgets", "base": "main", "state": state, "ci": ci, **given}


@pytest.mark.parametrize(
    ("shown", "said"),
    [
        (pr(review="approved"), "#585 open · CI ✓ 6/6 · review: approved"),
        (pr("draft", "failed", (5, 1, 0), failing=["test"]), "#585 draft · CI ✕ 1 failed (test)"),
        (pr(mergeable="conflicting"), "#585 open · conflicts with main · CI ✓ 6/6"),
        (pr(mergeState="behind"), "#585 open · behind main · CI ✓ 6/6"),
        (pr(verdict="pending", counts=(2, 0, 4)), "#585 open · CI ○ 2/6"),
        (pr(verdict="pending", counts=(0, 0, 0)), "#585 open · CI ○"),
        (pr(verdict="passed", counts=(0, 0, 0)), "#585 open · CI ✓"),
        (pr(verdict="failed", counts=(0, 0, 0), failing=["a", "b\n"]), "#585 open · CI ✕ (a, b)"),
        (pr(verdict="none", counts=(0, 0, 0), review="review_required"), "#585 open · no CI · review required"),
        (pr(review="changes_requested"), "#585 open · CI ✓ 6/6 · review: changes requested"),
        (pr("merged", mergedAt="2026-11-30T16:28:00.000Z"), "#585 merged 2026-11-30 16:28Z"),
        (pr("closed", "failed", (0, 1, 0)), "#585 closed without merging"),
        (pr("closed", repo="Acme/Widgets"), "#585 closed without merging"),
        (pr("closed", repo="acme/gadgets"), "acme/gadgets#585 closed without merging"),
    ],
)
def test_each_state_is_one_line(shown: Any, said: str) -> None:
    assert line(shown, "acme/widgets") == said
