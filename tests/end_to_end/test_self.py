"""Stoat works on itself, as docs/self.md says."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
STOAT = [sys.executable, "-m", "stoat"]


@pytest.mark.slow
def test_a_gate_runs_part_of_stoats_own_tests_in_a_worktree_of_a_clone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=os.pathsep)
    clone = tmp_path / "a clone"
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
    plan = (clone / "docs" / "plans" / "stoat.yaml").read_text("utf-8")
    launchers = clone / "docs" / "plans" / "launchers.json"
    only = tmp_path / "plan.yaml"
    only.write_text(plan[: plan.index("  - id: rooms")], "utf-8")
    for arguments in (
        ["init"],
        ["plan", "import", str(only)],
        ["run-plan", "stoat", "--launcher", "gates", "--launchers", str(launchers), "--settle-seconds", "1"],
    ):
        ran = subprocess.run([*STOAT, *arguments], cwd=clone, capture_output=True, text=True, timeout=900)
        assert ran.returncode == 0, ran.stdout + ran.stderr
    status = subprocess.run([*STOAT, "status", "stoat", "--json"], cwd=clone, capture_output=True, check=True)
    (gate,) = json.loads(status.stdout)["nodes"]
    assert (gate["id"], gate["status"]) == ("vocabulary", "done")
    assert [step["state"] for step in gate["steps"]] == ["passed", "passed"]
    log = (tmp_path / "stoat-agent-vocabulary.log").read_text("utf-8")
    assert " passed in " in log
