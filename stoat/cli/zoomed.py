"""How GitHub's own text about a node is printed: plain, nothing rendered, nothing that a terminal would obey."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stoat import clock
from stoat.cli import render
from stoat.clock import Time
from stoat.derive.wording import zoom as say

if TYPE_CHECKING:
    from stoat.observe.github.text import CheckText, Comments, GitHubText, IssueText, PullText
    from stoat.service.zoom import TextProblem

_BODY = 200
_COMMENT = 40
_SUMMARY = 20
_LOG = 30
"""How many lines of a text are printed; --json has all."""


def show(text: GitHubText | None, problem: TextProblem | None, asked: Time) -> None:
    """Print the text, with its age where it was read before it was asked for now, or in one line why there is none."""
    if problem is not None:
        render.say()
        render.say(render.clean(say.not_shown(problem.why, problem.fix)))
    if text is None:
        return
    if text.at < asked:
        render.say()
        render.say(say.kept(clock.seconds_between(text.at, asked)))
    if text.issue is not None:
        _issue(text.issue)
    for pull in text.prs:
        _pull(pull)
    if text.problems:
        render.say()
    for part in text.problems:
        render.say(render.clean(say.partly(part)))


def _issue(issue: IssueText) -> None:
    _head(f"{issue.repo}#{issue.number} {issue.title}", issue.url)
    render.block(
        say.issue(
            issue.state, issue.reason, issue.author, issue.created_at, issue.labels, issue.milestone, issue.assignees
        )
    )
    _body(issue.body)
    _comments(issue.comments)


def _pull(pull: PullText) -> None:
    _head(f"{pull.repo}#{pull.number} {pull.title}", pull.url)
    opinions = [(one.author, one.state) for one in pull.reviews]
    size = pull.additions, pull.deletions, pull.changed_files
    render.block(
        say.pull(
            pull.state, pull.author, pull.created_at, pull.review, opinions, pull.mergeable, pull.merge_state,
            pull.base, size,
        )
    )  # fmt: skip
    _body(pull.body)
    render.say()
    render.block(say.checks([check.state for check in pull.checks]))
    for check in pull.checks:
        _check(check)
    _comments(pull.comments)


def _check(check: CheckText) -> None:
    render.block(say.check(check.state, check.label, check.said, check.title), indent=4)
    if check.state != "failed":
        return
    if check.summary:
        render.block(check.summary, indent=8, most=_SUMMARY)
    for one in check.annotations:
        render.block(say.annotation(one.path, one.line, one.title, one.message), indent=8)
    if check.more_annotations:
        render.block(say.more_annotations(check.more_annotations), indent=8)
    if check.log is None:
        return
    if check.log.missing is not None:
        render.block(say.no_log(check.log.missing), indent=8)
    elif check.log.text:
        render.block(f"{say.LOG}:", indent=8)
        render.block(check.log.text, indent=10, most=-_LOG)


def _head(title: str, url: str) -> None:
    render.say()
    render.say(render.clean(title))
    render.block(url)


def _body(body: str) -> None:
    render.say()
    render.block(body.strip() or say.NO_TEXT, most=_BODY)


def _comments(comments: Comments) -> None:
    if not comments.total:
        return
    render.say()
    render.block(f"{say.comments(comments.total, len(comments.newest))}:")
    for comment in comments.newest:
        render.block(say.comment(comment.author, comment.at), indent=4)
        render.block(comment.body.strip() or say.NO_TEXT, indent=8, most=_COMMENT)
