"""Alternatives to the values of assumptions in force."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class Alternative:
    """Values of assumptions, by id, to be used instead of those in force; usually one. ``key`` is the same as text."""

    __slots__ = ("ids", "key", "values")

    def __init__(self, *values: tuple[str, Any]) -> None:
        self.values = values
        self.ids = tuple(id for id, _ in values)
        self.key = " ".join(f"{id}={value!r}" for id, value in values)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Alternative) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)

    def is_part_of(self, other: Alternative) -> bool:
        """Return whether another alternative has all values of this one."""
        return all(value in other.values for value in self.values)

    def over(self, profile: Mapping[str, Any]) -> dict[str, Any]:
        """Return the profile with these values set."""
        return {**profile, **dict(self.values)}


def plain(value: Any) -> Any:
    """Return a value in the form that it has in a profile."""
    if isinstance(value, tuple | list):
        return [plain(each) for each in value]
    if isinstance(value, Mapping):
        return {str(name): plain(each) for name, each in value.items()}
    return value.value if hasattr(value, "value") else value
