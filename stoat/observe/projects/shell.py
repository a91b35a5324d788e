"""A step's `run:` as the simple commands in it, each with the directory it runs in. Pure; nothing is executed.

Wherever only a shell could tell (a loop, a subshell, a variable for a command, a `cd` to a variable) the rest is passed
over: what is not understood is not warned about.
"""

from __future__ import annotations

import posixpath
from collections.abc import Generator, Iterator, Sequence
from typing import NamedTuple

from stoat.plan import words
from stoat.plan.commands import SHELLS
from stoat.plan.words import ACTIVE

LONGEST = 20_000
"""Characters of a command that is looked into."""
_DEEPEST = 3
_SIGNS = frozenset("|&;<>()\n")
_ONWARD = frozenset({"&&", "||", ";", "\n", "|", "&", "|&"})
_KEYWORDS = frozenset(
    {"if", "then", "elif", "else", "fi", "for", "while", "until", "do", "done", "case", "esac", "function", "select",
     "{", "}", "[[", "eval", "source", ".", "trap", "pushd", "popd", "set", "alias"}
)  # fmt: skip
_PLAIN_WRAPPERS = frozenset({"exec", "command", "time", "nohup", "xvfb-run", "nice", "sudo", "!"})
_RUN_WRAPPERS = frozenset({"uv", "poetry", "pdm", "pipenv", "rye", "hatch"})


class Simple(NamedTuple):
    """A command without operators: its words (those that only a shell could tell hold ACTIVE), and where it runs."""

    words: tuple[str, ...]
    cwd: str

    @property
    def name(self) -> str:
        """What is run, without the directory it is in."""
        return posixpath.basename(self.words[0])


def is_sure(word: str) -> bool:
    """Whether a word means itself: no variable, pattern, home directory or list in braces."""
    return ACTIVE not in word and not word.startswith("~") and "{" not in word


def simple_commands(run: str, cwd: str) -> Iterator[Simple]:
    """The simple commands of a step that begins in `cwd` (a path from the checkout's top), as far as they are clear."""
    yield from _in_text(run, cwd, 0)


def _in_text(run: str, cwd: str, depth: int) -> Iterator[Simple]:
    if len(run) > LONGEST or depth > _DEEPEST:
        return
    try:
        found = words.split(run)
    except ValueError:
        return
    command: list[str] = []
    skip = False
    for word in (*found, ACTIVE + "\n"):
        operator = _operator(word)
        if skip:
            skip = False
        elif operator is None:
            command.append(word)
        elif ">" in operator or "<" in operator:
            if "<<" in operator or "(" in operator:
                return
            skip = True
        elif operator not in _ONWARD:
            return
        else:
            onward = yield from _one(command, cwd, operator, depth)
            if onward is None:
                return
            cwd, command = onward, []


def _one(command: Sequence[str], cwd: str, operator: str, depth: int) -> Generator[Simple, None, str | None]:
    """The command itself, or those in the text of a shell's `-c`; returns the directory that the next one runs in."""
    command, place = _moved_by_env(command, cwd)
    inner = _unwrapped(command)
    if inner is None:
        return None
    if not inner:
        return cwd
    if inner[0] == "cd":
        sure = len(inner) == 2 and is_sure(inner[1]) and inner[1] not in ("", "-") and not inner[1].startswith("/")
        if not sure or operator not in ("&&", ";", "\n"):
            return None
        yield Simple(inner, cwd)
        there = posixpath.normpath(posixpath.join(cwd, inner[1]))
        return None if there == ".." or there.startswith("../") else "" if there == "." else there
    if len(inner) == 3 and inner[0] in SHELLS and inner[1] in ("-c", "-ec", "-lc"):
        if ACTIVE not in inner[2]:
            yield from _in_text(inner[2], place, depth + 1)
    else:
        yield Simple(inner, place)
    return cwd


def _moved_by_env(command: Sequence[str], cwd: str) -> tuple[Sequence[str], str]:
    """A command behind `env -C DIR` without that, and the directory that it runs in; any other as it is."""
    if list(command[:2]) != ["env", "-C"] or len(command) < 4:
        return command, cwd
    there = posixpath.normpath(posixpath.join(cwd, command[2]))
    if not is_sure(command[2]) or there.startswith(("/", "..")):
        return command, cwd
    return ["env", *command[3:]], "" if there == "." else there


def _unwrapped(command: Sequence[str]) -> tuple[str, ...] | None:
    """The command behind what is only put in front of it; None when it goes on with something not understood."""
    rest = list(command)
    while rest:
        first = rest[0]
        if ACTIVE in first.partition("=")[0] or first in _KEYWORDS:
            return None
        name, behind = posixpath.basename(first), rest[1:]
        if "=" in first and first.partition("=")[0].isidentifier():
            rest = behind
        elif name in _PLAIN_WRAPPERS or name == "env":
            rest = behind
            if rest and rest[0].startswith("-"):
                return ()
        elif name == "timeout":
            if not behind or behind[0].startswith("-"):
                return ()
            rest = behind[1:]
        elif name in _RUN_WRAPPERS and behind[:1] == ["run"]:
            rest = behind[1:]
            if rest and rest[0].startswith("-"):
                return ()
        elif name == "stoat" and behind[:2] == ["gate", "exec"] and "--" in behind:
            rest = behind[behind.index("--") + 1 :]
        else:
            return tuple(rest)
    return ()


def _operator(word: str) -> str | None:
    """The operator that a word is; None when it is a word."""
    signs = word[1:].lstrip("0123456789") if word.startswith(ACTIVE) else ""
    return word[1:] if signs and signs[0] in _SIGNS else None
