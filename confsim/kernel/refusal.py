"""The two ways confsim says no. Anything else that is raised is a bug of confsim itself."""

from __future__ import annotations

from enum import Enum


class Refusal(Exception):
    """The simulated service says no.

    ``reason`` is a member of the one Enum of reasons; ``facts`` fill its message and reach the caller as details.
    """

    def __init__(self, reason: Enum, **facts: object) -> None:
        super().__init__(reason.name, facts)
        self.reason = reason
        self.facts = facts

    def __str__(self) -> str:
        told = ", ".join(f"{name}={value!r}" for name, value in self.facts.items())
        return f"{self.reason.name.lower()}({told})"


class NotYet(Refusal):
    """The refusal of a call that asks for something in the making: unlike any other, its change is kept."""


class Misuse(Exception):
    """confsim itself is used wrongly: an unknown scenario, a bad duration, a profile key that names nothing.

    Told to the caller in full, never dressed as an answer of the simulated API. ``status`` is what the control plane
    answers with; ``facts`` travel in its problem document.
    """

    def __init__(self, message: str, status: int = 400, **facts: object) -> None:
        super().__init__(message)
        self.status = status
        self.facts = facts
