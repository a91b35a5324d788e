"""Whose turn it is: every card is in one of five classes. The needs are the cards of the first, and the done nodes
whose work could not be landed, or whose pull request is open; and one for each red branch that holds pull requests.

The first row that applies. A done node has no stance, nor has one of an archived plan.

| what                                                                  | stance  | need        |
|-----------------------------------------------------------------------|---------|-------------|
| done, its work could not be landed, and nobody is on it               | none    | unmergeable |
| done, its worktree cannot be used and its work is in it               | none    | fix         |
| done, and its pull request is open: what that one asks for            | none    | review, merge, fix |
| done                                                                  | none    |             |
| an agent's question is open                                           | you     | question    |
| a review's findings are to be decided, or it is to be signed off      | you     | findings    |
| finished work could not be landed, and nobody is on it                | you     | unmergeable |
| it waits for itself, or for a node that is nowhere                    | broken  |             |
| its claim's process is dead                                           | broken  |             |
| it is held, or a run of it is going                                   | moving  |             |
| its pull request is open, or merged while its issue is open: turns.py | you, held or moving | review, merge, fix, partial, person |
| … a review or a merge, and a dependency is not done                   | waiting |             |
| a red gate that its worker diagnosed                                  | you     | findings    |
| given up on                                                           | you     | give-up     |
| its worktree cannot be used until a person put it right               | you     | fix         |
| a finished change in a plan without a branch                          | you     | merge       |
| a finished change: its runner is there / is not, or it was worked by hand | moving / held | |
| GitHub cannot be read for it                                          | broken  |             |
| abandoned, ready, and a go-ahead is awaited that can be given         | you     | go-ahead    |
| failed, mismatch, missing or abandoned                                | broken  |             |
| not ready                                                             | waiting |             |
| ready, and kept for a person                                          | you     | person      |
| ready, and a go-ahead is awaited that can be given                    | you     | go-ahead    |
| ready, kept for a cloud agent, and no runner hands such nodes over    | you     | cloud       |
| ready, and its runner launches it next, or judges its last attempt    | moving  |             |
| ready, of a kind that is launched                                     | held    |             |
| ready, and to be observed or bound                                    | waiting |             |

A give-up is `you` and not `broken`, since only a person's restart ends it (docs/status.md): `broken` is what something
else than a decision of a person's may still mend. A red or conflicting pull request is `you` while no runner hands it
back to its agent.
"""  # noqa: E501 -- a table row

from __future__ import annotations

from msgspec import Struct

from stoat.clock import Time
from stoat.derive import goahead
from stoat.derive.answers import Launch, NeedKind, Stance
from stoat.derive.here import Here
from stoat.derive.launch import Runners
from stoat.derive.wording import commands
from stoat.derive.wording import stance as say
from stoat.plan.events.creation import may_be_created
from stoat.plan.ids import node_branch
from stoat.plan.nodes import CHANGE, GATE, ISSUE, PERSON, REVIEW, SLICE, repository_of
from stoat.plan.state import Attempt, Question


class Owed(Struct, frozen=True, gc=False):
    """What a person owes a node: the kind of need, since when, the command that settles it, and the sentence on it;
    and the way back into the session of the agent that it comes from."""

    kind: NeedKind
    since: Time | None
    action: str
    why: str
    resume: str | None = None


class Standing(Struct, frozen=True, gc=False):
    """A node's class, the sentence behind it (empty for what waits: its root blocker says it), and what is owed."""

    stance: Stance | None
    why: str
    owed: Owed | None = None


SETTLED = Standing(None, "")
WAITING = Standing("waiting", "")


def decide(here: Here, is_ready: bool, launch: Launch | None, runners: Runners, question: Question | None) -> Standing:
    """Whose turn it is on a node. `question` is its first open one."""
    if here.plan.archived is not None:
        return SETTLED
    unmergeable = _unmergeable(here)
    if here.verdict.status == "done":
        left_there = here.node.attempt is not None and here.node.attempt.outcome == "done"
        return Standing(None, "", unmergeable or (_fix(here) if left_there else None) or _owed_to_a_pull(here))
    if question is not None:
        return _you("question", question.at, commands.answer(question.id), say.question(question))
    review = here.node.review
    if review is not None and here.verdict.status == "findings":
        return _you("findings", review.at, commands.review(here.slug, here.id), here.verdict.detail)
    if unmergeable is not None:
        return Standing("you", unmergeable.why, unmergeable)
    return (
        _wrong(here)
        or _moving(here)
        or _of_a_pull(here)
        or _stuck(here, is_ready, runners)
        or _idle(here, is_ready, launch, runners)
    )


def _unmergeable(here: Here) -> Owed | None:
    parked, onto, attempt = here.node.parked, here.plan.header.branch, here.node.attempt
    if parked is None or here.claim is not None:
        return None
    if here.node.spec.kind == ISSUE:
        action = commands.bring_in(here.slug, parked.commit)
    else:
        action = commands.merge(attempt.worktree if attempt else None, onto or _branch(here, attempt))
    return Owed("unmergeable", parked.at, action, say.unmergeable(parked))


def _fix(here: Here) -> Owed | None:
    stuck = here.node.stuck
    if stuck is None or here.claim is not None:
        return None
    action = " && ".join(stuck.commands) or commands.restart(here.slug, here.id)
    return Owed("fix", stuck.at, action, say.stuck(stuck))


def _wrong(here: Here) -> Standing | None:
    if here.circle:
        action = commands.unlink(here.slug, here.id, here.circle[1 % len(here.circle)])
        return Standing("broken", say.circle(here.circle, action))
    if here.missing:
        return Standing("broken", say.missing(here.missing))
    if here.claim is not None and here.orphaned:
        return Standing("broken", say.orphaned(here.claim))
    return None


def _moving(here: Here) -> Standing | None:
    if here.verdict.status == "running":
        return Standing("moving", here.verdict.detail)
    if here.claim is not None:
        return Standing("moving", say.held(here.claim))
    return None


def _of_a_pull(here: Here) -> Standing | None:
    turn = here.verdict.turn
    if turn is None:
        return None
    if turn.kind is None:
        return Standing("held" if turn.red is not None else "moving", turn.why)
    if turn.later and here.blocked:
        return WAITING
    return _you(turn.kind, turn.since, turn.action, turn.why)


def _owed_to_a_pull(here: Here) -> Owed | None:
    """What the open pull request of a done issue asks of a person: its dependents wait for it."""
    turn = here.verdict.turn
    if turn is None or turn.kind is None or here.claim is not None:
        return None
    return Owed(turn.kind, turn.since, turn.action, turn.why)


def _stuck(here: Here, is_ready: bool, runners: Runners) -> Standing | None:
    node = here.node
    if here.verdict.status == "findings" and node.diagnosed is not None:
        action = commands.restart(here.slug, here.id)
        return _you("findings", node.diagnosed.at, action, say.diagnosed(here.verdict.detail))
    if node.gave_up is not None:
        action = commands.restart(here.slug, here.id)
        return _you("give-up", node.gave_up.at, action, say.gave_up(node.gave_up, node.tries or node.attempts))
    fix = _fix(here)
    if fix is not None:
        return Standing("you", fix.why, fix)
    if here.verdict.finished:
        return _finished(here, runners)
    if here.verdict.unseen:
        return Standing("broken", here.verdict.detail)
    if here.verdict.status == "abandoned" and is_ready and _can_take_a_go_ahead(here):
        return None
    if here.verdict.status in ("failed", "mismatch", "missing", "abandoned"):
        return Standing("broken", say.broken(here.verdict.status, here.verdict.detail))
    return None


def _finished(here: Here, runners: Runners) -> Standing:
    attempt, branch = here.node.current_attempt, here.plan.header.branch
    if branch is None:
        known = runners.of_plan.get(here.slug, [])
        checkout = known[0].checkout if known else None
        action = commands.merge(checkout, _branch(here, attempt))
        return _you("merge", attempt.exited_at if attempt else None, action, say.merge(here.verdict.detail))
    launch = runners.on(here.slug, repository_of(here.plan.header, here.node.spec))
    if launch.reason in ("next", "waiting-for-slot"):
        return Standing("moving", say.landing(branch)) if attempt is not None else Standing("held", here.verdict.detail)
    return Standing("held", launch.detail)


def _idle(here: Here, is_ready: bool, launch: Launch | None, runners: Runners) -> Standing:
    if not is_ready:
        # A review may be unlinked from what mends its findings: then nothing else says what it waits for.
        return WAITING if here.blocked else Standing("waiting", here.verdict.detail)
    since = here.node.added.at
    if here.for_a_person:
        number = here.node.spec.issue
        why = say.A_PERSONS if here.node.spec.kind != ISSUE or number is None else say.persons_issue(number)
        return _you("person", since, _persons_action(here), why)
    if _can_take_a_go_ahead(here):
        whole = here.plan.header.go_ahead == "plan" and here.node.spec.kind == CHANGE
        action = commands.approve(here.slug, None if whole else here.id)
        return _you("go-ahead", since, action, say.GO_AHEAD)
    lacking = here.node.spec.kind == ISSUE and here.node.spec.issue is None
    if here.launched and lacking and not may_be_created(here.plan, here.node):
        return Standing("waiting", say.unbound(commands.bind(here.slug, here.id)))
    if here.for_the_cloud and not runners.hands_over(here.slug, here.node.spec):
        return _you("cloud", since, commands.claim(here.slug, here.id), say.CLOUD)
    if launch is None:
        return Standing("waiting", here.verdict.detail)
    moving = launch.reason == "next" or _is_being_judged(here, runners)
    return Standing("moving" if moving else "held", launch.detail)


def _can_take_a_go_ahead(here: Here) -> bool:
    return goahead.approvable(here.plan, here.node, here.verdict.status)


def _is_being_judged(here: Here, runners: Runners) -> bool:
    """Whether an agent was through with it and a runner that can look at its evidence is there."""
    attempt = here.node.current_attempt
    judging = attempt is not None and attempt.outcome is None
    return judging and runners.on(here.slug, repository_of(here.plan.header, here.node.spec)).reason != "no-runner"


def _you(kind: NeedKind, since: Time | None, action: str, why: str) -> Standing:
    return Standing("you", why, Owed(kind, since, action, why))


def _branch(here: Here, attempt: Attempt | None) -> str:
    return attempt.branch if attempt else node_branch(here.slug, here.id)


def _persons_action(here: Here) -> str:
    """What settles a node that a person does: a mark for their own kind, else what its kind is proved by."""
    kind = here.node.spec.kind
    if kind == PERSON:
        return commands.done(here.slug, here.id)
    if kind == GATE:
        run = commands.gate_run if here.node.spec.steps else commands.gate_bare
        return run(here.slug, here.id)
    if kind == SLICE:
        return commands.runs_add(here.slug, here.id)
    if kind == REVIEW:
        return commands.done(here.slug, here.id)
    if kind == ISSUE:
        number, repo = here.node.spec.issue, repository_of(here.plan.header, here.node.spec)
        if number is None or repo is None:
            return commands.bind(here.slug, here.id)
        return here.verdict.url or commands.issue_url(repo, number)
    return commands.claim(here.slug, here.id)
