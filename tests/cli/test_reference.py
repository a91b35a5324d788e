"""The reference of the command line is the command tree, and every command is in it with what it takes."""

from __future__ import annotations

from stoat.cli import reference
from stoat.cli.commands import SECTIONS
from stoat.cli.main import load


def test_the_reference_is_up_to_date() -> None:
    written = reference.PLACE.read_text(encoding="utf-8")
    assert written == reference.reference(), "python -m stoat.cli.reference"


def test_every_command_says_what_it_does_and_every_option_what_it_is_for() -> None:
    silent = []
    for entries in SECTIONS.values():
        for entry in entries:
            command = load(entry)
            for name, leaf in (getattr(command, "commands", None) or {entry.name: command}).items():
                if not leaf.help:
                    silent.append(name)
                silent += [
                    f"{name} {parameter.opts[0]}"
                    for parameter in leaf.params
                    if parameter.param_type_name == "option" and not parameter.help
                ]
    assert silent == []
