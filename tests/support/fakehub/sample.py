"""The repository that the fake starts with when it is run by hand."""

from __future__ import annotations

from tests.support.fakehub.hub import FakeHub
from tests.support.fakehub.repository import Repository

FILES = {
    "README.md": "# Widgets\n\nLanes for widgets.\n",
    "lanes.py": 'def lanes(count):\n    """Give `count` lanes."""\n    return list(range(count + 1))\n',
    "test_lanes.py": "from lanes import lanes\n\n\ndef test_lanes():\n    assert len(lanes(2)) == 2\n",
}


def sample(hub: FakeHub) -> Repository:
    """acme/widgets: an issue with two sub-issues, the second of which is blocked by the first."""
    hub.user("ada")
    hub.user("bob")
    repo = hub.repository("acme/widgets")
    repo.push("main", "Add lanes", FILES)
    whole = repo.issue("Lanes that add up", body="Two steps, in this order: see the sub-issues.", labels=["epic"])
    first = repo.issue(
        "lanes() gives one lane too many",
        body="`lanes(2)` gives three lanes.\n\nDone when `test_lanes.py` passes.",
        labels=["bug"],
        parent=whole,
    )
    repo.issue(
        "Say in the README how many lanes there are",
        body="Needs the right number first.",
        labels=["docs"],
        parent=whole,
        blocked_by=[first],
    )
    repo.check("test", "success")
    return repo
