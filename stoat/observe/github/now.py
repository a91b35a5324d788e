"""What the last sweep saw and did not record, kept beside the store: `stoat/volatile/github.json`.

It is nobody's history. Gone or damaged it reads as empty, and the next sweep writes it anew.
"""

from __future__ import annotations

import contextlib
from pathlib import Path

import msgspec

from stoat.errors import UNDECODABLE
from stoat.observe.replacing import replaced
from stoat.plan.github import GitHubNow

NAME = "github.json"


def folder(common_dir: Path) -> Path:
    """The directory of what is seen just now, under the common git directory."""
    return common_dir / "stoat" / "volatile"


def read_now(common_dir: Path) -> GitHubNow:
    """What the last sweep saw; an empty one when there is none that can be read."""
    try:
        return msgspec.json.decode((folder(common_dir) / NAME).read_bytes(), type=GitHubNow)
    except (OSError, *UNDECODABLE):
        return GitHubNow()


def keep_now(common_dir: Path, now: GitHubNow) -> None:
    """Put it in the place of the last one, in one step. A disk that takes nothing loses what the next sweep brings."""
    with contextlib.suppress(OSError):
        replaced(folder(common_dir) / NAME, msgspec.json.encode(now))


def forget_now(common_dir: Path) -> None:
    """Take it away: nothing hangs on GitHub any more."""
    with contextlib.suppress(OSError):
        (folder(common_dir) / NAME).unlink(missing_ok=True)
