"""Which issues the text of a pull request says that it closes, as GitHub reads such a text (pure).

What is in code (fenced, indented, inline), in a quotation or in an HTML comment says nothing.
"""

from __future__ import annotations

import re

from stoat.plan.github import Numbered
from stoat.plan.ids import is_repository
from stoat.plan.markdown import live

_KEYWORD = re.compile("clos|fix|resolv", re.IGNORECASE)
_CLOSES = re.compile(
    r"""(?<![\w-]) (?:close[sd]? | fix(?:e[sd])? | resolve[sd]?)
        (?: [ \t]*:[ \t]* | [ \t]+ | [ \t]*\n[ \t]* )
        (?: (?P<repo>[\w.-]+/[\w.-]+)? \# (?P<number>[1-9]\d{0,9}) (?!\w)
          | https?://(?P<host>[^/\s]+)/(?P<path>[\w.-]+/[\w.-]+)/issues/(?P<at>[1-9]\d{0,9}) (?![\w/?\#]) )""",
    re.IGNORECASE | re.VERBOSE | re.ASCII,
)


def closes(body: str, repo: str, host: str = "github.com") -> tuple[Numbered, ...]:
    """The issues that the text of a pull request in `repo` closes, each once, in the text's order.

    An address counts only where it is on `host`, where the pull request is.
    """
    if _KEYWORD.search(body) is None:
        return ()
    found = []
    for match in _CLOSES.finditer(live(body)):
        if match["path"] is not None:
            if match["host"].lower() == host.lower() and is_repository(match["path"]):
                found.append(Numbered(match["path"], int(match["at"])))
        elif match["repo"] is None or is_repository(match["repo"]):
            found.append(Numbered(match["repo"] or repo, int(match["number"])))
    return tuple(dict.fromkeys(found))
