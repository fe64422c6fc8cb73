"""What triggers take: ids, texts, drafts and instants, and hardly ever a truth that their caller found out."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import confsim.api.catalogue  # noqa: F401 its modules declare the machines
from confsim.domain.events.deliveries import Attempt
from confsim.domain.identity.credentials import Caller
from confsim.domain.users.users import Identity
from confsim.kernel.machine import Machine, Trigger
from confsim.kernel.tables.table import Record

#: What is no id, text, instant, draft or other record: who calls, what somebody else reported, fields of a body.
VALUES = (Caller, Identity, Attempt, dict)
#: The boolean arguments of triggers, with the reason why no guard can find them out.
BOOLEANS = {
    ("presence", "join", "host"): "an organizer PIN was keyed in",
    ("presence", "join", "phone"): "the user comes by a call",
    ("recording", "finish", "fails"): "the control plane says how the processing ends",
    ("webhook delivery", "postpone", "bypasses"): "a fault says whether others wait",
    ("terms document", "require", "required"): "the service operator sets it",
}


def arguments(trigger: Trigger[Any, ...]) -> Iterator[tuple[str, Any]]:
    """The arguments of a trigger with each of their types, None left out."""
    hints = {} if trigger.effect is None else get_type_hints(trigger.effect)
    for name in trigger.parameters if hints else ():
        held = hints[name]
        several = get_args(held) if get_origin(held) in (Union, UnionType) else (held,)
        yield from ((name, get_origin(one) or one) for one in several if one is not NoneType)


TRIGGERS = [trigger for machine in Machine.declared.values() for trigger in machine.triggers.values()]


def test_triggers_take_ids_texts_drafts_and_instants() -> None:
    """No enumeration and no other value that a caller could have computed from the world or an assumption."""
    wrong = [
        f"{trigger.machine.name}, {trigger}: {name} is a {held.__name__}"
        for trigger in TRIGGERS
        for name, held in arguments(trigger)
        if held is not bool and (issubclass(held, Enum) or not issubclass(held, (str, int, bytes, Record, *VALUES)))
    ]
    assert wrong == []


def test_five_triggers_at_most_take_a_truth() -> None:
    """Each has its reason; every other truth is found out by a guard or an effect."""
    found = {
        (trigger.machine.name, trigger.name, name)
        for trigger in TRIGGERS
        for name, held in arguments(trigger)
        if held is bool
    }
    assert found == set(BOOLEANS), "let a guard look, or state here why it cannot"
    assert len(found) <= 5
