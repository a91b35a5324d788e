"""`dotnet test|build|… [PROJECT] [-f FRAMEWORK]`: the project is there, is one of tests, and targets the framework."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from stoat.observe.projects import arguments, msbuild
from stoat.observe.projects.checkout import Checkout
from stoat.observe.projects.msbuild import PROJECTS, SOLUTIONS
from stoat.observe.projects.shell import Simple, is_sure
from stoat.plan.lack import Lack

VERBS = frozenset({"build", "clean", "pack", "publish", "run", "test"})
_VALUED = {
    "-f": "-f", "--framework": "-f", "-c": "-c", "--configuration": "-c", "-l": "-l", "--logger": "-l",
    "--filter": "--filter", "-r": "-r", "--results-directory": "-r", "--runtime": "-r", "-o": "-o", "--output": "-o",
    "-v": "-v", "--verbosity": "-v", "-a": "-a", "--arch": "-a", "--os": "--os", "-s": "-s", "--settings": "-s",
    "--source": "-s", "-d": "-d", "--diag": "-d", "--collect": "--collect", "-e": "-e", "--environment": "-e",
    "-p": "-p", "--property": "-p", "--project": "--project", "--solution": "--project",
    "--test-adapter-path": "--test-adapter-path", "--blame-hang-timeout": "-b", "--blame-crash-dump-type": "-b",
    "--blame-hang-dump-type": "-b", "--treenode-filter": "--filter", "--report-trx-filename": "--report",
    "--coverage-output": "--report", "--coverage-output-format": "--report", "--launch-profile": "--launch-profile",
    "--version-suffix": "--version-suffix", "--timeout": "--timeout", "--configfile": "--configfile",
    "--max-parallel-test-modules": "--max-parallel-test-modules",
}  # fmt: skip
_FLAGS = frozenset(
    {"--no-build", "--no-restore", "--nologo", "--no-logo", "--blame", "--blame-hang", "--blame-crash", "--list-tests",
     "-t", "--no-dependencies", "--interactive", "--force", "--self-contained", "--no-incremental", "-m", "-tl",
     "--no-ansi", "--coverage", "--report-trx", "--no-progress", "--no-launch-profile", "--sc", "-h"}
)  # fmt: skip
_BUILT = (".dll", ".exe", ".runsettings", ".proj", ".testconfig.json")
"""What may stand in a project's place and is not looked for: it is made by a build, or is not ours to read."""


def lacks(command: Simple, checkout: Checkout) -> Iterator[Lack]:
    """What a `dotnet` names and the checkout does not have."""
    if len(command.words) < 2 or command.words[1] not in VERBS:
        return
    verb = command.words[1]
    given = arguments.sort(_without_properties(command.words[2:]), _VALUED, _FLAGS)
    named = given.options.get("--project")
    if named is None and given.unclear:
        return
    if named is None and verb != "run" and given.plain:
        named = given.plain[0]
    place = checkout.place(command.cwd, (named or ".").replace("\\", "/"))
    if place is None:
        return
    project = place
    if checkout.has_directory(place):
        found = _in_directory(checkout, place)
        if isinstance(found, Lack):
            yield found
        if not isinstance(found, str):
            return
        project = found
    elif not checkout.has(place):
        if not place.lower().endswith(_BUILT):
            yield Lack("project", place)
        return
    if project.lower().endswith(PROJECTS):
        yield from _of_project(checkout, project, verb, given.options.get("-f"))


def _without_properties(words: tuple[str, ...]) -> list[str]:
    """The words without MSBuild's own `-p:Name=Value`, `/p:…`, `-maxcpucount:4`."""
    return [word for word in words if not (word[:1] in ("-", "/") and ":" in word and not word.startswith("--"))]


def _in_directory(checkout: Checkout, place: str) -> str | Lack | None:
    """The project in a directory; a Lack when there is none or more than one; None where that is not clear."""
    names = checkout.names(place)
    if names is None:
        return None
    projects = [name for name in names if name.lower().endswith(PROJECTS)]
    solutions = [name for name in names if name.lower().endswith(SOLUTIONS)]
    if solutions:
        return None
    if not projects:
        return Lack("no-project", place)
    if len(projects) > 1:
        return Lack("many-projects", place, "", tuple(projects))
    return posixpath.join(place, projects[0])


def _of_project(checkout: Checkout, place: str, verb: str, framework: str | None) -> Iterator[Lack]:
    project = msbuild.read(checkout, place)
    if project is None:
        return
    if verb == "test" and (project.tests is False or (project.tests is None and not project.unclear)):
        yield Lack("no-tests", place)
    if framework is None or not is_sure(framework) or project.unclear or not project.frameworks:
        return
    known = {name.lower() for name in project.frameworks}
    if framework.lower() not in known:
        yield Lack("framework", framework, place, project.frameworks)
