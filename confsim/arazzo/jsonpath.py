"""JSONPath (RFC 9535) as far as criteria need it: names, places, ``*``, ``..`` and filters that compare.

``$.results[?@.name == 'Demo' && @.open].id``. Slices and functions are refused by name.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from confsim.kernel.refusal import Misuse

#: From the nodes so far to the next.
Segment = Callable[[Iterable[Any]], Iterator[Any]]
Filter = Callable[[Any], Any]

_NAME = re.compile(r"[A-Za-z_\u0080-\U0010ffff][\w\u0080-\U0010ffff-]*")
_LITERAL = re.compile(
    r"(?P<number>-?\d+(?:\.\d+)?)|'(?P<single>[^'\\]*)'|\"(?P<double>[^\"\\]*)\"|(?P<word>true|false|null)\b"
)
_WORDS = {"true": True, "false": False, "null": None}
_COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<=": operator.le,
    ">=": operator.ge,
    "<": operator.lt,
    ">": operator.gt,
}
_NOTHING = object()


def compiled(text: str) -> Callable[[Any], bool]:
    """Whether the path finds anything in a value. Misuse for a path that cannot be read."""
    parser = _Parser(text)
    segments = parser.path("$")
    parser.end()
    return lambda value: any(True for _ in _found(segments, value))


def _found(segments: list[Segment], value: Any) -> Iterable[Any]:
    nodes: Iterable[Any] = [value]
    for segment in segments:
        nodes = segment(nodes)
    return nodes


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def _wrong(self) -> Misuse:
        rest = self.text[self.at :][:20]
        return Misuse(f"JSONPath {self.text!r}: confsim cannot read it from {rest!r} on")

    def _took(self, *signs: str) -> str:
        self._blank()
        for sign in signs:
            if self.text.startswith(sign, self.at):
                self.at += len(sign)
                return sign
        return ""

    def _blank(self) -> None:
        while self.text[self.at : self.at + 1].isspace():
            self.at += 1

    def _need(self, sign: str) -> None:
        if not self._took(sign):
            raise self._wrong()

    def end(self) -> None:
        """Nothing may follow."""
        self._blank()
        if self.at < len(self.text):
            raise self._wrong()

    def path(self, start: str) -> list[Segment]:
        """A path from the root or the node at hand."""
        self._need(start)
        segments: list[Segment] = []
        while True:
            if self.text.startswith("..", self.at):
                self.at += 2
                segments.append(_descendants)
                segments.append(self._bracket() if self._took("[") else self._name())
            elif self.text.startswith(".", self.at):
                self.at += 1
                segments.append(self._name())
            elif self.text.startswith("[", self.at):
                self.at += 1
                segments.append(self._bracket())
            else:
                return segments

    def _name(self) -> Segment:
        if self._took("*"):
            return _children
        match = _NAME.match(self.text, self.at)
        if match is None:
            raise self._wrong()
        self.at = match.end()
        return _member(match[0])

    def _bracket(self) -> Segment:
        if self._took("*"):
            segment: Segment = _children
        elif self._took("?"):
            segment = _filtering(self._either())
        else:
            value = self._literal()
            if isinstance(value, bool) or not isinstance(value, str | int):
                raise self._wrong()
            segment = _member(value)
        self._need("]")
        return segment

    def _literal(self) -> Any:
        self._blank()
        match = _LITERAL.match(self.text, self.at)
        if match is None:
            raise self._wrong()
        self.at = match.end()
        if match.lastgroup == "number":
            return float(match[0]) if "." in match[0] else int(match[0])
        return _WORDS[match[0]] if match.lastgroup == "word" else match[match.lastgroup or 0]

    def _either(self) -> Filter:
        parts = [self._both()]
        while self._took("||"):
            parts.append(self._both())
        return lambda node: any(part(node) for part in parts)

    def _both(self) -> Filter:
        parts = [self._test()]
        while self._took("&&"):
            parts.append(self._test())
        return lambda node: all(part(node) for part in parts)

    def _test(self) -> Filter:
        if self._took("!"):
            inner = self._test()
            return lambda node: not inner(node)
        if self._took("("):
            inner = self._either()
            self._need(")")
            return inner
        one, is_path = self._operand()
        sign = self._took(*_COMPARISONS)
        if not sign:
            if not is_path:
                raise self._wrong()
            return lambda node: one(node) is not _NOTHING
        other, _ = self._operand()
        return lambda node: _compared(_COMPARISONS[sign], one(node), other(node))

    def _operand(self) -> tuple[Filter, bool]:
        self._blank()
        if self.text.startswith("@", self.at):
            segments = self.path("@")
            return (lambda node: next(iter(_found(segments, node)), _NOTHING)), True
        value = self._literal()
        return (lambda node: value), False


def _compared(comparison: Callable[[Any, Any], bool], one: Any, other: Any) -> bool:
    if comparison in (operator.eq, operator.ne):
        return comparison((type(one) is bool, one), (type(other) is bool, other))
    kinds = [
        str if isinstance(each, str) else float if isinstance(each, int | float) else None for each in (one, other)
    ]
    return kinds[0] is not None and kinds[0] is kinds[1] and comparison(one, other)


def _below(node: Any) -> Iterable[Any]:
    return node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()


def _children(nodes: Iterable[Any]) -> Iterator[Any]:
    for node in nodes:
        yield from _below(node)


def _descendants(nodes: Iterable[Any]) -> Iterator[Any]:
    for node in nodes:
        yield node
        yield from _descendants(_below(node))


def _member(name: str | int) -> Segment:
    def segment(nodes: Iterable[Any]) -> Iterator[Any]:
        for node in nodes:
            if isinstance(name, str):
                if isinstance(node, dict) and name in node:
                    yield node[name]
            elif isinstance(node, list) and -len(node) <= name < len(node):
                yield node[name]

    return segment


def _filtering(test: Filter) -> Segment:
    return lambda nodes: (child for child in _children(nodes) if test(child))
