"""What is said of pausing runners and letting them go on, and of a usage limit that they wait for."""

from __future__ import annotations

from collections.abc import Sequence

from stoat.clock import Time
from stoat.derive.wording import commands
from stoat.derive.wording.text import counted, listed, moment, money

NO_RUNNER = "No runner on this machine. It starts with:"


def nobody(plan: str, runner: str | None) -> str:
    """Nobody hears a command to the runner."""
    return f"runner {runner} of plan {plan} is gone" if runner else f"plan {plan} has no runner on this machine"


def silent(runner: str) -> str:
    """Its process is there and says nothing any more: it is stopped, or hangs."""
    return f"runner {runner} is disconnected (it said nothing for half a minute)"


def wake(pid: int | None) -> str:
    """What lets a silent runner go on."""
    return f"if it was stopped, this lets it go on: {commands.wake(pid)}"


def paused_line(plan: str, by: str, at: Time) -> str:
    """A resident runner starts nothing more."""
    return f"⏸ paused by {by} at {moment(at)}: nothing new is started, agents at work finish — {commands.resume(plan)}"


def ends_paused_line(plan: str, by: str, at: Time) -> str:
    """A run that does not stay can do nothing for a paused plan."""
    return (
        f"⏸ {plan} is paused by {by} since {moment(at)}, so nothing is started — run it with --watch, then "
        f"{commands.resume(plan)}"
    )


def goes_on_line() -> str:
    """The pause is over."""
    return "↻ going on: the pause is over"


def limited(until: str | None, nodes: Sequence[str], *, out_of_money: bool = False) -> str:
    """Agents wait for their account; `until` is when they go on, as the reader's clock shows it."""
    when = f"resumes at {until}" if until else "it is not known when it resumes"
    waiting = f" ({listed(nodes, 10)})" if nodes else ""
    if out_of_money:
        again = f"; tried again at {until}" if until else ""
        return f"paused: a person has to put money into the account{again}{waiting}"
    return f"paused for a usage limit — {when}{waiting}"


def paused(by: str, at: Time) -> str:
    """A person paused it."""
    return f"paused by {by} at {moment(at)}"


def at_work(node: str, attempt: int) -> str:
    """An agent that runs."""
    return f"{node} (attempt {attempt})"


def stopping(why: str) -> str:
    """It takes nothing new; `why` is a fragment."""
    return f"stopping: {why}"


def was(nodes: Sequence[str]) -> str:
    """What one that went away was doing when it last said something."""
    return f"it was working on {listed(nodes, 10)}"


def slots(used: int, parallel: int) -> str:
    """How many of its slots a runner uses."""
    return f"{used} of {parallel} at work"


def done(count: int, total: int) -> str:
    """How far a plan is."""
    return f"{count} of {total} done"


def spent(usd: float, *, at_least: bool) -> str:
    """What a plan cost so far."""
    return f"{money(usd, at_least=at_least)} spent"


def waiting(needs: int) -> str | None:
    """How much waits for a person; nothing where nothing does."""
    return f"{needs} {'waits' if needs == 1 else 'wait'} for you" if needs else None


def attempt(number: int) -> str:
    """Which attempt of its node an agent is."""
    return f"attempt {number}"


def more(agents: int) -> str:
    """Agents that there is no room for."""
    return f"and {counted(agents, 'more agent')}"


def unshown(lines: int) -> str:
    """Lines that a terminal did not take."""
    return f"⚠ {counted(lines, 'more line')} not shown: the terminal took none for a while"


def more_needs(needs: int, plan: str) -> str:
    """Needs that there is no room for, and where they are."""
    return f"and {needs} more: stoat needs {plan}"
