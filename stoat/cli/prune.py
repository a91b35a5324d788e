"""`stoat prune`: remove worktrees whose work is over, or say which could go and why the others stay."""

from __future__ import annotations

from typing import Annotated

import typer

from stoat.cli import context, render
from stoat.cli.context import Json
from stoat.cli.moving import moving


def prune(
    apply: Annotated[bool, typer.Option("--apply", help="Remove them; without it nothing is changed.")] = False,
    pr: Annotated[
        int | None,
        typer.Option("--pr", metavar="N", min=1, help="Only those with a commit of this pull request checked out."),
    ] = None,
    ignored: Annotated[
        bool, typer.Option("--ignored", help="Also such with ignored files (build output, .env): these go too.")
    ] = False,
    json: Json = False,
) -> None:
    """Remove the worktrees whose work is over, that nobody uses, and whose every commit is on the remote.

    Without --apply it only says which could go. All others stay, each with its reasons. Nothing is removed when the
    remote cannot be asked. A worktree's local branch goes with it if the remote has all of it; branches on the remote
    never do.
    """
    from stoat.derive.wording import prune as say
    from stoat.service import pruning

    with moving("looking at worktrees"):
        done = pruning.prune(context.session(), apply=apply, pull=pr, ignored=ignored)
    trouble = pruning.trouble_of(done)
    if json:
        render.json(done)
    else:
        word = "removed" if done.applied else "can go"
        rows = [(path, _size(done.bytes[path]), word, done.reasons[path]) for path in done.removed]
        rows += [(one.path, _size(one.bytes), "kept", one.why) for one in done.kept]
        render.table(("worktree", "size", "what", "why"), rows, empty="there are no worktrees beside the main one")
        freed = sum(done.bytes[path] for path in done.removed)
        if rows:
            render.say()
            render.say(say.total(len(done.removed), len(rows), _size(freed), done.applied))
        if done.branches:
            render.say(render.clean(say.branches(done.branches)))
    if trouble is not None:
        raise trouble


def _size(count: int) -> str:
    """Bytes for people."""
    size = float(count)
    for unit in ("B", "kB", "MB", "GB"):
        if size < 1000:
            return f"{size:.0f} {unit}" if size >= 10 or unit == "B" else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} TB"
