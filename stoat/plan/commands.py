"""A step's command: the words it has, whether it needs a shell, whether what ran (and where) is what was declared."""

from __future__ import annotations

import posixpath
import shlex
from collections.abc import Sequence

from stoat.plan import words

SHELLS = frozenset({"sh", "bash", "dash", "zsh", "/bin/sh", "/bin/bash", "/usr/bin/sh", "/usr/bin/bash"})
_MEANS_SHELL = frozenset("|&;<>()$`*?[]{}~#!\n")
_MAY_QUOTE_OTHERWISE = ("<<", "$'", "$(", "${", "`")
_MEANS_SHELL_IN_DOUBLE_QUOTES = frozenset("$`")


def needs_shell(command: str) -> bool:
    """Whether more than splitting and unquoting is asked for: a pipe, `&&`, a variable, a pattern, `NAME=value cmd`."""
    quote = ""
    escaped = False
    for sign in command.strip():
        if escaped:
            escaped = False
        elif sign == "\\" and quote != "'":
            escaped = True
        elif quote:
            if sign == quote:
                quote = ""
            elif quote == '"' and sign in _MEANS_SHELL_IN_DOUBLE_QUOTES:
                return True
        elif sign in "'\"":
            quote = sign
        elif sign in _MEANS_SHELL:
            return True
    first, _, _ = command.strip().partition(" ")
    return first.partition("=")[0].isidentifier() and "=" in first


def leaves_quote_open(command: str) -> bool:
    """Whether a quote in it is surely never closed. In a here-document, `$'…'` or `$(…)` only a shell can tell."""
    if any(sign in command for sign in _MAY_QUOTE_OTHERWISE):
        return False
    try:
        words.split(command)
    except words.OpenQuote:
        return True
    except ValueError:
        return False
    return False


def argv_of(command: str) -> tuple[str, ...]:
    """What to execute for a declared command: its own words, or `sh -c` with the text where only a shell can tell."""
    try:
        return ("sh", "-c", command) if needs_shell(command) else words.split(command)
    except ValueError:
        return ("sh", "-c", command)


def same(declared: str, ran: Sequence[str]) -> bool:
    """Whether what ran is the declared command, word for word as a shell would split it (words.py).

    A shell that was given the text counts as the text. Comments, spaces and the way of quoting make no difference; what
    a shell would act on does, and so does a variable set in front.
    """
    script = ran[2] if len(ran) == 3 and ran[0] in SHELLS and ran[1] in ("-c", "-ec", "-lc") else None
    try:
        wanted = words.split(declared)
        return tuple(ran) == wanted or (script is not None and words.split(script) == wanted)
    except ValueError:
        return script == declared


def same_place(declared: str, ran: str) -> bool:
    """Whether two directories below the top of a checkout are one, however they are written (`src`, `./src/`; `.` is
    the top). A symbolic link is another place than what it leads to."""
    return posixpath.normpath(declared) == posixpath.normpath(ran)


def written(argv: Sequence[str]) -> str:
    """An argument list as one line for a shell, quoted where it has to be."""
    return shlex.join(argv)
