"""The correspondence of the two sides: ids, tokens and codes by kind, and the clocks."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import Any

from msgspec import Struct

from confsim.assumptions.protocol import durations

#: Milliseconds in each unit of an instant since 1970.
MILLISECONDS = {"epoch-ms": 1, "epoch-s": 1000, "epoch-days": durations.DAY}
#: Milliseconds in each unit of a remaining time.
LEFT = {"milliseconds": 1, "seconds": 1000}
#: Milliseconds since 1970 below which an instant is a time since something else, such as the start of a recording.
SINCE_OTHER = 30 * durations.DAY
#: Most milliseconds between two instants that count as the same, beside the time that a request takes.
SLACK = 2000

#: The beginning of an id that is a UUID.
_BEGINNING = re.compile(r"\b[0-9a-f]{8}\b")


class Stranger(Struct, frozen=True):
    """A value of the service that names what the model does not have, though something there is of the same value."""

    value: Any

    def __str__(self) -> str:
        return str(self.value)


class Correspondence:
    """A bijection, by kind, between values that the model chose and values that the service chose.

    ``shift`` is how many milliseconds the service's clock is ahead of the model's, None while unknown; ``latency`` the
    longest time, in milliseconds, that a request has taken so far.
    """

    def __init__(self) -> None:
        self._to_service: dict[str, dict[Any, Any]] = {}
        self._to_model: dict[str, dict[Any, Any]] = {}
        #: The pairs in the order in which they were made: kind, and the value of the model.
        self._made: list[tuple[str, Any]] = []
        self.shift: int | None = None
        self.latency = 0

    def copy(self) -> Correspondence:
        """Return an independent copy."""
        other = Correspondence()
        other._to_service = {kind: dict(pairs) for kind, pairs in self._to_service.items()}
        other._to_model = {kind: dict(pairs) for kind, pairs in self._to_model.items()}
        other._made = list(self._made)
        other.shift, other.latency = self.shift, self.latency
        return other

    def renewed(self) -> Correspondence:
        """Return one that pairs nothing yet, between the same clocks."""
        other = Correspondence()
        other.shift, other.latency = self.shift, self.latency
        return other

    def through(self, other: Correspondence) -> Correspondence:
        """Return the correspondence with a second model; ``other`` maps values of the first model to the second."""
        found = self.renewed()
        for kind, pairs in self._to_service.items():
            for model, service in pairs.items():
                found.pair(kind, other.service(kind, model), service)
        return found

    def learn_latency(self, milliseconds: int) -> None:
        """Note how long a request took."""
        self.latency = max(self.latency, milliseconds)

    def pair(self, kind: str, model: Any, service: Any) -> str:
        """Pair two values. Returns what contradicts it when one of them has another pair already, else ""."""
        there = self._to_service.setdefault(kind, {})
        here = self._to_model.setdefault(kind, {})
        if model in there:
            return (
                ""
                if there[model] == service
                else f"it is another of the {kind} than before, which was {there[model]!r}"
            )
        if service in here:
            return f"it is one of the {kind} that has been seen in the place of another"
        there[model], here[service] = service, model
        self._made.append((kind, model))
        return ""

    @property
    def count(self) -> int:
        """Return how many pairs were made so far."""
        return len(self._made)

    @property
    def renames(self) -> bool:
        """Return whether any value of the model has another on the side of the service."""
        return any(model != service for pairs in self._to_service.values() for model, service in pairs.items())

    @property
    def pairs(self) -> frozenset[tuple[str, Any]]:
        """Return the kind and the value of the model of each pair."""
        return frozenset((kind, model) for kind, pairs in self._to_service.items() for model in pairs)

    def undo(self, count: int) -> None:
        """Remove the pairs that were made after so many."""
        for kind, model in self._made[count:]:
            self.forget(kind, model)
        del self._made[count:]

    def forget(self, kind: str, model: Any) -> None:
        """Remove the pair of a value of the model."""
        service = self._to_service.get(kind, {}).pop(model, None)
        self._to_model.get(kind, {}).pop(service, None)

    def service(self, kind: str, model: Any) -> Any:
        """Return the service's value for one of the model's; the same value when it has no pair."""
        return self._to_service.get(kind, {}).get(model, model)

    def model(self, kind: str, service: Any) -> Any:
        """Return the model's value for one of the service's; the same value when it has no pair.

        A value without a pair that is the pair of another for the model names nothing there: a ``Stranger``.
        """
        found = self._to_model.get(kind, {}).get(service)
        if found is None:
            return Stranger(service) if service in self._to_service.get(kind, {}) else service
        return found

    def knows(self, kind: str, model: Any) -> bool:
        """Return whether this value of the model has a pair."""
        return model in self._to_service.get(kind, {})

    def met(self, kind: str, service: Any) -> bool:
        """Return whether this value of the service has a pair."""
        return service in self._to_model.get(kind, {})

    def text(self, model: str) -> str:
        """Return the service's text for one of the model's in which ids begin, such as "Session 0a1b2c3d"."""
        if _BEGINNING.search(model) is None:
            return model
        pairs = [pair for each in self._to_service.values() for pair in each.items()]
        begin = {here[:8]: there[:8] for here, there in pairs if _is_uuid(here) and _is_uuid(there)}
        return _BEGINNING.sub(lambda found: begin.get(found[0], found[0]), model)

    def texts(self, kinds: Iterable[str]) -> list[str]:
        """Return the values of these kinds, of both sides, as texts."""
        found = (self._to_service.get(kind, {}).items() for kind in kinds)
        return [each for pairs in found for pair in pairs for each in pair if isinstance(each, str)]

    # Time

    def learn_shift(self, date: str, now: int) -> None:
        """Learn the shift of the clocks from a Date header (RFC 9110, 6.6.1) that arrived at ``now``."""
        try:
            stated = int(parsedate_to_datetime(date).timestamp() * 1000) + 500  # a Date has whole seconds
        except (TypeError, ValueError):
            return
        if self.shift is None:
            self.shift = stated - now

    def same_instant(self, unit: str, model: Any, service: Any) -> str:
        """Return the difference of two instants of a unit in words, "" when they are the same."""
        tolerance = SLACK + self.latency
        if unit in LEFT:
            if not _is_number(service):
                return "it is no number"
            apart = abs(service - model) * LEFT[unit]
            return "" if apart <= tolerance + LEFT[unit] else "it is another time"
        here, there = _milliseconds(unit, model), _milliseconds(unit, service)
        if here is None or there is None or _is_number(model) is not _is_number(service):
            return f"it is no instant as {unit}"
        if max(abs(here), abs(there)) < SINCE_OTHER:
            return "" if abs(there - here) <= tolerance else "it is another time"
        if self.shift is None:
            self.shift = there - here
        apart = abs(there - here - self.shift)
        return "" if apart <= tolerance + MILLISECONDS.get(unit, 0) else "it is another instant"


def _is_uuid(value: Any) -> bool:
    return isinstance(value, str) and len(value) == 36 and _BEGINNING.match(value) is not None


def _is_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _milliseconds(unit: str, value: Any) -> int | None:
    """Return an instant since 1970 in milliseconds, None when the value is no instant of this unit."""
    if unit in MILLISECONDS:
        return int(value) * MILLISECONDS[unit] if _is_number(value) or _is_digits(value) else None
    if not isinstance(value, str):
        return None
    try:
        return int(datetime.fromisoformat(value).timestamp() * 1000)
    except ValueError:
        return None


def _is_digits(value: Any) -> bool:
    """Return whether a value is a number as a text; some services send large numbers so."""
    return isinstance(value, str) and value.isascii() and value.isdigit()
