"""Reviewing: submit_review."""

from __future__ import annotations

import msgspec
from pydantic import Field

from stoat.derive.review import ReviewListed
from stoat.mcp.schemas import outline
from stoat.mcp.tool import Arguments, ByAgent, Call, Tool
from stoat.plan import findings as rules
from stoat.service import reviews


class FindingSubmitted(Arguments):
    """One thing that a review found."""

    title: str = Field(description="What is wrong, in one line.")
    severity: str | None = None
    file: str | None = None
    line: int | None = None
    text: str | None = None
    id: str | None = Field(None, description="Given to it if left out.")


class SubmitReview(ByAgent):
    """The arguments of submit_review."""

    findings: list[FindingSubmitted] = Field(description="[] if you found nothing.", max_length=rules.MOST)


def _submit(call: Call, given: SubmitReview) -> ReviewListed:
    ref = call.assigned.node(given.plan, given.node)
    data = msgspec.json.encode([one.model_dump(exclude_none=True) for one in given.findings])
    return reviews.submit(call.session, ref, data)


TOOLS = (
    Tool(
        "submit_review",
        "Submit all that the review of your node found, of the commit that is checked out here, as its next round. "
        "A person accepts or rejects each finding.",
        SubmitReview, _submit, outline(ReviewListed),
    ),
)  # fmt: skip
