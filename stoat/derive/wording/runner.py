"""Every sentence that a runner says to the person watching it: one line an event, its first sign says of what sort.

→ started · ✓ done or landed · ⚠ waits or was refused · ✗ failed · ⇡ goes first · ↻ taken over or tried again
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from stoat.clock import duration_text
from stoat.derive.limits import Stop
from stoat.derive.schedule import Hold
from stoat.derive.wording.text import counted, listed


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


def workers(launcher: str, command: str, model: str | None) -> str:
    """What the run's agents are started with."""
    if model is None:
        return f"workers run on {launcher} ({command})"
    return f"workers ask for {model} on {launcher} unless a node names another model"


def starting(plan: str, checkout: str, parallel: int, runner_id: str) -> str:
    """The first line of a run."""
    return f"runner {runner_id} works plan {plan} from {checkout}, {counted(parallel, 'agent')} at a time"


def branch_cut(branch: str, base: str, commit: str) -> str:
    """The integration branch was made."""
    return f"'{branch}' is cut from {base} ({commit[:7]}); finished work lands on it, never on the default branch"


def branch_used(branch: str, commit: str) -> str:
    """The integration branch was there."""
    return f"finished work lands on '{branch}' (at {commit[:7]}), never on the default branch"


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


def not_started(node: str, why: str) -> str:
    """The launcher's program could not be started."""
    return f"✗ no agent for '{node}': {_line(why)}"


def expedited(node: str, by: str) -> str:
    """A person's expedite puts the node first."""
    return f"⇡ '{node}' is expedited by {by} — launching next"


def exited(node: str, code: int | None, spent: float | None) -> str:
    """An agent's process ended."""
    total = f" · this run: ${spent:.2f}" if spent else ""
    shown = "code unknown" if code is None else code
    return f"agent for '{node}' exited ({shown}) — the evidence will say what it did{total}"


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


def given_back(node: str, attempt: int, detail: str) -> str:
    """An attempt that does not count."""
    return f"⚠ attempt {attempt} on '{node}' does not count: {detail}"


def gave_up(node: str, plan: str, attempts: int, detail: str, worktree: str) -> str:
    """No more attempts: loud, and where to look."""
    return (
        f"✗ GIVING UP on '{node}' after {counted(attempts, 'attempt')}: {detail}. Its worktree stays to be looked at: "
        f"{worktree} — then: stoat restart {plan}/{node}"
    )


def verifying(node: str, log: str) -> str:
    """The verification of a finished branch began."""
    return f"→ verifying '{node}' on its committed branch · log: {log}"


def verified_red(node: str, code: int | None, log: str) -> str:
    """The verification failed."""
    return f"✗ '{node}' is red when run again on its committed branch{_code(code)} · log: {log}"


def done(node: str, detail: str) -> str:
    """A node is done, with nothing for the runner to do about it."""
    return f"✓ '{node}' is done — {detail}" if detail else f"✓ '{node}' is done"


def nothing_to_land(node: str, detail: str) -> str:
    """A node is done and verified, and its branch has nothing new."""
    return f"✓ '{node}' is done — {detail}; verified, with nothing to land"


def merge_when_ready(node: str, detail: str, command: str) -> str:
    """Green work that a person merges; the command is on a line of its own, to be copied."""
    return f"✓ '{node}' is done — {detail} on the committed branch. Merge when ready:\n{command}"


def change_to_merge(node: str, detail: str, command: str) -> str:
    """A finished change that a person merges, which is what makes it done."""
    return f"✓ '{node}' is finished — {detail}. It is done once it is merged. Merge when ready:\n{command}"


def landed(node: str, detail: str, branch: str, onto: str, how: str, commits: int) -> str:
    """Finished work reached the integration branch."""
    what = {
        "rebased": f"rebased {branch} onto {onto} and fast-forwarded ({commits} commit(s))",
        "fast-forwarded": f"fast-forwarded to {branch} ({commits} commit(s))",
        "merged": f"merged {branch} (--no-ff; a rebase conflicts)",
    }[how]
    return f"✓ '{node}' is done — {detail} — and landed on '{onto}': {what}."


def seen_landed(node: str, onto: str, commit: str) -> str:
    """Git shows the work on the branch, and no landing of ours put it there."""
    return f"✓ '{node}' is on '{onto}' ({commit[:7]}) — seen in git"


def reverted(node: str, commit: str) -> str:
    """Landed work was reverted by somebody; it stays landed."""
    return f"⚠ '{node}' was landed, and {commit[:7]} reverted it; it is not landed again"


def parked(node: str, onto: str, files: Sequence[str], worktree: str) -> str:
    """Rebase and merge both conflict."""
    return (
        f"⚠ '{node}' is done and conflicts with '{onto}' in {listed(files, 10)}: nothing moved. Resolve it by hand in "
        f"{worktree}, commit, and run again"
    )


def cannot_land(node: str, onto: str, why: str) -> str:
    """A landing that did not happen, for another reason than a conflict."""
    return f"⚠ '{node}' is done and cannot land on '{onto}' now: {_line(why)}"


def uncommitted(node: str, files: Sequence[str], worktree: str) -> str:
    """Green, with changes that no commit has."""
    return (
        f"✗ '{node}' is done and not mergeable until these are committed or discarded: {listed(files, 10)} "
        f"(in {worktree})"
    )


def never_committed(node: str, worktree: str) -> str:
    """Green, with nothing on the branch."""
    return (
        f"✗ '{node}' is done, but its branch has no commit: the green run was of code that never reached it "
        f"(in {worktree})"
    )


def steps_open(node: str, steps: Sequence[str], plan: str) -> str:
    """The branch moved on since the steps passed."""
    first = f"stoat gate run {plan}/{node} --step {steps[0]}" if steps else ""
    return f"✗ '{node}' moved on since its steps passed: run {listed(steps, 10)} again on its last commit — {first}"


def unusable(node: str, why: str, worktree: str) -> str:
    """A worktree that only a person can put right."""
    return f"✗ the worktree of '{node}' cannot be used: {_line(why)} ({worktree})"


def elsewhere(node: str, detail: str) -> str:
    """Done by somebody else's run."""
    return f"✓ '{node}' is done — {detail}; done by a run outside this one, so there is nothing here to merge"


def held(hold: Hold, plan: str) -> str | None:
    """Why a node that is ready is not launched; None for what passes by itself (a slot, an attempt being judged)."""
    passes = hold.reason == "slot" or (hold.reason == "judging" and not hold.what)
    return None if passes else f"⚠ {hold.node}: {why_held(hold, plan)}"


def why_held(hold: Hold, plan: str) -> str:
    """The same without the node's name, whatever the reason."""
    node, what = hold.node, hold.what
    sentences: Mapping[str, str] = {
        "judging": f"its attempt by runner {what} is not judged yet — stoat restart {plan}/{node} forgets it"
        if what
        else "its last attempt is being judged",
        "slot": f"waiting for a slot ({what} in use)",
        "later": f"{what} nodes are launched by a later version",
        "claimed": f"held by {what}",
        "person": "kept for a person",
        "cloud": "kept for a cloud agent; no local agent is started on it",
        "elsewhere": f"in {what}, not this checkout",
        "go-ahead": f"awaiting a person's go-ahead — stoat approve {plan}/{node}",
        "question": f"its agent asked a person and waits for the answer — stoat questions {plan}",
        "gave-up": f"given up on ({what}) — stoat restart {plan}/{node}",
        "finished": f"finished, and waits to be merged — stoat restart {plan}/{node} does it over",
        "upstream": f"'{what}' is done and has not landed yet, so its work would be missing",
        "resource": f"waiting on {what}",
        "alone": f"has to run alone, and '{what}' runs" if what else "has to run alone",
    }
    return sentences[hold.reason]


def no_base(node: str, why: str) -> str:
    """No fresh base to start from: nothing is launched, nothing is used up."""
    return f"⚠ {node}: not launched, {why}"


def machine_held(by: str, why: str | None) -> str:
    """A person holds the machine."""
    return f"⚠ {by} holds this machine{f' ({why})' if why else ''}: nothing new is started until `stoat hold --off`"


def stopped(stop: Stop, running: int) -> str:
    """No more claims, and why; agents that are out finish."""
    out = f"; {counted(running, 'agent')} out there will finish" if running else ""
    why = {
        "asked": "stopping, as you asked",
        "stop-file": "stopping: .stoat-stop is in the project directory",
        "budget": f"stopping: another budget would pass ${stop.limit:g} (${stop.used:g} handed out)",
        "cost": f"stopping: agents reported ${stop.used:.2f}, the limit is ${stop.limit:g}",
        "time": f"stopping: {duration_text(stop.limit * 60)} are over",
        "failures": f"stopping: {counted(int(stop.used), 'attempt')} in a row got nowhere — likely the environment",
    }[stop.reason]
    return f"⚠ {why}{out}"


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
    return f"? '{node}' asks: {_line(question)} — stoat answer {question_id} '…'"


def unreachable(why: str) -> str:
    """The store could not be read or written just now."""
    return f"⚠ {_line(why)} — trying again"


def finished_on(branch: str, base: str | None) -> str:
    """Where finished work is, at the end of a run with an integration branch."""
    onto = f" to {base}" if base else ""
    return (
        f"Finished work is on '{branch}'. Open the PR from it{onto} when the plan is done; that merge stays a person's."
    )


def summary(done_count: int, total: int, problems: Sequence[str]) -> str:
    """The last line of a run."""
    if problems:
        return f"{done_count} of {total} done; not in order: {listed(problems, 10)}"
    return f"{done_count} of {total} done"


def resident(done_count: int, total: int) -> str:
    """A resident run has nothing to do just now."""
    return f"{done_count} of {total} done; staying for new work (Ctrl-C ends it)"


def _line(text: str) -> str:
    """What others wrote, on one line: nobody can make it look like a line of the runner's own."""
    return " ".join(text.split())


def _code(code: int | None) -> str:
    return "" if code is None else f" (exit {code})"
