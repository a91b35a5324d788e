"""pytest's files and node ids, scripts and modules that a command runs, as far as a file's text tells."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence

from stoat.observe.projects import arguments
from stoat.observe.projects.checkout import Checkout
from stoat.observe.projects.shell import Simple, is_sure
from stoat.plan.lack import Lack

_VALUED = {
    option: option
    for option in (
        "-k", "-m", "-n", "-p", "-o", "-c", "-W", "-r", "--maxfail", "--tb", "--durations", "--durations-min",
        "--junitxml", "--junit-xml", "--junit-prefix", "--rootdir", "--confcutdir", "--basetemp", "--deselect",
        "--ignore", "--ignore-glob", "--cov", "--cov-report", "--cov-config", "--cov-fail-under", "--color",
        "--capture",
        "--import-mode", "--log-level", "--log-file", "--log-cli-level", "--dist", "--timeout", "--reruns",
        "--reruns-delay", "--tx", "--override-ini", "--show-capture", "--html", "--numprocesses", "--config-file",
        "--maxprocesses", "--randomly-seed", "--hypothesis-profile", "--benchmark-json", "--alluredir",
        "--json-report-file",
    )
}  # fmt: skip
_FLAGS = frozenset(
    {"-q", "-v", "-x", "-s", "-l", "--lf", "--ff", "--nf", "--sw", "--co", "--no-cov", "--pdb", "--strict-markers",
     "--strict-config", "--exitfirst", "--verbose", "--quiet", "--collect-only", "--no-header", "--no-summary",
     "--last-failed", "--failed-first", "--stepwise", "--showlocals", "--cache-clear", "--runslow", "--forked"}
)  # fmt: skip
_MODULES_ONLY = "--pyargs"
_NAME = re.compile(r"[^\W\d]\w*")
_MADE_ELSEWHERE = re.compile(r"^[ \t]*from\s+\S+\s+import\s+(?:\(\s*)?\*|\bscenarios\s*\(|\bglobals\s*\(", re.MULTILINE)
_GENERATED = frozenset({"node_modules", "venv", "env", "build", "dist", "target", "out", "obj", "_build", "coverage"})


def pytest_lacks(words: Sequence[str], cwd: str, checkout: Checkout) -> Iterator[Lack]:
    """What pytest's arguments (without its own name) name and the checkout does not have."""
    given = arguments.sort(words, _VALUED, _FLAGS)
    if _MODULES_ONLY in given.options or _MODULES_ONLY in words:
        return
    for word in given.plain:
        path, *names = word.partition("[")[0].split("::")
        place = checkout.place(cwd, path)
        if place is None or not path:
            continue
        if not checkout.has(place):
            yield Lack("path", place)
        elif names and place.endswith(".py"):
            yield from _tests(names, place, checkout)


def lacks(command: Simple, checkout: Checkout) -> Iterator[Lack]:
    """What a `pytest`, a `python` or a script by its path names and the checkout does not have."""
    name, words, cwd = command.name, command.words[1:], command.cwd
    if name in ("pytest", "py.test"):
        yield from pytest_lacks(words, cwd, checkout)
    elif name == "coverage" and words[:1] == ("run",):
        yield from _python(words[1:], cwd, checkout)
    elif re.fullmatch(r"python[0-9.]*|pypy[0-9.]*", name):
        yield from _python(words, cwd, checkout)


def script_lacks(command: Simple, checkout: Checkout) -> Iterator[Lack]:
    """The script that a command runs by its path (`./check.sh`, `sh tools/check.sh`), if the checkout lacks it."""
    word = command.words[0]
    if command.name in ("sh", "bash", "dash", "zsh", "node", "ruby", "perl") and "/" not in word:
        behind = [one for one in command.words[1:] if not one.startswith("-")]
        if len(behind) == len(command.words) - 1 and behind:
            yield from _script(behind[0], command.cwd, checkout)
    elif "/" in word:
        yield from _script(word, command.cwd, checkout)


def _python(words: Sequence[str], cwd: str, checkout: Checkout) -> Iterator[Lack]:
    """What the arguments of the interpreter name: a module behind -m, or a script."""
    rest = list(words)
    while rest and rest[0].startswith("-"):
        option = rest.pop(0)
        if option in ("-X", "-W"):
            del rest[:1]
        elif option == "-m":
            yield from _module(rest, cwd, checkout)
            return
        elif not re.fullmatch(r"-[BEIOPRSbdqsuvx]+", option):
            return
    if rest:
        yield from _script(rest[0], cwd, checkout)


def _module(rest: Sequence[str], cwd: str, checkout: Checkout) -> Iterator[Lack]:
    """A module of a package that is in the checkout; any other one is installed, or not ours to know."""
    if not rest:
        return
    name = rest[0]
    if name == "pytest":
        yield from pytest_lacks(rest[1:], cwd, checkout)
        return
    if name == "coverage" and rest[1:2] == ["run"]:
        yield from _python(rest[2:], cwd, checkout)
        return
    parts = name.split(".")
    if not is_sure(name) or not all(map(_NAME.fullmatch, parts)):
        return
    package = checkout.place(cwd, parts[0])
    if package is None or not checkout.has_file(posixpath.join(package, "__init__.py")):
        return
    place = posixpath.join(package, *parts[1:])
    if checkout.has_directory(place):
        if not checkout.has_file(posixpath.join(place, "__main__.py")):
            yield Lack("main", name, place)
        return
    names = checkout.names(posixpath.dirname(place))
    if names is not None and not any(one.partition(".")[0] == parts[-1] for one in names):
        yield Lack("module", name, package)


def _script(word: str, cwd: str, checkout: Checkout) -> Iterator[Lack]:
    place = checkout.place(cwd, word)
    if place is None or checkout.has(place):
        return
    folders = place.split("/")[:-1]
    if any(folder in _GENERATED or folder.startswith(".") for folder in folders):
        return
    if folders and folders[0] == "bin" and not checkout.has("bin"):
        return
    yield Lack("path", place)


def _tests(names: Sequence[str], place: str, checkout: Checkout) -> Iterator[Lack]:
    """The classes and functions of a node id, looked for in the file's text; what could hide one has it."""
    data = checkout.read(place)
    text = data.decode("utf-8", "replace") if data is not None else None
    if text is None or _MADE_ELSEWHERE.search(text):
        return
    for at, name in enumerate(names):
        if not _NAME.fullmatch(name):
            return
        if at and _inherits(names[at - 1], text):
            return
        if not re.search(rf"\b{re.escape(name)}\b", text) or (not at and _is_a_method(name, text)):
            yield Lack("test", "::".join(names[: at + 1]), place)
            return


def _is_a_method(name: str, text: str) -> bool:
    """Whether the text has the name nowhere but as that of methods in the bodies of classes."""
    lines = text.splitlines()
    for at, line in enumerate(lines):
        if not re.search(rf"\b{re.escape(name)}\b", line):
            continue
        written = re.match(rf"[ \t]+(?:async[ \t]+)?def[ \t]+{re.escape(name)}[ \t]*\(", line)
        depth = len(line) - len(line.lstrip())
        around = (one for one in reversed(lines[:at]) if one.strip() and len(one) - len(one.lstrip()) < depth)
        if written is None or not next(around, "").lstrip().startswith("class "):
            return False
    return True


def _inherits(name: str, text: str) -> bool:
    """Whether a class may have tests from elsewhere."""
    # Every repetition has an end: a file of nothing but beginnings of classes takes no longer than another.
    written = rf"^[ \t]{{0,40}}class[ \t]{{1,20}}{re.escape(name)}(?:\(([^()]{{0,300}})\))?:"
    found = re.search(written, text, re.MULTILINE)
    bases = (found[1] or "").strip() if found is not None else "?"
    return bases not in ("", "object", "unittest.TestCase", "TestCase")
