"""Finished work on its way to the plan's branch: conflicts, dirt, hooks, verification, and people in between."""

from __future__ import annotations

import pytest

from stoat.service import runs
from tests.runner.conftest import World

pytestmark = pytest.mark.slow


def test_nodes_that_conflict_land_once_and_park_once_with_the_file_named(world: World) -> None:
    world.plan(
        """
        branch: i
        nodes:
          - {id: a, kind: change}
          - {id: b, kind: change}
          - {id: after-b, kind: change, depends_on: [b]}
        """
    )
    for node in ("a", "b"):
        world.agent(node, "tell('x'); wait_for('go'); commit('same file.txt', NODE)")
    world.signal("go")
    assert world.run() == 1
    landed = [node for node in ("a", "b") if world.node(node).landing]
    [parked] = {"a", "b"} - set(landed)
    [line] = world.said(f"'{parked}' is done and conflicts with 'i'")
    assert "same file.txt" in line
    assert world.node(parked).parked.files == ("same file.txt",)  # type: ignore[union-attr]
    tip = world.repo.head("refs/heads/i")
    assert world.beside("p-integration").run_git("status", "--porcelain") == ""

    # A person resolves it on the node's branch and runs again.
    tree = world.beside(parked)
    tree.run_git("merge", "i", check=False)
    tree.commit({"same file.txt": "both"}, "Resolve")
    assert world.run() == 0
    assert world.statuses() == {"a": "done", "b": "done", "after-b": "done"}
    assert world.repo.read("same file.txt", at="refs/heads/i") == "both"
    assert world.repo.run_git("merge-base", "--is-ancestor", tip, "refs/heads/i") == ""
    assert world.starts().count(parked) == 1


def test_a_done_upstream_that_has_not_landed_holds_what_builds_on_it(world: World) -> None:
    world.plan(
        """
        branch: i
        nodes:
          - {id: s, kind: slice, pattern: command, specs: [F/One]}
          - {id: next, kind: slice, pattern: command, specs: [F/Two], depends_on: [s]}
        """
    )
    world.agent("s", "commit('s.txt'); specs(passed=['F/One']); pathlib.Path('left.txt').write_text('x')")
    assert world.run() == 1
    assert world.said("'s' is done and not mergeable until these are committed or discarded: left.txt")
    assert world.said("⚠ next: 's' is done and has not landed yet")
    assert world.starts() == ["s"]
    assert world.shown("next").launch is not None


def test_nothing_is_said_of_an_upstream_whose_agent_is_about_to_end(world: World) -> None:
    world.plan(
        """
        branch: i
        nodes:
          - {id: s, kind: slice, pattern: command, specs: [F/One]}
          - {id: next, kind: slice, pattern: command, specs: [F/Two], depends_on: [s]}
        """
    )
    # Green, and at work for long enough that the run looks at it.
    world.agent("s", "commit('s.txt'); specs(passed=['F/One']); time.sleep(1.5)")
    world.agent("next", "commit('next.txt'); specs(passed=['F/Two'])")
    assert world.run() == 0
    assert not world.said("has not landed yet")
    assert world.starts() == ["s", "next"]


def test_work_that_was_redone_after_a_landing_lands_also_when_its_runner_was_replaced(world: World) -> None:
    world.plan("branch: i\nnodes: [{id: s, kind: slice, pattern: command, specs: [F/One]}]")
    world.agent("s", "commit(f'{ATTEMPT}.txt'); specs(passed=['F/One'])")
    assert world.run() == 0
    report = world.place / "red.xml"
    report.write_text('<testsuite><testcase classname="F" name="One"><failure/></testcase></testsuite>')
    runs.add(world.session, [report], "p/s")
    world.restart("s")
    mine = world.beside("p-integration").path / "mine.txt"
    mine.write_text("mine")
    assert world.run() == 1
    assert world.said("'s' is done and cannot land on 'i' now", "mine.txt")
    mine.unlink()
    assert world.run() == 0
    assert world.repo.read("2.txt", at="refs/heads/i")


def test_green_specs_without_a_commit_are_no_finished_work(world: World) -> None:
    world.plan("branch: i\nnodes: [{id: s, kind: slice, pattern: command, specs: [F/One]}]")
    world.agent("s", "specs(passed=['F/One'])")
    assert world.run() == 1
    assert world.said("✗ 's' is done, but its branch has no commit")
    assert world.node("s").landing is None


def test_a_gate_that_rightly_changed_nothing_is_verified(world: World) -> None:
    world.plan("branch: i\nnodes: [{id: g, kind: test-run-gate, steps: [{id: t, run: test -f README.md}]}]")
    world.agent("g", "steps()")
    assert world.run() == 0
    assert world.said("✓ 'g' is done", "verified, with nothing to land")
    assert world.node("g").landing.how == "nothing"  # type: ignore[union-attr]


def test_the_verification_runs_in_the_worktree_under_the_tag_and_red_turns_the_node_back(world: World) -> None:
    world.plan("branch: i\nnodes: [{id: s, kind: test-run-gate}]")
    world.agent("s", "commit(f'{ATTEMPT}.txt'); stoat('gate', 'exec', 'p/s', '--', 'true')")
    script = "test \"$BOBCAT_RUN_TAG\" = p/s && test -f 2.txt && test \"$MINE\" = p_s"
    code = world.run(verify_command=("sh", "-c", script), agent_env=(("MINE", "{ident}"),))
    assert world.said("→ verifying 's'")
    assert world.said("✗ 's' is red when run again on its committed branch (exit 1)")
    assert world.said("✗ attempt 1 on 's' failed: its verification is red")
    assert world.starts() == ["s", "s"]
    assert code == 0
    assert world.said("✓ 's' is done", "landed on 'i'")
    assert (world.repo.path.parent / "stoat-verify-s.log").exists()


def test_a_slice_whose_verification_is_red_is_tried_again(world: World) -> None:
    world.plan("branch: i\nnodes: [{id: s, kind: slice, pattern: command, specs: [F/One]}]")
    world.agent("s", "commit(f'{ATTEMPT}.txt'); specs(passed=['F/One'])")
    assert world.run(verify_command=("test", "-f", "2.txt")) == 0
    assert world.said("✗ 's' is red when run again on its committed branch (exit 1)")
    assert world.starts() == ["s", "s"]
    assert world.said("✓ 's' is done", "landed on 'i'")


def test_specs_become_arguments_of_the_verification(world: World) -> None:
    world.plan("branch: i\nnodes: [{id: s, kind: slice, pattern: command, specs: [F/One two, F/Three]}]")
    world.agent("s", "commit('s.txt'); specs(passed=['F/One two', 'F/Three'])")
    check = "import sys; sys.exit(sys.argv[1:] != ['F/One two', 'F/Three', 'p', 's'])"
    assert world.run(verify_command=("python3", "-c", check, "{specs}", "{plan}", "{node}")) == 0
    assert world.statuses() == {"s": "done"}


def test_a_dirty_integration_worktree_is_refused_and_its_files_stay(world: World) -> None:
    world.plan("branch: i\nnodes: [{id: a, kind: change}]")
    world.agent("a", "commit('a.txt'); pathlib.Path('../app-p-integration/mine.txt').write_text('mine')")
    assert world.run() == 1
    assert world.said("'a' is done and cannot land on 'i' now", "mine.txt")
    place = world.beside("p-integration").path / "mine.txt"
    assert place.read_text() == "mine"
    place.unlink()
    assert world.run() == 0
    assert world.statuses() == {"a": "done"}


def test_a_hook_that_refuses_is_reported_as_that(world: World) -> None:
    world.plan("branch: i\nnodes: [{id: a, kind: change}]")
    hook = world.repo.path / ".git" / "hooks" / "reference-transaction"
    refuse = 'if [ "$1" = prepared ] && grep -q "refs/heads/i$"; then echo NOT TODAY >&2; exit 1; fi'
    hook.write_text(f"#!/bin/sh\n{refuse}\n")
    # The branch is cut before the hook forbids moving it.
    world.agent("a", f"commit('a.txt'); os.chmod({str(hook)!r}, 0o755)")
    assert world.run() == 1
    assert world.said("'a' is done and cannot land", "NOT TODAY")
    assert not world.said("conflicts with")
    hook.unlink()
    assert world.run() == 0
    assert set(world.statuses().values()) == {"done"}


def test_what_a_person_landed_by_hand_is_seen_in_git(world: World) -> None:
    world.plan("branch: i\nnodes: [{id: a, kind: change}]")
    world.agent("a", "commit('a.txt'); pathlib.Path('../app-p-integration/mine.txt').write_text('mine')")
    assert world.run() == 1
    place = world.beside("p-integration")
    (place.path / "mine.txt").unlink()
    place.run_git("merge", "--quiet", "--no-ff", "-m", "By hand", "stoat/p/a")
    assert world.run() == 0
    assert world.said("'a' is on 'i'", "seen in git")
    assert world.node("a").landing.how == "observed"  # type: ignore[union-attr]


def test_slices_that_were_done_before_the_run_are_left_alone(world: World) -> None:
    world.plan("branch: i\nnodes: [{id: s, kind: slice, pattern: command, specs: [F/One]}]")
    report = world.place / "r.xml"
    report.write_text('<testsuite><testcase classname="F" name="One"/></testsuite>')
    runs.add(world.session, [report], "p/s")
    assert world.run(verify_command=("false",)) == 0
    assert world.starts() == []
    assert not world.said("verifying")
