"""The commands that an answer offers: what runs a step again, what settles a need."""

from __future__ import annotations

import shlex
from functools import lru_cache

from stoat.plan.commands import argv_of, needs_shell, written
from stoat.plan.nodes import Step

COMMAND = "COMMAND"
"""Stands where only the reader knows what to run."""


def gate_exec(plan: str, node: str, step: Step) -> str:
    """The exact command that runs a step again, with all that it declares."""
    flags = [f"stoat gate exec {plan}/{node} --step {step.id}"]
    if step.cwd is not None:
        flags.append(f"--cwd {shlex.quote(step.cwd)}")
    flags.extend(f"--env {shlex.quote(f'{name}={value}')}" for name, value in step.env.items())
    if step.timeout is not None:
        flags.append(f"--timeout {step.timeout}")
    flags.append(f"-- {_for_shell(step.run) if step.run else COMMAND}")
    return " ".join(flags)


@lru_cache(maxsize=16384)
def _for_shell(run: str) -> str:
    return written(argv_of(run)) if needs_shell(run) else run.strip()


def gate_run(plan: str, node: str) -> str:
    """Runs all steps of a gate."""
    return f"stoat gate run {plan}/{node}"


def gate_bare(plan: str, node: str) -> str:
    """Runs a gate that declares no steps."""
    return f"stoat gate exec {plan}/{node} -- {COMMAND}"


def runs_add(plan: str, node: str) -> str:
    """Records the results of a slice's specs."""
    return f"stoat runs add RESULTS.xml --tag {plan}/{node}"


def approve(plan: str, node: str | None = None) -> str:
    """Gives a go-ahead, to a node or to the plan."""
    return f"stoat approve {plan}/{node}" if node else f"stoat approve {plan}"


def review(plan: str, node: str) -> str:
    """Shows a review's findings, each with the commands that decide it."""
    return f"stoat review list {plan}/{node}"


def done(plan: str, node: str) -> str:
    """Marks a person's node done."""
    return f"stoat done {plan}/{node}"


def restart(plan: str, node: str) -> str:
    """Tries a node anew."""
    return f"stoat restart {plan}/{node}"


def claim(plan: str, node: str) -> str:
    """Takes a node."""
    return f"stoat claim {plan}/{node}"


def accept_partial(plan: str, node: str) -> str:
    """Accepts an issue as it is, with something left out."""
    return f"stoat accept-partial {plan}/{node}"


def answer(question: str) -> str:
    """Answers a question."""
    return f"stoat answer {question} TEXT"


def bind(plan: str, node: str) -> str:
    """Binds an issue node to its issue."""
    return f"stoat node bind {plan}/{node} --issue N"


def unlink(plan: str, node: str, on: str) -> str:
    """Drops a dependency."""
    return f"stoat node unlink {plan}/{node} --on {on}"


def merge(checkout: str | None, branch: str) -> str:
    """Merges a branch into what a checkout has out."""
    where = f"-C {shlex.quote(checkout)} " if checkout else ""
    return f"git {where}merge {branch}"


def bring_in(plan: str, commit: str) -> str:
    """Merges what was merged on GitHub into the plan's branch, in the worktree that a runner keeps for that."""
    return f"git -C CHECKOUT-{plan}-integration merge {commit[:12]}"


def look_at(worktree: str) -> str:
    """See in which state a worktree is; it changes nothing."""
    return shlex.join(("git", "-C", worktree, "status"))


def run_plan(plan: str, checkout: str | None = None) -> str:
    """Starts a resident runner."""
    return f"stoat run-plan {plan} {shlex.quote(checkout) if checkout else 'CHECKOUT'} --watch"


def pause(plan: str) -> str:
    """Keeps the plan's runners from starting anything."""
    return f"stoat pause {plan}"


def resume(plan: str) -> str:
    """Lets the plan's runners go on."""
    return f"stoat resume {plan}"


def wake(pid: int | None) -> str:
    """Lets a stopped process go on."""
    return f"kill -CONT {pid}" if pid is not None else "kill -CONT PID"


_RESUMES = {"claude": ("claude", "--resume"), "codex": ("codex", "resume"), "gemini": ("gemini", "--resume")}
"""What opens a session of a tool again, to go on in it by hand."""


def go_back(launcher: str, worktree: str, session: str) -> str | None:
    """Opens the session of an agent again, where it worked; None where its tool cannot."""
    words = _RESUMES.get(launcher)
    return f"cd {shlex.quote(worktree)} && {shlex.join((*words, session))}" if words else None


def catch_up(plan: str, worktree: str | None, base: str) -> str:
    """Merges the base into the plan's branch, in the worktree that a runner keeps for that, where it said which."""
    return shlex.join(("git", "-C", worktree or f"CHECKOUT-{plan}-integration", "merge", base))


def hold_off() -> str:
    """Lifts a machine's hold."""
    return "stoat hold --off"


def ref(plan: str, node: str) -> str:
    """A node as it is written everywhere."""
    return f"{plan}/{node}"


def issue_url(repository: str, number: int) -> str:
    """Where an issue is read."""
    return f"https://github.com/{repository}/issues/{number}"


def commit_url(repository: str, commit: str) -> str:
    """Where a commit is read; `repository` is the link to it."""
    return f"{repository}/commit/{commit}"


def pr_url(repository: str, number: int) -> str:
    """Where a pull request is read."""
    return f"https://github.com/{repository}/pull/{number}"


def prune() -> str:
    """Shows the worktrees that can go, with what keeps the others."""
    return "stoat prune"
