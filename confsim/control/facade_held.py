"""Held calls as Python objects."""

from __future__ import annotations

from typing import Any

from .invoke import ControlPlane
from .operations.faults import HeldCallInfo, HeldOutcome


class HeldCallFacade:
    """A call that a fault holds: ``info`` says what it is; ``release``, ``change`` or ``drop`` it.

    Each returns once what is left of the call is done, and raises Misuse (404) where it is held no longer.
    """

    __slots__ = ("_control", "info")

    def __init__(self, control: ControlPlane, info: HeldCallInfo) -> None:
        self._control = control
        self.info = info

    def __repr__(self) -> str:
        return f"<{self.info.id}: {self.info.operation}, held {self.info.when} it>"

    def release(self) -> HeldOutcome:
        """Let it go on."""
        return self._decide(action="release")

    def change(self, do: dict[str, Any] | None = None, *, body: object = None) -> HeldOutcome:
        """Let an effect decide its answer (``{"status": 503}``), or let its operation get another JSON ``body``."""
        return self._decide(action="change", do=do, body=body)

    def drop(self) -> HeldOutcome:
        """Close its connection; what it has done stays."""
        return self._decide(action="drop")

    def _decide(self, **fields: object) -> HeldOutcome:
        outcome: HeldOutcome = self._control("decide_held", self.info.id, **fields)
        return outcome
