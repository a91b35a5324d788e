"""An issue is done when GitHub shows it closed, by whatever reason: nobody says so here.

The first row that applies:

| what                                                              | status     |
|-------------------------------------------------------------------|------------|
| it has no number                                                  | unrealized |
| it was seen closed                                                | done       |
| a person accepted it as partial                                   | done       |
| GitHub does not show it, or could not be read (sight.py)          | missing or unknown |
| a pull request of it is open, a draft too                         | pr-open    |
| it was reopened, and no pull request is open                      | open, whatever was merged before |
| a pull request of it was merged, since its last restart           | open, and nobody is to take it up: what closes it is said |
| each pull request of it was closed without merging, since then    | abandoned  |
| it is kept for a person, and all its sub-issues are closed        | open, and to be closed |
| somebody holds it                                                 | claimed    |
| else                                                              | open       |

A done one with an open pull request is landing: what depends on it waits until that is merged or closed.
"""  # noqa: E501 -- a table row

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from stoat.derive import holds, mainred, pulls, sight
from stoat.derive.pulls import Mine
from stoat.derive.turns import Turn, turn
from stoat.derive.verdict import Context, Verdict
from stoat.derive.watched import Key
from stoat.derive.wording import commands, stance
from stoat.derive.wording import github as say
from stoat.derive.wording import status as words
from stoat.plan.github import Issue
from stoat.plan.ids import node_branch, same_repository
from stoat.plan.nodes import repository_of
from stoat.plan.state import NodeState, PlanState


def status(node: NodeState, plan: PlanState, context: Context) -> Verdict:
    """Where an issue stands."""
    number, home = node.spec.issue, repository_of(plan.header, node.spec)
    if number is None:
        return Verdict("unrealized", words.unbound_issue())
    if home is None:
        return Verdict("unknown", say.unswept(words.number(None, number)))
    at = sight.follow(context, home, number)
    issue = at.record.fact if at.record is not None else None
    mine, keys = pulls.of_issue(context.github, home, issue, node_branch(plan.slug, node.spec.id))
    verdict = _verdict(node, plan, context, home, at, issue, mine)
    return replace(
        verdict,
        prs=say.shown(mine, home, context.github),
        url=issue.url if issue is not None else None,
        reads=tuple(dict.fromkeys((*at.reads, *keys, *_of_their_repositories(mine)))),
    )


def _verdict(
    node: NodeState, plan: PlanState, context: Context, home: str, at: sight.Followed, issue: Issue | None,
    mine: Sequence[Mine],
) -> Verdict:  # fmt: skip
    found = [one for one in mine if one.is_open]
    if issue is not None and not issue.open:
        remarks = _remarks(context, home, at, found)
        if at.record is not None and at.record.unseen is not None:
            remarks = [*remarks, say.unseen_remark(words.number(at.repo, at.number), at.record.unseen)]
        return _done(say.closed(issue, home), node, context, home, found, remarks)
    if node.partial_accepted is not None:
        return _done(say.accepted(node.partial_accepted), node, context, home, found, [])
    last = say.last(found, home) if issue is not None else ""
    hidden = sight.not_seen(context, at.repo, at.number, at.record, last)
    if hidden is not None:
        return Verdict(hidden.status, hidden.detail, unseen=hidden.unseen)
    assert issue is not None
    verdict = _open(node, plan, context, home, issue, mine)
    return replace(verdict, detail=say.with_remarks(verdict.detail, _remarks(context, home, at, found)))


def _done(
    detail: str, node: NodeState, context: Context, home: str, found: Sequence[Mine], remarks: Sequence[str]
) -> Verdict:
    if not found:
        return Verdict("done", say.with_remarks(detail, remarks))
    lands = say.names(found, home)
    return Verdict(
        "done",
        say.with_remarks(say.landing(found, home), [detail, *remarks]),
        landing=lands,
        turn=turn(found, node.spec.merge, home, context.github),
    )


def _open(node: NodeState, plan: PlanState, context: Context, home: str, issue: Issue, mine: Sequence[Mine]) -> Verdict:
    found = [one for one in mine if one.is_open]
    if found:
        lines = [say.line(one, home, context.github) for one in found]
        return Verdict("pr-open", say.lines(lines), turn=turn(found, node.spec.merge, home, context.github))
    merged = [one for one in mine if one.fact.state == "merged"]
    if issue.reason == "reopened":
        return Verdict("open", say.reopened(merged, home))
    since = node.restarted.at if node.restarted is not None else ""
    fresh = [one for one in mine if one.ended > since]
    fresh_merged = [one for one in fresh if one.fact.state == "merged"]
    if fresh_merged:
        return _merged(fresh_merged[0], issue, plan, node, context, home)
    if fresh:
        return Verdict("abandoned", say.closed_unmerged(fresh, home))
    if holds.for_a_person(node) and issue.children and not issue.children_open:
        why = stance.all_split_off(issue.number)
        return Verdict("open", why, turn=Turn(why, "person", issue.url, node.added.at, later=True))
    return Verdict("open", say.restarted(mine, home) if mine else say.OPEN)


def _merged(pull: Mine, issue: Issue, plan: PlanState, node: NodeState, context: Context, home: str) -> Verdict:
    default = context.github.default(pull.repo)
    if default is not None and pull.fact.base != default.name:
        why = say.merged_elsewhere(pull, issue, home, default.name)
        turn = Turn(why, "person", issue.url, pull.fact.merged_at)
    else:
        why = say.merged_and_open(pull, issue, home)
        turn = Turn(why, "partial", commands.accept_partial(plan.slug, node.spec.id), pull.fact.merged_at)
    return Verdict("open", why, turn=turn, over=why)


def _remarks(context: Context, home: str, at: sight.Followed, found: Sequence[Mine]) -> list[str]:
    """What else is to know: it moved, its repository has another name, a pull request's cannot be read."""
    remarks = []
    if not same_repository(at.repo, home):
        remarks.append(say.moved(at.repo, at.number))
    known = context.github.repository(at.repo)
    if known is not None and known.repository is not None and not same_repository(known.repository.name, at.repo):
        remarks.append(say.renamed(known.repository.name))
    for repo in dict.fromkeys(one.repo for one in found if not same_repository(one.repo, at.repo)):
        trouble = context.github.trouble(repo)
        if trouble is not None:
            remarks.append(say.elsewhere_unseen(repo, trouble.why))
    return remarks


def _of_their_repositories(mine: Sequence[Mine]) -> Iterator[Key]:
    """Whether the pull requests' repositories can be seen, and the default branches where they matter."""
    for one in mine:
        yield one.repo.lower(), "whole", ""
        if mainred.matters(one):
            yield one.repo.lower(), "default", ""
