"""By which names a slice waits for a test: the one rule for runs that publish and for reports of every format.

A test of feature `tests.test_send.TestSend` and scenario `test_weigh[40]` goes by

    its own names       tests.test_send.TestSend/test_weigh[40], and without its row `[…]`
    shorter ones        what follows any dot of the feature: TestSend/test_weigh[40], TestSend/test_weigh, …

Every test that goes by a spec's name counts for it, red when one is; by a shorter name only where no test has the spec
as a name of its own. What a report's format says beside that (suites, titles, properties) is with its reader.
"""

from __future__ import annotations

from collections.abc import Iterator

WHOLE_RUN = "(the run itself)"
"""The scenario of what is said of a whole run and no test of it shows, as reports are read and as runs are exported."""
FINISHED_PROPERTY = "stoat.finished"
"""The property by which a JUnit suite of Stoat's own says that its run did not finish."""
SPEC_PROPERTY = "stoat.spec"
"""The property by which a JUnit case says which spec it is."""


def own_names(feature: str, scenario: str) -> Iterator[str]:
    """The names of a test itself: whole, and as the table whose row `[…]` it is. Without a feature the name alone."""
    for name in _without_rows(scenario):
        yield f"{feature}/{name}" if feature else name


def shorter_names(feature: str, scenario: str) -> Iterator[str]:
    """Its names with less of a dotted feature."""
    start = feature.find(".")
    while start >= 0:
        yield from own_names(feature[start + 1 :], scenario)
        start = feature.find(".", start + 1)


def _without_rows(scenario: str) -> Iterator[str]:
    yield scenario
    if scenario.endswith("]"):
        start = scenario.find("[")
        while start > 0:
            yield scenario[:start].rstrip()
            start = scenario.find("[", start + 1)
