"""Which of the coding agents that Stoat brings launchers for are on this machine, for `stoat doctor`."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor

from stoat.derive.wording.text import listed
from stoat.observe import programs
from stoat.service.health import Check

TOOLS = ("claude", "codex", "gemini")
"""The programs that the built-in launchers start."""


def look_at_tools(environ: Mapping[str, str]) -> Check:
    """Look for them on the PATH and ask them for their versions, all at once. That one is missing is no problem.

    A script of somebody's own that has such a name is not run.
    """
    found = {name: program for name in TOOLS if (program := programs.find(name, environ)) is not None}
    stubs = [name for name, program in found.items() if program.is_stub]
    if stubs:
        return Check("agents", "warning", f"{listed(stubs)} was not installed whole: its install script did not run",
                     "install it again, with install scripts allowed")  # fmt: skip
    if not found:
        return Check("agents", "ok", f"none of {listed(TOOLS)} is on the PATH")
    with ThreadPoolExecutor() as pool:
        versions = pool.map(lambda program: programs.version(program, environ), found.values())
    shown = [f"{name} ({said[1]})" if said else name for name, said in zip(found, versions, strict=True)]
    return Check("agents", "ok", f"{listed(shown)} on the PATH")
