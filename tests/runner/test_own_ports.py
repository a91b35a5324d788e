"""--port and --copy as they are written: what may be asked for, and how `{port:NAME}` is filled."""

from __future__ import annotations

from pathlib import Path

import pytest

from stoat.cli.run_plan import spread
from stoat.errors import Refused
from stoat.runner.filling import fill, fill_shell, port_names, values
from stoat.runner.options import parse_ports
from tests.runner.conftest import World
from tests.support.command import Stoat


@pytest.mark.parametrize("name", ["", "9A", "A-B", "A=1", "STOAT_X", "PATH", "HOME", "BOBCAT_RUN_TAG", "a b", "ä"])
def test_a_port_takes_the_name_of_a_variable_that_means_nothing_else(name: str) -> None:
    with pytest.raises(Refused) as refused:
        parse_ports([name], [])
    assert refused.value.hint


def test_names_that_come_twice_are_one_and_one_that_is_a_variable_too_is_refused() -> None:
    assert parse_ports(["WEB", "DB", "WEB"], [("URL", "x")]) == ("WEB", "DB")
    with pytest.raises(Refused, match="both set WEB"):
        parse_ports(["WEB"], [("WEB", "1")])


def test_ports_are_filled_wherever_variables_are_and_others_stay_as_written() -> None:
    filled = values("p", "n", Path("/w"), {"WEB": 20_000})
    assert fill("http://x:{port:WEB}/{port:DB}/{node}", filled) == "http://x:20000/{port:DB}/n"
    assert fill_shell("serve '{port:WEB}' {port:WEB}", filled) == "serve '20000' 20000"
    assert port_names("a{port:WEB}b{port:DB}{port:}{node}") == ["WEB", "DB"]


@pytest.mark.parametrize(
    ("given", "taken"),
    [
        ("plan --port A B --watch", "plan --port A --port B --watch"),
        ("plan --copy .env certs/dev ../app", "plan --copy .env --copy certs/dev ../app"),
        ("plan --copy .env /code/app", "plan --copy .env /code/app"),
        ("plan --copy .env .", "plan --copy .env ."),
        ("--port A plan", "--port A plan"),
    ],
)
def test_flags_take_several_values_and_leave_the_project(given: str, taken: str) -> None:
    assert spread(given.split()) == taken.split()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (("--port", "A-B"), "--port takes the name of a variable"),
        (("--agent-env", "URL=:{port:WEB}"), "add --port WEB"),
        (("--agent-setup", "echo {port:WEB}"), "add --port WEB"),
        (("--copy", ".env"), "is not there"),
        (("--copy", "README.md"), "git tracks README.md"),
        (("--copy", "loose"), ".git/info/exclude"),
    ],
)
def test_what_cannot_be_had_is_refused_before_anything_is_claimed(
    world: World, flags: tuple[str, ...], words: str
) -> None:
    (world.repo.path / "loose").write_text("x")
    world.plan("nodes: [{id: a, kind: change}]")
    ran = Stoat(world.repo.path).run(*world.flags(*flags), env=world.environ)
    assert (ran.code, words in ran.err) == (3, True), ran
    assert world.node("a").attempts == 0
    assert world.starts() == []
