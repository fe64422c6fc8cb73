"""The correspondence of the two sides: ids, tokens and codes by kind, and the clocks."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import Any

from confsim.assumptions.protocol import durations

#: Milliseconds of the units of instants since 1970.
_SINCE_1970 = {"epoch-ms": 1, "epoch-s": 1000, "epoch-days": durations.DAY}
#: Milliseconds of the units of the time that is left.
_LEFT = {"milliseconds": 1, "seconds": 1000}
#: How far apart instants may be that are the same, beside the time that a request takes, in milliseconds.
SLACK = 2000


class Correspondence:
    """A bijection, by kind, between the values that the model chose and those that the service chose.

    ``shift`` is how many milliseconds the service's clock is ahead of the model's, None as long as it is unknown;
    ``latency`` the longest time, in milliseconds, that a request has taken so far.
    """

    def __init__(self) -> None:
        self._to_service: dict[str, dict[Any, Any]] = {}
        self._to_model: dict[str, dict[Any, Any]] = {}
        self.shift: int | None = None
        self.latency = 0

    def copy(self) -> Correspondence:
        """Another that knows the same, and learns by itself."""
        other = Correspondence()
        other._to_service = {kind: dict(pairs) for kind, pairs in self._to_service.items()}
        other._to_model = {kind: dict(pairs) for kind, pairs in self._to_model.items()}
        other.shift, other.latency = self.shift, self.latency
        return other

    def through(self, other: Correspondence) -> Correspondence:
        """What belongs to the service's values in a second model: ``other`` leads from the first to it."""
        found = Correspondence()
        found.shift, found.latency = self.shift, self.latency
        for kind, pairs in self._to_service.items():
            for model, service in pairs.items():
                found.pair(kind, other.service(kind, model), service)
        return found

    def pair(self, kind: str, model: Any, service: Any) -> str:
        """Note that two values belong together. Returns what contradicts that, "" when nothing does."""
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
        return ""

    def forget(self, kind: str, model: Any) -> None:
        """Forget what belongs to a value of the model."""
        service = self._to_service.get(kind, {}).pop(model, None)
        self._to_model.get(kind, {}).pop(service, None)

    def service(self, kind: str, model: Any) -> Any:
        """The service's value for one of the model's; the same value when none belongs to it."""
        return self._to_service.get(kind, {}).get(model, model)

    def model(self, kind: str, service: Any) -> Any:
        """The model's value for one of the service's; the same value when none belongs to it."""
        return self._to_model.get(kind, {}).get(service, service)

    def knows(self, kind: str, model: Any) -> bool:
        """Whether something belongs to this value of the model."""
        return model in self._to_service.get(kind, {})

    def met(self, kind: str, service: Any) -> bool:
        """Whether something belongs to this value of the service."""
        return service in self._to_model.get(kind, {})

    def texts(self, kinds: Iterable[str]) -> list[str]:
        """The texts of both sides of these kinds."""
        found = (self._to_service.get(kind, {}).items() for kind in kinds)
        return [each for pairs in found for pair in pairs for each in pair if isinstance(each, str)]

    # Time

    def learn_shift(self, date: str, now: int) -> None:
        """Learn how far the clocks are apart from a Date header (RFC 9110, 6.6.1) that arrived at ``now``."""
        try:
            stated = int(parsedate_to_datetime(date).timestamp() * 1000) + 500  # it is cut to whole seconds
        except (TypeError, ValueError):
            return
        if self.shift is None:
            self.shift = stated - now

    def same_instant(self, unit: str, model: Any, service: Any) -> str:
        """The difference of two instants in a unit, "" when they are the same."""
        tolerance = SLACK + self.latency
        if unit in _LEFT:
            if not _is_number(service):
                return "it is no number"
            apart = abs(service - model) * _LEFT[unit]
            return "" if apart <= tolerance + _LEFT[unit] else "it is another time"
        here, there = _milliseconds(unit, model), _milliseconds(unit, service)
        if here is None or there is None:
            return f"it is no instant as {unit}"
        if self.shift is None:
            self.shift = there - here
        apart = abs(there - here - self.shift)
        return "" if apart <= tolerance + _SINCE_1970.get(unit, 0) else "it is another instant"


def _is_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _milliseconds(unit: str, value: Any) -> int | None:
    """An instant since 1970 in milliseconds, None when it is none in this unit."""
    if unit in _SINCE_1970:
        return int(value) * _SINCE_1970[unit] if _is_number(value) or _is_digits(value) else None
    if not isinstance(value, str):
        return None
    try:
        return int(datetime.fromisoformat(value).timestamp() * 1000)
    except ValueError:
        return None


def _is_digits(value: Any) -> bool:
    """Whether it is a number as a text, as some services send large ones."""
    return isinstance(value, str) and value.isascii() and value.isdigit()
