"""A plan of eight nodes worked to its end by each of the real programs: a limit in the middle, a question with its
answer, and the runner killed twice."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import Protocol

import pytest

from stoat.gitstore.log import Store
from stoat.plan.events.attempts import AttemptLimited, AttemptStarted
from stoat.plan.events.base import Actor
from stoat.plan.events.questions import Asked
from stoat.plan.state import PlanState
from stoat.processes import end_tree, find_marked
from stoat.service import decisions, plans, questions
from stoat.service.session import Session
from tests.agents_real.programs import VARIABLE, Program, claude, codex, gemini_cli, installed
from tests.support.gitrepo import MakeRepo
from tests.support.waiting import wait_until


class _Ready(Protocol):
    def __call__(self, directory: Path) -> AbstractContextManager[Program]: ...


def _subscriber(directory: Path) -> AbstractContextManager[Program]:
    return claude(directory, subscriber=True)


PROGRAMS: dict[str, tuple[_Ready, str]] = {
    "claude": (_subscriber, "--dangerously-skip-permissions"),
    "codex": (codex, "--dangerously-bypass-approvals-and-sandbox"),
    "gemini": (gemini_cli, "--yolo"),
}
"""How each program is made ready, and the posture in which it asks nobody."""

if not any(installed(name) for name in PROGRAMS):
    pytest.skip(f"{VARIABLE} names no directory with {', '.join(PROGRAMS)}", allow_module_level=True)

pytestmark = pytest.mark.slow

IDENTITY = "-c user.name=Agent -c user.email=agent@example.invalid"


def commits(name: str) -> dict[str, object]:
    """A turn that commits a file of that name."""
    return {"shell": f"echo {name} > {name}.txt && git add {name}.txt && git {IDENTITY} commit -qm 'Add {name}'"}


def node(name: str, turns: list[dict[str, object]], *depends_on: str) -> str:
    """A node of the plan, whose brief says what its agent does."""
    script = json.dumps(f"MOCK-SCRIPT:{json.dumps(turns)}")
    return f"  - {{id: {name}, kind: change, depends_on: [{', '.join(depends_on)}], brief: {script}}}"


def nodes(name: str) -> str:
    """The plan's nodes. Gemini is handed no tools of ours: it reports at the command line."""
    reports: dict[str, object] = {"mcp": "report_node", "input": {"note": "half way"}}
    if name == "gemini":
        reports = {"shell": "stoat report p/tools --note 'half way'"}
    done: dict[str, object] = {"text": "Done."}
    limit: dict[str, object] = {"limit": "usage", "for": 15}
    asks: dict[str, object] = {"text": "Question for a person: 3 or 5?"}
    slow: dict[str, object] = {"shell": "python3 -c 'import time; time.sleep(8)'"}
    return "\n".join(
        [
            node("root", [commits("root"), done]),
            node("limited", [{"shell": "echo one"}, limit, commits("limited"), done], "root"),
            node("asks", [asks, commits("asks"), done], "root"),
            node("tools", [reports, commits("tools"), done], "root"),
            node("slow", [slow, commits("slow"), done], "root"),
            node("join", [commits("join"), done], "limited", "asks", "tools", "slow"),
            node("after", [commits("after"), done], "join"),
            node("last", [commits("last"), done], "after"),
        ]
    )


@pytest.mark.parametrize("name", PROGRAMS)
def test_eight_nodes_a_limit_a_question_and_two_killed_runners(make_repo: MakeRepo, tmp_path: Path, name: str) -> None:
    if installed(name) is None:
        pytest.skip(f"{name} is not in the directory that {VARIABLE} names")
    ready, posture = PROGRAMS[name]
    repo = make_repo("app", origin=True)
    repo.run_git("config", "user.name", "Ada")
    repo.run_git("config", "user.email", "ada@example.invalid")
    store, _ = Store.create(repo.path)
    session = Session(store, Actor("Ada", "person"), repo.path)
    plans.import_document(session, "schema: 1\nplan: p\nbranch: i\ngo_ahead: plan\nnodes:\n" + nodes(name))
    decisions.approve_plan(session, "p")

    def plan() -> PlanState:
        found = Session(Store.open(repo.path), session.actor, repo.path).state().plan("p")
        assert found is not None
        return found

    def running(name: str) -> bool:
        attempt = plan().nodes[name].attempt
        return attempt is not None and attempt.process is not None

    with ready(tmp_path) as program:
        command = [
            sys.executable, "-m", "stoat", "run-plan", "p", str(repo.path), "--watch", "--launcher", name,
            "--agent-command",
            program.command[0], "--agent-args", posture, "--parallel", "3", "--poll-seconds",
            "1", "--settle-seconds", "2", "--stagger-seconds", "0.5",
        ]  # fmt: skip
        said = (tmp_path / "said").open("ab")

        def start() -> subprocess.Popen[bytes]:
            return subprocess.Popen(command, cwd=repo.path, env=program.environment, stdout=said, stderr=said)

        runner = start()
        try:
            for which in ("root", "tools"):
                wait_until(partial(running, which), 120, f"an agent on {which}")
                runner.kill()
                runner.wait()
                runner = start()
            wait_until(lambda: plan().questions, 120, "a question")
            [asked] = plan().questions.values()
            questions.answer(session, asked.id, "Five.")
            wanted = {f"{name}.txt" for name in plan().nodes}

            def landed() -> bool:
                return wanted <= set(repo.run_git("ls-tree", "--name-only", "refs/heads/i", check=False).splitlines())

            wait_until(landed, 420, "everything landed")
        finally:
            runner.kill()
            runner.wait()
            for one in plan().nodes.values():
                mark = ("STOAT_CLAIM", one.attempt.claim if one.attempt is not None else "")
                for identity in find_marked(*mark)[:1]:
                    end_tree(identity, 1.0, marker=mark)
            print((tmp_path / "said").read_text())  # shown where the test fails
    events = [recorded.event for recorded in store.history("plans/p")]
    started = [(event.node, event.resumes) for event in events if isinstance(event, AttemptStarted)]
    # No agent was started twice for the killed runners. Gemini waits for a limit by itself, when it is short.
    resumed = ["asks"] if name == "gemini" else ["asks", "limited"]
    assert sorted(started) == sorted([*((one, False) for one in plan().nodes), *((one, True) for one in resumed)])
    assert {event.node for event in events if isinstance(event, AttemptLimited)} == set(resumed) - {"asks"}
    assert [event.text for event in events if isinstance(event, Asked)] == ["3 or 5?"]
    assert all(one.tries == 0 for one in plan().nodes.values())
    assert name != "claude" or (plan().spent_usd or 0) > 0  # the others tell no cost
    assert any("half way" in (getattr(event, "note", None) or "") for event in events)
