"""When a pull request without checks counts as one that has none."""

from __future__ import annotations

from itertools import product
from typing import Any

from msgspec.structs import replace

from stoat import clock
from stoat.derive.dwell import DWELL, dwelt
from stoat.derive.news import news, now
from stoat.plan.events.github import PullSeen
from stoat.plan.github import Ci, GitHubNow, Looked, PullLooked, PullNow, Reading, Repository
from stoat.plan.state import State
from tests.support.github_states import HEAD, OLD, gh_pull, seen

PUSHED = "2026-11-30T12:00:00.000Z"
NOTHING = Ci(verdict="none")


def read(ci: Ci = NOTHING, head: str = HEAD, pull_state: str = "open", repo: str = "o/r", **fields: Any) -> Reading:
    given = {"updated_at": PUSHED, "ci": ci.verdict if ci.verdict != "pending" else None, **fields}
    pull = gh_pull(9, pull_state, head=head, **given)
    return Reading(repositories=(Looked(name="o/r", pulls=(PullLooked(repo, pull, PullNow(head=head, ci=ci)),)),))


def known(**fields: Any) -> State:
    return State("0" * 40, {"github/o/r": seen(gh_pull(9, **fields))})


def seen_as(state: State, reading: Reading, at: str) -> tuple[str | None, str]:
    """What is recorded of its checks, and what is seen just now."""
    reading = dwelt(state, reading, at)
    events = [event for _, event in news(state, reading) if isinstance(event, PullSeen)]
    old = state.repositories().get("o/r")
    record = old.pulls[9].fact if old is not None and 9 in old.pulls else None
    recorded = events[0].pull.ci if events else record.ci if record is not None else None
    return recorded, now(GitHubNow(), reading, at).repositories["o/r"].pulls[9].ci.verdict


def test_the_whole_space_of_a_head_without_checks() -> None:
    soon, late = clock.plus(PUSHED, DWELL - 0.001), clock.plus(PUSHED, DWELL)
    records = {"nothing": State("0" * 40, {}), "not ended": known(), "none": known(ci="none"),
               "another head's none": known(head=OLD, ci="none")}  # fmt: skip
    for (name, state), at, pull_state in product(records.items(), (PUSHED, soon, late), ("open", "draft", "closed")):
        found = seen_as(state, read(pull_state=pull_state), at)
        waits = at != late and pull_state != "closed" and name != "none"
        assert found == ((None, "pending") if waits else ("none", "none")), (name, at, pull_state)


def test_a_comment_does_not_take_back_that_there_is_no_ci() -> None:
    state = known(ci="none")
    for reading in (read(), read(title="Other"), read(review="approved")):
        assert seen_as(state, reading, PUSHED) == ("none", "none")


def test_what_reported_counts_at_once() -> None:
    for ci in (Ci(verdict="passed", passed=1), Ci(verdict="failed", failed=1), Ci(verdict="none", skipped=1)):
        assert seen_as(State("0" * 40, {}), read(ci), PUSHED) == (ci.verdict, ci.verdict)


def test_a_renamed_repository_is_known_by_the_name_it_was_asked_for_by() -> None:
    (look,) = read(repo="o/new").repositories
    look = replace(look, repository=Repository(name="o/new"))
    for state, verdict in ((known(ci="none"), "none"), (known(), "pending")):
        (found,) = dwelt(state, Reading(repositories=(look,)), PUSHED).repositories
        assert found.pulls[0].now.ci.verdict == verdict
