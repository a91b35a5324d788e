"""Fixtures of the tests with real processes."""

from __future__ import annotations

from tests.support.programs import place  # noqa: F401 -- a fixture
