"""`stoat plan …`: plans as a whole, in and out as YAML documents."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from stoat.cli import authored, context, render
from stoat.cli.context import Json, PlanArgument
from stoat.cli.moving import moving
from stoat.errors import Invalid, NotFound

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Plans as a whole: YAML documents in and out, and what a plan says about itself.",
)

File = Annotated[str, typer.Argument(metavar="FILE|-", help="A YAML document, or - for standard input.")]
Title = Annotated[str | None, typer.Option(help="What the board shows; the slug without one.")]
Anchor = Annotated[str | None, typer.Option(metavar="OWNER/NAME#N", help="The GitHub issue the plan belongs to.")]
Color = Annotated[str | None, typer.Option(help="Its colour on the board: '#3b82f6' or a CSS name.")]
Branch = Annotated[str | None, typer.Option(help="Its integration branch, where finished nodes land.")]
Model = Annotated[str | None, typer.Option(help="The model that its workers ask for.")]
Skills = Annotated[list[str] | None, typer.Option("--skill", help="A skill its work uses; repeat it for more.")]
Repos = Annotated[
    list[str] | None,
    typer.Option("--repo", metavar="ALIAS=OWNER/NAME[@BRANCH]", help="A repository; repeat it for more."),
]
Resources = Annotated[
    list[str] | None,
    typer.Option("--resource", metavar="NAME=CAPACITY[:machine]", help="What nodes take turns on; repeat it for more."),
]
GoAhead = Annotated[str | None, typer.Option("--go-ahead", metavar="node|plan", help="What a go-ahead covers.")]


@app.command("import")
def import_(
    file: File,
    checkout: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Look there for what its steps name; without it in the plan's runner's checkout, if there is one.",
        ),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would change.")] = False,
    as_json: Json = False,
) -> None:
    """Make a plan what a document says; only what differs is recorded, and the same document again records nothing."""
    from stoat.plan.document import report
    from stoat.plan.yaml_in import decode
    from stoat.service import plans

    try:
        text = decode(authored.read_bytes(file))
        with moving("reading the document"):
            result = plans.import_document(context.session(), text, dry_run=dry_run, checkout=checkout)
    except Invalid as invalid:
        raise Invalid(invalid.problems, report(file, invalid.problems), invalid.hint) from invalid
    authored.show(result, as_json, dry_run=dry_run)


@app.command()
def export(plan: PlanArgument) -> None:
    """Print a plan as a YAML document; imported back it records nothing."""
    from stoat.service import plans

    authored.print_document(plans.export(context.session(), plan))


@app.command()
def check(file: File, as_json: Json = False) -> None:
    """List every problem of a document with its line and column; exit code 3 when there are any."""
    from stoat.plan.document import report
    from stoat.plan.yaml_in import decode
    from stoat.service import plans

    try:
        state = context.session().state()
    except NotFound:
        # Without a store a document can be checked all the same, but for its edges to other plans.
        state = None
    try:
        problems = plans.check(decode(authored.read_bytes(file)), state)
    except Invalid as invalid:
        problems = list(invalid.problems)
    if as_json:
        render.json({"problems": [problem._asdict() for problem in problems]})
    elif problems:
        render.say(render.clean(report(file, problems), lines=True))
    else:
        render.say(f"{render.clean(file)}: no problems")
    if problems:
        raise typer.Exit(Invalid.exit_code)


@app.command()
def create(
    slug: Annotated[str, typer.Argument(metavar="SLUG", help="Its identity: lower-case words joined by hyphens.")],
    title: Title = None,
    anchor: Anchor = None,
    color: Color = None,
    branch: Branch = None,
    model: Model = None,
    skills: Skills = None,
    repos: Repos = None,
    resources: Resources = None,
    go_ahead: GoAhead = None,
    as_json: Json = False,
) -> None:
    """Begin a plan with no nodes."""
    from stoat.plan.nodes import Header
    from stoat.service import plans

    fields = _header(title, anchor, color, branch, model, skills, go_ahead)
    fields |= {
        "repos": {alias: repo for alias, repo in _repos(repos or []).items() if repo},
        "resources": _resources(resources or []),
    }
    authored.show(plans.create(context.session(), Header(plan=slug, **fields)), as_json)


@app.command()
def change(
    plan: PlanArgument,
    title: Title = None,
    anchor: Anchor = None,
    color: Color = None,
    branch: Branch = None,
    model: Model = None,
    skills: Skills = None,
    repos: Repos = None,
    resources: Resources = None,
    go_ahead: GoAhead = None,
    as_json: Json = False,
) -> None:
    """Change what a plan says about itself: only what is given. '' clears a text, `--repo ALIAS=` a repository."""
    from stoat.service import plans

    fields = _header(title, anchor, color, branch, model, skills, go_ahead)
    if resources is not None:
        fields["resources"] = _resources(resources)
    authored.show(plans.change(context.session(), plan, repos=_repos(repos or []), **fields), as_json)


@app.command("list")
def list_(as_json: Json = False) -> None:
    """List the plans, archived ones included."""
    from stoat.service import plans

    listed = plans.listed(context.session())
    if as_json:
        render.json({"plans": listed})
        return
    rows = [(row.plan, row.title, row.nodes, row.branch, "archived" if row.archived else "active") for row in listed]
    render.table(("plan", "title", "nodes", "branch", "state"), rows, empty="no plans yet: stoat plan import FILE")


@app.command()
def show(plan: PlanArgument, as_json: Json = False) -> None:
    """Show a plan as it is written; where its nodes stand says `stoat status PLAN`."""
    from stoat.service import plans
    from stoat.service.session import plan_of

    session = context.session()
    if as_json:
        render.json(plans.show(session, plan))
        return
    shown = plan_of(session.state(), plan)
    authored.print_document(plans.export_of(shown))
    if shown.creates_issues is not None:
        render.tell(f"note: {render.clean(shown.creates_issues.by)} lets runners create the issues that it lacks")


@app.command()
def archive(
    plan: PlanArgument,
    off: Annotated[bool, typer.Option("--off", help="Bring it back.")] = False,
    as_json: Json = False,
) -> None:
    """Take a plan out of the active set; its history stays. A person's."""
    from stoat.service import plans

    authored.show(plans.archive(context.session(), plan, off=off), as_json)


@app.command()
def purge(
    plan: PlanArgument,
    yes: Annotated[bool, typer.Option("--yes", help="Yes, for good.")] = False,
) -> None:
    """Take an archived plan out of the store for good. A person's."""
    from stoat.service import plans

    if not yes:
        raise typer.BadParameter(f"to purge {plan} for good, say --yes", param_hint="--yes")
    plans.purge(context.session(), plan)
    render.say(f"{plan}: purged")


def resources(
    plan: PlanArgument,
    declared: Annotated[list[str], typer.Argument(metavar="NAME=CAPACITY[:machine]…", help="All of the plan's.")],
    as_json: Json = False,
) -> None:
    """Say what the plan's nodes take turns on; it replaces what was declared before."""
    from stoat.service import plans

    authored.show(plans.change(context.session(), plan, resources=_resources(declared)), as_json)


def _header(
    title: str | None, anchor: str | None, color: str | None, branch: str | None, model: str | None,
    skills: list[str] | None, go_ahead: str | None,
) -> dict[str, Any]:  # fmt: skip
    """The header's fields that were given."""
    texts = {"title": title, "anchor": anchor, "color": color, "branch": branch, "model": model}
    fields: dict[str, Any] = {name: text for name, text in texts.items() if text is not None}
    if skills is not None:
        fields["skills"] = tuple(skills)
    if go_ahead is not None:
        fields["go_ahead"] = go_ahead
    return fields


def _repos(given: list[str]) -> dict[str, Any]:
    """Alias → repository; None for one that is to go."""
    from stoat.plan.nodes import Repo

    repos = {}
    for text in given:
        alias, equals, named = text.partition("=")
        if not equals:
            raise typer.BadParameter(f"{text!r} is not ALIAS=OWNER/NAME[@BRANCH]", param_hint="--repo")
        name, _, branch = named.partition("@")
        repos[alias] = Repo(name, branch or None) if named else None
    return repos


def _resources(given: list[str]) -> dict[str, Any]:
    from stoat.plan.nodes import Resource

    resources = {}
    for text in given:
        name, _, rest = text.partition("=")
        capacity, _, scope = rest.partition(":")
        if not capacity.isdecimal() or scope not in ("", "machine"):
            raise typer.BadParameter(f"{text!r} is not NAME=CAPACITY[:machine]", param_hint="--resource")
        resources[name] = Resource(int(capacity), "machine" if scope else None)
    return resources
