"""Programs on PATH that stand in for an engine's: each keeps its arguments and its standard input, byte for byte."""

from __future__ import annotations

import json
import os
import shlex
import stat
import sys
from pathlib import Path
from typing import NamedTuple

_PROGRAM = """\
import json, os, pathlib, subprocess, sys
place = pathlib.Path({place!r})
place.mkdir(parents=True, exist_ok=True)
name = {name!r}
call = len(list(place.glob(name + "-*.json")))
text = "" if name == "gh" else sys.stdin.buffer.read().decode()
said = {{"argv": sys.argv[1:], "stdin": text, "claim": os.environ.get("STOAT_CLAIM")}}
whole = place / f"{{name}}-{{call}}"
whole.write_text(json.dumps(said))
whole.rename(f"{{whole}}.json")
exec(compile((place.parent / (name + ".py")).read_text(), name, "exec"))
"""


class Call(NamedTuple):
    """How a program was called."""

    argv: list[str]
    stdin: str
    claim: str | None


class Programs:
    """A directory for PATH, and what its programs were called with."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.bin = place / "bin"
        self.bin.mkdir(parents=True)

    def add(self, name: str, does: str = "") -> Path:
        """A program of that name that then does this (Python; `sys` and `subprocess` are there)."""
        (self.place / f"{name}.py").write_text(does, encoding="utf-8")
        keeps = self.place / f"keeps-{name}.py"
        keeps.write_text(_PROGRAM.format(name=name, place=str(self.place / "calls")), encoding="utf-8")
        program = self.bin / name
        # By way of sh: no `#!` line can name a Python whose path has a space.
        python = f"{shlex.quote(sys.executable)} -S {shlex.quote(str(keeps))}"
        program.write_text(f'#!/bin/sh\nexec {python} "$@"\n', encoding="utf-8")
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        return program

    def path(self) -> str:
        """PATH with the programs before everything else."""
        return f"{self.bin}{os.pathsep}{os.environ['PATH']}"

    def calls(self, name: str) -> list[Call]:
        """The calls of a program, in order."""
        found = sorted((self.place / "calls").glob(f"{name}-*.json"), key=lambda file: int(file.stem.split("-")[-1]))
        return [Call(**json.loads(file.read_text())) for file in found]
