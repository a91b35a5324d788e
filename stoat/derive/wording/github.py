"""What GitHub shows, in words: issues, pull requests as one line each, and why something cannot be seen."""

from __future__ import annotations

from collections.abc import Sequence

from stoat.clock import Time
from stoat.derive import pulls
from stoat.derive.answers import PullShown
from stoat.derive.mainred import Blame, blame
from stoat.derive.pulls import Mine
from stoat.derive.watched import Trouble, Watched
from stoat.derive.wording.text import ago, counted, listed, moment, one_line
from stoat.derive.wording.unseen import What, remedy, why_unseen
from stoat.plan.github import Issue, Unseen
from stoat.plan.ids import same_repository
from stoat.plan.state import Mark

SWEEP = "`stoat sweep` looks"
OPEN = "open"
_REASONS = {
    "completed": "closed (completed)", "not_planned": "closed as not planned", "duplicate": "closed as a duplicate",
}  # fmt: skip


def pull_name(repo: str, number: int, home: str) -> str:
    """A pull request as a node of the repository `home` names it: `#9`, elsewhere `OWNER/NAME#9`."""
    return f"#{number}" if same_repository(repo, home) else f"{repo}#{number}"


def name(pull: Mine, home: str) -> str:
    """The same of one that was seen."""
    return pull_name(pull.repo, pull.number, home)


def names(pulls: Sequence[Mine], home: str) -> str:
    """Several: `#9 and #12`."""
    found = [name(one, home) for one in pulls]
    return found[0] if len(found) == 1 else f"{', '.join(found[:-1])} and {found[-1]}"


def shown(found: Sequence[Mine], home: str, github: Watched) -> tuple[PullShown, ...]:
    """Pull requests as the doors show them, each with its line."""
    return pulls.shown((one, line(one, home, github)) for one in found)


def line(pull: Mine, home: str, github: Watched) -> str:
    """A pull request on one line, as a card shows it: `#586 open · conflicts with main · CI ✓ 6/6`."""
    what, fact = name(pull, home), pull.fact
    if fact.state == "merged":
        return f"{what} merged{f' {moment(fact.merged_at)}' if fact.merged_at else ''} into {fact.base}"
    if fact.state == "closed":
        return f"{what} closed without merging"
    parts = [f"{what} {fact.state}"]
    if pull.conflicts:
        parts.append(f"conflicts with {fact.base}")
    elif fact.mergeable == "unknown":
        parts.append(f"not known yet whether it conflicts with {fact.base}")
    elif pull.merge_state == "behind":
        parts.append(f"behind {fact.base}")
    if fact.queued:
        parts.append("in the merge queue")
    parts.append(checks(pull, blame(pull, github.default(pull.repo))))
    parts += [said for said in (review(pull),) if said]
    return " · ".join(parts)


def checks(pull: Mine, blame: Blame) -> str:
    """How its checks are: `CI ✓ 6/6`, `CI ✕ 1 failed (test)`, or that they are red because of main."""
    ci = pull.ci
    if ci.verdict == "failed":
        if blame.whose == "main":
            return f"{pull.fact.base} is red ({_listed(blame.mains)}), not this PR"
        many = f"{ci.failed or len(ci.failing)} " if ci.failed or ci.failing else ""
        also = f", {_listed(blame.mains)} also on {pull.fact.base}" if blame.mains else ""
        return f"CI ✕ {many}failed" + (f" ({_listed(ci.failing)}{also})" if ci.failing else "")
    if ci.verdict == "none":
        return "no CI"
    if ci.hidden:
        return "CI cannot be read with this token"
    counts = f" {ci.passed}/{ci.total - ci.skipped}" if pull.counted and ci.total > ci.skipped else ""
    said = f"CI {'✓' if ci.verdict == 'passed' else '○'}{counts}"
    if ci.waiting:
        return f"{said}, not reported: {_listed(ci.waiting)}"
    return said if counts or ci.verdict == "passed" else "CI has not reported yet"


def review(pull: Mine) -> str:
    """What reviewers said; what was said of an older commit says so."""
    decision = pull.review
    if decision == "changes_requested":
        by = _by(pull, "changes_requested")
        return f"changes requested {by}" if by else "review: changes requested"
    older = _by(pull, "approved")
    if decision == "approved":
        return f"approved {older}" if older else "review: approved"
    if decision == "review_required":
        return f"review required{f' (approved {older})' if older else ''}"
    return f"approved {older}" if older else ""


def _by(pull: Mine, state: str) -> str:
    current, older = pull.by(state, of_head=True), pull.by(state, of_head=False)
    said = [f"by {_listed(current)}"] if current else []
    if older and not current:
        commits = {opinion.commit[:7] for opinion in pull.fact.opinions if opinion.author in older and opinion.commit}
        said.append(f"by {_listed(older)} at {', '.join(sorted(commits))}, an older commit")
    return "; ".join(said)


def closed(issue: Issue, home: str) -> str:
    """A closed issue: why, by which pull request, when."""
    how = _REASONS.get(issue.reason or "", f"closed ({issue.reason})" if issue.reason else "closed")
    by = issue.closed_by
    through = f" by {pull_name(by.repo, by.number, home)}" if by is not None else ""
    return f"{how}{through}{f' at {moment(issue.closed_at)}' if issue.closed_at else ''}"


def accepted(mark: Mark) -> str:
    """What was left out is accepted as it is."""
    return f"{mark.by} accepted it as partial at {moment(mark.at)}"


def last(found: Sequence[Mine], home: str) -> str:
    """How an open issue was when it was last seen."""
    return f"open, with {names(found, home)}" if found else "open"


def landing(pulls: Sequence[Mine], home: str) -> str:
    """A done issue whose pull request is still open."""
    return f"landing {names(pulls, home)}"


def reopened(merged: Sequence[Mine], home: str) -> str:
    """Open again; a merged pull request does not make it done."""
    return f"reopened, though {names(merged, home)} was merged" if merged else "reopened"


def restarted(over: Sequence[Mine], home: str) -> str:
    """Open, and what became of it before its restart is history."""
    return f"open · {names(over, home)} ended before its restart"


def closed_unmerged(pulls: Sequence[Mine], home: str) -> str:
    """Every pull request ended without a merge."""
    one = len(pulls) == 1
    return f"{names(pulls, home)} {'was' if one else 'were'} closed without merging, and the issue is open"


def merged_elsewhere(pull: Mine, issue: Issue, home: str, default: str) -> str:
    """A merge into a branch from which GitHub closes no issue."""
    return (
        f"{name(pull, home)} was merged into {pull.fact.base}, and GitHub closes an issue only by a merge into "
        f"{default}: close #{issue.number} there"
    )


def merged_and_open(pull: Mine, issue: Issue, home: str) -> str:
    """A merge that would have closed the issue if it had said so."""
    return (
        f"{name(pull, home)} was merged into {pull.fact.base}, and #{issue.number} is open all the same: close it, or "
        "accept it as partial"
    )


def merged(pull: Mine) -> str:
    """A pr node that is done."""
    at = f" at {moment(pull.fact.merged_at)}" if pull.fact.merged_at else ""
    return f"merged into {pull.fact.base}{at}"


def pull_closed(pull: Mine) -> str:
    """A pr node whose pull request ended otherwise."""
    at = f" at {moment(pull.fact.closed_at)}" if pull.fact.closed_at else ""
    return f"closed without merging{at}"


def unswept(what: str) -> str:
    """Something that nobody has looked at yet."""
    return f"no GitHub sweep has seen {what} yet ({SWEEP})"


def trouble(what: str, problem: Trouble, last: str, recorded: Time, now: Time) -> str:
    """What was seen before and cannot be seen now: how old the last facts are, and what is to do.

    `last` is how it was; empty when it never was seen.
    """
    why = one_line(problem.why) + (f" ({one_line(problem.fix)})" if problem.fix else "")
    if not last:
        return f"{what} was never seen; {why}"
    seen = f"last seen {ago(problem.seen_at, now)}" if problem.seen_at else f"on record since {moment(recorded)}"
    return f"{seen}, {last}; {why}"


def gone(what: What, name: str, unseen: Unseen, last: str) -> str:
    """Something that GitHub does not show: why, since when, what settles it, and how it was."""
    fix = remedy(what, unseen.why, unseen.to)
    said = why_unseen(what, name, unseen.why, unseen.detail, unseen.to) + (f"; {fix}" if fix else "")
    return f"{said} (since {moment(unseen.at)}{f', last seen {last}' if last else ''})"


def no_more(repository: str, unseen: Unseen, last: str) -> str:
    """A repository that was seen and is not shown any more: it may be gone, or the token may not see it."""
    was = f", last seen {last}" if last else ""
    why = f"GitHub does not show {repository} any more: it is gone, or this token may not see it"
    return f"{why} (since {moment(unseen.at)}{was})"


def renamed(name_now: str) -> str:
    """A repository that goes by another name."""
    return f"its repository is {name_now} now"


def moved(repo: str, number: int) -> str:
    """An issue that was followed to where it was transferred."""
    return f"transferred to {repo}#{number}"


def unseen_remark(name: str, unseen: Unseen) -> str:
    """That an issue that is done cannot be seen any more."""
    why = why_unseen("issue", name, unseen.why, unseen.detail, unseen.to)
    return f"not seen any more since {moment(unseen.at)}, {why}"


def elsewhere_unseen(repo: str, why: str) -> str:
    """A pull request in a repository that cannot be read."""
    return f"{repo} cannot be read: {one_line(why)}"


def with_remarks(detail: str, remarks: Sequence[str]) -> str:
    """A detail and what else is to know."""
    return " · ".join((detail, *remarks))


def lines(pulls: Sequence[str]) -> str:
    """Several pull requests, a line each, as one detail."""
    return "; ".join(pulls)


def two_open(pulls: Sequence[Mine], home: str) -> str:
    """More than one pull request would close one issue."""
    return f"{counted(len(pulls), 'pull request')} are open for it, {names(pulls, home)}: merge one, close the rest"


def conflicting(pull: Mine, home: str) -> str:
    """It cannot be merged as it is."""
    return f"{name(pull, home)} conflicts with {pull.fact.base}: rebase it"


def red(pull: Mine, home: str, blame: Blame) -> str:
    """Its own checks failed."""
    own = f" ({_listed(blame.own)})" if blame.own else ""
    also = f"; {_listed(blame.mains)} is {pull.fact.base}'s, which is red, too" if blame.mains else ""
    return f"CI is red on {name(pull, home)}{own}{also}: fix it on its branch"


def changes_requested(pull: Mine, home: str) -> str:
    """A reviewer wants something else."""
    by = pull.by("changes_requested")
    return f"changes were requested on {name(pull, home)}{f' by {_listed(by)}' if by else ''}"


def changes_since(pull: Mine, home: str) -> str:
    """A reviewer wanted something else, and it was pushed to since."""
    by = _listed(pull.by("changes_requested"))
    return f"{name(pull, home)} was pushed to since {by} requested changes: review it"


def running(pull: Mine, home: str, blame: Blame) -> str:
    """Its checks are not through."""
    if pull.counted and not pull.ci.total and not pull.ci.waiting:
        return f"{name(pull, home)} has no checks yet"
    return f"the checks of {name(pull, home)} run · {checks(pull, blame)}"


def hidden(pull: Mine, home: str) -> str:
    """The token may not read its checks, so somebody has to look, or to give it what it lacks."""
    return (
        f"the checks of {name(pull, home)} cannot be read with this token: look at them there, or use one that may "
        "(fine-grained: the permission Commit statuses; classic: the scope repo)"
    )


def queued(pull: Mine, home: str) -> str:
    """The queue tests and merges it."""
    return f"{name(pull, home)} is in the merge queue of {pull.fact.base}"


def draft(pull: Mine, home: str) -> str:
    """Nobody said yet that it is ready."""
    return f"{name(pull, home)} is a draft: mark it ready for review when it is"


def never_reported(pull: Mine, home: str) -> str:
    """Required checks that nothing was heard of, with all others through."""
    waiting = pull.ci.waiting
    have = "has" if len(waiting) == 1 else "have"
    return f"{name(pull, home)} waits for {_listed(waiting)}, which {have} not reported"


def no_ci(pull: Mine, home: str) -> str:
    """Merge-on-green with nothing that could be green."""
    return f"{name(pull, home)} reports no CI: there is no green to merge on, merge it yourself"


def to_review(pull: Mine, home: str, blame: Blame) -> str:
    """It waits for a person's review."""
    said = review(pull)
    return f"{name(pull, home)} waits for your review · {checks(pull, blame)}{f' · {said}' if said else ''}"


def to_merge(pull: Mine, home: str, blame: Blame) -> str:
    """Nothing is left but the merge."""
    said = review(pull)
    return f"{name(pull, home)} can be merged · {checks(pull, blame)}{f' · {said}' if said else ''}"


def _listed(items: Sequence[str]) -> str:
    return listed([one_line(item) for item in items])
