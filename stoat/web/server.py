"""Serving the board and the monitor receiver: sockets on a loopback address, waitress behind them, and an end that
nobody waits for."""

from __future__ import annotations

import contextlib
import errno
import os
import socket
from typing import Any

from flask import Flask
from msgspec import Struct
from waitress import wasyncore
from waitress.server import create_server

from stoat import clock
from stoat.errors import Refused, Unreachable
from stoat.observe import live
from stoat.service.monitoring import Monitor
from stoat.web import PORT
from stoat.web.current import EXTENSION
from stoat.web.live import STREAMS
from stoat.web.monitor import EXTENSION as MONITOR
from stoat.web.person import EXTENSION as PERSON
from stoat.web.person import Door
from stoat.web.refusing import Channel
from stoat.web.security import LOOPBACK
from stoat.web.watch import Watch
from stoat.web.watching import watch_files

THREADS = 12
"""Threads beside those that streams may take, so that pages are answered whatever number of streams is open."""
_BODY_LIMIT = 8 * 1024 * 1024
_HEADER_LIMIT = 64 * 1024
_BACKLOG = 512
_GRACE = 1.0


class Serving(Struct, frozen=True, rename="camel"):
    """What a server says of itself under `stoat/live/`: test runs may publish to `url` as well as to `monitor`."""

    pid: int
    url: str
    since: str
    monitor: str | None = None


def listen(host: str, port: int) -> socket.socket:
    """A listening socket; port 0 takes any free one. Refused for a host that is not this machine alone.

    Unreachable when the port is taken or may not be had.
    """
    if host.strip("[]") not in {name.strip("[]") for name in LOOPBACK}:
        raise Refused(
            f"serving on {host} is not offered: there is no login yet, so whoever reaches the port reads every plan",
            hint=f"serve on 127.0.0.1 and forward the port: ssh -L {PORT}:127.0.0.1:{PORT} THIS-MACHINE",
        )
    family, _, _, _, address = socket.getaddrinfo(host.strip("[]"), port, type=socket.SOCK_STREAM)[0]
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        if os.name == "posix":
            # A port whose last connections are still winding down is free; one that somebody listens on is not.
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(_BACKLOG)
    except OSError as problem:
        listener.close()
        if problem.errno == errno.EADDRINUSE:
            raise Unreachable(
                f"port {port} is taken: another program (perhaps another `stoat serve`) listens on it",
                hint=f"choose another: stoat serve --port {port + 1}, or --port 0 for any free one",
            ) from problem
        raise Unreachable(f"cannot listen on {host}:{port}: {problem.strerror}") from problem
    return listener


def address_of(listener: socket.socket) -> tuple[str, int]:
    """The link to what is served on a socket, and its port."""
    host, port = listener.getsockname()[:2]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}/", port


class BoardServer:
    """The application served on a listening socket; `run` blocks until `stop`, which any thread may call.

    `monitor` is a second socket, at the port where test runners look for somebody who listens: it serves the same.
    """

    def __init__(self, app: Flask, listener: socket.socket, monitor: socket.socket | None = None) -> None:
        listeners = [listener, *([monitor] if monitor is not None else ())]
        self.url = address_of(listener)[0]
        person = app.extensions[PERSON]
        assert isinstance(person, Door)
        self.persons_url = self.url + person.path
        self.monitor_url = address_of(monitor)[0] if monitor is not None else None
        app.config["PORTS"] = tuple(address_of(each)[1] for each in listeners)
        watch, receiver = app.extensions[EXTENSION], app.extensions[MONITOR]
        assert isinstance(watch, Watch) and isinstance(receiver, Monitor)
        self._watch = watch
        self._receiver = receiver
        self._name = self.url.removeprefix("http://").strip("/").replace(":", "-")
        self._sockets: dict[int, Any] = {}
        self._server: Any = create_server(
            app,
            self._sockets,
            sockets=listeners,
            threads=STREAMS + THREADS,
            connection_limit=2 * STREAMS,
            max_request_body_size=_BODY_LIMIT,
            max_request_header_size=_HEADER_LIMIT,
            ident="stoat",
        )
        for each in self._sockets.values():
            if hasattr(each, "channel_class"):
                each.channel_class = Channel
        self._trigger = next(each for each in self._sockets.values() if hasattr(each, "pull_trigger"))

    def run(self) -> None:
        """Serve: watch the files, say that we live, answer. Streams end with it, so that no thread stays behind."""
        common = self._watch.session.store.common
        with contextlib.ExitStack() as ending:
            state = Serving(os.getpid(), self.url, clock.now(), self.monitor_url)
            ending.callback(live.announce(common, "server", self._name, state).close)
            ending.callback(watch_files(common, self._watch.poke).stop)
            ending.callback(self._receiver.stop)
            ending.callback(self._server.task_dispatcher.shutdown, timeout=_GRACE)
            ending.callback(self._watch.stop)
            self._receiver.start()
            self._watch.start()
            self._server.run()

    def stop(self) -> None:
        """Let `run` return at once, with every stream ended. From any thread, and not within a signal handler."""
        self._watch.stop()
        # The server's own loop closes the sockets: its tables are not for other threads. It may do so, the trigger's
        # among them, as soon as it hears of it from anybody, and that can be before the trigger is pulled here.
        with contextlib.suppress(OSError):
            self._trigger.pull_trigger(lambda: wasyncore.close_all(self._sockets))
