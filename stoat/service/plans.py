"""Plans as a whole: imported and exported as YAML, created, changed, listed, archived and purged.

Every rule is checked on the very state that the change lands on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from stoat.clock import Time
from stoat.errors import Invalid, Problem, Refused
from stoat.gitstore.log import Change
from stoat.plan import guards, streams
from stoat.plan.diff import diff
from stoat.plan.document import Document, parse
from stoat.plan.events import plans as rules
from stoat.plan.events.authoring import NodeRemoved
from stoat.plan.events.base import PlanEvent
from stoat.plan.nodes import Header, Node, Repo
from stoat.plan.normal import normal_header, normal_node
from stoat.plan.rules.finding import Finding
from stoat.plan.state import PlanState, State
from stoat.plan.validate import check_header_alone, doubts
from stoat.plan.yaml_out import write
from stoat.service.authoring import Authored, author, other_plans
from stoat.service.branches import branch_findings
from stoat.service.checkouts import with_doubts
from stoat.service.session import Session, plan_of


def import_document(
    session: Session, text: str, *, dry_run: bool = False, checkout: Path | None = None, only_new: bool = False
) -> Authored:
    """Make the plan what the document says, recording only what changes; create it if there is none.

    Invalid with every problem at its line and column; Refused for what may not be done to the plan as it stands.
    What its steps and manifests name is looked for in the `checkout`, else in that of the plan's runner here; what is
    missing is a warning. With `only_new` a plan that is there already is refused.
    """
    document = parse(text)
    slug = document.header.plan
    misnamed = branch_findings(session.directory, document.header)

    def decide(state: State, now: Time) -> tuple[Sequence[PlanEvent], Sequence[str]]:
        others = other_plans(state, slug)
        problems = document.all_problems(others) + document.locate(misnamed)
        if problems:
            raise Invalid(sorted(problems))
        plan = state.plan(slug)
        if plan is not None:
            if only_new:
                raise Refused(f"there is a plan {slug!r}")
            guards.not_archived(plan)
        header, nodes = document.plan()
        nodes = tuple(guards.with_merge_policy(node, plan, session.actor) for node in nodes)
        events = diff(header, nodes, plan)
        warnings = [*doubts(nodes)]
        if plan is not None:
            removed = [event.node for event in events if isinstance(event, NodeRemoved)]
            guards.nothing_waits(plan, removed, others)
            warnings += guards.agents_work(plan, events, now)
        return events, warnings

    authored = author(session, slug, decide, dry_run=dry_run)
    return with_doubts(authored, session, checkout, *document.plan())


def export(session: Session, slug: str) -> str:
    """The plan as a YAML document; imported back it records nothing."""
    return export_of(plan_of(session.state(), slug))


def export_of(plan: PlanState) -> str:
    """A plan's state as a YAML document."""
    nodes = (normal_node(state.spec, plan.slug) for state in plan.nodes.values())
    return write(normal_header(plan.header), nodes)


def check(text: str, state: State | None = None) -> list[Problem]:
    """Every problem of a document, sorted by place. Without a state, edges to other plans stay unchecked."""
    try:
        document: Document = parse(text)
    except Invalid as invalid:
        return list(invalid.problems)
    return document.all_problems(None if state is None else other_plans(state, document.header.plan))


def create(session: Session, header: Header) -> Authored:
    """Begin a plan with no nodes. Refused when there is one of that slug."""
    header = normal_header(header)
    misnamed = branch_findings(session.directory, header)

    def decide(state: State, now: Time) -> tuple[Sequence[PlanEvent], Sequence[str]]:
        if state.plan(header.plan) is not None:
            raise Refused(f"there is a plan {header.plan!r}", hint=f"change it: stoat plan change {header.plan} …")
        _header_is_right(header, {}, misnamed)
        return [rules.PlanCreated(header=header)], ()

    return author(session, header.plan, decide)


def change(session: Session, slug: str, *, repos: Mapping[str, Repo | None] | None = None, **fields: Any) -> Authored:
    """Replace fields of a plan's header (None clears one); those not named stay as they are.

    `repos` are aliases to add or replace, and with None to take out; the others stay.
    """
    misnamed = branch_findings(session.directory, Header(plan=slug, branch=fields.get("branch")))

    def decide(state: State, now: Time) -> tuple[Sequence[PlanEvent], Sequence[str]]:
        plan = plan_of(state, slug)
        guards.not_archived(plan)
        named = {**plan.header.repos, **(repos or {})}
        kept = {alias: repo for alias, repo in named.items() if repo is not None}
        header = normal_header(replace(plan.header, repos=kept, **fields))
        _header_is_right(header, {node_id: state.spec for node_id, state in plan.nodes.items()}, misnamed)
        return ([rules.PlanHeaderChanged(header=header)] if header != normal_header(plan.header) else []), ()

    return author(session, slug, decide)


class PlanListed(Struct, frozen=True, rename="camel"):
    """A plan in the list of plans."""

    plan: str
    title: str
    archived: bool
    nodes: int
    branch: str | None
    anchor: str | None
    color: str | None
    created: Time


def listed(session: Session) -> list[PlanListed]:
    """Every plan, by slug, archived ones included."""
    return [
        PlanListed(
            slug, plan.header.title or slug, plan.archived is not None, len(plan.nodes), plan.header.branch,
            plan.header.anchor, plan.header.color, plan.created.at,
        )
        for slug, plan in session.state().plans.items()
    ]  # fmt: skip


def show(session: Session, slug: str) -> dict[str, Any]:
    """The plan as it is written: its header's fields and its nodes', camelCase, none missing."""
    plan = plan_of(session.state(), slug)
    about = {
        "archived": plan.archived is not None, "created": _document(plan.created),
        "createsIssues": _document(plan.creates_issues) if plan.creates_issues is not None else None,
    }  # fmt: skip
    nodes = [spec_of(state.spec) for state in plan.nodes.values()]
    return {**_document(plan.header), "title": plan.header.title or slug, **about, "nodes": nodes}


def spec_of(node: Node) -> dict[str, Any]:
    """A node as it is written, camelCase, no field missing."""
    written: dict[str, Any] = _document(node)
    return written


def archive(session: Session, slug: str, *, off: bool = False) -> Authored:
    """Take a plan out of the active set (`off`: bring it back). A person's; its stream stays."""
    session.person()

    def decide(state: State, now: Time) -> tuple[Sequence[PlanEvent], Sequence[str]]:
        plan = plan_of(state, slug)
        event: PlanEvent | None = rules.unarchive(plan) if off else rules.archive(plan, now)
        return ([event] if event else []), ()

    return author(session, slug, decide)


def purge(session: Session, slug: str) -> None:
    """Take an archived plan out of the store for good. A person's; git's history of the store keeps it."""
    session.person()

    def decide(state: State, now: Time) -> Change | None:
        plan = plan_of(state, slug)
        guards.may_be_purged(plan, other_plans(state, slug))
        return None

    plan_of(session.state(), slug)
    session.store.purge(streams.of_plan(slug), session.actor, f"{slug}: {session.actor.name} purges the plan", decide)


def _header_is_right(header: Header, nodes: dict[str, Node], misnamed: Sequence[Finding]) -> None:
    findings = [*check_header_alone(header, nodes), *misnamed]
    if findings:
        raise Invalid([Problem(0, 0, found.what, found.do) for found in findings])


def _document(value: Any) -> Any:
    if isinstance(value, Struct):
        return {_camel(name): _document(getattr(value, name)) for name in value.__struct_fields__}
    if isinstance(value, dict):
        return {key: _document(inner) for key, inner in value.items()}
    return [_document(inner) for inner in value] if isinstance(value, tuple) else value


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)
