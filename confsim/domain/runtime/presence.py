"""The presence of users in a channel or its lobby. No documented call changes it (G327)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import Enum
from typing import Any, assert_never

from msgspec.structs import replace

from confsim.assumptions.protocol.refusals import Reason
from confsim.assumptions.register import ask, note
from confsim.assumptions.runtime import presence as assumed
from confsim.domain import terms
from confsim.domain.channels import channels
from confsim.domain.channels.channels import Channel
from confsim.domain.clients import clients
from confsim.domain.clients.clients import Client
from confsim.domain.fault_points import ADMISSION, FaultOutcome, fault_for
from confsim.domain.identity import credentials
from confsim.domain.members import channel_access, roles
from confsim.domain.users.users import Account, User
from confsim.kernel.machine import Machine
from confsim.kernel.refusal import Refusal
from confsim.kernel.rows import ABSENT, Flag, Guard, Row
from confsim.kernel.tables.indexes import Index
from confsim.kernel.tables.table import Record, Table
from confsim.kernel.tables.views import View
from confsim.kernel.world import Change

from . import occupancy, sessions

# The presence of one user


class Where(Enum):
    """The whereabouts of a present user: in a channel, one of its breakout rooms, or its lobby."""

    WAITING = "waiting"
    IN = "in"
    IN_ROOM = "in room"


class Presence(Record, kw_only=True):
    """A user in a channel or its lobby.

    ``place`` is the id of the channel in which the user is connected: the channel itself, or that of the breakout room
    ``room``; None in the lobby. ``since`` is the instant of arrival (epoch milliseconds).
    """

    client: str
    channel: str
    user: int
    state: Where
    place: str | None = None
    room: str | None = None
    since: int
    presenter: bool = False

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


def _come(change: Change, channel: Channel, user: User) -> Presence:
    """The user is in the channel."""
    return Presence(
        client=channel.client,
        channel=channel.id,
        user=user.id,
        state=Where.IN,
        place=channel.id,
        since=change.now,
    )


def _come_to_lobby(change: Change, channel: Channel, user: User) -> Presence:
    """The user waits in the lobby, is no participant and is not counted (G328)."""
    return Presence(client=channel.client, channel=channel.id, user=user.id, state=Where.WAITING, since=change.now)


def _enter(change: Change, presence: Presence) -> Presence:
    """The user is in the channel."""
    return replace(presence, place=presence.channel, room=None, since=change.now)


def _wait(change: Change, presence: Presence) -> Presence:
    """The user waits in the lobby, is no participant and is not counted (G328)."""
    return replace(presence, place=None, room=None, since=change.now)


def _route(change: Change, presence: Presence, place: str, room: str) -> Presence:
    """The user is in the breakout room."""
    return replace(presence, place=place, room=room)


def _return(change: Change, presence: Presence) -> Presence:
    """The user returns to the event room."""
    return replace(presence, place=presence.channel, room=None)


_ENTERS = Guard(
    "the door lets in, and there is room", lambda presence, bypasses_lobby, full: bypasses_lobby and not full
)
_STOPPED = Guard("the door is closed", lambda presence, bypasses_lobby: not bypasses_lobby)
_FITS = Guard("there is room", lambda presence, full: not full)

MACHINE: Machine[Where, Presence] = Machine(
    "presence",
    "One user as seen from a channel (R339, R340, R353-R357).",
    PRESENCES,
    Where,
    (
        Row("join", ABSENT, Where.IN, only_if=_ENTERS, effect=_come, source="P2 States L156, R339, G327, G330"),
        Row(
            "join", ABSENT, Where.WAITING, only_if=_STOPPED, effect=_come_to_lobby, source="P2 States L157, R340, G328"
        ),
        Row("join", Where.WAITING, Where.IN, only_if=_ENTERS, effect=_enter, source="G328"),
        Row("join", Where.WAITING, Where.WAITING, only_if=_STOPPED, source="G328"),
        Row("join", Where.IN, Where.IN, source="G372"),
        Row("join", Where.IN_ROOM, Where.IN, effect=_return, source="G437"),
        Row("admit", Where.WAITING, Where.IN, only_if=_FITS, effect=_enter, source="P2 States L157, R340, G328, G329"),
        Row("admit", Where.IN, Where.IN, source="G328"),
        Row("admit", Where.IN_ROOM, Where.IN_ROOM, source="G328"),
        Row("send to the lobby", Where.IN, Where.WAITING, effect=_wait, source="G331"),
        Row("route", (Where.IN, Where.IN_ROOM), Where.IN_ROOM, effect=_route, source="P2 States L166, R355, G437"),
        Row("return", Where.IN_ROOM, Where.IN, effect=_return, source="P2 States L166-167, R356, R357"),
        Row("leave", tuple(Where), ABSENT, source="G327"),
        Row("disconnect", tuple(Where), ABSENT, source="P2 States L164, R353, G542"),
    ),
    state="state",
    facts={"join": "channel user bypasses_lobby full", "admit": "full", "route": "place room"},
    refusals={"join": Reason.CHANNEL_FULL, ("admit", Where.WAITING): Reason.CHANNEL_FULL, None: Reason.NOT_PRESENT},
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


def waiting(change: Change, channel: Channel) -> View[Presence]:
    """The presences in the lobby, the longest wait first."""
    return PRESENCES.where(change, IN_LOBBY, channel.id, channel.client)


def current(change: Change, presences: Iterable[Presence]) -> Iterator[Presence]:
    """The presences, each read anew when it is yielded; those removed by then are skipped."""
    for presence in presences:
        now = PRESENCES.get(change, presence.key, presence.client)
        if now is not None:
            yield now


def join(
    change: Change, client: Client, channel: Channel, user: User, *, host: bool = False, phone: bool = False
) -> Presence:
    """Join the user to the channel, or to the lobby while the door is closed.

    Hosts pass the door, and so do users who were inside earlier in the same session (G330); ``host`` treats the user as
    a host, as an organizer PIN does. A user joining by ``phone`` need not accept the terms (G176). Refusals
    SERVICE_DISABLED (G163), TERMS_NOT_ACCEPTED (R105), GUEST_ACCESS_OFF (G227), GUEST_ELSEWHERE (G228), CHANNEL_PRIVATE
    (G310), CHANNEL_FULL (G317).
    """
    facts = join_facts(change, client, channel, user, host=host, phone=phone)
    details = {"limit": capacity(channel)}
    return MACHINE.fire(change, find(change, channel, user.id), "join", details=details, **facts)


def may_join(
    change: Change, client: Client, channel: Channel, user: User, *, host: bool = False, phone: bool = False
) -> bool:
    """Whether ``join`` would admit the user, to the channel or its lobby."""
    try:
        facts = join_facts(change, client, channel, user, host=host, phone=phone)
    except Refusal:
        return False
    present = find(change, channel, user.id)
    return MACHINE.row(MACHINE.state(present), "join", present, facts) is not None


def join_facts(
    change: Change, client: Client, channel: Channel, user: User, *, host: bool, phone: bool
) -> dict[str, Any]:
    """The facts of the trigger "join" for the user. Refusals of ``join`` except CHANNEL_FULL."""
    note(change, assumed.JOINING)
    if not phone and terms.is_blocked(change, client, user):
        raise Refusal(Reason.TERMS_NOT_ACCEPTED, termsUrl=client.terms.url)
    _check(change, client, channel, user)
    host = host or channel.open or roles.is_operator(change, channel, user)
    bypasses_lobby = host or _readmitted(change, channel, user)
    return {"channel": channel, "user": user, "bypasses_lobby": bypasses_lobby, "full": is_full(change, channel)}


def _check(change: Change, client: Client, channel: Channel, user: User) -> None:
    if not clients.is_served(change, client):
        raise Refusal(Reason.SERVICE_DISABLED, client=client.id)
    if user.channel is not None:
        channel_access.require_home_channel(change, user, channel)
    if user.account is Account.GUEST and not channel.guest_access and not roles.is_operator(change, channel, user):
        raise Refusal(Reason.GUEST_ACCESS_OFF)
    if not channel_access.has_access(change, credentials.caller(change, client, user), channel):
        raise Refusal(Reason.CHANNEL_PRIVATE)


def _readmitted(change: Change, channel: Channel, user: User) -> bool:
    session = sessions.find_active(change, channel)
    if session is None or ask(change, assumed.LOBBY_BYPASS) == "hosts":
        return False
    return sessions.attended(change, session, user.id)


def capacity(channel: Channel) -> int:
    """The most users in the channel: maxUsers is the limit of the platform, populationLimit the host's (G317)."""
    limit = channel.population_limit
    return channel.max_users if limit is None else min(channel.max_users, limit)


def is_full(change: Change, channel: Channel) -> bool:
    """Whether the channel and its breakout rooms have reached their capacity."""
    return occupancy.occupants(change, channel.client, channel.id) >= capacity(channel)


def admit(change: Change, channel: Channel, user: int) -> Presence:
    """Admit a user from the lobby. Refusals NOT_PRESENT, CHANNEL_FULL; ADMISSION_REFUSED by a fault."""
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
    details = {"limit": capacity(channel)}
    return MACHINE.fire(change, presence, "admit", full=is_full(change, channel), details=details)


def leave(change: Change, channel: Channel, user: int) -> None:
    """Remove the user from the lobby, the channel or a breakout room. Refusal NOT_PRESENT."""
    MACHINE.end(change, find(change, channel, user), "leave")


def route(change: Change, presence: Presence, *, place: str, room: str) -> Presence:
    """Move a user from the event room to the breakout room ``room`` with the channel ``place``."""
    return MACHINE.fire(change, presence, "route", place=place, room=room)


def is_muted(change: Change, channel: Channel, presence: Presence) -> bool:
    """Whether the attendee lock mutes the user (R346, G336)."""
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


_BELOW = Guard("fewer present than the limit allows", lambda presence, full: not full)

PRESENTER: Machine[Status, Presence] = Machine(
    "presenter",
    "The Presenter status of a user in a channel, granted and revoked by the host (R351).",
    PRESENCES,
    Status,
    (
        Row("grant", Status.VIEWER, Status.PRESENTER, only_if=_BELOW, source="P2 States L161, R351"),
        Row("grant", Status.PRESENTER, Status.PRESENTER, source="G537"),
        Row("revoke", (Status.PRESENTER, Status.VIEWER), Status.VIEWER, source="P2 States L161, R351"),
    ),
    state=Flag("presenter", Status.PRESENTER, Status.VIEWER),
    facts={"grant": "full"},
    refusals={None: Reason.PRESENTERS_FULL},
    initial=Status.VIEWER,
)


def set_presenter(change: Change, channel: Channel, user: int, presenter: bool) -> Presence:
    """Grant or revoke Presenter status. Refusals NOT_PRESENT, PRESENTERS_FULL; a limit lowered later revokes none."""
    presence = find(change, channel, user)
    if presence is None or presence.state is Where.WAITING:
        raise Refusal(Reason.NOT_PRESENT)
    if not presenter:
        return PRESENTER.fire(change, presence, "revoke")
    limit = channel.presenters_limit
    count = len(PRESENCES.where(change, PRESENTERS, channel.id, channel.client))
    reached = limit is not None and count >= limit
    return PRESENTER.fire(change, presence, "grant", full=reached, details={"limit": limit or 0})


# The population of a channel


def population(change: Change, channel: Channel) -> int:
    """The number of users connected to the channel, as G346 chooses: those in it, or also those in its breakout rooms,
    or also those in its lobby.
    """
    counted = ask(change, assumed.POPULATION_COUNTS)
    if counted == "with-rooms" and channel.parent is None:
        return occupancy.occupants(change, channel.client, channel.id)
    return count_inside(change, channel) + (len(waiting(change, channel)) if counted == "with-waiting" else 0)
