"""The daily commands as processes: whole outputs, agents refused, eight at once, waiting for an answer."""

from __future__ import annotations

import signal

import pytest

from tests.support.command import Stoat
from tests.support.gitrepo import GitRepo

AGENT = {"STOAT_AGENT": "alf"}

A_PERSONS = [
    ["approve", "demo/parser"],
    ["approve", "demo"],
    ["withdraw", "demo/parser"],
    ["expedite", "demo/parser"],
    ["expedite", "demo/parser", "--off"],
    ["merge-policy", "demo/pull", "merge-on-green"],
    ["cloud", "demo/parser"],
    ["done", "demo/film"],
    ["restart", "demo/parser"],
    ["reverify", "demo/bare"],
    ["allow-asserted", "demo/bare"],
    ["accept-partial", "demo/bug"],
    ["create-issues", "demo"],
    ["create-issues", "demo", "--off"],
    ["note", "demo", "text"],
    ["answer", "q-x", "yes"],
    ["dismiss", "q-x"],
    ["hold"],
    ["hold", "--off"],
    ["lead", "demo"],
    ["lead", "demo", "--release"],
]


def test_every_decision_is_refused_where_an_agent_asks_for_it(stoat: Stoat, repo: GitRepo) -> None:
    before = repo.head("refs/stoat/state")
    for arguments in A_PERSONS:
        ran = stoat.run(*arguments, "--by", "Somebody Else", env=AGENT)
        assert (ran.code, ran.out) == (3, ""), arguments
        assert "only a person may decide this" in ran.err
        assert "\nhint: " in ran.err
    assert repo.head("refs/stoat/state") == before


def test_the_overview_and_the_nodes_read_as_they_stand(stoat: Stoat) -> None:
    assert stoat.ok("status") == (
        "PLAN  DONE  YOU  BROKEN  HELD  MOVING  WAITING  TITLE\n"
        f"demo  0/7   {_stance(stoat, 'you')}    {_stance(stoat, 'broken'):<6}  {_stance(stoat, 'held'):<4}  "
        f"{_stance(stoat, 'moving'):<6}  {_stance(stoat, 'waiting'):<7}  A demo\n"
    )
    shown = stoat.ok("status", "demo").splitlines()
    assert shown[:2] == ["A demo (demo): 0 of 7 done", ""]
    assert shown[2].split() == ["NODE", "KIND", "STATUS", "STANCE", "DETAIL"]
    assert [line.split()[:2] for line in shown[3:]] == [
        ["parser", "change"], ["suite", "test-run-gate"], ["bare", "test-run-gate"], ["send", "slice"],
        ["film", "person"], ["bug", "issue"], ["pull", "pr"],
    ]  # fmt: skip


def _stance(stoat: Stoat, name: str) -> str:
    count = stoat.json("status")["plans"][0]["stances"][name]
    return str(count or "")


NODE_KEYS = {
    "id", "kind", "title", "repo", "status", "detail", "ready", "readiness", "dependsOn", "unblocks", "stance",
    "stanceWhy", "waitsOn", "claim", "approvable", "approvedForAgents", "expedited", "cloud", "assignee", "merge",
    "launch", "prs", "steps", "attempts", "spentUsd", "url",
}  # fmt: skip


def test_every_key_of_the_documents_is_always_there(stoat: Stoat) -> None:
    status = stoat.json("status", "demo")
    assert set(status) == {
        "plan", "title", "at", "archived", "done", "total", "spentUsd", "spentAtLeast", "attempts", "lead", "runner",
        "runners", "nodes",
    }  # fmt: skip
    assert {"state", "paused", "parallel", "slotsInUse", "runnerId", "host"} <= set(status["runner"])
    assert all(set(node) >= NODE_KEYS for node in status["nodes"])
    (plan,) = stoat.json("status")["plans"]
    assert set(plan) == {"plan", "title", "archived", "done", "total", "stances", "spentUsd", "spentAtLeast"}
    assert set(plan["stances"]) == {"you", "broken", "held", "moving", "waiting"}
    ready = stoat.json("ready")["nodes"]
    assert all(set(node) >= {*NODE_KEYS, "plan"} and node["ready"] for node in ready)
    assert ready[0]["id"] == "parser"
    for need in stoat.json("needs")["needs"]:
        assert set(need) == {"plan", "node", "kind", "why", "holds", "since", "action", "resume"}


def test_what_is_not_ready_is_explained(stoat: Stoat) -> None:
    explained = {node["id"]: node for node in stoat.json("ready", "demo", "--explain")["nodes"]}
    suite = explained["suite"]
    assert (suite["ready"], [entry["node"] for entry in suite["waitsOn"]]) == (False, ["parser"])
    assert suite["rootBlocker"]["node"] == "parser"
    assert "demo/suite" in stoat.ok("ready", "--explain")
    assert "suite" not in [node["id"] for node in stoat.json("ready")["nodes"]]


def test_ready_answers_anew_when_anything_changed(stoat: Stoat) -> None:
    def approved() -> bool:
        return stoat.json("ready")["nodes"][0]["approvedForAgents"] is not None

    assert not approved()
    assert not approved()
    stoat.ok("approve", "demo/parser")
    assert approved()
    stoat.ok("withdraw", "demo/parser")
    assert not approved()


def test_of_eight_that_claim_one_node_one_gets_it_and_the_others_learn_who(stoat: Stoat, repo: GitRepo) -> None:
    names = [f"agent-{number}" for number in range(8)]
    running = [stoat.start("claim", "demo/bare", "--json", env={"STOAT_AGENT": name}) for name in names]
    ended = []
    for name, process in zip(names, running, strict=True):
        out, err = process.communicate(timeout=120)
        ended.append((name, out, err, process.returncode))
    winners = [name for name, _, _, code in ended if code == 0]
    assert len(winners) == 1
    for name, out, err, code in ended:
        if name not in winners:
            assert (code, out) == (3, b"")
            assert winners[0].encode() in err
    subjects = repo.run_git("log", "--format=%s", "stoat/state")
    assert subjects.count("claims bare") == 1
    holder = stoat.json("status", "demo")["nodes"][2]["claim"]
    assert (holder["holder"], holder["session"], holder["note"]) == (winners[0], None, None)


def test_a_claim_is_kept_reported_on_and_given_back(stoat: Stoat) -> None:
    granted = stoat.json("claim", "demo/bare", "--session", "s-9", env=AGENT)
    assert set(granted) == {"claimId", "holder", "expiresAt"}
    said = stoat.run("claim", "demo/bare", env={"STOAT_AGENT": "bob"})
    assert said.code == 3
    assert "alf" in said.err
    own = {**AGENT, "STOAT_PLAN": "demo", "STOAT_NODE": "bare", "STOAT_CLAIM": granted["claimId"]}
    stoat.ok("report", "demo/bare", "--note", "half way", "--link", "https://x.example/1", "--lease", "1h", env=own)
    shown = stoat.json("status", "demo")["nodes"][2]["claim"]
    assert (shown["session"], shown["note"], shown["link"]) == ("s-9", "half way", "https://x.example/1")
    assert stoat.ok("release", "demo/bare", env=own) == "demo/bare is free again (alf had it)\n"
    assert stoat.run("report", "demo/bare", env=own).code == 3


def test_a_decision_says_what_is_so_now_and_a_repeat_says_that_it_was(stoat: Stoat, repo: GitRepo) -> None:
    assert stoat.ok("approve", "demo/parser", "demo/film") == (
        "approved demo/parser\nleft alone: demo/film (person) cannot take a go-ahead: no agent is launched on it\n"
    )
    stoat.ok("node", "link", "demo/film", "--on", "parser")
    ran = stoat.run("done", "demo/film")
    assert (ran.code, ran.out) == (0, "demo/film is done\n")
    assert ran.err == "note: it depends on what is not done yet: demo/parser\n"
    tip = repo.head("refs/stoat/state")
    assert stoat.ok("done", "demo/film") == "demo/film is done already: nothing to change\n"
    assert stoat.ok("restart", "demo/bare") == "there is nothing to begin again on demo/bare\n"
    assert repo.head("refs/stoat/state") == tip
    ran = stoat.run("done", "demo/bare")
    assert (ran.code, ran.err) == (
        3,
        "demo/bare (test-run-gate) is done when Stoat sees it done, not when somebody says so\n"
        "hint: see what it waits for: stoat status demo\n",
    )
    ran = stoat.run("approve", "demo")
    assert ran.code == 3
    assert "go_ahead: plan" in ran.err


def test_whoever_asks_and_waits_gets_the_answer_on_stdout(stoat: Stoat) -> None:
    process = stoat.start("ask", "demo/parser", "tabs?", "--wait", "60s", env=AGENT)
    assert process.stderr is not None
    question = process.stderr.readline().decode().split()[2].strip(";")
    stoat.ok("answer", question, "tabs,\nof course")
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (0, b"tabs,\nof course\n", b"")
    ran = stoat.run("ask", "demo/parser", "sure?", "--wait", "1s", env=AGENT)
    assert (ran.code, ran.out) == (1, "")
    assert "no answer" in ran.err
    listed = stoat.json("questions")["questions"]
    assert [(one["state"], one["askedBy"]) for one in listed] == [("open", "alf"), ("answered", "alf")]
    assert set(listed[1]["answer"]) == {"by", "at", "text"}


def test_an_interrupted_wait_is_130_and_says_nothing_more(stoat: Stoat) -> None:
    process = stoat.start("ask", "demo/parser", "tabs?", "--wait", "60s", env=AGENT)
    assert process.stderr is not None
    assert b"waiting for an answer" in process.stderr.readline()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (130, b"", b"")


@pytest.mark.parametrize("arguments", [["log"], ["log", "demo"], ["log", "demo/parser"]])
def test_the_log_is_read_newest_first(stoat: Stoat, arguments: list[str]) -> None:
    stoat.ok("note", "demo/parser", "look here")
    lines = stoat.json(*arguments)["lines"]
    assert lines[0]["type"] == "note_added"
    assert "look here" in lines[0]["text"]
    assert len(stoat.json(*arguments, "--limit", "1")["lines"]) == 1
    assert "look here" in stoat.ok(*arguments)


def test_the_history_of_a_plan_is_every_change_oldest_first(stoat: Stoat) -> None:
    types = [line["type"] for line in stoat.json("log", "demo", "--history")["lines"]]
    assert types[0] == "plan_created"
    assert types.count("node_added") == 7
    assert stoat.run("log", "--history").code == 2


def test_a_held_machine_says_so_to_whoever_claims(stoat: Stoat) -> None:
    assert stoat.ok("hold", "--why", "battery").endswith(" takes no new work\n")
    ran = stoat.run("claim", "demo/bare", env=AGENT)
    assert ran.code == 3
    assert "battery" in ran.err
    stoat.ok("hold", "--off")
    stoat.ok("claim", "demo/bare", env=AGENT)
