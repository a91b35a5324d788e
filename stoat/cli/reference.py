"""Writes what the documentation has from the code: `python -m stoat.cli.reference` (tests see that it was done).

That is docs/cli.md, from the command tree, and the table of event types in docs/event-format.md, from `FAMILIES`.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from stoat.cli.commands import SECTIONS
from stoat.cli.main import ABOUT, COMPLETION, load, tree
from stoat.derive.wording import later
from stoat.plan.events import FAMILIES

DOCS = Path(__file__).parents[2] / "docs"
PLACE = DOCS / "cli.md"
EVENTS = DOCS / "event-format.md"
BEGIN, END = "<!-- Generated: `python -m stoat.cli.reference`. -->\n", "<!-- End of what is generated. -->\n"

INTRODUCTION = """\
# The command line

<!-- Generated from the command tree: `python -m stoat.cli.reference`. -->

A node is written `PLAN/NODE`. Every read takes `--json`, and then prints one JSON document and nothing else; messages
go to standard error. Durations are written `90s`, `20m`, `1h30m` or `00:20:00`; times in JSON are ISO 8601, UTC, `Z`.
On a terminal output is coloured (`NO_COLOR=1` turns that off); in a pipe it is plain text in columns.
`stoat --install-completion` makes the shell complete commands, plans and nodes.

Exit codes:

| code | meaning |
|---|---|
| 0 | done |
| 1 | it ran and the answer is bad: a give-up, a red gate, an unanswered question, problems found by `doctor` |
| 2 | wrong usage |
| 3 | refused by a rule: the reason, then a line `hint: …`, on standard error |
| 4 | the store or a service could not be reached or read |
| 130 | interrupted |

`stoat gate exec` passes the code of its command through: 124 on a timeout, 128+n on signal n, 127 for a command that is
not there.

Environment: `STOAT_STORE` names the repository that holds the plans (after `--store`, before `git config stoat.store`
and the repository around the working directory). `STOAT_AGENT` is set in every agent's environment: where it is, the
process speaks as that agent, and a person's decisions are refused. That stops mistakes, not a hostile process of the
same user.
"""


def reference() -> str:
    """The whole document."""
    return "\n".join([INTRODUCTION, ABOUT, "", *_global(), *_sections(), *_later(), *_reports()])


def _global() -> Iterator[str]:
    yield "## Before the command\n"
    yield from _parameters(tree(), skip=COMPLETION)


def _sections() -> Iterator[str]:
    for title, entries in SECTIONS.items():
        yield f"## {title}\n"
        for entry in entries:
            command = load(entry)
            verbs = getattr(command, "commands", None)
            if verbs is None:
                yield from _command(f"stoat {entry.name}", command)
                continue
            yield f"### `stoat {entry.name}`\n\n{_text(command.help)}\n"
            for name, verb in verbs.items():
                if not verb.hidden:
                    yield from _command(f"stoat {entry.name} {name}", verb)


def _command(name: str, command: Any) -> Iterator[str]:
    usage = [name]
    for parameter in command.params:
        if parameter.param_type_name == "argument":
            written = parameter.metavar or parameter.name.upper()
            written = written[1:-1] if written.startswith("[") and written.endswith("]") else written
            written += "…" if parameter.nargs == -1 and "…" not in written else ""
            usage.append(written if parameter.required else f"[{written}]")
    if any(parameter.param_type_name == "option" and parameter.name != "by" for parameter in command.params):
        behind = next((place for place, word in enumerate(usage) if word.startswith("-- ")), len(usage))
        usage.insert(behind, "[OPTIONS]")
    yield f"### `{' '.join(usage)}`\n"
    yield f"{_text(command.help)}\n"
    yield from _parameters(command, skip=("by",))
    if command.epilog:
        lead, _, example = command.epilog.partition(": ")
        yield f"{lead}: `{example}`\n" if example else f"{_text(command.epilog)}\n"


def _parameters(command: Any, skip: tuple[str, ...]) -> Iterator[str]:
    rows = []
    for parameter in command.params:
        if parameter.param_type_name != "option" or getattr(parameter, "hidden", False):
            continue
        if parameter.name in skip:
            continue
        opts = ", ".join(f"`{opt}`" for opt in [*parameter.opts, *parameter.secondary_opts])
        if not parameter.is_flag:
            opts = opts[:-1] + f" {parameter.metavar or parameter.name.upper()}`"
        default = parameter.default
        told = f" Default: `{default}`." if isinstance(default, str | int) and not parameter.is_flag else ""
        needed = " Needed." if parameter.required else ""
        rows.append(f"| {opts.replace('|', chr(92) + '|')} | {_text(parameter.help)}{told}{needed} |")
    if rows:
        yield "\n".join(["| option | |", "|---|---|", *rows, ""])


def _reports() -> Iterator[str]:
    from stoat.observe.reports import junit_names

    lines = inspect.cleandoc(junit_names.__doc__ or "")
    yield "## How a slice's scenarios are found in a JUnit report\n"
    yield lines + "\n"


def _later() -> Iterator[str]:
    yield "## Later\n"
    yield "These names are taken. In this version each says that it comes with a later one, and exits with 3.\n"
    rows = [*later.COMMANDS.items()]
    rows += [(f"issues {verb}", what) for verb, what in later.ISSUES.items()]
    yield "\n".join(["| command | for |", "|---|---|", *(f"| `stoat {name}` | {what} |" for name, what in rows), ""])


def _text(written: str | None) -> str:
    return inspect.cleandoc(written or "").strip()


def event_types() -> str:
    """Every event type by family: its name, what it says, and the fields that are its own."""
    written = []
    for family, types in FAMILIES.items():
        written.append(f"**{family}**\n\n| type | says | fields |\n|---|---|---|")
        for event in types:
            own = [f"`{name}`" for name in event.__struct_encode_fields__ if name not in ("id", "at", "by", "node")]  # type: ignore[attr-defined]
            says = " ".join(_text(event.__doc__).split()).replace("|", "\\|")
            written.append(f"| `{event.__struct_config__.tag}` | {says} | {', '.join(own)} |")  # type: ignore[attr-defined]
        written.append("")
    return "\n".join(written)


def with_event_types(page: str) -> str:
    """The page with the table of event types between its two marks."""
    before, _, rest = page.partition(BEGIN)
    return f"{before}{BEGIN}\n{event_types()}\n{END}{rest.partition(END)[2]}"


if __name__ == "__main__":
    PLACE.write_text(reference(), encoding="utf-8")
    EVENTS.write_text(with_event_types(EVENTS.read_text(encoding="utf-8")), encoding="utf-8")
