"""The pages: the plans, a plan with its graph, a node. Each works without a script; `board.js` keeps it current."""

from __future__ import annotations

import threading
import zlib
from collections.abc import Iterable

from flask import Blueprint, Response, current_app, g, render_template, request
from markupsafe import Markup

from stoat.derive.answers import NodeAnswer, PlanAnswer
from stoat.derive.review import findings
from stoat.errors import NotFound
from stoat.plan.ids import NodeRef
from stoat.service import icons, nodes, reading, zoom
from stoat.service.session import node_of, plan_of
from stoat.web import graph
from stoat.web.current import watch
from stoat.web.following import Following
from stoat.web.watch import View, on_github

HISTORY_LINES = 60
TEXT_SECONDS = 15.0
"""How long the page with GitHub's text waits for it; nothing else waits for that page."""

pages = Blueprint("pages", __name__)


class Shelf:
    """Rendered cards, kept while their answers stay the same: after a change only what changed is rendered."""

    def __init__(self) -> None:
        self._cards: dict[str, tuple[NodeAnswer, str | None, str, Markup]] = {}
        self._lock = threading.Lock()

    def card(self, plan: str, node: NodeAnswer, icon: str | None, going: str) -> Markup:
        """A node's card; `icon` is the mark of its repository's, `going` how far its test runs are."""
        ref = f"{plan}/{node.id}"
        kept = self._cards.get(ref)
        if kept is None or kept[1:3] != (icon, going) or (kept[0] is not node and kept[0] != node):
            html = current_app.jinja_env.get_template("card.html").render(plan=plan, node=node, going=going)
            kept = (node, icon, going, Markup(html))
            with self._lock:
                self._cards[ref] = kept
        return kept[3]


_shelf = Shelf()


@pages.app_template_global("card")
def card(plan: str, node: NodeAnswer) -> Markup:
    """A node's card, for templates."""
    going = current_app.jinja_env.globals["going"]
    assert isinstance(going, Following)
    return _shelf.card(plan, node, icon_mark(node.repo), going.of_node(plan, node.id))


@pages.app_template_global("icon_mark")
def icon_mark(repo: str | None) -> str | None:
    """The mark of a repository's icon, None where it has none here; they are looked up once a page."""
    if repo is None:
        return None
    if "icons" not in g:
        g.icons = icons.marks(watch().view())
    found: str | None = g.icons.get(repo.lower())
    return found


@pages.app_template_filter("mark")
def mark(html: str) -> str:
    """A short mark of a rendered part: the page's script replaces a part when its mark is another one."""
    return f"{zlib.crc32(html.encode()):08x}"


@pages.get("/")
def plans() -> str:
    """All plans, the archived ones folded."""
    view = watch().view()
    shown = view.derived.plans.values()
    return render_template(
        "plans.html",
        view=view,
        active=[plan for plan in shown if not plan.archived],
        archived=[plan for plan in shown if plan.archived],
        needs=view.derived.needs,
    )


@pages.get("/plans/<slug>")
def plan(slug: str) -> str:
    """A plan's page. `?parts=a,b` gives only what may have changed with these nodes: the top, and their cards."""
    view = watch().view()
    answer = _plan(view, slug)
    here = {node.id: node for node in answer.nodes}
    common = {
        "view": view,
        "plan": answer,
        "needs": [need for need in view.derived.needs if need.plan == slug],
        "outside": view.derived.by_ref,
        "github": view.github if on_github(answer) else None,
    }
    parts = request.args.get("parts")
    if parts is not None:
        names = parts.split(",")
        shown = [here[name] for name in names if name in here]
        return render_template("parts.html", nodes=shown, stubs=[name for name in names if "/" in name], **common)
    drawn = graph.draw(answer)
    return render_template("plan.html", nodes=here, graph=drawn, plans=_plans_of(view, slug, drawn.stubs), **common)


@pages.get("/plans/<slug>/nodes/<node_id>")
def node(slug: str, node_id: str) -> str:
    """Everything that is known of a node."""
    view = watch().view()
    answer = _plan(view, slug)
    ref = NodeRef(slug, node_id)
    _, state = node_of(view.seen, ref)
    before = [name if "/" in name else f"{slug}/{name}" for name in state.spec.depends_on]
    shown = nodes.show(view, ref)
    after = [f"{one['plan']}/{one['node']}" for one in shown["dependents"]]
    return render_template(
        "node.html",
        view=view,
        plan=answer,
        node=view.derived.by_ref[f"{slug}/{node_id}"],
        state=state,
        questions=[asked for asked in plan_of(view.seen, slug).questions.values() if asked.node == node_id],
        findings=findings(plan_of(view.seen, slug), state),
        needs=[need for need in view.derived.needs if (need.plan, need.node) == (slug, node_id)],
        before=[(name, view.derived.by_ref.get(name)) for name in before],
        after=[(name, view.derived.by_ref.get(name)) for name in after],
        lines=reading.timeline(view, slug, node_id, HISTORY_LINES),
        on_github=zoom.on_github(view, ref, shown),
        near=[node_id, *(name.removeprefix(f"{slug}/") for name in [*before, *after])],
        plans=_plans_of(view, slug, [*before, *after]),
    )


@pages.get("/plans/<slug>/nodes/<node_id>/github")
def github(slug: str, node_id: str) -> str:
    """A node's issue and pull requests in GitHub's own words; the node's page takes its part from here by itself."""
    view = watch().view()
    answer = _plan(view, slug)
    shown = zoom.show(view, NodeRef(slug, node_id), seconds=TEXT_SECONDS)
    return render_template(
        "github.html",
        plan=answer,
        node=view.derived.by_ref[f"{slug}/{node_id}"],
        text=shown["github"],
        problem=shown["githubProblem"],
    )


@pages.get("/favicon.ico")
def icon() -> Response:
    """Where browsers look for the icon by themselves."""
    return Response(status=308, headers={"Location": "/static/icon.svg"})


def _plan(view: View, slug: str) -> PlanAnswer:
    plan_of(view.seen, slug)
    answer = view.derived.plans.get(slug)
    if answer is None:
        raise NotFound(f"plan {slug} has nothing to show")
    return answer


def _plans_of(view: View, slug: str, refs: Iterable[str]) -> list[str]:
    """The plans that a page shows something of, its own first: it wants to hear of these."""
    named = dict.fromkeys([slug, *(ref.partition("/")[0] for ref in refs)])
    return [name for name in named if name in view.derived.plans]
