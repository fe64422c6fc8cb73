"""Every theme of the control plane, imported for the operations it declares."""

from __future__ import annotations

from . import clock, info, journal, mail, people, presence, records, state, validators, worlds

FAMILIES = (info, worlds, state, clock, people, presence, validators, records, mail, journal)
