"""Warnings about what steps name and a checkout does not have: whose checkout, which nodes, in which words."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from stoat.observe import live
from stoat.plan.facts import RunnerFact
from stoat.plan.lack import Kind, Lack
from stoat.plan.nodes import Node, Step
from stoat.service import checkouts, nodes, plans
from stoat.service.session import Session
from tests.service.authors import person_at
from tests.support.gitrepo import MakeRepo

TEXT = """\
schema: 1
plan: p
repos: {a: o/a, b: o/b}
nodes:
  - {id: g, kind: test-run-gate, repo: a, steps: [{id: t, run: make gone}]}
"""
WARNING = ("g, step t: Makefile has no target 'gone' (it has all)",)


@pytest.fixture
def ada(make_repo: MakeRepo) -> Session:
    return person_at(make_repo("store").path)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    there = tmp_path / "a checkout"
    there.mkdir()
    (there / "Makefile").write_text("all:\n")
    return there


def runner_at(session: Session, place: Path, repo: str | None, state: str = "gone", plan: str = "p") -> None:
    fact = RunnerFact(runner_id=f"r-{place.name}", plan=plan, host="box", checkout=str(place), state=state, parallel=1,
                      repo=repo)  # fmt: skip
    directory = session.store.common / "stoat" / "live"
    directory.mkdir(parents=True, exist_ok=True)
    (directory / f"runner-{fact.runner_id}.json").write_bytes(msgspec.json.encode(fact))
    assert live.read_runners(session.store.common)


def test_a_checkout_that_is_named_is_looked_into(ada: Session, place: Path) -> None:
    assert plans.import_document(ada, TEXT).warnings == ()
    imported = plans.import_document(ada, TEXT, checkout=place)
    assert (imported.warnings, imported.changes) == (WARNING, ())
    node = Node(id="h", kind="change", steps=(Step(id="t", run="make gone"),))
    assert nodes.add(ada, "p", node, checkout=place).warnings == (
        "h, step t: Makefile has no target 'gone' (it has all)",
    )
    assert nodes.change(ada, "p", node, checkout=place).warnings == (
        "h, step t: Makefile has no target 'gone' (it has all)",
    )
    assert nodes.change(ada, "p", node).warnings == ()
    missing = place.with_name("nowhere")
    assert nodes.change(ada, "p", node, checkout=missing).warnings == (
        f"there is no checkout at {missing}: nothing was checked against it",
    )


def test_without_one_the_checkout_of_the_plans_runner_is_looked_into(ada: Session, place: Path) -> None:
    runner_at(ada, place, "o/b")
    runner_at(ada, place, None, plan="q")
    assert plans.import_document(ada, TEXT).warnings == ()
    runner_at(ada, place, "O/A")
    assert plans.import_document(ada, TEXT).warnings == WARNING
    assert plans.import_document(ada, TEXT.replace("gone", "all")).warnings == ()


def test_a_node_of_another_repository_is_passed_over(ada: Session, make_repo: MakeRepo) -> None:
    repo = make_repo("other")
    repo.run_git("config", "stoat.repo", "o/b")
    (repo.path / "Makefile").write_text("all:\n")
    assert plans.import_document(ada, TEXT, checkout=repo.path).warnings == ()
    (repo.path / "below").mkdir()
    assert (
        plans.import_document(ada, TEXT.replace("repo: a", "repo: b"), checkout=repo.path / "below").warnings == WARNING
    )


def test_there_is_an_end_to_warnings(ada: Session, place: Path) -> None:
    steps = tuple(Step(id=f"s{number}", run="make gone") for number in range(checkouts.MOST + 20))
    plans.import_document(ada, TEXT)
    warnings = nodes.add(ada, "p", Node(id="many", kind="test-run-gate", steps=steps), checkout=place).warnings
    assert len(warnings) == checkouts.MOST + 1
    assert warnings[-1].startswith("these are the first 100 warnings")


SAID: dict[Kind, tuple[Lack, str]] = {
    "path": (Lack("path", "a/b.py"), "the checkout has no a/b.py"),
    "directory": (Lack("directory", "a"), "the checkout has no directory a"),
    "project": (Lack("project", "a/A"), "the checkout has no project a/A"),
    "no-project": (Lack("no-project", ""), "the top of the checkout has no project and no solution"),
    "many-projects": (Lack("many-projects", "a", "", ("B", "C")), "a has several projects (B, C): name one"),
    "no-tests": (Lack("no-tests", "A.csproj"), "A.csproj is no test project"),
    "framework": (Lack("framework", "net8.0", "A.csproj", ("net9.0",)), "A.csproj does not target net8.0 (but net9.0)"),
    "test": (Lack("test", "T::a", "t.py"), "t.py has no T::a"),
    "script": (Lack("script", "biuld", "package.json", ("build", "x")),
               "package.json has no script 'biuld' (did you mean 'build'?)"),
    "package-json": (Lack("package-json", ""), "there is no package.json in the top of the checkout, nor above it"),
    "target": (Lack("target", "x", "Makefile"), "Makefile has no target 'x'"),
    "makefile": (Lack("makefile", "web"), "there is no makefile in web"),
    "module": (Lack("module", "a.b", "a"), "the package a has no module a.b"),
    "main": (Lack("main", "a.b", "a/b"), "a/b has no __main__.py, so `-m a.b` cannot run it"),
}  # fmt: skip


@pytest.mark.parametrize("kind", SAID)
def test_each_has_its_sentence(kind: Kind) -> None:
    from stoat.derive.wording import projects

    lack, said = SAID[kind]
    assert lack.kind == kind
    assert projects.step("g", "t", lack) == f"g, step t: {said}"


def test_every_kind_has_one() -> None:
    from typing import get_args

    assert set(SAID) == set(get_args(Kind))
