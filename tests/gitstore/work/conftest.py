"""What tests of the project's own git work share."""

from __future__ import annotations

import pytest

from tests.support.gitrepo import MakeRepo
from tests.support.pruning import Yard


@pytest.fixture
def yard(make_repo: MakeRepo) -> Yard:
    """A project with a remote, in which worktrees are pruned."""
    return Yard(make_repo)
