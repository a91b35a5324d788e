"""What the doors know by name and this version does not do yet; asking for it says so."""

from __future__ import annotations

COMMANDS = {
    "sync": "sharing plans with other clones",
    "await": "waiting for a version or for a node's dependencies",
    "repo": "a person's controls on a repository",
    "agents": "the roster of agents",
    "setup": "setting up agents' own tools",
}
"""Commands by name, and what each will be for."""

ISSUES = {
    "preflight": "checking that a graph of issues can be worked from here",
    "contract": "agreeing on how a graph of issues is worked",
    "check": "checking what issues claim, and their size",
    "decide": "recording a decision on an issue",
    "land": "landing the pull request of an issue",
    "report": "reporting on a worked graph of issues",
}
"""Verbs of `stoat issues`, the steps of its loop that come later, and what each will be for."""

ROUTES = {
    "/agents": COMMANDS["agents"],
    "/openapi.json": "a description of REST for machines",
}
"""Paths under /api, and what each will give."""


def sentence(what: str) -> str:
    """That it is for a later version, as one sentence without its full stop."""
    return f"{what} comes with a later version"
