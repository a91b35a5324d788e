"""Issues that the plan has and GitHub has not: created where a person turned that on, and never twice.

    issue_creation_begun (with a mark) → GitHub is asked → node_bound

A kill or a lost answer in between leaves the mark on record: the issue is looked for by it before GitHub is asked
again.
What is decided is `derive/creation.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from stoat import clock
from stoat.clock import Time, seconds_between
from stoat.derive import creation
from stoat.derive.creation import Wait
from stoat.derive.private import private
from stoat.derive.wording import creation as say
from stoat.derive.wording.draft import Draft, draft, marker
from stoat.errors import Refused
from stoat.observe.github import token
from stoat.plan.creation import Creation
from stoat.plan.events.authoring import NodeBound
from stoat.plan.events.base import PlanEvent
from stoat.plan.events.creation import begin_creation
from stoat.plan.ids import NodeRef
from stoat.plan.state import NodeState, PlanState
from stoat.runner.issues.filing import Answer, Found, NotThere, Unseen
from stoat.runner.reading import again, append
from stoat.runner.state import Filed, Run, RunState
from stoat.service.session import mint

_STALE = 30.0
"""Seconds after which what was said of a creation is not acted on any more: another runner may look for it by now."""
_SEEN_IN = 60.0
"""Seconds that a run stays for a look at an issue that it created."""
_BLIND = 60.0
_DECLINED = 1800.0
"""Seconds until a thing is tried again that GitHub could not show, or declined."""


def create(run: Run, state: RunState) -> RunState:
    """The step: take what GitHub answered, and ask it for the next issue that is wanted. One at a time."""
    answer = run.filing.take()
    if answer is not None:
        state = _answered(run, state, answer)
    state = _await_look(run, state)
    if run.filing.asking is None and not _is_held(run, state):
        for shown in state.answer.nodes:
            node = state.plan.nodes.get(shown.id)
            if node is None or not run.options.scope.takes(shown.id) or run.filing.asking is not None:
                continue
            repo = creation.wanted(state.plan, node, shown)
            if repo is not None:
                state = _next(run, state, node, repo)
    return replace(state, pending=True, reading=True) if run.filing.asking is not None else state


def _is_held(run: Run, state: RunState) -> bool:
    """Whether the run starts nothing new."""
    held = state.state.machine(run.machine).held
    return state.stop is not None or state.plan.paused is not None or held is not None


def _next(run: Run, state: RunState, node: NodeState, repo: str) -> RunState:
    name, known = node.spec.id, node.creation
    filed = state.filed.get(name, Filed())
    if run.monotonic() < filed.not_before:
        return _wait(state, filed.not_before, stays=filed.waits)
    match creation.decide(known, filed.looked, state.now, filed.declined):
        case Wait(until):
            return _wait(state, run.monotonic() + seconds_between(state.now, until) + 0.01, stays=True)
        case "look" if known is not None:
            hidden = marker(NodeRef(run.plan, name), known.mark)
            run.filing.look(name, known.repo, hidden, known.since, state.now)
            return state
        case _:
            return _begin(run, state, node, repo)


def _wait(state: RunState, moment: float, *, stays: bool) -> RunState:
    due = moment if state.due is None else min(state.due, moment)
    return replace(state, due=due, pending=state.pending or stays)


def _begin(run: Run, state: RunState, node: NodeState, repo: str) -> RunState:
    name, known = node.spec.id, node.creation
    mark = known.mark if known is not None else mint("i")
    asked = draft(NodeRef(run.plan, name), node.spec, mark)
    words = f"{asked.title}\n{asked.body}"
    secret = private(words, places=_places(run), secrets=token.in_use(run.environ))
    if secret is not None:
        run.narrator.once(("create", name), say.private(name, run.plan, secret))
        return state.with_trouble(name, "not-launched")
    began = run.monotonic()
    state, is_said = _say_so(run, state, node, known, repo, mark, asked)
    if is_said and run.monotonic() - began < _STALE:
        run.filing.create(name, repo, asked)
    return state


def _say_so(
    run: Run, state: RunState, node: NodeState, known: Creation | None, repo: str, mark: str, asked: Draft
) -> tuple[RunState, bool]:
    """Put on record that GitHub is about to be asked; False where another runner does, or the node is another now."""
    name = node.spec.id

    def decide(plan: PlanState, now: Time) -> Sequence[PlanEvent]:
        fresh = plan.nodes.get(name)
        if fresh is None or draft(NodeRef(run.plan, name), fresh.spec, mark) != asked:
            raise Refused(f"{run.plan}/{name} has changed", hint="look again")
        return [begin_creation(plan, fresh, repo=repo, mark=mark, runner=run.runner_id, known=known)]

    try:
        return append(run, state, f"the issue of {name} is asked for", decide), True
    except Refused:
        return again(run, state), False


def _places(run: Run) -> list[str]:
    """Directories that are nobody else's business: the home, the project, where its worktrees are."""
    return [str(run.home), str(run.project.directory), str(run.project.root.parent)]


def _answered(run: Run, state: RunState, answer: Answer) -> RunState:
    from stoat.observe.github.writing import Declined, Later, Lost, Made

    name, outcome, now = answer.node, answer.outcome, run.monotonic()
    asked = state.plan.nodes[name].creation if name in state.plan.nodes else None
    declined = asked.at if asked is not None else None
    match outcome:
        case Made(number):
            return _bind(run, state, answer, number, say.created(name, answer.repo, number))
        case Found(number):
            return _bind(run, state, answer, number, say.found(name, answer.repo, number))
        case NotThere(at):
            return _filed(state, name, Filed(looked=at))
        case Lost(why):
            run.narrator.once(("create", name), say.lost(name, why))
            return _filed(state, name, Filed())
        case Later(seconds, why):
            until = clock.plus(state.now, seconds)
            run.narrator.once(("create", name), say.later(name, why, until))
            return _filed(state, name, Filed(declined=declined, not_before=now + seconds, waits=True))
        case Declined(why, fix):
            run.narrator.once(("create", name), say.declined(name, answer.repo, why, fix))
            state = state.with_trouble(name, "not-launched")
            return _filed(state, name, Filed(declined=declined, not_before=now + _DECLINED))
        case Unseen(why):
            run.narrator.once(("create", name), say.unseen(name, why))
            return _filed(state.with_trouble(name, "not-launched"), name, Filed(not_before=now + _BLIND))
    raise AssertionError(outcome)


def _filed(state: RunState, node: str, filed: Filed) -> RunState:
    return replace(state, filed={**state.filed, node: filed})


def _bind(run: Run, state: RunState, answer: Answer, number: int, line: str) -> RunState:
    """Give the node its number; GitHub is looked at, since nobody has seen the issue yet."""
    name = answer.node
    bound: list[bool] = []

    def decide(plan: PlanState, now: Time) -> Sequence[PlanEvent]:
        fresh = plan.nodes.get(name)
        wanted = fresh is not None and fresh.creation is not None and fresh.spec.issue is None
        bound[:] = [wanted]
        return [NodeBound(node=name, number=number, created=True)] if wanted else []

    state = append(run, state, f"{name} is bound to {answer.repo}#{number}", decide).without_trouble(name)
    node = state.plan.nodes.get(name)
    has = node.spec.issue if node is not None else None
    if bound[0]:
        run.narrator.say(line)
    elif has != number:
        run.narrator.say(say.one_too_many(name, answer.repo, number, has))
    run.narrator.forget(("create", name))
    run.sweeper.ask()
    seen_until = Filed(not_before=run.monotonic() + _SEEN_IN, bound=True)
    return replace(_filed(state, name, seen_until), asked=state.now)


def _await_look(run: Run, state: RunState) -> RunState:
    """Stay while GitHub has not shown an issue that was just created; forget what has been seen."""
    shown = {answer.id: answer.status for answer in state.answer.nodes}
    for name, filed in list(state.filed.items()):
        if not filed.bound:
            continue
        if shown.get(name) == "unknown" and state.github.problem is None and run.monotonic() < filed.not_before:
            state = replace(_wait(state, filed.not_before, stays=True), reading=True)
        else:
            state = replace(state, filed={other: one for other, one in state.filed.items() if other != name})
    return state
