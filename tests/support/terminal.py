"""A terminal that a test gives to a command: a real pty, and the screen that its output makes."""

from __future__ import annotations

import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pyte

from tests.support.waiting import wait_until


class Terminal:
    """`stoat` on a terminal of its own; `screen()` is what a person sees, `raw` all that was written."""

    def __init__(
        self, arguments: Sequence[str], *, cwd: Path, env: Mapping[str, str], columns: int = 100, rows: int = 24
    ) -> None:
        self._screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self._screen)
        self._lock = threading.Lock()
        self.raw = b""
        self._own, theirs = pty.openpty()
        self._size(columns, rows)
        clean = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLUMNS", "LINES")}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "stoat", *arguments],
            cwd=cwd, env={**clean, "TERM": "xterm-256color", "LANG": "C.UTF-8", **env}, start_new_session=True,
            stdin=theirs, stdout=theirs, stderr=theirs, preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )  # fmt: skip
        os.close(theirs)
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        while True:
            try:
                data = os.read(self._own, 65536)
            except OSError:
                return
            if not data:
                return
            with self._lock:
                self.raw += data
                self._stream.feed(data)

    def _size(self, columns: int, rows: int) -> None:
        fcntl.ioctl(self._own, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def resize(self, columns: int, rows: int) -> None:
        """Give it another size, as a person does at a window's edge."""
        with self._lock:
            self._screen.resize(rows, columns)
        self._size(columns, rows)

    def screen(self) -> list[str]:
        """The lines on the screen, without the empty ones below."""
        with self._lock:
            lines = [line.rstrip() for line in self._screen.display]
        while lines and not lines[-1]:
            lines.pop()
        return lines

    def shows(self, *words: str) -> list[str]:
        """Wait until one line of the screen has all of these words; the screen then."""
        found: Callable[[], list[str]] = lambda: next(  # noqa: E731
            ([*self.screen()] for line in self.screen() if all(word in line for word in words)), []
        )
        return wait_until(found, 60, f"{words} on the screen")

    def type(self, text: str) -> None:
        """Press keys: `\\x03` is Ctrl-C."""
        os.write(self._own, text.encode())

    def end(self, seconds: float = 30) -> int:
        """Wait for the command's end; its exit code."""
        code = self.process.wait(seconds)
        self._reader.join(5)
        os.close(self._own)
        return code
