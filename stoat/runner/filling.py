"""The placeholders of --agent-env, --agent-setup and --verify-command, filled for one node; and the node's {ident}."""

from __future__ import annotations

import hashlib
import re
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

LONGEST_IDENT = 63
_PLAIN = re.compile(r"[a-z][a-z0-9]*")
_HASH = 12
_HOLE = re.compile(r"\{([a-z]+|port:[A-Za-z_][A-Za-z0-9_]*)\}")


def ident(plan: str, node: str) -> str:
    """Plan and node as a lower-case SQL identifier of at most 63 characters, never the same for two nodes.

    `pay` and `parser` give `pay_parser`. Wherever the fold loses something (a hyphen, a dot, a leading digit, the
    length) a hash of the exact names follows a double underscore, which no plain fold has.
    """
    plain = f"{plan}_{node}"
    if _PLAIN.fullmatch(plan) and re.fullmatch(r"[a-z0-9]+", node) and len(plain) <= LONGEST_IDENT:
        return plain
    digest = hashlib.sha256(f"{plan}/{node}".encode()).hexdigest()[:_HASH]
    folded = re.sub(r"[^a-z0-9]+", "_", plain)
    if not folded[0].isalpha():
        folded = f"n_{folded}"
    return f"{folded[: LONGEST_IDENT - _HASH - 2].rstrip('_')}__{digest}"


def values(plan: str, node: str, worktree: Path, ports: Mapping[str, int] | None = None) -> dict[str, str]:
    """What the placeholders stand for on this node; `{port:NAME}` for a port that its worktree has."""
    numbers = {f"port:{name}": str(port) for name, port in (ports or {}).items()}
    return {"plan": plan, "node": node, "ident": ident(plan, node), "worktree": str(worktree), **numbers}


def port_names(text: str) -> list[str]:
    """The ports that a text asks for by `{port:NAME}`."""
    return [hole[5:] for hole in _HOLE.findall(text) if hole.startswith("port:")]


def fill(text: str, filled: Mapping[str, str]) -> str:
    """`text` with each `{name}` of `filled` replaced, in one pass: what is put in is not looked at again."""
    return _HOLE.sub(lambda hole: filled.get(hole[1], hole[0]), text)


def fill_arguments(arguments: Sequence[str], filled: Mapping[str, str], specs: Sequence[str]) -> tuple[str, ...]:
    """A command's arguments filled one by one; one that is exactly `{specs}` becomes one argument a spec."""
    words: list[str] = []
    for argument in arguments:
        words.extend(specs if argument == "{specs}" else [fill(argument, filled)])
    return tuple(words)


def fill_shell(command: str, filled: Mapping[str, str]) -> str:
    """A shell command filled so that each value stays what it is, inside quotes or out of them, blanks and all."""
    parts: list[str] = []
    quote = ""
    position = 0
    while position < len(command):
        char = command[position]
        hole = _HOLE.match(command, position)
        if hole and hole[1] in filled:
            parts.append(_quoted(filled[hole[1]], quote))
            position = hole.end()
            continue
        if char == "\\" and quote != "'":
            parts.append(command[position : position + 2])
            position += 2
            continue
        if char in "'\"" and quote in ("", char):
            quote = "" if quote else char
        parts.append(char)
        position += 1
    return "".join(parts)


def _quoted(value: str, quote: str) -> str:
    if quote == "'":
        return value.replace("'", "'\\''")
    if quote == '"':
        return re.sub(r'([\\"$`])', r"\\\1", value)
    return shlex.quote(value)
