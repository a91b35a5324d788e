"""REST reads: the command line's JSON, field for field, and errors as problem+json."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from flask.testing import FlaskClient

from stoat.derive.wording import later
from stoat.plan.ids import NodeRef
from stoat.service import decisions, plans
from stoat.service.session import Session


def stoat(session: Session, *arguments: str) -> str:
    """What the command prints, run at the session's store."""
    ran = subprocess.run(
        [sys.executable, "-m", "stoat", "-C", str(session.directory), *arguments],
        env=os.environ, check=True, capture_output=True, text=True,
    )  # fmt: skip
    return ran.stdout


@pytest.mark.parametrize(
    ("path", "arguments"),
    [
        ("/api/plans", ["status", "--json"]),
        ("/api/plans/parcels", ["plan", "show", "parcels", "--json"]),
        ("/api/plans/parcels/status", ["status", "parcels", "--json"]),
        ("/api/plans/ready", ["ready", "--json"]),
        ("/api/plans/ready?plan=rates&explain=1", ["ready", "rates", "--json", "--explain"]),
        ("/api/plans/parcels/nodes/price", ["node", "show", "parcels/price", "--json"]),
        ("/api/plans/parcels/timeline", ["log", "parcels", "--json"]),
        ("/api/plans/parcels/timeline?node=price&limit=1", ["log", "parcels/price", "--limit", "1", "--json"]),
        ("/api/plans/parcels/history", ["log", "parcels", "--history", "--json"]),
        ("/api/needs", ["needs", "--json"]),
        ("/api/needs?plan=rates", ["needs", "rates", "--json"]),
    ],
)
def test_a_read_is_the_commands_json(client: FlaskClient, session: Session, path: str, arguments: list[str]) -> None:
    answer = client.get(path)
    assert answer.content_type == "application/json"
    assert without_moment(answer.get_json()) == without_moment(json.loads(stoat(session, *arguments)))


def without_moment(document: dict[str, object]) -> dict[str, object]:
    """A document less the moment at which it was derived."""
    return {name: value for name, value in document.items() if name != "at"}


def test_the_export_is_yaml_that_changes_nothing(client: FlaskClient, session: Session) -> None:
    answer = client.get("/api/plans/parcels/export")
    assert answer.content_type == "application/yaml; charset=utf-8"
    assert plans.import_document(session, answer.text).changes == ()


def test_a_read_after_a_write_sees_it(client: FlaskClient, session: Session) -> None:
    client.get("/api/plans/rates/status")
    decisions.done(session, NodeRef("rates", "publish"))
    assert client.get("/api/plans/rates/status").get_json()["done"] == 1


@pytest.mark.parametrize(
    "path",
    ["/api/plans/none", "/api/plans/none/status", "/api/plans/none/timeline", "/api/plans/none/history",
     "/api/plans/none/export", "/api/plans/parcels/nodes/none", "/api/plans/ready?plan=none", "/api/needs?plan=none",
     "/api/plans/parcels/timeline?node=none", "/api/events?plan=none", "/api/none", "/api"],
)  # fmt: skip
def test_what_is_not_there_is_a_problem(client: FlaskClient, path: str) -> None:
    answer = client.get(path)
    problem = answer.get_json()
    assert (answer.status_code, answer.content_type) == (404, "application/problem+json")
    assert set(problem) == {"status", "title", "detail", "hint", "problems"}
    assert problem["status"] == 404 and problem["detail"]


def test_a_store_that_cannot_be_read_is_a_problem_and_no_empty_board(client: FlaskClient, session: Session) -> None:
    client.get("/api/plans")
    (session.store.common / "refs" / "stoat" / "state").write_bytes(b"")
    for path in ("/api/plans", "/api/plans/parcels/status"):
        answer = client.get(path)
        assert (answer.status_code, answer.content_type) == (503, "application/problem+json")
    assert client.get("/").status_code == 503


@pytest.mark.parametrize("limit", ["0", "-1", "x", ""])
def test_a_limit_that_is_none_is_not_one(client: FlaskClient, limit: str) -> None:
    whole = client.get("/api/plans/parcels/timeline").get_json()
    assert client.get(f"/api/plans/parcels/timeline?limit={limit}").get_json() == whole


@pytest.mark.parametrize("path", later.ROUTES)
def test_a_path_of_a_later_version_says_so(client: FlaskClient, path: str) -> None:
    answer = client.get("/api" + path)
    assert (answer.status_code, answer.content_type) == (404, "application/problem+json")
    assert answer.get_json()["detail"] == later.sentence(later.ROUTES[path])
    assert client.post("/api" + path).status_code == 405
