"""The board: pages and REST that only read, live by server-sent events. `create_app` is in `app.py`."""

from __future__ import annotations

PORT = 5526
"""The board's port, unless another one is asked for."""
