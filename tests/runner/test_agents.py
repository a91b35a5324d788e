"""Agents as processes: what they are given, and what they may do without harming the run."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from tests.runner.conftest import World

pytestmark = pytest.mark.slow


def test_an_agents_environment_is_its_own_and_points_at_no_other_repository(world: World) -> None:
    world.plan("nodes: [{id: a-b, kind: change}]")
    world.environ |= {"GIT_DIR": "/nowhere", "GIT_WORK_TREE": "/no", "STOAT_SESSION": "mine", "STOAT_STORE": "/no"}
    names = ["STOAT_AGENT", "STOAT_PLAN", "STOAT_NODE", "STOAT_ATTEMPT", "BOBCAT_RUN_TAG"]
    names += ["DB", "GIT_DIR", "STOAT_SESSION"]
    world.agent("a-b", f"[tell(name, os.environ.get(name)) for name in {names}]; tell('cwd', os.getcwd()); commit('a')")
    assert world.run(agent_env=(("DB", "{ident} in {worktree} of {plan}/{node}"),)) == 0
    told = {words[4]: " ".join(words[5:]) for words in world.told()}
    place = str(world.beside("a-b").path)
    assert told["cwd"] == place
    assert [told[name] for name in names[:5]] == ["stoat-runner", "p", "a-b", "1", "p/a-b"]
    assert told["DB"].startswith("p_a_b__") and told["DB"].endswith(f"in {place} of p/a-b")
    assert told["GIT_DIR"] == told["STOAT_SESSION"] == "None"
    assert world.said("→ attempt 1", "with DB=p_a_b__")


def test_the_setup_runs_once_in_each_new_worktree_with_the_agents_variables(world: World) -> None:
    world.plan("nodes: [{id: a, kind: change}]")
    world.agent("a", "tell('set', pathlib.Path('../setup.txt').read_text().strip()); ATTEMPT == 2 and commit('a')")
    code = world.run(agent_setup='echo "$MINE {node}" >> ../setup.txt', agent_env=(("MINE", "{ident}"),))
    assert code == 0
    assert [" ".join(words[5:]) for words in world.told() if words[4] == "set"] == ["p_a a", "p_a a"]
    assert (world.repo.path.parent / "stoat-setup-a.log").exists()


def test_a_setup_that_fails_releases_the_claim_and_starts_nothing(world: World) -> None:
    world.plan("nodes: [{id: a, kind: change}, {id: b, kind: change}]")
    assert world.run(agent_setup="test {node} = b") == 1
    assert world.starts() == ["b"]
    assert world.said("✗ the setup for 'a' failed (exit 1)")
    node = world.node("a")
    assert (node.claim, node.tries, node.gave_up) == (None, 0, None)


def test_a_launcher_that_cannot_be_started_is_said_and_not_tried_again(world: World) -> None:
    world.plan("nodes: [{id: a, kind: change}]")
    (world.place / "bad").write_text("#!/no/such/interpreter\n")
    (world.place / "bad").chmod(0o755)
    assert world.run(agent_command=str(world.place / "bad")) == 1
    assert len(world.said("✗ no agent for 'a'")) == 1
    assert world.node("a").claim is None


def test_a_flood_of_output_and_a_daemon_that_keeps_the_output_open_hold_nothing_up(world: World) -> None:
    world.plan("nodes: [{id: a, kind: change}]")
    world.agent(
        "a",
        """
        commit("a.txt")
        for _ in range(400):
            sys.stdout.write("x" * 65536)
        sys.stdout.flush()
        subprocess.Popen(["sleep", "30"], start_new_session=True)
        """,
    )
    begun = time.monotonic()
    assert world.run() == 0
    assert time.monotonic() - begun < 25
    assert (world.repo.path.parent / "stoat-agent-a.log").stat().st_size >= 400 * 65536


def test_a_prompt_with_everything_a_shell_would_obey_arrives_as_one_argument(world: World) -> None:
    brief = "$(touch pwned) `id` \"quoted\" 'single' {model} {prompt} \\ ; rm -rf x"
    world.plan(f"nodes: [{{id: a, kind: change, brief: {json.dumps(brief)}}}]")
    keep = "pathlib.Path(os.environ['TOLD'] + '-prompt').write_text(PROMPT)"
    world.agent("a", f"tell('argc', len(sys.argv)); {keep}; commit('a')")
    assert world.run() == 0
    assert [words[5] for words in world.told() if words[4] == "argc"] == ["2"]
    assert "$(touch pwned) `id`" in Path(f"{world.told_at}-prompt").read_text()
    assert not (world.beside("a").path / "pwned").exists()


def test_a_worktree_that_only_a_person_can_put_right_is_parked_with_the_reason(world: World) -> None:
    world.plan("nodes: [{id: a, kind: change}, {id: b, kind: change}]")
    world.agent("a", "git('checkout', '-q', '--detach')")
    assert world.run() == 1
    assert world.starts().count("a") == 1
    assert world.said("✗ the worktree of 'a' cannot be used")
    assert world.said("'b' is finished")


def test_models_go_by_the_most_specific_word(world: World) -> None:
    world.plan("model: of-the-plan\nnodes: [{id: a, kind: change}, {id: b, kind: change, model: of-the-node}]")
    world.profile_as(modelArguments=["--model", "{model}"], defaultModel="of-the-profile")
    for node in "ab":
        world.agent(node, "tell('model', sys.argv[-1]); commit(NODE)")
    assert world.run(parallel=1) == 0
    assert [words[5] for words in world.told() if words[4] == "model"] == ["of-the-plan", "of-the-node"]
    assert world.said("→ attempt 1 on 'b' · of-the-node (node) · from")
    assert world.said("workers ask for of-the-plan")


def test_nothing_is_launched_from_a_stale_base_when_the_remote_cannot_be_reached(world: World) -> None:
    world.plan("nodes: [{id: a, kind: change}]")
    origin = world.repo.path.with_name("app.git")
    origin.rename(origin.with_name("away.git"))
    assert world.run() == 1
    assert world.said("⚠ a: not launched, no fresh base to start from", "origin cannot be reached")
    assert world.node("a").attempts == 0
    origin.with_name("away.git").rename(origin)
    assert world.run() == 0
    assert world.starts() == ["a"]


def test_what_an_agent_writes_cannot_look_like_a_line_of_the_runner(world: World) -> None:
    world.plan("nodes: [{id: a, kind: change}]")
    world.agent("a", "stoat('ask', 'p/a', 'Well?\\n✓ \\'a\\' is done — trust me')")
    assert world.run() == 0
    assert world.said("'a' asks: Well? ✓")
    assert not [line for line in "\n".join(world.lines).splitlines() if line.startswith("✓ 'a'")]
