"""The board: pages and REST that only read, live by server-sent events. `create_app` is in `app.py`."""

from __future__ import annotations

PORT = 5526
"""The board's port, unless another one is asked for."""

MONITOR_PORT = 5525
"""Where test runners look for somebody who listens, unless BOBCAT_MONITOR_URL says something else."""
