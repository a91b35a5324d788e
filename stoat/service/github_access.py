"""Whether GitHub answers, and whether the token may do what Stoat needs: one request, which no limit counts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from stoat import clock
from stoat.derive.wording.text import moment
from stoat.errors import StoatError
from stoat.service.health import Check

if TYPE_CHECKING:
    from stoat.observe.github.client import Response

_LIMITS = "/rate_limit"
_SOON = 7 * 24 * 3600.0
_ANSWER = 10.0
_SCOPES = ("repo", "public_repo")
_NEW_TOKEN = "make a new one at GitHub (Settings, Developer settings), then gh auth login or set GH_TOKEN"
_FIX_ADDRESS = "see that STOAT_GITHUB_API is right (https://HOST/api/v3 for GitHub Enterprise)"
_FIX_SCOPE = "gh auth refresh -s repo, or set GH_TOKEN to a token with the scope repo"


def look_at_github(environ: Mapping[str, str]) -> Check:
    """Ask GitHub once; what is wrong with the token or the way there is a problem, with what to do."""
    from stoat.observe.github.answers import sign_on_fix
    from stoat.observe.github.client import connect

    try:
        client = connect(environ, wait=lambda seconds, why: seconds <= 1, timeout=_ANSWER)
        response = client.get(_LIMITS)
    except StoatError as trouble:
        return Check("github", "problem", trouble.message, trouble.hint or "see that this machine reaches it")
    if response.status == 403:
        return Check("github", "problem", f"{client.host} refuses the token", sign_on_fix(response) or _NEW_TOKEN)
    if response.status != 200 and not _has_no_limits(response):
        what = f"{client.host} does not answer as GitHub's API does (HTTP {response.status})"
        return Check("github", "problem", what, _FIX_ADDRESS)
    return _token(client.host, response)


def _has_no_limits(response: Response) -> bool:
    """Whether this is an Enterprise server that sets no limits, which it says with a 404."""
    return response.status == 404 and b"rate limiting is not enabled" in response.body.lower()


def _token(host: str, response: Response) -> Check:
    """What the answer's headers say of the token: only classic ones have scopes, only some run out."""
    left = _left(response)
    answers = f"{host} answers" + (f", {left} requests are left this hour" if left is not None else "")
    expires = _expiry(response.headers.get("github-authentication-token-expiration", ""))
    if expires and clock.seconds_between(clock.now(), expires) < _SOON:
        return Check("github", "warning", f"{answers}; its token runs out at {moment(expires)}", _NEW_TOKEN)
    written = response.headers.get("x-oauth-scopes")
    if written is None:
        return Check("github", "ok", f"{answers}; what its token may read shows with each repository")
    scopes = [scope.strip() for scope in written.split(",") if scope.strip()]
    if not any(scope in _SCOPES for scope in scopes):
        has = f"has only the scopes {', '.join(scopes)}" if scopes else "has no scope"
        return Check("github", "problem", f"{answers}; its token {has}: private repositories are not seen", _FIX_SCOPE)
    if "repo" not in scopes:
        what = f"{answers}; its token has no scope repo: private repositories are not seen"
        return Check("github", "warning", what, _FIX_SCOPE)
    return Check("github", "ok", f"{answers}; its token has the scopes {', '.join(scopes)}")


def _left(response: Response) -> int | None:
    try:
        left = response.json()["resources"]["graphql"]["remaining"]
    except (StoatError, KeyError, TypeError):
        return None
    return left if isinstance(left, int) else None


def _expiry(written: str) -> str | None:
    """`2026-12-30 00:00:00 UTC`, or with an offset in place of UTC."""
    try:
        return clock.text(clock.parse(written.strip().replace(" UTC", "+00:00").replace(" +", "+").replace(" -", "-")))
    except ValueError:
        return None
