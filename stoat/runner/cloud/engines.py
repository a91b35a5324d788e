"""The engines to which Stoat can hand work by itself: another host over ssh, a GitHub Actions workflow, a Kubernetes
job. Each makes an argument list, and what the program reads on standard input.

No shell here ever sees a prompt; the one that ssh starts on the other side reads it as data.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable, Mapping
from typing import NamedTuple

from stoat.errors import Refused
from stoat.plan import variables

LONGEST = 96 * 1024
"""Bytes of a prompt that one argument of a program, or one variable, surely holds."""
_LONGEST_INPUT = 60_000
"""Bytes that a workflow's inputs take: GitHub allows 65,535 characters for all of them."""


class Order(NamedTuple):
    """What is handed over. `repo` is the OWNER/NAME that the node is about."""

    prompt: str
    plan: str
    node: str
    claim: str
    repo: str


class Handover(NamedTuple):
    """The program that hands it over, and what it reads on standard input."""

    argv: tuple[str, ...]
    stdin: str | None = None


class Engine(NamedTuple):
    """An engine: its program, the parameters that must and may be given, the longest prompt in bytes, and how it hands
    an order over with them."""

    program: str
    required: tuple[str, ...]
    optional: tuple[str, ...]
    longest: int
    hand: Callable[[Mapping[str, str], Order], Handover]
    check: Callable[[Mapping[str, str]], str | None]


def _ssh(given: Mapping[str, str], order: Order) -> Handover:
    words = " ".join(_with_prompt(word) for word in shlex.split(given["agent"]))
    there = f"cd -- {shlex.quote(given['directory'])}\n" if given.get("directory") else ""
    log = shlex.quote(f"stoat-cloud-{order.plan}-{order.node}.log")
    # The prompt comes on standard input, to its last byte: command substitution alone would drop line ends.
    script = (
        f"set -e\n{there}prompt=$(cat; printf x)\nprompt=${{prompt%x}}\n"
        f'nohup {words} >>{log} 2>&1 </dev/null &\necho "started as process $!"\n'
    )
    remote = f"exec sh -c {shlex.quote(script)}"
    return Handover(("ssh", "-o", "BatchMode=yes", "--", given["host"], remote), order.prompt)


def _with_prompt(word: str) -> str:
    """A word of the agent's command line as the other side's shell reads it, the prompt in its place."""
    return '"$prompt"'.join(shlex.quote(part) if part else "" for part in word.split("{prompt}")) or "''"


_ACTIONS = """\
workflow=$1 repo=$2 ref=$3 began=$4
set --
if [ -n "$ref" ]; then set -- --ref "$ref"; fi
prompt=$(cat; printf x)
gh workflow run "$workflow" --repo "$repo" "$@" -f "prompt=${prompt%x}" || exit
for second in 1 2 3 4 5 6 7 8; do
    url=$(gh run list --workflow "$workflow" --repo "$repo" --event workflow_dispatch --created ">=$began" --limit 1 \
--json url --jq '.[0].url // empty') || break
    if [ -n "$url" ]; then echo "$url"; break; fi
    sleep "$second"
done
exit 0
"""


def _github_actions(given: Mapping[str, str], order: Order) -> Handover:
    repo = given.get("repository") or order.repo
    began = given.get("began", "")
    return Handover(("sh", "-c", _ACTIONS, "stoat", given["workflow"], repo, given.get("ref", ""), began), order.prompt)


def _kubernetes(given: Mapping[str, str], order: Order) -> Handover:
    values = {
        "STOAT_PROMPT": order.prompt, variables.PLAN: order.plan, variables.NODE: order.node,
        variables.CLAIM: order.claim, "STOAT_REPOSITORY": order.repo,
    }  # fmt: skip
    container: dict[str, object] = {
        "name": "agent",
        "image": given["image"],
        # Kubernetes would put other variables, a secret's as well, where a value says $(NAME): `$$` is a plain dollar.
        "env": [{"name": name, "value": value.replace("$", "$$")} for name, value in values.items()],
    }
    if given.get("command"):
        words = shlex.split(given["command"])
        container["command"] = [word.replace("$", "$$").replace("{prompt}", "$(STOAT_PROMPT)") for word in words]
    if given.get("secret"):
        container["envFrom"] = [{"secretRef": {"name": given["secret"]}}]
    name = re.sub(r"[^a-z0-9-]+", "-", f"stoat-{order.plan}-{order.node}".lower())[:50].strip("-")
    job = {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {
            "name": f"{name}-{order.claim.removeprefix('c-')}",
            "annotations": {"stoat/node": f"{order.plan}/{order.node}", "stoat/claim": order.claim},
        },
        "spec": {
            "backoffLimit": 0,
            "ttlSecondsAfterFinished": 86400,
            "template": {"spec": {"restartPolicy": "Never", "containers": [container]}},
        },
    }
    context = ("--context", given["context"]) if given.get("context") else ()
    argv = ("kubectl", *context, "--namespace", given["namespace"], "create", "-f", "-")
    return Handover(argv, json.dumps(job, ensure_ascii=False))


def _fine(given: Mapping[str, str]) -> str | None:
    return None


def _has_prompt(given: Mapping[str, str]) -> str | None:
    return _split("agent", given["agent"]) or (
        None if "{prompt}" in given["agent"] else "agent has no {prompt} where the agent takes its prompt"
    )


def _can_be_split(given: Mapping[str, str]) -> str | None:
    return _split("command", given.get("command", ""))


def _split(name: str, text: str) -> str | None:
    try:
        shlex.split(text)
    except ValueError:
        return f"{name} cannot be split into arguments: close every quote"
    return None


ENGINES: Mapping[str, Engine] = {
    "cloud-ssh": Engine("ssh", ("host", "agent"), ("directory",), LONGEST, _ssh, _has_prompt),
    "cloud-github-actions": Engine(
        "gh", ("workflow",), ("repository", "ref"), _LONGEST_INPUT, _github_actions, _fine
    ),
    "cloud-kubernetes": Engine(
        "kubectl", ("image", "namespace"), ("command", "secret", "context"), LONGEST, _kubernetes, _can_be_split
    ),
}  # fmt: skip
"""By the name that --cloud-launcher takes."""


def parameters(name: str, written: Mapping[str, str], environ: Mapping[str, str]) -> dict[str, str]:
    """The parameters of an engine: as `written` in the launchers file, else STOAT_CLOUD_<NAME> of the environment.

    Refused where one is missing, unknown, or would be taken for a flag by the engine's program.
    """
    engine = ENGINES[name]
    names = (*engine.required, *engine.optional)
    unknown = sorted(set(written) - set(names))
    if unknown:
        raise Refused(f"launcher {name} has no parameter {unknown[0]!r}", hint=f"it has {', '.join(names)}")
    found = {each: written.get(each) or environ.get(variable(each), "") for each in names}
    missing = [each for each in engine.required if not found[each]]
    if missing:
        raise Refused(
            f"launcher {name} needs {' and '.join(missing)}",
            hint=f"set {' and '.join(variable(each) for each in missing)}, or give it in launchers.json: "
            f'{{"name": "{name}", "cloud": true, "parameters": {{"{missing[0]}": …}}}}',
        )
    for each, value in found.items():
        if value.startswith("-") or not value.isprintable():
            raise Refused(f"launcher {name}: {each} is {value!r}, which its program would misread", hint="correct it")
    wrong = engine.check(found)
    if wrong is not None:
        raise Refused(f"launcher {name}: {wrong}", hint='for example: STOAT_CLOUD_AGENT="claude -p {prompt}"')
    return {each: value for each, value in found.items() if value}


def variable(parameter: str) -> str:
    """The environment variable of a parameter."""
    return f"STOAT_CLOUD_{parameter.upper()}"
