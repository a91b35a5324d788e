"""The names of the environment that tell a process which agent it is, what it works on, and where the store is.

The runner sets them for an agent, the commands that the agent runs read them. `BOBCAT_RUN_TAG` is the one that test
reporters know.
"""

from __future__ import annotations

AGENT = "STOAT_AGENT"
"""The agent's name. Where it is set, a person's command is refused."""

SESSION = "STOAT_SESSION"
PLAN = "STOAT_PLAN"
NODE = "STOAT_NODE"
ATTEMPT = "STOAT_ATTEMPT"

CLAIM = "STOAT_CLAIM"
"""The id of the claim that the agent works under. Every process that it started is known by it."""

STORE = "STOAT_STORE"

MACHINE = "STOAT_MACHINE"
"""Where the reservations of this machine are, when not under the user's home."""

RUN_TAG = "BOBCAT_RUN_TAG"
"""What a test run counts for: PLAN/NODE or PLAN/NODE/STEP."""
