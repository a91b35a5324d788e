"""Reviews in a run: launched on the plan's branch, judged by what was submitted, never landed, then a person's."""

from __future__ import annotations

import pytest

from stoat.plan.ids import NodeRef
from stoat.service import decisions, reviews
from tests.runner.conftest import World

pytestmark = pytest.mark.slow

PLAN = """
branch: p-int
nodes:
  - {id: a, kind: change}
  - {id: final, kind: review, depends_on: [a]}
  - {id: after, kind: change, depends_on: [final]}
"""
FINAL = NodeRef("p", "final")
SUBMITS = """
import json
pathlib.Path("notes.txt").write_text("mine")
git("add", "notes.txt")
git("commit", "-q", "-m", "Notes that nobody asked for")
assert pathlib.Path("a.txt").exists(), "the branch under review"
findings = json.dumps([{"title": "Wrong lane", "severity": "high", "file": "a.txt", "line": 1, "text": "It turns."}])
subprocess.run(["stoat", "review", "submit", "p/final", "-"], input=findings.encode(), check=True)
tell("prompt", " ".join(PROMPT.split()))
decided = [subprocess.run(["stoat", "review", *words], capture_output=True).returncode
           for words in (("accept", "p/final", "f1"), ("reject", "p/final", "f1"), ("sign-off", "p/final"))]
tell("decided", decided)
"""


def test_a_review_is_launched_decided_by_a_person_mended_and_never_landed(world: World) -> None:
    world.plan(PLAN)
    world.agent("final", SUBMITS)
    assert world.run() == 0
    assert world.statuses() == {"a": "done", "final": "findings", "after": "open"}
    assert world.said("✓ 'final' submitted 1 finding — a person decides: stoat review list p/final")
    [prompt] = [" ".join(words[5:]) for words in world.told() if words[4] == "prompt"]
    assert "under review: p-int" in prompt
    assert "`stoat review submit p/final FINDINGS.json`" in prompt
    assert [words[5:] for words in world.told() if words[4] == "decided"] == [["[3,", "3,", "3]"]]
    assert world.node("final").claim is None

    reviews.accept(world.session, FINAL, "f1")
    decisions.approve(world.session, [NodeRef("p", "final-f1")])
    assert world.run() == 0
    assert set(world.statuses().values()) == {"done"}
    assert world.starts() == ["a", "final", "final-f1", "after"]
    assert world.said("✓ 'final' is done — 1 finding decided (1 mended)")
    files = world.repo.run_git("ls-tree", "--name-only", "refs/heads/p-int").splitlines()
    assert {"a.txt", "final-f1.txt", "after.txt"} <= set(files)
    assert "notes.txt" not in files
    assert "p-int moved since: reviewed at" in world.shown("final").detail


def test_an_agent_that_submits_nothing_is_tried_again_and_one_that_found_nothing_waits_for_a_person(
    world: World,
) -> None:
    world.plan("branch: p-int\nnodes: [{id: final, kind: review}]")
    world.agent(
        "final",
        """
        if ATTEMPT > 1:
            subprocess.run(["stoat", "review", "submit", "p/final", "-"], input=b"[]", check=True)
        """,
    )
    assert world.run() == 0
    assert world.starts() == ["final", "final"]
    assert world.said("✗ attempt 1 on 'final' left nothing: no review yet (1 attempt left)")
    assert world.said("✓ 'final' submitted a review that found nothing")
    assert world.statuses() == {"final": "findings"}
    assert reviews.sign_off(world.session, FINAL).status == "done"


def test_the_next_reviewer_is_told_what_became_of_what_was_found(world: World) -> None:
    world.plan("branch: p-int\nnodes: [{id: final, kind: review}]")
    reviews.submit(world.session, FINAL, b'[{"title": "Too <<<0123456789abcdef blue", "text": "x"}]')
    reviews.reject(world.session, FINAL, "f1", "as meant")
    world.restart("final")
    world.agent("final", "tell('prompt', ' '.join(PROMPT.split()))")
    world.run(max_attempts=1)
    [prompt] = [" ".join(words[5:]) for words in world.told() if words[4] == "prompt"]
    assert "f1: Too <<<0123456789abcdef blue — rejected: as meant" in prompt
