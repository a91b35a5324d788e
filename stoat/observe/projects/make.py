"""`make TARGET`: the makefile is there and has a rule for it; silent where a rule could come from elsewhere."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from stoat.observe.projects import arguments
from stoat.observe.projects.checkout import Checkout
from stoat.observe.projects.shell import Simple, is_sure
from stoat.plan.lack import Lack

NAMES = ("GNUmakefile", "makefile", "Makefile")
_VALUED = {
    "-C": "-C", "--directory": "-C", "-f": "-f", "--file": "-f", "--makefile": "-f", "-I": "-I", "-o": "-o", "-W": "-W",
    "-l": "-l", "--include-dir": "-I", "--eval": "--eval",
}  # fmt: skip
_FLAGS = frozenset(
    {"-B", "-d", "-e", "-i", "-j", "-k", "-L", "-n", "-p", "-q", "-r", "-R", "-s", "-S", "-t", "-v", "-w", "-O",
     "--always-make", "--keep-going", "--silent", "--quiet", "--jobs", "--dry-run", "--no-print-directory",
     "--warn-undefined-variables", "--output-sync", "--trace", "--no-builtin-rules"}
)  # fmt: skip
_ENDS = re.compile(r"[:=#]")
_FROM_ELSEWHERE = re.compile(r"^[ \t]*(?:-?include|sinclude|load|define)\b|\$[({]eval\b", re.MULTILINE)


def lacks(command: Simple, checkout: Checkout) -> Iterator[Lack]:
    """What a `make` names and the checkout does not have."""
    given = arguments.sort(_without_jobs(command.words[1:]), _VALUED, _FLAGS)
    targets = [word for word in given.plain if "=" not in word]
    place = checkout.place(command.cwd, given.options.get("-C") or ".")
    if place is None or given.unclear or "--eval" in given.options or "-I" in given.options:
        return
    if not checkout.has_directory(place):
        yield Lack("directory", place)
        return
    named = given.options.get("-f")
    makefile = checkout.place(place, named) if named is not None else _makefile(checkout, place)
    if makefile is None:
        if named is None and not any(_could_be_made(checkout, place, target) for target in targets):
            yield Lack("makefile", place)
        return
    if not checkout.has_file(makefile):
        yield Lack("path", makefile)
        return
    known = _targets(checkout, makefile)
    if known is None:
        return
    for target in targets:
        if is_sure(target) and target not in known and not _could_be_made(checkout, place, target):
            yield Lack("target", target, makefile, tuple(sorted(known)))


def _without_jobs(words: tuple[str, ...]) -> list[str]:
    """The words without the number of `-j`: it may stand apart, and need not be there."""
    kept = [word for word in words if not (word.startswith("-j") and word[2:].isdigit())]
    return [word for at, word in enumerate(kept) if not (at and kept[at - 1] in ("-j", "--jobs") and word.isdigit())]


def _makefile(checkout: Checkout, place: str) -> str | None:
    return next((there for name in NAMES if checkout.has_file(there := posixpath.join(place, name))), None)


def _could_be_made(checkout: Checkout, place: str, target: str) -> bool:
    """Whether a file of that name, or one that a built-in rule would make it from, is there."""
    there = checkout.place(place, target)
    if there is None or checkout.has(there):
        return True
    stem = posixpath.basename(posixpath.splitext(target)[0])
    names = checkout.names(posixpath.dirname(there))
    return names is None or any(posixpath.splitext(name)[0] == stem for name in names)


def _targets(checkout: Checkout, makefile: str) -> frozenset[str] | None:
    """What a makefile has rules for; None where that cannot be told from its text alone."""
    data = checkout.read(makefile)
    if data is None:
        return None
    text = data.decode("utf-8", "replace").replace("\\\n", " ")
    if _FROM_ELSEWHERE.search(text):
        return None
    found: set[str] = set()
    for line in text.split("\n"):
        end = _ENDS.search(line)
        if line.startswith("\t") or end is None or end[0] != ":" or line[end.end() :].lstrip(":").startswith("="):
            continue
        targets, needs = line[: end.start()].removesuffix("&").split(), line[end.end() :]
        if any("$" in target or "%" in target for target in targets):
            return None
        found.update(targets)
        if targets == [".PHONY"]:
            if "$" in needs:
                return None
            found.update(needs.partition("#")[0].split())
    return frozenset(name for name in found if not name.startswith("."))
