"""What an agent on an issue is told beside the rest: the issue in its own words, and the pull request to end at."""

from __future__ import annotations

from dataclasses import dataclass

from stoat.runner.fence import Fence


@dataclass(frozen=True, kw_only=True)
class Brief:
    """An issue for its agent. `title` and `body` are None where GitHub could not be asked just now.

    `remote` is where the agent's branch is pushed to, `default` the branch that its pull request goes into.
    """

    number: int
    repo: str
    url: str
    remote: str
    default: str
    title: str | None = None
    body: str | None = None


def outside(brief: Brief) -> list[str]:
    """Every text of it that Stoat did not write."""
    return [_issue(brief), brief.body or "", _names(brief)]


def issue(brief: Brief, fence: Fence, body: str | None) -> list[str]:
    """The parts of the prompt that show the issue; `body` is its text as far as there is room for it."""
    parts = [f"It is issue #{brief.number}:\n" + fence.around("issue", _issue(brief))]
    if body is None:
        parts.append(f"Its text could not be fetched. Read it before anything else: {view(brief.number)}")
    elif body.strip():
        parts.append("Its text:\n" + fence.around("issue text", body))
    else:
        parts.append("It has no text beside its title.")
    return parts


def done_means(brief: Brief) -> str:
    """What is looked at when the agent has ended."""
    return (
        f"Done means: a pull request of yours is open that will close issue #{brief.number}, its checks are green and "
        "it conflicts with nothing. A person merges it. Exiting cleanly or saying so decides nothing: what GitHub "
        "shows does."
    )


def ending(brief: Brief, fence: Fence, *, ref: str, claim: str) -> list[str]:
    """From the last commit to the end: push, pull request, checks, conflicts, release."""
    return [
        _ENDING.format(number=brief.number, ref=ref, claim=claim),
        "What stands here for REPOSITORY, REMOTE and DEFAULT:\n" + fence.around("names", _names(brief)),
    ]


def view(number: int) -> str:
    """The command that shows an issue with what was said on it."""
    return f"gh issue view {number} --comments"


_ENDING = """\
Your work ends at a pull request, so:
1. Commit, and push your branch, no other: git push --set-upstream REMOTE HEAD
2. Open a pull request of it into the default branch: gh pr create --base DEFAULT --title TITLE --body-file FILE. \
Its body has a line `Fixes #{number}`, and says what was done and how it was tested. If one of your branch is open \
already, keep to that one.
3. Never merge it, and never turn on auto-merge: that is not yours.
4. Wait for its checks: gh pr checks PULL --watch. Where they are red, read why, mend it on the same branch, push, and \
wait again. Only where a failure is plainly not of your making, run the failed jobs once more and say so in a comment \
on the pull request, with what shows it.
5. Where it conflicts with the default branch: fetch that, rebase onto it, keep what both sides meant, make generated \
files anew instead of merging them by hand, run the tests again, and push with \
git push --force-with-lease --force-if-includes.
6. What you cannot resolve goes to a person (below), not into a quiet exit.
7. Once it is green and without a conflict: stoat release {ref} --claim {claim}. Then end.
Without gh, the REST API does the same with the token in GH_TOKEN or GITHUB_TOKEN, at $STOAT_GITHUB_API or \
https://api.github.com: POST /repos/REPOSITORY/pulls with title, head, base and body; then, every half minute until \
nothing is pending, GET /repos/REPOSITORY/commits/HEAD_COMMIT/check-runs and …/status."""


def _issue(brief: Brief) -> str:
    lines = [f"{brief.repo}#{brief.number}", brief.url]
    return "\n".join([*lines, brief.title] if brief.title else lines)


def _names(brief: Brief) -> str:
    return f"REPOSITORY: {brief.repo}\nREMOTE: {brief.remote}\nDEFAULT: {brief.default}"
