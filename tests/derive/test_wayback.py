"""The way back into an agent's session: when there is one, and the command that it is."""

from __future__ import annotations

from typing import Any, get_args

import pytest

from stoat.derive.answers import NeedKind
from stoat.derive.wayback import OF_AN_AGENT, way_back
from stoat.plan.facts import Facts
from tests.support.states import BEFORE, attempt, claim, piece

HERE = Facts(machine="box")
DEAD = Facts(machine="box", dead=frozenset({"agent"}))
BACK = "cd /code/x-a && claude --resume s-1"


def back(facts: Facts = HERE, kind: NeedKind = "give-up", held: str | None = None, **fields: Any) -> str | None:
    given = {"session": "s-1", "exited_at": BEFORE, "outcome": "failed", **fields}
    lease = claim(id=held) if held else None
    return way_back(piece("a", attempt=attempt(**given)), kind, lease, facts)


CASES: list[tuple[str, dict[str, Any], str | None]] = [
    ("its agent exited", {}, BACK),
    ("its agent is alive", {"exited_at": None}, None),
    ("its agent died, and nobody has recorded it yet", {"exited_at": None, "facts": DEAD}, BACK),
    ("there may be a process that nobody recorded", {"exited_at": None, "process": None, "facts": DEAD}, None),
    ("it ran on another machine", {"facts": Facts(machine="other")}, None),
    ("this machine has no name", {"facts": Facts()}, None),
    ("it has no session", {"session": None}, None),
    ("its own claim is still there", {"held": "c-1"}, BACK),
    ("somebody else holds the node", {"held": "c-2"}, None),
    ("nobody knows the tool", {"launcher": "mine"}, None),
    ("codex", {"launcher": "codex"}, "cd /code/x-a && codex resume s-1"),
    ("gemini", {"launcher": "gemini"}, "cd /code/x-a && gemini --resume s-1"),
    ("a place that a shell would take apart", {"worktree": "/my code/$x"}, "cd '/my code/$x' && claude --resume s-1"),
    ("a session that the tool would obey", {"session": "--dangerously-skip-permissions"}, None),
    ("a session that a shell would obey", {"session": "$(id)"}, "cd /code/x-a && claude --resume '$(id)'"),
]


@pytest.mark.parametrize(("given", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_every_case(given: dict[str, Any], expected: str | None) -> None:
    assert back(**given) == expected


@pytest.mark.parametrize("kind", get_args(NeedKind))
def test_a_go_ahead_a_limit_and_what_is_of_the_whole_plan_have_none(kind: NeedKind) -> None:
    assert (back(kind=kind) is not None) == (kind in OF_AN_AGENT)
    assert not {"go-ahead", "limit", "main-red", "drift", "cloud", "person", "bump"} & OF_AN_AGENT


def test_an_attempt_before_a_restart_is_history() -> None:
    node = piece("a", attempt=attempt(session="s-1", exited_at=BEFORE, seq=3), restarted_seq=4)
    assert way_back(node, "give-up", None, HERE) is None
