"""The real claude, codex and gemini are understood, in success, limits, questions, kills and resumed sessions.

Run with STOAT_REAL_AGENTS naming the directory in which npm installed @anthropic-ai/claude-code, @openai/codex and
@google/gemini-cli. Nothing of it leaves this machine.
"""

from __future__ import annotations

import signal
import subprocess
import time
import uuid
from pathlib import Path

import pytest

from stoat.clock import now, plus, seconds_between
from stoat.observe.agents.activity import hangs_on, last_words
from stoat.observe.agents.questions import question_of
from stoat.observe.agents.telling import told
from tests.agents_real.programs import VARIABLE, Stop, claude, codex, gemini_cli, installed, run
from tests.support.waiting import wait_until

if not any(installed(name) for name in ("claude", "codex", "gemini")):
    pytest.skip(f"{VARIABLE} names no directory with claude, codex or gemini", allow_module_level=True)

pytestmark = pytest.mark.slow


def needs(name: str) -> pytest.MarkDecorator:
    """Skip where the program is not installed."""
    there = installed(name) is not None
    return pytest.mark.skipif(not there, reason=f"{name} is not in the directory that {VARIABLE} names")


def ended_by(number: signal.Signals) -> Stop:
    """End a program with a signal once it runs the command of the script `wait`."""

    def stop(process: subprocess.Popen[bytes], output: Path) -> None:
        wait_until((output.parent / "project" / "waiting").exists, 60, "the program is at work")
        process.send_signal(number)

    return stop


def killed_once_it_wrote(text: bytes, file: str) -> Stop:
    """Kill a program once one of its outputs has a text."""

    def stop(process: subprocess.Popen[bytes], output: Path) -> None:
        wait_until(lambda: text in output.with_name(file).read_bytes(), 60, "it was turned away")
        process.kill()

    return stop


def log_of(form: str, output: Path) -> str:
    """What people are told of an output."""
    return "\n".join(text for line in output.read_bytes().splitlines() if (text := told(form, line)) is not None)


@needs("claude")
class TestClaude:
    """Claude Code."""

    @pytest.mark.parametrize(
        ("script", "code", "usd", "limit"),
        [
            ("commit", 0, 0.012, None),
            ("rate", 1, 0.0, "rate"),
            ("overloaded", 1, 0.0, "overloaded"),
            ("spend", 1, 0.0, "spend"),
            ("refused", 1, 0.0, None),
        ],
    )
    def test_with_a_key(self, tmp_path: Path, script: str, code: int, usd: float, limit: str | None) -> None:
        with claude(tmp_path) as program:
            ran = run(program, ["-p", f"MOCK:{script}"])
        assert (ran.code, ran.ending.failed) == (code, code != 0)
        assert ran.ending.usd is not None and (ran.ending.usd > 0) == (usd > 0)
        assert (ran.ending.limit and ran.ending.limit.kind) == limit
        assert "commit" not in script or (program.directory / "hello.txt").exists()

    @pytest.mark.parametrize(("script", "seconds"), [("usage", 7200), ("weekly", 3 * 86400)])
    def test_a_subscribers_limit(self, tmp_path: Path, script: str, seconds: float) -> None:
        with claude(tmp_path, subscriber=True) as program:
            ran = run(program, ["-p", f"MOCK:{script}"])
        limit = ran.ending.limit
        assert ran.code == 1 and limit is not None and limit.kind == "usage" and limit.resets_at is not None
        assert abs(seconds_between(now(), limit.resets_at) - seconds) < 120
        assert limit.text.startswith("You've hit your")

    def test_a_session_that_goes_on_after_a_limit(self, tmp_path: Path) -> None:
        session = str(uuid.uuid4())
        turns = '[{"shell":"echo one"},{"limit":"usage","for":6},{"text":"Went on."}]'
        with claude(tmp_path, subscriber=True) as program:
            first = run(program, ["-p", f"MOCK-SCRIPT:{turns}", "--session-id", session])
            assert first.ending.limit is not None and first.ending.session == session
            deadline = time.monotonic() + 6
            wait_until(lambda: time.monotonic() > deadline, 10, "the limit is over")
            second = run(program, ["-p", "Carry on where you stopped.", "--resume", session])
        assert (second.code, second.ending.limit, second.ending.final) == (0, None, "Went on.")
        assert second.ending.session == session and second.ending.cumulative
        assert first.ending.usd is not None and second.ending.usd is not None
        assert second.ending.usd > first.ending.usd > 0

    def test_a_question_and_its_answer(self, tmp_path: Path) -> None:
        with claude(tmp_path) as program:
            asked = run(program, ["-p", "MOCK:question"])
            assert question_of(asked.ending.final or "") == "should the retry cap be 3 or 5?"
            done = run(program, ["-p", "Five.", "--resume", str(asked.ending.session)])
        assert done.ending.final == "Done as you said."

    def test_a_budget_that_is_spent(self, tmp_path: Path) -> None:
        with claude(tmp_path) as program:
            ran = run(program, ["-p", "MOCK:expensive", "--max-budget-usd", "0.5"])
        assert (ran.code, ran.ending.failed, ran.ending.limit) == (1, True, None)
        assert ran.ending.usd is not None and ran.ending.usd > 0.5

    @pytest.mark.parametrize(
        ("number", "code", "priced"),
        [(signal.SIGINT, 0, True), (signal.SIGTERM, 143, False), (signal.SIGKILL, -9, False)],
    )
    def test_an_agent_that_was_stopped(self, tmp_path: Path, number: signal.Signals, code: int, priced: bool) -> None:
        with claude(tmp_path) as program:
            ran = run(program, ["-p", "MOCK:wait"], stop=ended_by(number))
        assert (ran.code, ran.ending.interrupted, ran.ending.limit) == (code, True, None)
        assert (ran.ending.usd is not None) == priced and ran.ending.session is not None

    def test_a_session_that_is_gone(self, tmp_path: Path) -> None:
        with claude(tmp_path) as program:
            ran = run(program, ["-p", "MOCK:text", "--resume", str(uuid.uuid4())])
        assert (ran.code, ran.ending.failed, ran.ending.session) == (1, True, None)

    def test_tools_that_were_refused(self, tmp_path: Path) -> None:
        with claude(tmp_path) as program:
            asking = program._replace(command=program.command[:-1])
            ran = run(asking, ["-p", "MOCK:commit"])
        assert (ran.code, ran.ending.denied) == (0, ("Bash",))

    def test_what_people_are_told(self, tmp_path: Path) -> None:
        with claude(tmp_path) as program:
            run(program, ["-p", "MOCK:commit"])
        text = log_of("claude-json", tmp_path / "output.jsonl")
        assert "First the file.\n→ Bash: printf" in text and "Created hello.txt and committed it.\n✓ ended" in text

    def test_one_that_waits_for_a_limit_is_seen_to_hang(self, tmp_path: Path) -> None:
        with claude(tmp_path) as program:
            patient = program._replace(environment={**program.environment, "CLAUDE_CODE_MAX_RETRIES": "10"})
            run(patient, ["-p", "MOCK:rate"], stop=killed_once_it_wrote(b"api_retry", "output.jsonl"))
        output, log = tmp_path / "output.jsonl", tmp_path / "agent.log"
        words = last_words("claude-json", output, log, 0, now=now())
        assert words is not None and "429" in words.text and words.age < 60
        assert hangs_on("claude-json", output, log, 0, quiet=120, now=now()) is None
        hung = hangs_on("claude-json", output, log, 0, quiet=120, now=plus(now(), 200))
        assert hung is not None and hung.kind == "rate"


@needs("codex")
class TestCodex:
    """Codex."""

    options = ("--json", "--dangerously-bypass-approvals-and-sandbox")

    @pytest.mark.parametrize(
        ("script", "code", "limit"),
        [("commit", 0, None), ("usage", 1, "usage"), ("rate", 1, "rate"), ("overloaded", 1, "overloaded"),
         ("spend", 1, "spend"), ("refused", 1, None)],
    )  # fmt: skip
    def test_outcomes(self, tmp_path: Path, script: str, code: int, limit: str | None) -> None:
        with codex(tmp_path) as program:
            ran = run(program, [*self.options, f"MOCK:{script}"])
        assert (ran.code, ran.ending.failed, ran.ending.usd) == (code, code != 0, None)
        assert (ran.ending.limit and ran.ending.limit.kind) == limit and ran.ending.session is not None
        assert "commit" not in script or (program.directory / "hello.txt").exists()

    def test_a_question_and_its_answer_in_the_same_thread(self, tmp_path: Path) -> None:
        with codex(tmp_path) as program:
            asked = run(program, [*self.options, "MOCK:question"])
            assert question_of(asked.ending.final or "") == "should the retry cap be 3 or 5?"
            done = run(program, ["resume", *self.options, str(asked.ending.session), "Five."])
        assert (done.ending.final, done.ending.session) == ("Done as you said.", asked.ending.session)

    def test_an_agent_that_was_stopped(self, tmp_path: Path) -> None:
        with codex(tmp_path) as program:
            ran = run(program, [*self.options, "MOCK:wait"], stop=ended_by(signal.SIGTERM))
        assert ran.code != 0 and ran.ending.interrupted and ran.ending.limit is None

    def test_a_thread_that_is_gone(self, tmp_path: Path) -> None:
        with codex(tmp_path) as program:
            ran = run(program, ["resume", *self.options, str(uuid.uuid4()), "MOCK:text"])
        assert (ran.code, ran.ending.failed, ran.ending.session) == (1, True, None)

    def test_what_people_are_told(self, tmp_path: Path) -> None:
        with codex(tmp_path) as program:
            run(program, [*self.options, "MOCK:commit"])
        text = log_of("codex-jsonl", tmp_path / "output.jsonl")
        assert "→ exec: " in text and "Created hello.txt and committed it.\n✓ ended" in text


@needs("gemini")
class TestGemini:
    """The Gemini CLI."""

    @pytest.mark.parametrize("form", ["json", "stream-json"])
    @pytest.mark.parametrize(
        ("script", "code", "limit"),
        [("commit", 0, None), ("usage", 173, "usage"), ("weekly", 173, "usage"), ("refused", 144, None)],
    )
    def test_outcomes(self, tmp_path: Path, form: str, script: str, code: int, limit: str | None) -> None:
        with gemini_cli(tmp_path) as program:
            ran = run(program, ["-o", form, "-p", f"MOCK:{script}"])
        assert (ran.code, ran.ending.failed, ran.ending.usd) == (code, code != 0, None)
        assert (ran.ending.limit and ran.ending.limit.kind) == limit and ran.ending.session is not None
        assert "commit" not in script or (program.directory / "hello.txt").exists()

    def test_a_question_and_its_answer_in_the_same_session(self, tmp_path: Path) -> None:
        with gemini_cli(tmp_path) as program:
            asked = run(program, ["-o", "stream-json", "-p", "MOCK:question"])
            assert question_of(asked.ending.final or "") == "should the retry cap be 3 or 5?"
            done = run(program, ["-o", "stream-json", "--resume", str(asked.ending.session), "-p", "Five."])
        assert done.ending.final == "Done as you said."

    def test_one_that_waits_for_a_limit_is_seen_to_hang(self, tmp_path: Path) -> None:
        with gemini_cli(tmp_path) as program:
            ran = run(
                program,
                ["-o", "stream-json", "-p", "MOCK:rate"],
                stop=killed_once_it_wrote(b"Attempt 1 failed", "agent.log"),
            )
        assert ran.ending.interrupted and ran.ending.limit is not None and ran.ending.limit.kind == "rate"
        output, log = tmp_path / "output.jsonl", tmp_path / "agent.log"
        hung = hangs_on("gemini-json", output, log, 0, quiet=120, now=plus(now(), 200))
        assert hung is not None and hung.kind == "rate"
