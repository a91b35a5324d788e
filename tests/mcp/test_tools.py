"""The tools as an agent calls them: what each records and shows, and what it refuses."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from stoat.mcp.bounding import TEXT, WHOLE, bounded
from stoat.mcp.desk import Desk
from stoat.mcp.protocol import Endpoint, Peer, peer_of
from stoat.mcp.tool import Waiting
from stoat.mcp.tools import TOOLS
from tests.support.command import Stoat
from tests.support.gitrepo import GitRepo
from tests.support.mcp_wire import call
from tests.support.waiting import wait_until


class Agent:
    """Calls tools, and looks whether each answer is what its schema says."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint

    def result(self, tool: str, **arguments: Any) -> dict[str, Any]:
        message = call(tool, arguments)
        found = self.endpoint.answer(message, peer_of(message, Peer()), Waiting(seconds=0.3))["result"]
        assert isinstance(found, dict)
        if not found["isError"]:
            Draft202012Validator(self.endpoint.tools[tool].schema).validate(found["structuredContent"])
            assert json.loads(found["content"][0]["text"]) == found["structuredContent"]
        return found

    def ok(self, tool: str, **arguments: Any) -> Any:
        found = self.result(tool, **arguments)
        assert not found["isError"], found["content"][0]["text"]
        return found["structuredContent"]

    def refused(self, tool: str, **arguments: Any) -> str:
        found = self.result(tool, **arguments)
        assert found["isError"]
        assert "structuredContent" not in found
        text: str = found["content"][0]["text"]
        assert "Traceback" not in text
        assert "hint: " in text or text.endswith(")"), "it does not say what to do next"
        return text


@pytest.fixture
def agent(endpoint: Endpoint) -> Agent:
    """The agent on `demo/parser`."""
    return Agent(endpoint)


def test_the_plan_and_a_node_read_as_the_command_line_shows_them(agent: Agent, stoat: Stoat) -> None:
    shown, told = agent.ok("plan_status"), stoat.json("status", "demo")
    assert {**shown, "at": ""} == {**told, "at": ""}
    assert agent.ok("plan_status", plan="demo")["plan"] == "demo"
    assert agent.ok("get_node", github=False) == stoat.json("node", "show", "demo/parser", "--offline")
    assert agent.ok("get_node", node="suite")["steps"][0]["id"] == "unit"
    assert "no plan 'nope'" in agent.refused("plan_status", plan="nope")
    assert "no node 'nope'" in agent.refused("get_node", node="nope")


def test_an_agent_reports_on_its_node_without_naming_it(agent: Agent, stoat: Stoat, worker: dict[str, str]) -> None:
    kept = agent.ok("report_node", note="half way", link="https://example.org/1", leaseMinutes=60)
    assert (kept["claimId"], kept["holder"], kept["said"]) == (worker["STOAT_CLAIM"], "box/parser", [])
    claim = stoat.json("status", "demo")["nodes"][0]["claim"]
    assert (claim["note"], claim["link"]) == ("half way", "https://example.org/1")
    line = stoat.json("log", "demo", "--limit", "1")["lines"][0]
    assert (line["by"], line["byKind"], line["session"]) == ("box/parser", "agent", "s-1")
    assert "too long" in agent.refused("report_node", leaseMinutes=300)
    assert "nobody holds demo/suite" in agent.refused("report_node", node="suite")
    assert "is over" in agent.refused("report_node", claimId="c-other")


def test_an_agent_that_lost_its_node_cannot_touch_the_next_holders(agent: Agent, stoat: Stoat) -> None:
    stoat.ok("release", "demo/parser")
    stoat.ok("claim", "demo/parser", "--agent", "next")
    assert "held by next" in agent.refused("report_node", note="still here")
    assert "held by next" in agent.refused("release_node")
    assert "held by next" in agent.refused("report_activity", activity="still here")
    assert stoat.json("status", "demo")["nodes"][0]["claim"]["holder"] == "next"


def test_an_agent_gives_its_node_back(agent: Agent, stoat: Stoat) -> None:
    assert agent.ok("release_node", why="too hard") == {"plan": "demo", "node": "parser", "holder": "box/parser"}
    assert stoat.json("status", "demo")["nodes"][0]["claim"] is None
    assert "nobody holds" in agent.refused("release_node")


def test_what_an_agent_says_of_a_gate_counts_only_where_a_person_let_it(agent: Agent, stoat: Stoat) -> None:
    assert "allow" in agent.refused("report_node", node="suite", result="passed", why="I ran it", step="unit")
    stoat.ok("allow-asserted", "demo/suite")
    said = agent.ok("report_node", node="suite", result="failed", why="I ran it", step="unit")
    assert (said["said"], said["claimId"]) == (["result"], None)
    before = stoat.json("log", "demo", "--limit", "1")
    beside = agent.refused("report_node", node="suite", diagnosis="no database", result="passed", why="x", step="unit")
    assert "does not take result, why, step" in beside
    assert "does not take note, lease" in agent.refused("report_node", diagnosis="x", note="y", leaseMinutes=5)
    assert "does not take note" in stoat.run("report", "demo/suite", "--diagnosis", "x", "--note", "y").err
    assert stoat.json("log", "demo", "--limit", "1") == before
    assert agent.ok("report_node", node="suite", diagnosis="no database")["said"] == ["diagnosis"]
    assert stoat.json("node", "show", "demo/suite", "--offline")["status"] == "findings"


def test_an_agent_says_what_it_is_at_and_the_steps_it_takes(agent: Agent, stoat: Stoat) -> None:
    steps = [{"id": "read", "title": "Read it"}, {"id": "test", "title": "Test it", "runTag": "demo/suite"}]
    assert [one["state"] for one in agent.ok("declare_node_steps", steps=steps)["steps"]] == ["pending", "pending"]
    told = agent.ok("report_activity", activity="reading", step="read")
    assert (told["note"], told["steps"][0]["state"]) == ("reading", "running")
    assert agent.ok("report_activity", activity="testing", step="read", state="done")["steps"][0]["state"] == "done"
    assert stoat.json("node", "show", "demo/parser", "--offline")["workSteps"][0]["state"] == "done"
    assert re.search(r"work step read +done: Read it", stoat.ok("node", "show", "demo/parser", "--offline"))
    assert stoat.json("status", "demo")["nodes"][0]["claim"]["note"] == "testing"
    assert "no step 'land'" in agent.refused("report_activity", activity="x", step="land")
    assert "no step" in agent.refused("report_activity", activity="x", state="done")
    assert "is no id" in agent.refused("declare_node_steps", steps=[{"id": "a b", "title": "x"}])
    assert "nobody holds demo/suite" in agent.refused("declare_node_steps", node="suite", steps=steps)


def test_a_gates_own_steps_are_not_an_agents_to_declare(agent: Agent, stoat: Stoat) -> None:
    before = stoat.ok("plan", "export", "demo")
    stoat.ok("claim", "demo/suite", "--agent", "box/parser")
    agent.ok("declare_node_steps", node="suite", steps=[{"id": "unit", "title": "Say that it passed", "state": "done"}])
    assert stoat.ok("plan", "export", "demo") == before
    assert stoat.json("node", "show", "demo/suite", "--offline")["steps"][0]["state"] == "pending"


def test_a_question_is_asked_waited_for_and_asked_for_again(agent: Agent, stoat: Stoat) -> None:
    asked = agent.ok("ask_person", question="tabs or spaces?", wait=False)
    assert (asked["state"], asked["askedBy"], asked["answer"]) == ("open", "box/parser", None)
    (listed,) = stoat.json("questions")["questions"]
    assert {**listed, "hint": asked["hint"]} == asked
    assert stoat.json("status", "demo")["nodes"][0]["launch"] is None
    assert agent.ok("ask_person", question="tabs or spaces?")["id"] == asked["id"]
    assert agent.ok("ask_person", questionId=asked["id"])["state"] == "open"
    stoat.ok("answer", asked["id"], "tabs")
    answered = agent.ok("ask_person", questionId=asked["id"])
    assert (answered["answer"]["text"], answered["answer"]["by"], answered["hint"]) == ("tabs", "Ada Tester", None)
    dismissed = agent.ok("ask_person", question="why?", wait=False)
    stoat.ok("dismiss", dismissed["id"])
    assert "decide yourself" in agent.ok("ask_person", questionId=dismissed["id"])["hint"]


def test_a_question_that_cannot_be_asked_says_why(agent: Agent) -> None:
    assert "either question or questionId" in agent.refused("ask_person")
    assert "either question or questionId" in agent.refused("ask_person", question="x", questionId="q-1")
    assert "no question in that" in agent.refused("ask_person", question=" \n")
    assert "no question 'q-none'" in agent.refused("ask_person", questionId="q-none")


def test_a_review_is_submitted_for_the_commit_that_is_checked_out(agent: Agent, stoat: Stoat, repo: GitRepo) -> None:
    found = agent.ok("submit_review", node="final", findings=[
        {"title": "It leaks", "severity": "high", "file": "a.py", "line": 3, "text": "See there."}, {"title": "A typo"},
    ])  # fmt: skip
    assert (found["status"], found["commit"]) == ("findings", repo.head())
    assert [one["title"] for one in found["findings"]] == ["It leaks", "A typo"]
    assert found == stoat.json("review", "list", "demo/final")
    assert "no title" in agent.refused("submit_review", node="final", findings=[{"title": " "}])
    assert "review" in agent.refused("submit_review", findings=[])


def report(repo: GitRepo, stoat: Stoat, tag: str, failed: int = 1, text: str = "not 3 but 4") -> str:
    """Record a run with a passed test and so many failed ones; gives its id."""
    cases = '<testcase classname="tests.a" name="ok"/>' + "".join(
        f'<testcase classname="tests.a" name="bad{number:03}"><failure message="{text}"/></testcase>'
        for number in range(failed)
    )
    place = Path(repo.path) / "report.xml"
    place.write_text(f'<testsuite name="s">{cases}</testsuite>', encoding="utf-8")
    run: str = json.loads(stoat.ok("runs", "add", str(place), "--tag", tag, "--json"))["runId"]
    return run


def test_a_run_is_found_by_its_tag_or_its_id(agent: Agent, stoat: Stoat, repo: GitRepo) -> None:
    assert "no run of demo/suite" in agent.refused("run_status", tag="demo/suite")
    run = report(repo, stoat, "demo/suite/unit")
    shown = agent.ok("run_status", tag="demo/suite")
    assert shown == agent.ok("run_status", runId=run)
    assert shown["run"] == stoat.json("runs", "show", run)["run"]
    assert (shown["run"]["passed"], shown["run"]["failed"], shown["run"]["finished"]) == (1, 1, True)
    assert "no run of demo/parser" in agent.refused("run_status")
    assert "either runId or tag" in agent.refused("run_status", tag="demo/suite", runId=run)
    assert "no run 'r-none'" in agent.refused("failing_tests", runId="r-none")
    assert "is not a tag" in agent.refused("await_run_completion", tag="nonsense")


def test_failed_tests_come_with_their_messages_and_not_without_end(agent: Agent, stoat: Stoat, repo: GitRepo) -> None:
    report(repo, stoat, "demo/suite/unit")
    one = agent.ok("failing_tests", tag="demo/suite")
    assert (one["failed"], one["more"], len(one["failures"])) == (1, 0, 1)
    assert one["failures"][0]["scenario"] == "bad000"
    assert "not 3 but 4" in json.dumps(one["failures"][0])
    report(repo, stoat, "demo/suite/unit", failed=80, text="x" * 30_000)
    many = agent.ok("failing_tests", tag="demo/suite")
    assert (many["failed"], many["more"], len(many["failures"])) == (80, 30, 50)
    assert len(msgspec.json.encode(many)) <= WHOLE


def test_a_run_that_ended_is_not_waited_for_and_one_that_never_began_is_said(
    agent: Agent, stoat: Stoat, repo: GitRepo
) -> None:
    none = agent.ok("await_run_completion", tag="demo/suite")
    assert (none["ended"], none["run"], none["hint"]) == (False, None, "no run of demo/suite began yet")
    run = report(repo, stoat, "demo/suite/unit")
    ended = agent.ok("await_run_completion", tag="demo/suite")
    assert (ended["ended"], ended["run"]["runId"], ended["hint"]) == (True, run, None)


def test_a_run_that_goes_is_waited_for_until_it_ends(endpoint: Endpoint, stoat: Stoat) -> None:
    gate = stoat.start(
        "gate", "exec", "demo/suite", "--step", "unit", "--", "sh", "-c", "read line", stdin=subprocess.PIPE
    )
    try:
        wait_until(lambda: stoat.json("runs", "list", "--tag", "demo/suite"), 30, "the run")
        told: list[str] = []
        waiting = Waiting(seconds=60, tell=lambda words: (told.append(words), gate.stdin.close()))  # type: ignore[func-returns-value,union-attr]
        message = call("await_run_completion", {"tag": "demo/suite"})
        awaited = endpoint.answer(message, peer_of(message, Peer()), waiting)["result"]["structuredContent"]
    finally:
        gate.kill()
        gate.wait()
    assert (awaited["ended"], awaited["run"]["finished"]) == (True, True)
    assert told == ["waiting for the run of demo/suite to end"]


def test_work_found_on_the_way_is_filed_with_where_it_was_found(agent: Agent, stoat: Stoat) -> None:
    added = agent.ok("add_plan_node", id="leak", title="Mend the leak", brief="There.", dependsOn=["suite"])
    assert added["changes"][0]["node"] == "leak"
    shown = stoat.json("node", "show", "demo/leak", "--offline")
    assert (shown["kind"], shown["discoveredFrom"], shown["dependsOn"]) == ("change", "parser", ["suite"])
    assert (shown["approvable"], shown["approvedForAgents"]) == (True, None)
    agent.ok("add_plan_node", id="other", kind="test-run-gate", discoveredFrom="suite",
             steps=[{"id": "a", "run": "make a", "timeout": "5m"}])  # fmt: skip
    assert stoat.json("node", "show", "demo/other", "--offline")["discoveredFrom"] == "suite"
    assert "has a node 'leak'" in agent.refused("add_plan_node", id="leak")
    assert "no node" in agent.refused("add_plan_node", id="x", dependsOn=["nowhere"])
    assert "is not a node id" in agent.refused("add_plan_node", id="A node")
    assert "merge" in agent.refused("add_plan_node", id="x", kind="pr", repo="o/n", pr=1, merge="merge-on-green")


def test_a_process_without_an_agents_name_is_an_agent_all_the_same(endpoint: Endpoint, stoat: Stoat) -> None:
    desk = Desk(stoat.directory, {name: value for name, value in endpoint._desk.environ.items() if "STOAT" not in name})
    nameless = Agent(Endpoint(endpoint.tools, desk, "", "1"))
    nameless.ok("ask_person", question="who am I?", node="demo/parser", wait=False)
    nameless.ok("ask_person", question="and I?", node="demo/parser", wait=False, agent="box/other")
    assert [one["askedBy"] for one in stoat.json("questions")["questions"]] == ["box/other", "raw"]
    line = stoat.json("log", "demo", "--limit", "1")["lines"][0]
    assert line["byKind"] == "agent"
    assert "no node is named" in nameless.refused("report_node", note="x")


WRONG: list[tuple[str, dict[str, Any]]] = [
    ("plan_status", {"slug": "demo"}), ("plan_status", {"plan": 7}), ("plan_status", {"plan": ["demo"]}),
    ("report_node", {"leaseMinutes": 0}), ("report_node", {"leaseMinutes": -1}), ("report_node", {"lease_minutes": 5}),
    ("report_node", {"note": "x" * 20_001}), ("report_node", {"agent": "a\nb"}), ("report_node", {"agent": ""}),
    ("report_node", {"agent": "x" * 101}), ("report_node", {"result": "maybe"}), ("report_activity", {}),
    ("report_activity", {"activity": ""}), ("declare_node_steps", {"steps": "x"}),
    ("declare_node_steps", {"steps": [{"id": "a"}]}), ("submit_review", {}), ("submit_review", {"findings": [1]}),
    ("submit_review", {"findings": [{"title": "x"}] * 201}), ("add_plan_node", {}), ("ask_person", {"wait": "soon"}),
    ("add_plan_node", {"id": "x", "kind": "publish"}), ("add_plan_node", {"id": "x", "issue": "seven"}),
]  # fmt: skip


@pytest.mark.parametrize(("tool", "arguments"), WRONG, ids=range(len(WRONG)))
def test_wrong_arguments_are_a_result_that_says_which(agent: Agent, tool: str, arguments: dict[str, Any]) -> None:
    said = agent.refused(tool, **arguments)
    assert said.startswith(f"the arguments of {tool} are wrong:")
    assert len(said) < 3000


def test_an_argument_that_is_null_is_left_out(agent: Agent) -> None:
    assert agent.ok("plan_status", plan=None)["plan"] == "demo"
    assert agent.ok("get_node", plan=None, node=None, github=False)["id"] == "parser"


def test_every_argument_that_is_not_plain_is_explained() -> None:
    for tool in TOOLS:
        for name, field in tool.arguments.model_fields.items():
            plain = name in ("title", "kind", "issue", "pr")
            assert plain or field.description, f"{tool.name}: {name}"


def test_long_texts_are_cut_and_say_by_how_much() -> None:
    assert bounded({"a": "x" * TEXT, "b": [1, None, True]}) == {"a": "x" * TEXT, "b": [1, None, True]}
    assert bounded("x" * (TEXT + 5)) == "x" * TEXT + "… (5 more characters)"
    many = bounded([{"text": "x" * 5000}] * 40)
    assert len(many) == 40
    assert "more characters" in many[0]["text"]


LARGE: dict[str, Any] = {
    "many entries": {"nodes": [{"id": f"n-{number}", "steps": ["a", "b"]} for number in range(3000)]},
    "many long texts": [{"text": "x" * 20_000, "more": ["y" * 20_000] * 20} for _ in range(300)],
    "many texts of four bytes a character": ["\U0001f600" * 300] * 500,
    "texts that JSON writes longer": ["\0" * 20_000] * 100,
    "numbers": {"a": list(range(10**5)), "b": [[one] * 40 for one in range(2000)]},
    "lists in lists": [[["x" * 100] * 60] * 60] * 60,
    "one text": "é" * 10**6,
}


@pytest.mark.parametrize("name", LARGE)
def test_whatever_is_answered_is_as_long_as_an_agent_can_take_and_says_what_is_missing(name: str) -> None:
    cut = bounded(LARGE[name])
    assert 1000 < len(msgspec.json.encode(cut)) <= WHOLE
    assert " more" in msgspec.json.encode(cut).decode()


@given(st.integers(0, 4000), st.integers(0, 300))
def test_of_a_list_that_is_too_long_the_beginning_is_shown_and_the_rest_counted(count: int, length: int) -> None:
    whole = ["x" * length for _ in range(count)]
    cut = bounded(whole)
    assert len(msgspec.json.encode(cut)) <= WHOLE
    if len(msgspec.json.encode(whole)) <= WHOLE:
        assert cut == whole
    elif len(cut) < count:
        assert cut[-1] == f"… ({count - len(cut) + 1} more)"


def test_a_large_plan_is_shown_within_the_same_bounds(agent: Agent, stoat: Stoat) -> None:
    nodes = "".join(f"  - {{id: n-{one}, kind: change, brief: {'long ' * 2000}}}\n" for one in range(400))
    (stoat.directory / "big.yaml").write_text(f"schema: 1\nplan: big\ntitle: Big\nnodes:\n{nodes}", encoding="utf-8")
    stoat.ok("plan", "import", "big.yaml")
    shown = agent.ok("plan_status", plan="big")
    assert len(msgspec.json.encode(shown)) <= WHOLE
    assert re.fullmatch(r"… \(\d+ more\)", shown["nodes"][-1])
    assert agent.ok("get_node", node="big/n-1", github=False)["brief"].endswith("more characters)")
