"""Criteria of success: simple conditions, regular expressions, JSONPath.

Own code: the grammar of simple conditions is Arazzo's own (1.0.1, Criterion Object), and no library parses it by
itself.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from confsim.kernel.refusal import Misuse, require_at_most
from confsim.values.plain import DEEPEST, DIGITS, shown

from .document import Criterion
from .expressions import Expression, ExpressionScope, Unresolved, as_text, descend, is_expression
from .limits import LONGEST_CONDITION

#: Evaluates a part of a condition.
Part = Callable[[ExpressionScope], Any]

_TOKEN = re.compile(
    r"\s*(?:(?P<expression>\$[A-Za-z][^\s()<>=!&|\[\]'\",]*)"
    r"|(?P<number>-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)"
    r"|'(?P<text>(?:[^']|'')*)'"
    r"|(?P<word>true|false|null)\b"
    r"|\.(?P<name>[A-Za-z_][\w-]*)"
    r"|(?P<sign>==|!=|<=|>=|&&|\|\||[<>!()\[\]]))"
)
#: Seconds that a regular expression may take; a server serves nobody else meanwhile.
_PATIENCE = 1.0
_WORDS = {"true": True, "false": False, "null": None}
_ORDERS: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


class BoundCriterion:
    """A compiled criterion: its text, its expressions, and a predicate."""

    __slots__ = ("_holds", "expressions", "text")

    def __init__(self, criterion: Criterion) -> None:
        kind = criterion.type if isinstance(criterion.type, str) else criterion.type.type
        condition = criterion.condition
        self.expressions: list[Expression] = []
        self.text = condition if criterion.context is None else f"{criterion.context} {kind} {condition}"
        if kind == "simple":
            parsed = _Parser(condition)
            self._holds: Part = parsed.whole()
            self.expressions += parsed.expressions
            return
        if kind not in {"regex", "jsonpath"}:
            raise Misuse(f"criterion of type {kind!r}: confsim knows simple, regex and jsonpath")
        if criterion.context is None or not is_expression(criterion.context):
            raise Misuse(f"criterion of type {kind!r}: it needs a context, which is one expression")
        context = Expression(criterion.context)
        self.expressions.append(context)
        find = regular_expression(condition) if kind == "regex" else _json_path(condition)
        self._holds = lambda scope: find(context.value(scope))

    def holds(self, scope: ExpressionScope) -> bool:
        """Return whether it holds; a criterion with an unresolved expression does not."""
        try:
            return bool(self._holds(scope))
        except Unresolved:
            return False
        except RecursionError:
            raise Misuse(f"condition {shown(self.text)}: a value that it examines is nested too deeply") from None


def regular_expression(condition: str) -> Callable[[Any], bool]:
    """Return whether a regular expression matches in a value.

    Raises Misuse for an invalid or too long one, and when it takes too long.
    """
    import regex  # importing takes 20 ms; unlike re, it can be interrupted

    require_at_most(len(condition), LONGEST_CONDITION, "characters of a regular expression")

    try:
        pattern = regex.compile(condition)
    except regex.error as error:
        raise Misuse(f"{shown(condition)} is no regular expression: {error}") from None
    except RecursionError:
        raise Misuse(f"regular expression {shown(condition)}: its groups are nested too deeply") from None

    def found(value: Any) -> bool:
        text = as_text(value)
        try:
            return pattern.search(text, timeout=_PATIENCE) is not None
        except TimeoutError:
            problem = f"it takes more than {_PATIENCE:g} s in a text of {len(text)} characters"
            raise Misuse(f"regular expression {shown(condition)}: {problem}") from None

    return found


def _json_path(condition: str) -> Callable[[Any], bool]:
    """Return whether a JSONPath (RFC 9535) finds anything in a value."""
    from .json_path import compiled  # importing takes 40 ms, which most runs and all servers save

    path = compiled(condition)
    return lambda value: path.find_one(value) is not None


class _Parser:
    """Reads a simple condition: comparisons of expressions and literals, joined with ``&&``, ``||``, ``!``, ``()``."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.shown = shown(text)
        self.expressions: list[Expression] = []
        self._tokens = list(self._split())
        self._at = 0
        self._depth = 0

    def _split(self) -> Iterator[tuple[str, str]]:
        at, text = 0, self.text.rstrip()
        while at < len(text):
            match = _TOKEN.match(text, at)
            if match is None:
                raise Misuse(f"condition {self.shown}: it cannot be read from {text[at:].strip()[:20]!r} on")
            assert match.lastgroup is not None
            yield match.lastgroup, match[match.lastgroup].replace("''", "'")
            at = match.end()

    def whole(self) -> Part:
        """Return the whole condition."""
        part = self._either()
        if self._at < len(self._tokens):
            raise Misuse(f"condition {self.shown}: {self._tokens[self._at][1]!r} is one too many")
        return part

    def _took(self, *signs: str) -> str:
        """Return the next sign, if it is one of these."""
        if self._at < len(self._tokens):
            kind, text = self._tokens[self._at]
            if kind == "sign" and text in signs:
                self._at += 1
                return text
        return ""

    def _either(self) -> Part:
        parts = [self._both()]
        while self._took("||"):
            parts.append(self._both())
        return _joined(parts, any)

    def _both(self) -> Part:
        parts = [self._compared()]
        while self._took("&&"):
            parts.append(self._compared())
        return _joined(parts, all)

    def _compared(self) -> Part:
        one = self._single()
        sign = self._took("==", "!=", *_ORDERS)
        if not sign:
            return one
        other = self._single()
        if sign in _ORDERS:
            return lambda scope: _ordered(_ORDERS[sign], one(scope), other(scope))
        return lambda scope: _equal(one(scope), other(scope)) is (sign == "==")

    def _single(self) -> Part:
        if self._took("!"):
            with self._inside():
                inner = self._single()
            return lambda scope: not inner(scope)
        if self._took("("):
            with self._inside():
                inner = self._either()
            if not self._took(")"):
                raise Misuse(f"condition {self.shown}: a parenthesis is not closed")
            return inner
        if self._at == len(self._tokens):
            raise Misuse(f"condition {self.shown}: something is missing at its end")
        kind, text = self._tokens[self._at]
        self._at += 1
        if kind == "expression":
            return self._below(text)
        if kind in {"sign", "name"}:
            raise Misuse(f"condition {self.shown}: {text!r} is out of place")
        value = _literal(kind, text)
        return lambda scope: value

    @contextmanager
    def _inside(self) -> Iterator[None]:
        """Read a part of a part. Raises Misuse where it is nested too deeply."""
        self._depth += 1
        if self._depth > DEEPEST:
            raise Misuse(f"condition {self.shown}: it is nested deeper than {DEEPEST} levels")
        yield
        self._depth -= 1

    def _below(self, text: str) -> Part:
        """Return an expression with the ``[0]`` and ``.name`` that follow it. Missing values are null."""
        expression = Expression(text)
        self.expressions.append(expression)
        names: list[str] = []
        while self._at < len(self._tokens):
            kind, word = self._tokens[self._at]
            if kind == "name":
                names.append(word)
                self._at += 1
            elif self._took("["):
                kind, word = self._tokens[self._at] if self._at < len(self._tokens) else ("", "")
                self._at += 1
                if kind not in {"number", "text"} or not self._took("]"):
                    raise Misuse(f"condition {self.shown}: [] takes one number or text")
                names.append(word)
            else:
                break

        def value(scope: ExpressionScope) -> Any:
            try:
                return descend(expression.value(scope), names)
            except (Unresolved, KeyError, IndexError, ValueError, TypeError):
                return None

        return value


def _literal(kind: str, text: str) -> Any:
    if kind == "number":
        if len(text) > DIGITS:
            raise Misuse(f"condition: the number {text[:20]}… has more than {DIGITS:,} digits")
        return float(text) if any(sign in text for sign in ".eE") else int(text)
    return text if kind == "text" else _WORDS[text]


def _joined(parts: list[Part], how: Callable[[Iterator[Any]], bool]) -> Part:
    if len(parts) == 1:
        return parts[0]
    return lambda scope: how(part(scope) for part in parts)


def _equal(one: Any, other: Any) -> bool:
    """Return whether two values are equal. Texts are compared without regard to case (Arazzo); true and 1 differ."""
    if isinstance(one, str) and isinstance(other, str):
        return one.casefold() == other.casefold()
    return bool(one == other) and isinstance(one, bool) is isinstance(other, bool)


def _ordered(order: Callable[[Any, Any], bool], one: Any, other: Any) -> bool:
    numbers = all(isinstance(each, int | float) and not isinstance(each, bool) for each in (one, other))
    texts = isinstance(one, str) and isinstance(other, str)
    return (numbers or texts) and order(one, other)
