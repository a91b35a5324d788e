"""`stoat sweep` as a process: whole outputs, every exit code, and that a user without GitHub never hears of it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from stoat.gitstore.log import Store
from stoat.plan.events.base import Actor
from stoat.service import plans
from stoat.service.session import Session
from tests.support.command import Ran, Stoat
from tests.support.fakehub import FakeHub
from tests.support.gitrepo import GitRepo
from tests.support.waiting import wait_until

PLAN = """\
schema: 1
plan: p
nodes:
  - {id: fix, kind: issue, repo: acme/widgets, issue: 1}
  - {id: pull, kind: pr, repo: acme/widgets, pr: 2}
"""
NO_GITHUB = """\
schema: 1
plan: p
nodes:
  - {id: work, kind: change, repo: acme/widgets}
"""


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[FakeHub]:
    """A GitHub with issue 1 and pull request 2 of acme/widgets."""
    with FakeHub(tmp_path / "hub") as made:
        widgets = made.repository("acme/widgets")
        widgets.issue("Fix lanes")
        widgets.pull("Fix lanes", head="fix", body="Fixes #1").check("test", "success")
        yield made


@pytest.fixture
def stoat(hub: FakeHub, tmp_path: Path) -> Stoat:
    """The command in a repository with plan `p`, told where that GitHub is."""
    repo = GitRepo(tmp_path / "work space" / "project").init()
    take_in(repo.path, PLAN)
    return Stoat(repo.path, {"STOAT_GITHUB_API": hub.url, "GH_TOKEN": hub.token})


def take_in(directory: Path, document: str) -> None:
    """Have the store there hold the plan of that document."""
    store, _ = Store.create(directory)
    plans.import_document(Session(store, Actor("Ada", "person"), directory), document)


def host(hub: FakeHub) -> str:
    return hub.url.removeprefix("http://")


FIRST = """\
REPOSITORY    WHAT
acme/widgets  acme/widgets was seen first
acme/widgets  main has no checks
acme/widgets  issue #1 is open
acme/widgets  pull request #2 was opened by ada; checks of #2 passed
4 news, 4 facts read with {}
"""


def test_news_and_then_none(stoat: Stoat, hub: FakeHub) -> None:
    first = stoat.run("sweep")
    assert first == Ran(0, FIRST.format(asked(len(hub.journal))), "")
    requests = len(hub.journal)
    again = stoat.run("sweep", "--github")
    assert again == Ran(0, f"no news, 4 facts read with {asked(len(hub.journal) - requests)}\n", "")


def asked(requests: int) -> str:
    return f"{requests} request{'' if requests == 1 else 's'}"


def test_the_document(stoat: Stoat, hub: FakeHub) -> None:
    found = stoat.json("sweep")
    assert found == {
        "requests": len(hub.journal),
        "facts": 4,
        "news": [
            {
                "repo": "acme/widgets",
                "type": "repository_seen",
                "number": None,
                "text": "acme/widgets was seen first",
            },
            {
                "repo": "acme/widgets",
                "type": "default_branch_seen",
                "number": None,
                "text": "main has no checks",
            },
            {"repo": "acme/widgets", "type": "issue_seen", "number": 1, "text": "issue #1 is open"},
            {
                "repo": "acme/widgets",
                "type": "pull_seen",
                "number": 2,
                "text": "pull request #2 was opened by ada; checks of #2 passed",
            },
        ],
        "problems": [],
    }


def test_what_is_seen_changes_the_status(stoat: Stoat, hub: FakeHub) -> None:
    stoat.ok("sweep")
    assert statuses(stoat) == {"fix": "pr-open", "pull": "pr-open"}
    widgets = hub.find("acme/widgets")
    assert widgets is not None
    widgets.thread(2).merge()  # type: ignore[union-attr]
    stoat.ok("sweep")
    assert statuses(stoat) == {"fix": "done", "pull": "done"}


def statuses(stoat: Stoat) -> dict[str, str]:
    return {node["id"]: node["status"] for node in stoat.json("status", "p")["nodes"]}


def test_something_that_github_does_not_show_is_a_problem_with_what_to_do(stoat: Stoat) -> None:
    stoat.ok("node", "bind", "p/fix", "--issue", "99")
    stoat.ok("sweep")
    ran = stoat.run("sweep")
    assert (ran.code, ran.err) == (0, "")
    assert re.fullmatch(
        r"✗ acme/widgets: GitHub shows no issue #99: it does not exist, or this token may not see it\n"
        r"  hint: see that the number is right and that the token may read the repository\n"
        r"no news, 3 facts read with \d requests?\n",
        ran.out,
    ), ran.out


def test_who_has_no_account_never_hears_of_it(stoat: Stoat, hub: FakeHub) -> None:
    take_in(stoat.directory, NO_GITHUB)
    ran = stoat.run("sweep", env={"GH_TOKEN": None, "PATH": "/usr/bin:/bin"})
    assert ran == Ran(0, "nothing to look at: no plan has an issue, a pull request or a branch that is here\n", "")
    empty = {"requests": 0, "facts": 0, "news": [], "problems": []}
    assert stoat.json("sweep", env={"GH_TOKEN": None}) == empty
    assert hub.journal == []
    for command in ("needs", "doctor"):
        assert "github" not in stoat.run(command, env={"GH_TOKEN": None}).out.lower()


def test_without_a_token_it_says_once_what_to_do(stoat: Stoat, hub: FakeHub) -> None:
    ran = stoat.run("sweep", env={"GH_TOKEN": None, "PATH": str(Path(sys.executable).parent) + ":/usr/bin:/bin"})
    assert ran == Ran(
        4,
        "",
        f"there is no token for {host(hub)}\n"
        "hint: gh auth login, or set GH_TOKEN to a token that may read the repository\n",
    )
    assert hub.journal == []


def test_a_wrong_token_is_said_on_both_outputs_of_the_document(stoat: Stoat, hub: FakeHub) -> None:
    ran = stoat.run("sweep", "--json", env={"GH_TOKEN": "wrong"})
    assert ran.code == 4 and len(hub.journal) == 1
    text = f"{host(hub)} does not accept the token (Bad credentials)"
    fix = "gh auth login, or set GH_TOKEN to a token that may read the repository"
    assert json.loads(ran.out) == {
        "requests": 1,
        "facts": 0,
        "news": [],
        "problems": [{"repo": None, "text": text, "fix": fix}],
    }
    assert ran.err == f"{text}\nhint: {fix}\n"
    needs = stoat.run("needs", "--json")
    assert "needs" in json.loads(needs.out) and needs.err == f"GitHub cannot be read: {text} ({fix})\n"


def test_a_long_limit_ends_it_and_a_short_one_is_waited_for_and_said(stoat: Stoat, hub: FakeHub) -> None:
    hub.faults.rate_limit(reset_in=7200)
    ran = stoat.run("sweep")
    assert (ran.code, ran.out) == (4, "")
    found = re.fullmatch(r"(.*rate limit.* is reached)\nhint: (wait until [-0-9]{10} [0-9:]{5}Z)\n", ran.err)
    assert found is not None, ran.err
    said, until = found.groups()
    assert stoat.run("needs").err == f"GitHub cannot be read: {said} ({until})\n"
    assert f"{said} ({until})" in stoat.ok("status", "p")
    hub.faults.clear()
    hub.faults.secondary(retry_after=1)
    ran = stoat.run("sweep")
    assert (ran.code, ran.err) == (0, "GitHub's secondary rate limit: going on in 1s\n")


@pytest.mark.parametrize(
    ("flags", "what"),
    [
        (["--feeds"], "looking at package feeds"),
        (["--pins"], "looking at pins"),
        (["--feeds", "--pins"], "looking at package feeds and looking at pins"),
    ],
)
def test_feeds_and_pins_alone_are_refused(stoat: Stoat, hub: FakeHub, flags: list[str], what: str) -> None:
    ran = stoat.run("sweep", *flags)
    assert ran == Ran(3, "", f"{what} comes with a later version\nhint: stoat sweep --github looks at GitHub\n")
    assert hub.journal == []
    assert stoat.run("sweep", "--github", *flags).code == 0


def test_while_another_one_looks_it_says_who_and_what_is_on_record(stoat: Stoat, hub: FakeHub) -> None:
    stoat.ok("sweep")
    requests = len(hub.journal)
    code = (
        "import sys; from pathlib import Path; from stoat.observe.github.turn import turn\n"
        "with turn(Path(sys.argv[1]), 'stoat serve'): print('ours', flush=True); sys.stdin.read()"
    )
    common = stoat.directory / ".git"
    with subprocess.Popen(
        [sys.executable, "-c", code, str(common)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None and other.stdout.readline() == "ours\n"
        ran = stoat.run("sweep")
        other.communicate()
    assert ran == Ran(
        0,
        "4 facts on record\n",
        f"process {other.pid} (stoat serve) is looking at GitHub just now; what follows is what was seen before\n",
    )
    assert len(hub.journal) == requests


def test_a_hostile_title_and_check_reach_the_terminal_as_text(stoat: Stoat, hub: FakeHub) -> None:
    stoat.ok("sweep")
    widgets = hub.find("acme/widgets")
    assert widgets is not None
    widgets.thread(2).edit(title="\x1b]0;owned\x07\u202e")  # type: ignore[union-attr]
    out = stoat.ok("sweep")
    assert "\x1b" not in out and "\u202e" not in out and "owned" in out


def test_the_board_sweeps_by_itself_and_says_so_to_who_looks(stoat: Stoat, hub: FakeHub) -> None:
    process = stoat.start("serve", "--port", "0", "--no-monitor")
    try:
        wait_until(lambda: statuses(stoat) == {"fix": "pr-open", "pull": "pr-open"}, 20, "the board's sweep")
    finally:
        process.terminate()
        _, err = process.communicate(timeout=20)
    assert process.returncode == 0, err


def test_the_board_leaves_it_when_told_to(stoat: Stoat, hub: FakeHub) -> None:
    process = stoat.start("serve", "--port", "0", "--no-monitor", "--no-sweep")
    assert process.stdout is not None
    process.stdout.readline()
    process.terminate()
    process.communicate(timeout=20)
    assert hub.journal == []
