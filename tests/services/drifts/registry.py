"""The register of drifts: each has a name, a kind, a sentence, and a function that changes an exchange."""

from __future__ import annotations

from collections.abc import Callable

from services.drifts.exchange import Exchange

Change = Callable[[Exchange], None]


class Drift:
    """A drift: ``change`` changes the answers that it concerns, and leaves all others alone."""

    def __init__(self, name: str, kind: str, sentence: str, change: Change) -> None:
        self.name = name
        self.kind = kind
        self.sentence = sentence
        self.change = change


DRIFTS: dict[str, Drift] = {}


def drift(name: str, kind: str) -> Callable[[Change], Change]:
    """Register a drift, whose sentence is the docstring of its function."""

    def register(change: Change) -> Change:
        assert name not in DRIFTS, name
        DRIFTS[name] = Drift(name, kind, (change.__doc__ or "").strip(), change)
        return change

    return register
