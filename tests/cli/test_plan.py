"""`stoat plan …` as a process: its whole output, its exit codes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.command import Ran, Stoat
from tests.support.gitrepo import GitRepo, MakeRepo

DOCUMENTS = Path(__file__).parents[1] / "plan" / "documents"
WHOLE = (DOCUMENTS / "a-plan-whole.yaml").read_text(encoding="utf-8")
WRONG = """\
schema: 1
plan: wrong
nodes:
  - id: a
    kind: slise
  - id: b
    kind: slice
    bump: minor
    depends_on: [c]
"""
SAID = """\
{file}:5:11: there is no kind 'slise' (did you mean 'slice'?)
{file}:8:5: `bump` does not belong to a slice node (it is for publish)
{file}:9:18: there is no node 'c' in this plan (add it, or take the dependency out)
"""


def piped(stoat: Stoat, text: bytes, *arguments: str) -> Ran:
    """Run the command with `text` as its standard input."""
    done = subprocess.run(
        [sys.executable, "-m", "stoat", *arguments], cwd=stoat.directory, input=text, capture_output=True, check=False
    )
    return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())


def test_a_document_is_imported_and_imported_again(stoat: Stoat) -> None:
    place = str(DOCUMENTS / "a-plan-whole.yaml")
    assert stoat.run("plan", "import", place, "--dry-run") == Ran(
        0,
        "critter-parity: 5 changes would be made\n  created\n  + fix-codegen (issue)\n  + ship-fisher (publish)\n"
        "  + stoat-takes-fisher (consume)\n  + stoat-green (test-run-gate)\n",
        "",
    )
    assert stoat.json("plan", "import", place) == {
        "plan": "critter-parity",
        "changes": [
            {"type": "plan_created", "node": None},
            {"type": "node_added", "node": "fix-codegen", "kind": "issue"},
            {"type": "node_added", "node": "ship-fisher", "kind": "publish"},
            {"type": "node_added", "node": "stoat-takes-fisher", "kind": "consume"},
            {"type": "node_added", "node": "stoat-green", "kind": "test-run-gate"},
        ],
        "warnings": [],
    }
    assert stoat.json("plan", "import", place) == {"plan": "critter-parity", "changes": [], "warnings": []}
    assert stoat.run("plan", "import", place) == Ran(0, "critter-parity: nothing to change\n", "")


def test_what_changed_is_said_and_warnings_are_beside_it(stoat: Stoat) -> None:
    piped(stoat, WHOLE.encode(), "plan", "import", "-")
    changed = WHOLE.replace("    repo: fisher\n", "").replace("depends_on: [ship-fisher]", "depends_on: [fix-codegen]")
    assert piped(stoat, changed.encode(), "plan", "import", "-") == Ran(
        0,
        "critter-parity: 3 changes\n  ~ fix-codegen: repo\n  ~ stoat-takes-fisher: no longer waits for ship-fisher\n"
        "  ~ stoat-takes-fisher: waits for fix-codegen\n",
        "warning: fix-codegen: issue 120 of which repository? Without `repo` nobody can look it up\n",
    )


def test_every_problem_has_its_place_and_the_exit_code_is_3(stoat: Stoat) -> None:
    (stoat.directory / "my plan.yaml").write_text(WRONG, encoding="utf-8")
    assert stoat.run("plan", "check", "my plan.yaml") == Ran(3, SAID.format(file="my plan.yaml"), "")
    assert stoat.run("plan", "import", "my plan.yaml") == Ran(3, "", SAID.format(file="my plan.yaml"))
    assert piped(stoat, WRONG.encode(), "plan", "check", "-") == Ran(3, SAID.format(file="-"), "")
    told = stoat.run("plan", "check", "my plan.yaml", "--json")
    assert (told.code, json.loads(told.out)["problems"][0]) == (
        3, {"line": 5, "column": 11, "what": "there is no kind 'slise'", "do": "did you mean 'slice'?"},
    )  # fmt: skip


def test_a_right_document_is_checked_with_code_0_also_where_there_is_no_store(make_repo: MakeRepo) -> None:
    bare = make_repo("no store here", files={"plan.yaml": WHOLE})
    assert Stoat(bare.path).run("plan", "check", "plan.yaml") == Ran(0, "plan.yaml: no problems\n", "")
    outside = bare.path.parent
    (outside / "plan.yaml").write_text(WHOLE, encoding="utf-8")
    assert Stoat(outside).run("plan", "check", "plan.yaml") == Ran(0, "plan.yaml: no problems\n", "")


def test_what_is_no_file_or_no_text_is_said_plainly(stoat: Stoat) -> None:
    assert stoat.run("plan", "import", "gone.yaml") == Ran(
        3, "", "there is no file gone.yaml\nhint: name a plan document, or - for standard input\n"
    )
    assert stoat.run("plan", "check", ".") == Ran(3, "", ". cannot be read: Is a directory\n")
    assert piped(stoat, b"title: \xff\n", "plan", "import", "-") == Ran(
        3, "", "-:1:8: this is not UTF-8 text (save the file as UTF-8)\n"
    )


@pytest.mark.parametrize("locale", ["C", "POSIX", "C.UTF-8"])
def test_an_export_is_utf_8_in_any_locale_and_imports_as_nothing(stoat: Stoat, locale: str) -> None:
    text = "schema: 1\nplan: umlaute\ntitle: Grüße 😀\nnodes:\n  - {id: a, kind: change, brief: 'ö: #1 '}\n"
    piped(stoat, text.encode(), "plan", "import", "-")
    process = stoat.start("plan", "export", "umlaute", env={"LC_ALL": locale, "PYTHONUTF8": "0"})
    out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, b"")
    assert out.decode() == (
        "schema: 1\nplan: umlaute\ntitle: 'Grüße 😀'\nnodes:\n  - id: a\n    kind: change\n    brief: 'ö: #1'\n"
    )
    assert piped(stoat, out, "plan", "import", "-").out == "umlaute: nothing to change\n"


def test_a_plan_begins_and_changes_by_flags(stoat: Stoat) -> None:
    flags = (
        "--title",
        "Mine",
        "--repo",
        "a=o/a",
        "--repo",
        "b=o/b@10.0",
        "--resource",
        "pg=2:machine",
        "--skill",
        "x y",
    )
    assert stoat.run("plan", "create", "mine", *flags) == Ran(0, "mine: 1 change\n  created\n", "")
    assert stoat.run("plan", "change", "mine", "--repo", "a=", "--branch", "side", "--go-ahead", "plan") == Ran(
        0, "mine: 1 change\n  header: repos, branch, go_ahead\n", ""
    )
    assert stoat.ok("plan", "export", "mine") == (
        "schema: 1\nplan: mine\ntitle: Mine\nrepos:\n  b: { repo: o/b, branch: '10.0' }\nbranch: side\n"
        "resources:\n  pg: { capacity: 2, scope: machine }\nskills:\n  - x y\ngo_ahead: plan\nnodes: []\n"
    )
    assert stoat.run("plan", "change", "mine", "--branch", "origin/Main") == Ran(
        3,
        "",
        "'origin/Main' is refused as a plan's branch: people merge there, not Stoat"
        " (name a branch of the plan's own, as in `branch: my-plan`)\n",
    )
    assert stoat.run("plan", "create", "My Plan").code == 3
    assert stoat.run("plan", "create", "x", "--repo", "nothing").code == 2


def test_plans_are_listed_and_shown(stoat: Stoat) -> None:
    assert stoat.ok("plan", "list") == "PLAN  TITLE   NODES  BRANCH  STATE\ndemo  A demo  7              active\n"
    listed = stoat.json("plan", "list")["plans"]
    assert [(row["plan"], row["title"], row["archived"], row["nodes"]) for row in listed] == [
        ("demo", "A demo", False, 7)
    ]
    shown = stoat.json("plan", "show", "demo")
    assert (shown["plan"], shown["goAhead"], shown["nodes"][0]["id"]) == ("demo", "node", "parser")
    assert stoat.ok("plan", "show", "demo") == stoat.ok("plan", "export", "demo")
    assert stoat.run("plan", "export", "gone") == Ran(3, "", "there is no plan 'gone'\nhint: the plans are: demo\n")


def test_a_plan_is_archived_brought_back_and_purged_by_a_person(stoat: Stoat, repo: GitRepo) -> None:
    agent = {"STOAT_AGENT": "otter"}
    assert stoat.run("plan", "archive", "demo", env=agent).code == 3
    assert stoat.run("plan", "purge", "demo", "--yes") == Ran(
        3, "", "plan demo is active\nhint: archive it first: stoat plan archive demo\n"
    )
    assert stoat.run("plan", "archive", "demo") == Ran(0, "demo: 1 change\n  archived\n", "")
    refused = stoat.run("plan", "import", "plan.yaml")
    assert refused.code == 3
    assert refused.err.endswith("hint: bring it back first: stoat plan archive demo --off\n")
    assert stoat.run("plan", "purge", "demo").code == 2
    assert stoat.run("plan", "archive", "demo", "--off") == Ran(0, "demo: 1 change\n  active again\n", "")
    stoat.ok("plan", "archive", "demo")
    assert stoat.run("plan", "purge", "demo", "--yes", env=agent).code == 3
    assert stoat.run("plan", "purge", "demo", "--yes") == Ran(0, "demo: purged\n", "")
    assert stoat.json("plan", "list") == {"plans": []}
    assert "purges the plan" in repo.run_git("log", "-1", "--format=%s", "refs/stoat/state")


def test_an_agent_imports_but_does_not_turn_merge_on_green_on(stoat: Stoat) -> None:
    text = WHOLE.replace("    issue: 120\n", "    issue: 120\n    merge: merge-on-green\n")
    (stoat.directory / "green.yaml").write_text(text, encoding="utf-8")
    assert stoat.run("plan", "import", "green.yaml", env={"STOAT_AGENT": "otter"}) == Ran(
        3,
        "",
        "only a person may set merge-on-green, here on fix-codegen\n"
        "hint: leave `merge` out, and ask a person for it: stoat ask PLAN/NODE '…'\n",
    )
    assert stoat.run("plan", "import", "green.yaml").code == 0
