"""Rooms of breakout sessions: planned, live as channels of their own, closed."""

from enum import Enum

from confsim.assumptions import Reason, ask, breakout as assumed, not_found, note
from confsim.domain.conventions import fresh_id
from confsim.domain.runtime import occupancy
from confsim.kernel import ABSENT, Change, Guard, Index, Machine, Record, Refusal, Row, Table, Unique, View, replace

from .breakouts import BREAKOUTS, Breakout, BreakoutState


class RoomState(Enum):
    """The state of a room; it has a channel and a session once it has been live (G438)."""

    PLANNED = "planned"
    LIVE = "live"
    CLOSED = "closed"


class Room(Record, kw_only=True):
    """A breakout room. ``place`` is the id of its channel, ``session`` that of the session in it."""

    id: str
    client: str
    channel: str
    breakout: str
    name: str
    state: RoomState = RoomState.PLANNED
    place: str | None = None
    session: str | None = None


IN_BREAKOUT: Index[Room] = Index("breakout session", "breakout")
#: Under (breakout session, name).
BY_NAME: Index[Room] = Index("name", "breakout", "name")
BY_PLACE: Unique[Room] = Unique("place", "place")
ROOMS: Table[str, Room] = Table("breakout rooms", Room, "id", IN_BREAKOUT, BY_NAME, BY_PLACE)


class RoomAssignment(Record, kw_only=True):
    """The assignment of a user to a room of a breakout session."""

    client: str
    breakout: str
    user: int
    room: str

    @property
    def key(self) -> str:
        """The key of the record."""
        return f"{self.breakout}/{self.user}"


OF_BREAKOUT: Index[RoomAssignment] = Index("breakout session", "breakout")
OF_ROOM: Index[RoomAssignment] = Index("room", "room")
OF_USER: Index[RoomAssignment] = Index("user", "user")
ASSIGNMENTS: Table[str, RoomAssignment] = Table("assignments", RoomAssignment, "key", OF_BREAKOUT, OF_ROOM, OF_USER)


MACHINE: Machine[RoomState, Room] = Machine(
    "breakout room",
    "A room of a breakout session (R312, R460-R462).",
    ROOMS,
    RoomState,
    state="state",
    refused={ABSENT: Reason.NOT_FOUND, None: Reason.BREAKOUT_STARTED},
)
_CREATE = MACHINE.draft("create")
MAKE_CHANNEL = MACHINE.trigger("make channel")
OPEN = MACHINE.trigger("open")
CLOSE = MACHINE.trigger("close", refused={None: Reason.ROOM_CLOSED, ABSENT: Reason.NOT_FOUND})
_DELETE = MACHINE.trigger("delete")
DROP = MACHINE.trigger("drop")
LOSE_CHANNEL = MACHINE.trigger("lose channel")


def _place(change: Change, room: Room) -> Room:
    """The room has a channel below the event room."""
    return room if room.place is not None else replace(room, place=fresh_id(change))


@MACHINE.effect("meet")
def meet(change: Change, room: Room, session: str) -> Room:
    """The session in the channel of the room is stored."""
    return replace(room, session=session)


@MACHINE.effect(
    "rename", refused={RoomState.CLOSED: Reason.BREAKOUT_COMPLETED}, details=lambda change, room, name: {"name": name}
)
def rename(change: Change, room: Room, name: str) -> Room:
    """The room is renamed."""
    return replace(room, name=name)


def _lose_channel(change: Change, room: Room) -> Room:
    """The channel and the session of the room are removed."""
    return replace(room, place=None, session=None)


_MAY_GO = Guard(
    "rooms may go while they are in use", lambda change, room: ask(change, assumed.ROOMS_AFTER_START) == "allow"
)
_NOT_COMPLETED = Guard(
    "its breakout session is not completed",
    lambda change, room, name: BREAKOUTS.of(change, room.client)[room.breakout].phase is not BreakoutState.COMPLETED,
)
_PLANNED, _LIVE, _CLOSED = RoomState
_ANY = tuple(RoomState)

MACHINE.declare(
    Row(_CREATE, ABSENT, _PLANNED, source="P2 L278, R460"),
    Row(MAKE_CHANNEL, _PLANNED, _PLANNED, effect=_place, source="G438"),
    Row(OPEN, (_PLANNED, _CLOSED), _LIVE, effect=_place, source="P2 Breakout L108, R312, G438"),
    *(Row(meet, state, state, source="P2 Breakout L108, R288, R312") for state in RoomState),
    Row(CLOSE, _LIVE, _CLOSED, source="P2 States L166-167, R356, R357"),
    Row(rename, _PLANNED, _PLANNED, source="P2 L279, R461"),
    Row(rename, _LIVE, _LIVE, source="P2 L279, R461, G426"),
    Row(rename, _CLOSED, _CLOSED, only_if=_NOT_COMPLETED, source="P2 L279, R461, G435"),
    Row(_DELETE, (_PLANNED, _CLOSED), ABSENT, source="P2 L280, R462, G427"),
    Row(_DELETE, _LIVE, ABSENT, only_if=_MAY_GO, source="G426"),
    Row(DROP, _ANY, ABSENT, source="P2 L275, R456"),
    Row(LOSE_CHANNEL, _PLANNED, _PLANNED, effect=_lose_channel, source="G309"),
    Row(LOSE_CHANNEL, _CLOSED, _CLOSED, effect=_lose_channel, source="G309"),
)


def require_startable(change: Change, breakout: Breakout) -> None:
    """Refusal BREAKOUT_NOT_PREPARED for a breakout session without rooms or users, where that is refused (G432)."""
    without_rooms = not list_(change, breakout)
    if without_rooms or not occupancy.occupants(change, breakout.client, breakout.channel):
        needs = ask(change, assumed.START_EMPTY)
        if needs != "starts" and (without_rooms or needs == "needs-rooms-and-users"):
            raise Refusal(Reason.BREAKOUT_NOT_PREPARED)


def list_(change: Change, breakout: Breakout) -> View[Room]:
    """The rooms of the breakout session, in order of creation."""
    return ROOMS.where(change, IN_BREAKOUT, breakout.id, breakout.client)


def get(change: Change, breakout: Breakout, id: str) -> Room:
    """The room of this id in the breakout session. Refusal NOT_FOUND."""
    note(change, assumed.PATHS)
    room = ROOMS.get(change, id, breakout.client)
    return room if room and room.breakout == breakout.id else not_found("breakout room", id)


def list_assigned(change: Change, room: Room) -> View[RoomAssignment]:
    """The assignments to the room, in the order of assignment."""
    return ASSIGNMENTS.where(change, OF_ROOM, room.id, room.client)


def _require_editable(change: Change, breakout: Breakout) -> None:
    """Refusal BREAKOUT_COMPLETED, and BREAKOUT_STARTED while it is active where rooms are fixed then (G426)."""
    if breakout.phase is BreakoutState.COMPLETED:
        raise Refusal(Reason.BREAKOUT_COMPLETED)
    if breakout.phase is BreakoutState.ACTIVE and ask(change, assumed.ROOMS_AFTER_START) == "refuse":
        raise Refusal(Reason.BREAKOUT_STARTED)


def _free_name(change: Change, breakout: Breakout, name: str, own: str = "") -> str:
    """The name itself. Refusal ROOM_NAME_TAKEN when a room other than ``own`` has it."""
    taken = any(room.id != own for room in ROOMS.where(change, BY_NAME, (breakout.id, name), breakout.client))
    if taken and ask(change, assumed.ROOM_NAMES) == "refuse":
        raise Refusal(Reason.ROOM_NAME_TAKEN, name=name)
    return name


def add_room(change: Change, breakout: Breakout, name: str | None) -> Room:
    """Add a room and return it; in an active breakout session it is live at once (G426).

    Refusals BREAKOUT_COMPLETED, BREAKOUT_STARTED, ROOM_NAME_TAKEN.
    """
    _require_editable(change, breakout)
    if name is None:
        name = ask(change, assumed.ROOM_NAME).format(number=change.count(f"rooms of {breakout.id}"))
    name = _free_name(change, breakout, name)
    draft = Room(id=fresh_id(change), client=breakout.client, channel=breakout.channel, breakout=breakout.id, name=name)
    room = _CREATE(change, draft)
    if breakout.phase is BreakoutState.ACTIVE:
        return OPEN(change, room)
    if ask(change, assumed.ROOM_CHANNEL) == "creation":
        return MAKE_CHANNEL(change, room)
    return room


def rename_room(change: Change, breakout: Breakout, room: Room, name: str | None) -> None:
    """Rename the room and its channel. Refusals BREAKOUT_COMPLETED, BREAKOUT_STARTED, ROOM_NAME_TAKEN."""
    _require_editable(change, breakout)
    if name is None:
        return
    rename(change, room, _free_name(change, breakout, name, room.id))


def delete_room(change: Change, breakout: Breakout, room: Room) -> None:
    """Remove the room with the assignments to it. Refusals BREAKOUT_STARTED (G426), ROOM_ASSIGNED (G427)."""
    if breakout.phase is BreakoutState.COMPLETED:
        raise Refusal(Reason.BREAKOUT_COMPLETED)
    if list_assigned(change, room) and ask(change, assumed.DELETE_ASSIGNED) == "refuse":
        raise Refusal(Reason.ROOM_ASSIGNED)
    note(change, assumed.ROOMS_AFTER_START)
    _DELETE(change, room)
