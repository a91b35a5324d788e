"""What a run was asked to do: the flags of `stoat run-plan` as one value, with their defaults and their refusals."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from stoat.derive.limits import Limits
from stoat.derive.schedule import Scope
from stoat.errors import Refused
from stoat.plan.guards import not_archived
from stoat.plan.state import PlanState
from stoat.plan.variables import RUN_TAG
from stoat.runner.cloud.launchers import CloudLauncher
from stoat.runner.filling import port_names
from stoat.runner.profiles import Profile

LATER = {
    "cloud_url": "reporting over HTTP, for cloud agents",
    "max_fix_attempts": "resuming an agent for its own pull request",
    "max_rebases": "resuming an agent for its own pull request",
    "fix_stall_minutes": "resuming an agent for its own pull request",
    "fix_with": "resuming an agent for its own pull request",
}
"""Flags whose effect is in a later version, and what it is: given, they are refused, never ignored."""

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_NO_PORTS = frozenset({"PATH", "HOME", RUN_TAG})


@dataclass(frozen=True, kw_only=True)
class RunOptions:
    """A run of a plan from one checkout. Seconds and dollars are plain numbers; None is “not given”."""

    plan: str
    project: Path
    profile: Profile
    parallel: int = 2
    expedite_slot: bool = False
    max_attempts: int = 2
    agent_command: str | None = None
    model: str | None = None
    lean: bool = False
    url: str | None = None
    cloud: CloudLauncher | None = None
    agent_args: tuple[str, ...] = ()
    scope: Scope = field(default_factory=Scope)
    agent_env: tuple[tuple[str, str], ...] = ()
    agent_setup: str | None = None
    ports: tuple[str, ...] = ()
    copies: tuple[str, ...] = ()
    verify_command: tuple[str, ...] = ()
    agent: str = "stoat-runner"
    watch: bool = False
    paused: bool = False
    once: bool = False
    base: str | None = None
    limits: Limits = field(default_factory=Limits)
    settle_seconds: float = 180.0
    stagger_seconds: float = 5.0
    poll_seconds: float = 15.0
    allow_prompting: bool = False
    allow_unprovable: bool = False


def refuse_later(given: Iterable[str]) -> None:
    """Refused when one of the flags that were given (`fix_with` for --fix-with) works in a later version only."""
    names = [name for name in given if name in LATER]
    if names:
        flags = ", ".join(f"--{name.replace('_', '-')}" for name in names)
        raise Refused(
            f"{flags}: {' and '.join(dict.fromkeys(LATER[name] for name in names))} comes with a later version",
            hint="leave the flag out",
        )


def parse_environment(written: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """--agent-env values `KEY=VALUE` taken apart; Refused with all that are not written that way."""
    pairs, wrong = [], []
    for one in written:
        name, equals, value = one.partition("=")
        if equals and _NAME.fullmatch(name) and not name.startswith("STOAT_") and name != RUN_TAG:
            pairs.append((name, value))
        else:
            wrong.append(one)
    if wrong:
        raise Refused(
            f"--agent-env takes KEY=VALUE, and not {', '.join(map(repr, wrong))}",
            hint=f"a name has letters, digits and underscores; STOAT_… and {RUN_TAG} are set by the runner",
        )
    return tuple(pairs)


def parse_ports(written: Iterable[str], variables: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """--port names; Refused with all that are no name of a variable, or are a variable of --agent-env as well."""
    names = tuple(dict.fromkeys(written))
    wrong = [name for name in names if not _NAME.fullmatch(name) or name.startswith("STOAT_") or name in _NO_PORTS]
    if wrong:
        raise Refused(
            f"--port takes the name of a variable, and not {', '.join(map(repr, wrong))}",
            hint=f"a name has letters, digits and underscores; STOAT_…, PATH, HOME and {RUN_TAG} mean something else",
        )
    both = sorted({name for name, _ in variables} & set(names))
    if both:
        raise Refused(
            f"--port and --agent-env both set {', '.join(both)}",
            hint="give one of them another name; {port:NAME} puts a port into a variable of --agent-env",
        )
    return names


def check(options: RunOptions, plan: PlanState) -> None:
    """What must stop a run before it claims anything, whatever its launcher, as far as one can tell; Refused."""
    scope = options.scope
    unknown = sorted((scope.only | scope.skip) - set(plan.nodes))
    if unknown:
        raise Refused(
            f"plan {plan.slug} has no node {', '.join(map(repr, unknown))}",
            hint=f"see its nodes: stoat status {plan.slug}",
        )
    if scope.ignore_dependencies and not scope.only:
        raise Refused(
            "--ignore-dependencies vouches for the upstream of single nodes, so it needs --node",
            hint="name them: --node ID --ignore-dependencies",
        )
    if options.paused and not options.watch:
        raise Refused(
            "--paused waits for a person's start, and a run without --watch waits for nothing",
            hint="add --watch, or leave --paused out",
        )
    if not options.agent.strip() or not options.agent.isprintable():
        raise Refused(
            f"--agent {options.agent!r} is no name to claim nodes under",
            hint="leave it out, or give a name that can be read",
        )
    _check_numbers(options)
    _check_ports(options)
    _check_url("--url", options.url)
    not_archived(plan)


def _check_numbers(options: RunOptions) -> None:
    """Refused where a flag was given `nan` or `inf`, which keep no bound and end no wait."""
    flags = {
        "--max-total-usd": options.limits.total_usd, "--budget-usd": options.limits.budget_usd,
        "--max-minutes": options.limits.minutes, "--settle-seconds": options.settle_seconds,
        "--stagger-seconds": options.stagger_seconds, "--poll-seconds": options.poll_seconds,
    }  # fmt: skip
    wrong = [flag for flag, number in flags.items() if number is not None and not math.isfinite(number)]
    if wrong:
        raise Refused(f"{', '.join(wrong)}: {flags[wrong[0]]} is no number to go by", hint="give a finite one")


def _check_ports(options: RunOptions) -> None:
    texts = [value for _, value in options.agent_env] + [options.agent_setup or "", *options.verify_command]
    asked = {name for text in texts for name in port_names(text)}
    missing = sorted(asked - set(options.ports))
    if missing:
        raise Refused(
            f"{{port:{missing[0]}}} is asked for, and no worktree has such a port",
            hint=f"add --port {missing[0]}",
        )


def _check_url(flag: str, url: str | None) -> None:
    if url is not None and not _is_address(url):
        raise Refused(
            f"{flag} takes the address of a Stoat host, and not {url!r}",
            hint=f"for example {flag} http://localhost:5526",
        )


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname) and port != 0


def executable(options: RunOptions) -> str:
    """The program that agents are started with; a path is taken from the project's directory."""
    command = options.agent_command or options.profile.command
    return str(options.project / command) if "/" in command else command
