"""A command taken apart into words as a POSIX shell would: quotes, escapes, continued lines, comments, operators.

What a shell would act on (an operator, a variable, a pattern) has ACTIVE before it among the words, so that `a && b`
and `a '&&' b` are different, and so are `echo $HOME` and `echo '$HOME'`.
"""

from __future__ import annotations

ACTIVE = "\0"
_SPACES = frozenset(" \t\r")
_OPERATORS = frozenset("|&;<>()")
_EXPANDS = frozenset("$`*?[")
_EXPANDS_IN_DOUBLE_QUOTES = frozenset("$`")
_ESCAPED_IN_DOUBLE_QUOTES = frozenset('$`"\\\n')


class OpenQuote(ValueError):
    """A quote is never closed."""


def split(command: str) -> tuple[str, ...]:
    """The words and operators of a command; OpenQuote, or another ValueError when an escape has nothing behind."""
    return _Splitter(command).all()


class _Splitter:
    """Goes through a command once. A word is open while `_word` is a list, even an empty one: `''` is a word."""

    def __init__(self, command: str) -> None:
        self._text = command
        self._at = 0
        self._found: list[str] = []
        self._word: list[str] | None = None

    def all(self) -> tuple[str, ...]:
        """Every word and operator, in their order; raises as `split` does."""
        while self._at < len(self._text):
            self._one(self._text[self._at])
        self._end()
        while self._found and self._found[-1] == ACTIVE + "\n":
            del self._found[-1]
        return tuple(self._found)

    def _one(self, sign: str) -> None:
        if sign in _SPACES:
            self._end()
            self._at += 1
        elif sign == "\n":
            self._end()
            self._at += 1
            if self._found and not self._found[-1].startswith(ACTIVE):
                self._found.append(ACTIVE + sign)
        elif sign in _OPERATORS:
            self._operator(sign)
        elif sign == "#" and self._word is None:
            end = self._text.find("\n", self._at)
            self._at = len(self._text) if end < 0 else end
        elif sign == "'":
            self._take(self._text[self._at + 1 : self._closing()])
            self._at = self._closing() + 1
        elif sign == '"':
            self._double_quoted()
        elif sign == "\\":
            self._escape()
        else:
            self._take(ACTIVE + sign if sign in _EXPANDS else sign)
            self._at += 1

    def _take(self, text: str) -> None:
        self._word = self._word if self._word is not None else []
        self._word.append(text)

    def _end(self) -> None:
        if self._word is not None:
            self._found.append("".join(self._word))
        self._word = None

    def _operator(self, sign: str) -> None:
        """An operator is its signs in a row, with the number of the stream that it redirects: `&&`, `2>&`."""
        stream = "".join(self._word or ())
        if sign in "<>" and stream.isdigit():
            self._word = None
        else:
            stream = ""
            self._end()
        begin = self._at
        while self._at < len(self._text) and self._text[self._at] in _OPERATORS:
            self._at += 1
        self._found.append(ACTIVE + stream + self._text[begin : self._at])

    def _closing(self) -> int:
        end = self._text.find("'", self._at + 1)
        if end < 0:
            raise OpenQuote("a quote is never closed")
        return end

    def _double_quoted(self) -> None:
        self._take("")
        self._at += 1
        while self._at < len(self._text):
            sign = self._text[self._at]
            after = self._text[self._at + 1 : self._at + 2]
            if sign == '"':
                self._at += 1
                return
            if sign == "\\" and after and after in _ESCAPED_IN_DOUBLE_QUOTES:
                self._take("" if after == "\n" else after)
                self._at += 1
            else:
                self._take(ACTIVE + sign if sign in _EXPANDS_IN_DOUBLE_QUOTES else sign)
            self._at += 1
        raise OpenQuote("a quote is never closed")

    def _escape(self) -> None:
        escaped = self._text[self._at + 1 : self._at + 2]
        if not escaped:
            raise ValueError("nothing follows the last backslash")
        if escaped != "\n":
            self._take(escaped)
        self._at += 2
