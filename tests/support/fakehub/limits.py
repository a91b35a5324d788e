"""GitHub's hourly budgets: what each answer costs and what its headers say is left."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

HOUR = 3600


@dataclass
class Budget:
    """What one resource has left until `reset` (seconds since 1970)."""

    limit: int
    remaining: int
    reset: int

    @property
    def used(self) -> int:
        """How much of it is used up."""
        return self.limit - self.remaining

    def shown(self) -> dict[str, int]:
        """As GET /rate_limit shows it."""
        return {"limit": self.limit, "used": self.used, "remaining": self.remaining, "reset": self.reset}


class Limits:
    """The budgets of the one token that the fake knows."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        reset = int(clock()) + HOUR
        self.budgets = {
            "core": Budget(5000, 5000, reset),
            "graphql": Budget(5000, 5000, reset),
            "search": Budget(30, 30, reset),
        }

    def __getitem__(self, resource: str) -> Budget:
        budget = self.budgets[resource]
        if self._clock() >= budget.reset:
            budget.remaining, budget.reset = budget.limit, int(self._clock()) + HOUR
        return budget

    def spend(self, resource: str, cost: int = 1) -> bool:
        """Take `cost` from a budget; False when it is used up."""
        budget = self[resource]
        if budget.remaining < cost:
            budget.remaining = 0
            return False
        budget.remaining -= cost
        return True

    def exhaust(self, resource: str, reset_in: float) -> None:
        """Nothing is left of a budget for so many seconds."""
        budget = self[resource]
        budget.remaining, budget.reset = 0, int(self._clock() + reset_in)

    def headers(self, resource: str) -> dict[str, str]:
        """The headers of an answer."""
        budget = self[resource]
        return {
            "X-RateLimit-Limit": str(budget.limit),
            "X-RateLimit-Remaining": str(budget.remaining),
            "X-RateLimit-Used": str(budget.used),
            "X-RateLimit-Reset": str(budget.reset),
            "X-RateLimit-Resource": resource,
        }
