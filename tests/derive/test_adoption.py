"""What a runner does with what another one left: the whole table."""

from __future__ import annotations

from itertools import product
from typing import get_args

import pytest

from stoat.derive.adoption import Seen, decide
from tests.support.states import BEFORE, attempt, claim, piece

ENDS = {"alive": "watch", "dead": "end", "marked": "record", "setup": "give-back", "nowhere": "end"}


@pytest.mark.parametrize(
    ("seen", "exited", "held"), list(product(get_args(Seen), (False, True), (None, "of the attempt", "another")))
)
def test_every_row(seen: Seen, exited: bool, held: str | None) -> None:
    last = attempt(exited_at=BEFORE if exited else None)
    lease = claim(id=last.claim if held == "of the attempt" else "c-other") if held else None
    action = decide(piece("a", attempt=last, claim=lease), seen)
    if exited:
        assert action == ("let-go" if held == "of the attempt" else "nothing")
    else:
        assert action == ENDS[seen]
