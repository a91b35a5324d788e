"""A resident run looks at GitHub by itself, and is woken by what any sweep saw."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest

from stoat.observe.github.now import keep_now
from stoat.plan.github import GitHubNow
from stoat.runner.waking import Waker
from stoat.service import plans
from tests.runner.conftest import World
from tests.support.command import Stoat
from tests.support.fakehub import FakeHub
from tests.support.waiting import wait_until

pytestmark = pytest.mark.slow


def test_what_is_on_github_reaches_the_status_without_a_sweep_by_hand(world: World, tmp_path: Path) -> None:
    with FakeHub(tmp_path / "hub") as hub:
        widgets = hub.repository("acme/widgets")
        widgets.issue("Fix lanes")
        world.plan("nodes: [{id: fix, kind: issue, repo: acme/widgets, issue: 1}]", approve=False)
        environ = {**world.environ, "STOAT_GITHUB_API": hub.url, "GH_TOKEN": hub.token}
        runner = Stoat(world.repo.path).start(*world.flags("--watch", "--poll-seconds", "3600"), env=environ)
        try:
            wait_until(lambda: world.statuses() == {"fix": "open"}, 20, "the first sweep")
            pull = widgets.pull("Another", head="another")
            pull.merge()
            document = "schema: 1\nplan: q\nnodes: [{id: pull, kind: pr, repo: acme/widgets, pr: 2}]"
            plans.import_document(world.session, document)
            wait_until(lambda: world.statuses("q") == {"pull": "done"}, 20, "the look at a new node")
            (world.repo.path / ".stoat-stop").touch()
            _, err = runner.communicate(timeout=20)
            assert runner.returncode == 0, err
        finally:
            runner.kill()


def test_a_sleeper_is_woken_by_what_a_sweep_saw(world: World) -> None:
    waker = Waker(world.session.store.common, world.repo.path)
    try:
        waker.sleep(0.3, [])
        beside = threading.Timer(0.1, keep_now, (world.session.store.common, GitHubNow(problem="away")))
        beside.start()
        begun = time.monotonic()
        waker.sleep(30, [])
        assert time.monotonic() - begun < 15
        beside.join()
    finally:
        waker.close()
