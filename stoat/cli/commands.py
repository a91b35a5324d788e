"""The command tree as a table: each command's group, one line of help, an example, and where its code is.

Nothing here imports a command's code; `main.py` does so when the command is run or its own help is shown. Adding a
command is a function (or a `typer.Typer` for a noun with verbs) in a module beside this one, and a line here.
"""

from __future__ import annotations

from typing import NamedTuple

from stoat.derive.wording import later


class Entry(NamedTuple):
    """A command: its name, `module:attribute` of its function or its Typer app, what it does, and an example."""

    name: str
    target: str
    does: str
    example: str


SECTIONS: dict[str, tuple[Entry, ...]] = {
    "Begin": (
        Entry("init", "start:init", "make this repository hold plans (safe to repeat)", "stoat init"),
        Entry("demo", "demo:demo", "build a small world, let an agent work it, and show the board", "stoat demo"),
        Entry("doctor", "doctor:doctor", "check the store, git and who you are; says what to do", "stoat doctor"),
    ),
    "Plan": (
        Entry("plan", "plan:app", "import, export, check, list and archive plans", "stoat plan import plan.yaml"),
        Entry("issues", "issues:app", "a graph of GitHub issues as a plan; its help teaches the loop",
              "stoat issues import my-plan --repo OWNER/NAME --parent 42"),
        Entry("resources", "plan:resources", "what the nodes of a plan take turns on",
              "stoat resources my-plan postgres=1 gpu=1:machine"),
        Entry("node", "node:app", "add, change, link and show single nodes", "stoat node show PLAN/NODE"),
    ),
    "Look": (
        Entry("status", "look:status", "where every node stands, and why", "stoat status my-plan"),
        Entry("ready", "look:ready", "what could be worked on now, what unblocks most first", "stoat ready --explain"),
        Entry("needs", "look:needs", "what waits for a person, what holds up most first", "stoat needs"),
        Entry("sweep", "sweep:sweep", "look at GitHub once, and record what is new", "stoat sweep"),
        Entry("frontier", "frontier:frontier", "where a graph of GitHub issues stands, and what can start",
              "stoat frontier --repo OWNER/NAME --parent 42"),
        Entry("log", "history:log", "what happened, newest first", "stoat log my-plan --limit 20"),
        Entry("serve", "serve:serve", "the board in a browser, live", "stoat serve"),
    ),
    "Work": (
        Entry("claim", "work:claim", "take a node, so that nobody else does", "stoat claim my-plan/parser --lease 1h"),
        Entry("report", "work:report", "say how it goes, and keep the node", "stoat report my-plan/parser --note half"),
        Entry("release", "work:release", "give the node back", "stoat release my-plan/parser"),
        Entry("ask", "ask:ask", "put a question to a person", "stoat ask my-plan/parser 'tabs or spaces?' --wait 30m"),
        Entry("gate", "gate:app", "run a command as evidence", "stoat gate exec my-plan/suite -- make test"),
        Entry("runs", "runs:app", "record and look at test runs", "stoat runs add report.xml --tag my-plan/suite"),
    ),
    "Decide (a person's)": (
        Entry("approve", "decide:approve", "let agents start on nodes, or on a plan", "stoat approve my-plan/parser"),
        Entry("withdraw", "decide:withdraw", "take a go-ahead back", "stoat withdraw my-plan/parser"),
        Entry("expedite", "decide:expedite", "send a node ahead of the others", "stoat expedite my-plan/parser"),
        Entry("merge-policy", "decide:merge_policy", "who merges a node's pull request",
              "stoat merge-policy my-plan/parser merge-on-green"),
        Entry("cloud", "decide:cloud", "keep a node for a cloud agent", "stoat cloud my-plan/parser"),
        Entry("done", "decide:done", "mark a person's node done", "stoat done my-plan/record-demo"),
        Entry("restart", "decide:restart", "begin a node again, after a give-up or a conflict",
              "stoat restart my-plan/parser"),
        Entry("reverify", "decide:reverify", "let a gate or slice prove itself again", "stoat reverify my-plan/suite"),
        Entry("allow-asserted", "decide:allow_asserted", "let an agent's word count as a gate's result",
              "stoat allow-asserted my-plan/suite"),
        Entry("accept-partial", "decide:accept_partial", "take an issue as done with what is left out",
              "stoat accept-partial my-plan/parser"),
        Entry("create-issues", "decide:create_issues", "let runners file the issues that a plan lacks",
              "stoat create-issues my-plan"),
        Entry("note", "decide:note", "leave a note on a plan or a node", "stoat note my-plan/parser 'see #12'"),
        Entry("review", "review:app", "a review's findings: submit them, decide them",
              "stoat review accept my-plan/final-review f1"),
        Entry("questions", "ask:questions", "what agents asked", "stoat questions"),
        Entry("answer", "ask:answer", "answer a question", "stoat answer q-7m2kx0a9 'tabs'"),
        Entry("dismiss", "ask:dismiss", "settle a question without an answer", "stoat dismiss q-7m2kx0a9"),
        Entry("hold", "decide:hold", "no new work on this machine", "stoat hold --why 'battery'"),
        Entry("machine", "machine:machine", "what runs on this machine, who has what, and how much it takes on",
              "stoat machine --agents 6 --disk 20G"),
        Entry("lead", "decide:lead", "lead a plan", "stoat lead my-plan"),
    ),
    "Run": (
        Entry("run-plan", "run_plan:run_plan", "let agents work a plan: launch, judge, land",
              "stoat run-plan my-plan ~/code/project --watch"),
        Entry("runners", "steer:runners", "the runners on this machine, and what they do", "stoat runners"),
        Entry("pause", "steer:pause", "a plan's runners start nothing new; agents at work finish",
              "stoat pause my-plan"),
        Entry("resume", "steer:resume", "they go on, or begin after --paused", "stoat resume my-plan"),
        Entry("mcp", "mcp:mcp", "the tools for an agent's program, over MCP", "stoat mcp --profile worker"),
        Entry("prune", "prune:prune", "remove worktrees whose work is over, if nothing is lost", "stoat prune --apply"),
    ),
}  # fmt: skip
"""The groups of `stoat --help`, in its order."""

LATER = tuple(later.COMMANDS)
"""Names that are taken: each command says that its work comes with a later version."""

ENTRIES: dict[str, Entry] = {entry.name: entry for section in SECTIONS.values() for entry in section}
