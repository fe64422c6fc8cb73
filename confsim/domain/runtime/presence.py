"""The presence of users in a channel or its lobby. No documented call changes it (G327)."""

from collections.abc import Iterable, Iterator
from enum import Enum
from typing import assert_never

from confsim.assumptions import Reason, ask, note, note_shown
from confsim.assumptions.runtime import presence as assumed
from confsim.domain.channels import channels
from confsim.domain.channels.channels import Channel
from confsim.domain.clients import clients
from confsim.domain.clients.clients import Client
from confsim.domain.fault_points import ADMISSION, FaultOutcome, fault_for
from confsim.domain.members import roles
from confsim.domain.users.users import USERS, User
from confsim.kernel import ABSENT, Change, Flag, Guard, Machine, Refusal, Row, View, replace

from . import entrance, occupancy, sessions
from .entrance import Condition, Entrant, Entry
from .occupancy import (
    BY_CHANNEL,
    BY_PLACE,
    BY_USER as BY_USER,
    IN_LOBBY,
    PRESENCES as PRESENCES,
    PRESENTERS,
    Presence as Presence,
    Where as Where,
)
from .sessions import Session

# The presence of one user

MACHINE: Machine[Where, Presence] = Machine(
    "presence",
    "One user as seen from a channel (R339, R340, R353-R357).",
    PRESENCES,
    Where,
    state="state",
    refused=Reason.NOT_PRESENT,
)
SEND_TO_LOBBY = MACHINE.trigger("send to the lobby")
RETURN = MACHINE.trigger("return")
_LEAVE = MACHINE.trigger("leave")
DISCONNECT = MACHINE.trigger("disconnect")


@MACHINE.effect(
    "join",
    refused=Reason.CHANNEL_FULL,
    details=lambda change, presence, channel, user, host, phone: {"limit": entrance.capacity(channel)},
)
def come(change: Change, presence: Presence | None, channel: Channel, user: User, host: bool, phone: bool) -> Presence:
    """The user is in the channel; ``host`` treats the user as a host, as an organizer PIN does."""
    return replace(_come_to_lobby(change, presence, channel, user, host, phone), state=Where.IN, place=channel.id)


def _come_to_lobby(
    change: Change, presence: Presence | None, channel: Channel, user: User, host: bool, phone: bool
) -> Presence:
    """The user waits in the lobby, is no participant and is not counted (G328)."""
    return Presence(
        client=channel.client,
        channel=channel.id,
        user=user.id,
        state=Where.WAITING,
        since=change.now,
        by_phone=phone,
    )


def _enter(change: Change, presence: Presence) -> Presence:
    """The user is in the channel."""
    return replace(presence, place=presence.channel, room=None, since=change.now)


@MACHINE.effect(
    "admit",
    refused={Where.WAITING: Reason.CHANNEL_FULL},
    details=lambda change, presence, channel: {"limit": entrance.capacity(channel)},
)
def let_in(change: Change, presence: Presence, channel: Channel) -> Presence:
    """The user is in the channel."""
    return _enter(change, presence)


def _wait(change: Change, presence: Presence) -> Presence:
    """The user waits in the lobby, is no participant and is not counted (G328)."""
    return replace(presence, place=None, room=None, since=change.now)


@MACHINE.effect("route")
def route(change: Change, presence: Presence, place: str, room: str) -> Presence:
    """Move the user from the event room to the breakout room ``room`` with the channel ``place``."""
    return replace(presence, place=place, room=room)


def _return(change: Change, presence: Presence) -> Presence:
    """The user returns to the event room."""
    return replace(presence, place=presence.channel, room=None)


def _entry(change: Change, channel: Channel, user: User, phone: bool) -> Entry:
    """The entry of a user of the channel's client, by phone or not."""
    client = clients.get(change, channel.client)
    return entrance.entry(client, channel, user, by=Entrant.PHONE if phone else None)


def _of_waiting(change: Change, presence: Presence, channel: Channel) -> Entry:
    """The entry of a user who is let in from the lobby."""
    return _entry(change, channel, USERS.of(change, channel.client)[presence.user], presence.by_phone)


def _passes(change: Change, presence: Presence | None, channel: Channel, user: User, host: bool, phone: bool) -> bool:
    """Whether the user passes the door: it is open, or the user a host or inside earlier in the session (G330)."""
    if not host:
        note_shown(change, channel, "open")
    if host or channel.open or not entrance.is_checked(change, Condition.LOBBY, _entry(change, channel, user, phone)):
        return True
    return roles.is_operator(change, channel, user) or _readmitted(change, channel, user)


def _enters(change: Change, presence: Presence | None, channel: Channel, user: User, host: bool, phone: bool) -> bool:
    """Whether the user passes the door, and there is room."""
    if not _passes(change, presence, channel, user, host, phone):
        return False
    return entrance.refusal(change, _entry(change, channel, user, phone), (Condition.ROOM,)) is None


_ENTERS = Guard("the door lets in, and there is room", _enters)
_STOPPED = ~Guard("the door lets in", _passes)
_ADMITTED = Guard(
    "all holds that is demanded of those who enter",
    lambda change, presence, channel: entrance.refusal(change, _of_waiting(change, presence, channel)) is None,
)
_WAITING, _IN, _IN_ROOM = Where
_ANY = tuple(Where)

MACHINE.declare(
    Row(come, ABSENT, _IN, only_if=_ENTERS, source="P2 States L156, R339, G327, G330"),
    Row(come, ABSENT, _WAITING, only_if=_STOPPED, effect=_come_to_lobby, source="P2 States L157, R340, G328"),
    Row(come, _WAITING, _IN, only_if=_ENTERS, effect=_enter, source="G328"),
    Row(come, _WAITING, _WAITING, only_if=_STOPPED, effect=None, source="G328"),
    Row(come, _IN, _IN, effect=None, source="G372"),
    Row(come, _IN_ROOM, _IN, effect=_return, source="G437"),
    Row(let_in, _WAITING, _IN, only_if=_ADMITTED, source="P2 States L157, R340, G328, G329"),
    Row(let_in, _IN, _IN, effect=None, source="G328"),
    Row(let_in, _IN_ROOM, _IN_ROOM, effect=None, source="G328"),
    Row(SEND_TO_LOBBY, _IN, _WAITING, effect=_wait, source="G331"),
    Row(route, (_IN, _IN_ROOM), _IN_ROOM, source="P2 States L166, R355, G437"),
    Row(RETURN, _IN_ROOM, _IN, effect=_return, source="P2 States L166-167, R356, R357"),
    Row(_LEAVE, _ANY, ABSENT, source="G327"),
    Row(DISCONNECT, _ANY, ABSENT, source="P2 States L164, R353, G542"),
)


def find(change: Change, channel: Channel, user: int) -> Presence | None:
    """The presence of the user in the channel, its breakout rooms or its lobby, or None."""
    return PRESENCES.get(change, f"{channel.id}/{user}", channel.client)


def list_present(change: Change, channel: Channel) -> View[Presence]:
    """All presences in the channel, its breakout rooms and its lobby, in order of joining."""
    return PRESENCES.where(change, BY_CHANNEL, channel.id, channel.client)


def inside(change: Change, channel: Channel) -> View[Presence]:
    """The presences connected to this channel itself, which may be that of a breakout room."""
    return PRESENCES.where(change, BY_PLACE, channel.id, channel.client)


def count_inside(change: Change, channel: Channel) -> int:
    """The number of users connected to this channel itself."""
    return len(PRESENCES.where(change, BY_PLACE, channel.id, channel.client))


def count_at(change: Change, session: Session) -> int:
    """The number of users connected to the channel in which the session runs."""
    return len(PRESENCES.where(change, BY_PLACE, session.channel, session.client))


def waiting(change: Change, channel: Channel) -> View[Presence]:
    """The presences in the lobby, the longest wait first."""
    return PRESENCES.where(change, IN_LOBBY, channel.id, channel.client)


def refused(change: Change, channel: Channel) -> Iterator[Presence]:
    """The presences in the lobby that the channel would not let in, for another reason than that it is full."""
    for presence in current(change, waiting(change, channel)):
        entry = _of_waiting(change, presence, channel)
        if entrance.refusal(change, entry, entrance.WHEN_COMING) is not None:
            yield presence


def current(change: Change, presences: Iterable[Presence]) -> Iterator[Presence]:
    """The presences, each read anew when it is yielded; those removed by then are skipped."""
    for presence in presences:
        now = PRESENCES.get(change, presence.key, presence.client)
        if now is not None:
            yield now


def join(
    change: Change,
    client: Client,
    channel: Channel,
    user: User,
    *,
    host: bool = False,
    by: Entrant | None = None,
    assigned: bool = True,
) -> Presence:
    """Join the user to the channel, or to the lobby while the door is closed.

    Hosts pass the door, and so do users who were inside earlier in the same session (G330); ``host`` treats the user as
    a host, as an organizer PIN does. ``by`` is phone or websocket, if the user comes by one; ``assigned`` whether the
    user may be in the breakout room that is entered. Refusals of ``entrance.refusal``.
    """
    return enter(change, entrance.entry(client, channel, user, by=by, assigned=assigned), host)


def enter(change: Change, entry: Entry, host: bool = False) -> Presence:
    """Let somebody into the channel or its lobby. Refusals of ``entrance.refusal``."""
    require_may_join(change, entry)
    channel, user = entry.channel, entry.user
    return come(change, find(change, channel, user.id), channel, user, host, Entrant.PHONE in entry.entrants)


def may_join(change: Change, entry: Entry, host: bool = False) -> bool:
    """Whether ``enter`` would let the user into the channel or its lobby."""
    if entrance.refusal(change, entry, entrance.WHEN_COMING) is not None:
        return False
    channel, user = entry.channel, entry.user
    return come.admits(change, find(change, channel, user.id), channel, user, host, Entrant.PHONE in entry.entrants)


def require_may_join(change: Change, entry: Entry) -> None:
    """Refusals of ``entrance.refusal`` except CHANNEL_FULL, which does not concern those who wait or are inside."""
    note(change, assumed.JOINING)
    entrance.require(change, entry, entrance.WHEN_COMING)


def _readmitted(change: Change, channel: Channel, user: User) -> bool:
    session = sessions.find_active(change, channel)
    if session is None or ask(change, assumed.LOBBY_BYPASS) == "hosts":
        return False
    return sessions.attended(change, session, user.id)


def admit(change: Change, channel: Channel, user: int) -> Presence:
    """Admit a user from the lobby. Refusals NOT_PRESENT, ADMISSION_REFUSED by a fault; of ``entrance.refusal``."""
    note(change, assumed.LOBBY_ADMISSION)
    presence = find(change, channel, user)
    if presence is not None and presence.state is Where.WAITING:
        fault = fault_for(change, ADMISSION, client=channel.client, channel=channel.id, user=user)
        if fault is not None:
            if fault.outcome is FaultOutcome.REFUSED:
                raise Refusal(Reason.ADMISSION_REFUSED, id=user)
            if fault.outcome is FaultOutcome.IGNORED:
                return presence
            assert_never(fault.outcome)
        entrance.require(change, _of_waiting(change, presence, channel))
    return let_in(change, presence, channel)


def leave(change: Change, channel: Channel, user: int) -> None:
    """Remove the user from the lobby, the channel or a breakout room. Refusal NOT_PRESENT."""
    _LEAVE(change, find(change, channel, user))


def is_muted(change: Change, channel: Channel, presence: Presence) -> bool:
    """Whether the attendee lock mutes the user (R346, G336)."""
    note_shown(change, channel, "attendees_muted")
    if not channel.attendees_muted or presence.state is Where.WAITING:
        return False
    if ask(change, assumed.ATTENDEES_LOCKED) == "all-but-presenters" and presence.presenter:
        return False
    return roles.find(change, channel, presence.user) is None


def hosts(change: Change, presence: Presence) -> bool:
    """Whether the present user is a host of the channel."""
    return roles.find(change, channels.get(change, presence.client, presence.channel), presence.user) is not None


# The status of presenters


class Status(Enum):
    """Whether a user may share video where presenters are limited (P2 States L161)."""

    VIEWER = "viewer"
    PRESENTER = "presenter"


def _limit(change: Change, presence: Presence) -> int | None:
    return channels.get(change, presence.client, presence.channel).presenters_limit


def _is_below(change: Change, presence: Presence) -> bool:
    limit = _limit(change, presence)
    return limit is None or len(PRESENCES.where(change, PRESENTERS, presence.channel, presence.client)) < limit


PRESENTER: Machine[Status, Presence] = Machine(
    "presenter",
    "The Presenter status of a user in a channel, granted and revoked by the host (R351).",
    PRESENCES,
    Status,
    state=Flag("presenter", Status.PRESENTER, Status.VIEWER),
    refused=Reason.PRESENTERS_FULL,
    initial=Status.VIEWER,
)
_GRANT = PRESENTER.trigger("grant", details=lambda change, presence: {"limit": _limit(change, presence) or 0})
REVOKE = PRESENTER.trigger("revoke")
_BELOW = Guard("fewer present than the limit allows", _is_below)
_VIEWER, _PRESENTER = Status

PRESENTER.declare(
    Row(_GRANT, _VIEWER, _PRESENTER, only_if=_BELOW, source="P2 States L161, R351"),
    Row(_GRANT, _PRESENTER, _PRESENTER, source="G537"),
    Row(REVOKE, (_PRESENTER, _VIEWER), _VIEWER, source="P2 States L161, R351"),
)


def set_presenter(change: Change, channel: Channel, user: int, presenter: bool) -> Presence:
    """Grant or revoke Presenter status. Refusals NOT_PRESENT, PRESENTERS_FULL; a limit lowered later revokes none."""
    presence = find(change, channel, user)
    if presence is None or presence.state is Where.WAITING:
        raise Refusal(Reason.NOT_PRESENT)
    return (_GRANT if presenter else REVOKE)(change, presence)


# The population of a channel


def population(change: Change, channel: Channel) -> int:
    """The number of users connected to the channel, as G346 chooses: those in it, or also those in its breakout rooms,
    or also those in its lobby.
    """
    counted = ask(change, assumed.POPULATION_COUNTS)
    if counted == "with-rooms" and channel.parent is None:
        return occupancy.occupants(change, channel.client, channel.id)
    return count_inside(change, channel) + (len(waiting(change, channel)) if counted == "with-waiting" else 0)
