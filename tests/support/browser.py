"""A real Chromium for the tests marked `browser`: the system's own, through Playwright, off the network."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome")

CHROMIUM_ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-sync",
    "--metrics-recording-only",
    "--no-first-run",
    # A page that asks for anything beyond this machine gets "not found" instead of a slow time-out.
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE localhost , EXCLUDE 127.0.0.1",
)


@pytest.fixture(scope="session")
def browser(_isolated_session: None) -> Iterator[Browser]:
    """One headless Chromium for the session; the test is skipped, with the reason, where there is none."""
    program = next(filter(None, map(shutil.which, CHROMIUM_NAMES)), None)
    if program is None:
        pytest.skip(f"no browser: none of {', '.join(CHROMIUM_NAMES)} is on the PATH")
    api = pytest.importorskip("playwright.sync_api", reason="no browser: playwright is not installed")
    with api.sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=program, args=list(CHROMIUM_ARGUMENTS))
        yield running
        running.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A fresh page in a context of its own; an error that no script of its caught fails the test."""
    with browser.new_context() as context:
        page = context.new_page()
        errors: list[str] = []
        page.on("pageerror", lambda error: errors.append(str(error)))
        yield page
        assert errors == []
