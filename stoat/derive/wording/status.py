"""The one-line details behind a status: why a node reads as it does."""

from __future__ import annotations

from collections.abc import Sequence

from stoat.clock import duration_text
from stoat.derive.wording.text import because, conflict_or, counted, listed, moment
from stoat.plan.commands import same, same_place, written
from stoat.plan.evidence import ASSERTED, Evidence
from stoat.plan.nodes import Step
from stoat.plan.state import Attempt, Claim, Landing, Mark, Parked

Tally = tuple[int, int, int]
"""How many steps passed, failed (in any way), and have no verdict yet."""


def ended(run: Evidence) -> str:
    """How a finished run ended: `passed`, `failed (exit 2)`, `timed out (limit 20m) after 20m 3s`."""
    if run.state == "timed-out":
        limit = f" (limit {duration_text(run.limit)})" if run.limit else ""
        after = f" after {duration_text(run.seconds)}" if run.seconds is not None else ""
        return f"timed out{limit}{after}"
    if run.source == ASSERTED:
        return because(f"{run.state} by the word of {run.by}", run.why)
    if run.state == "passed":
        return "passed"
    if run.state == "unknown":
        tests = f" on {counted(run.indeterminate, 'test')}" if run.indeterminate else ""
        return f"ended without a verdict{tests}"
    if run.signal:
        return f"failed (killed by {run.signal})"
    if run.failed:
        return f"failed ({run.failed} of {run.tests} tests)"
    return f"failed (exit {run.exit_code})" if run.exit_code else "failed"


def step_mismatch(run: Evidence, step: Step) -> str:
    """A step whose passing run was of something else: another command, another directory, or both."""
    other = step.run is not None and not same(step.run, run.command)
    parts = [f"ran another command: `{written(run.command)}`, declared is `{step.run}`"] if other else []
    if step.cwd is not None and run.cwd is not None and not same_place(step.cwd, run.cwd):
        parts.append(f"ran in {_place(run.cwd)}, not in {_place(step.cwd)}")
    return "; ".join(parts)


def _place(cwd: str) -> str:
    return "the top of the checkout" if same_place(cwd, ".") else cwd


def orphaned(run: Evidence) -> str:
    """A run that began and whose process is gone, or of which nothing was heard any more."""
    return f"the run begun at {moment(run.at)} never finished ({_why_lost(run)})"


def newer_lost(runs: Sequence[Evidence], steps: Sequence[str] = ()) -> str:
    """That runs (of these `steps`) were lost after what decides began: when the last of them did, by whom."""
    last = max(runs, key=lambda run: run.order)
    of = f" of {listed(steps)}" if steps else ""
    what = f"a newer run{of} was lost: begun" if len(runs) == 1 else f"newer runs{of} were lost, the last one: begun"
    return f"{what} at {moment(last.at)} by {last.by}, {_why_lost(last)}"


def _why_lost(run: Evidence) -> str:
    return (run.why or "it went quiet") if run.state == "lost" else "its process is gone"


def progress(tally: Tally) -> str:
    """How far a gate is while a step runs: `3 of 12 steps, 1 failed`."""
    passed, failed, open_ = tally
    return f"{passed + failed} of {counted(passed + failed + open_, 'step')}" + (f", {failed} failed" if failed else "")


def in_flight(done: int, total: int | None, stalled: int) -> str:
    """How far a test run has got: `37 / 120 · 2 stalled`."""
    so_far = f"{done} done" if total is None else f"{done} / {total}"
    return so_far + (f" · {stalled} stalled" if stalled else "")


def tally(counts: Tally) -> str:
    """The same once nothing runs: `4✓ 1✗ 7○`, leaving out what is none."""
    return " ".join(f"{count}{sign}" for count, sign in zip(counts, "✓✗○", strict=True) if count)


def steps_bad(step: str, detail: str, counts: Tally) -> str:
    """A gate with a bad step: that step, what became of it, and the tally."""
    return f"step {step} {detail} · {tally(counts)}"


def steps_waiting(missing: Sequence[str], undecided: Sequence[str], counts: Tally) -> str:
    """A gate with steps that were not run, or (`undecided`) whose runs ended and came to no verdict."""
    passed, failed, open_ = counts
    if not passed and not undecided:
        return f"no run yet: {counted(open_, 'step')} to pass"
    parts = [f"{passed} of {counted(passed + failed + open_, 'step')} passed"]
    if undecided:
        parts.append(f"without a verdict: {listed(undecided)}")
    if missing:
        parts.append(f"not run: {listed(missing)}")
    return ", ".join(parts)


def steps_passed(count: int) -> str:
    """A gate whose steps all passed."""
    return "its step passed" if count == 1 else f"all {count} steps passed"


def unassigned(runs: Sequence[str]) -> str:
    """Runs of a gate with steps that name none of them."""
    verb = "counts" if len(runs) == 1 else "count"
    return f"unassigned, {verb} for no step: {listed(runs)}"


def unassigned_beside(count: int) -> str:
    """The same beside a gate whose steps all passed, where nobody has to look for them any more."""
    return f"{counted(count, 'run')} not assigned to a step"


def bare_passed(run: Evidence) -> str:
    """A gate without steps that passed."""
    what = ended(run) if run.source == ASSERTED else "its run passed"
    return f"{what}{f' on {run.commit[:7]}' if run.commit else ''}"


def bare_open(run: Evidence | None, orphan: Evidence | None) -> str:
    """A gate without steps that is neither red nor green: how its run ended, or that there was none."""
    return f"its run {ended(run)}" if run is not None and run.state == "unknown" else no_run(orphan)


def no_run(orphan: Evidence | None) -> str:
    """Nothing was run, and Stoat would know."""
    return f"no run yet: {orphaned(orphan)}" if orphan else "no run yet"


def running(run: Evidence) -> str:
    """A run is going."""
    return f"running since {moment(run.at)}"


def with_remark(detail: str, remark: str) -> str:
    """A detail and what is to be said beside it: that a pass proves less, where the work is, what does not count."""
    return f"{detail}, {remark}"


def again(detail: str) -> str:
    """A step whose pass does not count any more."""
    return f"has to pass again: {detail}"


def stale(why: str, rerun: Sequence[str] = ()) -> str:
    """A pass that no longer counts."""
    return f"passed before, and no longer counts: {why}" + (f" ({listed(rerun)})" if rerun else "")


NOT_A_COMMIT = "but not on one clean commit"
BEFORE_RESTART = "before it was restarted"
"""Why a change whose steps all passed is not finished yet."""


def dirty(names: Sequence[str]) -> str:
    """Why a pass proves less: what it ran on was not the commit."""
    return f"on a tree with uncommitted changes{f' ({listed(names)})' if names else ''}"


def moved(names: Sequence[str]) -> str:
    """Why a pass proves less: the commit changed under it."""
    return f"on a commit that moved during the run{f' ({listed(names)})' if names else ''}"


def behind(names: Sequence[str], branch: str | None) -> str:
    """Why a pass proves less: what it ran on was not the newest of its branch any more."""
    onto = branch or "its branch"
    return f"on a commit that {onto} had already moved on from{f' ({listed(names)})' if names else ''}"


def behind_remote(names: Sequence[str], branch: str) -> str:
    """Why a pass proves less: the branch that it ran on lacked commits of its remote one."""
    return f"on {branch} while it was behind its remote{f' ({listed(names)})' if names else ''}"


def apart(names: Sequence[str]) -> str:
    """Why a pass proves less: no one commit has all of it."""
    return f"on different commits ({listed(names)})"


def diagnosed(red: str, mark: Mark) -> str:
    """A red gate whose worker found out why."""
    return f"{red} · {mark.by} found: {mark.why}"


def specs_gone(green: int, gone: Sequence[str], runs: Sequence[str], total: int) -> str:
    """A slice with specs that were there once, and that newer runs do not have."""
    in_runs = listed(sorted(set(runs)))
    return f"{green} of {counted(total, 'spec')} green, no longer in the newer run {in_runs}: {listed(gone)}"


def still_waited_on(why: str) -> str:
    """That a lesser pass is not enough, because something still waits on it."""
    return f"passed {why}, and other work still waits on it: prove it on a commit"


def branch_moved(branch: str | None) -> str:
    """Why a pass is stale: reverify on branch change."""
    return f"{branch or 'the integration branch'} moved since"


def reverify_asked(mark: Mark | None) -> str:
    """Why a pass is stale: a person asked."""
    return f"{mark.by if mark else 'a person'} asked for it to be verified again"


def specs_empty() -> str:
    """A slice that nothing is bound to."""
    return "no specs are bound to it"


def specs_waiting(green: int, missing: Sequence[str], total: int) -> str:
    """A slice some of whose specs were never seen."""
    return f"{green} of {counted(total, 'spec')} green, missing: {listed(missing)}"


def specs_red(red: Sequence[str], total: int) -> str:
    """A slice with red specs."""
    return f"{len(red)} of {counted(total, 'spec')} red: {listed(red)}"


def specs_green(count: int) -> str:
    """A slice that is proved."""
    return "its spec is green" if count == 1 else f"all {count} specs green"


def specs_unseen(run: Evidence) -> str:
    """A run went through that does not say which specs it ran."""
    return f"a run passed ({run.run}) and did not say which specs it ran"


def specs_unnamed_failure(run: Evidence) -> str:
    """A run went red and named no spec, so which one is not known."""
    return f"its run {ended(run)} and named no spec"


def landed(landing: Landing) -> str:
    """Where a node's work is."""
    how = {"rebased": "rebased", "merged": "merged", "fast-forwarded": "fast-forwarded"}.get(landing.how, "seen there")
    return f"landed on {landing.onto} ({how}, {landing.tip[:7]})"


def landed_nothing(landing: Landing) -> str:
    """That there was nothing to land."""
    return f"its branch has nothing that {landing.onto} lacks"


def parked(hold: Parked) -> str:
    """Why finished work is not on its branch."""
    return f"not landed: {conflict_or(hold.why, hold.files)}"


def change_open(attempt: Attempt | None) -> str:
    """A change that nobody has finished: what its last attempt came to, if there was one."""
    if attempt is None or attempt.outcome is None:
        return "not started" if attempt is None else f"attempt {attempt.number} is not judged yet"
    return f"attempt {attempt.number}: {attempt.detail or attempt.outcome}"


def change_finished(detail: str, onto: str | None) -> str:
    """A change whose work is complete."""
    return f"{detail}, to be landed on {onto}" if onto else f"{detail}, merge when ready"


def finished_by_hand(detail: str, onto: str | None, branch: str) -> str:
    """A change whose work is complete and that no runner worked: whether its branch is here only a runner can see."""
    if onto is None:
        return f"{detail}, worked by hand: merge when ready"
    return f"{detail}, worked by hand: a runner lands it on {onto} if its branch {branch} is here"


def committed(attempt: Attempt) -> str:
    """A change without steps whose attempt left its work on a branch."""
    return f"committed on {attempt.branch}"


def gave_up(mark: Mark) -> str:
    """Nobody tries any more."""
    return because("given up", mark.why)


def claimed(claim: Claim, detail: str) -> str:
    """Somebody is on it; `detail` is what is known beside."""
    return because(f"{claim.holder} is on it", claim.note) + (f" · {detail}" if detail else "")


def person_open() -> str:
    """A step that a person does."""
    return "a person's step: mark it done when it is"


def person_done(mark: Mark) -> str:
    """A step that a person did."""
    return f"{mark.by} marked it done at {moment(mark.at)}"


def unbound_issue() -> str:
    """An issue node without a number."""
    return "no issue is filed for it yet"


def unbound_pr() -> str:
    """A pr node without a number."""
    return "no pull request is bound to it yet"


def unknown_kind(kind: str) -> str:
    """A node of a newer version's kind."""
    return f"this version of Stoat does not know the kind {kind}"


def unread_feed(package: str, feed: str) -> str:
    """A package that was never looked for."""
    return f"no sweep has looked for {package} on {feed} yet"


def unread_pin(package: str, manifest: str, repository: str | None) -> str:
    """A pin that was never read."""
    return f"no sweep has read the pin of {package} in {manifest}{f' of {repository}' if repository else ''} yet"


def number(repository: str | None, of: int) -> str:
    """An issue or pull request: `OWNER/NAME#7`, or `#7` where no repository is named."""
    return f"{repository or ''}#{of}"
