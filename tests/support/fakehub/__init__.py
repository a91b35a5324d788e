"""A fake GitHub over real HTTP and real bare repositories: GraphQL, REST, and everything that goes wrong with them.

`with FakeHub(directory) as hub:` in a test; `python -m tests.support.fakehub DIRECTORY` by hand.
"""

from tests.support.fakehub.checks import Annotation, CheckRun, Step
from tests.support.fakehub.hub import FakeHub
from tests.support.fakehub.journal import Request
from tests.support.fakehub.model import Issue
from tests.support.fakehub.pulls import Pull
from tests.support.fakehub.repository import Protection, Repository

__all__ = ["Annotation", "CheckRun", "FakeHub", "Issue", "Protection", "Pull", "Repository", "Request", "Step"]
