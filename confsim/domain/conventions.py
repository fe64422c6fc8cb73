"""Conventions of all things: fresh ids, and calls that request a state which already holds."""

from typing import TypeVar

from confsim.assumptions import Reason, ask, not_found
from confsim.assumptions.channels import THING_IDS
from confsim.assumptions.protocol.conventions import EMPTY_SLOT, REPEATED_STATE
from confsim.kernel import Change, Record, Refusal, Trigger

R = TypeVar("R", bound=Record)


def fresh_id(change: Change) -> str:
    """A fresh id of a thing that has no number, in the form of the profile (G132)."""
    return change.uuid() if ask(change, THING_IDS) == "uuid" else change.draw(12).hex()


def turn(change: Change, trigger: Trigger[R, []], record: R, *, state: str | None = None) -> R:
    """Fire the trigger of a switch. Refusal STATE_HOLDS when its state already holds, where that is refused (G537).

    ``state`` is the name of the state in the refusal, by default its value.
    """
    if trigger.holds(record):
        require_change(change, trigger.machine.state(record).value if state is None else state, holds=True)
    return trigger(change, record)


def require_change(change: Change, state: str, *, holds: bool) -> None:
    """Refusal STATE_HOLDS when the requested state already ``holds``, where that is refused (G537)."""
    if holds and ask(change, REPEATED_STATE) == "refuse":
        raise Refusal(Reason.STATE_HOLDS, state=state)


def require_filled(change: Change, what: str, id: str | int, *, empty: bool) -> None:
    """Refusal NOT_FOUND when a slot that is to be cleared is ``empty``, where that is refused (G536).

    ``what`` names the slot and the kind of object that has it, ``id`` identifies the object.
    """
    if empty and ask(change, EMPTY_SLOT) == "refuse":
        not_found(what, id)
