"""By which names tests count for a spec: the same in a run that published and in one that was added."""

from __future__ import annotations

from pathlib import Path

import pytest

from stoat.plan.monitor.fold import fold
from stoat.plan.specs import own_names, shorter_names
from tests.support.reports import told
from tests.support.streams import Publisher

DEEP = "tests.test_send.TestSend"


def test_a_test_has_its_own_names_and_shorter_ones() -> None:
    assert list(own_names(DEEP, "test_a")) == [f"{DEEP}/test_a"]
    assert list(own_names("", "test_a")) == ["test_a"]
    assert list(own_names("F", "a[x[1]]")) == ["F/a[x[1]]", "F/a", "F/a[x"]
    assert list(own_names("F", "[1]")) == ["F/[1]"]
    assert list(shorter_names(DEEP, "a[1]")) == [
        "test_send.TestSend/a[1]", "test_send.TestSend/a", "TestSend/a[1]", "TestSend/a"
    ]  # fmt: skip
    assert list(shorter_names("Parcels", "Send one")) == []


@pytest.mark.parametrize(
    ("tests", "green", "red"),
    [
        ({f"{DEEP}/one": True}, ("TestSend/one",), ()),
        ({f"{DEEP}/one": False}, (), ("TestSend/one",)),
        ({f"{DEEP}/one[1]": True, f"{DEEP}/one[2]": True}, ("TestSend/one",), ()),
        ({f"{DEEP}/one[1]": True, f"{DEEP}/one[2]": False}, (), ("TestSend/one",)),
        ({"tests.a.TestSend/one": True, "tests.b.TestSend/one": False}, (), ("TestSend/one",)),
        ({"TestSend/one": True, "tests.b.TestSend/one": False}, ("TestSend/one",), ()),
        ({"TestSend/one": False, "tests.b.TestSend/one": True}, (), ("TestSend/one",)),
        ({"MyTestSend/one": True, "TestSend.x/one": True, "F/x.TestSend/one": True}, (), ()),
    ],
)  # fmt: skip
def test_published_or_from_a_report_a_spec_is_found_by_the_same_names(
    tmp_path: Path, tests: dict[str, bool], green: tuple[str, ...], red: tuple[str, ...]
) -> None:
    says, cases, run = Publisher(), "", None
    for uid, passed in tests.items():
        says.scenario(uid, "CleanPass" if passed else "Failed", steps=0)
        feature, _, name = uid.partition("/")
        cases += f"<testcase classname='{feature}' name='{name}'>{'' if passed else '<failure/>'}</testcase>"
    for event in says.events:
        run = fold(run, event)
    assert run is not None and run.specs(("TestSend/one", "Else/one")) == (green, red)
    report = tmp_path / "report.xml"
    report.write_text(f"<testsuite name='s'>{cases}</testsuite>", encoding="utf-8")
    added = told([report], "junit", ["TestSend/one", "Else/one"])
    assert (added.assembly.green, added.assembly.red) == (set(green), set(red))
    assert added.assembly.passed + added.assembly.failed == len(added.run.scenarios)
