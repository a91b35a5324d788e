"""Landing on the plan's branch: linear where it goes, a merge where not, and nothing at all where neither goes."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import pytest

from stoat.gitstore.work import landing
from stoat.gitstore.work.landed import landed
from stoat.gitstore.work.landing import (
    AlreadyLanded,
    Conflict,
    DirtyLanding,
    HookRejected,
    Landed,
    NothingToLand,
    Outcome,
    TargetMoved,
    ToolFailed,
)
from stoat.gitstore.work.nodetrees import Parked
from tests.support.gitrepo import GitRepo, MakeRepo
from tests.support.landing import BRANCH, Plan


@pytest.fixture
def plan(make_repo: MakeRepo) -> Plan:
    return Plan(make_repo(files={"f": "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "g": "0\n", ".gitignore": "ignored\n"}))


def hook(repo: GitRepo, name: str, script: str) -> None:
    repo.write(f".git/hooks/{name}", f"#!/bin/sh\n{script}\n").chmod(0o755)


def the(outcome: Outcome, kind: type[Outcome]) -> None:
    assert isinstance(outcome, kind), outcome


def diverge_into_a_merge(plan: Plan, name: str = "a") -> GitRepo:
    """A node whose rebase conflicts and whose merge does not: it did something, undid it, and did something else."""
    node = plan.node(name, {"g": "mine\n"})
    node.commit({"g": "0\n"}, "Undo")
    node.commit({"n": "1"}, "Redo")
    plan.land(plan.node("other", {"g": "theirs\n"}))
    return node


def test_a_node_that_is_ahead_is_fast_forwarded(plan: Plan) -> None:
    before = plan.tip
    node = plan.node("a", {"a": "1"})
    outcome = plan.land(node)
    assert outcome == Landed("fast-forward", before, node.head(), (node.head(),))
    assert plan.tree.read("a") == "1"
    plan.check_at_rest()


def test_a_node_beside_another_is_rebased_as_a_copy_and_keeps_its_author(plan: Plan) -> None:
    node = plan.node("a")
    who = {"GIT_AUTHOR_NAME": "An Agent", "GIT_AUTHOR_EMAIL": "agent@example.org"}
    node.write("a", "1")
    node.run_git("add", "a")
    node.run_git("commit", "--quiet", "-m", "Subject\n\n# not a comment\nbody", env=who)
    original = node.head()
    plan.land(plan.node("b", {"b": "1"}))
    before = plan.tip
    node.write("uncommitted", "stays")
    outcome = plan.land(node)
    assert isinstance(outcome, Landed)
    assert (outcome.how, outcome.before, outcome.tip) == ("rebase", before, plan.tip)
    assert plan.repo.run_git("log", "-1", "--format=%an <%ae>%n%P%n%B", BRANCH).rstrip() == (
        f"An Agent <agent@example.org>\n{before}\nSubject\n\n# not a comment\nbody"
    )
    assert (node.head(), node.run_git("symbolic-ref", "HEAD")) == (original, "refs/heads/stoat/p/a")
    assert node.run_git("status", "--porcelain") == "?? uncommitted"
    plan.check_at_rest()


def test_a_second_landing_of_the_same_work_lands_nothing(plan: Plan) -> None:
    first, second = plan.node("a", {"a": "1"}), plan.node("b", {"b": "1"})
    for node, how in ((first, "ancestor"), (second, "rebased")):
        the(plan.land(node), Landed)
        before = plan.everything()
        again = plan.land(node)
        assert isinstance(again, AlreadyLanded)
        assert again.how == how
        assert plan.everything() == before


def test_when_the_rebase_conflicts_and_the_merge_does_not_a_merge_commit_lands(plan: Plan) -> None:
    node = diverge_into_a_merge(plan)
    before = plan.tip
    outcome = plan.land(node, "Merge a into train\n\nStoat-Node: p/a")
    assert isinstance(outcome, Landed)
    assert outcome.how == "merge"
    assert plan.repo.run_git("log", "-1", "--format=%P", BRANCH) == f"{before} {node.head()}"
    assert plan.repo.run_git("log", "-1", "--format=%B", BRANCH).startswith("Merge a into train\n\nStoat-Node: p/a")
    assert plan.tree.read("g") == "theirs\n"
    plan.check_at_rest()
    assert isinstance(plan.land(node), AlreadyLanded)


NASTY = 'a b/ü\n"quoted"\t\'x'


def conflicting(plan: Plan, kind: str) -> tuple[GitRepo, set[str]]:
    """A node in conflict with what landed before it, and the paths that are to be named."""
    ours: dict[str, str | bytes | None]
    theirs: dict[str, str | bytes | None]
    names: set[str]
    plan.land(plan.node("start", {NASTY: "0\n", "old name": "some content\nthat is\nrecognised\n"}))
    match kind:
        case "content":
            ours, theirs, names = {NASTY: "1\n", "f": "x\n"}, {NASTY: "2\n", "f": "y\n"}, {NASTY, "f"}
        case "modify/delete":
            ours, theirs, names = {NASTY: "1\n"}, {NASTY: None}, {NASTY}
        case "delete/modify":
            ours, theirs, names = {NASTY: None}, {NASTY: "1\n"}, {NASTY}
        case "add/add":
            ours, theirs, names = {"new ü": "1\n"}, {"new ü": "2\n"}, {"new ü"}
        case _:
            content = "some content\nthat is\nrecognised\n"
            ours = {"old name": None, "one name": content}
            theirs = {"old name": None, "other name": content}
            names = {"old name", "one name", "other name"}
    node, other = plan.node("a", theirs), plan.node("b", ours)
    the(plan.land(other), Landed)
    return node, names


@pytest.mark.parametrize("kind", ["content", "modify/delete", "delete/modify", "add/add", "rename/rename"])
def test_a_conflict_names_every_path_once_and_leaves_no_trace(plan: Plan, kind: str) -> None:
    node, names = conflicting(plan, kind)
    before, head = plan.everything(), node.head()
    outcome = plan.land(node)
    assert isinstance(outcome, Conflict), outcome
    assert len(outcome.files) == len(set(outcome.files))
    assert set(outcome.files) == names
    assert plan.everything() == before
    assert node.head() == head
    plan.check_at_rest()


@pytest.mark.parametrize("setting", ["rerere.enabled", "rebase.autoStash", "merge.autoStash"])
def test_settings_that_leave_things_behind_are_pinned(plan: Plan, setting: str) -> None:
    plan.repo.run_git("config", setting, "true")
    node, _ = conflicting(plan, "content")
    plan.land(node)
    assert plan.repo.run_git("stash", "list") == ""
    assert list((plan.repo.path / ".git").glob("rr-cache/*")) == []


def test_stacked_branches_stay_where_they_are(plan: Plan) -> None:
    plan.repo.run_git("config", "rebase.updateRefs", "true")
    node = plan.node("a", {"a": "1"})
    plan.repo.branch("stacked", node.head())
    node.commit({"a2": "1"})
    stacked = plan.repo.head("stacked")
    plan.land(plan.node("b", {"b": "1"}))
    the(plan.land(node), Landed)
    assert plan.repo.head("stacked") == stacked


@pytest.mark.parametrize("beside", [False, True])
def test_nothing_new_is_nothing_to_land(plan: Plan, beside: bool) -> None:
    empty, same = plan.node("a"), plan.node("b", {"x": "1"})
    empty.commit()
    if beside:
        plan.land(plan.node("c", {"c": "1"}))
        twin = plan.node("d", {"x": "1"}, "The same by somebody else")
        the(plan.land(twin), Landed)
        before = plan.everything()
        the(plan.land(same), NothingToLand)
        assert plan.everything() == before
    before = plan.everything()
    assert plan.land(empty) == NothingToLand(plan.tip)
    assert plan.everything() == before
    plan.check_at_rest()


def test_what_only_a_merge_commit_of_the_node_holds_is_not_lost(plan: Plan) -> None:
    node = plan.node("a", {"a": "1"})
    plan.land(plan.node("b", {"b": "1"}))
    node.run_git("merge", "--quiet", "--no-commit", BRANCH)
    node.write("only in the merge", "1")
    node.run_git("add", "--all")
    node.run_git("commit", "--quiet", "-m", "Merge with a fix")
    plan.land(plan.node("c", {"c": "1"}))
    outcome = plan.land(node)
    assert isinstance(outcome, Landed), outcome
    assert outcome.how == "merge"
    assert plan.tree.read("only in the merge") == "1"


def test_a_plain_merge_in_the_node_still_lands_linear(plan: Plan) -> None:
    node = plan.node("a", {"a": "1"})
    plan.land(plan.node("b", {"b": "1"}))
    node.run_git("merge", "--quiet", "--no-edit", BRANCH)
    plan.land(plan.node("c", {"c": "1"}))
    outcome = plan.land(node)
    assert isinstance(outcome, Landed), outcome
    assert (outcome.how, len(outcome.commits)) == ("rebase", 1)


@pytest.mark.parametrize("name", ["f", "ignored", "new file"])
def test_a_dirty_integration_worktree_is_refused_by_name(plan: Plan, name: str) -> None:
    node = plan.node("a")
    node.write(name, "the node's")
    node.run_git("add", "--force", name)
    node.run_git("commit", "--quiet", "-m", "x")
    plan.tree.write(name, "somebody's work")
    before = plan.everything()
    assert plan.land(node) == DirtyLanding((name,))
    assert plan.everything() == before
    assert plan.tree.read(name) == "somebody's work"


def test_an_ignored_file_that_no_node_touches_is_in_nobodys_way(plan: Plan) -> None:
    plan.tree.write("ignored", "a build")
    the(plan.land(plan.node("a", {"a": "1"})), Landed)
    assert plan.tree.read("ignored") == "a build"


@pytest.mark.parametrize("name", ["commit-msg", "pre-merge-commit", "prepare-commit-msg"])
def test_a_hook_that_refuses_the_merge_commit_is_said_in_its_words_and_is_no_conflict(plan: Plan, name: str) -> None:
    node = diverge_into_a_merge(plan)
    before = plan.everything()
    hook(plan.repo, name, "echo needs a ticket >&2; exit 1")
    outcome = plan.land(node)
    assert isinstance(outcome, HookRejected), outcome
    assert "needs a ticket" in outcome.output
    assert plan.everything() == before
    plan.check_at_rest()


def test_a_hook_that_refuses_a_rebase_or_the_move_of_the_branch_is_said_too(plan: Plan) -> None:
    node = plan.node("a", {"a": "1"})
    plan.land(plan.node("b", {"b": "1"}))
    before = plan.everything()
    hook(plan.repo, "pre-rebase", "echo not today >&2; exit 1")
    outcome = plan.land(node)
    assert isinstance(outcome, HookRejected), outcome
    (plan.repo.path / ".git/hooks/pre-rebase").unlink()
    move = f"while read old new ref; do [ $ref = refs/heads/{BRANCH} ] && [ $old != $new ] && exit 1; done; exit 0"
    hook(plan.repo, "reference-transaction", f'[ "$1" = prepared ] || exit 0; {move}')
    the(plan.land(node), HookRejected)
    (plan.repo.path / ".git/hooks/reference-transaction").unlink()
    assert plan.everything() == before
    plan.check_at_rest()


def test_a_failing_post_checkout_hook_does_not_stop_a_landing(plan: Plan) -> None:
    node = plan.node("a", {"a": "1"})
    plan.land(plan.node("b", {"b": "1"}))
    hook(plan.repo, "post-checkout", "exit 1")
    hook(plan.repo, "post-rewrite", "exit 1")
    the(plan.land(node), Landed)


def test_no_identity_is_a_failing_tool_and_no_conflict(plan: Plan, home: Path) -> None:
    node = diverge_into_a_merge(plan)
    linear = plan.node("l", {"l": "1"})
    plan.land(plan.node("m", {"m": "1"}))
    before = plan.everything()
    (home / ".gitconfig").write_text("[user]\nuseConfigOnly = true\n")
    for each in (node, linear):
        outcome = plan.land(each)
        assert isinstance(outcome, ToolFailed), outcome
        assert plan.everything() == before
    plan.check_at_rest()


def test_no_key_to_sign_with_is_a_failing_tool_and_no_conflict(plan: Plan) -> None:
    node = diverge_into_a_merge(plan)
    linear = plan.node("l", {"l": "1"})
    plan.land(plan.node("m", {"m": "1"}))
    before = plan.everything()
    plan.repo.run_git("config", "commit.gpgSign", "true")
    plan.repo.run_git("config", "gpg.program", "false")
    for each in (node, linear):
        outcome = plan.land(each)
        assert isinstance(outcome, ToolFailed), outcome
        assert plan.everything() == before
    plan.check_at_rest()


def moving_target(plan: Plan, times: int) -> None:
    """Have somebody else move the branch during each of the next `times` landings, just before it would move."""
    script = plan.repo.path.parent / "mover"
    script.write_text(
        "#!/bin/sh\n"
        f'n=$(cat "{script}.left"); [ "$n" -gt 0 ] || exit 0; echo $((n-1)) > "{script}.left"\n'
        f'cd "{plan.repo.path}" || exit 1; unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE\n'
        f"old=$(git rev-parse refs/heads/{BRANCH})\n"
        f'new=$(git commit-tree -m "Somebody $n" -p $old $old^{{tree}})\n'
        f"git update-ref refs/heads/{BRANCH} $new $old\n"
    )
    script.chmod(0o755)
    Path(f"{script}.left").write_text(str(times))
    hook(plan.repo, "post-rewrite", f'exec "{script}"')


def test_a_branch_that_moves_meanwhile_is_landed_on_anew_and_nothing_is_overwritten(plan: Plan) -> None:
    node = plan.node("a", {"a": "1"})
    plan.land(plan.node("b", {"b": "1"}))
    moving_target(plan, 2)
    outcome = plan.land(node)
    assert isinstance(outcome, Landed), outcome
    assert plan.subjects()[:3] == ["Work", "Somebody 1", "Somebody 2"]
    plan.check_at_rest()


def test_a_branch_that_never_stands_still_gives_up_with_nothing_moved(plan: Plan) -> None:
    node = plan.node("a", {"a": "1"})
    plan.land(plan.node("b", {"b": "1"}))
    moving_target(plan, 99)
    outcome = plan.land(node)
    assert isinstance(outcome, TargetMoved), outcome
    assert outcome.tip == plan.tip
    assert "Work" not in plan.subjects()[:5]
    assert plan.repo.run_git("for-each-ref", "refs/stoat/landed") == ""
    plan.check_at_rest()


def test_a_lock_file_that_stays_is_named(plan: Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(landing, "_REF_PATIENCE", 0.3)
    node = plan.node("a", {"a": "1"})
    lock = plan.repo.path / ".git" / "refs" / "heads" / f"{BRANCH}.lock"
    lock.touch()
    outcome = plan.land(node)
    assert isinstance(outcome, ToolFailed), outcome
    assert f"{BRANCH}.lock" in outcome.output
    lock.unlink()
    the(plan.land(node), Landed)
    plan.check_at_rest()


def test_a_branch_checked_out_anywhere_else_is_refused(plan: Plan) -> None:
    node = plan.node("a", {"a": "1"})
    plan.repo.run_git("checkout", "--quiet", "--ignore-other-worktrees", BRANCH)
    outcome = plan.land(node)
    assert isinstance(outcome, Parked), outcome
    assert plan.repo.run_git("status", "--porcelain") == ""


@pytest.mark.parametrize("state", ["gone", "other branch", "detached", "rebase"])
def test_a_worktree_that_is_not_as_it_should_be_is_left_alone(plan: Plan, state: str) -> None:
    node, _ = conflicting(plan, "content")
    match state:
        case "gone":
            plan.tree.path.rename(plan.tree.path.with_name("aside"))
        case "other branch":
            plan.tree.checkout("mine", new=True)
        case "detached":
            plan.tree.run_git("checkout", "--quiet", "--detach")
        case "rebase":
            plan.tree.run_git("rebase", node.head(), check=False)
    refs = plan.repo.run_git("for-each-ref")
    the(plan.land(node), Parked)
    assert plan.repo.run_git("for-each-ref") == refs


def test_a_commit_that_is_not_there_is_a_failing_tool(plan: Plan) -> None:
    the(plan.land("1" * 40), ToolFailed)


def test_a_tag_with_the_branchs_name_changes_nothing(plan: Plan) -> None:
    node, other = plan.node("a", {"a": "1"}), plan.node("b", {"b": "1"})
    for name in (BRANCH, "stoat/p/a", "HEAD2"):
        plan.repo.run_git("tag", name, "main")
    the(plan.land(other), Landed)
    the(plan.land(node), Landed)
    assert plan.repo.run_git("log", "--format=%s", f"refs/heads/{BRANCH}").splitlines() == ["Work", "Work", "Start"]
    plan.check_at_rest()


def test_the_users_settings_locale_and_an_outer_git_change_nothing(
    plan: Plan, make_repo: MakeRepo, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = make_repo("other")
    settings = {
        **{"color.ui": "always", "column.ui": "always", "core.abbrev": "4", "merge.ff": "only", "pull.rebase": "true"},
        **{"rebase.backend": "apply", "rebase.missingCommitsCheck": "error", "merge.conflictStyle": "zdiff3"},
        **{"commit.verbose": "true", "core.quotePath": "true", "diff.noprefix": "true", "status.short": "true"},
        **{"rebase.instructionFormat": "%an %s", "log.showSignature": "true", "submodule.recurse": "true"},
        **{"status.showUntrackedFiles": "no", "core.editor": "false", "sequence.editor": "false", "merge.log": "true"},
    }
    for key, value in settings.items():
        plan.repo.run_git("config", key, value)
    monkeypatch.setenv("LANG", "de_DE.UTF-8")
    monkeypatch.setenv("LANGUAGE", "de")
    node = diverge_into_a_merge(plan)
    linear, refused = plan.node("l", {"l": "1"}), plan.node("r", {"f": "mine\n"})
    commits = [tree.head() for tree in (node, linear, refused)]
    monkeypatch.setenv("GIT_DIR", str(other.path / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other.path / ".git" / "index"))
    outcomes = [plan.land(commit) for commit in commits[:2]]
    monkeypatch.delenv("GIT_DIR")
    monkeypatch.delenv("GIT_INDEX_FILE")
    assert [outcome.how for outcome in outcomes if isinstance(outcome, Landed)] == ["merge", "rebase"]
    plan.land(plan.node("s", {"f": "theirs\n"}))
    assert plan.land(commits[2]) == Conflict(("f",))
    plan.check_at_rest()


def test_an_upstreams_merge_is_brought_in_by_fast_forward_or_merge_and_never_rebased(plan: Plan) -> None:
    upstream = plan.repo.commit({"up": "1"}, "Upstream (#1)")
    assert plan.bring_in(upstream) == Landed("fast-forward", plan.repo.head("main~1"), upstream, (upstream,))
    the(plan.land(plan.node("a", {"a": "1"})), Landed)
    second = plan.repo.commit({"up": "2"}, "Upstream (#2)")
    outcome = plan.bring_in(second)
    assert isinstance(outcome, Landed), outcome
    assert outcome.how == "merge"
    assert plan.repo.run_git("merge-base", "--is-ancestor", second, BRANCH) == ""
    assert isinstance(plan.bring_in(second), AlreadyLanded)
    empty = plan.repo.commit(None, "Upstream (#3)")
    the(plan.bring_in(empty), Landed)
    plan.check_at_rest()


def test_an_upstream_that_conflicts_is_named_and_nothing_moves(plan: Plan) -> None:
    plan.land(plan.node("a", {"g": "mine\n"}))
    upstream = plan.repo.commit({"g": "theirs\n"})
    before = plan.everything()
    assert plan.bring_in(upstream) == Conflict(("g",))
    assert plan.everything() == before


def test_nodes_landing_from_several_threads_all_land(plan: Plan) -> None:
    nodes = [plan.node(f"n{i}", {f"n{i}": "1"}, f"Work {i}") for i in range(4)]
    outcomes: list[Outcome] = []
    threads = [threading.Thread(target=lambda node=node: outcomes.append(plan.land(node))) for node in nodes]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(isinstance(outcome, Landed) for outcome in outcomes), outcomes
    assert sorted(plan.subjects()) == ["Start", *(f"Work {i}" for i in range(4))]
    plan.check_at_rest()


def test_a_reverted_node_stays_landed_and_says_by_which_commit(plan: Plan) -> None:
    nodes = [plan.node("a", {"a": "1"}), plan.node("b", {"b": "1"}), diverge_into_a_merge(plan, "c")]
    for node in (nodes[0], nodes[1], nodes[2]):
        base = plan.tip
        outcome = plan.land(node)
        assert isinstance(outcome, Landed), outcome
        assert landed(plan.repo.path, BRANCH, node.head()).state is True
        parent = ["-m", "1"] if outcome.how == "merge" else []
        plan.tree.run_git("revert", "--no-edit", *parent, outcome.tip)
        stands = landed(plan.repo.path, BRANCH, node.head(), base=base)
        assert (stands.state, stands.reverted_by) == (True, plan.tip)
        the(plan.land(node), AlreadyLanded)
        plan.tree.run_git("revert", "--no-edit", "HEAD")
        assert landed(plan.repo.path, BRANCH, node.head(), base=base).reverted_by is None


def test_what_has_not_landed_has_not(plan: Plan) -> None:
    node = plan.node("a", {"a": "1"})
    assert landed(plan.repo.path, BRANCH, node.head()).state is False
    assert landed(plan.repo.path, "no such branch", node.head()).state is False
    assert landed(plan.repo.path, BRANCH, "1" * 40).state is None


def test_a_project_reached_through_a_link_from_a_process_of_its_own(plan: Plan, tmp_path: Path) -> None:
    node = plan.node("a", {"a": "1"})
    link = tmp_path / "a link"
    link.symlink_to(plan.repo.path)
    program = (
        "import sys; from pathlib import Path\n"
        "from stoat.gitstore.work.landing import land\n"
        "from stoat.gitstore.work.places import integration_place\n"
        "from stoat.gitstore.work.worktrees import project_at\n"
        "project = project_at(Path(sys.argv[1]))\n"
        f"print(land(project, integration_place(project, 'p', '{BRANCH}'), sys.argv[2], 'x'))\n"
    )
    ran = subprocess.run([sys.executable, "-c", program, str(link), node.head()], capture_output=True, text=True)
    assert ran.stdout.startswith("Landed(how='fast-forward'"), ran
    plan.check_at_rest()
