"""The entrance of a channel: one table of those who come in and of the conditions that are checked for each of them.

Every way in reads it: joining, by a websocket too, admission from the lobby, a door that opens, calls in both
directions, going to a breakout room, being routed to one, and returning from it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from typing import Any, TypeAlias

from msgspec import Struct

from confsim.assumptions import (
    Assumption,
    Reason,
    ask,
    breakout as assumed_breakout,
    members as assumed_members,
    note_shown,
    telephony as assumed_telephony,
)
from confsim.domain import terms
from confsim.domain.channels.channels import Channel
from confsim.domain.clients import clients
from confsim.domain.clients.clients import Client
from confsim.domain.identity import credentials
from confsim.domain.members import channel_access, roles
from confsim.domain.users.users import Account, User
from confsim.kernel import Change, Refusal

from . import occupancy


class Entrant(Enum):
    """Who comes in: by the kind of user, or by phone; and by what a user comes who does not join by a control call."""

    REGISTERED = "registered"
    GUEST = "guest"
    LINKED = "linked"
    PHONE = "phone"
    WEBSOCKET = "websocket"
    ROUTED = "routed"
    RETURNING = "returning"


class Condition(Enum):
    """What a channel demands of those who come in. The first that does not hold gives the refusal; whoever is stopped
    by the lobby is not refused, but waits.
    """

    ASSIGNMENT = "breakout assignment"
    TERMS = "terms"
    SERVICE = "service"
    DIAL_IN = "dial-in"
    PRIVACY = "privacy"
    GUEST_ACCESS = "guest access"
    ROOM = "room"
    LOBBY = "lobby"


#: What is checked of those who are let in from the lobby; and of those who come, who may have to wait, or be inside.
WHEN_LET_IN = tuple(condition for condition in Condition if condition is not Condition.LOBBY)
WHEN_COMING = tuple(condition for condition in WHEN_LET_IN if condition is not Condition.ROOM)


class Entry(Struct, frozen=True):
    """A user on the way into a channel; for a breakout room into its event room.

    ``assigned`` is whether the user may be in the breakout room that is entered; true for an event room.
    """

    client: Client
    channel: Channel
    user: User
    entrants: tuple[Entrant, ...]
    assigned: bool = True


#: Whether a condition is checked: always, never, or where the profile gives an entry this value.
Checked: TypeAlias = bool | tuple[Assumption[Any], object]


class Cell(Struct, frozen=True):
    """Whether a condition is checked for an entrant, and where that is said: in the documents, or by an entry."""

    checked: Checked
    source: str

    def holds(self, change: Change) -> bool:
        """Whether the condition is checked under the profile in force."""
        return self.checked if isinstance(self.checked, bool) else ask(change, self.checked[0]) == self.checked[1]


_REGISTERED, _GUEST, _LINKED, _PHONE, _WEBSOCKET, _ROUTED, _RETURNING = Entrant
_USERS = (_REGISTERED, _GUEST, _LINKED, _WEBSOCKET)
_INSIDE = (_ROUTED, _RETURNING)
_ENTERING, _PHONES = assumed_breakout.ENTERING, assumed_breakout.PHONES
_AS_GUESTS, _CALLEES = assumed_telephony.AS_GUESTS, assumed_telephony.CALLEES_TERMS
_LINKED_GUESTS = assumed_members.LINKED_AS_GUESTS
_TABLE: tuple[tuple[Condition, tuple[Entrant, ...], Checked, str], ...] = (
    (Condition.ASSIGNMENT, _USERS, (_ENTERING, "assigned"), "P2 States L166, R313, G437"),
    (Condition.ASSIGNMENT, (_PHONE,), (_PHONES, "assigned"), "G437, G466"),
    (Condition.ASSIGNMENT, (_ROUTED,), True, "P2 States L166, R355"),
    (Condition.ASSIGNMENT, (_RETURNING,), False, "P2 States L166-167, R356, R357"),
    (Condition.TERMS, _USERS, True, "P1 States L176, R105, R240, R077"),
    (Condition.TERMS, (_PHONE,), (_CALLEES, True), "G176"),
    (Condition.TERMS, _INSIDE, False, "G177"),
    (Condition.SERVICE, (*_USERS, _PHONE), True, "P1 States L178, R111, G163"),
    (Condition.SERVICE, _INSIDE, False, "G163"),
    (Condition.DIAL_IN, (_PHONE,), True, "P2 L294, G467"),
    (Condition.DIAL_IN, (*_USERS, *_INSIDE), False, "G467, G355"),
    (Condition.PRIVACY, (*_USERS, _PHONE), True, "G310, G228"),
    (Condition.PRIVACY, _INSIDE, False, "G310"),
    (Condition.GUEST_ACCESS, (_GUEST, _WEBSOCKET), True, "R274, G227"),
    (Condition.GUEST_ACCESS, (_LINKED,), (_LINKED_GUESTS, True), "G227, G443"),
    (Condition.GUEST_ACCESS, (_PHONE,), (_AS_GUESTS, True), "G227, G466"),
    (Condition.GUEST_ACCESS, (_REGISTERED, *_INSIDE), False, "R274, G227"),
    (Condition.ROOM, (*_USERS, _PHONE), True, "P2 L29, L116, G317"),
    (Condition.ROOM, _INSIDE, False, "G317"),
    (Condition.LOBBY, (*_USERS, _PHONE), True, "P2 States L157, R340, G330"),
    (Condition.LOBBY, _INSIDE, False, "G331"),
)
ENTRANCE: Mapping[tuple[Condition, Entrant], Cell] = {
    (condition, entrant): Cell(checked, source)
    for condition, entrants, checked, source in _TABLE
    for entrant in entrants
}
_ACCOUNTS = {Account.GUEST: _GUEST, Account.LINKED: _LINKED, Account.DIALLED: _PHONE}


def entry(client: Client, channel: Channel, user: User, *, by: Entrant | None = None, assigned: bool = True) -> Entry:
    """The entry of a user who joins, or who comes ``by`` phone, a websocket, a route or a return."""
    entrant = _PHONE if by is _PHONE else _ACCOUNTS.get(user.account, _REGISTERED)
    entrants = (entrant,) if by is None or by is entrant else (by, entrant)
    return Entry(client, channel, user, entrants, assigned)


def is_checked(change: Change, condition: Condition, entry: Entry) -> bool:
    """Whether the condition is checked: for each kind of entrant that the one who comes is."""
    return all(ENTRANCE[condition, entrant].holds(change) for entrant in entry.entrants)


def refusal(change: Change, entry: Entry, conditions: Iterable[Condition] = WHEN_LET_IN) -> Refusal | None:
    """The refusal by the first of these conditions that does not hold and is checked; None for those who may enter.

    Refusals NO_ROOM_ASSIGNED (G437), TERMS_NOT_ACCEPTED (R105), SERVICE_DISABLED (G163), DIAL_IN_OFF (G467),
    GUEST_ELSEWHERE (G228), CHANNEL_PRIVATE (G310), GUEST_ACCESS_OFF (G227), CHANNEL_FULL (G317).
    """
    for condition in conditions:
        if all(ENTRANCE[condition, entrant].checked for entrant in entry.entrants):
            found = _REFUSALS[condition](change, entry)
            if found is not None and is_checked(change, condition, entry):
                return found
    return None


def require(change: Change, entry: Entry, conditions: Iterable[Condition] = WHEN_LET_IN) -> None:
    """Raise the refusal of ``refusal``, if there is one."""
    found = refusal(change, entry, conditions)
    if found is not None:
        raise found


def _assignment(change: Change, entry: Entry) -> Refusal | None:
    return None if entry.assigned else Refusal(Reason.NO_ROOM_ASSIGNED)


def _terms(change: Change, entry: Entry) -> Refusal | None:
    return terms.not_accepted(change, entry.client) if terms.is_blocked(change, entry.client, entry.user) else None


def _service(change: Change, entry: Entry) -> Refusal | None:
    return None if clients.is_served(change, entry.client) else Refusal(Reason.SERVICE_DISABLED, client=entry.client.id)


def _dial_in(change: Change, entry: Entry) -> Refusal | None:
    if not entry.user.inbound:
        return None
    note_shown(change, entry.channel, "dial_in")
    return None if entry.channel.dial_in else Refusal(Reason.DIAL_IN_OFF)


def _privacy(change: Change, entry: Entry) -> Refusal | None:
    user, channel = entry.user, entry.channel
    if user.channel is not None and not channel_access.is_home_channel(change, user, channel):
        return Refusal(Reason.GUEST_ELSEWHERE)
    if channel_access.has_access(change, credentials.caller(change, entry.client, user), channel):
        return None
    return Refusal(Reason.CHANNEL_PRIVATE)


def _guest_access(change: Change, entry: Entry) -> Refusal | None:
    guest = entry.user.account in _ACCOUNTS and (entry.user.inbound or entry.user.account is not Account.DIALLED)
    if guest:
        note_shown(change, entry.channel, "guest_access")
    if not guest or entry.channel.guest_access or roles.is_operator(change, entry.channel, entry.user):
        return None
    return Refusal(Reason.GUEST_ACCESS_OFF)


def _room(change: Change, entry: Entry) -> Refusal | None:
    note_shown(change, entry.channel, "max_users")
    limit = capacity(entry.channel)
    if occupancy.occupants(change, entry.channel.client, entry.channel.id) < limit:
        return None
    return Refusal(Reason.CHANNEL_FULL, limit=limit)


_REFUSALS: Mapping[Condition, Callable[[Change, Entry], Refusal | None]] = {
    Condition.ASSIGNMENT: _assignment,
    Condition.TERMS: _terms,
    Condition.SERVICE: _service,
    Condition.DIAL_IN: _dial_in,
    Condition.PRIVACY: _privacy,
    Condition.GUEST_ACCESS: _guest_access,
    Condition.ROOM: _room,
}


def capacity(channel: Channel) -> int:
    """The most users in the channel: maxUsers is the limit of the platform, populationLimit the host's (G317)."""
    limit = channel.population_limit
    return channel.max_users if limit is None else min(channel.max_users, limit)
