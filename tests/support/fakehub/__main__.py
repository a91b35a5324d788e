"""`python -m tests.support.fakehub DIRECTORY`: the fake GitHub by hand, until Ctrl-C."""

from __future__ import annotations

import argparse
import shlex
import signal
import sys
import threading
from pathlib import Path

from tests.support.fakehub.control import HELP
from tests.support.fakehub.hub import FakeHub
from tests.support.fakehub.sample import sample

INTRODUCTION = """\
A GitHub of your own, at {url} (Ctrl-C ends it; its issues live no longer than it does).

Point Stoat at it, and clone its repository; the clone's remote is a directory, so say whose it is:

  export STOAT_GITHUB_API={url} GH_TOKEN={token}
  git clone {git} && cd {directory}
  git config stoat.repo {repo}

From an issue to done:

  git switch -c stoat/tour/lanes && … && git push origin stoat/tour/lanes
  curl -H 'Authorization: Bearer {token}' {url}/repos/{repo}/pulls \\
       -d '{{"title": "Fix lanes", "head": "stoat/tour/lanes", "base": "main", "body": "Fixes #2"}}'
  curl -d number=4 -d name=test -d result=success {url}/_hub/check
  curl -d number=4 {url}/_hub/merge

"""


def main(arguments: list[str] | None = None) -> int:
    """Run it; 2 when the directory cannot be used."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.support.fakehub",
        description="A fake GitHub over HTTP with real bare repositories, for trying things out with no account.",
        epilog=HELP.format(url="URL"),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("directory", type=Path, help="where its bare repositories go: a new or an empty directory")
    parser.add_argument("--port", type=int, default=0, help="the port on 127.0.0.1 (default: any that is free)")
    parser.add_argument("--token", default="fake-token", help="the token it accepts (default: fake-token)")
    parser.add_argument("--socket", type=Path, help="a UNIX socket to listen on as well, for gh (http_unix_socket)")
    parser.add_argument(
        "--unknown-reads",
        type=int,
        default=1,
        metavar="N",
        help="how many reads say that nobody knows whether a pull request merges, after each push (default: 1)",
    )
    options = parser.parse_args(arguments)
    directory: Path = options.directory.resolve()
    if directory.is_file() or (directory.is_dir() and any(directory.iterdir())):
        print(
            f"{directory} is there and not empty; a fake GitHub starts anew: give another directory.", file=sys.stderr
        )
        return 2
    hub = FakeHub(
        directory,
        token=options.token,
        port=options.port,
        socket=options.socket,
        unknown_reads=options.unknown_reads,
    )
    ended = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: ended.set())
    with hub:
        repo = sample(hub)
        where = {"git": shlex.quote(str(repo.git)), "directory": repo.git.stem, "repo": repo.name}
        print(INTRODUCTION.format(url=hub.url, token=hub.token, **where), end="")
        print(HELP.format(url=hub.url), flush=True)
        ended.wait()
    return 0


if __name__ == "__main__":
    sys.exit(main())
