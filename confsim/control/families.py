"""Every theme of the control plane, imported for the operations it declares."""

from __future__ import annotations

from . import (
    calls,
    clock,
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
    validators,
    numbers,
    records,
    mail,
    webhooks,
    journal,
    wait,
)
