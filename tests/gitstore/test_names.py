"""Who acts, from git's settings and the environment."""

from __future__ import annotations

from stoat.gitstore.names import actor, address, named
from stoat.plan.events.base import Actor

ADA = {"user.name": "Ada", "user.email": "ada@example.org"}


def test_a_person_is_who_git_says() -> None:
    assert actor(ADA, {}) == Actor("Ada", "person", None, "ada@example.org")
    environ = {"GIT_AUTHOR_NAME": "Bo", "GIT_AUTHOR_EMAIL": "bo@example.org"}
    assert actor(ADA, environ) == Actor("Bo", "person", None, "bo@example.org")


def test_a_name_asked_for_does_not_get_somebody_else_s_address() -> None:
    assert actor(ADA, {}, by="Cy") == Actor("Cy", "person", None, "cy@stoat.invalid")
    assert actor(ADA, {}, by="Ada").email == "ada@example.org"


def test_a_process_in_an_agent_s_environment_is_that_agent() -> None:
    assert actor(ADA, {"STOAT_AGENT": "claude 3"}, session="s") == named("claude 3", "agent", "s")
    assert actor(ADA, {"STOAT_AGENT": "a"}, by="b").as_ == "agent"


def test_a_person_whom_nothing_names_has_no_name() -> None:
    assert actor({}, {}) == actor({"user.name": " "}, {}) == Actor("", "person")


def test_addresses_are_made_of_anything() -> None:
    assert address("Claude Code (1)") == "claude-code-1@stoat.invalid"
    assert address("<\n>") == "nobody@stoat.invalid"
