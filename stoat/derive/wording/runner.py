"""Every sentence that a runner says to the person watching it: one line an event, its first sign says of what sort.

→ started · ✓ done or landed · ⚠ waits or was refused · ✗ failed · ⇡ goes first · ↻ taken over or tried again
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from stoat.clock import duration_text
from stoat.derive.holds import Hold
from stoat.derive.limits import Stop
from stoat.derive.troubles import Trouble
from stoat.derive.wording import machine, steering
from stoat.derive.wording.text import (
    ASKED_A_PERSON,
    KEPT_FOR_THE_CLOUD,
    PR_DID_NOT_CLOSE,
    PR_OPEN,
    counted,
    listed,
    moment,
    money,
    one_line,
)
from stoat.plan.state import LimitKind


class Launched(NamedTuple):
    """What a launch line tells: names as people write them, paths as they are."""

    node: str
    attempt: int
    tool: str
    base: str
    worktree: str
    log: str
    note: str = ""
    variables: tuple[str, ...] = ()


def starting(plan: str, checkout: str, parallel: int, runner_id: str) -> str:
    """The first line of a run."""
    return f"runner {runner_id} works plan {plan} from {checkout}, {counted(parallel, 'agent')} at a time"


def launched(what: Launched) -> str:
    """An agent was started."""
    parts = [f"→ attempt {what.attempt} on '{what.node}'", what.tool, f"from {what.base}", f"in {what.worktree}"]
    if what.note:
        parts.append(what.note)
    if what.variables:
        parts.append("with " + ", ".join(what.variables))
    return " · ".join([*parts, f"log: {what.log}"])


def setting_up(node: str, log: str) -> str:
    """The setup of a new worktree began."""
    return f"→ setting up the worktree of '{node}' · log: {log}"


def setup_failed(node: str, code: int | None, log: str) -> str:
    """A setup failed: the claim is released, no agent was started, no attempt is used up."""
    return f"✗ the setup for '{node}' failed{_code(code)}: nothing was started, its claim is released · log: {log}"


def setup_ended(code: int | None) -> str:
    """The same, as an attempt's detail."""
    return f"the setup of its worktree failed{_code(code)}"


def setup_interrupted() -> str:
    """A setup whose runner went away, as an attempt's detail."""
    return "the setup of its worktree was interrupted"


def claim_taken() -> str:
    """An attempt that lost its claim, as its detail."""
    return "its claim was taken from it"


def nothing_started(why: str) -> str:
    """No process came to be, as an attempt's detail."""
    return f"no agent could be started: {why}"


def no_node(plan: str, node: str) -> str:
    """Somebody removed the node while it was being launched."""
    return f"{plan} has no node {node} any more"


def hooks_said(notes: str) -> str:
    """A note on a launch line: a hook of a new worktree failed."""
    return f"hooks said: {notes.splitlines()[-1]}"


def moved_up(before: str) -> str:
    """A note on a launch line: the worktree was brought up to its base."""
    return f"moved up from {before[:7]}"


def left_alone(why: str) -> str:
    """A note on a launch line: the worktree has something of its own."""
    return f"left as it is: {why}"


def no_hooks(directory: str) -> str:
    """The repository's hooks are in a directory that worktrees do not have."""
    return f"⚠ core.hooksPath is {directory}, which worktrees do not have: no hook runs on commits made there"


def not_started(node: str, why: str) -> str:
    """The launcher's program could not be started."""
    return f"✗ no agent for '{node}': {one_line(why)}"


def expedited(node: str, by: str) -> str:
    """A person's expedite puts the node first."""
    return f"⇡ '{node}' is expedited by {by} — launching next"


def exited(node: str, code: int | None, spent: float, *, at_least: bool, interrupted: bool) -> str:
    """An agent's process ended, `interrupted` before its tool said how; `spent` is what the run cost so far, a floor
    where some attempt did not say."""
    total = f" · this run: {money(spent, at_least=at_least)}" if spent else ""
    shown = "code unknown" if code is None else code
    midway = ", in the middle of its work" if interrupted else ""
    return f"agent for '{node}' exited ({shown}){midway} — the evidence will say what it did{total}"


def hangs(node: str, text: str) -> str:
    """An agent waits for a limit instead of ending: it is stopped, and goes on in its session later."""
    return f"⚠ the agent of '{node}' waits for a limit of its account and is stopped until then: {one_line(text)}"


def limited(node: str, attempt: int, text: str) -> str:
    """An attempt that a limit of its account ended; it does not count."""
    return f"⚠ attempt {attempt} on '{node}' ran into a limit and does not count: {one_line(text)}"


def denied(node: str, tools: Sequence[str]) -> str:
    """An agent was refused tools that it wanted to use: nobody is there to be asked."""
    refused = listed(sorted(set(tools)), 5)
    return f"⚠ '{node}' was not allowed to use {refused}: see the permission flags in --agent-args"


def adopted(node: str, attempt: int, log: str) -> str:
    """A live agent of a runner that is gone is watched from now on."""
    return f"↻ attempt {attempt} on '{node}' is still running and is watched from here · log: {log}"


def found_ended(node: str, attempt: int) -> str:
    """An agent of a runner that is gone ended while nobody watched."""
    return f"↻ attempt {attempt} on '{node}' ended while no runner was here — the evidence will say what it did"


def fenced(node: str, holder: str | None) -> str:
    """The claim an agent worked under is somebody else's, or a person restarted the node: the agent is stopped."""
    if holder is None:
        return f"⚠ '{node}' was restarted: its agent is stopped, its worktree stays"
    return f"⚠ '{node}' is now held by {holder}: our agent on it is stopped, its worktree stays"


def removed(node: str) -> str:
    """The plan no longer has a node that an agent works on."""
    return f"⚠ '{node}' is no longer in the plan: its agent is stopped, its worktree stays"


def claim_gone(node: str) -> str:
    """The claim was released while the agent runs on."""
    return f"⚠ the claim on '{node}' was released; its agent runs on and is judged as usual"


def judged_bad(node: str, outcome: str, detail: str, attempt: int, tries: int, allowed: int) -> str:
    """An attempt got nowhere."""
    left = allowed - tries
    rest = f"{counted(left, 'attempt')} left" if left > 0 else "no attempt left"
    what = {"nothing": "left nothing", "lost": "was lost"}.get(outcome, "failed")
    return f"✗ attempt {attempt} on '{node}' {what}: {detail} ({rest})"


def reviewed(node: str, plan: str, detail: str) -> str:
    """A review was submitted: a person is next."""
    return f"✓ '{node}' {detail} — a person decides: stoat review list {plan}/{node}"


def given_back(node: str, attempt: int, detail: str) -> str:
    """An attempt that does not count."""
    return f"⚠ attempt {attempt} on '{node}' does not count: {detail}"


def gave_up(node: str, plan: str, attempts: int, detail: str, worktree: str | None) -> str:
    """No more attempts: loud, and where to look; `worktree` is None where there is none any more."""
    stays = f"Its worktree stays to be looked at: {worktree} — then"
    there = stays if worktree else "Its worktree is gone — begin again"
    after = counted(attempts, "attempt")
    return f"✗ GIVING UP on '{node}' after {after}: {detail}. {there}: stoat restart {plan}/{node}"


def verifying(node: str, log: str) -> str:
    """The verification of a finished branch began."""
    return f"→ verifying '{node}' on its committed branch · log: {log}"


def verification_waits(hold: Hold, plan: str) -> str:
    """A verification that cannot run beside what others have of the machine."""
    return f"⚠ the verification of '{hold.node}' is not started: {why_held(hold, plan)}"


def verification_stuck(node: str, problem: Exception) -> str:
    """What the verification needs of the machine could not be had, and not because somebody else has it."""
    return f"⚠ the verification of '{node}' is not started: {one_line(str(problem))}"


def verified_red(node: str, code: int | None, log: str) -> str:
    """The verification failed."""
    return f"✗ '{node}' is red when run again on its committed branch{_code(code)} · log: {log}"


def done(node: str, detail: str) -> str:
    """A node is done, with nothing for the runner to do about it."""
    return f"✓ '{node}' is done — {detail}" if detail else f"✓ '{node}' is done"


_SAID_OF_ALL = frozenset({"slot", "pr-open", "limited", "reserved", "cap", "scarce", "creating", "unread"})


def held(hold: Hold, plan: str) -> str | None:
    """Why a node that is ready is not launched; None for what passes by itself (a slot, an attempt being judged), is
    said of its pull request or of the machine."""
    passes = hold.reason in _SAID_OF_ALL or (hold.reason == "judging" and not hold.what)
    return None if passes else f"⚠ {hold.node}: {why_held(hold, plan)}"


def why_held(hold: Hold, plan: str) -> str:
    """The same without the node's name, whatever the reason."""
    node, what = hold.node, hold.what
    sentences: Mapping[str, str] = {
        "judging": f"its attempt by runner {what} is not judged yet — stoat restart {plan}/{node} forgets it"
        if what
        else "its last attempt is being judged",
        "slot": f"waiting for a slot ({what} in use)",
        "claimed": f"held by {what}",
        "person": "kept for a person",
        "cloud": f"{KEPT_FOR_THE_CLOUD}; no local agent is started on it",
        "creating": "its issue is about to be created",
        "unbound": f"not bound to an issue — stoat node bind {plan}/{node} --issue N",
        "pr-open": PR_OPEN,
        "unseen": what,
        "over": f"{PR_DID_NOT_CLOSE} — stoat restart {plan}/{node} does it over",
        "elsewhere": f"in {what}, not this checkout",
        "unnamed": f"in {what}, and this checkout's remote names no repository — git config stoat.repo {what}",
        "go-ahead": f"awaiting a person's go-ahead — stoat approve {plan}/{node}",
        "question": f"{ASKED_A_PERSON} — stoat questions {plan}",
        "gave-up": f"given up on ({what}) — stoat restart {plan}/{node}",
        "finished": f"finished, and waits to be merged — stoat restart {plan}/{node} does it over",
        "upstream": f"'{what}' is done and has not landed yet, so its work would be missing",
        "resource": f"waiting on {what}",
        "limited": f"waits for a limit of its account — goes on at {moment(what)}",
        "alone": f"has to run alone, and waits for {what}",
        "reserved": machine.reserved(what),
        "cap": machine.cap(what),
        "scarce": what,
        "unread": what,
    }
    return sentences[hold.reason]


def paused_for_a_limit(kind: LimitKind, text: str, until: str) -> str:
    """The account has no quota left: nothing new is started. `until` is a moment on the clock of this machine."""
    return f"⚠ {steering.limited(until, (), out_of_money=kind == 'spend')} ({one_line(text)})"


def no_base(node: str, why: str) -> str:
    """No fresh base to start from: nothing is launched, nothing is used up."""
    return f"⚠ {node}: not launched, {why}"


def not_equipped(node: str, problem: Exception) -> str:
    """Its copies or its part of the machine could not be had: nothing is launched, nothing is used up."""
    hint = getattr(problem, "hint", None)
    return f"⚠ {node}: not launched, {one_line(str(problem))}{f' — {hint}' if hint else ''}"


def machine_held(by: str, why: str | None) -> str:
    """A person holds the machine."""
    return f"⚠ {by} holds this machine{f' ({why})' if why else ''}: nothing new is started until `stoat hold --off`"


def stopped(stop: Stop, running: int) -> str:
    """No more claims, and why; agents that are out finish."""
    out = f"; {counted(running, 'agent')} out there will finish" if running else ""
    why = "stopping, as you asked" if stop.reason == "asked" else f"stopping: {reached(stop)}"
    return f"⚠ {why}{out}"


def reached(stop: Stop) -> str:
    """Why a run takes no new work, as a fragment."""
    return {
        "asked": "a person asked it to",
        "stop-file": ".stoat-stop is in the project directory",
        "budget": f"another budget would pass ${stop.limit:g} (${stop.used:g} handed out)",
        "cost": f"agents reported ${stop.used:.2f}, the limit is ${stop.limit:g}",
        "time": f"{duration_text(stop.limit * 60)} are over",
        "failures": f"{counted(int(stop.used), 'attempt')} in a row got nowhere — likely the environment",
        "other": "it reached a limit that this version of stoat does not know",
    }[stop.reason]


def go_on() -> str:
    """What had stopped the run is gone."""
    return "↻ going on"


def interrupted(nodes: Sequence[str]) -> str:
    """The first Ctrl-C or SIGTERM."""
    if not nodes:
        return "⚠ stopping: no new claims"
    return (
        f"⚠ stopping: no new claims. {counted(len(nodes), 'agent')} still at work ({listed(nodes, 10)}); waiting for "
        "them — once more to leave at once, they run on"
    )


def left_running(nodes: Sequence[str], plan: str) -> str:
    """The runner leaves while agents run."""
    return f"⚠ leaving {listed(nodes, 10)} at work; the next `stoat run-plan {plan}` takes them over"


def asked(node: str, question: str, question_id: str) -> str:
    """An agent asked a person."""
    return f"? '{node}' asks: {one_line(question)} — stoat answer {question_id} '…'"


def unreachable(why: str) -> str:
    """The store could not be read or written just now."""
    return f"⚠ {one_line(why)} — trying again"


_TROUBLES: Mapping[Trouble, str] = {
    "gave-up": "given up on",
    "uncommitted": "not committed",
    "never-committed": "nothing on its branch",
    "unusable": "its worktree cannot be used",
    "steps-open": "its steps are to run again",
    "red": "its verification is red",
    "conflict": "conflicts",
    "hook": "refused by a hook",
    "not-landed": "could not be landed",
    "no-base": "no fresh base",
    "busy": "its worktree is busy",
    "setup": "its setup failed",
    "not-launched": "could not be launched",
    "failures": "attempts in a row got nowhere",
    "disk": "too little disk is free",
    "copy": "its files could not be copied",
    "unreserved": "its part of the machine could not be had",
}


def trouble(what: Trouble) -> str:
    """What is not in order, as a fragment."""
    return _TROUBLES[what]


def summary(done_count: int, total: int, problems: Mapping[str, Trouble]) -> str:
    """The last line of a run. `problems` are by node, those of the run itself under the empty name."""
    if problems:
        named = [f"{node} ({_TROUBLES[why]})" if node else _TROUBLES[why] for node, why in sorted(problems.items())]
        return f"{done_count} of {total} done; not in order: {listed(named, 10)}"
    return f"{done_count} of {total} done"


def warning(text: str) -> str:
    """What the store, a spooled result or the plan's branch has to say, in its own words."""
    return f"⚠ {one_line(text)}"


def resident(done_count: int, total: int) -> str:
    """A resident run has nothing to do just now."""
    return f"{done_count} of {total} done; staying for new work (Ctrl-C ends it)"


def _code(code: int | None) -> str:
    return "" if code is None else f" (exit {code})"
