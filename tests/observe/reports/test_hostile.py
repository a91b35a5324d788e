"""What is no report, or tries what no report needs, is refused by its name, its line, and what to do."""

from __future__ import annotations

from pathlib import Path

import pytest

from stoat.errors import Invalid
from stoat.observe.reports import reading
from tests.observe.reports.conftest import Report
from tests.support.reports import told

BOMB = b"""<?xml version="1.0"?>
<!DOCTYPE t [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;">]>
<testsuite><testcase name="&c;"/></testsuite>"""
OUTSIDE = b"""<!DOCTYPE t [<!ENTITY x SYSTEM "file:///etc/passwd">]><testsuite><testcase name="&x;"/></testsuite>"""
PARAMETER = b"""<!DOCTYPE t [<!ENTITY % x SYSTEM "http://127.0.0.1:9/x.dtd"> %x;]><testsuite/>"""
NOWHERE = b"""<!DOCTYPE testsuite SYSTEM "http://127.0.0.1:9/junit.dtd"><testsuite/>"""
DEEP = b"<testsuite>" * 5000
SMALL = b'<testsuite name="s"><testcase classname="c" name="n"/>\n</testsuite>'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (BOMB, "report.xml:2:13: declares a DTD"),
        (OUTSIDE, "declares a DTD"),
        (PARAMETER, "declares a DTD"),
        (NOWHERE, "declares a DTD"),
        (DEEP, "is nested deeper than 100"),
        (b'<testsuite><testcase name="' + b"x" * 9_000_000 + b'"/></testsuite>', "has a tag of more than 8 MB"),
        (b"<testsuite><testcase></testsuite>", "report.xml:1:24: is not XML: mismatched tag"),
        (b"", "report.xml:1:1: is not XML: it is empty"),
        (b"\n\n", "ends before its report does"),
        (b"no xml at all", "is not XML"),
        (
            b"<testsuite><testcase><failure/><testcase/></testcase></testsuite>",
            ":1:32: has a test case within a test case",
        ),
        (b"<html><testcase/></html>", "begins with <html>"),
        (b'<testsuite name="s">\n <testcase name="n"', "report.xml:2:2: is not XML: it ends before its report does"),
        (
            b'<testsuite name="s">\n <testcase name="n"/>\n',
            "report.xml:3:1: is not XML: it ends before its report does",
        ),
        (b"<testsuite>\n<testcase name='\x1b'/></testsuite>", "report.xml:2:17: is not XML"),
        (b'<?xml version="1.0" encoding="klingon"?><testsuite/>', "encoding"),
        (b'<?xml version="1.0" encoding="shift_jis"?><testsuite/>', "encoding"),
        (b'<?xml version="1.0" encoding="utf-16"?><testsuite/>', "declare the encoding that it is written in"),
        (b'<testsuite><testcase name="\xff"/></testsuite>', "is not XML"),
    ],
)
def test_what_is_no_junit_report_is_refused(report: Report, text: bytes, said: str) -> None:
    with pytest.raises(Invalid) as refused:
        told([report(text)], "junit")
    assert said in str(refused.value.problems[0]), refused.value.problems
    assert refused.value.problems[0].do


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "iso-8859-1", "windows-1252"])
def test_a_report_is_read_in_the_encoding_that_it_declares(report: Report, encoding: str) -> None:
    declared = encoding.removesuffix("-sig")
    text = f'<?xml version="1.0" encoding="{declared}"?><testsuite name="s"><testcase name="Käse"/></testsuite>'
    file = report(text.encode(encoding))
    assert reading.recognised(file) == "junit"
    assert told([file], "junit").outcomes == {"s/Käse": "CleanPass"}


CTRF = b'{"reportFormat":"CTRF","specVersion":"0.0.0","results":{"tool":{"name":"t"},"tests":\n ['


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"", "report.json:1:1: is not JSON: it is empty"),
        (CTRF + b'{"name":"x","status":"passed"', "report.json:2:32: is not JSON: it ends before its report does"),
        (CTRF + b'{"name":"x",,}]}}', "report.json:2:15: is not JSON"),
        (CTRF + b"[" * 100_000, "is nested deeper than 100"),
        (CTRF + b'"' + b"x" * 18_000_000 + b'"]}}', "has a value of more than 16 MB"),
        (CTRF + b'{"name":"\xff","status":"passed"}]}}', "is not JSON"),
        (CTRF + b'{"name":"x","status":"green"}]}}', "results.tests[0] has no name or no known status"),
        (CTRF + b"[]]}}", "results.tests[0] has no name"),
        (CTRF + b"]}}}", "report.json:2:6: is not JSON"),
        (b"\xff\xfe{\x00}\x00", "is written in UTF-16"),
        (b'{"reportFormat":"CTRF","specVersion":"0.0.0"}', "it has no results.tests"),
        (b'{"reportFormat":"OTHER","results":{"tests":[]}}', "its reportFormat is 'OTHER'"),
        (b"[]", "it has no results.tests"),
    ],
)
def test_what_is_no_ctrf_report_is_refused(report: Report, text: bytes, said: str) -> None:
    with pytest.raises(Invalid) as refused:
        told([report(text, "report.json")], "ctrf")
    assert said in str(refused.value.problems[0]), refused.value.problems


META = b'{"meta":{"protocolVersion":"27.0.0","implementation":{"name":"cucumber-js"}}}\n'
END = b'{"testRunFinished":{"success":true}}\n'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"", "report.ndjson:1:1: is empty"),
        (META + b'{"pickle":', "report.ndjson:2:11: ends in the middle of a line"),
        (META + b'{"pickle":}\n' + END, "report.ndjson:2:1: is not of that format"),
        (META + b'{"pickle":{"id":7}}\n' + END, "report.ndjson:2:1: is not of that format"),
        (META, "report.ndjson:1:1: ends before its run does: it has no testRunFinished"),
        (b'{"other":1}\n', "has no message of Cucumber's"),
        (b"[\n", "is Cucumber's older JSON"),
        (
            META + b'{"gherkinDocument":' + b'{"feature":{"children":[{"rule":' * 20_000 + b"\n",
            "report.ndjson:2:1: is not",
        ),
        (META + b"x" * 34_000_000, "report.ndjson:2:1: has a line of more than 32 MB"),
    ],
)
def test_what_are_no_messages_of_cucumber_is_refused(report: Report, text: bytes, said: str) -> None:
    with pytest.raises(Invalid) as refused:
        told([report(text, "report.ndjson")], "cucumber")
    assert said in str(refused.value.problems[0]), refused.value.problems


def test_all_files_that_cannot_be_taken_are_named_at_once(report: Report, tmp_path: Path) -> None:
    with pytest.raises(Invalid) as refused:
        told([report("<x"), tmp_path / "missing.xml", report(SMALL, "good.xml"), tmp_path], "junit")
    assert len(refused.value.problems) == 3
    assert "missing.xml: cannot be read: No such file" in str(refused.value.problems[1])


@pytest.mark.parametrize(
    ("text", "format"),
    [
        (SMALL, "junit"),
        (b'\xef\xbb\xbf  <?xml version="1.0"?><testsuites/>', "junit"),
        (CTRF, "ctrf"),
        (b'{ "results" : { "tool": {}}}', "ctrf"),
        (META, "cucumber"),
        (b'{"source":{"uri":"a.feature"}}', "cucumber"),
        (b'{"type":"run_started","runId":"r-1","suite":"s"}\n', "bobcat"),
        (b'{"runId":"r-1","type":"scenario_started"}', "bobcat"),
        (b"[]", None),
        (b'{"type":"module","name":"x"}', None),
        (b'{"results":[1]}', None),
        (b'{"results":{"tests":[]}}', None),
        (b"TAP version 13", None),
    ],
)
def test_a_format_is_recognised_only_where_there_is_no_doubt(report: Report, text: bytes, format: str | None) -> None:
    assert reading.recognised(report(text)) == format


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"", ": is empty"), (b"\xef\xbb\xbf \n", ": is empty"),
        (b'{"results": {"tests": [', "ends before its report does"),
        (b"{", "ends before its report does"),
    ],
)  # fmt: skip
def test_what_ends_before_its_format_shows_is_said_to(report: Report, text: bytes, said: str) -> None:
    with pytest.raises(Invalid) as refused:
        reading.recognised(report(text))
    assert said in refused.value.problems[0].what
