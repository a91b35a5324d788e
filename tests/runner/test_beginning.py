"""What stops a run before it claims anything, and the flags of the command."""

from __future__ import annotations

import json
import math
import os
from typing import Any

import pytest

from stoat.cli.run_plan import spread
from stoat.errors import Refused, StoatError
from stoat.observe.live import announce, read_runners
from stoat.plan.facts import HeldBack, RunnerFact
from stoat.runner.options import LATER, parse_environment, refuse_later
from stoat.service import plans
from tests.runner.conftest import World
from tests.support.command import Stoat
from tests.support.gitrepo import GitRepo

ONE = "nodes: [{id: a, kind: change}]"


def refusal(world: World, **given: Any) -> str:
    """What the run is refused with; nothing was claimed."""
    before = len(world.events())
    with pytest.raises(StoatError) as refused:
        world.run(**given)
    assert refused.value.exit_code == 3
    assert len(world.events()) == before
    assert world.starts() == []
    return f"{refused.value.message} | {refused.value.hint}"


def test_without_a_posture_a_run_is_refused_and_started_when_one_insists(world: World) -> None:
    world.plan(ONE)
    world.profile_as(postureFlags=["--yes", "--mode"])
    said = refusal(world)
    assert "permission flag" in said and "--yes, --mode" in said and "--allow-prompting" in said
    assert world.run(allow_prompting=True) == 0


@pytest.mark.parametrize("scope", [{"only": frozenset({"aa"})}, {"skip": frozenset({"aa"})}])
def test_a_mistyped_node_is_refused(world: World, scope: dict[str, Any]) -> None:
    world.plan(ONE)
    assert "no node 'aa'" in refusal(world, **scope)


@pytest.mark.parametrize("agent", ["", "  ", "a\nb", "a\x1b[31m"])
def test_an_agent_without_a_name_that_can_be_read_is_refused(world: World, agent: str) -> None:
    world.plan(ONE)
    assert "is no name to claim nodes under" in refusal(world, agent=agent)


@pytest.mark.parametrize("number", [math.nan, math.inf])
def test_a_bound_that_is_no_number_to_go_by_is_refused(world: World, number: float) -> None:
    world.plan(ONE)
    for name, given in {
        "--max-total-usd": {"limits": {"total_usd": number}}, "--budget-usd": {"limits": {"budget_usd": number}},
        "--max-minutes": {"limits": {"minutes": number}}, "--settle-seconds": {"settle_seconds": number},
        "--stagger-seconds": {"stagger_seconds": number}, "--poll-seconds": {"poll_seconds": number},
    }.items():  # fmt: skip
        assert f"{name}: {number} is no number" in refusal(world, **given)


def test_an_archived_plan_is_refused_with_the_way_back(world: World) -> None:
    world.plan(ONE)
    plans.archive(world.session, "p")
    assert "stoat plan archive p --off" in refusal(world)


def test_a_plan_of_the_directory_that_seeds_the_store_can_be_run_at_once(world: World) -> None:
    seeds = world.place / "plans"
    seeds.mkdir()
    (seeds / "new.yaml").write_text(f"schema: 1\nplan: new\n{ONE}\n")
    (seeds / "bad.yaml").write_text("schema: 1\nplan: bad\nnodes: 7\n")
    world.repo.run_git("config", "stoat.plans", str(seeds))
    ran = Stoat(world.repo.path).run(*world.flags(slug="new"), env=world.environ)
    assert ran.code == 0
    assert "new.yaml was imported" in ran.err and "bad.yaml was not imported" in ran.err
    assert world.node("a", "new").attempts == 0


def test_hooks_that_worktrees_do_not_have_are_said_once(world: World) -> None:
    world.plan("branch: i\nnodes: [{id: a, kind: change}, {id: b, kind: change}]")
    (world.repo.path / ".husky" / "_").mkdir(parents=True)
    world.repo.run_git("config", "core.hooksPath", ".husky/_")
    assert world.run() == 0
    assert world.said("core.hooksPath is .husky/_") == world.said("no hook runs on commits made there")
    assert len(world.said("core.hooksPath")) == 1


def test_ignoring_dependencies_needs_named_nodes(world: World) -> None:
    world.plan(ONE)
    assert "needs --node" in refusal(world, ignore_dependencies=True)


def test_an_integration_branch_that_is_checked_out_elsewhere_is_refused(world: World) -> None:
    world.plan(f"branch: i\n{ONE}")
    world.repo.checkout("i", new=True)
    assert "is checked out at" in refusal(world)
    assert world.repo.run_git("symbolic-ref", "--short", "HEAD") == "i"


@pytest.mark.parametrize("branch", ["trunk", "Main", "origin/x", "stoat/p"])
def test_a_plan_branch_that_nothing_may_land_on_is_refused(world: World, branch: str) -> None:
    from stoat.gitstore.log import Change
    from stoat.plan.events.plans import PlanHeaderChanged
    from stoat.plan.nodes import Header

    world.plan(ONE)
    if branch == "trunk":  # the name alone is no harm: it is what the remote says its default branch is
        world.repo.run_git("branch", "trunk")
        world.repo.push("trunk")
        bare = GitRepo(world.repo.path.with_name("app.git"))
        bare.run_git("symbolic-ref", "HEAD", "refs/heads/trunk")
    changed = PlanHeaderChanged(header=Header(plan="p", branch=branch, go_ahead="plan"))
    world.session.commit(lambda state, now: Change([("plans/p", changed)], "p: changed"))
    assert "stoat plan change p --branch NAME" in refusal(world)


@pytest.mark.parametrize("branch", ["", "branch: i\n"], ids=["without a plan's branch", "with one"])
@pytest.mark.parametrize("base", ["nope", "origin/nope", "refs/heads/nope"])
def test_a_base_that_names_nothing_is_refused_before_anything(world: World, base: str, branch: str) -> None:
    world.plan(f"{branch}nodes: [{{id: a, kind: change}}]")
    said = refusal(world, base=base)
    assert "nope" in said
    assert "branch --all" in said
    assert world.lines == []


@pytest.mark.slow
def test_a_base_that_cannot_be_asked_for_just_now_holds_the_node_only(world: World) -> None:
    world.plan("nodes: [{id: a, kind: change}]")
    origin = world.repo.path.with_name("app.git")
    origin.rename(origin.with_name("away.git"))
    assert world.run(base="main") == 1
    assert world.said("⚠ a: not launched, no fresh base to start from")


def test_nobody_to_commit_as_is_refused_before_an_agent_costs_anything(world: World) -> None:
    world.plan(ONE)
    GitRepo(world.repo.path).run_git("config", "user.name", "")
    assert "git does not know who commits" in refusal(world)


def test_a_directory_that_is_no_checkout_is_refused(world: World) -> None:
    world.plan(ONE)
    assert "is no checkout" in refusal(world, project=world.place)
    assert "is no checkout" in refusal(world, project=world.repo.path.with_name("app.git"))


def test_a_plan_that_is_not_there_is_refused_with_those_that_are(world: World) -> None:
    world.plan(ONE)
    with pytest.raises(StoatError, match="no plan 'q'") as refused:
        world.run("q")
    assert "p" in (refused.value.hint or "")


def test_a_second_runner_on_the_same_plan_and_checkout_is_refused(world: World) -> None:
    world.plan(ONE)
    first = Stoat(world.repo.path).start(*world.flags("--watch", "--skip", "a"), env=world.environ)
    assert first.stdout is not None
    first.stdout.readline()
    said = refusal(world)
    assert f"process {first.pid}" in said
    first.terminate()
    first.communicate(timeout=30)
    assert world.run() == 0


def test_evidence_that_is_blind_is_refused_and_overridden(world: World) -> None:
    from stoat.service.session import Session

    world.plan("nodes: [{id: s, kind: slice, pattern: command, specs: [F/A]}, {id: g, kind: test-run-gate}]")

    class Blind(Session):
        def answers(self, now: str | None = None) -> Any:
            from msgspec.structs import replace

            seen = super().answers(now)
            plan = seen.plans["p"]
            blind = replace(plan, nodes=tuple(replace(node, status="unknown") for node in plan.nodes))
            seen.plans = {"p": blind}
            return seen

    world.session = Blind(world.session.store, world.session.actor, world.session.directory)
    assert "--allow-unprovable" in refusal(world)
    assert world.run(allow_unprovable=True, skip=frozenset({"s", "g"})) == 0


@pytest.mark.parametrize("flag", sorted(LATER))
def test_a_flag_of_a_later_version_is_refused_when_it_is_given(flag: str) -> None:
    with pytest.raises(Refused, match=f"--{flag.replace('_', '-')}.*later version"):
        refuse_later([flag])
    refuse_later([])


@pytest.mark.parametrize(
    ("written", "pairs"),
    [(["A=b"], (("A", "b"),)), (["A=b=c d", "X_1="], (("A", "b=c d"), ("X_1", ""))), ([], ())],
)
def test_agent_variables_are_taken_apart(written: list[str], pairs: tuple[tuple[str, str], ...]) -> None:
    assert parse_environment(written) == pairs


@pytest.mark.parametrize("wrong", ["A", "=b", "1A=b", "A-B=c", "STOAT_CLAIM=x", "BOBCAT_RUN_TAG=y"])
def test_what_is_no_agent_variable_is_refused(wrong: str) -> None:
    with pytest.raises(Refused, match="KEY=VALUE"):
        parse_environment(["OK=1", wrong])


@pytest.mark.parametrize(
    ("given", "taken"),
    [
        ("p dir --node a b --watch", "p dir --node a --node b --watch"),
        ("p dir -k a b -n c d", "p dir -k a -k b -n c -n d"),
        ("p -n a ~/dir", "p -n a ~/dir"),
        ("p -n a ./dir", "p -n a ./dir"),
        ("-n a p dir", "-n a p dir"),
        ("p --parallel 3 -n a b", "p --parallel 3 -n a -n b"),
        ("--parallel 3 -n a p", "--parallel 3 -n a p"),
        ("--watch p -n a b", "--watch p -n a -n b"),
        ("p -E A=1 B=2 dir", "p -E A=1 -E B=2 dir"),
        ("p -E A=1 -i -n a b", "p -E A=1 -i -n a -n b"),
    ],
)
def test_flags_that_repeat_take_several_values(given: str, taken: str) -> None:
    assert spread(given.split()) == taken.split()


@pytest.mark.slow
def test_the_command_knows_every_flag_and_refuses_before_anything(world: World) -> None:
    world.plan(ONE)
    stoat = Stoat(world.repo.path, world.environ)
    help_text = stoat.ok("run-plan", "--help")
    for flag in (
        "--url", "--parallel", "--expedite-slot", "--max-attempts", "--max-fix-attempts", "--max-rebases",
        "--fix-stall-minutes", "--launcher", "--launchers", "--cloud-launcher", "--cloud-url", "--agent-command",
        "--model", "--lean", "--budget-usd", "--agent-args", "--node", "--skip", "--ignore-dependencies", "--agent-env",
        "--agent-setup", "--verify-command", "--agent", "--watch", "--paused", "--base", "--max-total-usd",
        "--max-minutes", "--max-consecutive-failures", "--settle-seconds", "--stagger-seconds", "--poll-seconds",
        "--allow-prompting", "--allow-unprovable", "--fix-with", "--once",
    ):  # fmt: skip
        assert flag in help_text, flag
    for more, code, words in (
        (("--lean",), 3, "--lean"), (("--agent-args", "'x"), 3, "--agent-args"),
        (("--budget-usd", "1"), 3, "--budget-usd"),
        (("--max-total-usd", "1"), 3, "reports no cost"), (("--model", "m"), 3, "takes none"),
        (("--agent-command", "no-such-program"), 3, "no program"), (("--parallel", "0"), 2, "parallel"),
        (("--launcher", "nobody"), 3, "claude, codex, gemini, scripted"), (("--url", "host"), 3, "--url"),
        (("--url", "http://[::1"), 3, "--url takes the address"), (("--url", "http://h:x"), 3, "--url takes the addr"),
    ):  # fmt: skip
        ran = stoat.run(*world.flags(*more))
        assert (ran.code, words in ran.err) == (code, True), (more, ran)
        assert ran.code == 2 or "hint: " in ran.err
    assert world.starts() == []


def fact(**fields: Any) -> RunnerFact:
    plain = {"runner_id": "p-1", "plan": "p", "host": "h", "checkout": "/c", "state": "running", "parallel": 2}
    return RunnerFact(**{**plain, **fields})


def test_a_live_runner_is_seen_with_what_it_says_and_is_gone_with_its_process(world: World) -> None:
    common = world.session.store.common
    live = announce(common, "runner", "p-x", fact(running={"a": 1}))
    assert read_runners(common) == (fact(running={"a": 1}),)
    waits = HeldBack("resource", "waiting on db")
    live.update(fact(running={}, reasons={"b": waits}))
    assert read_runners(common)[0].reasons == {"b": waits}
    with pytest.raises(Refused, match=f"process {os.getpid()}"):
        announce(common, "runner", "p-x", fact())
    live.close()
    assert read_runners(common) == ()


def test_what_a_killed_runner_said_reads_as_gone_and_torn_files_are_stepped_over(world: World) -> None:
    directory = world.session.store.common / "stoat" / "live"
    directory.mkdir(parents=True)
    (directory / "runner-old.json").write_text(json.dumps({
        "runnerId": "p-0", "plan": "p", "host": "h", "checkout": "/c", "state": "running", "parallel": 2,
        "running": {"a": 1},
    }))  # fmt: skip
    (directory / "runner-torn.json").write_text('{"runnerId": "p-')
    [gone] = read_runners(world.session.store.common)
    assert (gone.state, gone.running) == ("gone", {})
    os.utime(directory / "runner-old.json", (0, 0))
    live = announce(world.session.store.common, "runner", "p-new", fact())
    assert [runner.runner_id for runner in read_runners(world.session.store.common)] == ["p-1"]
    live.close()
