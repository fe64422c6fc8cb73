"""Who is where: the presences of users, and their number in a channel with its breakout rooms."""

from enum import Enum

from confsim.assumptions import Reason
from confsim.kernel import ABSENT, EXISTS, Change, Collection, Guard, Index, Record, Row, Table, replace


class Where(Enum):
    """The whereabouts of a present user: in a channel, one of its breakout rooms, or its lobby."""

    WAITING = "waiting"
    IN = "in"
    IN_ROOM = "in room"


class Presence(Record, kw_only=True):
    """A user in a channel or its lobby.

    ``place`` is the id of the channel in which the user is connected: the channel itself, or that of the breakout room
    ``room``; None in the lobby. ``since`` is the instant of arrival (epoch milliseconds), ``by_phone`` whether the user
    came by a call.
    """

    client: str
    channel: str
    user: int
    state: Where
    place: str | None = None
    room: str | None = None
    since: int
    presenter: bool = False
    by_phone: bool = False

    @property
    def key(self) -> str:
        """The key of the record."""
        return f"{self.channel}/{self.user}"


BY_CHANNEL: Index[Presence] = Index("channel", "channel")
BY_PLACE: Index[Presence] = Index("place", "place")
BY_USER: Index[Presence] = Index("user", "user")
IN_LOBBY: Index[Presence] = Index(
    "lobby", "channel", "state", of=lambda channel, state: (channel,) if state is Where.WAITING else ()
)
PRESENTERS: Index[Presence] = Index(
    "presenters", "channel", "presenter", of=lambda channel, presents: (channel,) if presents else ()
)
PRESENCES: Table[str, Presence] = Table(
    *("presences", Presence, "key", BY_CHANNEL, BY_PLACE, BY_USER, IN_LOBBY, PRESENTERS),
    names={"user": "users"},
)


class Occupancy(Record):
    """The number of users in a channel and its breakout rooms, without those in the lobby (G328, G334)."""

    channel: str
    client: str
    count: int


OCCUPANCIES: Table[str, Occupancy] = Table("occupancies", Occupancy, "channel")


OCCUPIED: Collection[Occupancy] = Collection(
    "audience",
    "Whether a channel is empty: with its breakout rooms, without its lobby (R342, G334).",
    OCCUPANCIES,
    refused=Reason.NOT_PRESENT,
)
LEAVE = OCCUPIED.trigger("leave")


@OCCUPIED.effect("enter")
def enter(change: Change, occupancy: Occupancy | None, client: str, channel: str) -> Occupancy:
    """One more user is counted."""
    return Occupancy(channel, client, 1 if occupancy is None else occupancy.count + 1)


def _fewer(change: Change, occupancy: Occupancy) -> Occupancy:
    """One user fewer is counted."""
    return replace(occupancy, count=occupancy.count - 1)


_LAST = Guard("nobody else is inside", lambda change, occupancy: occupancy.count == 1)

OCCUPIED.declare(
    Row(enter, ABSENT, EXISTS, source="G327"),
    Row(enter, EXISTS, EXISTS, source="G327"),
    Row(LEAVE, EXISTS, EXISTS, only_if=~_LAST, effect=_fewer, source="G327"),
    Row(LEAVE, EXISTS, ABSENT, only_if=_LAST, source="P2 States L158, G334"),
)


def find(change: Change, client: str, channel: str) -> Occupancy | None:
    """The occupancy of the channel, or None when no user is in it or its breakout rooms."""
    return OCCUPANCIES.get(change, channel, client)


def occupants(change: Change, client: str, channel: str) -> int:
    """The number of users in the channel and its breakout rooms."""
    occupancy = find(change, client, channel)
    return 0 if occupancy is None else occupancy.count
