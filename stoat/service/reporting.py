"""A worker's report: how its node goes, which keeps its claim, or its word on a gate. One report says one of them."""

from __future__ import annotations

from msgspec import Struct

from stoat.clock import Time
from stoat.errors import Refused
from stoat.plan.events.claims import DEFAULT_LEASE
from stoat.plan.ids import NodeRef
from stoat.service import claims, words
from stoat.service.session import Session


class Reported(Struct, frozen=True, rename="camel"):
    """What a report came to: the claim as it runs now, or (`said`) what was recorded of a gate in its place."""

    claim_id: str | None
    holder: str | None
    expires_at: Time | None
    said: tuple[str, ...]


def report(
    session: Session, ref: NodeRef, *, note: str | None = None, link: str | None = None, lease: float | None = None,
    claim_id: str | None = None, launched_with: str | None = None, diagnosis: str | None = None,
    result: str | None = None, why: str | None = None, step: str | None = None,
) -> Reported:  # fmt: skip
    """Say how a node goes and keep it for `lease` seconds (half an hour), or say a `diagnosis` or a `result` of a gate.

    `claim_id` is the claim that is named, `launched_with` the one that counts where none is. Refused before anything is
    recorded where the parts of a report do not belong together, and as `words` and `claims.report` refuse.
    """
    word = "diagnosis" if diagnosis is not None else "result" if result is not None else None
    beside = {"note": note, "link": link, "lease": lease, "claim": claim_id}
    _check(word, {**beside, "result": result, "why": why, "step": step})
    if diagnosis is not None:
        words.diagnose(session, ref, diagnosis)
    elif result is not None:
        words.result(session, ref, result, why, step)
    if word is not None:
        return Reported(None, None, None, (word,))
    kept = claims.report(
        session, *ref, lease=DEFAULT_LEASE if lease is None else lease, note=note, link=link,
        claim_id=claim_id or launched_with,
    )  # fmt: skip
    return Reported(kept.claim_id, kept.holder, kept.expires_at, ())


_OF_RESULT = ("result", "why", "step")


def _check(word: str | None, given: dict[str, object]) -> None:
    """Refused where something is given that a report of that word, or of none, does not take: it would be lost."""
    takes = {"diagnosis": (), "result": _OF_RESULT}.get(word or "", ("note", "link", "lease", "claim"))
    beside = [name for name, value in given.items() if value is not None and name not in takes]
    if not beside:
        return
    if word is None:
        raise Refused(
            f"{' and '.join(beside)} without the result that it is of", hint="say the result: passed or failed"
        )
    raise Refused(
        f"a {word} is of a gate, and does not take {', '.join(beside)}",
        hint=f"report the {word} alone, and the rest in a report of its own; nothing was recorded",
    )
