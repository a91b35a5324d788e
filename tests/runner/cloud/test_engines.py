"""The engines, with programs in place of ssh, gh and kubectl that keep exactly what they were given."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest

from stoat.errors import Invalid, Refused
from stoat.runner.cloud.engines import ENGINES, LONGEST, Order, parameters
from stoat.runner.cloud.launchers import CloudLauncher, choose_cloud
from stoat.runner.cloud.links import first_link
from tests.support.engines import Programs
from tests.support.waiting import wait_until

HOSTILE = "it's \"$(touch PWNED)\" `touch PWNED` $HOME ${x} ; touch PWNED & | \\ \n--flag\n'''\n!! %s é\n\n"


@pytest.fixture
def programs(tmp_path: Path) -> Programs:
    return Programs(tmp_path / "the engines")


def hand(
    programs: Programs, tmp_path: Path, name: str, prompt: str = HOSTILE, **given: str
) -> subprocess.CompletedProcess[str]:
    """Hand an order over as a runner does, in a directory of its own."""
    order = Order(prompt, "my-plan", "fix-lanes", "c-7m2kx0a9", "acme/widgets")
    handover = CloudLauncher(name, None, parameters(name, given, {})).hand(order, began="2026-12-01T05:00:00Z")
    where = tmp_path / "where it runs"
    where.mkdir(exist_ok=True)
    return subprocess.run(
        handover.argv, cwd=where, input=handover.stdin, env={"PATH": programs.path(), "HOME": str(tmp_path)},
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip


REMOTE = "ran = subprocess.run(['sh', '-c', sys.argv[-1]], input=text.encode()); sys.exit(ran.returncode)"


@pytest.mark.parametrize(
    "prompt", [HOSTILE, "x'" * (LONGEST // 2), "a\n\n\n", ""], ids=["hostile", "long", "ends", "empty"]
)
def test_ssh_gives_the_agent_over_there_the_prompt_to_its_last_byte(
    programs: Programs, tmp_path: Path, prompt: str
) -> None:
    programs.add("ssh", REMOTE)
    programs.add("claude")
    (tmp_path / "a place").mkdir()
    ran = hand(
        programs, tmp_path, "cloud-ssh", prompt, host="ada@box", directory=str(tmp_path / "a place"),
        agent="claude -p {prompt} --mode 'accept edits' --tag=<{prompt}> $HOME;x",
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    [called] = programs.calls("ssh")
    assert called.argv[:4] == ["-o", "BatchMode=yes", "--", "ada@box"] and len(called.argv) == 5
    assert prompt == "" or prompt not in called.argv[4]
    [agent] = wait_until(lambda: programs.calls("claude"), 20, "the agent over there")
    assert agent.argv == ["-p", prompt, "--mode", "accept edits", f"--tag=<{prompt}>", "$HOME;x"]
    assert agent.stdin == ""
    assert (tmp_path / "a place" / "stoat-cloud-my-plan-fix-lanes.log").exists()
    assert not list(tmp_path.rglob("PWNED"))


def test_ssh_that_cannot_reach_its_directory_starts_nothing(programs: Programs, tmp_path: Path) -> None:
    programs.add("ssh", REMOTE)
    programs.add("claude")
    ran = hand(programs, tmp_path, "cloud-ssh", host="box", agent="claude {prompt}", directory=str(tmp_path / "gone"))
    assert ran.returncode != 0
    assert programs.calls("claude") == []


LISTS = "import sys\nif sys.argv[1] == 'run': print('https://github.com/acme/widgets/actions/runs/7')"


def test_github_actions_dispatches_the_workflow_and_prints_its_run(programs: Programs, tmp_path: Path) -> None:
    programs.add("gh", LISTS)
    ran = hand(programs, tmp_path, "cloud-github-actions", workflow="agent.yml", ref="main")
    assert ran.returncode == 0, ran.stderr
    run, listed = programs.calls("gh")
    assert run.argv == [
        "workflow", "run", "agent.yml", "--repo", "acme/widgets", "--ref", "main", "-f", f"prompt={HOSTILE}",
    ]  # fmt: skip
    assert listed.argv == [
        "run", "list", "--workflow", "agent.yml", "--repo", "acme/widgets", "--event", "workflow_dispatch", "--created",
        ">=2026-12-01T05:00:00Z", "--limit", "1", "--json", "url", "--jq", ".[0].url // empty",
    ]  # fmt: skip
    assert first_link(ran.stdout) == "https://github.com/acme/widgets/actions/runs/7"
    assert not list(tmp_path.rglob("PWNED"))


def test_github_actions_may_have_its_workflow_in_another_repository(programs: Programs, tmp_path: Path) -> None:
    programs.add("gh", LISTS)
    hand(programs, tmp_path, "cloud-github-actions", workflow="1; x", repository="acme/agents")
    run, _ = programs.calls("gh")
    assert run.argv[:5] == ["workflow", "run", "1; x", "--repo", "acme/agents"]
    assert run.argv[5] == "-f"


def test_a_dispatch_that_fails_fails_and_a_run_that_cannot_be_listed_is_no_failure(
    programs: Programs, tmp_path: Path
) -> None:
    programs.add("gh", "sys.exit(4 if sys.argv[1] == 'run' else 0)")
    assert hand(programs, tmp_path, "cloud-github-actions", workflow="agent.yml").returncode == 0
    programs.add("gh", "sys.exit(1)")
    assert hand(programs, tmp_path, "cloud-github-actions", workflow="agent.yml").returncode == 1
    assert len(programs.calls("gh")) == 3


def test_kubernetes_creates_a_job_with_the_prompt_as_data(programs: Programs, tmp_path: Path) -> None:
    programs.add("kubectl")
    ran = hand(
        programs, tmp_path, "cloud-kubernetes", image="agents:1", namespace="work", context="kind", secret="keys",
        command="sh -c 'exec claude -p \"$0\"' {prompt}",
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    [called] = programs.calls("kubectl")
    assert called.argv == ["--context", "kind", "--namespace", "work", "create", "-f", "-"]
    job = json.loads(called.stdin)
    assert (job["apiVersion"], job["kind"], job["spec"]["backoffLimit"]) == ("batch/v1", "Job", 0)
    assert job["metadata"]["name"] == "stoat-my-plan-fix-lanes-7m2kx0a9"
    pod = job["spec"]["template"]["spec"]
    [container] = pod["containers"]
    assert (pod["restartPolicy"], container["image"]) == ("Never", "agents:1")
    env = {one["name"]: one["value"] for one in container["env"]}
    assert env["STOAT_PROMPT"].replace("$$", "$") == HOSTILE
    assert not re.search(r"(?<!\$)(\$\$)*\$\(", env["STOAT_PROMPT"]), "no reference that Kubernetes would fill in"
    assert (env["STOAT_CLAIM"], env["STOAT_REPOSITORY"]) == ("c-7m2kx0a9", "acme/widgets")
    assert container["command"] == ["sh", "-c", 'exec claude -p "$$0"', "$(STOAT_PROMPT)"]
    assert container["envFrom"] == [{"secretRef": {"name": "keys"}}]
    assert HOSTILE not in " ".join(called.argv)


def test_a_jobs_name_is_one_that_kubernetes_takes(programs: Programs) -> None:
    order = Order("", "p" * 60, "Ä_b." * 20, "c-7m2kx0a9", "o/n")
    handover = ENGINES["cloud-kubernetes"].hand({"image": "i", "namespace": "n"}, order)
    assert handover.stdin is not None
    name = json.loads(handover.stdin)["metadata"]["name"]
    assert re.fullmatch(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?", name)


GIVEN = {
    "cloud-ssh": {"host": "box", "agent": "claude -p {prompt}"},
    "cloud-github-actions": {"workflow": "agent.yml"},
    "cloud-kubernetes": {"image": "agents:1", "namespace": "work"},
}


@pytest.mark.parametrize(("name", "missing"), [(name, each) for name, given in GIVEN.items() for each in given])
def test_a_parameter_that_is_missing_is_refused_with_the_variable_to_set(name: str, missing: str) -> None:
    rest = {each: value for each, value in GIVEN[name].items() if each != missing}
    with pytest.raises(Refused) as refused:
        parameters(name, rest, {})
    assert missing in refused.value.message
    assert f"STOAT_CLOUD_{missing.upper()}" in (refused.value.hint or "")
    there = parameters(name, rest, {f"STOAT_CLOUD_{missing.upper()}": GIVEN[name][missing]})
    assert there == parameters(name, GIVEN[name], {"STOAT_CLOUD_HOST": "another"})


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("cloud-ssh", {"host": "-oProxyCommand=touch PWNED"}),
        ("cloud-ssh", {"host": "a\nb"}),
        ("cloud-ssh", {"agent": "claude -p"}),
        ("cloud-ssh", {"agent": "claude '{prompt}"}),
        ("cloud-ssh", {"hosts": "box"}),
        ("cloud-github-actions", {"workflow": "--json"}),
        ("cloud-kubernetes", {"namespace": "-x"}),
        ("cloud-kubernetes", {"command": "sh 'x"}),
    ],
)
def test_a_parameter_that_would_be_misread_is_refused(name: str, wrong: dict[str, str]) -> None:
    with pytest.raises(Refused):
        parameters(name, {**GIVEN[name], **wrong}, {})


def launchers(tmp_path: Path, *entries: dict[str, object]) -> Path:
    file = tmp_path / "launchers.json"
    file.write_text(json.dumps(entries))
    return file


def test_a_cloud_launcher_is_a_profile_that_says_so_or_an_engine(programs: Programs, tmp_path: Path) -> None:
    environ = {"PATH": programs.path()}
    programs.add("send")
    programs.add("ssh")
    plain = {"command": "send", "arguments": ["{prompt}"]}
    file = launchers(
        tmp_path, {"name": "remote", "cloud": True, **plain}, {"name": "local", **plain},
        {"name": "cloud-ssh", "cloud": True, "parameters": GIVEN["cloud-ssh"]},
    )  # fmt: skip
    order = Order("the prompt", "p", "n", "c-1", "o/n")
    assert choose_cloud("remote", file, tmp_path, environ).hand(order, began="").argv == ("send", "the prompt")
    assert choose_cloud("cloud-ssh", file, tmp_path, environ).given == GIVEN["cloud-ssh"]
    for name, why in (("local", "on this machine"), ("nobody", "there is no cloud launcher")):
        with pytest.raises(Refused, match=why):
            choose_cloud(name, file, tmp_path, environ)
    with pytest.raises(Refused, match="there is no program kubectl"):
        choose_cloud(
            "cloud-kubernetes", None, tmp_path,
            {"PATH": str(programs.bin), "STOAT_CLOUD_IMAGE": "i", "STOAT_CLOUD_NAMESPACE": "n"},
        )  # fmt: skip


@pytest.mark.parametrize(
    "entry",
    [
        {"name": "cloud-ssh", "parameters": {"host": "box"}},
        {"name": "cloud-ssh", "cloud": True, "parameters": ["box"]},
        {"name": "mine", "cloud": True, "parameters": {"host": "box"}},
        {"name": "cloud-ssh", "cloud": True, "command": "x", "arguments": ["{prompt}"], "parameters": {"host": "b"}},
    ],
)
def test_parameters_are_an_engines_only(tmp_path: Path, entry: dict[str, object]) -> None:
    with pytest.raises(Invalid):
        choose_cloud("cloud-ssh", launchers(tmp_path, entry), tmp_path, {})


@pytest.mark.parametrize(
    ("printed", "link"),
    [
        ("Started: https://x.example/s/1.\nhttps://later.example", "https://x.example/s/1"),
        ("(see <http://x.example/a?b=c#d>)", "http://x.example/a?b=c#d"),
        ("\x1b[1mhttps://x.example/s\x1b[0m", "https://x.example/s"),
        ("https://user:secret@x.example/ https://y.example", "https://y.example"),
        ("javascript:alert(1) file:///etc ssh://x ftp://y", None),
        ("https:// http://[", None),
        ("https://x.example/" + "a" * 3000, None),
        ("", None),
    ],
)
def test_the_first_address_that_is_one_is_the_link(printed: str, link: str | None) -> None:
    assert first_link(printed) == link
