"""Handles: which are free, and their reservation for fifteen minutes."""

from __future__ import annotations

from enum import Enum

from confsim.assumptions import users as assumed
from confsim.assumptions.refusals import Reason
from confsim.assumptions.register import ask
from confsim.domain import repeats
from confsim.domain.clients import clients
from confsim.domain.clients.clients import Client
from confsim.kernel.old_machine import Facts, Guard, Machine, Row
from confsim.kernel.refusal import Refusal
from confsim.kernel.table import Index, Record, Table
from confsim.kernel.timers import on_timer
from confsim.kernel.world import Change

from . import users
from .users import BY_HANDLE, USERS, User, folded

#: P1 Limits L332: a reservation lasts 15 minutes.
RESERVATION = 15 * 60_000


class Holding(Enum):
    """Whether a caller holds a handle by a reservation."""

    FREE = "free"
    RESERVED = "reserved"


class Reservation(Record):
    """A handle held for whoever has the token. ``by`` is the user id or API token id of the maker."""

    token: str
    folded: str
    handle: str
    by: str
    until: int


BY_FOLDED: Index[Reservation] = Index("handle", lambda reservation: (reservation.folded,))
RESERVATIONS: Table[str, Reservation] = Table("reservations", Reservation, "token", BY_FOLDED)


class Slot(Record):
    """A handle of a client as one caller meets it: what the machine moves.

    ``open`` tells whether nobody else stands in the way; ``reservation`` is the caller's own.
    """

    client: str
    by: str
    open: bool
    reservation: Reservation | None


def _hold(change: Change, slot: Slot, facts: Facts) -> Slot:
    """A new token for fifteen minutes; an earlier one of the same caller for the same handle is dead."""
    if slot.reservation is not None:
        _release(change, slot, facts)
    handle, until = facts["handle"], change.now + RESERVATION
    reservation = Reservation(change.token(), folded(handle), handle, slot.by, until)
    RESERVATIONS.of(change, slot.client).put(reservation)
    change.schedule("handle reservation", until, slot.client, reservation.token)
    return Slot(slot.client, slot.by, slot.open, reservation)


def _release(change: Change, slot: Slot, facts: Facts) -> Slot:
    """The handle is no longer held and the token is dead."""
    assert slot.reservation is not None
    RESERVATIONS.of(change, slot.client).remove(slot.reservation.token)
    change.cancel("handle reservation", slot.client, slot.reservation.token)
    return Slot(slot.client, slot.by, slot.open, None)


_OPEN = Guard("nobody else has or holds it, where that counts", lambda slot, facts: slot.open)

MACHINE: Machine[Holding, Slot] = Machine(
    "handle reservation",
    "A handle of a client, held by a caller's reservation or not (R094-R099, R174).",
    Holding,
    (
        Row(
            "reserve", Holding.FREE, Holding.RESERVED, only_if=_OPEN, effect=_hold, source="P1 States L172, R094, G259"
        ),
        Row("reserve", Holding.RESERVED, Holding.RESERVED, only_if=_OPEN, effect=_hold, source="G261"),
        Row(
            "use",
            Holding.RESERVED,
            Holding.FREE,
            only_if=_OPEN,
            effect=_release,
            source="P1 States L173-174, R096, R098",
        ),
        Row("expire", Holding.RESERVED, Holding.FREE, effect=_release, source="P1 Limits L332, R095"),
    ),
    read=lambda slot, facts: Holding.FREE if slot.reservation is None else Holding.RESERVED,
    refusals={
        "reserve": Reason.HANDLE_TAKEN,
        ("use", Holding.RESERVED): Reason.HANDLE_TAKEN,
        None: Reason.RESERVATION_NOT_FOUND,
    },
    initial=Holding.FREE,
)


class Uniqueness(Enum):
    """Whether a client requires unique handles (P1 Client list item)."""

    REQUIRED = "required"
    OFF = "off"


def _require(change: Change, client: Client, facts: Facts) -> Client:
    """Handles that are in use twice already stay so (G557)."""
    return clients.update(change, client, unique_handles=facts["required"])


_BOTH = (Uniqueness.REQUIRED, Uniqueness.OFF)
UNIQUENESS: Machine[Uniqueness, Client] = Machine(
    "handle uniqueness",
    "Whether a client requires unique handles (R162, R171).",
    Uniqueness,
    (
        Row("enable", _BOTH, Uniqueness.REQUIRED, effect=_require, source="P1 L147, L247, G557, G537"),
        Row("disable", _BOTH, Uniqueness.OFF, effect=_require, source="P1 L231, L247, G557, G537"),
    ),
    read=lambda client, facts: Uniqueness.REQUIRED if client.unique_handles else Uniqueness.OFF,
    refusals={None: Reason.INVALID_STATE},
    initial=Uniqueness.REQUIRED,
)


def _same(change: Change, one: str, other: str) -> bool:
    """Whether two handles that are equal when folded count as equal (G254)."""
    return ask(change, assumed.HANDLE_EQUALITY) == "caseless" or one == other


def holder(change: Change, client: Client, handle: str, but: User | None = None) -> User | None:
    """The user, other than ``but``, by whom the handle is taken: registered users alone take theirs (G257, G256)."""
    key = folded(handle)
    rows = USERS.of(change, client.id)
    if ask(change, assumed.HANDLE_OCCUPIERS) == "everybody":
        found = [user for user in rows.oldest() if folded(user.handle) == key]
    else:
        found = rows.find(BY_HANDLE, key)
    for user in found:
        if (but is None or user.id != but.id) and _same(change, user.handle, handle):
            return user
    return None


def held(change: Change, client: Client, handle: str) -> list[Reservation]:
    """The reservations of the handle."""
    found = RESERVATIONS.of(change, client.id).find(BY_FOLDED, folded(handle))
    return [reservation for reservation in found if _same(change, reservation.handle, handle)]


def free(change: Change, client: Client, handle: str, *, by: str = "") -> bool:
    """Whether no registered user has the handle and, as the caller sees it, no reservation holds it (R170, G260)."""
    if holder(change, client, handle) is not None:
        return False
    seen = ask(change, assumed.HANDLE_CHECK_RESERVED)
    if seen == "everybody":
        return True
    return not [each for each in held(change, client, handle) if seen == "nobody" or each.by != by]


def reserve(change: Change, client: Client, handle: str, *, by: str, user: User | None = None) -> Reservation:
    """Hold the handle for fifteen minutes and answer the reservation with its token (R094).

    ``by`` names the caller and ``user`` is the calling user. Refusal HANDLE_TAKEN when another registered user has the
    handle or another caller holds it, unless the client does not require unique handles (G259).
    """
    reservations = held(change, client, handle)
    own = next((each for each in reservations if each.by == by), None)
    opened = True
    if client.unique_handles or ask(change, assumed.RESERVATION_CHECKED) == "always":
        others = len(reservations) > (own is not None)
        opened = not others and holder(change, client, handle, user) is None
    if own is not None and ask(change, assumed.RESERVATION_REPEATED) == "refused":
        opened = False
    if ask(change, assumed.RESERVATIONS_HELD) == "one":
        for former in RESERVATIONS.of(change, client.id).oldest():
            if former.by == by and former is not own:
                _release(change, Slot(client.id, by, True, former), {})
    made = MACHINE.fire(change, Slot(client.id, by, opened, own), "reserve", handle=handle).reservation
    assert made is not None
    return made


def take(change: Change, client: Client, token: str, *, by: str, user: User | None = None) -> str:
    """Use the reservation of this token up and answer its handle, which ``user`` is to bear, or a new user.

    Refusals: RESERVATION_NOT_FOUND when it is unknown, used or expired (G262-G264); HANDLE_TAKEN when somebody else has
    come to the handle without a reservation.
    """
    reservation = RESERVATIONS.of(change, client.id).get(token)
    if reservation is not None and reservation.by != by and ask(change, assumed.RESERVATION_BEARER) == "maker":
        reservation = None
    if reservation is None:
        raise Refusal(MACHINE.reason(Holding.FREE, "use"))
    opened = not client.unique_handles or holder(change, client, reservation.handle, user) is None
    MACHINE.fire(change, Slot(client.id, by, opened, reservation), "use", handle=reservation.handle)
    return reservation.handle


@on_timer("handle reservation")
def _expire(change: Change, client: str, token: str) -> bool:
    reservation = RESERVATIONS.of(change, client)[token]
    MACHINE.fire(change, Slot(client, reservation.by, True, reservation), "expire")
    return True


def require_bearable(change: Change, client: Client, handle: str, user: User | None = None) -> None:
    """Refusal HANDLE_TAKEN for a handle that an unregistered user, there or to come, may not bear (G232)."""
    checked = client.unique_handles and ask(change, assumed.UNREGISTERED_HANDLES) == "unique"
    if checked and holder(change, client, handle, user) is not None:
        raise Refusal(Reason.HANDLE_TAKEN, handle=handle)


def rename(change: Change, client: Client, user: User, handle: str) -> User:
    """Set the handle where that is allowed: unregistered users, or any where uniqueness is off (R160-R163, G252).

    A registered user's handle stays as it is while the client requires unique handles. Refusal HANDLE_TAKEN where
    unregistered users are held to uniqueness too (G232).
    """
    if users.unregistered(user):
        require_bearable(change, client, handle, user)
        return users.update(change, user, handle=handle)
    if not client.unique_handles and ask(change, assumed.REGISTERED_RENAME) == "changes":
        return users.update(change, user, handle=handle)
    return user


def rename_in_channel(
    change: Change, client: Client, user: User, channels: tuple[str | None, ...], handle: str
) -> User:
    """A host of one of the channels renames an unregistered user who was made for it (R194-R197).

    Refusals: NOT_UNREGISTERED (G267); NOT_FOUND for a user of another channel (G266); HANDLE_TAKEN as ``rename``.
    """
    if not users.unregistered(user):
        if ask(change, assumed.RENAME_REGISTERED) == "ignored":
            return user
        raise Refusal(Reason.NOT_UNREGISTERED, id=user.id)
    if user.channel not in channels and ask(change, assumed.CHANNEL_RENAME) != "any":
        raise Refusal(Reason.NOT_FOUND, what="user", id=user.id)
    return rename(change, client, user, handle)


def require(change: Change, client: Client, required: bool) -> Client:
    """Require unique handles in the client, or no longer; whoever has a handle keeps it.

    Refusal STATE_HOLDS where repeating a state is refused (G537).
    """
    repeats.allow(change, "required" if required else "off", holds=client.unique_handles is required)
    return UNIQUENESS.fire(change, client, "enable" if required else "disable", required=required)
