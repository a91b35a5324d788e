"""What every door reads: the overview, a plan's status, what is ready, what a person owes, the questions."""

from __future__ import annotations

import hashlib
import heapq
from itertools import chain, islice
from typing import TYPE_CHECKING, Literal

import msgspec
from msgspec import Struct

from stoat.clock import Time
from stoat.errors import UNDECODABLE
from stoat.plan.ids import NodeRef
from stoat.plan.state import PlanState
from stoat.plan.state import Question as Asked
from stoat.plan.streams import of_plan
from stoat.service.session import Session, node_of, plan_of

if TYPE_CHECKING:
    from stoat.derive.answers import Answers, Need, NodeAnswer, PlanAnswer
    from stoat.derive.timeline import Line

STANCES = ("you", "broken", "held", "moving", "waiting")


class PlanSummary(Struct, frozen=True, rename="camel"):
    """A plan in the overview: how far it is, and how many of its nodes take which stance."""

    plan: str
    title: str
    archived: bool
    done: int
    total: int
    stances: dict[str, int]
    spent_usd: float | None
    spent_at_least: bool


class AnswerShown(Struct, frozen=True, rename="camel"):
    """Who settled a question and when; the text is empty when it was dismissed."""

    by: str
    at: Time
    text: str


class QuestionShown(Struct, frozen=True, rename="camel"):
    """A question as it is shown."""

    id: str
    plan: str
    node: str
    question: str
    asked_by: str
    at: Time
    state: Literal["open", "answered", "dismissed"]
    answer: AnswerShown | None


class _Kept(Struct, frozen=True, array_like=True):
    """An answer kept beside the store: it holds while these processes live, of the test `runs` on record as going
    these are `lost`, the runners and exclusive nodes say the same, and nothing else is seen of GitHub."""

    alive: tuple[str, ...]
    runs: tuple[str, ...]
    lost: tuple[str, ...]
    runners: str
    github: str
    document: bytes


def overview(session: Session) -> list[PlanSummary]:
    """Every plan, the active ones first."""
    summaries = [summary(answer) for answer in session.answers().plans.values()]
    return sorted(summaries, key=lambda one: one.archived)


def summary(answer: PlanAnswer) -> PlanSummary:
    """A plan's line of the overview, from its status."""
    stances = dict.fromkeys(STANCES, 0)
    for node in answer.nodes:
        if node.stance is not None:
            stances[node.stance] += 1
    return PlanSummary(
        answer.plan, answer.title, answer.archived, answer.done, answer.total, stances, answer.spent_usd,
        answer.spent_at_least,
    )  # fmt: skip


def status(session: Session, slug: str) -> PlanAnswer:
    """The status document of a plan; NotFound without one."""
    plan_of(session.state(), slug)
    return session.answers().plans[slug]


def ready(answers: Answers, slug: str | None = None, *, explain: bool = False) -> list[tuple[str, NodeAnswer]]:
    """The ready nodes with their plans, the one that unblocks most first; with `explain` all others after them."""
    found = [(plan, node) for plan, node in answers.ready if slug in (None, plan)]
    if explain:
        found += [
            (plan, node)
            for plan, answer in answers.plans.items()
            if slug in (None, plan) and not answer.archived
            for node in answer.nodes
            if not node.ready
        ]
    return found


def ready_document(session: Session, slug: str | None = None, *, explain: bool = False) -> bytes:
    """The same as JSON, `{"nodes": […]}`; kept beside the store, so that asking again costs no derivation."""
    key = f"ready {slug or ''} {explain}"
    kept = _kept(session, key)
    if kept is not None:
        return kept
    answers = _answers(session, slug)
    encode = msgspec.json.encode
    nodes = b",".join(
        b'{"plan":%b,%b' % (encode(plan), encode(node)[1:]) for plan, node in ready(answers, slug, explain=explain)
    )
    return _keep(session, key, answers, b'{"nodes":[%b]}' % nodes)


def timeline(
    session: Session, slug: str | None = None, node: str | None = None, limit: int | None = None
) -> list[Line]:
    """Activity, newest first and only news: of all plans, one plan, or one node of it; at most `limit` lines."""
    from stoat.derive import observed
    from stoat.derive import timeline as lines

    state = session.state()
    plans = list(state.plans.values()) if slug is None else [plan_of(state, slug)]
    if slug is not None:
        _there(session, slug, node)
    history_of = session.store.history
    told = [lines.activity(one.slug, history_of(of_plan(one.slug), newest_first=True), node) for one in plans]
    seen = [one for plan in plans for one in observed.followed(state, plan, node)]
    # Read once, however many plans follow it.
    recorded = {stream: tuple(history_of(stream)) for stream in {one.stream for one in seen}}
    told += [iter(observed.lines(one, recorded[one.stream], node)) for one in seen]
    # Streams have no common order but the clock's; within a plan it is the log's.
    merged = heapq.merge(*told, key=lambda line: line.at, reverse=True) if len(told) > 1 else chain(*told)
    return list(islice(merged, limit))


def history(session: Session, slug: str, node: str | None = None, limit: int | None = None) -> list[Line]:
    """Every change of a plan, or of one node of it, oldest first; at most `limit` lines."""
    from stoat.derive import timeline as lines

    _there(session, slug, node)
    return list(islice(lines.history(slug, session.store.history(of_plan(slug)), node), limit))


def needs(session: Session, slug: str | None = None) -> tuple[Need, ...]:
    """What waits for a person, the one that holds up most first."""
    return tuple(need for need in _answers(session, slug).needs if slug in (None, need.plan))


def questions(session: Session, slug: str | None = None) -> list[QuestionShown]:
    """The questions of a plan or of all, the open ones first, then the newest."""
    state = session.state()
    plans = state.plans.values() if slug is None else [plan_of(state, slug)]
    found = [question_shown(plan, asked) for plan in plans for asked in plan.questions.values()]
    found.sort(key=lambda one: one.at, reverse=True)
    return sorted(found, key=lambda one: one.state != "open")


def question_shown(plan: PlanState, asked: Asked) -> QuestionShown:
    """A question of a plan in the shape that every door shows."""
    mark = asked.answer
    answer = AnswerShown(mark.by, mark.at, mark.why or "") if mark else None
    return QuestionShown(
        asked.id, plan.slug, asked.node, asked.question, asked.asked_by, asked.at, asked.state, answer
    )


def _there(session: Session, slug: str, node: str | None) -> None:
    if node is None:
        plan_of(session.state(), slug)
    else:
        node_of(session.state(), NodeRef(slug, node))


def _answers(session: Session, slug: str | None) -> Answers:
    if slug is not None:
        plan_of(session.state(), slug)
    return session.answers()


def _kept(session: Session, key: str) -> bytes | None:
    """The answer kept for this very commit, if nothing that was looked at then looks different now."""
    from stoat.derive.news import lasting
    from stoat.observe import live, reserved
    from stoat.observe.github.now import read_now
    from stoat.observe.silence import lost_runs
    from stoat.processes import Identity, is_dead

    data = session.store.answer(key, session.store.tip())
    if data is None:
        return None
    try:
        kept = msgspec.msgpack.decode(data, type=_Kept)
        if kept.runners != _digest((live.read_runners(session.store.common), reserved.exclusive())):
            return None
        if lost_runs(session.store.common, kept.runs) != set(kept.lost):
            return None
        if kept.github != _digest(lasting(read_now(session.store.common))):
            return None
        return None if any(is_dead(Identity.parse(process)) for process in kept.alive) else kept.document
    except UNDECODABLE:
        return None


def _keep(session: Session, key: str, answers: Answers, document: bytes) -> bytes:
    from stoat.derive.news import lasting

    state, facts = session.state(), session.facts()
    alive = tuple(sorted(state.processes() - facts.dead))
    runs, lost = tuple(sorted(state.published())), tuple(sorted(facts.lost))
    kept = _Kept(alive, runs, lost, _digest((facts.runners, facts.exclusive)), _digest(lasting(facts.github)), document)
    session.store.keep_answer(key, state.commit, msgspec.msgpack.encode(kept), answers.until)
    return document


def _digest(facts: object) -> str:
    return hashlib.sha256(msgspec.json.encode(facts)).hexdigest()
