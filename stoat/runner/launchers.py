"""Which launcher profile a run works with: the user's own, laid over those that Stoat brings along."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

from stoat.errors import Refused
from stoat.runner.builtin import BUILT_IN
from stoat.runner.launchers_file import HINT, users_own
from stoat.runner.profiles import Profile


def choose(name: str, file: Path | None, home: Path) -> Profile:
    """The profile of that name, of `file` or else of ~/.stoat/launchers.json under `home`, else the built-in one.

    A user's profile replaces a built-in one of its name whole. Invalid with everything that is wrong with the file;
    Refused where there is no such profile, or it is for cloud agents.
    """
    place, own = users_own(file, home)
    profiles = {**BUILT_IN, **own}
    profile = profiles.get(name)
    if profile is None:
        where = f" in {place}, and none that Stoat brings along" if own else ""
        raise Refused(f"there is no launcher {name!r}{where} (there: {', '.join(profiles)})", hint=HINT)
    if profile.cloud:
        raise Refused(
            f"launcher {name} starts cloud agents, which no worktree of this machine is for",
            hint='name a launcher without "cloud": true, and this one with --cloud-launcher',
        )
    return profile


def has_posture(profile: Profile, extra: Sequence[str]) -> bool:
    """Whether one of the profile's permission flags was chosen; a profile that names none has nothing to ask."""
    given = [*profile.arguments, *extra]
    return not profile.posture_flags or any(is_flag(word, flag) for word in given for flag in profile.posture_flags)


def is_flag(word: str, flag: str) -> bool:
    """Whether the word is the flag, with its value or without: `--mode=x`, and `-sx` for a short one."""
    short = len(flag) == 2 and not word.startswith("--")
    return word == flag or word.startswith(f"{flag}=") or (short and word.startswith(flag))


def split_arguments(flag: str, text: str) -> tuple[str, ...]:
    """A flag's value split as a shell would; Refused with an unterminated quote."""
    try:
        return tuple(shlex.split(text))
    except ValueError as problem:
        raise Refused(
            f"{flag} cannot be split into arguments: {str(problem).lower()}",
            hint="close every quote, or escape it with a backslash",
        ) from problem
