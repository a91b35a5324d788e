"""`stoat serve`: the board in a browser and the monitor receiver for test runs, until Ctrl-C."""

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
from stoat.errors import Unreachable
from stoat.web import MONITOR_PORT, PORT


def serve(
    host: Annotated[str, typer.Option("--host", help="The address: one of this machine's own.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="The board's port; 0 takes a free one.")] = PORT,
    monitor_port: Annotated[
        int,
        typer.Option("--monitor-port", min=0, max=65535, help="The port where test runs publish; 0 takes a free one."),
    ] = MONITOR_PORT,
    no_monitor: Annotated[
        bool, typer.Option("--no-monitor", help="Open no port of its own for test runs; the board's takes them too.")
    ] = False,
    no_sweep: Annotated[
        bool, typer.Option("--no-sweep", help="Look neither at GitHub once a minute nor at the plans' branches.")
    ] = False,
) -> None:
    """Serve the board on this machine: plans, graphs and nodes, live. Who opens the person's link can steer runners.

    Prints the link to open and serves until Ctrl-C. What the plans have on GitHub is looked at once a minute meanwhile,
    and test runs with a tag (BOBCAT_RUN_TAG) publish what they see to the monitor's port.
    """
    from stoat.cli import logs
    from stoat.service import icons
    from stoat.service.sweeper import Sweeper
    from stoat.web.app import create_app
    from stoat.web.server import BoardServer, listen

    logs.to_stderr()
    session = context.session()
    seeded.take_in(session)
    app = create_app(session)
    listener = listen(host, port)
    monitor, why_not = None, ""
    if not no_monitor:
        try:
            monitor = listen(host, monitor_port)
        except Unreachable as problem:
            why_not = problem.message
    server = BoardServer(app, listener, monitor)
    sweeper = Sweeper(session, os.environ, "stoat serve", then=icons.refresh)
    with stopped_by_signals(server.stop) as received:
        render.say(f"the board: {server.url}")
        if server.monitor_url is not None:
            render.say(f"the monitor: {server.monitor_url}")
        if session.actor.as_ == "person":
            render.say(f"to steer from it, open: {server.persons_url}")
        sys.stdout.flush()
        if why_not:
            render.tell(f"no monitor there: {why_not}")
            render.tell(f"test runs can publish to the board: BOBCAT_MONITOR_URL={server.url.rstrip('/')}")
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
