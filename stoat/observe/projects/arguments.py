"""A command's words sorted into options with their values and what stands by itself, as far as options are known."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from typing import NamedTuple


class Arguments(NamedTuple):
    """`options` has every known option that was given with its value (`""` without one), `plain` the rest.

    `unclear` says that an option which is not known stood before a word: that word may be its value, and is left out.
    """

    options: Mapping[str, str]
    plain: tuple[str, ...]
    unclear: bool


def sort(words: Sequence[str], valued: Mapping[str, str], flags: Container[str]) -> Arguments:
    """Sort words: `valued` gives the one name of every option that takes a value, `flags` are those that take none.

    `--option=value`, `-ovalue` (of an option with one letter) and a `--` that ends the options are understood.
    """
    options: dict[str, str] = {}
    plain: list[str] = []
    unclear = False
    at = 0
    while at < len(words):
        word = words[at]
        at += 1
        if word == "--":
            break
        if not word.startswith("-") or word == "-":
            plain.append(word)
            continue
        name, equals, value = word.partition("=")
        if name in valued:
            if equals:
                options[valued[name]] = value
            elif at < len(words):
                options[valued[name]] = words[at]
                at += 1
        elif word[:2] in valued and not word.startswith("--"):
            options[valued[word[:2]]] = word[2:]
        elif word in flags or equals or _bundled(word, flags):
            options.setdefault(name, value)
        elif at < len(words) and not words[at].startswith("-"):
            at += 1
            unclear = True
    return Arguments(options, tuple(plain), unclear)


def _bundled(word: str, flags: Container[str]) -> bool:
    """Whether a word is several flags of one letter in a row: `-xvs`."""
    return not word.startswith("--") and all(f"-{letter}" in flags for letter in word[1:])
