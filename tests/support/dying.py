"""A process killed at its n-th git command that changes something, as a runner is by kill -9: after it or in it."""

from __future__ import annotations

import os
import shutil
import signal
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Literal

When = Literal["after", "during", "orphaned"]
"""after: it has ended, its caller never hears. during: it is killed with its caller. orphaned: its caller dies and it
runs on."""

# Dying at a command that only reads is dying after the last one that did not.
_CHANGES = "add unlock remove repair rebase merge checkout reset symbolic-ref update-ref"

_SCRIPT = """\
#!/bin/sh
case " $* " in {changes}) ;; *) exec '{git}' "$@" ;; esac
n=$(($(cat '{count}') + 1)); echo $n >'{count}'
[ $n -eq {at} ] || exec '{git}' "$@"
case {when} in
  after) '{git}' "$@"; kill -9 $PPID ;;
  during) '{git}' "$@" & sleep {pause}; kill -9 $PPID; kill -9 -$$ ;;
  orphaned) kill -9 $PPID; sleep 0.2; exec '{git}' "$@" ;;
esac
"""


def killed_at(at: int, when: When, directory: Path, work: Callable[[], object], pause: float = 0.003) -> bool:
    """Run `work` in a forked process that dies at its changing git command number `at`; False when it ended itself."""
    fake = directory / f"bin {at} {when}"
    fake.mkdir(parents=True)
    count = fake / "count"
    count.write_text("0")
    changes = "|".join(f'*" {word} "*' for word in _CHANGES.split())
    script = _SCRIPT.format(count=count, at=at, git=shutil.which("git"), when=when, pause=pause, changes=changes)
    (fake / "git").write_text(script)
    (fake / "git").chmod(0o755)
    child = os.fork()
    if child == 0:
        try:
            os.environ["PATH"] = f"{fake}{os.pathsep}{os.environ['PATH']}"
            work()
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0, "the work failed by itself"
    return os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL
