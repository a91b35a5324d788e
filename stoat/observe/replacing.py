"""Files beside the store, replaced in one step: a reader finds the old one or the new one, never a part of one."""

from __future__ import annotations

import os
import threading
from pathlib import Path

DRAFT = ".new"
"""How the name of a draft ends. One that is left lying was a killed process's."""


def replaced(place: Path, data: bytes, mode: int = 0o644) -> None:
    """Put `data` in the place of what is there, making its directory where there is none; OSError as the disk has it.

    `mode` is the new file's, less what the process's umask takes away; nobody else reads more of the draft either.
    """
    draft = place.with_name(f"{place.name}.{os.getpid()}-{threading.get_ident()}{DRAFT}")
    place.parent.mkdir(parents=True, exist_ok=True)
    # What a killed process of the same number left may be open to others.
    draft.unlink(missing_ok=True)
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        draft.replace(place)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
