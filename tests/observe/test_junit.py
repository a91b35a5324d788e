"""JUnit reports: counts, scenarios by every spelling, hostile files, and memory."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest

from stoat.errors import Invalid
from stoat.observe import junit


def report(tmp_path: Path, text: str, name: str = "report.xml") -> Path:
    file = tmp_path / name
    file.write_text(text, encoding="utf-8")
    return file


def test_cases_are_counted_by_how_they_ended(tmp_path: Path) -> None:
    file = report(
        tmp_path,
        """<?xml version="1.0"?><testsuites><testsuite name="s">
        <testcase classname="a" name="one" time="0.5"/>
        <testcase classname="a" name="two" time="1,000.25"><failure message="no">trace</failure></testcase>
        <testcase classname="a" name="three"><error/></testcase>
        <testcase classname="a" name="four"><skipped/></testcase>
        <testcase classname="a" name="five"><system-out>failure</system-out></testcase>
        </testsuite></testsuites>""",
    )
    results = junit.read([file])
    assert (results.passed, results.failed, results.skipped, results.total) == (2, 2, 1, 5)
    assert results.seconds == 1000.75


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
    ],
)
def test_a_case_is_a_scenario_by_each_of_its_spellings(tmp_path: Path, suite: str, case: str, spec: str) -> None:
    file = report(tmp_path, f'<testsuite name="{suite}"><testcase {case}/></testsuite>')
    results = junit.read([file], [spec, "Other/Thing"])
    assert (results.green, results.red) == ({spec}, set())


def test_a_property_names_the_scenario(tmp_path: Path) -> None:
    file = report(
        tmp_path,
        """<testsuite name="s"><testcase classname="c" name="n"><properties>
        <property name="stoat.spec" value="Parcels/Send one"/></properties><failure/></testcase></testsuite>""",
    )
    assert junit.read([file], ["Parcels/Send one"]).red == {"Parcels/Send one"}


def test_a_scenario_of_several_cases_is_green_only_when_all_are(tmp_path: Path) -> None:
    first = report(tmp_path, '<testsuite><testcase classname="P" name="S[a]"/></testsuite>', "1.xml")
    second = report(tmp_path, '<testsuite><testcase classname="P" name="S[b]"><error/></testcase></testsuite>', "2.xml")
    skipped = '<testsuite><testcase classname="P" name="S[c]"><skipped/></testcase></testsuite>'
    third = report(tmp_path, skipped, "3.xml")
    assert junit.read([first, third], ["P/S"]).green == {"P/S"}
    both = junit.read([first, second, third], ["P/S"])
    assert (both.green, both.red, both.total) == (set(), {"P/S"}, 3)
    assert junit.read([third], ["P/S"]).green == set()


def test_namespaces_and_nested_suites_make_no_difference(tmp_path: Path) -> None:
    file = report(
        tmp_path,
        """<testsuites xmlns="urn:x"><testsuite name="outer"><testsuite name="Parcels">
        <testcase name="Send one"/></testsuite><testcase name="alone"/></testsuite></testsuites>""",
    )
    results = junit.read([file], ["Parcels/Send one", "outer/alone"])
    assert results.green == {"Parcels/Send one", "outer/alone"}


BOMB = """<?xml version="1.0"?><!DOCTYPE t [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;">]>
<testsuite><testcase name="&b;"/></testsuite>"""
OUTSIDE = """<?xml version="1.0"?><!DOCTYPE t [<!ENTITY x SYSTEM "file:///etc/passwd">]>
<testsuite><testcase name="&x;"/></testsuite>"""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (BOMB, "declares DTD"),
        (OUTSIDE, "declares DTD"),
        ("<testsuite><testcase></testsuite>", "is not XML"),
        ("", "is not XML"),
        ("no xml at all", "is not XML"),
        ("<html><testcase/></html>", "begins with <html>"),
    ],
)
def test_what_is_no_report_is_refused_by_its_name(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(Invalid, match=said) as refused:
        junit.read([report(tmp_path, text)])
    assert "report.xml" in refused.value.problems[0].what


def test_all_files_that_cannot_be_taken_are_named_at_once(tmp_path: Path) -> None:
    with pytest.raises(Invalid) as refused:
        junit.read([report(tmp_path, "<x"), tmp_path / "missing.xml", tmp_path])
    assert len(refused.value.problems) == 3


def test_a_large_report_is_read_in_little_memory(tmp_path: Path) -> None:
    file = tmp_path / "large.xml"
    case = (
        '<testcase classname="C" name="n{}"><properties><property name="k" value="v"/></properties>'
        "<failure>{}</failure><system-out>{}</system-out></testcase>\n"
    )
    with file.open("w", encoding="utf-8") as out:
        out.write('<testsuites><testsuite name="s">\n')
        for number in range(3000):
            out.write(case.format(number, "x" * 1000, "y" * 3000))
        out.write("</testsuite></testsuites>")
    assert file.stat().st_size > 12_000_000
    tracemalloc.start()
    try:
        results = junit.read([file], ["C/n7"])
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert (results.failed, results.red) == (3000, {"C/n7"})
    assert peak < 3_000_000
