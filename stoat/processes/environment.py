"""The environment of an agent: none of git's pointers to some other repository, and nothing that waits for a person."""

from __future__ import annotations

import re
from collections.abc import Mapping

# What git sets for one repository or one running command, often seen when Stoat is started from a hook, an alias or
# `git rebase --exec`: in the agent's worktree it would point elsewhere. GIT_CONFIG_COUNT with its keys and values
# stays: git itself never sets it, containers do (safe.directory, credentials), and it cannot move the work tree.
_OF_ANOTHER_REPOSITORY = re.compile(
    r"GIT_(?:DIR|WORK_TREE|INDEX_FILE|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES|COMMON_DIR|NAMESPACE|PREFIX"
    r"|CEILING_DIRECTORIES|IMPLICIT_WORK_TREE|INTERNAL_\w+|SHALLOW_FILE|GRAFT_FILE|QUARANTINE_PATH|ATTR_SOURCE"
    r"|REPLACE_REF_BASE|NO_REPLACE_OBJECTS|CONFIG|CONFIG_PARAMETERS|REFLOG_ACTION|PUSH_OPTION_\w+"
    r"|(?:AUTHOR|COMMITTER)_DATE|(?:LITERAL|GLOB|NOGLOB|ICASE)_PATHSPECS)"
)

_OF_OUR_DIRECTORY = {"PWD", "OLDPWD"}

# A graphical password dialog would wait for ever; GIT_ASKPASS stays, since it is often a script that answers.
_ASKING = {"SSH_ASKPASS"}

_NOBODY_THERE = {
    "GIT_TERMINAL_PROMPT": "0",
    "GCM_INTERACTIVE": "never",
    "SSH_ASKPASS_REQUIRE": "never",
    # The variables win over core.editor and sequence.editor, so they are what has to be set. `true` leaves the
    # text as it is: `git rebase --continue` keeps its message, `git commit` without one refuses.
    "GIT_EDITOR": "true",
    "EDITOR": "true",
    "VISUAL": "true",
    # An interactive rebase that nobody edits runs its plan as it stands, which must not look like an edit.
    "GIT_SEQUENCE_EDITOR": "echo 'nobody edits this list here, it runs as it stands:' >&2",
    "GIT_MERGE_AUTOEDIT": "no",
    # Agents give their commands terminals of their own, where a pager would wait for a key.
    "GIT_PAGER": "cat",
    "PAGER": "cat",
}


def agent_environment(base: Mapping[str, str]) -> dict[str, str]:
    """`base` as an agent may have it: git finds the repository it stands in, and asks and edits nothing."""
    kept = {
        name: value
        for name, value in base.items()
        if not _OF_ANOTHER_REPOSITORY.fullmatch(name) and name not in _OF_OUR_DIRECTORY | _ASKING
    }
    return kept | _NOBODY_THERE
