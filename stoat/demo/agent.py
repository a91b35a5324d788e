"""The demo's agent: started through a launcher profile with a prompt, as any coding agent is.

It writes the feature that its node is about, commits it on the branch it stands on, and proves it with the commands
that its prompt hands it. There is no model behind it; everything else is what a real agent does.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

from stoat.demo import project
from stoat.plan.variables import ATTEMPT, NODE, RUN_TAG

GATE = "stoat gate exec "
REPORT = "build/specs.xml"


def main(prompt: str) -> int:
    """Work the node that the environment names; 0 when every command it ran was green."""
    node, attempt = os.environ[NODE], int(os.environ[ATTEMPT])
    print(f"node {node}, attempt {attempt}, in {Path.cwd()}", flush=True)
    if node in project.features(project.project_files()):
        message = write(node, attempt)
        run("git", "add", "--all")
        run("git", "commit", "--quiet", "--message", message)
    red = sum(run(*shlex.split(command)) != 0 for command in gates(prompt))
    if node == "pricing":
        red += prove_specs(os.environ[RUN_TAG], "pricing")
    return 1 if red else 0


def write(node: str, attempt: int) -> str:
    """Edit the node's feature into the worktree, wrongly where its first attempt is to fail; gives the message."""
    message, files = project.write_feature(project.project_files(), node, Path.cwd(), first_attempt=attempt == 1)
    print("wrote " + ", ".join(files), flush=True)
    return message


def gates(prompt: str) -> list[str]:
    """The commands of the prompt that prove a step, in its order."""
    return [line.strip() for line in prompt.splitlines() if line.strip().startswith(GATE)]


def prove_specs(tag: str, feature: str) -> int:
    """Run a feature's specs as evidence and record which of them passed; the number of red commands."""
    red = run("stoat", "gate", "exec", tag, "--", "python", "-m", "specs", REPORT, feature)
    return (red != 0) + (run("stoat", "runs", "add", REPORT, "--tag", tag) != 0)


def run(*argv: str) -> int:
    """Run a command, shown first; gives its exit code."""
    print("$ " + shlex.join(argv), flush=True)
    return subprocess.run(argv, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
