"""What a run proves, put on the ref once it is over: `python -m stoat.pytest_plugin.keeping RUN`. With `begun` behind
it, that it has begun, so that it reads as lost when it is killed.

A process of its own, because the one that ran the tests may be anything by now: another directory, another clock,
another home. It goes by the archive that the run wrote.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from stoat.errors import NotFound, StoatError
from stoat.observe.archive import Archive
from stoat.service import proving
from stoat.service.session import open_session

TRIES, PAUSE = 30, 2.0
"""How often, and how many seconds apart, a store is tried that somebody holds."""


def main(run_id: str, begun: bool) -> None:
    """Record the archived run in the store that the working directory and STOAT_STORE lead to; with `begun` only that
    it goes on, if it still does."""
    for _ in range(TRIES):
        try:
            session = open_session(Path.cwd())
            run = Archive.of(session.store.common).read(run_id)
            if begun and run.finished:
                return
            run.orphaned = not begun
            proving.prove(session, [proving.Heard(run, proving.tree_now(run))])
            return
        except NotFound:
            return
        except StoatError:
            time.sleep(PAUSE)


if __name__ == "__main__":
    main(sys.argv[1], "begun" in sys.argv[2:])
