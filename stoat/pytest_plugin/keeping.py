"""What a run proves, put on the ref once it is over: `python -m stoat.pytest_plugin.keeping RUN`.

A process of its own, because the one that ran the tests may be anything by now: another directory, another clock,
another home. It goes by the archive that the run wrote.
"""

from __future__ import annotations

import sys


def main(run_id: str) -> None:
    """Record the archived run in the store that the working directory and STOAT_STORE lead to."""


if __name__ == "__main__":
    main(sys.argv[1])
