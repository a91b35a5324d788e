"""`npm run SCRIPT` and its like: the package.json is there and has the script; silent about workspaces and binaries."""

from __future__ import annotations

import json
import posixpath
from collections.abc import Iterator

from stoat.errors import UNDECODABLE
from stoat.observe.projects import arguments
from stoat.observe.projects.checkout import Checkout, above
from stoat.observe.projects.shell import Simple, is_sure
from stoat.plan.lack import Lack

FILE = "package.json"
_VALUED = {
    "--prefix": "--dir", "-C": "--dir", "--dir": "--dir", "--cwd": "--dir", "-w": "-w", "--workspace": "-w",
    "--filter": "-w", "-F": "-w", "--loglevel": "--loglevel", "--script-shell": "--script-shell",
}  # fmt: skip
_FLAGS = frozenset(
    {"--silent", "-s", "--if-present", "--workspaces", "-ws", "-r", "--recursive", "--ignore-scripts", "--verbose",
     "--offline", "--frozen-lockfile", "--foreground-scripts", "--include-workspace-root", "--top-level", "-T"}
)  # fmt: skip
_ELSEWHERE = frozenset({"-w", "--workspaces", "-ws", "-r", "--recursive", "--if-present", "--top-level", "-T"})
_TEST = frozenset({"test", "t", "tst"})


def lacks(command: Simple, checkout: Checkout) -> Iterator[Lack]:
    """What an `npm`, `pnpm` or `yarn` names and the checkout does not have."""
    words = command.words[1:]
    given = arguments.sort(words, _VALUED, _FLAGS)
    if given.unclear or not _ELSEWHERE.isdisjoint(given.options) or not given.plain:
        return
    verb, *rest = given.plain
    if verb in ("run", "run-script") and rest:
        script = rest[0]
    elif verb in _TEST and command.name != "yarn":
        script = "test"
    elif command.name == "yarn" and ":" in verb:
        script = verb
    else:
        return
    place = checkout.place(command.cwd, given.options.get("--dir") or ".")
    if place is None or not is_sure(script) or script.startswith("/"):
        return
    if not checkout.has_directory(place):
        yield Lack("directory", place)
        return
    found = next((there for one in above(place) if checkout.has_file(there := posixpath.join(one, FILE))), None)
    if found is None:
        yield Lack("package-json", place)
        return
    known = _scripts(checkout, found)
    if known is not None and script not in known and (command.name != "yarn" or ":" in script):
        # yarn also runs the binaries of what is installed under that verb.
        yield Lack("script", script, found, tuple(sorted(known)))


def _scripts(checkout: Checkout, place: str) -> frozenset[str] | None:
    data = checkout.read(place)
    try:
        document = json.loads(data.decode("utf-8-sig")) if data is not None else None
    except UNDECODABLE:
        return None
    scripts = document.get("scripts", {}) if isinstance(document, dict) else None
    return frozenset(scripts) if isinstance(scripts, dict) else None
