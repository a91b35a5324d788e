"""A checkout that means harm: nothing in it keeps the one who looks waiting, fills memory, or is read from outside."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as some

from stoat.observe.projects import checkout, lacks
from stoat.observe.projects.checkout import LONGEST_FILE, Checkout
from stoat.observe.projects.shell import simple_commands
from stoat.plan.lack import Lack

RUNS = (
    "dotnet test A.csproj -f net1.0",
    "npm run gone",
    "make gone",
    "pytest t.py::test_gone",
    "dotnet test",
    "pytest t.py",
)
NAMES = ("A.csproj", "Directory.Build.props", "Directory.Packages.props", "package.json", "Makefile", "t.py")

ENTITIES = "".join(f'<!ENTITY e{at + 1} "{f"&e{at};" * 10}">' for at in range(9))
BOMB = (
    f'<!DOCTYPE x [<!ENTITY e0 "aaaaaaaaaa">{ENTITIES}]>'
    "<Project><PropertyGroup><TargetFramework>&e9;</TargetFramework></PropertyGroup></Project>"
)

CONTENTS: dict[str, str] = {
    "an entity bomb": BOMB,
    "an entity from outside": '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><Project>&a;</Project>',
    "deep XML": "<a>" * 100_000,
    "deep JSON": "[" * 400_000,
    "a class that never ends": "class test_x(" * 60_000,
    "imports that never end": "from x import " * 60_000,
    "one line of blanks": "a" + " " * 900_000,
    "lines of blanks": ("  " * 400 + "\n") * 1000,
    "colons": ":" * 900_000,
    "names": "a " * 400_000 + ":",
    "a reference to itself": "<Project><PropertyGroup><TargetFramework>$(TargetFramework)$(TargetFramework)"
    "</TargetFramework></PropertyGroup></Project>",
    "no text": "\x00\ufffe" * 1000,
}


@pytest.mark.parametrize("what", CONTENTS)
def test_no_content_takes_long(what: str, tmp_path: Path) -> None:
    for name in NAMES:
        (tmp_path / name).write_text(CONTENTS[what], encoding="utf-8")
    begun = time.process_time()
    for run in RUNS:
        list(lacks(run, "", Checkout(tmp_path)))
    assert time.process_time() - begun < 5


def _fifo(place: Path) -> None:
    os.mkfifo(place)


def _endless(place: Path) -> None:
    place.symlink_to("/dev/zero")


def _loop(place: Path) -> None:
    place.symlink_to(place.name)


def _outside(place: Path) -> None:
    other = place.parent.parent / "outside"
    other.write_text('{"scripts": {"secret": ""}}')
    place.symlink_to(other)


def _huge(place: Path) -> None:
    with place.open("wb") as file:
        file.truncate(50 * LONGEST_FILE)


def _directory(place: Path) -> None:
    place.mkdir()


@pytest.mark.parametrize("make", [_fifo, _endless, _loop, _outside, _huge, _directory])
def test_what_is_no_plain_file_of_the_checkout_is_not_read(make: Callable[[Path], None], tmp_path: Path) -> None:
    top = tmp_path / "top"
    top.mkdir()
    for name in NAMES:
        make(top / name)
    for run in RUNS:
        assert "secret" not in str(list(lacks(run, "", Checkout(top))))
    assert all(Checkout(top).read(name) is None for name in NAMES)


def test_a_directory_of_very_many_files_says_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert list(lacks("dotnet test", "", Checkout(tmp_path))) == [Lack("no-project", "")]
    monkeypatch.setattr(checkout, "MOST_NAMES", 5)
    for number in range(6):
        (tmp_path / f"{number}").touch()
    assert Checkout(tmp_path).names("") is None
    assert list(lacks("dotnet test", "", Checkout(tmp_path))) == []


@given(some.text(max_size=40), some.text(max_size=20))
def test_whatever_a_command_says_it_is_taken_apart_or_passed_over(run: str, word: str) -> None:
    for one in simple_commands(f"{run} {word}", ""):
        assert one.words and not one.cwd.startswith("..")


WORDS = (
    "make", "pytest", "npm", "run", "dotnet", "test", "-f", "-C", "cd", "x/y", "..", "&&", ";", "|", ">", "'", '"',
    "$A", "python", "-m", "::", "a" * 300, "\x00", "-",
)  # fmt: skip


@given(some.lists(some.sampled_from(WORDS), max_size=8))
def test_no_command_makes_it_fall_over(words: list[str]) -> None:
    list(lacks(" ".join(words), "", Checkout(Path(__file__).parent)))
