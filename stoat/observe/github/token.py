"""Where the token comes from, and which API it is for: the environment, else what `gh` has. It is never shown."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import urlsplit

from stoat.observe.github.trouble import BadToken, GitHubTrouble, NoToken

PUBLIC = "https://api.github.com"
"""GitHub's own API; any other is an Enterprise server's, or a fake's."""

_ANYWHERE = ("GH_TOKEN", "GITHUB_TOKEN")
_ENTERPRISE = ("GH_ENTERPRISE_TOKEN",)
"""Variables that hold a token, for any server and for one that is not github.com; those before win."""
_GH_PATIENCE = 10.0
FIX = "gh auth login, or set GH_TOKEN to a token that may read the repository"
"""What to do where there is no token, or a wrong one."""


class Api(NamedTuple):
    """Where to ask: `rest` without a slash at its end, `graphql`, and the host as people and `gh` name it."""

    rest: str
    graphql: str
    host: str
    public: bool


def api(environ: Mapping[str, str]) -> Api:
    """The API that STOAT_GITHUB_API names, else github.com's. GitHubTrouble when it is no address."""
    base = environ.get("STOAT_GITHUB_API", "").strip().rstrip("/") or PUBLIC
    try:
        parts = urlsplit(base)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable or parts.username is not None or parts.query or parts.fragment:
        raise GitHubTrouble(
            "STOAT_GITHUB_API is not the address of an API",
            fix="set it to https://HOST/api/v3 of a GitHub Enterprise server, or unset it for github.com",
        )
    graphql = f"{base.removesuffix('/v3')}/graphql" if parts.path.endswith("/api/v3") else f"{base}/graphql"
    public = base == PUBLIC
    return Api(base, graphql, "github.com" if public else parts.netloc, public)


def find(environ: Mapping[str, str], where: Api) -> str:
    """The token for `where`. NoToken when there is none, BadToken when what there is cannot be one."""
    for name in (*(() if where.public else _ENTERPRISE), *_ANYWHERE):
        if found := environ.get(name, "").strip():
            return _checked(found, name)
    if found := _from_gh(environ, where.host):
        return _checked(found, "gh auth token")
    raise NoToken(f"there is no token for {where.host}", fix=FIX)


def in_use(environ: Mapping[str, str]) -> tuple[str, ...]:
    """Every token that is there, wherever it is for: in the environment, and what `gh auth login` left. To be looked
    for in texts that are published, and shown to nobody."""
    names = (*_ENTERPRISE, *_ANYWHERE)
    # With one of them in its environment `gh` answers that one.
    without = {name: value for name, value in environ.items() if name not in names}
    try:
        login = _from_gh(without, api(environ).host)
    except GitHubTrouble:
        login = ""
    found = (*(environ.get(name, "").strip() for name in names), login)
    return tuple(dict.fromkeys(each for each in found if each))


def _checked(token: str, source: str) -> str:
    # What cannot go into a header would come back in an error message of the library that refuses it.
    if not (token.isascii() and token.isprintable()) or " " in token:
        raise BadToken(f"what {source} holds is no token: it has characters that no token has", fix=FIX)
    return token


def _from_gh(environ: Mapping[str, str], host: str) -> str:
    gh = shutil.which("gh", path=environ.get("PATH"))
    if gh is None:
        return ""
    try:
        said = subprocess.run(
            [gh, "auth", "token", "--hostname", host],
            env=dict(environ),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_GH_PATIENCE,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return said.stdout.decode("ascii", "replace").strip() if said.returncode == 0 else ""
