"""What tests are called: as JUnit XML calls them."""

from __future__ import annotations

import pytest

from stoat.pytest_plugin.names import of_nodeid


@pytest.mark.parametrize(
    ("nodeid", "feature", "scenario"),
    [
        ("tests/test_api.py::test_it", "tests.test_api", "test_it"),
        ("test_api.py::TestPost::TestInner::test_it", "test_api.TestPost.TestInner", "test_it"),
        ("tests/test_api.py::test_it[a/b]", "tests.test_api", "test_it[a/b]"),
        ("tests/test_api.py::test_it[a::b-[c]]", "tests.test_api", "test_it[a::b-[c]]"),
        ("docs/guide.txt::guide.txt", "docs.guide.txt", "guide.txt"),
        ("tests/test_api.py", "tests.test_api", "tests.test_api"),
        ("../elsewhere/test_x.py::test_it", "elsewhere.test_x", "test_it"),
        ("::mypy-status", "mypy-status", "mypy-status"),
    ],
)
def test_a_test_is_named_by_its_module_and_classes_and_its_own_name(nodeid: str, feature: str, scenario: str) -> None:
    assert of_nodeid(nodeid) == (feature, scenario)
    assert of_nodeid(nodeid).uid == f"{feature}/{scenario}"
