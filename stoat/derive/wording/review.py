"""A review in words: where it stands, its findings one by one, the node that mends one, and what its agent is told."""

from __future__ import annotations

from collections.abc import Sequence

from stoat.derive.wording import commands
from stoat.derive.wording.text import because, counted, listed, moment, one_line
from stoat.plan.review import Finding, Found, Review, Standing

NOT_YET = "no review yet"


def not_since(before: Review) -> str:
    """Nobody reviewed it since it was restarted; `before` has the rounds until then."""
    return f"no review since it was restarted (round {before.round} was before that)"


def to_decide(waiting: Sequence[Found], review: Review, lost: Sequence[Found]) -> str:
    """Findings that a person has to decide; `lost` are those whose fix is no node of the plan any more."""
    many = len(review.found)
    names = listed([_named(one.finding) for one in waiting])
    said = f"{len(waiting)} of {counted(many, 'finding')} to decide: {names}"
    return f"{said} (the fix of {listed([one.finding.id for one in lost])} is no longer in the plan)" if lost else said


def to_sign_off(review: Review) -> str:
    """A round that found nothing: a person's word ends it."""
    return f"{_of(review)} found nothing: sign it off"


def fixing(fixes: Sequence[str], total: int) -> str:
    """Everything is decided, and what was accepted is being mended."""
    return f"{counted(total, 'finding')} decided, {counted(len(fixes), 'fix', 'fixes')} to be done: {listed(fixes)}"


def decided(review: Review) -> str:
    """Everything is decided and mended."""
    accepted = sum(one.state == "accepted" for one in review.found)
    rejected = len(review.found) - accepted
    parts = [f"{accepted} mended"] * bool(accepted) + [f"{rejected} rejected"] * bool(rejected)
    said = f"{counted(len(review.found), 'finding')} decided ({', '.join(parts)})"
    return f"{said}, {signed(review)}" if review.signed_by is not None else said


def nothing(review: Review) -> str:
    """A round that found nothing, and a person's word on it."""
    return f"{_of(review)} found nothing, {signed(review)}"


def signed(review: Review) -> str:
    """Whose word ended it."""
    return f"signed off by {review.signed_by} at {moment(review.signed_at or '')}"


def moved(branch: str | None, reviewed: str | None, tip: str) -> str:
    """The branch has commits that nobody reviewed."""
    since = f"reviewed at {reviewed[:7]}" if reviewed else "reviewed before"
    return f"{branch or 'its branch'} moved since: {since}, now at {tip[:7]}"


def submitted(findings: Sequence[Finding], branch: str | None, commit: str | None, standing: Standing | None) -> str:
    """A line of the Activity: a round."""
    what = counted(len(findings), "finding") if findings else "nothing found"
    return f"submitted a review{_reviewed(branch, commit, standing)}: {what}"


def accepted(finding: str, fix: str, why: str | None) -> str:
    """A line of the Activity: a finding accepted."""
    return because(f"accepted finding {finding}, to be mended by {fix}", why)


def rejected(finding: str, why: str | None) -> str:
    """A line of the Activity: a finding rejected."""
    return because(f"rejected finding {finding}", why)


def outcome(review: Review) -> str:
    """What an attempt on a review came to."""
    many = len(review.newest)
    return f"submitted {counted(many, 'finding')}" if many else "submitted a review that found nothing"


def became(finding: str, state: str, fix: str | None, plan: str) -> str:
    """What was just decided of a finding, and what comes next."""
    if state == "accepted" and fix is not None:
        start = commands.approve(plan, fix)
        return f"accepted {finding}: {commands.ref(plan, fix)} mends it ({start} lets an agent start)"
    return f"{state} {finding}"


def decision(state: str, fix: str | None, waits: bool, by: str | None, why: str | None) -> str:
    """What became of a finding, as it is listed."""
    if state == "open":
        return "to decide"
    said = f"{state} by {by}" if by else state
    if fix is not None:
        said += f", {fix} is no longer in the plan: decide again" if waits else f", mended by {fix}"
    return because(said, why)


def title(finding: Finding) -> str:
    """The title of the node that mends a finding, on one line."""
    return one_line(finding.title)[:200]


def brief(ref: str, found: Found, review: Review, why: str | None) -> str:
    """What whoever mends a finding is told: where it was found, and the reviewer's own text."""
    finding = found.finding
    lines = [f"Mend finding {finding.id} of the review {ref}: {one_line(finding.title)}", ""]
    if finding.severity:
        lines.append(f"Severity: {finding.severity}")
    if finding.file:
        lines.append(f"Where: {place(finding)}")
    if found.round == review.round and review.commit:
        known = review.branch if review.branch and review.standing is not None else "a checkout"
        lines.append(f"Found on: {known} at {review.commit}")
    if finding.text.strip():
        lines += ["", finding.text]
    if why:
        lines += ["", f"Whoever accepted it says: {why}"]
    return "\n".join(lines)


def place(finding: Finding) -> str:
    """Where a finding is: `src/lanes.py:12`; empty without a file."""
    if finding.file is None:
        return ""
    return finding.file if finding.line is None else f"{finding.file}:{finding.line}"


def told(found: Found) -> str:
    """A finding of an earlier round and what became of it, on one line, for the next reviewer."""
    finding = found.finding
    what = {"open": "not decided", "accepted": f"accepted, mended by {found.fix}", "rejected": "rejected"}[found.state]
    where = f" ({place(finding)})" if finding.file else ""
    return one_line(f"{finding.id}: {finding.title}{where} — {because(what, found.why)}")[:500]


def _named(finding: Finding) -> str:
    severity = f", {finding.severity}" if finding.severity else ""
    return f"{finding.id} ({one_line(finding.title)[:80]}{severity})"


def _of(review: Review) -> str:
    return f"the review{_reviewed(review.branch, review.commit, review.standing)}"


def _reviewed(branch: str | None, commit: str | None, standing: Standing | None) -> str:
    """Of which branch and commit a review is, as far as it is known that the commit is on the branch."""
    at = f" at {commit[:7]}" if commit else ""
    if branch is None:
        return at
    if commit is not None and standing is None:
        return f"{at} (nobody could see whether that is on {branch})"
    return f" of {branch}{at}{' with commits beyond it' if standing == 'beyond' else ''}"
