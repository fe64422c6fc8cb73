"""What confsim declares, without what tests declare for themselves in the same process."""

from __future__ import annotations

from typing import Any

import confsim.control.catalogue  # noqa: F401 declares all of it
from confsim.kernel.due import DeadlineAlarm
from confsim.kernel.machine import Machine
from confsim.kernel.tables.table import Table
from confsim.kernel.timers import ALARMS


def own_tables() -> list[Table[Any, Any]]:
    """The tables of confsim, in order of declaration."""
    return [table for table in Table.declared.values() if table.record.__module__.startswith("confsim")]


def own_machines() -> list[Machine[Any, Any]]:
    """The machines of confsim, in order of declaration."""
    return [each for each in Machine.declared.values() if type(each.initial).__module__.startswith("confsim")]


def own_timers() -> list[str]:
    """The kinds of timers of confsim."""
    tables = own_tables()
    alarms = {alarm.kind for table in tables for alarm in table.alarms if isinstance(alarm, DeadlineAlarm)}
    return [kind for kind in ALARMS if kind in alarms]
