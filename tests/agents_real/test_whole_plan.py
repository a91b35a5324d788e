"""A plan of eight nodes worked to its end by the real Claude Code: a limit in the middle, a question with its answer,
and the runner killed twice."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from stoat.gitstore.log import Store
from stoat.plan.events.attempts import AttemptLimited, AttemptStarted
from stoat.plan.events.base import Actor
from stoat.plan.events.questions import Asked
from stoat.plan.state import PlanState
from stoat.processes import end_tree, find_marked
from stoat.service import decisions, plans, questions
from stoat.service.session import Session
from tests.agents_real.programs import VARIABLE, claude, installed
from tests.support.gitrepo import MakeRepo
from tests.support.waiting import wait_until

if installed("claude") is None:
    pytest.skip(f"{VARIABLE} names no directory with claude", allow_module_level=True)

pytestmark = pytest.mark.slow

IDENTITY = "-c user.name=Agent -c user.email=agent@example.invalid"


def commits(name: str) -> dict[str, str]:
    """A turn that commits a file of that name."""
    return {"shell": f"echo {name} > {name}.txt && git add {name}.txt && git {IDENTITY} commit -qm 'Add {name}'"}


def node(name: str, turns: list[dict[str, object]], *depends_on: str) -> str:
    """A node of the plan, whose brief says what its agent does."""
    script = json.dumps(f"MOCK-SCRIPT:{json.dumps(turns)}")
    return f"  - {{id: {name}, kind: change, depends_on: [{', '.join(depends_on)}], brief: {script}}}"


NODES = [
    node("root", [commits("root"), {"text": "Done."}]),
    node(
        "limited", [{"shell": "echo one"}, {"limit": "usage", "for": 15}, commits("limited"), {"text": "Done."}], "root"
    ),
    node("asks", [{"text": "Question for a person: 3 or 5?"}, commits("asks"), {"text": "As you said."}], "root"),
    node("tools", [{"mcp": "report_node", "input": {"note": "half way"}}, commits("tools"), {"text": "Done."}], "root"),
    node("slow", [{"shell": "python3 -c 'import time; time.sleep(8)'"}, commits("slow"), {"text": "Done."}], "root"),
    node("join", [commits("join"), {"text": "Done."}], "limited", "asks", "tools", "slow"),
    node("after", [commits("after"), {"text": "Done."}], "join"),
    node("last", [commits("last"), {"text": "Done."}], "after"),
]


def test_eight_nodes_a_limit_a_question_and_two_killed_runners(make_repo: MakeRepo, tmp_path: Path) -> None:
    repo = make_repo("app", origin=True)
    repo.run_git("config", "user.name", "Ada")
    repo.run_git("config", "user.email", "ada@example.invalid")
    store, _ = Store.create(repo.path)
    session = Session(store, Actor("Ada", "person"), repo.path)
    plans.import_document(session, "schema: 1\nplan: p\nbranch: i\ngo_ahead: plan\nnodes:\n" + "\n".join(NODES))
    decisions.approve_plan(session, "p")

    def plan() -> PlanState:
        found = Session(Store.open(repo.path), session.actor, repo.path).state().plan("p")
        assert found is not None
        return found

    def running(name: str) -> bool:
        attempt = plan().nodes[name].attempt
        return attempt is not None and attempt.process is not None

    with claude(tmp_path, subscriber=True) as program:
        command = [
            sys.executable, "-m", "stoat", "run-plan", "p", str(repo.path), "--watch", "--agent-command",
            program.command[0], "--agent-args", "--dangerously-skip-permissions", "--parallel", "3", "--poll-seconds",
            "1", "--settle-seconds", "2", "--stagger-seconds", "0.5",
        ]  # fmt: skip
        said = (tmp_path / "said").open("ab")

        def start() -> subprocess.Popen[bytes]:
            return subprocess.Popen(command, cwd=repo.path, env=program.environment, stdout=said, stderr=said)

        runner = start()
        try:
            for name in ("root", "slow"):
                wait_until(lambda name=name: running(name), 120, f"an agent on {name}")
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
    assert sorted(started) == sorted(
        [(name, False) for name in plan().nodes] + [("limited", True), ("asks", True)]
    )  # no agent was started twice for the killed runners
    assert [event.node for event in events if isinstance(event, AttemptLimited)] == ["limited"]
    assert [event.text for event in events if isinstance(event, Asked)] == ["3 or 5?"]
    assert all(one.tries == 0 for one in plan().nodes.values())
    assert (plan().spent_usd or 0) > 0
    assert any("half way" in (getattr(event, "note", None) or "") for event in events)
