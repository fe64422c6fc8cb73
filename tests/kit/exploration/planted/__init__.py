"""Faults planted one at a time, each of which an invariant of the exploration has to find."""

from __future__ import annotations

from . import answers, clients, events, meetings
from .fault import Fault

#: The faults, chosen from the documents and not from the invariants.
FAULTS: tuple[Fault, ...] = (*meetings.FAULTS, *clients.FAULTS, *events.FAULTS, *answers.FAULTS)
BY_NAME = {fault.name: fault for fault in FAULTS}
