"""`stoat frontier` and `stoat issues import` as processes, against a GitHub of their own."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from stoat.cli.frontier import selection
from stoat.service import plans
from tests.service.authors import person_at
from tests.support.command import Stoat
from tests.support.fakehub import FakeHub
from tests.support.fakehub.repository import Repository
from tests.support.gitrepo import GitRepo

SELECTED = ("--repo", "acme/widgets", "--label", "lane")


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[FakeHub]:
    with FakeHub(tmp_path / "hub") as running:
        yield running


@pytest.fixture
def widgets(hub: FakeHub) -> Repository:
    """Five issues: a parent with a child, one that waits for the child, one that somebody has, one for a person."""
    widgets = hub.repository("acme/widgets")
    parent = widgets.issue("Split \x1b[31mme\x1b[0m \u202e", number=1, labels=["lane"])
    child = widgets.issue("The child", number=2, parent=parent)
    widgets.issue("Waits", number=3, labels=["lane"], blocked_by=[child])
    widgets.issue("Taken", number=4, labels=["lane"], assignees=["ada"])
    widgets.issue("A person's", number=5, labels=["lane", "Needs-Human"])
    return widgets


@pytest.fixture
def looking(hub: FakeHub, repo: GitRepo) -> Stoat:
    """The command, in a repository that holds plans, with that GitHub."""
    return Stoat(repo.path, {"STOAT_GITHUB_API": hub.url, "GH_TOKEN": hub.token})


def frontier(stoat: Stoat, code: int = 0) -> Any:
    ran = stoat.run("frontier", *SELECTED, "--json")
    assert (ran.code, ran.err) == (code, "")
    return json.loads(ran.out)


def test_the_document_is_exact(widgets: Repository, looking: Stoat) -> None:
    found = frontier(looking)
    assert found["scope"] == {"repo": "acme/widgets", "parent": None, "label": "lane", "milestone": None, "issues": []}
    assert (found["verdict"], found["ready"], found["cycles"], found["warnings"]) == ("running", [2], [], [])
    assert {one["number"]: one["class"] for one in found["issues"]} == {
        1: "split", 2: "ready", 3: "blocked", 4: "in_flight", 5: "human",
    }  # fmt: skip
    assert found["issues"][2] == {
        "number": 3, "repo": "acme/widgets", "title": "Waits", "class": "blocked", "labels": ["lane"], "assignees": [],
        "parent": None, "children": [], "openPr": None, "mergedPr": None,
        "url": "https://github.com/acme/widgets/issues/3",
        "blockedBy": [{"number": 2, "repo": "acme/widgets", "state": "open", "inScope": True, "openPr": None,
                       "mergedPr": None}],
    }  # fmt: skip


def test_people_are_told_why_and_no_title_acts_on_the_terminal(widgets: Repository, looking: Stoat) -> None:
    assert looking.ok("frontier", *SELECTED) == (
        "acme/widgets: label lane: running\n"
        "5 issues: 1 ready, 1 human, 1 in flight, 1 blocked, 1 split\n"
        "\nready: nothing is in the way, lowest number first\n"
        "  #2  The child\n"
        "\na person's: nothing is in the way but the label needs-human\n"
        "  #5  A person's\n"
        "\nin flight: somebody has it, or a pull request closes it\n"
        "  #4  Taken\n      assigned to ada\n"
        "\nblocked\n"
        "  #3  Waits\n      by #2\n"
        "\nsplit: a container, done through its sub-issues\n"
        "  #1  Split \\u001b[31mme\\u001b[0m \\u202e\n      into #2\n"
    )


def test_the_exit_code_says_whether_it_can_end_and_whether_it_was_read(
    hub: FakeHub, widgets: Repository, looking: Stoat
) -> None:
    widgets.issues[2].block(3)
    ran = looking.run("frontier", *SELECTED)
    assert ran.code == 1
    assert "a cycle that nothing can end: #2 → #3 → #2" in ran.out
    hub.faults.partial(("repository", "issues"))
    ran = looking.run("frontier", *SELECTED, "--json")
    assert (ran.code, ran.out) == (4, "")
    assert "GitHub leaves out a part of the graph" in ran.err


@pytest.mark.parametrize(
    "wrong",
    [{}, {"parent": 1, "label": "x"}, {"issues": "1,x"}, {"issues": ""}, {"issues": "0"}, {"label": " "},
     {"milestone": ""}, {"issues": "1", "milestone": "2"}, {"repo": "widgets", "parent": 1}],
)  # fmt: skip
def test_exactly_one_selection_of_a_repository_is_given(wrong: dict[str, Any]) -> None:
    given: dict[str, Any] = {"repo": "acme/widgets", "parent": None, "label": None, "milestone": None, "issues": None}
    with pytest.raises(typer.BadParameter):
        selection(**{**given, **wrong})
    assert selection(**{**given, "issues": "#3, 1"}).issues == (3, 1)


def test_no_store_is_needed_and_a_usage_error_asks_nobody(tmp_path: Path, hub: FakeHub, widgets: Repository) -> None:
    stoat = Stoat(tmp_path, {"STOAT_GITHUB_API": hub.url, "GH_TOKEN": hub.token})
    assert stoat.run("frontier", "--repo", "acme/widgets").code == 2
    assert hub.journal == []
    assert frontier(stoat)["ready"] == [2]


def test_a_graph_is_imported_and_brought_up_to_date(widgets: Repository, looking: Stoat, repo: GitRepo) -> None:
    assert looking.json("issues", "import", "lanes", *SELECTED) == {
        "plan": "lanes",
        "changes": [
            {"type": "plan_created", "node": None},
            *({"type": "node_added", "node": node, "kind": "issue"}
              for node in ("split-31mme-0m-1", "the-child-2", "waits-3", "taken-4", "a-person-s-5")),
        ],
        "warnings": [],
    }  # fmt: skip
    tip = repo.head("refs/stoat/state")
    nodes = {node["id"]: node for node in plans.show(person_at(repo.path), "lanes")["nodes"]}
    assert nodes["split-31mme-0m-1"]["dependsOn"] == nodes["waits-3"]["dependsOn"] == ["the-child-2"]
    assert {id_ for id_, node in nodes.items() if node["assignee"] == "person"} == {"split-31mme-0m-1", "a-person-s-5"}

    assert looking.json("issues", "import", "lanes", *SELECTED)["changes"] == []
    assert repo.head("refs/stoat/state") == tip

    widgets.issues[3].unblock(2)
    widgets.issue("New", number=6, parent=widgets.issues[1], blocked_by=[3])
    assert looking.ok("issues", "import", "lanes", *SELECTED) == (
        "lanes: 3 changes\n  ~ split-31mme-0m-1: waits for new-6\n  ~ waits-3: no longer waits for the-child-2\n"
        "  + new-6 (issue)\n"
    )


def test_a_cycle_is_refused_with_its_members(widgets: Repository, looking: Stoat) -> None:
    widgets.issues[2].block(1)
    widgets.issues[4].block(4)
    ran = looking.run("issues", "import", "lanes", *SELECTED)
    assert (ran.code, ran.out) == (3, "")
    assert ran.err == (
        "these issues cannot become a plan:\n  a cycle that nothing can end: #1 → #2 → #1\n"
        "  a cycle that nothing can end: #4 → #4\n"
        "hint: take a dependency of each out on GitHub, and import again\n"
    )


def test_the_loop_is_taught_and_what_comes_later_says_so(stoat: Stoat) -> None:
    said = stoat.ok("issues", "--help")
    assert "stoat issues import PLAN --repo OWNER/NAME --parent 42" in said
    assert all(verb in said for verb in ("preflight", "contract", "check", "decide", "land", "report"))
    ran = stoat.run("issues", "land", "1", "--yes")
    assert ran.code == 3
    assert ran.err.endswith("comes with a later version\nhint: see what there is now: stoat --help\n")
