"""Every theme of the control plane, imported for the operations it declares."""

from __future__ import annotations

from . import (
    calls,
    clock,
    export,
    faults,
    info,
    journal,
    mail,
    names,
    numbers,
    people,
    presence,
    records,
    state,
    validators,
    wait,
    webhooks,
    worlds,
)

FAMILIES = (
    info,
    worlds,
    state,
    clock,
    people,
    presence,
    calls,
    faults,
    validators,
    numbers,
    records,
    mail,
    webhooks,
    journal,
    export,
    wait,
    names,
)
