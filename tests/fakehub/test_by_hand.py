"""The fake as a person runs it: started from the shell, acted on with curl, also through a UNIX socket."""

from __future__ import annotations

import http.client
import os
import re
import shlex
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests

from tests.support.fakehub import FakeHub, check_schema
from tests.support.fakehub.__main__ import main
from tests.support.fakehub.control import HELP, VERBS

HERE = Path(__file__).parents[2]


class UnixConnection(http.client.HTTPConnection):
    """HTTP over a UNIX socket, as gh speaks it."""

    def __init__(self, path: Path) -> None:
        super().__init__("api.github.com")
        self.path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(str(self.path))


@pytest.fixture
def started(tmp_path: Path) -> Iterator[str]:
    """The program, running; what it said first."""
    with subprocess.Popen(
        [sys.executable, "-m", "tests.support.fakehub", str(tmp_path / "hub")],
        cwd=HERE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(HERE)},
    ) as program:
        assert program.stdout is not None
        said = ""
        for line in program.stdout:
            said += line
            if line.startswith("Everything else"):
                break
        yield said
        program.send_signal(signal.SIGINT)
        assert program.wait(10) == 0


def test_from_an_issue_to_done_with_no_account(started: str, tmp_path: Path) -> None:
    api = re.search(r"STOAT_GITHUB_API=(\S+) GH_TOKEN=(\S+)", started)
    clone = re.search(r"git clone (.+) && cd widgets\n  git config stoat.repo acme/widgets\n", started)
    assert api is not None and clone is not None
    url, token = api.groups()
    work = tmp_path / "work"
    commands = [
        ["git", "clone", "--quiet", *shlex.split(clone[1]), str(work)],
        ["git", "-C", str(work), "switch", "--quiet", "--create", "stoat/tour/lanes"],
        ["git", "-C", str(work), "commit", "--quiet", "--allow-empty", "--message", "Fix lanes"],
        ["git", "-C", str(work), "push", "--quiet", "origin", "stoat/tour/lanes"],
    ]
    for command in commands:
        subprocess.run(command, check=True, capture_output=True)
    headers = {"Authorization": f"Bearer {token}"}
    body = {"title": "Fix lanes", "head": "stoat/tour/lanes", "base": "main", "body": "Fixes #2"}
    assert requests.post(f"{url}/repos/acme/widgets/pulls", json=body, headers=headers, timeout=10).status_code == 201
    check = requests.post(f"{url}/_hub/check", {"number": 4, "name": "test", "result": "success"}, timeout=10)
    assert check.text.startswith("test is success on ")
    merged = requests.post(f"{url}/_hub/merge", {"number": 4}, timeout=10)
    assert (merged.status_code, merged.text.endswith("closed #2\n")) == (200, True)
    assert "#2 issue 'lanes() gives one lane too many': closed" in requests.get(f"{url}/_hub/state", timeout=10).text
    assert requests.get(f"{url}/_hub/journal", timeout=10).text == "POST /repos/acme/widgets/pulls 201\n"
    issue = requests.get(f"{url}/repos/acme/widgets/issues/3", headers=headers, timeout=10).json()
    assert issue["issue_dependencies_summary"]["blocked_by"] == 0


def test_a_directory_with_something_in_it_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").touch()
    assert main([str(tmp_path)]) == 2
    assert "not empty" in capsys.readouterr().err


def test_every_verb_is_in_the_help() -> None:
    assert set(re.findall(r"^  (\w+) ", HELP, re.MULTILINE)) == set(VERBS)


def test_the_verbs(tmp_path: Path) -> None:
    with FakeHub(tmp_path) as hub:
        repo = hub.repository("acme/widgets")

        def post(verb: str, **fields: object) -> tuple[int, str]:
            response = requests.post(f"{hub.url}/_hub/{verb}", data=fields, timeout=10)
            return response.status_code, response.text

        assert post("issue", title="Lanes", labels="bug,lane") == (200, "acme/widgets#1 filed\n")
        assert post("issue", title="More", blocked_by="1", parent="1") == (200, "acme/widgets#2 filed\n")
        assert post("push", branch="topic", file="a.txt", content="a")[0] == 200
        assert post("pull", head="topic", title="Fix", body="Fixes #1") == (200, "acme/widgets#3 opened, closes #1\n")
        assert post("protect", required="test", approvals=1)[0] == 200
        assert post("merge", number=3)[0] == 405
        assert post("check", number=3, name="test", result="failure", log="boom", annotation="no")[0] == 200
        assert post("check", number=3, name="test", result="success")[0] == 200
        assert post("status", number=3, context="ci/lint", state="pending")[0] == 200
        assert post("review", number=3, author="bob", state="approved") == (200, "acme/widgets#3 approved by bob\n")
        assert post("comment", number=1, body="Hm")[0] == 200
        assert post("label", number=1, name="needs-human")[0] == 200
        assert post("merge", number=3)[1].endswith("closed #1\n")
        assert post("close", number=2, reason="not_planned")[0] == 200
        assert post("reopen", number=2) == (200, "acme/widgets#2 open\n")
        assert post("fault", kind="html", status=503)[0] == 200
        headers = {"Authorization": "Bearer fake-token"}
        assert requests.get(f"{hub.url}/user", headers=headers, timeout=10).status_code == 503
        assert post("clear")[0] == 200
        assert post("check", number=99, name="test", result="success")[0] == 422
        assert post("merge")[0] == 422
        assert post("fault", kind="clear")[0] == 422
        assert post("nonsense")[0] == 404
        assert post("queue", number=3, result="success")[0] == 422
        assert requests.get(f"{hub.url}/_hub", timeout=10).text.startswith("What people")
        assert [one.name for one in repo.issues[1].labels] == ["bug", "lane", "needs-human"]


def test_it_listens_on_a_unix_socket_too(tmp_path: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="hub") as short:  # a socket's path may have no more than 107 characters
        place = Path(short) / "gh.sock"
        with FakeHub(tmp_path, socket=place) as hub:
            hub.repository("acme/widgets").issue("Lanes")
            connection = UnixConnection(place)
            for path, wanted in (("/user", b'"login":"stoat-bot"'), ("/repos/acme/widgets/issues", b'"title":"Lanes"')):
                connection.request("GET", path, headers={"Authorization": "token fake-token", "User-Agent": "gh"})
                response = connection.getresponse()
                assert (response.status, wanted in response.read()) == (200, True)
            connection.close()
        assert not place.exists()


def test_the_schema_is_checked_against_a_published_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ours = (Path(check_schema.__file__).parent / "schema.graphql").read_text(encoding="utf-8")
    published = tmp_path / "schema.graphql"
    published.write_text(ours, encoding="utf-8")
    assert check_schema.main([str(published)]) == 0
    published.write_text(
        ours.replace("reviewDecision: PullRequestReviewDecision", "reviewDecision: String!"), encoding="utf-8"
    )
    assert check_schema.main([str(published)]) == 1
    assert "PullRequest.reviewDecision" in capsys.readouterr().out
