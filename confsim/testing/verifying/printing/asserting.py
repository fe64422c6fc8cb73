"""The last lines of a printed test: what the model answers where the service differs."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from confsim.testing.learning.comparing.comparison import Difference, chosen_values
from confsim.testing.learning.comparing.correspondence import LEFT, MILLISECONDS, SINCE_OTHER, SLACK
from confsim.testing.learning.comparing.places import LINKS, Elements, Entries, ObjectShape
from confsim.testing.learning.run import Run, RunStep

from . import python
from .symbols import Place, PrintedSymbols


def assertion(run: Run, symbols: PrintedSymbols, step: RunStep) -> list[str]:
    """Return the lines that fail while the service's answer to a step differs from the model's as it did."""
    assert step.difference is not None
    expected, difference = step.predicted.reply, step.difference
    status = f"assert answer.status == {expected.status}"
    if difference.place == "status":
        return [status]
    if difference.place == "content-type":
        if not expected.kind:
            return [status, "assert answer.body is None"]
        return [
            status,
            "assert answer.body is not None",
            f"assert answer.headers.get('content-type', '').startswith({expected.kind!r})",
        ]
    if difference.place.startswith("header "):
        return [status, f"assert {difference.place.removeprefix('header ').lower()!r} in answer.headers"]
    return [status, *_Body(run, symbols, step, difference).lines()]


class _Body:
    """The assertion about a place of the body."""

    def __init__(self, run: Run, symbols: PrintedSymbols, step: RunStep, difference: Difference) -> None:
        self._run = run
        self._symbols = symbols
        self._step = step
        self._difference = difference
        refused = step.predicted.reply.status >= 400
        self._shape = run.shapes.refusal if refused else run.shapes.answer(step.call.declared)
        self._is_open = not refused and run.scope.is_open(step.call)
        #: The list, or the element of one, that the place is in.
        self._body = "answer.body"
        self._place, self._value = self._found(difference.place if difference.place.startswith("/") else "")
        self._at = self._expression(self._place)

    def lines(self) -> Iterator[str]:
        """Yield the lines."""
        difference, at, expected, got = self._difference, self._at, self._difference.expected, self._difference.got
        kind = getattr(self._value, "kind", "")
        if difference.is_missing or difference.is_added:
            *holder, name = self._place
            there = "in" if difference.is_missing else "not in"
            yield f"assert {python.expression(name)} {there} {self._expression(tuple(holder))}"
        elif expected is None or got is None:
            yield f"assert {at} is {'' if expected is None else 'not '}None"
        elif isinstance(expected, list) and isinstance(got, list):
            yield from self._list(expected)
        elif unit := getattr(self._value, "unit", ""):
            yield from self._instant(unit, expected)
        elif difference.things:
            yield self._identity(*(self._name(*each) for each in difference.things))
        elif kind == LINKS:
            yield f"assert '://' {'in' if '://' in str(expected) else 'not in'} str({at})"
        elif kind or isinstance(expected, dict | list):
            yield f"assert isinstance({at}, {type(expected).__name__})"
        else:
            yield f"assert {at} == {self._literal(expected)}"

    def _found(self, pointer: str) -> tuple[Place, Any]:
        """Return the way to the place, with marks and in lists by numbers, and the shape of the value there.

        In a list that others may have things in, it begins at the element.
        """
        place: Place = ()
        shape, (there, here) = self._shape, self._compared()
        for part in pointer.split("/")[1:]:
            name: str | int = part.replace("~1", "/").replace("~0", "~")
            inner = _inside_shape(shape, str(name))
            if isinstance(there, list) or isinstance(here, list):
                name = int(name)
            there, here = _inside(there, name), _inside(here, name)
            mark = self._first_mark(inner, here) if self._is_open and isinstance(name, int) else ""
            if mark and self._body == "answer.body":
                self._body, place = python.element(self._expression(place), python.expression(mark)), ()
            else:
                place = (*place, self._symbols.of_text(name) if isinstance(name, str) else name)
            shape = inner
        return place, shape

    def _compared(self) -> tuple[Any, Any]:
        """Return what was compared of the bodies, of the service's and of the model's."""
        there, here = self._step.reply.body, self._step.predicted.reply.body
        if not self._is_open:
            return there, here
        own, known = self._run.comparison.own, self._run.known
        things = self._run.things
        return own(self._shape, there, things, known.model), own(self._shape, here, things, lambda kind, value: value)

    def _first_mark(self, shape: Any, value: Any) -> str:
        """Return the mark of the first symbol in an element of a list, "" when there is none."""
        return next((mark for each in chosen_values(shape, value) if (mark := self._symbols.mark(*each))), "")

    def _expression(self, place: Place) -> str:
        return python.at(place, self._body)

    def _literal(self, value: Any) -> str:
        if isinstance(value, str):
            return python.expression(self._symbols.of_text(value))
        return repr(value)

    def _name(self, kind: str, value: Any) -> str:
        """Return the expression of an id of the model: a symbol, or the id there; "" where neither is known."""
        mark = self._symbols.mark(kind, value)
        if mark is not None:
            return python.expression(mark)
        if (kind, value) in self._run.known_before:
            return repr(self._run.known.service(kind, value))
        return ""

    def _identity(self, expected: str, got: str) -> str:
        if expected:
            return f"assert {self._at} == {expected}"
        return f"assert {self._at} != {got}" if got else f"# {self._difference.place}: {self._difference.why}"

    def _list(self, expected: list[Any]) -> Iterator[str]:
        """Yield the lines about a list of another length: others may have more in one that is not of the run alone."""
        if not self._is_open:
            yield f"assert len({self._at}) == {len(expected)}"
            return
        there = set(chosen_values(self._value, expected))
        for each in self._difference.things:
            name = self._name(*each)
            if name:
                yield f"assert str({name}) {'in' if each in there else 'not in'} str({self._at})"

    def _instant(self, unit: str, expected: Any) -> Iterator[str]:
        """Yield the lines about an instant, by its distance to the time of the answer, or about a duration."""
        slack = SLACK + self._run.known.latency
        if unit in LEFT:
            yield f"assert abs({self._at} - {expected}) * {LEFT[unit]} <= {slack + LEFT[unit]}"
            return
        if unit in MILLISECONDS:
            there, here = f"int({self._at}) * {MILLISECONDS[unit]}", int(expected) * MILLISECONDS[unit]
        else:
            there = f"datetime.fromisoformat({self._at}).timestamp() * 1000"
            here = int(datetime.fromisoformat(expected).timestamp() * 1000)
        if abs(here) < SINCE_OTHER:
            yield f"assert abs({there} - {here}) <= {slack}"
            return
        yield "now = parsedate_to_datetime(answer.headers['date']).timestamp() * 1000"
        yield f"assert abs({there} - now - {here - self._step.at}) <= {slack + 1000 + MILLISECONDS.get(unit, 0)}"


def _inside(body: Any, name: str | int) -> Any:
    try:
        return body[name]
    except (KeyError, IndexError, TypeError):
        return None


def _inside_shape(shape: Any, name: str) -> Any:
    if isinstance(shape, ObjectShape):
        return shape.fields.get(name)
    if isinstance(shape, Elements):
        return shape.element
    return shape.value if isinstance(shape, Entries) else None
