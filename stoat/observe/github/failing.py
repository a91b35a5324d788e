"""How checks failed: what a check says of itself, its failures in files, and the end of a job's log."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec.structs import replace

from stoat.errors import UNDECODABLE, Unreachable
from stoat.observe.github import nodes
from stoat.observe.github.nodes import Node
from stoat.observe.github.text import Annotation, CheckText, Log

if TYPE_CHECKING:
    from stoat.observe.github.client import Client

ACTIONS = "github-actions"
MOST_EXPLAINED = 8
"""How many failing checks are asked about; the others are named."""
MOST_LOGS = 3
MOST_ANNOTATIONS = 10
LOG_BYTES = 64 * 1024
LOG_LINES = 60

_EXPLAIN = """
fragment Explained on CheckRun {
  title summary
  annotations(first: 50) {
    nodes { annotationLevel title message path location { start { line } } }
  }
}
"""
_NOISE = re.compile(r"\s*Process completed with exit code \d+\.?\s*")
"""What Actions says of every failed step, whatever it was."""
_HAS_LOG = ("failure", "timed_out")
_STAMP = re.compile(r"^\ufeff?\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z ?", re.MULTILINE)
_COLOUR = re.compile(r"\x1b\[[0-9;:]*[mK]")
_COMMAND = re.compile(r"^##\[(?:group|section|command|debug)\]|^##\[endgroup\]\n?", re.MULTILINE)
_MARKED = re.compile(r"^##\[(error|warning|notice)\]", re.MULTILINE)
_CLEANING = re.compile(r"^(?:Post job cleanup\.|Cleaning up orphan processes)", re.MULTILINE)
_NO_LOG = {
    403: "the token may not read logs (it needs the permission Actions: read)",
    404: "GitHub has no log of it, or not yet",
    410: "GitHub keeps its log no longer",
}


class Run(NamedTuple):
    """A check's newest run in the repository `repo`: its node id and its number, which is an Actions job's too."""

    repo: str
    check: CheckText
    id: str | None = None
    number: int | None = None


def explained(client: Client, runs: Iterable[Run], problems: dict[str, None]) -> dict[Run, CheckText]:
    """Those of the runs that failed, with how; what GitHub does not tell is added to `problems`."""
    bad = [run for run in runs if run.check.state == "failed" and run.id][:MOST_EXPLAINED]
    if not bad:
        return {}
    try:
        shown = _ask(client, bad, problems)
        found = {run: _told(client, run, nodes.child(shown, f"c{index}")) for index, run in enumerate(bad)}
        logged = [run for run in bad if run.check.app == ACTIONS and run.check.said in _HAS_LOG and run.number]
        for run in logged[:MOST_LOGS]:
            found[run] = replace(found[run], log=_log(client, run))
    except Unreachable as trouble:
        problems[f"how checks failed: {trouble.message}"] = None
        return {}
    return found


def _ask(client: Client, bad: Sequence[Run], problems: dict[str, None]) -> Mapping[str, Any]:
    parts = " ".join(f"c{index}: node(id: {json.dumps(run.id)}) {{ ...Explained }}" for index, run in enumerate(bad))
    answered = client.graphql(f"query StoatFailing {{ {parts} }}{_EXPLAIN}")
    problems.update({f"how checks failed: {error.message}": None for error in answered.errors})
    return answered.data


def _told(client: Client, run: Run, shown: Node) -> CheckText:
    """The check with what it says of itself."""
    if "annotations" in shown and isinstance(shown["annotations"], Mapping):
        listed = [
            Annotation(nodes.text(one, "path"), _line(one), nodes.text(one, "title"), nodes.text(one, "message"))
            for one in nodes.shown(shown, "annotations")
            if nodes.word(one, "annotationLevel") == "failure"
        ]
    else:
        listed = _by_rest(client, run)
    failures = [one for one in listed if not _NOISE.fullmatch(one.message)]
    return replace(
        run.check,
        title=nodes.text(shown, "title") or run.check.title,
        summary=nodes.text(shown, "summary"),
        annotations=tuple(failures[:MOST_ANNOTATIONS]),
        more_annotations=max(0, len(failures) - MOST_ANNOTATIONS),
    )


def _by_rest(client: Client, run: Run) -> list[Annotation]:
    """The annotations as REST has them, for a server whose GraphQL shows none."""
    if run.number is None:
        return []
    try:
        answer = client.get(f"/repos/{run.repo}/check-runs/{run.number}/annotations?per_page=50")
        found = answer.json()
    except (Unreachable, *UNDECODABLE):
        return []
    return [
        Annotation(
            nodes.text(one, "path"), nodes.number(one, "start_line") or None, nodes.text(one, "title"),
            nodes.text(one, "message"),
        )
        for one in found if isinstance(found, list)
        if isinstance(one, Mapping) and nodes.word(one, "annotation_level") == "failure"
    ]  # fmt: skip


def _log(client: Client, run: Run) -> Log:
    """The end of a job's log. It lies on another host, which the client asks without the token."""
    try:
        answer = client.get(f"/repos/{run.repo}/actions/jobs/{run.number}/logs", tail=LOG_BYTES)
    except Unreachable as trouble:
        return Log(missing=trouble.message)
    if answer.status not in (200, 206):
        return Log(missing=_NO_LOG.get(answer.status, f"GitHub answered {answer.status}"))
    return tail(answer.body, cut=len(answer.body) >= LOG_BYTES)


def tail(body: bytes, *, cut: bool = False) -> Log:
    """The last lines of a job's log for people: no times, no colours, and not how the runner cleaned up afterwards.

    `cut` says that the log begins before `body`, whose first line may then be half of one.
    """
    text = body.decode("utf-8", "replace").replace("\r\n", "\n")
    if cut:
        text = text.partition("\n")[2]
    text = _MARKED.sub(r"\1: ", _COMMAND.sub("", _COLOUR.sub("", _STAMP.sub("", text))))
    cleaning = _CLEANING.search(text)
    lines = text[: cleaning.start() if cleaning and cleaning.start() else None].rstrip().splitlines()
    return Log("\n".join(lines[-LOG_LINES:]), cut or len(lines) > LOG_LINES)


def _line(annotation: Node) -> int | None:
    return nodes.number(nodes.child(annotation, "location", "start"), "line") or None
