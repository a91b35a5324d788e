"""Whose turn it is on a node with an open pull request, and what settles it.

The first row that applies:

| the open pull requests                                                | stance | need     |
|-----------------------------------------------------------------------|--------|----------|
| there are several                                                     | you    | merge: which one |
| it conflicts with its base, green or not                              | you    | fix      |
| it is in the merge queue                                              | moving |          |
| its checks failed, and each of them fails on the default branch, too  | held   | main-red: one of all held |
| its checks failed                                                     | you    | fix      |
| changes were requested of its head                                    | you    | fix      |
| its checks run, or there are none yet                                 | moving |          |
| it is a draft                                                         | you    | review   |
| GitHub refuses it while it is behind its base                         | you    | fix      |
| GitHub has never said yet whether it conflicts                        | moving |          |
| the token may not read its checks, and what it may read has not failed | you   | review   |
| required checks never reported, and all others ended                  | you    | merge    |
| changes were requested of an older commit                             | you    | review   |
| GitHub refuses it, and no review is required                          | you    | merge: there |
| no checks at all, and merge-on-green                                  | you    | merge    |
| a review is required and not given; or manual-review, and not approved | you   | review   |
| else                                                                  | you    | merge    |

GitHub refuses (its merge state is BEHIND or BLOCKED) by what this token may do: that a review is missing only its
review decision says. A base with a merge queue refuses nothing: its queue tests the head on top of its tip.

A review or a merge waits for the node's dependencies (`later`); a fix does not, nor do checks that nobody sees. Until
a runner hands a red pull request back to its agent, and merges on green itself, all of these are a person's.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from stoat.clock import Time
from stoat.derive import mainred
from stoat.derive.answers import NeedKind
from stoat.derive.mainred import Blame, Red
from stoat.derive.pulls import Mine
from stoat.derive.watched import Watched
from stoat.derive.wording import github as say
from stoat.derive.wording import merging
from stoat.plan.github import Branch
from stoat.plan.nodes import MergePolicy


class Turn(Struct, frozen=True, gc=False):
    """Whose turn it is: a person's (`kind` says with what), or nobody's while it moves by itself (no kind).

    `later`: not before the node's dependencies are done. `red`: it waits for a branch that is red, as others may.
    """

    why: str
    kind: NeedKind | None = None
    action: str = ""
    since: Time | None = None
    later: bool = False
    red: Red | None = None


def turn(pulls: Sequence[Mine], policy: MergePolicy | None, home: str, github: Watched) -> Turn | None:
    """Whose turn it is on a node of the repository `home` with these pull requests; None when none is open."""
    found = [one for one in pulls if one.is_open]
    if not found:
        return None
    first = found[0]
    if len(found) > 1:
        return Turn(say.two_open(found, home), "merge", first.fact.url, first.at, later=True)
    default = github.default(first.repo)
    blame = mainred.blame(first, default)
    return (
        _wrong(first, home, default, blame)
        or _checks(first, home, blame)
        or _not_yet(first, home, _refused(first, github))
        or _person(first, policy, home, blame, _refused(first, github))
    )


def _wrong(pull: Mine, home: str, default: Branch | None, blame: Blame) -> Turn | None:
    fact = pull.fact
    if pull.conflicts:
        return Turn(say.conflicting(pull, home), "fix", fact.url, pull.at)
    if fact.queued:
        return Turn(say.queued(pull, home))
    if pull.ci.verdict == "failed":
        if default is not None and blame.whose == "main":
            name = say.name(pull, home)
            red = Red(pull.repo, default, name, merging.red_link(default, pull))
            return Turn(merging.main_red(default, name), red=red)
        return Turn(say.red(pull, home, blame), "fix", fact.url, pull.at)
    if pull.review == "changes_requested" and not _only_older(pull):
        return Turn(say.changes_requested(pull, home), "fix", fact.url, pull.at)
    return None


def _checks(pull: Mine, home: str, blame: Blame) -> Turn | None:
    ci = pull.ci
    if ci.verdict == "pending" and not ci.hidden and not _only_unreported(pull):
        return Turn(say.running(pull, home, blame))
    return None


def _not_yet(pull: Mine, home: str, refused: str | None) -> Turn | None:
    fact = pull.fact
    if fact.state == "draft" or pull.merge_state == "draft":
        return Turn(say.draft(pull, home), "review", fact.url, pull.at, later=True)
    if refused == "behind":
        return Turn(merging.behind(pull, say.name(pull, home)), "fix", fact.url, pull.at)
    if fact.mergeable == "unknown":
        return Turn(merging.undecided(say.name(pull, home)))
    return None


def _person(pull: Mine, policy: MergePolicy | None, home: str, blame: Blame, refused: str | None) -> Turn:
    url, since, on_green = pull.fact.url, pull.at, policy == "merge-on-green"
    if pull.ci.hidden:
        return Turn(say.hidden(pull, home), "review", url, since)
    if pull.ci.waiting:
        return Turn(say.never_reported(pull, home), "merge", url, since, later=True)
    if pull.review == "changes_requested":
        return Turn(say.changes_since(pull, home), "review", url, since, later=True)
    if refused == "blocked" and pull.review != "review_required":
        why = merging.blocked(say.name(pull, home), say.checks(pull, blame), say.review(pull))
        return Turn(why, "merge", url, since, later=True)
    if on_green and pull.ci.verdict == "none":
        return Turn(say.no_ci(pull, home), "merge", url, since, later=True)
    if pull.review == "review_required" or (not on_green and pull.review != "approved"):
        return Turn(say.to_review(pull, home, blame), "review", url, since, later=True)
    return Turn(say.to_merge(pull, home, blame), "merge", url, since, later=True)


def _refused(pull: Mine, github: Watched) -> str | None:
    """GitHub's word (behind, blocked) where it refuses a merge; a base with a merge queue takes it all the same."""
    known = github.repository(pull.repo)
    settings = known.repository if known is not None else None
    if settings is not None and settings.queue and settings.default_branch == pull.fact.base:
        return None
    return pull.merge_state if pull.merge_state in ("behind", "blocked") else None


def _only_older(pull: Mine) -> bool:
    """Whether everybody who requested changes did so before the last push."""
    return bool(pull.by("changes_requested", of_head=False)) and not pull.by("changes_requested", of_head=True)


def _only_unreported(pull: Mine) -> bool:
    """Whether nothing is left but required checks that nothing was heard of, with others long through."""
    ci = pull.ci
    return bool(ci.waiting) and not ci.pending and ci.total > 0
