"""`stoat serve`: the board in a browser, until Ctrl-C."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Annotated

import typer

from stoat.cli import context, render, seeded
from stoat.errors import Refused
from stoat.web import PORT


def serve(
    host: Annotated[str, typer.Option("--host", help="The address: one of this machine's own.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="The board's port; 0 takes a free one.")] = PORT,
    monitor_port: Annotated[
        int | None, typer.Option("--monitor-port", min=0, max=65535, help="Not there yet: the monitor receiver's port.")
    ] = None,
    no_sweep: Annotated[bool, typer.Option("--no-sweep", help="Do not look at GitHub once a minute.")] = False,
) -> None:
    """Serve the board on this machine: plans, graphs and nodes, live. It only shows; `stoat` itself decides.

    Prints the link to open and serves until Ctrl-C. What the plans have on GitHub is looked at once a minute meanwhile.
    """
    if monitor_port is not None:
        raise Refused("this version has no monitor receiver to put on a port", "leave --monitor-port out")
    from stoat.service import icons
    from stoat.service.sweeper import Sweeper
    from stoat.web.app import create_app
    from stoat.web.server import BoardServer, listen

    session = context.session()
    seeded.take_in(session)
    app = create_app(session)
    server = BoardServer(app, listen(host, port))
    sweeper = Sweeper(session, os.environ, "stoat serve", then=icons.refresh)
    with stopped_by_signals(server.stop) as received:
        render.say(f"the board: {server.url}")
        sys.stdout.flush()
        render.tell("Ctrl-C ends it; nothing is lost")
        if not no_sweep:
            sweeper.start()
        try:
            server.run()
        finally:
            sweeper.stop()
    if received == [signal.SIGINT]:
        raise KeyboardInterrupt


@contextlib.contextmanager
def stopped_by_signals(stop: Callable[[], None]) -> Iterator[list[signal.Signals]]:
    """Call `stop` once on SIGINT or SIGTERM; gives the list of what was received. A second one ends the hard way."""
    received: list[signal.Signals] = []

    def on_signal(number: int, _: FrameType | None) -> None:
        received.append(signal.Signals(number))
        for each, handler in before.items():
            signal.signal(each, handler)
        # Not here: a handler runs in the middle of whatever the main thread holds locked.
        threading.Thread(target=stop, name="stoat-stop", daemon=True).start()

    before = {each: signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)}
    for each in before:
        signal.signal(each, on_signal)
    try:
        yield received
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
