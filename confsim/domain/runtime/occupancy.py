"""The number of users in a channel and its breakout rooms; a channel without any is empty."""

from __future__ import annotations

from enum import Enum

from msgspec.structs import replace

from confsim.assumptions.protocol.refusals import Reason
from confsim.kernel.machine import Machine
from confsim.kernel.rows import ABSENT, Guard, Row
from confsim.kernel.tables.table import Record, Table
from confsim.kernel.world import Change


class OccupancyState(Enum):
    """Whether a channel is occupied: a user is in it or in one of its breakout rooms."""

    OCCUPIED = "occupied"


class Occupancy(Record):
    """The number of users in a channel and its breakout rooms, without those in the lobby (G328, G334)."""

    channel: str
    client: str
    count: int


OCCUPANCIES: Table[str, Occupancy] = Table("occupancies", Occupancy, "channel")


def _first(change: Change, client: str, channel: str) -> Occupancy:
    """The first user is counted."""
    return Occupancy(channel, client, 1)


def _more(change: Change, occupancy: Occupancy) -> Occupancy:
    """One more user is counted."""
    return replace(occupancy, count=occupancy.count + 1)


def _fewer(change: Change, occupancy: Occupancy) -> Occupancy:
    """One user fewer is counted."""
    return replace(occupancy, count=occupancy.count - 1)


_LAST = Guard("nobody else is inside", lambda occupancy: occupancy.count == 1)

MACHINE: Machine[OccupancyState, Occupancy] = Machine(
    "audience",
    "Whether a channel is empty: with its breakout rooms, without its lobby (R342, G334).",
    OCCUPANCIES,
    OccupancyState,
    (
        Row("enter", ABSENT, OccupancyState.OCCUPIED, effect=_first, source="G327"),
        Row("enter", OccupancyState.OCCUPIED, OccupancyState.OCCUPIED, effect=_more, source="G327"),
        Row("leave", OccupancyState.OCCUPIED, OccupancyState.OCCUPIED, only_if=~_LAST, effect=_fewer, source="G327"),
        Row("leave", OccupancyState.OCCUPIED, ABSENT, only_if=_LAST, source="P2 States L158, G334"),
    ),
    facts={"enter": "client channel"},
    refusals={None: Reason.NOT_PRESENT},
)


def find(change: Change, client: str, channel: str) -> Occupancy | None:
    """The occupancy of the channel, or None when no user is in it or its breakout rooms."""
    return OCCUPANCIES.get(change, channel, client)


def occupants(change: Change, client: str, channel: str) -> int:
    """The number of users in the channel and its breakout rooms."""
    occupancy = find(change, client, channel)
    return 0 if occupancy is None else occupancy.count
