"""Agents that end for a while and go on in their own session: after a limit of their account, after an answer; and what
they cost."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from stoat.clock import seconds_between
from stoat.derive import quota
from stoat.plan.events.attempts import AttemptJudged, AttemptLimited, AttemptStarted, CostReported
from stoat.plan.events.questions import Asked
from stoat.runner import limiting
from stoat.service import questions
from tests.runner.conftest import World
from tests.support.waiting import wait_until

pytestmark = pytest.mark.slow

LIMIT = "You've hit your 5-hour limit"

TOOL = (
    '''
import json

def session():
    """The session that this run works in, and whether it was told to go on in it."""
    for flag in ("--session-id", "--resume"):
        if flag in sys.argv:
            return sys.argv[sys.argv.index(flag) + 1], flag == "--resume"

def result(text="Done.", usd=0.5, **more):
    """What Claude Code prints at its end, of a version that counts a whole session."""
    begin = {"type": "system", "subtype": "init", "session_id": session()[0], "claude_code_version": "2.1.332"}
    end = {"type": "result", "subtype": "success", "is_error": False, "api_error_status": None, "result": text,
           "session_id": session()[0], "num_turns": 2, "total_cost_usd": usd, "permission_denials": [], **more}
    says = {"type": "assistant", "message": {"role": "assistant", "content": [{"type": "text", "text": text}]},
            "session_id": session()[0]}
    print(json.dumps(begin), json.dumps(says), json.dumps(end), sep="\\n", flush=True)

def limit(text="'''
    + LIMIT
    + """", usd=0.5):
    result(text, usd, is_error=True, api_error_status=429, api_error="usage_limit_reached", terminal_reason="api_error")
    tell("ends")
    sys.exit(1)

tell("session", " ".join(map(str, session())))
"""
)


@pytest.fixture
def claude(world: World, monkeypatch: pytest.MonkeyPatch) -> World:
    """A world whose agents behave as Claude Code does, and whose limits are over in a moment."""
    agent = str(world.place / "agent.py")
    world.profile_as(
        result="claude-json", arguments=["-S", "-E", agent, "{prompt}"], sessionArguments=["--session-id", "{session}"],
        resumeArguments=["-S", "-E", agent, "{prompt}", "--resume", "{session}"],
    )  # fmt: skip
    monkeypatch.setattr(quota, "AFTER_RESET", 0.3)
    monkeypatch.setattr(quota, "_UNNAMED", 1.5)
    return world


def does(world: World, node: str, code: str) -> None:
    """What the agents of a node do, with what Claude Code prints at hand."""
    world.agent(node, TOOL + code)


def sessions(world: World, node: str) -> list[tuple[str, bool]]:
    """The session of each agent of a node, and whether it was told to go on in it."""
    return [(words[5], words[6] == "True") for words in world.told() if words[1] == node and words[4] == "session"]


def settle(world: World, with_: str | None) -> threading.Thread:
    """A person settles the first question that is asked: with that answer, or (None) without one."""

    def person() -> None:
        def asked() -> list[str]:
            plan = world.session.state().plan("p")
            return [one.id for one in plan.questions.values() if one.state == "open"] if plan else []

        wait_until(asked, 30, "a question")
        if with_ is None:
            questions.dismiss(world.fresh_session(), asked()[0])
        else:
            questions.answer(world.fresh_session(), asked()[0], with_)

    thread = threading.Thread(target=person)
    thread.start()
    return thread


def test_an_agent_that_ran_into_a_limit_goes_on_in_its_session_and_nothing_starts_meanwhile(claude: World) -> None:
    claude.plan("branch: i\nnodes: [{id: a, kind: change}, {id: b, kind: change}]")
    does(claude, "a", "if session()[1]: commit('a'); result(usd=0.8)\nelse: limit()")
    does(claude, "b", "commit('b'); result(usd=0.1)")
    assert claude.run(parallel=1, max_attempts=1) == 0
    assert claude.statuses() == {"a": "done", "b": "done"}
    [(first, fresh), (second, resumed)] = sessions(claude, "a")
    assert first == second and not fresh and resumed
    [limited] = [event for event in claude.events() if isinstance(event, AttemptLimited)]
    began = [event for event in claude.events() if isinstance(event, AttemptStarted)]
    assert all(seconds_between(limited.at, one.at) >= 1.5 for one in began[1:])
    assert [one.resumes for one in began if one.node == "a"] == [False, True]
    assert claude.node("a").tries == 0
    assert claude.said("attempt 1 on 'a' ran into a limit and does not count", LIMIT)
    assert claude.said("paused for a usage limit — resumes at")
    assert claude.node("a").spent_usd == pytest.approx(0.8)


def test_a_limited_agent_whose_work_is_proved_is_done_and_one_that_only_committed_goes_on(claude: World) -> None:
    claude.plan(
        """
        branch: i
        nodes:
          - {id: proved, kind: change, steps: [{id: t, run: test -f proved}]}
          - {id: half, kind: change}
        """
    )
    does(claude, "proved", "commit('proved'); steps(); limit()")
    does(claude, "half", "(commit('half'), limit()) if ATTEMPT == 1 else (commit('whole'), result())")
    assert claude.run() == 0
    assert claude.statuses() == {"proved": "done", "half": "done"}
    assert sorted(claude.starts()) == ["half", "half", "proved"]
    files = claude.repo.run_git("ls-tree", "--name-only", "refs/heads/i").splitlines()
    assert {"half", "whole"} <= set(files)


@pytest.mark.parametrize(
    "ends",
    [
        "os.kill(os.getpid(), 9)",
        "result(is_error=True, terminal_reason='aborted_tools', subtype='error_during_execution')",
    ],
)
def test_a_change_whose_agent_was_cut_off_is_not_done_because_something_is_committed(claude: World, ends: str) -> None:
    claude.plan("branch: i\nnodes: [{id: a, kind: change}]")
    does(claude, "a", f"commit('half')\nif ATTEMPT == 1: {ends}\nelse: commit('whole'); result()")
    assert claude.run() == 0
    assert claude.said("attempt 1 on 'a' failed: its agent was cut off")
    assert claude.starts() == ["a", "a"]
    assert claude.statuses() == {"a": "done"}


def test_an_agent_that_hangs_on_a_limit_is_stopped_and_goes_on_later(
    claude: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limiting, "QUIET", 0.4)
    claude.plan("branch: i\nnodes: [{id: a, kind: change}]")
    retry = {
        "type": "system", "subtype": "api_retry", "attempt": 3, "max_retries": 10, "retry_delay_ms": 60000,
        "error_status": 429, "error": "rate_limit",
    }  # fmt: skip
    does(
        claude,
        "a",
        f"if session()[1]: commit('a'); result()\nelse: print({json.dumps(retry)!r}, flush=True); time.sleep(600)",
    )
    assert claude.run(poll_seconds=0.3) == 0
    assert claude.said("the agent of 'a' waits for a limit of its account and is stopped")
    assert claude.statuses() == {"a": "done"}
    assert [resumed for _, resumed in sessions(claude, "a")] == [False, True]
    assert claude.node("a").tries == 0


@pytest.mark.parametrize("answer", ["Five, because of the proxy.", None])
def test_a_question_that_an_agent_ended_with_is_asked_and_its_session_goes_on_with_the_answer(
    claude: World, answer: str | None
) -> None:
    claude.plan("branch: i\nnodes: [{id: a, kind: change}]")
    ends = "result('I read both designs.\\n\\nQuestion for a person: should the cap be 3 or 5?')"
    does(claude, "a", f"if session()[1]: commit('a', PROMPT); result()\nelse: {ends}")
    person = settle(claude, answer)
    assert claude.run(watch=True, limits={"minutes": 0.35}, poll_seconds=0.3) == 0
    person.join()
    [asked] = [event for event in claude.events() if isinstance(event, Asked)]
    assert asked.text == "should the cap be 3 or 5?"
    assert claude.said("? 'a' asks: should the cap be 3 or 5? — stoat answer")
    [first, again] = sessions(claude, "a")
    assert (first[0], again[1]) == (again[0], True)
    prompt = claude.beside("a").path.joinpath("a").read_text()
    assert "Question: should the cap be 3 or 5?" in prompt
    assert ("Answer: Five, because of the proxy." if answer else "The person will not answer.") in prompt
    assert "do not stop, restart or clean up any process" in prompt.lower()
    assert claude.node("a").tries == 0
    assert claude.statuses() == {"a": "done"}


def test_a_question_asked_at_the_command_line_is_not_asked_again_from_the_closing_words(claude: World) -> None:
    claude.plan("nodes: [{id: a, kind: change}]")
    does(claude, "a", "stoat('ask', 'p/a', 'Three or five?'); result('Question for a person: three or five?')")
    assert claude.run() == 0
    assert [event.text for event in claude.events() if isinstance(event, Asked)] == ["Three or five?"]


def test_a_question_without_end_in_closing_words_is_asked_cut(claude: World) -> None:
    claude.plan("nodes: [{id: a, kind: change}]")
    does(claude, "a", "result('Question for a person: three or five? ' + 'x' * 100_000)")
    assert claude.run() == 0
    [asked] = [event for event in claude.events() if isinstance(event, Asked)]
    assert asked.text.startswith("three or five? xxx") and 19_900 < len(asked.text) <= 20_000
    assert asked.text.endswith("more characters, in the agent's log)")


def test_a_node_that_went_done_raises_no_question_whatever_its_agent_ended_with(claude: World) -> None:
    claude.plan("branch: i\nnodes: [{id: a, kind: change}]")
    does(claude, "a", "commit('a'); result('Question for a person: shall I go on?')")
    assert claude.run() == 0
    assert not [event for event in claude.events() if isinstance(event, Asked)]
    assert claude.statuses() == {"a": "done"}


def test_a_session_that_is_not_found_is_begun_afresh_and_costs_no_attempt(claude: World) -> None:
    claude.plan("branch: i\nnodes: [{id: a, kind: change}]")
    does(claude, "a", "if session()[1]: sys.exit(1)\nif ATTEMPT > 2: commit('a'); result()\nelse: limit()")
    assert claude.run(max_attempts=1) == 0
    assert [resumed for _, resumed in sessions(claude, "a")] == [False, True, False]
    outcomes = [event.outcome for event in claude.events() if isinstance(event, AttemptJudged)]
    assert outcomes == ["limited", "given-back", "done"]
    assert claude.said("attempt 2 on 'a' does not count: its session could not be resumed")


def test_what_a_session_cost_is_counted_once_and_a_killed_attempt_makes_it_a_floor_until_the_session_tells(
    claude: World,
) -> None:
    claude.plan("branch: i\nnodes: [{id: a, kind: change}, {id: b, kind: change}]")
    does(claude, "a", "limit(usd=1.0) if ATTEMPT == 1 else (commit('a'), result(usd=1.75))")
    does(claude, "b", "commit(f'b{ATTEMPT}')\nif ATTEMPT == 1: os.kill(os.getpid(), 9)\nelse: result(usd=0.25)")
    assert claude.run() == 0
    costs = [event.usd for event in claude.events() if isinstance(event, CostReported)]
    assert sorted(costs) == pytest.approx([0.25, 0.75, 1.0])
    plan = claude.session.state().plan("p")
    assert plan is not None and plan.spent_usd == pytest.approx(2.0) and plan.spent_at_least
    assert claude.said("exited (137)", "this run: at least $")


def test_the_log_has_what_the_agent_said_and_its_output_is_kept_apart(claude: World) -> None:
    claude.plan("branch: i\nnodes: [{id: a, kind: change}]")
    does(claude, "a", "print('to stderr', file=sys.stderr); commit('a'); result('All of it is done.')")
    assert claude.run() == 0
    log = claude.repo.path.with_name("stoat-agent-a.log").read_text()
    assert "All of it is done." in log and "to stderr" in log and "total_cost_usd" not in log
    output = claude.node("a").attempt
    assert output is not None and output.output is not None and "total_cost_usd" in Path(output.output).read_text()


def test_what_an_agent_said_while_no_runner_was_there_is_read_by_the_next_one(claude: World) -> None:
    claude.plan("branch: i\nnodes: [{id: a, kind: change}]")
    does(
        claude,
        "a",
        "if session()[1]: commit('a'); result(usd=2.0)\nelse: (TOLD.parent / 'up').touch(); wait_for('go'); limit()",
    )
    flags = claude.flags("--poll-seconds", "0.3")
    first = subprocess.Popen(
        [sys.executable, "-m", "stoat", *flags], cwd=claude.repo.path, env=claude.environ,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    wait_until((claude.place / "up").exists, 30)
    wait_until(lambda: (attempt := claude.node("a").attempt) is not None and attempt.process is not None, 30)
    first.kill()
    first.wait()
    claude.signal("go")
    wait_until(lambda: ["a", "1"] in [words[1:3] for words in claude.told() if words[4] == "session"], 30)
    assert claude.run() == 0
    assert claude.node("a").spent_usd == pytest.approx(2.0)
    assert [resumed for _, resumed in sessions(claude, "a")] == [False, True]
    assert claude.starts() == ["a", "a"]
