"""Which worktree may go, decided from facts alone: one reason to keep it is enough, and all of them are named."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from stoat.derive.derivation import derive
from stoat.derive.prune import Keep, Meaning, Remove, Source, judge, meaning, pulls_of
from stoat.plan.facts import Facts, RunnerFact
from stoat.plan.github import GitHubState, Pull, PullRecord, Repository, Unseen
from stoat.plan.nodes import Header, Node
from stoat.plan.state import Attempt, Claim, Mark, NodeState, PlanState, State
from stoat.plan.worktree import WorktreeFact

NOW = "2026-12-01T10:00:00.000Z"
LATER = "2026-12-01T11:00:00.000Z"
MARK = Mark("ada", NOW)
TREE = WorktreeFact(
    path="/w/app-film",
    kind="stoat",
    made_for="stoat/demo/film",
    branch="stoat/demo/film",
    head="aaaa1111",
    tip="aaaa1111",
)
TRAIN = WorktreeFact(
    path="/w/app-demo-integration", kind="stoat", made_for="train", branch="train", head="bbbb2222", tip="bbbb2222"
)
OVER = Meaning(True, "its node is done", branch="stoat/demo/film")
ORIGIN = Source("origin")

AGAINST: list[tuple[dict[str, Any], str]] = [
    ({"kind": "other"}, "it is not one of Stoat's"),
    ({"locked": ""}, "it is locked"),
    ({"locked": "agent 7"}, "it is locked: agent 7"),
    ({"gone": True}, "its directory is gone, so there is nothing to remove"),
    ({"problem": "its .git file is gone"}, "its .git file is gone"),
    ({"processes": None}, "it cannot be seen which processes stand in it"),
    ({"processes": (7,)}, "process 7 stands in it"),
    ({"processes": (7, 8, 9, 10)}, "process 7, process 8, process 9 and 1 more stand in it"),
    ({"operation": "rebase"}, "a rebase is in progress"),
    ({"busy": ("index.lock",)}, "a git is at work in it (index.lock)"),
    ({"inside": ("sub",)}, "it holds another repository, worktree or mount: sub"),
    ({"changed": ("a", "b")}, "uncommitted changes in a, b"),
    ({"hidden": ("a",)}, "git was told not to see changes in a"),
    ({"ignored": (".env",)}, "ignored files: .env (`--ignored` removes them too)"),
    ({"submodules": ("lib: it has no remote",)}, "submodule lib: it has no remote"),
    ({"stashes": ("stash@{0}",)}, "stashed from it: stash@{0}"),
    ({"unproven": ("abcdef123",)}, "1 commit not on origin: abcdef1"),
    ({"forgotten": ("abcdef123", "b" * 9)}, "2 commits only in its reflog and not on origin: abcdef1, bbbbbbb"),
]  # fmt: skip


def test_nothing_against_it_is_needed_for_it_to_go() -> None:
    assert judge(TREE, OVER, ORIGIN) == Remove(
        "its node is done; clean, and all its commits are on origin", "stoat/demo/film"
    )


@pytest.mark.parametrize(("fields", "why"), AGAINST)
def test_each_reason_alone_keeps_it(fields: dict[str, Any], why: str) -> None:
    assert judge(replace(TREE, **fields), OVER, ORIGIN) == Keep(why)
    assert judge(replace(TREE, in_pull=True, **fields), OVER, ORIGIN, pull=7) == Keep(why)
    asked = judge(replace(TREE, **fields), OVER, ORIGIN, ignored=True)
    assert isinstance(asked, Remove if "ignored" in fields else Keep)


def test_all_reasons_are_named_together() -> None:
    tree = replace(TREE, changed=("a",), unproven=("abcdef123",))
    said = judge(tree, Meaning(False, "its node is not done (open)", used="bob holds its node"), ORIGIN)
    assert said == Keep(
        "its node is not done (open); bob holds its node; uncommitted changes in a; 1 commit not on origin: abcdef1"
    )


def test_without_a_remote_nothing_goes() -> None:
    assert judge(TREE, OVER, Source(None)) == Keep("there is no remote that has its commits")
    assert judge(replace(TREE, unproven=("a",)), OVER, Source("origin", "the remote is this very repository")) == Keep(
        "the remote is this very repository"
    )


def test_the_branch_of_a_rebased_landing_stays_and_so_does_a_plans_own() -> None:
    landed = judge(replace(TREE, landed_as="cccc3333"), OVER, ORIGIN)
    assert isinstance(landed, Remove)
    assert landed.branch is None
    assert "the branch stoat/demo/film stays" in landed.why
    assert judge(TRAIN, Meaning(True, "x"), ORIGIN) == Remove("x; clean, and all its commits are on origin", None)


def test_a_pull_request_that_was_asked_for_stands_for_being_over_and_for_nothing_else() -> None:
    going = Meaning(False, "its node is not done (pr-open)", branch="stoat/demo/film")
    assert judge(TREE, OVER, ORIGIN, pull=7) == Keep("its commit is none of pull request #7")
    tree = replace(TREE, in_pull=True)
    assert isinstance(judge(tree, going, ORIGIN, pull=7), Remove)
    assert judge(tree, going._replace(used="bob holds its node"), ORIGIN, pull=7) == Keep("bob holds its node")
    assert isinstance(judge(replace(tree, kind="agent"), going, ORIGIN, pull=7), Remove)


def means(
    tree: WorktreeFact, *, node: dict[str, Any] | None = None, facts: Facts | None = None,
    pulls: tuple[PullRecord, ...] = (), archived: bool = False, repo: str | None = "O/N", beyond: tuple[int, ...] = (),
    merged: bool = False,
) -> Meaning:  # fmt: skip
    """What a plan with the person's node `film`, the branch `train` and these pull requests says of a worktree."""
    film = replace(NodeState(spec=Node(id="film", kind="person"), added=MARK), **(node or {}))
    plan = PlanState(header=Header(plan="demo", title="", branch="train"), created=MARK, nodes={"film": film})
    plan.archived = MARK if archived else None
    seen = GitHubState(repository=Repository(name="o/n"))
    seen.pulls = {record.fact.number: record for record in pulls if record.fact is not None}
    state = State("c", {"plans/demo": plan, "github/o/n": seen})
    facts = facts or Facts(machine="here")
    found = pulls_of(tree, state, repo)
    return meaning(tree, state, derive(state, facts, NOW).plans, facts, NOW, found, beyond, merged)


def pull(number: int = 7, state: str = "merged", **fields: Any) -> PullRecord:
    given = {"head": "ffff", "head_branch": "stoat/demo/film", "base": "main", **fields}
    return PullRecord(Pull(number=number, url="", title="", state=state, **given), NOW)  # type: ignore[arg-type]


DONE = {"done": MARK}


def test_what_the_plan_says_of_a_nodes_worktree() -> None:
    assert means(TREE) == Meaning(False, "its node is not done (open)", None, "stoat/demo/film")
    assert means(TREE, node=DONE).over
    assert means(TREE, archived=True) == Meaning(True, "its plan is archived", None, "stoat/demo/film")
    assert means(replace(TREE, made_for="stoat/demo/unknown")) == Meaning(False, "no plan here knows its branch")


@pytest.mark.parametrize(
    ("pulls", "over"),
    [
        ((pull(),), True),
        ((pull(state="closed"),), True),
        ((pull(state="open"),), False),
        ((pull(state="draft"),), False),
        ((pull(6), pull(7, "open")), False),
        ((pull(6, "open"), pull(7)), False),
        ((pull(fork=True),), False),
        ((pull(head_branch="other"),), False),
        ((pull(head_branch="other", head="aaaa1111"),), True),
        ((replace(pull(), unseen=Unseen(why="missing", at=NOW)),), False),
    ],
)
def test_its_pull_requests_say_whether_work_is_over(pulls: tuple[PullRecord, ...], over: bool) -> None:
    assert means(TREE, pulls=pulls).over is over
    assert means(replace(TREE, kind="agent"), pulls=pulls).over is over
    assert not means(TREE, pulls=pulls, repo=None).over


def test_an_open_pull_request_outweighs_a_node_that_is_done() -> None:
    said = means(TREE, node=DONE, pulls=(pull(state="open"),))
    assert (said.over, said.why) == (False, "its pull request #7 is open")


def test_work_that_went_on_after_its_pull_request_is_not_over() -> None:
    said = means(TREE, node=DONE, pulls=(pull(6), pull(7)), beyond=(7,))
    assert (said.over, said.why) == (False, "it has commits that its pull request #7 does not have")
    assert means(TREE, pulls=(pull(6), pull(7)), beyond=(6,)).over


def test_whoever_uses_it_is_named() -> None:
    claim = Claim(id="c", holder="bob", since=NOW, renewed_at=NOW, expires_at=LATER)
    assert means(TREE, node={**DONE, "claim": claim}).used == "bob holds its node"
    assert means(TREE, node={**DONE, "claim": replace(claim, expires_at=NOW)}).used is None
    runner = RunnerFact(runner_id="r1", plan="demo", host="h", checkout="/w/app", state="running", parallel=1)
    at_work = replace(runner, running={"film": 1})
    assert means(TREE, node=DONE, facts=Facts(runners=(at_work,))).used == "the runner r1 uses it"
    assert means(TREE, node=DONE, facts=Facts(runners=(replace(at_work, state="gone"),))).used is None
    assert means(TREE, node=DONE, facts=Facts(runners=(runner,))).used is None
    assert means(TRAIN, node=DONE, facts=Facts(runners=(runner,))).used == "the runner r1 uses it"


def test_an_agent_that_may_be_alive_keeps_its_worktree() -> None:
    attempt = Attempt(
        number=1, claim="c", started=NOW, runner="r", machine="here", launcher="x", worktree=TREE.path,
        branch="stoat/demo/film", base="b", base_ref="main", log="", process="p",
    )  # fmt: skip
    here = Facts(machine="here")
    assert means(TREE, node={**DONE, "attempt": attempt}, facts=here).used == "its last attempt is still at work"
    assert means(TREE, node={**DONE, "attempt": attempt}, facts=replace(here, dead=frozenset({"p"}))).used is None
    assert means(TREE, node={**DONE, "attempt": replace(attempt, process=None)}, facts=here).used is not None
    assert means(TREE, node={**DONE, "attempt": replace(attempt, outcome="passed")}, facts=here).used is None
    assert means(TREE, node={**DONE, "attempt": replace(attempt, machine="there")}, facts=here).used is None


def test_an_integration_worktree_waits_for_its_whole_plan() -> None:
    assert means(TRAIN) == Meaning(False, "its plan is not finished (0 of 1 node done)")
    assert means(TRAIN, node=DONE) == Meaning(True, "every node of its plan is done")
    assert means(TRAIN, archived=True) == Meaning(True, "its plan is archived")
    assert means(replace(TRAIN, made_for=None)) == Meaning(False, "no plan here knows its branch")


def test_an_agents_worktree_is_over_by_its_pull_request_or_once_the_default_branch_has_it() -> None:
    agents = replace(TREE, kind="agent", made_for=None, branch=None)
    assert means(agents).why.startswith("nothing says that its work is")
    assert means(agents, merged=True) == Meaning(True, "the remote's default branch has all that it has checked out")
    assert not means(TREE, merged=True).over
