"""pytest's own happenings, handed to the story of the run. Only the process that the user started tells it.

With pytest-xdist that is the controller: the workers' reports come to it. All that a worker adds is what a report
would not say by itself: the names of a pytest-bdd scenario, and the call that "flaky" keeps to itself.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from stoat.plan.variables import RUN_TAG
from stoat.pytest_plugin import names
from stoat.pytest_plugin.names import Name
from stoat.pytest_plugin.publishing import Publisher, Settings
from stoat.pytest_plugin.story import Report, Story

TAKEN = "STOAT_PYTEST_TAG"
"""Set while a run publishes under its tag: a pytest that one of its tests starts is no run of that tag."""

LOOKS_ONLY = ("collectonly", "setupplan", "setuponly", "showfixtures", "show_fixtures_per_test")
"""Options with which pytest runs no test, although it may report some as passed."""


def register(config: pytest.Config) -> None:
    """Make this run publish itself, if it is one that runs tests and is not a test of one that does already."""
    flaky, bdd = (config.pluginmanager.has_plugin(name) for name in ("flaky", "pytest-bdd"))
    worker = hasattr(config, "workerinput")
    if not worker:
        if os.environ.get(TAKEN) == os.environ[RUN_TAG] or any(
            getattr(config.option, name, False) for name in LOOKS_ONLY
        ):
            return
        settings = Settings.read(os.environ, Path(config.rootpath))
        config.pluginmanager.register(Teller(config, Publisher(settings)), "stoat-teller")
        # From 3.12 Python warns of a fork beside a thread. The thread is ours, so where warnings are errors the test
        # that forks would fail because of us.
        config.addinivalue_line("filterwarnings", "ignore:This process .* is multi-threaded:DeprecationWarning")
    if flaky or (bdd and worker):
        config.pluginmanager.register(Marks(), "stoat-marks")


class Marks:
    """Says on a report what the controller of pytest-xdist could not know. Registered where there is such a thing."""

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Add the scenario's names, and to the last report how a call ended that may have gone unreported."""
        report = yield
        with contextlib.suppress(Exception):
            if report.when == "setup":
                name = names.of_scenario(item)
                if name is not None:
                    report.stoat_name = list(name)  # type: ignore[attr-defined]
            elif report.when == "call":
                item.stash[_CALL] = _message(report) if report.failed else ""
            elif report.when == "teardown" and _CALL in item.stash:
                report.stoat_call = item.stash[_CALL]  # type: ignore[attr-defined]
        return report


_CALL = pytest.StashKey[str]()


class Teller:
    """The hooks of the process that tells the run. None of them lets anything out that goes wrong in it."""

    def __init__(self, config: pytest.Config, publisher: Publisher) -> None:
        self.config = config
        self.publisher = publisher
        settings = publisher.settings
        self.story = Story(settings.run_id, publisher.post, publisher.now, settings.owned)
        self.session: pytest.Session | None = None
        self.started = ""
        self.distributed = False
        self.each = False
        self.late = False
        self.named: dict[str, Name] = {}
        self.at: dict[str, str] = {}

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionstart(self, session: pytest.Session) -> None:
        """Look for somebody who listens, while pytest collects."""
        with contextlib.suppress(Exception):
            self.session = session
            self.started = self.publisher.now()
            self.distributed = self.config.pluginmanager.has_plugin("dsession")
            self.each = self.distributed and self.config.getoption("dist", "no") == "each"
            # Who a test is comes only with its first report: by its worker, or from a feature file that it read.
            self.late = self.each or (self.distributed and self.config.pluginmanager.has_plugin("pytest-bdd"))
            os.environ[TAKEN] = self.publisher.settings.tag
            self.publisher.start()

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Now it is known how many tests there are."""
        with contextlib.suppress(Exception):
            for item in session.items:
                name = names.of_scenario(item)
                if name is not None:
                    self.named[item.nodeid] = name
            self._begin(len(session.items))
            self.publisher.look()

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, node: Any, ids: list[str]) -> None:
        """The same from a worker, of which the first to answer knows as much as the others."""
        with contextlib.suppress(Exception):
            self._begin(None if self.each else len(ids))

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Something could not be collected."""
        if report.failed:
            with contextlib.suppress(Exception):
                self.story.broken(names.of_nodeid(report.nodeid), _message(report))

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """A test starts."""
        if self.publisher.gone:
            return
        with contextlib.suppress(Exception):
            if self.late:
                self.at[nodeid] = self.publisher.now()
            else:
                self.story.start(nodeid, self.named.get(nodeid) or names.of_nodeid(nodeid))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """A phase of a test is over."""
        if self.publisher.gone:
            return
        with contextlib.suppress(Exception):
            self._report(report)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodeready(self, node: Any) -> None:
        """A worker is ready."""
        with contextlib.suppress(Exception):
            started = getattr(getattr(node.gateway, "_io", None), "popen", None)
            self.story.worker_up(_lane(node), getattr(started, "pid", None))

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any, error: object) -> None:
        """A worker is gone; `error` says that it died."""
        with contextlib.suppress(Exception):
            self.story.worker_down(_lane(node), str(error) if error else None)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Say once that the tag names nothing: the run goes on as it is, and counts for nothing."""
        with contextlib.suppress(Exception):
            said = self.publisher.stray()
            if said is not None:
                terminalreporter.write_line(f"stoat: {said}")

    @pytest.hookimpl(trylast=True)
    def pytest_unconfigure(self) -> None:
        """The run is over: tell it, and wait a moment for it to be heard. Only now is its exit code final."""
        with contextlib.suppress(Exception):
            if self.session is None:
                return
            if os.environ.get(TAKEN) == self.publisher.settings.tag:
                del os.environ[TAKEN]
            self._begin(None)
            self.story.finish(int(self.session.exitstatus))
            self.publisher.close()

    def _begin(self, total: int | None) -> None:
        settings = self.publisher.settings
        header = {"suite": settings.suite, "mode": "pytest", "startedAt": self.started, "tag": settings.tag}
        self.story.begin(header, total)

    def _report(self, report: pytest.TestReport) -> None:
        key = report.nodeid
        node = getattr(report, "node", None)
        lane = None if node is None else _lane(node)
        if self.each:
            key = f"{key} gw{lane}"
        at = self.at.pop(report.nodeid, None) if self.late else None
        if at is not None or key not in self.story.tests:
            self.story.start(key, self._name(report, lane), at)
        outcome, message = report.outcome, ""
        if outcome != "passed":
            expected = getattr(report, "wasxfail", None) if outcome == "skipped" else None
            message = _message(report) if expected is None else f"expected to fail: {expected}"
        part, unlogged = hasattr(report, "context"), getattr(report, "stoat_call", None)
        self.story.report(key, Report(report.when or "???", outcome, report.duration, message, part, unlogged, lane))

    def _name(self, report: pytest.TestReport, lane: int | None) -> Name:
        said = getattr(report, "stoat_name", None)
        name = Name(*said) if said else self.named.get(report.nodeid) or names.of_nodeid(report.nodeid)
        return Name(name.feature, f"{name.scenario}[gw{lane}]") if self.each else name


def _lane(node: Any) -> int:
    """The number of a worker: 3 for gw3."""
    return int("".join(filter(str.isdigit, node.gateway.id)) or 0)


def _message(report: pytest.TestReport | pytest.CollectReport) -> str:
    """What a report says went wrong, without the source around it."""
    problem = report.longrepr
    crash = getattr(problem, "reprcrash", None)
    if crash is not None:
        return str(crash.message)
    if isinstance(problem, tuple):
        return str(problem[2])
    return str(problem or "")
