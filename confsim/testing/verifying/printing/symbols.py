"""The symbols of a reproducer: what is another value each time it is made, such as ids from answers and names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import Struct

from confsim.testing.learning.calls import ModelCall
from confsim.testing.learning.comparing.comparison import chosen_values
from confsim.testing.learning.comparing.places import NOT_NAMES, Elements, Entries, ObjectShape
from confsim.testing.learning.run import Run, RunStep
from confsim.testing.verifying.replay import Renaming

#: The place of a symbol in a text: whether it is a number, and the symbol.
MARK = re.compile(r"@@(N?)([a-z]\w*?)@@")
#: A number in JSON: without the quotes.
_NUMBER = re.compile(r'"@@(N\w+?)@@"')
#: The symbols of the tag of the run, as it is and in capitals.
TAG, CAPITALS = "tag", "capitals"
NO_TOKEN = "no-such-token"

#: The way to a value in a body: names of fields, positions in lists.
Place = tuple[str | int, ...]


class Capture(Struct, frozen=True):
    """A symbol that is taken from an answer, and the place there."""

    symbol: str
    place: Place


class PrintedSymbols:
    """The symbols of the steps of a reproducer.

    ``captures`` has those that are taken from the answer of a step, by its position: values that an answer shows before
    a call names them. What was there before the run, or is named before it is shown, is no symbol. ``calls`` has the
    calls with marks, ``used`` the symbols in them.
    """

    def __init__(self, run: Run, steps: Sequence[RunStep]) -> None:
        self._run = run
        self._marks: dict[tuple[str, Any], str] = {}
        self.captures: dict[int, list[Capture]] = {}
        self._find(steps)
        self.calls = [self._untagged(self.marked(step.call)) for step in steps]
        self.used = {found[2] for each in self.calls for found in MARK.finditer(repr(each))}

    def _find(self, steps: Sequence[RunStep]) -> None:
        """Find the values that a later step takes from the answer of an earlier one."""
        named = [{*step.call.names(), ("tokens", step.call.caller)} for step in steps]
        named.append(self._asserted(steps[-1]))
        counts: dict[str, int] = {}
        constant = set(self._run.known_before)
        for place, step in enumerate(steps[:-1]):
            constant |= named[place] - self._marks.keys()
            later = set().union(*named[place + 1 :]) - constant
            for kind, value, where in self._shown(step):
                if (kind, value) in later and (kind, value) not in self._marks:
                    word = kind.rstrip("s")
                    counts[word] = counts.get(word, 0) + 1
                    symbol = f"{word}_{counts[word]}"
                    self._marks[kind, value] = f"@@{'N' if isinstance(value, int) else ''}{symbol}@@"
                    self.captures.setdefault(place, []).append(Capture(symbol, where))

    def _asserted(self, step: RunStep) -> set[tuple[str, Any]]:
        """Return what an assertion about the answer to a step may name: in a list, others may have things too."""
        found = set() if step.difference is None else set(step.difference.things)
        if step.predicted.reply.status < 400 and self._run.scope.is_open(step.call):
            found.update(chosen_values(self._run.shapes.answer(step.call.declared), step.predicted.reply.body))
        return found

    def _shown(self, step: RunStep) -> Iterator[tuple[str, Any, Place]]:
        """Yield what the service's answer shows: kind, value in the model, and place."""
        if step.reply.status < 400:
            shape = self._run.shapes.answer(step.call.declared)
            for kind, value, where in placed(shape, step.reply.body):
                yield kind, self._run.known.model(kind, value), where

    # Marks

    def mark(self, kind: str, value: Any) -> str | None:
        """Return the mark of a value of the model, None when it has no symbol."""
        found = self._marks.get((kind, value))
        if found is None and kind == "tokens" and (role := self._run.accounts.role(value)):
            return f"@@{_of_role(role)}@@"
        return found

    def marked(self, call: ModelCall) -> ModelCall:
        """Return a call of the model as the service gets it, with marks for symbols, those of the tag aside."""

        def written(kind: str, value: Any) -> Any:
            found = self.mark(kind, value)
            if found is not None:
                return found
            return value if value == NO_TOKEN else self._run.known.service(kind, value)

        return call.renamed(written)

    def _untagged(self, call: ModelCall) -> ModelCall:
        """Return a marked call with marks for the tag of the run too."""
        for symbol, text in self._tags():
            call = Renaming(self._run.shapes, text, f"@@{symbol}@@").call(call)
        return call

    def of_text(self, text: str) -> str:
        """Return a text of an answer with marks for what is a symbol in the calls."""
        for (kind, value), mark in self._marks.items():
            if text == str(self._run.known.service(kind, value)):
                return mark
        for symbol, tag in self._tags():
            text = text.replace(tag, f"@@{symbol}@@") if symbol in self.used else text
        return text

    def _tags(self) -> tuple[tuple[str, str], ...]:
        """Return the symbols of the tag of the run, with the texts that they stand for."""
        tag = self._run.names.tag
        return (TAG, tag), (CAPITALS, tag.upper())

    @property
    def roles(self) -> list[str]:
        """The symbols in the calls that stand for tokens of the accounts, sorted."""
        return sorted(self.used & {_of_role(role) for role in self._run.accounts.tokens})


def _of_role(role: str) -> str:
    return role.replace("-", "_")


def without_quotes(text: str) -> str:
    """Return JSON in which the marks of numbers are not texts."""
    return _NUMBER.sub(r"@@\1@@", text)


def placed(shape: Any, value: Any, place: Place = ()) -> Iterator[tuple[str, Any, Place]]:
    """Yield the values of an answer that a side chose: kind, value and place."""
    kind = getattr(shape, "kind", "")
    if kind not in NOT_NAMES and isinstance(value, str | int):
        yield kind, value, place
    elif isinstance(shape, Elements) and isinstance(value, list):
        for index, each in enumerate(value):
            yield from placed(shape.element, each, (*place, index))
    elif isinstance(shape, ObjectShape) and isinstance(value, dict):
        for name, each in value.items():
            yield from placed(shape.fields.get(name), each, (*place, name))
    elif isinstance(shape, Entries) and isinstance(value, dict):
        for name, each in value.items():
            yield from placed(shape.value, each, (*place, name))
