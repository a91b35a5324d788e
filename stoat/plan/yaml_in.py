"""YAML text as a tree in which everything keeps its place and its source text, and what is wrong with the text itself.

Nothing is guessed: `1.10`, `yes`, `0123` and `00:20:00` stay the text they are. The parser gives events only, and the
tree is built here without recursion, so that depth, duplicate keys and the growth of aliases are in one hand.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from stoat.errors import Invalid, Problem
from stoat.plan.characters import FORBIDDEN

DEEPEST = 32
"""Levels of nesting; a plan needs six."""
MOST_ALIASED = 100_000
"""How many values the aliases of a document may stand for, all together: a billion laughs is refused, not expanded."""

_READ_APART = re.compile("[\x85\u2028\u2029]|^\\.\\.\\.[^\0]*?^\\.\\.\\.", re.MULTILINE)
"""What the two parsers read differently: the line ends of YAML 1.1, and a document's end after a document's end."""
_HINTS = (
    ("mapping values are not allowed", "put a text that contains ': ' in quotes"),
    ("cannot start any token", "indent with spaces, and put a text that begins with one of @ ` % & * ! | > in quotes"),
    ("expected <block end>", "line the entry up with its neighbours, or put the text in quotes"),
    ("while scanning a quoted scalar", "close the quotes"),
    ("could not find expected ':'", "write `key: value`"),
)


class Scalar(NamedTuple):
    """A single value: its place (1-based), its text, and whether it stood without quotes."""

    line: int
    column: int
    text: str
    plain: bool

    @property
    def is_null(self) -> bool:
        """Whether YAML reads it as nothing: empty, `~` or `null`, without quotes."""
        return self.plain and self.text in ("", "~", "null", "Null", "NULL")


class Sequence(NamedTuple):
    """A list: its place and its items."""

    line: int
    column: int
    items: list[Tree]


class Mapping(NamedTuple):
    """A mapping: its place, and the keys it has with their values. Keys are unique."""

    line: int
    column: int
    entries: dict[str, tuple[Scalar, Tree]]


Tree = Scalar | Sequence | Mapping


class _Stop(Exception):
    """The text is not read any further; why is among the problems already."""


def decode(data: bytes) -> str:
    """A document's bytes as text; Invalid, with the place, when they are not UTF-8."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8", "replace").splitlines(keepends=True) or [""]
        ended = before[-1].endswith(("\n", "\r"))
        line, column = len(before) + ended, 1 if ended else len(before[-1]) + 1
        raise Invalid([Problem(line, column, "this is not UTF-8 text", "save the file as UTF-8")]) from error


def read(text: str) -> tuple[Tree | None, list[Problem]]:
    """The tree of a document (None when it cannot be read to its end) and the problems of its text, in any order.

    A byte order mark is passed over, and CRLF and CR end a line as LF does.
    """
    problems: list[Problem] = []
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    text = _without_controls(text, problems)
    # What the quick parser takes both read alike, but for these. What it does not take (some of YAML 1.2) the other
    # one reads, or says what is wrong.
    if _READ_APART.search(text) is None:
        quick: list[Problem] = []
        try:
            return _Builder(quick, plain=True).build(_events(text, pure=False)), problems + quick
        except _Stop:
            return None, problems + quick
        except (YAMLError, _Unlike):
            pass
    try:
        return _Builder(problems).build(_events(text, pure=True)), problems
    except _Stop:
        return None, problems
    except YAMLError as error:
        return None, [*problems, _syntax(error)]


def _events(text: str, *, pure: bool) -> Iterator[Any]:
    """The parser's events. Without ruamel.yaml.clib both are the pure parser, twenty times slower."""
    events: Iterator[Any] = YAML(typ="safe", pure=pure).parse(text)
    return events


def _without_controls(text: str, problems: list[Problem]) -> str:
    for found in FORBIDDEN.finditer(text):
        line = text.count("\n", 0, found.start()) + 1
        column = found.start() - text.rfind("\n", 0, found.start())
        what = f"the character U+{ord(found[0]):04X} cannot stand in a document"
        problems.append(Problem(line, column, what, "take it out"))
    return FORBIDDEN.sub(" ", text) if problems else text


def _syntax(error: YAMLError) -> Problem:
    if not isinstance(error, MarkedYAMLError):
        return Problem(1, 1, f"this is not YAML: {error}", "")
    what = ": ".join(part for part in ("this is not YAML", error.context, error.problem) if part)
    if error.context_mark is not None and error.context_mark is not error.problem_mark:
        what = f"{what} (it begins on line {error.context_mark.line + 1})" if error.context else what
    mark = error.problem_mark or error.context_mark
    line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
    return Problem(line, column, what, next((do for sign, do in _HINTS if sign in what), ""))


class _Unlike(Exception):
    """The text has anchors, aliases or tags: there the parsers differ in detail."""


class _Open:
    """A list or mapping that is being read; a mapping waits for the value of `key`."""

    def __init__(self, node: Sequence | Mapping, anchor: str | None, begun: int) -> None:
        self.node = node
        self.anchor = anchor
        self.begun = begun
        self.key: Scalar | None = None
        self.waits_for_value = False


class _Builder:
    """Builds the tree from the parser's events; what is wrong on the way goes into `problems`.

    With `plain` a text that has anchors, aliases or tags is not read (_Unlike).
    """

    def __init__(self, problems: list[Problem], *, plain: bool = False) -> None:
        self.problems = problems
        self.plain = plain
        self.open: list[_Open] = []
        self.root: Tree | None = None
        self.anchored: dict[str, tuple[Tree, int]] = {}
        self.size = 0
        self.aliased = 0

    def build(self, events: Iterator[Any]) -> Tree | None:
        """The tree of the first document; None when there is none. YAMLError, or _Stop, when it is cut short."""
        for event in events:
            # By how often they come.
            if isinstance(event, ScalarEvent):
                self._scalar(event)
            elif isinstance(event, SequenceStartEvent | MappingStartEvent):
                self._begin(event)
            elif isinstance(event, SequenceEndEvent | MappingEndEvent):
                self._end()
            elif isinstance(event, AliasEvent):
                self._alias(event)
            elif isinstance(event, DocumentStartEvent) and self.root is not None:
                self._wrong(event, "a second document begins here", "keep one plan to a file")
                raise _Stop
        if self.root is None:
            self.problems.append(Problem(1, 1, "the document is empty", "write `schema: 1` and a plan"))
        return self.root

    def _wrong(self, event: Any, what: str, do: str) -> None:
        mark = event.start_mark
        self.problems.append(Problem(mark.line + 1, mark.column + 1, what, do))

    def _scalar(self, event: Any) -> None:
        self._tag(event)
        mark, text = event.start_mark, event.value
        if "\r" in text:  # an escape in quotes: `"…\r\n"`
            text = text.replace("\r\n", "\n").replace("\r", "\n")
        if not text.isascii():
            text = self._paired(event, text)
        if not text.isprintable():
            self._escaped_controls(event, text)
        node = Scalar(mark.line + 1, mark.column + 1, text, not event.style)
        self.size += 1
        if event.anchor:
            self.anchored[event.anchor] = (node, 1)
        self._put(node, event)

    def _begin(self, event: Any) -> None:
        if len(self.open) == DEEPEST:
            self._wrong(event, f"this is nested more than {DEEPEST} levels deep", "a plan needs six")
            raise _Stop
        self._tag(event)
        mark = event.start_mark
        node: Sequence | Mapping
        if isinstance(event, MappingStartEvent):
            node = Mapping(mark.line + 1, mark.column + 1, {})
        else:
            node = Sequence(mark.line + 1, mark.column + 1, [])
        self.size += 1
        self._put(node, event)
        self.open.append(_Open(node, event.anchor, self.size))

    def _end(self) -> None:
        done = self.open.pop()
        if done.anchor:
            self.anchored[done.anchor] = (done.node, self.size - done.begun + 1)

    def _alias(self, event: Any) -> None:
        if self.plain:
            raise _Unlike
        node, size = self.anchored.get(event.anchor, (None, 0))
        if node is None:
            self._wrong(event, f"*{event.anchor} stands for nothing that is complete before it", "write it out")
            raise _Stop
        self.size += size
        self.aliased += size
        if self.aliased > MOST_ALIASED:
            self._wrong(event, f"the aliases stand for more than {MOST_ALIASED} values", "write them out")
            raise _Stop
        self._put(node, event)

    def _put(self, node: Tree, event: Any) -> None:
        if not self.open:
            self.root = node
            return
        within = self.open[-1]
        if isinstance(within.node, Sequence):
            within.node.items.append(node)
        elif not within.waits_for_value:
            within.key = self._key(within.node, node, event)
            within.waits_for_value = True
        else:
            within.waits_for_value = False
            if within.key is not None:
                if isinstance(node, Scalar) and node.plain and not node.text:
                    # Where nothing stands the parsers differ in the place; its key is easy to find.
                    node = node._replace(line=within.key.line, column=within.key.column)
                within.node.entries[within.key.text] = (within.key, node)

    def _key(self, mapping: Mapping, node: Tree, event: Any) -> Scalar | None:
        """The key, or None when its value is to be dropped: what is wrong with the key is said."""
        if not isinstance(node, Scalar):
            self._wrong(event, "a list or a mapping cannot be a key", "write `key: value`")
            return None
        if node.plain and node.text == "<<":
            self._wrong(event, "merge keys are not taken", "write the fields out")
            return None
        if node.text in mapping.entries:
            first = mapping.entries[node.text][0].line
            self._wrong(event, f"{node.text!r} is here twice, first on line {first}", "keep one of them")
            return None
        return node

    def _tag(self, event: Any) -> None:
        if self.plain and (event.tag is not None or event.anchor):
            raise _Unlike
        if event.tag is not None:
            self._wrong(event, "tags are not taken: every value is the text it is", f"take {event.tag} out")

    def _paired(self, event: Any, text: str) -> str:
        """JSON writes what is beyond U+FFFF as two escapes; they are one character."""
        try:
            return text.encode("utf-16", "surrogatepass").decode("utf-16")
        except UnicodeDecodeError:
            self._wrong(event, "half of a surrogate pair is no character", "take it out")
            return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")

    def _escaped_controls(self, event: Any, text: str) -> None:
        """Control characters that quotes with escapes (`"\\x1b"`) brought in."""
        for found in dict.fromkeys(FORBIDDEN.findall(text)):
            self._wrong(event, f"the character U+{ord(found):04X} cannot stand in a text", "take it out")
