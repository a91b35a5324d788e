"""The fake's own door, for a person with curl: what people, CI and GitHub itself would do, at /_hub/VERB."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

from tests.support.fakehub import merging
from tests.support.fakehub.gitside import Conflict
from tests.support.fakehub.model import Issue, Thread
from tests.support.fakehub.opening import open_pull
from tests.support.fakehub.pulls import Pull
from tests.support.fakehub.repository import Repository
from tests.support.fakehub.web import Answer, Asked, Refused

if TYPE_CHECKING:
    from tests.support.fakehub.hub import FakeHub

HELP = """\
What people, CI and GitHub itself would do: POST {url}/_hub/VERB with the fields as a form,
curl -d FIELD=… -d FIELD=… {url}/_hub/VERB

  issue    title= [body= labels=a,b assignees=ada blocked_by=1,2 parent=3 number=]   file an issue
  pull     head=BRANCH title= [body= base= draft=yes author=]   open a pull request for a pushed branch
  check    number=PULL|on=BRANCH name=test result=success|failure|in_progress|…
           [log= annotation= workflow=]                         report a check, as CI does
  status   number=PULL|on=BRANCH context=ci/lint state=success|failure|pending
                                                                report a commit status
  review   number=PULL state=approved|changes_requested|commented [author=bob]
                                                                review
  merge    number=PULL [method=squash|merge|rebase force=yes]   merge (force=yes: whatever the rules say)
  queue    number=PULL result=success|failure                   the merge queue is done with it
  close    number= [reason=completed|not_planned]               close an issue or a pull request
  reopen   number=                                              open it again
  comment  number= body= [author=bob]                           comment
  label    number= name=                                        put a label on
  push     branch= [message= file= content=]                    a commit on a branch, by somebody else
  protect  [branch= required=test,lint strict=yes approvals=1 queue=yes]
                                                                what a branch asks for
  fault    kind=rate_limit|secondary|html|reset|slow|next|truncated|missing_page|unauthorized|lag|heavy
           [times= status= path= …]                             make something go wrong
  clear                                                         nothing goes wrong any more

Every verb takes repo=OWNER/NAME; without it, it is about the first repository.
GET {url}/_hub shows this, …/_hub/state what there is, …/_hub/journal what was asked of it.
Everything else there is GitHub's API: POST {url}/repos/OWNER/NAME/pulls and so on.
"""

Fields = dict[str, str]
Verb = Callable[["FakeHub", Fields], str]
VERBS: dict[str, Verb] = {}


def answer(hub: FakeHub, asked: Asked) -> Answer:
    """Answer a request to /_hub, in plain text."""
    name = asked.route.removeprefix("/_hub").strip("/")
    try:
        hub.sync()
        if asked.method == "GET":
            return _text(200, _shown(hub, name))
        if name not in VERBS:
            return _text(404, f"No such verb. GET {hub.url}/_hub says what there is.\n")
        return _text(200, VERBS[name](hub, _fields(asked)) + "\n")
    except KeyError as missing:
        return _text(
            422, f"{missing.args[0]}= is missing, or names nothing. GET {hub.url}/_hub says what {name} takes.\n"
        )
    except Refused as refused:
        details = [one.get("message") or one.get("field") or "" for one in refused.body.get("errors", [])]
        return _text(refused.status, f"{refused}{': ' if details else ''}{', '.join(details)}\n")
    except (AssertionError, ValueError, TypeError) as wrong:
        return _text(422, f"{wrong}\n")


def _text(status: int, text: str) -> Answer:
    return Answer(status, text, {"Content-Type": "text/plain; charset=utf-8"})


def _shown(hub: FakeHub, name: str) -> str:
    if name == "journal":
        return "".join(f"{line}\n" for line in hub.operations())
    if name == "state":
        return "".join(f"{line}\n" for repo in hub.repositories.values() for line in _state(repo))
    return HELP.format(url=hub.url)


def _state(repo: Repository) -> list[str]:
    lines = [f"{repo.name} (git clone {repo.git})"]
    threads: list[Thread] = [one for one in repo.issues.values() if one.gone is None]
    threads += repo.pulls.values()
    for one in sorted(threads, key=lambda each: each.number):
        notes = [one.state]
        if isinstance(one, Issue):
            notes += [one.reason] if one.reason else []
            notes += [f"blocked by #{other.number}" for other in one.blocked_by if other.open]
            notes += [f"sub-issue of #{one.parent.number}"] if one.parent else []
            kind = "issue"
        else:
            assert isinstance(one, Pull)
            notes += [f"{one.head} into {one.base}", f"checks: {repo.checks.verdict(one.head_oid) or 'none'}"]
            kind = "pull request"
        lines.append(f"  #{one.number} {kind} {one.title!r}: {', '.join(notes)}")
    return lines


def _fields(asked: Asked) -> Fields:
    """The fields of a form or of a JSON object, with those of the query."""
    text = asked.body.decode(errors="replace")
    if text.lstrip().startswith("{"):
        given = {key: str(value) for key, value in json.loads(text).items()}
    else:
        given = {key: values[-1] for key, values in parse_qs(text, keep_blank_values=True).items()}
    return {**asked.query, **given}


def _repo(hub: FakeHub, fields: Fields) -> Repository:
    repo = hub.find(fields["repo"]) if "repo" in fields else next(iter(hub.repositories.values()), None)
    if repo is None:
        raise KeyError("repo")
    return repo


def _thread(hub: FakeHub, fields: Fields) -> Any:
    found = _repo(hub, fields).thread(int(fields["number"]))
    if found is None:
        raise KeyError("number")
    return found


def _pull(hub: FakeHub, fields: Fields) -> Pull:
    found = _repo(hub, fields).pulls.get(int(fields["number"]))
    if found is None:
        raise KeyError("number")
    return found


def _list(fields: Fields, name: str) -> list[str]:
    return [one for one in fields.get(name, "").split(",") if one]


def _yes(fields: Fields, name: str) -> bool:
    return fields.get(name, "").lower() in ("yes", "true", "1")


def verb(function: Verb) -> Verb:
    """Register a verb by its name."""
    VERBS[function.__name__.rstrip("_")] = function
    return function


@verb
def issue(hub: FakeHub, fields: Fields) -> str:
    """File an issue."""
    made = _repo(hub, fields).issue(
        fields["title"],
        number=int(fields["number"]) if "number" in fields else None,
        body=fields.get("body", ""),
        labels=_list(fields, "labels"),
        assignees=_list(fields, "assignees"),
        parent=int(fields["parent"]) if "parent" in fields else None,
        blocked_by=[int(one) for one in _list(fields, "blocked_by")],
    )
    return f"{made.name} filed"


@verb
def pull(hub: FakeHub, fields: Fields) -> str:
    """Open a pull request."""
    repo = _repo(hub, fields)
    base = fields.get("base", repo.default_branch)
    made = open_pull(repo, fields["title"], fields["head"], base, fields.get("body", ""), _yes(fields, "draft"))
    made.author = hub.user(fields["author"]) if "author" in fields else made.author
    closes = ", ".join(f"#{one.number}" for one in made.closes())
    return f"{made.name} opened{f', closes {closes}' if closes else ''}"


@verb
def check(hub: FakeHub, fields: Fields) -> str:
    """Report a check."""
    more: dict[str, Any] = {key: fields[key] for key in ("log", "workflow", "app", "title", "summary") if key in fields}
    if "annotation" in fields:
        more["annotations"] = [fields["annotation"]]
    on: Any = _pull(hub, fields) if "number" in fields else _repo(hub, fields)
    if "number" not in fields and "on" in fields:
        more["on"] = fields["on"]
    run = on.check(fields["name"], fields["result"], **more)
    return f"{run.name} is {run.word} on {run.head_sha[:10]} of {run.repo.name}"


@verb
def status(hub: FakeHub, fields: Fields) -> str:
    """Report a commit status."""
    if "number" in fields:
        made = _pull(hub, fields).status(fields["context"], fields["state"])
    else:
        made = _repo(hub, fields).status(fields["context"], fields["state"], on=fields.get("on"))
    return f"{made.context} is {made.state} on {made.sha[:10]} of {made.repo.name}"


@verb
def review(hub: FakeHub, fields: Fields) -> str:
    """Review a pull request."""
    one = _pull(hub, fields)
    one.review(fields.get("author", "bob"), fields["state"], fields.get("body", ""))
    return f"{one.name} {fields['state']} by {fields.get('author', 'bob')}"


@verb
def merge(hub: FakeHub, fields: Fields) -> str:
    """Merge a pull request."""
    one, method = _pull(hub, fields), fields.get("method", "squash")
    if not _yes(fields, "force"):
        refusal = merging.refusal(one, method, None)
        if refusal is not None:
            raise Refused(*refusal)
    closes = ", ".join(f"#{each.number}" for each in one.closes() if each.open)
    try:
        made = one.merge(method)
    except Conflict:
        raise Refused(405, merging.NOT_MERGEABLE) from None
    return f"{one.name} merged as {made[:10]}{f', closed {closes}' if closes else ''}"


@verb
def queue(hub: FakeHub, fields: Fields) -> str:
    """The merge queue is done with a pull request."""
    one = _pull(hub, fields)
    if one.entry is None:
        raise Refused(422, f"{one.name} is not in the merge queue")
    one.queue_result(passed=fields["result"] == "success")
    return f"{one.name} {'merged by the queue' if one.merged else 'left the queue'}"


@verb
def close(hub: FakeHub, fields: Fields) -> str:
    """Close an issue or a pull request."""
    one = _thread(hub, fields)
    if isinstance(one, Issue):
        one.close(fields.get("reason", "completed"))
    else:
        one.close()
    return f"{one.name} closed"


@verb
def reopen(hub: FakeHub, fields: Fields) -> str:
    """Open an issue or a pull request again."""
    one = _thread(hub, fields)
    one.reopen()
    return f"{one.name} {one.state}"


@verb
def comment(hub: FakeHub, fields: Fields) -> str:
    """Comment on an issue or a pull request."""
    one = _thread(hub, fields)
    one.comment(fields.get("author", "bob"), fields["body"])
    return f"{one.name} commented on"


@verb
def label(hub: FakeHub, fields: Fields) -> str:
    """Put a label on an issue or a pull request."""
    one = _thread(hub, fields)
    one.label(fields["name"])
    return f"{one.name} labelled {fields['name']}"


@verb
def push(hub: FakeHub, fields: Fields) -> str:
    """A commit on a branch."""
    repo = _repo(hub, fields)
    files = {fields["file"]: fields.get("content", "") + "\n"} if "file" in fields else None
    made = repo.push(fields["branch"], fields.get("message", "Change"), files)
    return f"{fields['branch']} of {repo.name} is at {made[:10]}"


@verb
def protect(hub: FakeHub, fields: Fields) -> str:
    """Say what a branch asks for."""
    repo = _repo(hub, fields)
    changes: dict[str, Any] = {}
    if "required" in fields:
        changes["required"] = _list(fields, "required")
    for name in ("strict", "queue", "classic"):
        if name in fields:
            changes[name] = _yes(fields, name)
    if "approvals" in fields:
        changes["approvals"] = int(fields["approvals"])
    repo.protect(fields.get("branch"), **changes)
    branch = fields.get("branch", repo.default_branch)
    return f"{branch} of {repo.name}: {repo.rules(branch)}"


NUMBERS = ("times", "reset_in", "retry_after", "seconds", "status", "page", "reads", "above")
KINDS = (
    "rate_limit",
    "secondary",
    "html",
    "reset",
    "slow",
    "next",
    "truncated",
    "unauthorized",
    "lag",
    "heavy",
    "missing_page",
)


@verb
def fault(hub: FakeHub, fields: Fields) -> str:
    """Make something go wrong."""
    kind = fields["kind"]
    if kind not in KINDS:
        raise KeyError("kind")
    more: dict[str, Any] = {key: value for key, value in fields.items() if key not in ("kind", "repo")}
    for name in NUMBERS:
        if name in more:
            more[name] = float(more[name]) if "." in more[name] else int(more[name])
    getattr(hub.faults, kind)(**more)
    return f"{kind} it is"


@verb
def clear(hub: FakeHub, fields: Fields) -> str:
    """Nothing goes wrong any more."""
    hub.faults.clear()
    return "all is well"
