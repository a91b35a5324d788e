"""Where the API is and where the token comes from."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from stoat.observe.github.client import connect
from stoat.observe.github.token import api, find, in_use
from stoat.observe.github.trouble import BadToken, GitHubTrouble, NoToken


def no_wait(seconds: float, why: str) -> bool:
    return False


@pytest.mark.parametrize(
    ("base", "rest", "graphql", "host"),
    [
        ("", "https://api.github.com", "https://api.github.com/graphql", "github.com"),
        ("https://api.github.com/", "https://api.github.com", "https://api.github.com/graphql", "github.com"),
        ("https://ghe.example/api/v3", "https://ghe.example/api/v3", "https://ghe.example/api/graphql", "ghe.example"),
        ("https://ghe.example/api/v3/", "https://ghe.example/api/v3", "https://ghe.example/api/graphql", "ghe.example"),
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080", "http://127.0.0.1:8080/graphql", "127.0.0.1:8080"),
    ],
)
def test_the_api_is_githubs_or_the_one_named(base: str, rest: str, graphql: str, host: str) -> None:
    found = api({"STOAT_GITHUB_API": base})
    assert (found.rest, found.graphql, found.host) == (rest, graphql, host)


@pytest.mark.parametrize(
    "base", ["ghe.example", "ftp://ghe.example", "https://", "https://user:pw@ghe.example", "http://[", "https://h:0"]
)
def test_what_is_no_address_is_said_without_repeating_it(base: str) -> None:
    with pytest.raises(GitHubTrouble) as caught:
        api({"STOAT_GITHUB_API": base})
    assert caught.value.fix and "pw" not in caught.value.message


def test_the_first_token_that_is_set_is_taken() -> None:
    public, other = api({}), api({"STOAT_GITHUB_API": "https://ghe.example/api/v3"})
    environ = {"GH_TOKEN": "one", "GITHUB_TOKEN": "two", "GH_ENTERPRISE_TOKEN": "three"}
    assert find(environ, public) == "one"
    assert find(environ, other) == "three"
    assert find({**environ, "GH_TOKEN": " \n"}, public) == "two"
    assert find({"GITHUB_TOKEN": "two\n", "GH_ENTERPRISE_TOKEN": ""}, other) == "two"


def test_without_a_token_nothing_is_asked_and_the_fix_is_named(tmp_path: Path) -> None:
    with pytest.raises(NoToken) as caught:
        connect({"PATH": str(tmp_path)}, wait=no_wait)
    assert "gh auth login" in (caught.value.fix or "") and "GH_TOKEN" in (caught.value.fix or "")
    assert caught.value.hint == caught.value.fix
    assert caught.value.exit_code == 4


@pytest.mark.parametrize("token", ["a b", "tök", "a\tb", "a\x7fb"])
def test_what_no_header_can_hold_is_no_token_and_is_not_shown(token: str) -> None:
    with pytest.raises(BadToken) as caught:
        find({"GH_TOKEN": token}, api({}))
    assert token not in caught.value.message and "GH_TOKEN" in caught.value.message


@pytest.mark.parametrize(
    ("script", "found"),
    [
        ('[ "$*" = "auth token --hostname github.com" ] && echo from-gh', "from-gh"),
        ("echo nobody >&2; exit 1", None),
        ("exit 0", None),
    ],
)
def test_gh_is_asked_last(tmp_path: Path, script: str, found: str | None) -> None:
    gh = tmp_path / "gh"
    gh.write_text(f"#!/bin/sh\n{script}\n")
    gh.chmod(0o755)
    environ = {"PATH": f"{tmp_path}{os.pathsep}/bin{os.pathsep}/usr/bin"}
    if found is None:
        with pytest.raises(NoToken):
            find(environ, api({}))
    else:
        assert find(environ, api({})) == found
        assert find({**environ, "GITHUB_TOKEN": "mine"}, api({})) == "mine"


def test_every_token_that_is_there_is_known_that_of_gh_beside_those_of_the_environment(tmp_path: Path) -> None:
    gh = tmp_path / "gh"
    gh.write_text('#!/bin/sh\necho "${GH_TOKEN:-from-gh}"\n')
    gh.chmod(0o755)
    environ = {"PATH": f"{tmp_path}{os.pathsep}/bin{os.pathsep}/usr/bin"}
    assert in_use(environ) == ("from-gh",)
    assert in_use({**environ, "GH_TOKEN": "mine\n", "GH_ENTERPRISE_TOKEN": "ours"}) == ("ours", "mine", "from-gh")
    assert in_use({"PATH": "", "GITHUB_TOKEN": "two", "STOAT_GITHUB_API": "no address"}) == ("two",)
