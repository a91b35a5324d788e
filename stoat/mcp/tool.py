"""What a tool is: its name, its arguments as a model, its answer as a schema, and the function that does it.

    Tool("get_node", "…", Arguments, run, outline(Shown), reads=True)        run(call, arguments) gives the answer

A function raises a StoatError to refuse: its sentence and its hint are what the agent reads.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from stoat.service.assigned import Assigned
from stoat.service.session import Session

LONGEST_TEXT = 20_000
"""Characters of any text that an agent writes."""
LONGEST_NAME = 100
"""Characters of the name of an agent, or of a client's program."""


def _name(text: str) -> str:
    if not text.isprintable() or not text.strip() or len(text) > LONGEST_NAME:
        raise ValueError(f"a name is one line of at most {LONGEST_NAME} characters")
    return text


class Arguments(BaseModel):
    """The arguments of a tool: camelCase on the wire, and none that it does not know."""

    # A limit here is held and not listed: every client would pay for it with every call.
    model_config = ConfigDict(
        extra="forbid", alias_generator=to_camel, frozen=True, str_max_length=LONGEST_TEXT, allow_inf_nan=False
    )


class OfPlan(Arguments):
    """The arguments of what is about a plan."""

    plan: str | None = Field(None, description="The plan's slug; yours if left out.")


class OfNode(OfPlan):
    """The arguments of what is about a node."""

    node: str | None = Field(None, description="The node's id; yours if left out.")


class Speaker(Arguments):
    """The arguments of what an agent says."""

    agent: Annotated[str, AfterValidator(_name)] | None = Field(
        None, description="Your name, if you were started without one."
    )


class ByAgent(OfNode, Speaker):
    """The arguments of what an agent says about a node."""


class ByHolder(ByAgent):
    """The arguments of what the holder of a node says about it."""

    claim_id: str | None = Field(None, description="Your claim, if you were started without one.")


@dataclass
class Waiting:
    """What a waiting tool has to do with who waits: how long it may, when to stop, and where to say what it waits for.

    `seconds` is how long the other end takes silence or signs of life; `stopped` is set when nobody waits any more.
    """

    seconds: float = 0.0
    stopped: threading.Event = field(default_factory=threading.Event)
    tell: Callable[[str], None] = lambda text: None


@dataclass(frozen=True)
class Call:
    """One call of a tool: the session of the agent that makes it, what it was launched for, and its waiting."""

    session: Session
    assigned: Assigned
    waiting: Waiting


@dataclass(frozen=True)
class Tool:
    """A tool of the table. `run(call, arguments)` gives what `schema` describes; `waits` says that it may take long.

    `reads` says that it records nothing; `outside` that it may ask GitHub.
    """

    name: str
    description: str
    arguments: type[Arguments]
    run: Callable[[Call, Any], Any]
    schema: dict[str, Any]
    reads: bool = False
    waits: bool = False
    outside: bool = False
