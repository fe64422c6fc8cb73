"""Every theme of the control plane, imported for the operations it declares."""

from __future__ import annotations

from . import (
    calls,
    clock,
    faults,
    info,
    journal,
    mail,
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
    wait,
)
