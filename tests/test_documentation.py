"""What the documentation promises: its links lead somewhere, and what it lists from the code is what the code has."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from stoat.cli import commands, reference
from stoat.cli.main import load
from stoat.derive.wording import later
from stoat.plan.fold import EVENT_TYPES

ROOT = reference.DOCS.parent
PAGES = sorted([*ROOT.glob("*.md"), *reference.DOCS.rglob("*.md")])
_FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)


def anchors(page: Path) -> set[str]:
    """The names by which the page's headings are linked to."""
    headings = _HEADING.findall(_FENCED.sub("", page.read_text(encoding="utf-8")))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_within_the_project_leads_somewhere(page: Path) -> None:
    lost = []
    for target in _LINK.findall(_FENCED.sub("", page.read_text(encoding="utf-8"))):
        if "://" in target or target.startswith("mailto:"):
            continue
        name, _, anchor = target.partition("#")
        there = page.parent / name if name else page
        if not there.exists() or (anchor and there.suffix == ".md" and anchor not in anchors(there)):
            lost.append(target)
    assert lost == []


def test_every_page_is_reached_from_the_readme() -> None:
    linked = set(_LINK.findall((ROOT / "README.md").read_text(encoding="utf-8")))
    assert {str(page.relative_to(ROOT)) for page in PAGES} - linked - {"README.md"} == set()


def test_every_event_type_is_in_the_event_format_as_the_code_has_it() -> None:
    page = reference.EVENTS.read_text(encoding="utf-8")
    assert page == reference.with_event_types(page), "python -m stoat.cli.reference"
    assert [name for name in EVENT_TYPES if f"| `{name}` |" not in page] == []


def test_every_command_is_in_the_reference() -> None:
    page = reference.PLACE.read_text(encoding="utf-8")
    names = [f"stoat {name}" for name in (*commands.ENTRIES, *later.COMMANDS)]
    for name, entry in commands.ENTRIES.items():
        names += [f"stoat {name} {verb}" for verb in getattr(load(entry), "commands", {})]
    assert [name for name in names if not re.search(rf"`{re.escape(name)}[` ]", page)] == []
