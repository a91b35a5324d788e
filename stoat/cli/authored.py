"""How the result of a change to a plan is shown, and how the text that a command was given is read."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from stoat.cli import render
from stoat.derive.wording import authoring as say
from stoat.errors import NotFound

if TYPE_CHECKING:
    from stoat.service.authoring import Authored


def show(authored: Authored, as_json: bool, *, dry_run: bool = False) -> None:
    """Print what was changed, or (`dry_run`) would be; warnings go to stderr, or into the JSON document."""
    if as_json:
        render.json(authored)
        return
    for warning in authored.warnings:
        render.tell(f"warning: {warning}")
    if not authored.changes:
        render.say(f"{authored.plan}: nothing to change")
        return
    count = len(authored.changes)
    would = "would be " if dry_run else ""
    render.say(f"{authored.plan}: {count} {'change' if count == 1 else 'changes'}{f' {would}made' if dry_run else ''}")
    for change in authored.changes:
        render.say("  " + render.clean(say.line(change)))


def read_bytes(file: str, what: str = "a plan document") -> bytes:
    """The bytes of a file, or of standard input where `file` is `-`; NotFound when there is nothing to be read, which
    says `what` it is to be."""
    if file == "-":
        return sys.stdin.buffer.read()
    try:
        return Path(file).read_bytes()
    except FileNotFoundError as missing:
        raise NotFound(f"there is no file {file}", hint=f"name {what}, or - for standard input") from missing
    except OSError as problem:
        raise NotFound(f"{file} cannot be read: {problem.strerror}") from problem


def print_document(text: str) -> None:
    """Print a YAML document byte for byte, in UTF-8 whatever the locale; it holds nothing that a terminal obeys."""
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode())
    sys.stdout.buffer.flush()
