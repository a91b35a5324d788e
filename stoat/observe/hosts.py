"""Whether a Stoat host serves MCP at its address: agents whose tools are nowhere would only find out one by one."""

from __future__ import annotations

import urllib.error
import urllib.request

_SECONDS = 10.0


def why_no_mcp(address: str) -> str | None:
    """Why there is no MCP server at that address, in a few words; None where there is one.

    It is asked with GET, which such a server answers with 405: it takes nothing but POST.
    """
    try:
        with urllib.request.urlopen(urllib.request.Request(address), timeout=_SECONDS) as answered:
            status = answered.status
    except urllib.error.HTTPError as refused:
        refused.close()
        status = refused.code
    except (OSError, ValueError) as problem:
        return f"it does not answer: {getattr(problem, 'reason', problem)}"
    return None if status in (200, 400, 405, 406) else f"it answers {status}"
