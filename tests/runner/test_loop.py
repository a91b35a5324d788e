"""Plans worked by real agents in real worktrees, from the first claim to the last landing."""

from __future__ import annotations

import pytest

from tests.runner.conftest import World

pytestmark = pytest.mark.slow


def test_eight_nodes_in_a_diamond_are_worked_to_the_end_and_every_branch_lands(world: World) -> None:
    world.plan(
        """
        branch: p-int
        nodes:
          - {id: root, kind: change}
          - {id: left, kind: change, depends_on: [root]}
          - {id: right, kind: change, depends_on: [root]}
          - {id: join, kind: change, depends_on: [left, right]}
          - {id: one, kind: change, depends_on: [join]}
          - {id: two, kind: change, depends_on: [join]}
          - {id: three, kind: change, depends_on: [join]}
          - {id: last, kind: change, depends_on: [one, two, three]}
        """
    )
    assert world.run(parallel=3) == 0
    assert set(world.statuses().values()) == {"done"}
    assert sorted(world.starts()) == sorted(["root", "left", "right", "join", "one", "two", "three", "last"])
    files = world.repo.run_git("ls-tree", "--name-only", "refs/heads/p-int").splitlines()
    assert {f"{node}.txt" for node in world.statuses()} <= set(files)
    assert world.repo.run_git("rev-list", "--count", "main..refs/heads/p-int") == "8"
    assert world.repo.run_git("rev-parse", "main") == world.repo.run_git("rev-parse", "origin/main")
    for node in world.statuses():
        assert world.node(node).claim is None


def test_a_launch_line_names_base_commit_worktree_and_log(world: World) -> None:
    world.plan("nodes: [{id: a, kind: change}]")
    world.run()
    [line] = world.said("→ attempt 1 on 'a'")
    base = world.repo.head("origin/main")[:7]
    place = world.repo.path.parent
    assert line == (
        f"→ attempt 1 on 'a' · scripted · from origin/main ({base}) · in {place}/app-a · log: {place}/stoat-agent-a.log"
    )
    assert (place / "stoat-agent-a.log").exists()


def test_without_an_integration_branch_a_person_gets_the_command_and_git_shows_that_it_was_used(
    world: World,
) -> None:
    world.plan("nodes: [{id: a, kind: change}, {id: b, kind: change, depends_on: [a]}]")
    assert world.run() == 0
    [line] = world.said("'a' is finished", "Merge when ready:")
    assert line.splitlines()[1] == f"git -C '{world.repo.path}' merge stoat/p/a"
    assert world.statuses() == {"a": "waiting", "b": "open"}
    assert world.starts() == ["a"]

    world.repo.run_git("merge", "--quiet", "--no-ff", "-m", "Merge a", "stoat/p/a")
    world.repo.push()
    assert world.run() == 0
    assert world.said("'a' is on 'main'", "seen in git")
    assert world.node("a").landing.how == "observed"  # type: ignore[union-attr]
    assert world.starts() == ["a", "b"]
    assert world.statuses() == {"a": "done", "b": "waiting"}


def test_a_slice_is_done_by_its_specs_and_its_committed_branch_lands(world: World) -> None:
    world.plan("branch: i\nnodes: [{id: s, kind: slice, pattern: command, specs: [F/One, F/Two]}]")
    world.agent("s", "commit('s.txt'); specs(passed=['F/One', 'F/Two'])")
    assert world.run() == 0
    assert world.statuses() == {"s": "done"}
    assert world.said("✓ 's' is done", "landed on 'i': fast-forwarded to stoat/p/s (1 commit(s))")


def test_a_failed_attempt_is_tried_again_and_told_why(world: World) -> None:
    world.plan("branch: i\nnodes: [{id: g, kind: change, steps: [{id: t, run: test -s answer.txt}]}]")
    world.agent(
        "g",
        """
        if ATTEMPT == 1:
            commit("notes.txt")
        else:
            tell("prompt", "The attempt before this one" in PROMPT)
            commit("answer.txt", "42")
        steps()
        """,
    )
    assert world.run() == 0
    assert world.said("✗ attempt 1 on 'g' failed", "1 attempt left")
    assert world.said("→ attempt 2 on 'g'", "left as it is: 1 commit of its own")
    assert [words[5] for words in world.told() if words[4] == "prompt"] == ["True"]
    assert world.statuses() == {"g": "done"}
    assert world.repo.run_git("rev-list", "--count", "main..refs/heads/i") == "2"


def test_a_step_that_ran_another_command_is_told_as_that_everywhere(world: World) -> None:
    world.plan(
        "branch: i\nnodes: [{id: g, kind: change, steps: [{id: t, run: test -s answer.txt}, {id: u, run: test 1}]}]"
    )
    world.agent(
        "g",
        """
        tell("prompt", "step t ran another command: `true`, declared is `test -s answer.txt`" in PROMPT)
        commit("notes.txt", str(ATTEMPT))
        stoat("gate", "exec", "p/g", "--step", "t", "--", "true")
        """,
    )
    assert world.run() == 1
    why = "step t ran another command: `true`, declared is `test -s answer.txt`; not passed on the branch's commit: u"
    assert world.said("✗ attempt 1 on 'g' failed", why)
    assert world.said("GIVING UP on 'g'", why)
    assert [words[5] for words in world.told() if words[4] == "prompt"] == ["False", "True"]
    [need] = world.session.answers().needs
    assert (need.kind, why in need.why) == ("give-up", True)


def test_giving_up_is_loud_ends_with_1_and_leaves_the_worktree(world: World) -> None:
    world.plan("nodes: [{id: a, kind: change}, {id: b, kind: change, depends_on: [a]}]")
    world.agent("a", "pathlib.Path('half.txt').write_text('x')")
    assert world.run() == 1
    assert world.starts() == ["a", "a"]
    [line] = world.said("GIVING UP on 'a'")
    assert str(world.beside("a").path) in line
    assert "half.txt" in line
    assert (world.beside("a").path / "half.txt").exists()
    assert world.node("a").gave_up is not None
    assert world.run() == 1  # nothing to do, and still not in order
    assert world.starts() == ["a", "a"]

    world.restart("a")
    world.agent("a", "git('add', '.'); git('commit', '-qm', 'now')")
    world.run()
    assert world.starts() == ["a", "a", "a"]
    assert world.said("'a' is finished")


def test_giving_up_points_at_no_worktree_that_is_not_there(world: World) -> None:
    world.plan("nodes: [{id: a, kind: change}]")
    world.agent("a", "import shutil; shutil.rmtree(os.getcwd())")
    assert world.run(max_attempts=1) == 1
    [line] = world.said("GIVING UP on 'a'")
    assert str(world.beside("a").path) not in line
    assert line.endswith("Its worktree is gone — begin again: stoat restart p/a")


def test_an_agent_that_leaves_nothing_left_nothing(world: World) -> None:
    world.plan("nodes: [{id: a, kind: change}]")
    world.agent("a", "pass")
    assert world.run(max_attempts=1) == 1
    assert world.said("✗ attempt 1 on 'a' left nothing: its branch has no new commit")


def test_an_exit_code_moves_nothing(world: World) -> None:
    world.plan("branch: i\nnodes: [{id: good, kind: change}, {id: bad, kind: change}]")
    world.agent("good", "commit('good.txt'); sys.exit(3)")
    world.agent("bad", "sys.exit(0)")
    assert world.run(max_attempts=1) == 1
    assert world.statuses()["good"] == "done"
    assert world.said("agent for 'good' exited (3)")
    assert world.node("bad").gave_up is not None


def test_two_plans_with_the_same_node_ids_get_worktrees_logs_and_branches_of_their_own(world: World) -> None:
    for slug in ("p", "q"):
        world.plan(f"branch: {slug}-int\nnodes: [{{id: a, kind: change}}]", slug=slug)
        world.agent("a", "tell('cwd', os.getcwd()); commit(os.environ['STOAT_PLAN'] + '.txt')")
        assert world.run(slug) == 0
    assert world.statuses("p") == world.statuses("q") == {"a": "done"}
    assert world.beside("a").path.is_dir()
    assert world.beside("q-a").path.is_dir()
    assert (world.repo.path.parent / "stoat-agent-q-a.log").exists()
    assert "q.txt" in world.repo.run_git("ls-tree", "--name-only", "refs/heads/q-int")


def test_a_project_reached_through_a_symlink_is_the_same_project(world: World) -> None:
    link = world.place / "link"
    link.symlink_to(world.repo.path)
    world.plan("branch: i\nnodes: [{id: a, kind: change}]")
    assert world.run(project=link) == 0
    assert world.beside("a").path.is_dir()
    assert not (world.place / "link-a").exists()


def test_a_runners_checkout_is_never_touched(world: World) -> None:
    world.repo.checkout("half-merged", new=True)
    world.repo.commit({"mine.txt": "mine"}, "Mine")
    world.repo.write("dirty.txt", "dirty")
    before = (world.repo.run_git("status", "--porcelain=v2", "--branch"), world.repo.head())
    world.plan("branch: i\nnodes: [{id: a, kind: change}]")
    assert world.run() == 0
    assert (world.repo.run_git("status", "--porcelain=v2", "--branch"), world.repo.head()) == before
    assert "mine.txt" not in world.repo.run_git("ls-tree", "--name-only", "refs/heads/i")


def test_a_second_run_lands_nothing_twice_and_starts_nothing(world: World) -> None:
    world.plan("branch: i\nnodes: [{id: a, kind: change}]")
    assert world.run() == 0
    tip = world.repo.head("refs/heads/i")
    events = len(world.events())
    assert world.run() == 0
    assert world.repo.head("refs/heads/i") == tip
    assert len(world.events()) == events
    assert world.starts() == ["a"]
