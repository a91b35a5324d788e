"""Events and stores for the tests of gitstore: a plan `p` with numbered nodes, claimed over and over."""

from __future__ import annotations

from pathlib import Path

from stoat.clock import Time
from stoat.gitstore.log import Change, Decide, Store
from stoat.plan.events.authoring import NodeAdded
from stoat.plan.events.base import Actor, Event
from stoat.plan.events.claims import Claimed
from stoat.plan.events.plans import PlanCreated
from stoat.plan.nodes import Header, Node
from stoat.plan.state import PlanState, State

PLAN = "plans/p"
AGENT = Actor("agent-1", "agent", "session-1")
ADA = Actor("Ada Tester", "person", None, "ada@example.org")


def always(*entries: tuple[str, Event], subject: str = "p: something happened n0") -> Decide:
    """A decision that looks at nothing."""

    def decide(state: State, at: Time) -> Change:
        return Change(entries, subject)

    return decide


def claim(number: int, note: str | None = None, nodes: int = 3) -> Event:
    """The claim with that number, on one of the plan's nodes."""
    return Claimed(node=f"n{number % nodes}", claim=f"c{number}", holder="agent-1", note=note)


def new_store(directory: Path, nodes: int = 3) -> Store:
    """A store with the plan `p` in the repository at `directory`."""
    store, created = Store.create(directory)
    assert created
    seed(store, "p", nodes)
    return store


def seed(store: Store, plan: str, nodes: int = 3) -> None:
    """Put a plan into the store."""
    added = [
        NodeAdded(node=f"n{i}", spec=Node(id=f"n{i}", kind="change", title=f"Node {i}", brief="x" * 40))
        for i in range(nodes)
    ]
    events: list[Event] = [PlanCreated(header=Header(plan=plan)), *added]
    store.append(always(*((f"plans/{plan}", event) for event in events), subject=f"{plan}: created"), ADA)


def fill(store: Store, first: int, count: int, batch: int = 1000, nodes: int = 3) -> None:
    """Append `count` claims from number `first` on, `batch` a commit."""
    for start in range(first, first + count, batch):
        numbers = range(start, min(start + batch, first + count))
        store.append(always(*((PLAN, claim(number, "y" * 60, nodes)) for number in numbers)), AGENT)


def claims(store: Store, stream: str = PLAN) -> list[str]:
    """The ids of all claims in the stream, in the log's order."""
    return [each.event.claim for each in store.history(stream) if isinstance(each.event, Claimed)]


def plan_of(state: State, slug: str = "p") -> PlanState:
    """The plan, which must be there."""
    plan = state.plan(slug)
    assert plan is not None
    return plan


def write_segment(repository: Path, content: bytes, stream: str = PLAN, name: str = "000001.jsonl") -> str:
    """Put a segment into the store behind Stoat's back, with git alone; gives the commit."""
    import os
    import subprocess

    index = repository / ".git" / "by-hand-index"
    env = {**os.environ, "GIT_INDEX_FILE": str(index)}

    def run(*words: str, given: bytes | None = None) -> str:
        return (
            subprocess.run(["git", *words], cwd=repository, env=env, input=given, check=True, capture_output=True)
            .stdout.decode()
            .strip()
        )

    run("read-tree", "refs/stoat/state")
    blob = run("hash-object", "-w", "--stdin", given=content)
    run("update-index", "--add", "--cacheinfo", f"100644,{blob},{stream}/events/{name}")
    tree = run("write-tree")
    index.unlink()
    commit = run("commit-tree", tree, "-p", "refs/stoat/state", "-m", "by hand")
    run("update-ref", "refs/stoat/state", commit)
    return commit


def read_segment(repository: Path, stream: str = PLAN, name: str = "000001.jsonl") -> bytes:
    """A segment's bytes at the tip, by git."""
    import subprocess

    return subprocess.run(
        ["git", "cat-file", "blob", f"refs/stoat/state:{stream}/events/{name}"],
        cwd=repository, check=True, capture_output=True,
    ).stdout  # fmt: skip
