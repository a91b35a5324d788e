"""`stoat node …`: nodes one by one. There is a flag for every field of a node, named like the field in the YAML."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from stoat import clock
from stoat.cli import authored, context, render
from stoat.cli.context import Json, NodeArgument
from stoat.derive.wording.text import BACK

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Nodes one by one. For many at once: stoat plan export, edit, stoat plan import.",
)

Texts = list[str] | None
Text = str | None

FLAGS: dict[str, tuple[Any, str, str]] = {
    "title": (Text, "--title", "What the board shows; the id without one."),
    "brief": (Text, "--brief", "Instructions for whoever works it, in Markdown; - reads them from standard input."),
    "depends_on": (Texts, "--depends-on", "NODE or PLAN/NODE that it waits for; repeat it, or separate with commas."),
    "discovered_from": (Text, "--discovered-from", "The node whose work turned this up."),
    "repo": (Text, "--repo", "Its repository: an alias of the plan, or OWNER/NAME."),
    "issue": (int | None, "--issue", "The number of its GitHub issue."),
    "pr": (int | None, "--pr", "The number of its pull request."),
    "package": (Text, "--package", "The package that is published or consumed."),
    "feed": (Text, "--feed", "Where it is published: nuget.org (the default), npmjs.org, local …"),
    "version": (Text, "--version", "The exact version that is published."),
    "bump": (Text, "--bump", "Or which part of it is raised: fix, minor or major."),
    "rehearses": (Text, "--rehearses", "The real publish that this local pack stands in for."),
    "manifest": (Text, "--manifest", "The file that the pin is read from."),
    "branch": (Text, "--branch", "The branch that the pin is read from."),
    "bumped_by": (Text, "--bumped-by", "The node that moves the pin."),
    "merge": (Text, "--merge", "Who merges its pull request: manual-review or merge-on-green."),
    "pattern": (Text, "--pattern", "A slice's: command, view, automation, translation or query."),
    "specs": (Texts, "--spec", "A slice's Feature/Scenario; repeat it for more."),
    "steps": (Texts, "--step", "A gate's step, ID or ID=COMMAND; repeat it for more."),
    "reverify": (Text, "--reverify", "on-branch-change: a gate that re-arms when its branch moves."),
    "agent": (Text, "--agent", "cloud: keep it for a cloud agent."),
    "uses": (Texts, "--uses", "A resource it holds while it runs; repeat it, or separate with commas."),
    "model": (Text, "--model", "The model its worker asks for."),
    "skills": (Texts, "--skill", "A skill its work uses; repeat it for more."),
    "assignee": (Text, "--assignee", "person: keep it for a person."),
    "exclusive": (Text, "--exclusive", "machine: nothing else runs while it does."),
}
"""Field → the flag's type, name and help."""

OF_STEPS: dict[str, tuple[Any, str, str]] = {
    "step_title": (Texts, "--step-title", "ID=TEXT: a step's title."),
    "step_cwd": (Texts, "--step-cwd", "ID=DIR: where a step runs, from the repository's root."),
    "step_env": (Texts, "--step-env", "ID:NAME=VALUE: a variable for a step."),
    "step_timeout": (Texts, "--step-timeout", "ID=20m: how long a step may take."),
}
"""The flags that say more about steps that --step names."""

Kind = Annotated[
    str, typer.Option("--kind", help="change, consume, issue, person, pr, publish, review, slice, test-run-gate.")
]
CheckoutOption = Annotated[
    Path | None,
    typer.Option(
        "--checkout", metavar="DIR",
        help="Look there for what its steps name; without it in the plan's runner's checkout, if there is one.",
    ),
]  # fmt: skip
On = Annotated[str, typer.Option("--on", metavar="NODE|PLAN/NODE", help="The node that it waits for.")]


def _with_flags(function: Callable[..., None]) -> Callable[..., None]:
    """Give a command the flags of both tables, beside its own four parameters; they arrive as keywords."""
    own = list(inspect.signature(function, eval_str=True).parameters.values())[:4]
    flags = [
        inspect.Parameter(
            field, inspect.Parameter.KEYWORD_ONLY, default=None,
            annotation=Annotated[kind, typer.Option(flag, help=text, show_default=False)],
        )
        for field, (kind, flag, text) in {**FLAGS, **OF_STEPS}.items()
    ]  # fmt: skip
    own = [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in own]
    parameters = [*own[:2], *flags, *own[2:]]
    function.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    function.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return function


@app.command()
@_with_flags
def add(ref: NodeArgument, kind: Kind, checkout: CheckoutOption = None, as_json: Json = False, **fields: Any) -> None:
    """Put a new node at the end of a plan."""
    from stoat.service import nodes

    slug, node = _node(ref, kind, fields)
    authored.show(nodes.add(context.session(), slug, node, checkout=checkout), as_json)


@app.command()
@_with_flags
def change(
    ref: NodeArgument, kind: Kind, checkout: CheckoutOption = None, as_json: Json = False, **fields: Any
) -> None:
    """Replace a node whole: what is not given is cleared, and so is its go-ahead. For edges alone: link, unlink."""
    from stoat.service import nodes

    slug, node = _node(ref, kind, fields)
    authored.show(nodes.change(context.session(), slug, node, checkout=checkout), as_json)


@app.command()
def remove(ref: NodeArgument, as_json: Json = False) -> None:
    """Take a node out of its plan; refused while anything depends on it, and while an agent holds it."""
    from stoat.service import nodes
    from stoat.service.session import parse_ref

    authored.show(nodes.remove(context.session(), parse_ref(ref)), as_json)


@app.command()
def link(ref: NodeArgument, on: On, as_json: Json = False) -> None:
    """Let a node wait for another one, of this plan or of another; its go-ahead stays."""
    from stoat.service import nodes
    from stoat.service.session import parse_ref

    authored.show(nodes.link(context.session(), parse_ref(ref), on), as_json)


@app.command()
def unlink(ref: NodeArgument, on: On, as_json: Json = False) -> None:
    """Let a node no longer wait for another one; its go-ahead stays."""
    from stoat.service import nodes
    from stoat.service.session import parse_ref

    authored.show(nodes.unlink(context.session(), parse_ref(ref), on), as_json)


@app.command()
def bind(
    ref: NodeArgument,
    issue: Annotated[int | None, typer.Option(help="The number of an issue node's issue.")] = None,
    pr: Annotated[int | None, typer.Option(help="The number of a pr node's pull request.")] = None,
    as_json: Json = False,
) -> None:
    """Give an issue or pr node its number on GitHub."""
    from stoat.service import nodes
    from stoat.service.session import parse_ref

    if (issue is None) == (pr is None):
        raise typer.BadParameter("say --issue N or --pr N")
    kind, number = ("issue", issue) if issue is not None else ("pr", pr)
    authored.show(nodes.bind(context.session(), parse_ref(ref), kind, number or 0), as_json)


@app.command()
def show(
    ref: NodeArgument,
    as_json: Json = False,
    offline: Annotated[bool, typer.Option("--offline", help="Ask nothing of GitHub.")] = False,
) -> None:
    """Show one node: where it stands and why, what it waits for, what waits for it, its brief.

    Of what it has on GitHub: the issue and the pull requests in their own words, with comments, reviews, checks, and
    why a check failed. That is asked of GitHub and kept a minute; where GitHub cannot be asked, the rest is shown.
    """
    from stoat.cli import zoomed
    from stoat.service import zoom
    from stoat.service.session import parse_ref

    asked = clock.now()
    shown = zoom.show(context.session(), parse_ref(ref), ask=not offline)
    if as_json:
        render.json(shown)
        return
    waits = ", ".join(shown["dependsOn"])
    unblocks = ", ".join(f"{other['plan']}/{other['node']}" for other in shown["dependents"])
    rows = [
        ("node", f"{shown['plan']}/{shown['id']}"), ("kind", shown["kind"]), ("title", shown["title"]),
        ("status", shown["status"]), ("detail", shown["detail"]), ("readiness", shown["readiness"]),
        (BACK, shown["resume"]),
        ("repo", shown["repo"]), ("waits for", waits), ("unblocks", unblocks),
        ("claim", (shown["claim"] or {}).get("holder")), ("found in", shown["discoveredFrom"]),
        *(row for step in shown["steps"] for row in _step_rows(step)),
        *((f"work step {one['id']}", f"{one['state']}: {one['title']}") for one in shown["workSteps"]),
        *(("pull request", pr["line"]) for pr in shown["prs"]),
        *((f"finding {one['id']}", f"{one['state']}: {one['title']}") for one in shown["findings"]),
    ]  # fmt: skip
    render.table(("field", "value"), [row for row in rows if row[1]])
    if shown["brief"]:
        render.say()
        render.say(render.clean(shown["brief"], lines=True))
    zoomed.show(shown["github"], shown["githubProblem"], asked)


def _step_rows(step: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """A step, and each of its units below it."""
    yield f"step {step['id']}", f"{step['state']}: {step['detail']}"
    for unit in step["units"]:
        yield f"  unit {unit['id']}", f"{unit['state']}: {unit['detail']}"


def _node(ref: str, kind: str, fields: dict[str, Any]) -> tuple[str, Any]:
    """The plan and the node that the flags describe."""
    from stoat.plan.nodes import Node
    from stoat.service.session import parse_ref

    plan, node_id = parse_ref(ref)
    given = {field: fields[field] for field in FLAGS if fields.get(field) is not None}
    for field, value in given.items():
        if isinstance(value, list):
            commas = field in ("depends_on", "uses")
            given[field] = tuple(part for text in value for part in (text.split(",") if commas else [text]))
    if given.get("brief") == "-":
        given["brief"] = authored.read_bytes("-").decode("utf-8", "replace")
    given["steps"] = _steps(given.get("steps", ()), {name: fields.get(name) or [] for name in OF_STEPS})
    return plan, Node(id=node_id, kind=kind, **given)


def _steps(named: tuple[str, ...], more: dict[str, list[str]]) -> tuple[Any, ...]:
    from stoat.plan.nodes import Step

    steps: dict[str, dict[str, Any]] = {}
    for text in named:
        step_id, _, run = text.partition("=")
        if step_id in steps:
            raise typer.BadParameter(f"two steps have the id {step_id!r}", param_hint="--step")
        steps[step_id] = {"run": run or None, "env": {}}
    for flag, texts in more.items():
        for text in texts:
            step_id, found, value = text.partition(":" if flag == "step_env" else "=")
            if not found or step_id not in steps:
                raise typer.BadParameter(f"{text!r} names no step that --step gives", param_hint=OF_STEPS[flag][1])
            if flag == "step_env":
                name, _, content = value.partition("=")
                steps[step_id]["env"][name] = content
            else:
                steps[step_id][flag.removeprefix("step_")] = value
    return tuple(Step(id=step_id, **fields) for step_id, fields in steps.items())
