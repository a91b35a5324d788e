"""The fence around the shared machine: every prompt has it, of whatever kind, begun or resumed, hostile or cut."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import get_args, get_type_hints

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

import stoat.runner
from stoat.derive.resume import Resume
from stoat.plan.nodes import LAUNCHED
from stoat.plan.state import Attempt, Mark, Question
from stoat.runner import prompts, resumed
from stoat.runner.prompts import LONGEST, MACHINE
from tests.runner.test_prompts import HOSTILE, assignment, outside_of_fences

AT = "2026-11-30T22:16:41.123Z"
ATTEMPT = Attempt(
    number=2, claim="c-1", started=AT, runner="r", machine="m", launcher="l", worktree="/w", branch="b",
    base="a" * 40, base_ref="main", log="/l",
)  # fmt: skip
TEXT = st.text(max_size=60) | st.sampled_from([*HOSTILE, MACHINE])


def test_the_fence_says_what_an_agent_must_leave_alone() -> None:
    for word in ("shared", "process", "container", "service", "database", "did not start yourself"):
        assert word in MACHINE


@pytest.mark.parametrize("kind", sorted(LAUNCHED))
@given(title=TEXT, brief=TEXT, before=TEXT, mcp=st.booleans())
def test_every_kinds_prompt_has_it_outside_of_what_others_wrote(
    kind: str, title: str, brief: str, before: str, mcp: bool
) -> None:
    work = assignment(kind, title=title, brief=brief, before=before, takes_mcp=mcp)
    assert MACHINE in outside_of_fences(prompts.prompt(work))


@pytest.mark.parametrize("kind", sorted(LAUNCHED))
def test_a_prompt_that_is_cut_keeps_it(kind: str) -> None:
    assert MACHINE in outside_of_fences(prompts.prompt(assignment(kind, brief="x" * (2 * LONGEST))))


@pytest.mark.parametrize("why", get_args(get_type_hints(Resume)["why"]))
@given(asked=st.lists(st.tuples(TEXT, TEXT), max_size=2), where=TEXT, mcp=st.booleans())
def test_every_resumed_prompt_has_it_too(why: str, asked: list[tuple[str, str]], where: str, mcp: bool) -> None:
    questions = tuple(
        Question(id=f"q-{index}", node="n", question=question, asked_by="a", at=AT, state="answered",
                 answer=Mark("ada", AT, answer))
        for index, (question, answer) in enumerate(asked)
    )  # fmt: skip
    told = resumed.prompt(
        "p/n", replace(ATTEMPT, worktree=where), Resume("s", why, questions), takes_mcp=mcp  # type: ignore[arg-type]
    )  # fmt: skip
    assert MACHINE in outside_of_fences(told)


def test_no_other_module_writes_prompts() -> None:
    """Who writes a new kind of prompt names it here, and tests it above."""
    room = Path(stoat.runner.__file__).parent
    writers = {
        path.relative_to(room).with_suffix("").as_posix()
        for path in room.rglob("*.py")
        for part in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(part, ast.FunctionDef) and part.name == "prompt"
    }
    assert writers == {"prompts", "resumed"}
