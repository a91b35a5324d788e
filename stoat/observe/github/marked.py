"""Finding an issue again by the mark in its text, among the newest ones: searching would show it much later."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlencode

from stoat.clock import Time, plus
from stoat.observe.github import answers
from stoat.observe.github.client import connect
from stoat.observe.github.trouble import Incomplete

_PAGES = 10
_EARLIER = 24 * 3600.0
"""Seconds by which our clock may be ahead of GitHub's."""


def find_marked(environ: Mapping[str, str], repo: str, marker: str, since: Time) -> int | None:
    """The number of the issue in `repo` with `marker` on a line of its own, made after `since`; None without one.

    Of several it is the first. Raises GitHubTrouble where that cannot be told; no limit is waited out.
    """
    client = connect(environ, wait=lambda seconds, why: False)
    found: list[int] = []
    for page in range(1, _PAGES + 1):
        asked = urlencode({
            "state": "all", "sort": "created", "direction": "desc", "since": plus(since, -_EARLIER)[:19] + "Z",
            "per_page": 100, "page": page,
        })  # fmt: skip
        answer = client.get(f"/repos/{repo}/issues?{asked}")
        listed = answer.json() if answer.status == 200 else None
        if not isinstance(listed, list):
            raise answers.refusal(answer)
        for one in listed:
            if isinstance(one, dict) and "pull_request" not in one and _has(one.get("body"), marker):
                number = one.get("number")
                if not isinstance(number, int):
                    # Passed over, it would be created a second time.
                    raise answers.refusal(answer)
                found.append(number)
        if len(listed) < 100:
            return min(found) if found else None
    if found:
        return min(found)
    raise Incomplete(f"{repo} has too many new issues to look through", fix="bind it by hand: stoat node bind")


def _has(body: object, marker: str) -> bool:
    """Whether it is there as it was written: people add to an issue's text, below it too."""
    return isinstance(body, str) and any(line.strip() == marker for line in body.splitlines())
