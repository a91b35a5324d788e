"""What agents ask and people answer."""

from __future__ import annotations

from msgspec.structs import replace

from stoat.errors import Refused
from stoat.plan.events.base import NodeEvent
from stoat.plan.state import Mark, NodeState, PlanState, Question

LONGEST = 20_000
"""Characters of a question: it is read by a person, and every process that folds the plan keeps it."""


class Asked(NodeEvent, tag="asked", frozen=True):
    """An agent asks a person; the node is held until it is settled."""

    question: str
    text: str

    def fold(self, plan: PlanState) -> None:
        """Note the open question."""
        node = plan.nodes[self.node]
        plan.questions[self.question] = Question(
            id=self.question, node=self.node, question=self.text, asked_by=self.by.name, at=self.at,
            session=self.by.session, seq=plan.seq,
        )  # fmt: skip
        plan.change(self.node, open_questions=node.open_questions + 1)


class Answered(NodeEvent, tag="answered", frozen=True):
    """A person answered."""

    question: str
    text: str

    def fold(self, plan: PlanState) -> None:
        """Settle it with the answer."""
        _settle(plan, self.question, "answered", Mark(self.by.name, self.at, self.text))


class QuestionDismissed(NodeEvent, tag="question_dismissed", frozen=True):
    """A person will not answer."""

    question: str

    def fold(self, plan: PlanState) -> None:
        """Settle it without one."""
        _settle(plan, self.question, "dismissed", Mark(self.by.name, self.at))


def ask(node: NodeState, question_id: str, text: str) -> Asked:
    """A question about a node. Refused where there is none in the text, or more than a person reads."""
    if not text.strip():
        raise Refused("there is no question in that", hint="say what you need to know, and what one needs to decide it")
    if len(text) > LONGEST:
        raise Refused(
            f"a question has at most {LONGEST} characters, and this one {len(text)}",
            hint="ask in short, and name where the rest is to be read",
        )
    return Asked(node=node.spec.id, question=question_id, text=text)


def shortened(text: str) -> str:
    """What may be asked of a text that nobody can be told to shorten: its beginning, and how much is missing."""
    if len(text) <= LONGEST:
        return text
    missing = len(text) - LONGEST + len(_CUT.format(len(text)))
    return text[: len(text) - missing] + _CUT.format(missing)


_CUT = "… ({} more characters, in the agent's log)"


def open_question(plan: PlanState, question_id: str) -> Question:
    """The open question of that id; Refused when it was settled, KeyError when the plan has none such."""
    asked = plan.questions[question_id]
    if asked.state != "open":
        by = f" by {asked.answer.by}" if asked.answer else ""
        raise Refused(
            f"question {question_id} was {asked.state} already{by}",
            hint=f"see it with `stoat questions {plan.slug}`",
        )
    return asked


def _settle(plan: PlanState, question_id: str, state: str, mark: Mark) -> None:
    asked = plan.questions[question_id]
    if asked.state == "open":
        plan.questions[question_id] = replace(asked, state=state, answer=mark)
        node = plan.nodes.get(asked.node)
        if node is not None:
            plan.change(asked.node, open_questions=max(0, node.open_questions - 1))
