"""The formats of stored worlds, and the present names for those of older formats.

State documents and state directories have a format number. An older one is translated while it is read, step by step; a
newer one is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from confsim.kernel.difference import StateDifference
from confsim.kernel.tables.table import Table
from confsim.kernel.world import World

from . import format_2

#: The format that is written. It is raised when a released version would misread the data.
FORMAT = 3

#: Converts a record as plain values to the next format.
Convert = Callable[[dict[str, Any]], dict[str, Any]]


class FormatStep(Struct, frozen=True):
    """The conversion of one format to the next. Names are replaced first; all keys are names of the old format."""

    #: New names of tables.
    tables: Mapping[str, str] = {}
    #: New names of fields, by table.
    fields: Mapping[str, Mapping[str, str]] = {}
    #: New names of the kinds of timers.
    timers: Mapping[str, str] = {}
    #: New names of sequences, or of their first words.
    sequences: Mapping[str, str] = {}
    #: Conversions of single records by table, after their fields are renamed.
    records: Mapping[str, Convert] = {}
    #: Tables whose records have the id of their client in the new format only.
    owned: tuple[str, ...] = ()
    #: Converts a whole document, when several records are concerned.
    whole: Callable[[dict[str, Any]], dict[str, Any]] | None = None
    #: The same for a difference; called with the world before it, in the present format.
    moved: Callable[[StateDifference, World], StateDifference] | None = None
    #: Converts the world that was read: adds what only the new format stores.
    world: Callable[[World], World] = lambda world: world

    def record(self, table: str, client: str, values: dict[str, Any]) -> dict[str, Any]:
        """Return a record of a client's table in the new format."""
        fields, convert = self.fields.get(table), self.records.get(table)
        if fields:
            values = {fields.get(name, name): value for name, value in values.items()}
        if table in self.owned:
            values = {**values, "client": client}
        return convert(values) if convert else values

    def sequence(self, name: str) -> str:
        """Return the new name of a sequence."""
        for old, new in self.sequences.items():
            if name == old or name.startswith(f"{old} "):
                return new + name[len(old) :]
        return name

    def document(self, values: dict[str, Any]) -> dict[str, Any]:
        """Return a state document in the new format."""
        tables = {
            self.tables.get(table, table): {
                client: [self.record(table, client, each) for each in records] for client, records in clients.items()
            }
            for table, clients in values["tables"].items()
        }
        timers = [[due, self.timers.get(kind, kind), *name] for due, kind, *name in values["timers"]]
        sequences = {self.sequence(name): count for name, count in values["sequences"].items()}
        values = {**values, "tables": tables, "timers": timers, "sequences": sequences}
        return values if self.whole is None else self.whole(values)

    def difference(self, found: StateDifference, world: World) -> StateDifference:
        """Return a difference from this world in the new format."""
        found = StateDifference(
            self._rows(found.removed),
            self._rows(found.put),
            [(self.timers.get(kind, kind), client, subject) for kind, client, subject in found.cancelled],
            [(due, self.timers.get(kind, kind), client, subject) for due, kind, client, subject in found.timers],
            found.id_counter,
            {self.sequence(name): count for name, count in found.counted.items()},
        )
        return found if self.moved is None else self.moved(found, world)

    def _rows(self, rows: Iterable[tuple[str, str, Any]]) -> list[tuple[str, str, Any]]:
        return [
            (self.tables.get(table, table), client, self.record(table, client, values))
            for table, client, values in rows
        ]


def _without(*names: str) -> Convert:
    return lambda values: {name: value for name, value in values.items() if name not in names}


def _broadcast(values: dict[str, Any]) -> dict[str, Any]:
    """Return a broadcast with its state, which followed from two fields."""
    running = "starting" if values["started"] is None else "running"
    return {**values, "state": running if values["ended"] is None else "ended"}


def _recording(values: dict[str, Any]) -> dict[str, Any]:
    """Return a recording with its state, which followed from three fields."""
    if values.get("ended") is None:
        state = "in progress"
    elif values.pop("failed", False):
        state = "failed"
    else:
        state = "processing" if values.get("ready") is None else "ready"
    return {**_without("failed")(values), "state": state}


def _session(values: dict[str, Any]) -> dict[str, Any]:
    """Return a session with its state, which followed from two fields."""
    state = "ended" if values["ended"] is not None else "initialised" if values["started"] is None else "ongoing"
    return {**values, "state": state}


def _lingering(values: dict[str, Any]) -> dict[str, Any]:
    """Return a document whose empty sessions have the instant of their end, which was in their timers only."""
    ends = {(client, channel): due for due, kind, client, channel in values["timers"] if kind == _GRACE}
    sessions = {
        client: [
            {**each, "grace_ends": ends.get((client, each["channel"]))} if each.get("ended") is None else each
            for each in records
        ]
        for client, records in values["tables"].get("sessions", {}).items()
    }
    return {**values, "tables": {**values["tables"], "sessions": sessions}}


def _lingering_difference(found: StateDifference, world: World) -> StateDifference:
    """Return a difference whose sessions have the instant of their end, which was in its timers only."""
    ends: dict[tuple[str, str], int | None]
    ends = {(client, channel): due for due, kind, client, channel in found.timers if kind == _GRACE}
    ends |= {(client, channel): None for kind, client, channel in found.cancelled if kind == _GRACE}
    put = list(found.put)
    for (client, channel), due in ends.items():
        for place, (table, of, values) in enumerate(put):
            if (table, of) == ("sessions", client) and values["channel"] == channel and values.get("ended") is None:
                put[place] = (table, of, {**values, "grace_ends": due})
                break
        else:
            for session in Table.declared["sessions"].seen(world, client).all:
                if session.channel == channel and session.ended is None:
                    put.append(("sessions", client, {**msgspec.to_builtins(session, str_keys=True), "grace_ends": due}))
    return replace(found, put=put)


_GRACE = "session grace"
#: Steps, by the format that they convert from.
STEPS: Mapping[int, FormatStep] = {
    1: FormatStep(
        tables={"crowds": "occupancies", "happenings": "event log"},
        sequences={"happening": "event"},
        fields={
            "placements": {"looks": "polls_left"},
            "broadcasts": {"looks": "polls_left"},
            "recordings": {"looks": "polls_left", "doomed": "will_fail"},
            "reservations": {"until": "expires"},
            "webhook deliveries": {"aside": "bypasses"},
        },
        records={
            "broadcasts": _broadcast,
            "linked users": _without("bond"),
            "recordings": _recording,
            "sessions": _session,
        },
        owned=(
            "api tokens",
            "broadcast destinations",
            "configuration",
            "events endpoints",
            "gateway endpoints",
            "properties",
            "reservations",
            "template choices",
            "template selections",
        ),
        whole=_lingering,
        moved=_lingering_difference,
    ),
    2: FormatStep(whole=format_2.document, moved=format_2.difference, world=format_2.world),
}


#: The formats that can be read, in words: "1 to 3".
READABLE = f"{min(STEPS)} to {FORMAT}"


def readable(format: object) -> bool:
    """Return whether a format number can be read."""
    return isinstance(format, int) and not isinstance(format, bool) and (format == FORMAT or format in STEPS)


def current_document(values: dict[str, Any], format: int) -> dict[str, Any]:
    """Return the content of a state document of a readable format, in present names.

    A document with missing or malformed parts is returned unchanged.
    """
    for each in range(format, FORMAT):
        try:
            values = STEPS[each].document(values)
        except (KeyError, TypeError, ValueError, AttributeError):
            return values
    return values


def current_world(world: World, format: int) -> World:
    """Return a world read from a readable format, in the present format."""
    for each in range(format, FORMAT):
        world = STEPS[each].world(world)
    return world


def current_difference(found: StateDifference, format: int, world: World) -> StateDifference:
    """Return a difference from this world, written in a readable format, in present names."""
    for each in range(format, FORMAT):
        found = STEPS[each].difference(found, world)
    return found
