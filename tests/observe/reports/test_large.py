"""Reports of a hundred megabytes: read and told in little memory and a few seconds, in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

MEGABYTES = 100

READ = """
import re, sys, time
from pathlib import Path
import msgspec
from stoat.observe.reports import reading
from stoat.observe.reports.assembling import Assembly, Opening

format, file = sys.argv[1], Path(sys.argv[2])
opening = Opening("r-1", format, "2026-12-01T10:00:00.000Z")
began, assembly, events = time.monotonic(), Assembly(opening, ["Parcels/Send one"]), 0
with open(sys.argv[3], "wb") as out:
    for event in reading.events([file], format, opening, assembly):
        out.write(msgspec.json.encode(event) + b"\\n")
        events += 1
took = time.monotonic() - began
print(events, assembly.failed, took, re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])
"""


def junit() -> Iterator[str]:
    yield '<?xml version="1.0"?><testsuites><testsuite name="s">\n'
    trace, printed = "  at line &lt;12&gt;\n" * 40, "what it printed, line by line\n" * 48
    for number in range(MEGABYTES * 650):
        failure = f'<failure message="no">{trace}</failure>' if number % 10 == 0 else ""
        yield f'<testcase classname="pkg.C{number % 100}" name="test_{number}" time="0.01">{failure}'
        yield f"<system-out>{printed}</system-out></testcase>\n"
    yield "</testsuite></testsuites>"


def ctrf() -> Iterator[str]:
    yield '{"reportFormat":"CTRF","specVersion":"0.0.0","results":{"tool":{"name":"jest"},"tests":['
    for number in range(MEGABYTES * 650):
        status = "failed" if number % 10 == 0 else "passed"
        test = {"name": f"test {number}", "status": status, "duration": 3, "suite": ["a"], "trace": "at x\n" * 300}
        yield ("," if number else "") + json.dumps(test)
    yield "]}}"


def cucumber() -> Iterator[str]:
    yield '{"meta":{"implementation":{"name":"cucumber-js"}}}\n{"testRunStarted":{}}\n'
    for number in range(MEGABYTES * 180):
        yield json.dumps({"pickle": {"id": f"{number}", "name": f"S{number}", "uri": "f", "steps": []}}) + "\n"
        step = {"id": f"s{number}"}
        yield json.dumps({"testCase": {"id": f"t{number}", "pickleId": f"{number}", "testSteps": [step]}}) + "\n"
        yield json.dumps({"testCaseStarted": {"id": f"r{number}", "testCaseId": f"t{number}"}}) + "\n"
        yield json.dumps({"attachment": {"body": "x" * 5200, "testCaseStartedId": f"r{number}"}}) + "\n"
        result = {"status": "FAILED" if number % 10 == 0 else "PASSED", "message": "no"}
        finished = {"testCaseStartedId": f"r{number}", "testStepId": f"s{number}", "testStepResult": result}
        yield json.dumps({"testStepFinished": finished}) + "\n"
        yield json.dumps({"testCaseFinished": {"testCaseStartedId": f"r{number}"}}) + "\n"
    yield '{"testRunFinished":{"success":false}}\n'


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="a process's own peak is read from /proc")
@pytest.mark.parametrize(("format", "write"), [("junit", junit), ("ctrf", ctrf), ("cucumber", cucumber)])
def test_a_hundred_megabytes_take_little_memory_and_few_seconds(tmp_path: Path, format: str, write: object) -> None:
    file = tmp_path / "large"
    with file.open("w", encoding="utf-8") as out:
        out.writelines(write())  # type: ignore[operator]
    assert file.stat().st_size > MEGABYTES * 1_000_000
    ran = subprocess.run(
        [sys.executable, "-c", READ, format, str(file), str(tmp_path / "out")], capture_output=True, text=True,
        check=True, timeout=120,
    )  # fmt: skip
    _, failed, seconds, kilobytes = (float(word) for word in ran.stdout.split())
    assert failed in (MEGABYTES * 65, MEGABYTES * 18)
    assert kilobytes < 100_000
    assert seconds < 10
