"""What a step names and a checkout does not have."""

from __future__ import annotations

from typing import Literal, NamedTuple

Kind = Literal[
    "path", "directory", "project", "no-project", "many-projects", "no-tests", "framework", "test", "script",
    "package-json", "target", "makefile", "module", "main",
]  # fmt: skip


class Lack(NamedTuple):
    """One thing that is missing: of which kind, its name, in which file or directory, and what is there instead.

    | kind                      | `name`                             | `where`                    | `known`            |
    |---------------------------|------------------------------------|----------------------------|--------------------|
    | path, directory, project  | the path                           |                            |                    |
    | no-project, many-projects | the directory                      |                            | the projects in it |
    | no-tests                  | the project, which is not of tests |                            |                    |
    | framework                 | the framework                      | the project                | those it targets   |
    | test                      | the class or function              | the test file              |                    |
    | script, target            | the script or target               | package.json, the makefile | those it has       |
    | package-json, makefile    | the directory                      |                            |                    |
    | module, main              | the module                         | the package that has not   |                    |
    """

    kind: Kind
    name: str
    where: str = ""
    known: tuple[str, ...] = ()
