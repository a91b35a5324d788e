"""Plans as a whole, at a real store: imported as a difference, guarded, exported, archived and purged."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from stoat.errors import Invalid, NotAPerson, NotFound, Refused
from stoat.plan.ids import NodeRef
from stoat.plan.nodes import Header, Repo, Resource
from stoat.service import claims, decisions, nodes, plans
from stoat.service.session import Session
from tests.service.authors import agent_at, events_of, person_at
from tests.support.gitrepo import MakeRepo

DOCUMENTS = Path(__file__).parents[1] / "plan" / "documents"
SMALL = """\
schema: 1
plan: small
nodes:
  - id: one
    kind: change
    brief: |
      Do it.
  - id: two
    kind: issue
    repo: o/r
    issue: 7
    depends_on: [one]
"""


@pytest.fixture
def ada(make_repo: MakeRepo) -> Session:
    return person_at(make_repo().path)


@pytest.fixture
def otter(ada: Session) -> Session:
    return agent_at(ada.directory)


@pytest.mark.parametrize("name", sorted(file.name for file in DOCUMENTS.glob("[!e]*.yaml")))
def test_a_printed_document_is_imported_and_its_export_records_nothing(ada: Session, name: str) -> None:
    text = (DOCUMENTS / name).read_text(encoding="utf-8")
    first = plans.import_document(ada, text)
    assert first.changes[0] == {"type": "plan_created", "node": None}
    tip = ada.store.tip()
    exported = plans.export(ada, first.plan)
    for again in (text, exported, exported.replace("\n", "\r\n"), "\ufeff" + text):
        assert plans.import_document(ada, again).changes == ()
    assert plans.export(ada, first.plan) == exported
    assert ada.store.tip() == tip


def test_an_import_is_one_commit_by_its_author(ada: Session) -> None:
    before = ada.store.tip()
    plans.import_document(ada, SMALL)
    log = subprocess.run(
        ["git", "-C", str(ada.directory), "log", "--format=%an|%s", f"{before}..refs/stoat/state"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert log.stdout == "Ada Tester|small: Ada Tester creates the plan, adds one, adds two\n"


def test_only_what_changed_is_recorded_and_said(ada: Session) -> None:
    plans.import_document(ada, SMALL)
    changed = SMALL.replace("issue: 7", "issue: 8").replace("plan: small", "plan: small\ntitle: Small")
    assert plans.import_document(ada, changed).changes == (
        {"type": "plan_header_changed", "node": None, "fields": ["title"]},
        {"type": "node_changed", "node": "two", "fields": ["issue"]},
    )
    assert events_of(ada, "small")[-2:] == ["plan_header_changed", "node_changed"]


def test_a_dry_run_says_it_and_records_nothing(ada: Session) -> None:
    tip = ada.store.tip()
    assert len(plans.import_document(ada, SMALL, dry_run=True).changes) == 3
    assert ada.store.tip() == tip


def test_a_document_with_problems_changes_nothing_and_says_them_all(ada: Session) -> None:
    tip = ada.store.tip()
    with pytest.raises(Invalid) as refused:
        plans.import_document(ada, (DOCUMENTS / "everything-wrong.yaml").read_text(encoding="utf-8"))
    assert len(refused.value.problems) == 38
    assert ada.store.tip() == tip


def test_go_aheads_survive_new_edges_and_go_with_a_changed_node(ada: Session) -> None:
    plans.import_document(ada, SMALL)
    decisions.approve(ada, [NodeRef("small", "two")])
    plans.import_document(ada, SMALL.replace("    depends_on: [one]\n", ""))
    assert ada.state().plans["small"].nodes["two"].go_ahead is not None
    plans.import_document(ada, SMALL.replace("issue: 7", "issue: 8"))
    assert ada.state().plans["small"].nodes["two"].go_ahead is None
    assert "approved" not in plans.export(ada, "small")


def test_a_merge_policy_that_a_person_set_is_exported_and_kept_by_an_agent(ada: Session, otter: Session) -> None:
    plans.import_document(ada, SMALL)
    decisions.merge_policy(ada, NodeRef("small", "two"), "merge-on-green")
    exported = plans.export(ada, "small")
    assert "merge: merge-on-green" in exported
    assert plans.import_document(ada, exported).changes == ()
    assert plans.import_document(otter, SMALL).changes == ()
    back = SMALL.replace("issue: 7", "issue: 7\n    merge: manual-review")
    assert plans.import_document(otter, back).changes == ({"type": "node_changed", "node": "two", "fields": ["merge"]},)
    with pytest.raises(Refused, match="only a person may set merge-on-green, here on two"):
        plans.import_document(otter, exported)
    assert len(plans.import_document(ada, exported).changes) == 1


def test_what_another_plan_waits_for_is_not_removed(ada: Session) -> None:
    plans.import_document(ada, SMALL)
    plans.import_document(ada, "schema: 1\nplan: other\nnodes:\n  - {id: x, kind: change, depends_on: [small/two]}\n")
    without_two = SMALL[: SMALL.index("  - id: two")]
    with pytest.raises(Refused, match="small/two cannot be removed: other/x depends on it"):
        plans.import_document(ada, without_two)
    nodes.unlink(ada, NodeRef("other", "x"), "small/two")
    assert plans.import_document(ada, without_two).changes == ({"type": "node_removed", "node": "two"},)


def test_no_cycle_goes_through_two_plans(ada: Session) -> None:
    plans.import_document(ada, SMALL)
    plans.import_document(ada, "schema: 1\nplan: other\nnodes:\n  - {id: x, kind: change, depends_on: [small/two]}\n")
    with pytest.raises(Invalid) as refused:
        plans.import_document(ada, SMALL.replace("    kind: change", "    kind: change\n    depends_on: [other/x]"))
    assert [(problem.line, problem.column, problem.what) for problem in refused.value.problems] == [
        (6, 18, "a cycle: one → other/x → two → one")
    ]


def test_an_agents_node_is_neither_removed_nor_made_another_kind_but_may_change(ada: Session, otter: Session) -> None:
    plans.import_document(ada, SMALL)
    decisions.approve(ada, [NodeRef("small", "one")])
    claims.claim(otter, "small", "one")
    with pytest.raises(Refused, match="small/one is held by otter"):
        plans.import_document(ada, SMALL.replace("id: one", "id: uno").replace("[one]", "[uno]"))
    changed = plans.import_document(ada, SMALL.replace("Do it.", "Do it well."))
    assert changed.warnings == ("one is held by otter, who works from what it said before",)


def test_the_default_branch_of_the_repository_is_no_plans_branch(make_repo: MakeRepo) -> None:
    repo = make_repo(origin=True)
    repo.run_git("push", "--quiet", "origin", "main:stable")
    repo.run_git("fetch", "--quiet")
    repo.run_git("remote", "set-head", "origin", "stable")
    ada = person_at(repo.path)
    with pytest.raises(Invalid) as refused:
        plans.import_document(ada, SMALL.replace("plan: small", "plan: small\nbranch: Stable"))
    assert str(refused.value.problems[0]).startswith("'Stable' is refused as a plan's branch")
    assert refused.value.problems[0][:2] == (3, 9)
    with pytest.raises(Invalid):
        plans.create(ada, Header(plan="p", branch="stable"))


def test_a_branch_that_git_cannot_keep_beside_another_is_refused_when_the_plan_is_written(make_repo: MakeRepo) -> None:
    repo = make_repo().branch("next").branch("train/one")
    ada = person_at(repo.path)
    for branch, other in (("next/x", "next"), ("train", "train/one")):
        with pytest.raises(Invalid) as refused:
            plans.import_document(ada, SMALL.replace("plan: small", f"plan: small\nbranch: {branch}"))
        assert refused.value.problems[0].what == (
            f"'{branch}' cannot be a branch: the branch '{other}' exists, and git cannot keep both"
        )
    assert plans.import_document(ada, SMALL.replace("plan: small", "plan: small\nbranch: next")).changes


def test_a_repository_that_the_plan_does_not_name_has_no_say_in_its_branch(make_repo: MakeRepo) -> None:
    repo = make_repo().branch("next")
    repo.run_git("config", "stoat.repo", "o/elsewhere")
    ada = person_at(repo.path)
    header = "plan: small\nbranch: next/x\nrepos: {a: o/r}"
    assert plans.import_document(ada, SMALL.replace("plan: small", header)).changes


def test_a_checkout_is_looked_into_and_only_warns(ada: Session, tmp_path: Path) -> None:
    text = "schema: 1\nplan: p\nnodes:\n  - {id: g, kind: change, steps: [{id: t, cwd: src}, {id: u, cwd: gone}]}\n"
    (tmp_path / "src").mkdir()
    imported = plans.import_document(ada, text, checkout=tmp_path)
    assert imported.warnings == ("g, step u: the checkout has no directory gone",)
    assert imported.changes
    assert plans.import_document(ada, text, checkout=tmp_path / "nowhere").warnings == (
        f"there is no checkout at {tmp_path / 'nowhere'}: nothing was checked against it",
    )


def test_a_plan_is_created_changed_and_shown_by_itself(ada: Session) -> None:
    plans.create(ada, Header(plan="p", title="One", repos={"a": Repo("o/a")}, skills=("x",)))
    with pytest.raises(Refused, match="there is a plan 'p'"):
        plans.create(ada, Header(plan="p"))
    plans.change(ada, "p", title="Two", branch="side", repos={"b": Repo("o/b", "main")})
    plans.change(ada, "p", repos={"a": None}, resources={"pg": Resource(1)})
    shown = plans.show(ada, "p")
    assert (shown["title"], shown["branch"], shown["goAhead"]) == ("Two", "side", "node")
    assert (shown["repos"], shown["skills"]) == ({"b": {"repo": "o/b", "branch": "main"}}, ["x"])
    assert plans.change(ada, "p", title="Two").changes == ()
    with pytest.raises(Invalid, match="refused as a plan's branch"):
        plans.change(ada, "p", branch="main")
    plans.change(ada, "p", branch="")
    assert plans.show(ada, "p")["branch"] is None


def test_a_header_keeps_what_its_nodes_need(ada: Session) -> None:
    plans.import_document(ada, "schema: 1\nplan: p\nrepos: {a: o/a}\nnodes:\n  - {id: n, kind: slice, repo: a}\n")
    with pytest.raises(Invalid, match="n needs it: 'a' is no repository of the plan"):
        plans.change(ada, "p", repos={"a": None})


def test_an_archived_plan_is_kept_as_it_is_until_it_is_brought_back(ada: Session, otter: Session) -> None:
    plans.import_document(ada, SMALL)
    with pytest.raises(NotAPerson):
        plans.archive(otter, "small")
    plans.archive(ada, "small")
    assert plans.archive(ada, "small").changes == ()
    for attempt in (
        lambda: plans.import_document(ada, SMALL),
        lambda: plans.change(ada, "small", title="x"),
        lambda: nodes.remove(ada, NodeRef("small", "two")),
    ):
        with pytest.raises(Refused) as refused:
            attempt()
        assert refused.value.hint == "bring it back first: stoat plan archive small --off"
    assert [(row.plan, row.archived) for row in plans.listed(ada)] == [("small", True)]
    plans.archive(ada, "small", off=True)
    assert plans.import_document(ada, SMALL).changes == ()


def test_only_an_archived_plan_that_nothing_waits_for_is_purged(ada: Session, otter: Session) -> None:
    plans.import_document(ada, SMALL)
    plans.import_document(ada, "schema: 1\nplan: other\nnodes:\n  - {id: x, kind: change, depends_on: [small/two]}\n")
    with pytest.raises(Refused, match="plan small is active"):
        plans.purge(ada, "small")
    plans.archive(ada, "small")
    with pytest.raises(NotAPerson):
        plans.purge(otter, "small")
    with pytest.raises(Refused, match="small/two cannot be removed: other/x depends on it"):
        plans.purge(ada, "small")
    nodes.unlink(ada, NodeRef("other", "x"), "small/two")
    plans.purge(ada, "small")
    assert list(ada.state().plans) == ["other"]
    with pytest.raises(NotFound):
        plans.purge(ada, "small")


def test_without_a_store_a_document_is_checked_but_for_its_edges_to_other_plans(ada: Session) -> None:
    text = "schema: 1\nplan: p\nnodes:\n  - {id: a, kind: change, depends_on: [other/x]}\n"
    assert plans.check(text) == []
    assert [str(problem) for problem in plans.check(text, ada.state())] == [
        "there is no plan 'other' (import that plan first)"
    ]
    assert plans.check("a: [")[0].line > 0


@pytest.mark.slow
def test_many_processes_importing_at_once_lose_nothing(ada: Session) -> None:
    code = (
        "import sys; from pathlib import Path; from stoat.service import plans; "
        "from stoat.service.session import open_session; s = open_session(Path(sys.argv[1])); "
        "[plans.import_document(s, f'schema: 1\\nplan: p{sys.argv[2]}\\ntitle: t{n}\\nnodes:\\n"
        "  - {{id: a{n}, kind: change}}\\n') for n in range(5)]"
    )
    running = [subprocess.Popen([sys.executable, "-c", code, str(ada.directory), str(number)]) for number in range(4)]
    assert [process.wait(timeout=120) for process in running] == [0] * 4
    state = ada.state()
    assert {slug: (plan.header.title, list(plan.nodes)) for slug, plan in state.plans.items()} == {
        f"p{number}": ("t4", ["a4"]) for number in range(4)
    }
