"""Who is in a channel or waits in its lobby, and whether the channel is empty. No documented call moves it (G327)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import Enum

from msgspec.structs import replace

from confsim.assumptions import runtime as assumed
from confsim.assumptions.refusals import Reason
from confsim.assumptions.register import ask, note
from confsim.domain import terms
from confsim.domain.channels import channels
from confsim.domain.channels.channels import Channel
from confsim.domain.clients import clients
from confsim.domain.clients.clients import Client
from confsim.domain.fault_points import ADMISSION, Outcome, struck
from confsim.domain.identity import credentials
from confsim.domain.members import channel_access
from confsim.domain.users.users import USERS, Account, User
from confsim.kernel.old_machine import Facts, Guard, Machine, Row
from confsim.kernel.refusal import Refusal
from confsim.kernel.table import Index, Record, Table
from confsim.kernel.world import Change

from . import sessions

# The presence of one user


class Where(Enum):
    """Where a user is, as seen from a channel."""

    AWAY = "away"
    WAITING = "waiting"
    IN = "in"
    IN_ROOM = "in room"


class Presence(Record, kw_only=True):
    """A user in a channel or its lobby. ``place`` is the channel in which the user is connected: the channel itself,
    or that of the breakout room ``room``; None in the lobby. ``since`` is the instant (epoch milliseconds) of coming.
    """

    client: str
    channel: str
    user: int
    state: Where = Where.AWAY
    place: str | None = None
    room: str | None = None
    since: int = 0
    presenter: bool = False

    @property
    def key(self) -> str:
        """The key of the record."""
        return f"{self.channel}/{self.user}"


BY_CHANNEL: Index[Presence] = Index("channel", lambda presence: (presence.channel,))
BY_PLACE: Index[Presence] = Index("place", lambda presence: (presence.place,) if presence.place is not None else ())
BY_USER: Index[Presence] = Index("user", lambda presence: (presence.user,))
PRESENCES: Table[str, Presence] = Table("presences", Presence, "key", BY_CHANNEL, BY_PLACE, BY_USER)


def _put(change: Change, presence: Presence, **fields: object) -> Presence:
    return PRESENCES.of(change, presence.client).put(replace(presence, **fields))


def _enter(change: Change, presence: Presence, facts: Facts) -> Presence:
    """The user is in the channel."""
    return _put(change, presence, state=Where.IN, place=presence.channel, room=None, since=change.now)


def _wait(change: Change, presence: Presence, facts: Facts) -> Presence:
    """The user waits in the lobby, is no participant and is not counted (G328)."""
    return _put(change, presence, state=Where.WAITING, place=None, room=None, presenter=False, since=change.now)


def _route(change: Change, presence: Presence, facts: Facts) -> Presence:
    """The user is in the breakout room."""
    return _put(change, presence, state=Where.IN_ROOM, place=facts["place"], room=facts["room"])


def _back(change: Change, presence: Presence, facts: Facts) -> Presence:
    """The user is back in the event room."""
    return _put(change, presence, state=Where.IN, place=presence.channel, room=None)


def _leave(change: Change, presence: Presence, facts: Facts) -> Presence:
    """The user is gone."""
    PRESENCES.of(change, presence.client).remove(presence.key)
    return Presence(client=presence.client, channel=presence.channel, user=presence.user)


_ENTERS = Guard("the door lets in, and there is room", lambda presence, facts: facts["passes"] and not facts["full"])
_STOPPED = Guard("the door is closed", lambda presence, facts: not facts["passes"])
_FITS = Guard("there is room", lambda presence, facts: not facts["full"])
_SOMEWHERE = (Where.WAITING, Where.IN, Where.IN_ROOM)

MACHINE: Machine[Where, Presence] = Machine(
    "presence",
    "One user as seen from a channel (R339, R340, R353-R357).",
    Where,
    (
        Row("join", Where.AWAY, Where.IN, only_if=_ENTERS, effect=_enter, source="P2 States L156, R339, G327, G330"),
        Row("join", Where.AWAY, Where.WAITING, only_if=_STOPPED, effect=_wait, source="P2 States L157, R340, G328"),
        Row("join", Where.WAITING, Where.IN, only_if=_ENTERS, effect=_enter, source="G328"),
        Row("join", Where.WAITING, Where.WAITING, only_if=_STOPPED, source="G328"),
        Row("join", Where.IN, Where.IN, source="G372"),
        Row("join", Where.IN_ROOM, Where.IN, effect=_back, source="G437"),
        Row("admit", Where.WAITING, Where.IN, only_if=_FITS, effect=_enter, source="P2 States L157, R340, G328, G329"),
        Row("admit", Where.IN, Where.IN, source="G328"),
        Row("admit", Where.IN_ROOM, Where.IN_ROOM, source="G328"),
        Row("send to the lobby", Where.IN, Where.WAITING, effect=_wait, source="G331"),
        Row("route", (Where.IN, Where.IN_ROOM), Where.IN_ROOM, effect=_route, source="P2 States L166, R355, G437"),
        Row("return", Where.IN_ROOM, Where.IN, effect=_back, source="P2 States L166-167, R356, R357"),
        Row("leave", _SOMEWHERE, Where.AWAY, effect=_leave, source="G327"),
        Row("disconnect", _SOMEWHERE, Where.AWAY, effect=_leave, source="P2 States L164, R353, G542"),
    ),
    read=lambda presence, facts: presence.state,
    refusals={"join": Reason.CHANNEL_FULL, ("admit", Where.WAITING): Reason.CHANNEL_FULL, None: Reason.NOT_PRESENT},
    initial=Where.AWAY,
)


def of(change: Change, channel: Channel, user: int) -> Presence:
    """The user as seen from the channel, present or away."""
    found = PRESENCES.of(change, channel.client).get(f"{channel.id}/{user}")
    return found or Presence(client=channel.client, channel=channel.id, user=user)


def everybody(change: Change, channel: Channel) -> list[Presence]:
    """Everybody in the channel, its breakout rooms and its lobby, in order of coming."""
    return PRESENCES.of(change, channel.client).find(BY_CHANNEL, channel.id)


def inside(change: Change, channel: Channel) -> list[Presence]:
    """Who is connected to this very channel, which may be that of a breakout room."""
    return PRESENCES.of(change, channel.client).find(BY_PLACE, channel.id)


def number_inside(change: Change, channel: Channel) -> int:
    """How many are connected to this very channel."""
    return PRESENCES.of(change, channel.client).count(BY_PLACE, channel.id)


def waiting(change: Change, channel: Channel) -> list[Presence]:
    """Who waits in the lobby, the longest wait first."""
    return [presence for presence in everybody(change, channel) if presence.state is Where.WAITING]


def admitted(change: Change, channel: Channel) -> list[Presence]:
    """Who is in the channel or one of its breakout rooms."""
    return [presence for presence in everybody(change, channel) if presence.state is not Where.WAITING]


def fresh(change: Change, found: Iterable[Presence]) -> Iterator[Presence]:
    """Each as it is by the time it is asked for, those who have gone by then left out."""
    for presence in found:
        now = PRESENCES.of(change, presence.client).get(presence.key)
        if now is not None:
            yield now


def join(
    change: Change, client: Client, channel: Channel, user: User, *, host: bool = False, phone: bool = False
) -> Presence:
    """The user comes: into the channel, or into the lobby while the door is closed.

    Hosts pass the door, and so does whoever was inside in the same session before (G330); ``host`` lets a user pass as
    one, as an organizer PIN does. Who comes by ``phone`` has not logged in, and is not asked for terms (G176). Refusals
    SERVICE_DISABLED (G163), TERMS_NOT_ACCEPTED (R105), GUEST_ACCESS_OFF (G227), GUEST_ELSEWHERE (G228), CHANNEL_PRIVATE
    (G310), CHANNEL_FULL (G317).
    """
    note(change, assumed.JOINING)
    if not phone and terms.blocked(change, client, user):
        raise Refusal(Reason.TERMS_NOT_ACCEPTED, termsUrl=client.terms.url)
    _check(change, client, channel, user)
    present = of(change, channel, user.id)
    passes = host or channel.open or channels.is_operator(channel, user) or _readmitted(change, channel, user)
    MACHINE.fire(change, present, "join", passes=passes, **room_left(change, channel))
    return of(change, channel, user.id)


def _check(change: Change, client: Client, channel: Channel, user: User) -> None:
    if not clients.served(change, client):
        raise Refusal(Reason.SERVICE_DISABLED, client=client.id)
    if user.channel is not None:
        channel_access.confine(change, user, channel)
    if user.account is Account.GUEST and not channel.guest_access and not channels.is_operator(channel, user):
        raise Refusal(Reason.GUEST_ACCESS_OFF)
    if not channel_access.has_access(change, credentials.caller(change, client, user), channel):
        raise Refusal(Reason.CHANNEL_PRIVATE)


def _readmitted(change: Change, channel: Channel, user: User) -> bool:
    session = sessions.active(change, channel)
    if session is None or ask(change, assumed.LOBBY_BYPASS) == "hosts":
        return False
    return sessions.attended(change, session, user.id)


def room_left(change: Change, channel: Channel) -> dict[str, int | bool]:
    """Whether one more fits: maxUsers is the cap of the platform, populationLimit that of the host (G317)."""
    limit = channel.max_users
    if channel.population_limit is not None:
        limit = min(limit, channel.population_limit)
    return {"full": crowd(change, channel.client, channel.id).count >= limit, "limit": limit}


def admit(change: Change, channel: Channel, user: int) -> Presence:
    """Let in a user who waits. Refusal NOT_PRESENT, CHANNEL_FULL; ADMISSION_REFUSED by a fault."""
    note(change, assumed.LOBBY_ADMISSION)
    if (waiting := of(change, channel, user)).state is Where.WAITING:
        stroke = struck(change, ADMISSION, client=channel.client, channel=channel.id, user=user)
        if stroke is not None and stroke.outcome is Outcome.REFUSED:
            raise Refusal(Reason.ADMISSION_REFUSED, id=user)
        if stroke is not None:
            return waiting
    MACHINE.fire(change, of(change, channel, user), "admit", **room_left(change, channel))
    return of(change, channel, user)


def leave(change: Change, channel: Channel, user: int) -> Presence:
    """The user goes, from the lobby, the channel or a breakout room. Refusal NOT_PRESENT."""
    return MACHINE.fire(change, of(change, channel, user), "leave")


def stop_in_channel(change: Change, channel: Channel) -> None:
    """Nobody stays in a channel that is about to go, nor in its lobby."""
    for presence in everybody(change, channel):
        MACHINE.fire(change, presence, "disconnect")


def muted(change: Change, channel: Channel, presence: Presence) -> bool:
    """Whether the attendee lock mutes this user (R346, G336)."""
    if not channel.attendees_muted or presence.state is Where.WAITING:
        return False
    if ask(change, assumed.ATTENDEES_LOCKED) == "all-but-presenters" and presence.presenter:
        return False
    return not channels.is_operator(channel, USERS.of(change, channel.client).get(presence.user))


def hosts(change: Change, presence: Presence) -> bool:
    """Whether the present user is a host of the channel."""
    channel = channels.get(change, presence.client, presence.channel)
    return presence.user in channel.owners or presence.user in channel.operators


# The status of presenters


class Status(Enum):
    """Whether a user may share video where presenters are limited (P2 States L161)."""

    VIEWER = "viewer"
    PRESENTER = "presenter"


def _present(change: Change, presence: Presence, facts: Facts) -> Presence:
    """The user may share video, or may no longer."""
    return _put(change, presence, presenter=facts["presenter"])


_BELOW = Guard("fewer present than the limit allows", lambda presence, facts: not facts["full"])

PRESENTER: Machine[Status, Presence] = Machine(
    "presenter",
    "The Presenter status of a user in a channel, granted and revoked by the host (R351).",
    Status,
    (
        Row("grant", Status.VIEWER, Status.PRESENTER, only_if=_BELOW, effect=_present, source="P2 States L161, R351"),
        Row("grant", Status.PRESENTER, Status.PRESENTER, source="G537"),
        Row("revoke", (Status.PRESENTER, Status.VIEWER), Status.VIEWER, effect=_present, source="P2 States L161, R351"),
    ),
    read=lambda presence, facts: Status.PRESENTER if presence.presenter else Status.VIEWER,
    refusals={None: Reason.PRESENTERS_FULL},
    initial=Status.VIEWER,
)


def present(change: Change, channel: Channel, user: int, presenter: bool) -> Presence:
    """Grant or revoke Presenter status. Refusal NOT_PRESENT, PRESENTERS_FULL; a limit lowered later takes nobody's."""
    presence = of(change, channel, user)
    if presence.state in (Where.AWAY, Where.WAITING):
        raise Refusal(Reason.NOT_PRESENT)
    limit = channel.presenters_limit
    count = sum(each.presenter for each in everybody(change, channel))
    full = limit is not None and count >= limit
    event = "grant" if presenter else "revoke"
    return PRESENTER.fire(change, presence, event, presenter=presenter, full=full, limit=limit or 0)


# The audience of a channel


class Audience(Enum):
    """Whether anybody is in a channel or its breakout rooms."""

    EMPTY = "empty"
    OCCUPIED = "occupied"


class Crowd(Record):
    """How many are in a channel and its breakout rooms; users in the lobby do not count (G328, G334)."""

    channel: str
    client: str
    count: int = 0


CROWDS: Table[str, Crowd] = Table("crowds", Crowd, "channel")


def _more(change: Change, crowd: Crowd, facts: Facts) -> Crowd:
    """One more."""
    return CROWDS.of(change, crowd.client).put(replace(crowd, count=crowd.count + 1))


def _fewer(change: Change, crowd: Crowd, facts: Facts) -> Crowd:
    """One fewer."""
    if crowd.count > 1:
        return CROWDS.of(change, crowd.client).put(replace(crowd, count=crowd.count - 1))
    CROWDS.of(change, crowd.client).remove(crowd.channel)
    return Crowd(crowd.channel, crowd.client)


_LAST = Guard("nobody else is inside", lambda crowd, facts: crowd.count == 1)

AUDIENCE: Machine[Audience, Crowd] = Machine(
    "audience",
    "Whether a channel is empty: with its breakout rooms, without its lobby (R342, G334).",
    Audience,
    (
        Row("enter", (Audience.EMPTY, Audience.OCCUPIED), Audience.OCCUPIED, effect=_more, source="G327"),
        Row("leave", Audience.OCCUPIED, Audience.OCCUPIED, only_if=~_LAST, effect=_fewer, source="G327"),
        Row("leave", Audience.OCCUPIED, Audience.EMPTY, only_if=_LAST, effect=_fewer, source="P2 States L158, G334"),
    ),
    read=lambda crowd, facts: Audience.OCCUPIED if crowd.count else Audience.EMPTY,
    refusals={None: Reason.NOT_PRESENT},
    initial=Audience.EMPTY,
)


def crowd(change: Change, client: str, channel: str) -> Crowd:
    """How many are in the channel and its breakout rooms."""
    return CROWDS.of(change, client).get(channel) or Crowd(channel, client)


def population(change: Change, channel: Channel) -> int:
    """The number of users connected to the channel, as G346 chooses: those in it; with its breakout rooms; with its
    lobby.
    """
    counted = ask(change, assumed.POPULATION_COUNTS)
    if counted == "with-rooms" and channel.parent is None:
        return crowd(change, channel.client, channel.id).count
    return number_inside(change, channel) + (len(waiting(change, channel)) if counted == "with-waiting" else 0)
