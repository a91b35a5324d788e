"""Which launcher hands nodes to cloud agents: a user's profile with `"cloud": true`, or one of the engines."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from stoat.errors import Refused
from stoat.runner.cloud.engines import ENGINES, LONGEST, Handover, Order, parameters
from stoat.runner.filling import fill
from stoat.runner.launchers_file import HINT, users_own
from stoat.runner.profiles import Profile


@dataclass(frozen=True)
class CloudLauncher:
    """A launcher by its name: a profile with a command of its own, or the engine of that name with `given`."""

    name: str
    profile: Profile | None
    given: Mapping[str, str]

    @property
    def longest(self) -> int:
        """Bytes that a prompt may have."""
        return LONGEST if self.profile is not None else ENGINES[self.name].longest

    def hand(self, order: Order, *, began: str) -> Handover:
        """The program that hands the order over. `began` is the time at which that begins."""
        if self.profile is None:
            return ENGINES[self.name].hand({**self.given, "began": began}, order)
        words = [fill(word, {"prompt": order.prompt}) for word in self.profile.arguments]
        return Handover((self.profile.command, *words))


def choose_cloud(name: str, file: Path | None, home: Path, environ: Mapping[str, str]) -> CloudLauncher:
    """The cloud launcher of that name, of `file` or else of ~/.stoat/launchers.json under `home`, else the engine's.

    Refused where there is none, where it starts agents on this machine, where a parameter is missing or there is no
    such program; Invalid with everything that is wrong with the file.
    """
    own = users_own(file, home)[1]
    profile = own.get(name)
    if profile is None and name not in ENGINES:
        known = [*ENGINES, *(each for each, one in own.items() if one.cloud)]
        raise Refused(f"there is no cloud launcher {name!r} (there: {', '.join(known)})", hint=HINT)
    if profile is not None and not profile.cloud:
        raise Refused(
            f"launcher {name} starts agents on this machine",
            hint='name one that has "cloud": true: its command hands the work over and exits',
        )
    if profile is not None and profile.command:
        chosen = CloudLauncher(name, profile, {})
        program = profile.command
    else:
        chosen = CloudLauncher(name, None, parameters(name, profile.parameters if profile else {}, environ))
        program = ENGINES[name].program
    if shutil.which(program, path=environ.get("PATH", os.defpath)) is None:
        raise Refused(f"launcher {name}: there is no program {program}", hint="install it, or choose another launcher")
    return chosen
