"""JUnit reports: counts, attempts, and scenarios as each tool names them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from stoat.errors import Invalid
from tests.observe.reports.conftest import Report
from tests.support.reports import told


def test_cases_are_counted_by_how_they_ended(report: Report) -> None:
    file = report(
        """<?xml version="1.0"?><testsuites><testsuite name="s">
        <testcase classname="a" name="one" time="0.5"/>
        <testcase classname="a" name="two" time="1,000.25"><failure message="no">trace</failure></testcase>
        <testcase classname="a" name="three"><error/></testcase>
        <testcase classname="a" name="four"><skipped message="not today"/></testcase>
        <testcase classname="a" name="five"><system-out>failure</system-out></testcase>
        </testsuite></testsuites>"""
    )
    seen = told([file], "junit")
    assert (seen.counts, seen.assembly.seconds) == ((2, 2, 1), 1000.75)
    assert seen.outcomes == {
        "a/one": "CleanPass", "a/two": "Failed", "a/three": "Failed", "a/four": "Skipped", "a/five": "CleanPass",
    }  # fmt: skip
    two = seen.run.scenarios["a/two"].current
    assert (two.error_message, two.duration_ms) == ("no\ntrace", 1000250)
    assert (seen.run.verdict, seen.run.exit_code, seen.run.counts.passed, seen.run.counts.skipped) == (
        "failed",
        1,
        3,
        1,
    )


@pytest.mark.parametrize(
    ("suite", "case", "spec"),
    [
        ("x", 'classname="Parcels" name="Send one"', "Parcels/Send one"),
        ("x", 'classname="features.parcels.Parcels" name="Send one"', "Parcels/Send one"),
        ("x", 'classname="parcels.Parcels v1.2" name="Send one"', "Parcels v1.2/Send one"),
        ("Parcels", 'classname="x" name="Send one"', "Parcels/Send one"),
        ("x", 'classname="tests.test_parcels.TestParcels" name="test_send"', "TestParcels/test_send"),
        ("x", 'classname="Parcels" name="Send one[express]"', "Parcels/Send one"),
        ("x", 'classname="Parcels" name="Send one[express]"', "Parcels/Send one[express]"),
        ("Pa/cels", 'classname="x" name="Send/one"', "Pa/cels/Send/one"),
        ("a.spec.ts", 'classname="a.spec.ts" name="Parcels &gt; Send one"', "Parcels/Send one"),
        ("a.spec.ts", 'classname="a.spec.ts" name="Parcels › express › Send one"', "Parcels/express › Send one"),
        ("Cucumber", 'classname="Parcels" name="Weigh &lt;kind> - #1.2: Weigh big"', "Parcels/Weigh <kind>"),
        ("p.Parcels", 'classname="p.Parcels" status="passed" name="Weigh big -- @1.2 "', "Parcels/Weigh <kind>"),
    ],
)
def test_a_case_is_a_spec_by_each_of_its_spellings(report: Report, suite: str, case: str, spec: str) -> None:
    file = report(f'<testsuite name="{suite}"><testcase {case}/></testsuite>')
    seen = told([file], "junit", [spec, "Other/Thing"])
    assert (seen.assembly.green, seen.assembly.red) == ({spec}, set())
    assert seen.outcomes == {spec: "CleanPass"}


def test_a_property_names_the_scenario(report: Report) -> None:
    file = report(
        """<testsuite name="s"><testcase classname="c" name="n"><properties>
        <property name="stoat.spec" value="Parcels/Send one"/></properties><failure/></testcase>
        <testcase classname="c" name="m"><properties><property name="stoat.spec">Parcels/Lose one</property>
        </properties></testcase></testsuite>"""
    )
    assert told([file], "junit", ["Parcels/Send one"]).assembly.red == {"Parcels/Send one"}
    assert told([file], "junit").outcomes == {"Parcels/Send one": "Failed", "Parcels/Lose one": "CleanPass"}


def test_a_spec_of_several_cases_is_green_only_when_all_are(report: Report) -> None:
    first = report('<testsuite><testcase classname="P" name="S[a]"/></testsuite>', "1.xml")
    second = report('<testsuite><testcase classname="P" name="S[b]"><error/></testcase></testsuite>', "2.xml")
    third = report('<testsuite><testcase classname="P" name="S[c]"><skipped/></testcase></testsuite>', "3.xml")
    assert told([first, third], "junit", ["P/S"]).assembly.green == {"P/S"}
    every = told([first, second, third], "junit", ["P/S"])
    assert (every.assembly.green, every.assembly.red, every.counts) == (set(), {"P/S"}, (0, 1, 0))
    steps = [(step.kind, step.text, step.status) for step in every.run.scenarios["P/S"].current.steps]
    assert steps == [("Example", "S[a]", "Passed"), ("Example", "S[b]", "Failed"), ("Example", "S[c]", "Skipped")]
    only_skipped = told([third], "junit", ["P/S"]).assembly
    assert (only_skipped.green, only_skipped.red) == (set(), set())


def test_no_result_hides_another_of_the_same_name(report: Report) -> None:
    """Playwright runs one file in several browsers, each a suite of its own."""
    case = '<testcase classname="a.spec.ts" name="opens">{}</testcase>'
    suite = f'<testsuite name="a.spec.ts" hostname="{{}}">{case}</testsuite>'
    file = report(f"<testsuites>{suite.format('chromium', '<failure/>')}{suite.format('firefox', '')}</testsuites>")
    assert told([file], "junit").outcomes == {"a.spec.ts/opens": "Failed", "a.spec.ts/opens (2)": "CleanPass"}


def test_namespaces_and_nested_suites_make_no_difference(report: Report) -> None:
    file = report(
        """<testsuites xmlns="urn:x"><testsuite name="outer"><testsuite name="Parcels">
        <testcase name="Send one"/></testsuite><testcase name="alone"/></testsuite></testsuites>"""
    )
    assert told([file], "junit").outcomes == {"Parcels/Send one": "CleanPass", "outer/alone": "CleanPass"}


TOOLS = {
    "pytest": {
        "tests.test_p.TestP/test_a[1-x]": "CleanPass",
        "tests.test_p/test_b": "Failed",
        "tests.test_p/test_x": "Skipped",
        "tests.test_p/test_t": "Failed",
        "pytest/tests.test_q": "Failed",
    },
    "jest-junit": {
        "Parcels/inner Send one": "CleanPass",
        "Parcels/inner Lose one": "Failed",
        "Parcels/later": "Skipped",
    },
    "vitest": {
        "vt/b.spec.mjs/Parcels > Send one": "CleanPass",
        "vt/b.spec.mjs/Parcels > Lose one": "Failed",
    },
    "playwright": {
        "cart.spec.ts/cart › adds": "CleanPass",
        "cart.spec.ts/cart › later": "Skipped",
    },
    "surefire": {
        "com.x.ParcelsTest/sends": "PassOnRetry",
        "com.x.ParcelsTest/loses": "Failed",
        "com.x.ParcelsTest/later": "Skipped",
        "com.x.ParcelsTest/both": "PassOnRetry",
    },
    "gotestsum": {
        "example.com/parcels/TestFlaky": "PassOnRetry",
        "example.com/parcels/TestGreen": "CleanPass",
        "example.com/parcels/TestRed/sub": "Failed",
    },
    "trx-to-junit": {
        "Acme.ParcelTests/Acme.ParcelTests.Sends": "CleanPass",
        "Acme.ParcelTests/Loses(grams: 2)": "Failed",
    },
    "behave": {
        "Parcels v1.2/Send one": "CleanPass",
        "Parcels v1.2/Undefined one": "Failed",
        "Parcels v1.2/Off": "Skipped",
        "Parcels v1.2/Weigh": "Failed",
    },
    "cucumber-js": {
        "Parcels/Send one": "CleanPass",
        "Parcels/Undefined one": "Failed",
        "Parcels/Express - Send fast": "CleanPass",
        "Parcels/Weigh <kind>": "Failed",
    },
    "googletest": {
        "Parcels/Sends": "CleanPass",
        "Parcels/DISABLED_Off": "Skipped",
    },
}
"""What `written/TOOL.xml` comes to: small reports in the very form in which each tool writes them."""

WRITTEN = Path(__file__).parent / "written"


@pytest.mark.parametrize("tool", TOOLS)
def test_reports_are_read_as_each_tool_writes_them(tool: str) -> None:
    assert told([WRITTEN / f"{tool}.xml"], "junit").outcomes == TOOLS[tool]


def test_behave_names_the_file_in_the_report_s_own_name(report: Report) -> None:
    name = "My File.sub.the feature"
    case = f'<testcase classname="{name}" status="passed" name="S"/>'
    file = report(f'<testsuite name="{name}">{case}</testsuite>', "TESTS-My File.sub.xml")
    assert told([file], "junit").outcomes == {"the feature/S": "CleanPass"}


def test_attempts_are_kept_with_what_went_wrong() -> None:
    run = told([WRITTEN / "surefire.xml"], "junit").run
    sends, loses = run.scenarios["com.x.ParcelsTest/sends"], run.scenarios["com.x.ParcelsTest/loses"]
    assert [(one.outcome, one.error_message) for one in sends.attempts] == [
        ("Failed", "first at X"), ("PassOnRetry", None),
    ]  # fmt: skip
    assert [(one.outcome, one.error_message) for one in loses.attempts] == [
        ("Failed", "one at X"), ("Failed", "two at X"),
    ]  # fmt: skip
    assert (run.counts.passed_on_retry, run.counts.failed, run.counts.skipped) == (2, 1, 1)


PYTESTS = 'errors="0" failures="0" skipped="0" time="0.1" timestamp="2026-12-01T09:00:00" hostname="vm"'
"""What pytest writes of a suite beside its name and how many tests it had."""


@pytest.mark.parametrize(
    ("text", "outcomes"),
    [
        ('<testsuite name="s" tests="0"/>', {}),
        ("<testsuites/>", {}),
        ('<testsuite name="s" errors="1"><system-err>x</system-err></testsuite>', {"s/(the suite itself)": "Failed"}),
        ('<testsuite name="s"><error message="setup"/><testcase classname="c" name="n"/></testsuite>',
         {"c/n": "CleanPass", "s/(the suite itself)": "Failed"}),
        ('<testsuite name="s" failures="1"><testsuite name="t" failures="1"><testcase classname="c" name="n"><failure/>'
         "</testcase></testsuite></testsuite>", {"c/n": "Failed"}),
        ('<testsuites failures="x" errors="-1"><testsuite><testcase name="n" time="nan"/></testsuite></testsuites>',
         {"n": "CleanPass"}),
        ('<testsuite name="s"><testcase/></testsuite>', {"s/(unnamed)": "CleanPass"}),
        ('<testsuite name="s" tests="5"><testcase name="a"/><testcase name="b"/></testsuite>',
         {"s/a": "CleanPass", "s/b": "CleanPass", "s/(the suite itself)": "Aborted"}),
        ('<testsuite name="s" tests="5" skipped="3"><testcase name="a"/><testcase name="b"/></testsuite>',
         {"s/a": "CleanPass", "s/b": "CleanPass"}),
        ('<testsuites tests="3" name="r"><testsuite name="s" tests="3"><testcase name="a"/></testsuite></testsuites>',
         {"s/a": "CleanPass", "s/(the suite itself)": "Aborted"}),
        ('<testsuite name="s" failures="2"><testcase name="a"><failure/></testcase></testsuite>',
         {"s/a": "Failed", "s/(the suite itself)": "Failed"}),
        ('<testsuite name="s" tests="2" failures="2"><testcase name="a"><failure/><error/></testcase></testsuite>',
         {"s/a": "Failed"}),
        # Of pytest's suites: subtests that passed, which leave no trace, and what is none of those.
        (f'<testsuites name="pytest tests"><testsuite name="mine" tests="8" {PYTESTS}><testcase name="a"/></testsuite>'
         "</testsuites>", {"mine/a": "CleanPass"}),
        (f'<testsuites tests="8"><testsuite name="pytest" tests="8" {PYTESTS}><testcase name="a"/></testsuite>'
         "</testsuites>", {"pytest/a": "CleanPass"}),
        ('<testsuite name="pytest" tests="5"><testcase name="a"/></testsuite>',
         {"pytest/a": "CleanPass", "pytest/(the suite itself)": "Aborted"}),
        ('<testsuites name="pytest tests"><testsuite name="mine" tests="8"><testcase name="a"/></testsuite>'
         "</testsuites>", {"mine/a": "CleanPass", "mine/(the suite itself)": "Aborted"}),
        (f'<testsuite name="pytest" tests="5" {PYTESTS}/>', {"pytest/(the suite itself)": "Aborted"}),
        (f'<testsuite name="pytest" tests="5" {PYTESTS.replace("0", "1", 3)}><testcase name="a"><failure/></testcase>'
         "</testsuite>", {"pytest/a": "Failed", "pytest/(the suite itself)": "Failed"}),
        ('<testsuite name="s" tests="12" hostname="tbd"><testcase name="a"/></testsuite>', {"s/a": "CleanPass"}),
    ],
)  # fmt: skip
def test_suites_without_cases_and_cases_without_names(report: Report, text: str, outcomes: dict[str, str]) -> None:
    assert told([report(text)], "junit").outcomes == outcomes


SUBTESTS = """\
import pytest, unittest
def test_all_pass(subtests):
    for i in range(3):
        with subtests.test(i=i): pass
def test_one_is_skipped(subtests):
    for i in range(2):
        with subtests.test(i=i):
            if i: pytest.skip("no")
def test_plain(): pass
@pytest.mark.skip
def test_skipped(): pass
@pytest.mark.xfail
def test_expected(): assert 0
class TestUnit(unittest.TestCase):
    def test_u(self):
        for i in range(3):
            with self.subTest(i=i): assert i >= 0
"""


@pytest.mark.parametrize("options", [(), ("-o", "junit_family=xunit1"), ("-o", "junit_suite_name=mine"), ("-n", "2")])
def test_what_pytest_really_writes_of_subtests_passes_and_cut_off_it_does_not(
    tmp_path: Path, report: Report, options: tuple[str, ...]
) -> None:
    (tmp_path / "test_s.py").write_text(SUBTESTS, encoding="utf-8")
    file = tmp_path / "written.xml"
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:randomly", "test_s.py"]
    ran = subprocess.run([*command, "--junitxml", str(file), *options], cwd=tmp_path, capture_output=True, check=False)
    assert ran.returncode == 0, ran.stdout
    whole = told([file], "junit")
    assert (whole.run.verdict, len(whole.outcomes)) == ("passed", 6)
    text = file.read_text(encoding="utf-8")
    assert 'tests="6"' not in text  # It counts the subtests, or this proves nothing.
    for cut in range(1, len(text), 97):
        with pytest.raises(Invalid):
            told([report(text[:-cut], "cut.xml")], "junit")
    for gone in (lambda case: True, lambda case: case.find("skipped") is not None):
        tree = ElementTree.fromstring(text)
        for suite in tree.iter("testsuite"):
            for case in filter(gone, list(suite)):
                suite.remove(case)
        less = ElementTree.tostring(tree, encoding="unicode")
        assert told([report(less, "less.xml")], "junit").run.verdict == "unknown"
