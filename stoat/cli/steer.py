"""`stoat pause`, `resume`, `runners`: the runners of this machine, and a person's word to them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stoat.cli import context, render
from stoat.cli.context import Json, OptionalPlan, PlanArgument

if TYPE_CHECKING:
    from stoat.derive.answers import RunnerShown


def pause(plan: PlanArgument) -> None:
    """Keep a plan's runners from starting anything new, until `stoat resume`. Agents at work finish.

    It holds for the plan, for runners that start later as well. A plan without a runner on this machine cannot be
    paused: nothing is started on it anyway.
    """
    from stoat.service import steering

    changed = steering.pause(context.session(), plan)
    render.say(f"{plan} is paused" if changed else f"{plan} is paused already: nothing to change")


def resume(plan: PlanArgument) -> None:
    """Let a plan's runners go on, or begin where they were started with --paused."""
    from stoat.service import steering

    changed = steering.resume(context.session(), plan)
    render.say(f"{plan} goes on" if changed else f"{plan} is not paused: nothing to change")


def runners(plan: OptionalPlan = None, json: Json = False) -> None:
    """The runners on this machine: what they do, what they wait for, and how to start one where there is none."""
    import msgspec

    from stoat.service import steering

    found = steering.runners(context.session(), plan)
    if json:
        render.json({"runners": [{"plan": slug, **msgspec.to_builtins(one)} for slug, one in found]})
        return
    render.table(
        ("runner", "plan", "state", "at work", "checkout", "and"),
        [
            (one.runner_id, slug, one.state, f"{one.slots_in_use}/{one.parallel}", one.checkout, "; ".join(lines(one)))
            for slug, one in found
        ],
        empty=f"no runner on this machine: {_start(plan)}",
    )


def lines(one: RunnerShown) -> list[str]:
    """What there is to say of a runner beside its state: its agents, and the notes on it."""
    from stoat.derive.wording import steering as say

    return [*(say.at_work(agent.node, agent.attempt) for agent in one.running), *notes(one)]


def notes(one: RunnerShown) -> list[str]:
    """Who paused it, what it waits for, what it reached, what it was doing when it went away, how to go on then."""
    from stoat import clock
    from stoat.derive.wording import steering as say

    found = []
    if one.paused is not None:
        found.append(say.paused(one.paused.by, one.paused.at))
    if one.limited or one.limited_until is not None:
        until = clock.at_home(one.limited_until) if one.limited_until else None
        found.append(say.limited(until, one.limited, out_of_money=one.out_of_money))
    found += [say.stopping(one.stopped)] if one.stopped else []
    found += [one.drift] if one.drift else []
    found += [say.was(one.was)] if one.was else []
    found += [one.start] if one.start and one.state != "none" else []
    return found


def _start(plan: str | None) -> str:
    from stoat.derive.wording import commands

    return commands.run_plan(plan or "PLAN")
