"""What a test is called on the wire: its feature and its scenario, which together are its identity.

A test of pytest has its module and classes as its feature, dotted, and its own name as its scenario, exactly as
pytest writes `classname` and `name` into JUnit XML, so that a spec is found by the same name whichever way its run
comes in. A scenario of pytest-bdd has the names that stand in its feature file. A row of a table is a scenario of its
own: `[…]` behind the name.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import pytest

COLLECTION = "(collection)"
"""The scenario of a module that could not be collected."""


class Name(NamedTuple):
    """The two halves of a uid `{Feature}/{Scenario}`."""

    feature: str
    scenario: str

    @property
    def uid(self) -> str:
        """The identity that a slice's specs are bound to."""
        return f"{self.feature}/{self.scenario}"


def of_nodeid(nodeid: str) -> Name:
    """`tests/test_api.py::TestPost::test_it[a]` is `tests.test_api.TestPost` and `test_it[a]`."""
    path, _, inside = nodeid.partition("::")
    module = path.removesuffix(".py").replace("/", ".").strip(".")
    plain, bracket, row = inside.partition("[")
    *classes, name = plain.split("::")
    feature = ".".join(part for part in (module, *classes) if part)
    scenario = name + bracket + row
    return Name(feature or scenario, scenario or module)


def of_scenario(item: pytest.Item) -> Name | None:
    """The names that pytest-bdd read from a feature file for this test; None for any other test."""
    function = getattr(item, "function", None)
    bdd = sys.modules.get("pytest_bdd.scenario")
    if function is None or bdd is None:
        return None
    template = getattr(function, "__scenario__", None)
    if template is None:
        template = getattr(bdd, "scenario_wrapper_template_registry", {}).get(function)
    if template is None:
        return None
    row = getattr(item, "callspec", None)
    return Name(str(template.feature.name), f"{template.name}[{row.id}]" if row is not None else str(template.name))
