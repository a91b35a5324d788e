"""Where every error of the command line ends: a sentence, a hint, an exit code; never a traceback on the screen."""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from stoat.errors import INTERRUPTED, StoatError

INTERNAL = 1


def ending(run: Callable[[], object]) -> int:
    """Run a command and give the code that the process ends with, having said on stderr what went wrong."""
    for stream in (sys.stdout, sys.stderr):
        # A terminal of another encoding gets an escape instead of a crash.
        with contextlib.suppress(AttributeError, ValueError):
            stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    try:
        run()
        sys.stdout.flush()
    except SystemExit as end:
        return _flushed(end.code if isinstance(end.code, int) else 0 if end.code is None else 1)
    except StoatError as problem:
        _say(problem.message)
        if problem.hint:
            _say(f"hint: {problem.hint}")
        return problem.exit_code
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        return reader_gone()
    except Exception as problem:
        _say(f"stoat failed by itself: {type(problem).__name__}: {problem}")
        _say(f"hint: this is an error in Stoat; {_keep_traceback()}")
        return INTERNAL
    return 0


def _say(text: str) -> None:
    from stoat.cli.render import tell

    tell(text)


def _flushed(code: int) -> int:
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        return reader_gone()
    return code


def reader_gone() -> int:
    """The code for when the reader went away, as `head` does: nothing to say, and nothing to fail on at exit."""
    sys.stdout = open(os.devnull, "w")  # noqa: SIM115, PTH123 -- it lives until the process ends
    return 0


def _keep_traceback() -> str:
    """Write the traceback where the store keeps its logs, else to the temporary directory; says where it is."""
    import traceback

    text = f"{sys.argv}\n{traceback.format_exc()}"
    for folder_of in (_logs, tempfile.gettempdir):
        # Whatever the failure was about may well be in the way here too.
        with contextlib.suppress(Exception):
            file = Path(folder_of()) / f"error-{os.getpid()}.log"
            file.write_text(text, encoding="utf-8", errors="backslashreplace")
            return f"the details are in {file}"
    return "its details could be written nowhere"


def _logs() -> Path:
    from stoat.cli import context
    from stoat.gitstore import opening

    place = opening.locate(Path.cwd(), context.store_flag(), os.environ)
    folder = opening.common_directory(place) / "stoat" / "logs"
    folder.mkdir(parents=True, exist_ok=True)
    return folder
