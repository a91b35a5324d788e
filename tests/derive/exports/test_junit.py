"""JUnit: what CI systems read, and no red that is not."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from stoat.derive.exports import junit
from stoat.plan.monitor.fold import fold
from stoat.plan.monitor.run import Run


def run(*outcomes: tuple[str, str | None, dict[str, Any]]) -> Run:
    folded = Run("r-1", suite="Acme", started_at="2026-12-01T10:00:00.000Z", finished=True)
    for uid, outcome, more in outcomes:
        feature, _, name = uid.partition("/")
        number = more.pop("attempt", 1)
        at = f"2026-12-01T10:00:0{number}Z"
        fold(folded, {"runId": "r-1", "type": "scenario_started", "uid": uid, "feature": feature, "scenario": name,
                      "attempt": number, "at": at})  # fmt: skip
        if outcome is not None:
            fold(folded, {"runId": "r-1", "type": "scenario_finished", "uid": uid, "outcome": outcome, "at": at,
                          "attempts": number, **more})  # fmt: skip
    return folded


def test_a_run_is_told_whole() -> None:
    told = junit.export(
        run(
            ("Parcels/Send one", "CleanPass", {"durationMs": 1250}),
            ("Other/x", "CleanPass", {}),
            ("Parcels/Flaky one", "Failed", {"errorMessage": "first\nat x"}),
            ("Parcels/Flaky one", "PassOnRetry", {"attempt": 2}),
            ("Parcels/Lose <one>", "Failed", {"errorMessage": "one & only"}),
            ("Parcels/Lose <one>", "Failed", {"errorMessage": "two", "attempt": 2}),
            ("Parcels/Odd one", "Aborted", {}),
            ("Parcels/Slow one", None, {}),
            ("Parcels/Later", "CleanPass", {"state": "Skipped", "errorMessage": "not today"}),
        )
    )
    assert (
        told.decode()
        == """\
<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="Acme" tests="7" failures="1" errors="0" skipped="3" time="1.250">
  <testsuite name="Parcels" tests="6" failures="1" errors="0" skipped="3" time="1.250"{at}>
    <testcase classname="Parcels" name="Send one" time="1.250" />
    <testcase classname="Parcels" name="Flaky one" time="0.000">
      <flakyFailure message="first">first
at x</flakyFailure>
    </testcase>
    <testcase classname="Parcels" name="Lose &lt;one&gt;" time="0.000">
      <failure message="one &amp; only">one &amp; only</failure>
      <rerunFailure message="two">two</rerunFailure>
    </testcase>
    <testcase classname="Parcels" name="Odd one" time="0.000" status="aborted">
      <skipped message="Aborted: neither passed nor failed">Aborted: neither passed nor failed</skipped>
    </testcase>
    <testcase classname="Parcels" name="Slow one" time="0.000" status="unfinished">
      <skipped message="it began and did not end">it began and did not end</skipped>
    </testcase>
    <testcase classname="Parcels" name="Later" time="0.000">
      <skipped message="not today">not today</skipped>
    </testcase>
  </testsuite>
  <testsuite name="Other" tests="1" failures="0" errors="0" skipped="0" time="0.000"{at}>
    <testcase classname="Other" name="x" time="0.000" />
  </testsuite>
</testsuites>
""".replace("{at}", ' timestamp="2026-12-01T10:00:00.000Z"')
    )


@given(st.text(max_size=30), st.text(max_size=30))
def test_no_text_breaks_the_document(name: str, message: str) -> None:
    told = junit.export(run((f"A/{name}", "Failed", {"errorMessage": message})))
    assert len(list(ElementTree.fromstring(told).iter("testcase"))) == 1


def test_an_empty_run_is_an_empty_document() -> None:
    root = ElementTree.fromstring(junit.export(Run("r-1", finished=True)))
    assert (root.tag, root.get("tests"), len(root)) == ("testsuites", "0", 0)


def test_a_run_that_did_not_finish_is_in_error() -> None:
    going = run(("Parcels/Send one", "CleanPass", {}))
    going.finished = False
    root = ElementTree.fromstring(junit.export(going))
    assert (root.get("tests"), root.get("errors"), root.get("failures")) == ("2", "1", "0")
    suite = root[-1]
    assert [(one.get("name"), one.get("value")) for one in suite.iter("property")] == [("stoat.finished", "false")]
    assert [one.get("message") for one in suite.iter("error")] == ["the run did not finish"]
