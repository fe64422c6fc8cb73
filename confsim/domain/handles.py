"""Handles: which are free, and their reservation for fifteen minutes."""

from __future__ import annotations

from enum import Enum

from confsim.assumptions import accounts
from confsim.assumptions.refusals import Reason
from confsim.assumptions.register import ask
from confsim.kernel.machine import Facts, Guard, Machine, Row
from confsim.kernel.refusal import Refusal
from confsim.kernel.table import Index, Record, Table
from confsim.kernel.timers import falls_due
from confsim.kernel.world import Change

from . import users
from .clients import Client
from .users import BY_HANDLE, USERS, User, folded

#: P1 Limits L332: a reservation lasts 15 minutes.
RESERVATION = 15 * 60_000


class Holding(Enum):
    """Whether a handle is held by a reservation."""

    FREE = "free"
    RESERVED = "reserved"


class Reservation(Record):
    """A handle held for whoever has the token. ``by`` is the user id or API token id of the maker."""

    folded: str
    handle: str
    token: str
    by: str
    until: int


BY_TOKEN: Index[Reservation] = Index("token", lambda reservation: (reservation.token,))
RESERVATIONS: Table[str, Reservation] = Table("reservations", Reservation, "folded", BY_TOKEN)


class Slot(Record):
    """One handle of one client, reserved or not: what the machine moves."""

    client: str
    folded: str
    reservation: Reservation | None


def _hold(change: Change, slot: Slot, facts: Facts) -> Slot:
    """A new token; an earlier one of the same maker is dead."""
    reservation = Reservation(
        slot.folded, facts["handle"], change.token(), facts["by"], change.now + RESERVATION
    )
    RESERVATIONS.of(change, slot.client).put(reservation)
    change.schedule("handle reservation", reservation.until, slot.client, slot.folded)
    return Slot(slot.client, slot.folded, reservation)


def _release(change: Change, slot: Slot, facts: Facts) -> Slot:
    """The handle is no longer held and the token is dead."""
    RESERVATIONS.of(change, slot.client).remove(slot.folded)
    change.cancel("handle reservation", slot.client, slot.folded)
    return Slot(slot.client, slot.folded, None)


_OWN = Guard(
    "by the one who holds it", lambda slot, facts: slot.reservation is not None and slot.reservation.by == facts["by"]
)

MACHINE: Machine[Holding, Slot] = Machine(
    "handle reservation",
    "A handle of a client, held by a reservation or not (R094-R099, R174).",
    Holding,
    (
        Row("reserve", Holding.FREE, Holding.RESERVED, effect=_hold, source="P1 States L172, R094, R095"),
        Row("reserve", Holding.RESERVED, Holding.RESERVED, only_if=_OWN, effect=_hold, source="G261"),
        Row("use", Holding.RESERVED, Holding.FREE, effect=_release, source="P1 States L173-174, R096, R098"),
        Row("expire", Holding.RESERVED, Holding.FREE, effect=_release, source="P1 Limits L332, R095"),
    ),
    read=lambda slot, facts: Holding.FREE if slot.reservation is None else Holding.RESERVED,
    refusals={"reserve": Reason.HANDLE_TAKEN, None: Reason.RESERVATION_NOT_FOUND},
    initial=Holding.FREE,
)


def _slot(change: Change, client: Client, handle: str) -> Slot:
    key = folded(handle)
    return Slot(client.id, key, RESERVATIONS.of(change, client.id).get(key))


def free(change: Change, client: Client, handle: str) -> bool:
    """Whether no registered user has the handle and no reservation holds it (R170, R174, G260)."""
    key = folded(handle)
    return (
        USERS.of(change, client.id).first(BY_HANDLE, key) is None and key not in RESERVATIONS.of(change, client.id)
    )


def reserve(change: Change, client: Client, handle: str, *, by: str, user: User | None = None) -> Reservation:
    """Hold the handle for fifteen minutes and answer the reservation with its token.

    Refusal HANDLE_TAKEN when another registered user has it or another caller holds it, unless the client does not
    require unique handles (G259).
    """
    slot = _slot(change, client, handle)
    if client.unique_handles:
        holder = USERS.of(change, client.id).first(BY_HANDLE, slot.folded)
        if holder is not None and (user is None or holder.id != user.id):
            raise Refusal(Reason.HANDLE_TAKEN, handle=handle)
    elif slot.reservation is not None:
        by = slot.reservation.by
    held = MACHINE.fire(change, slot, "reserve", handle=handle, by=by).reservation
    assert held is not None
    return held


def take(change: Change, client: Client, token: str) -> str:
    """Use the reservation of this token up and answer its handle. Refusal RESERVATION_NOT_FOUND (G262-G264)."""
    reservation = RESERVATIONS.of(change, client.id).first(BY_TOKEN, token)
    if reservation is None:
        raise Refusal(Reason.RESERVATION_NOT_FOUND)
    MACHINE.fire(change, Slot(client.id, reservation.folded, reservation), "use")
    return reservation.handle


@falls_due("handle reservation")
def _expire(change: Change, client: str, key: str) -> bool:
    slot = Slot(client, key, RESERVATIONS.of(change, client).get(key))
    MACHINE.fire(change, slot, "expire")
    return True


def rename(change: Change, client: Client, user: User, handle: str) -> User:
    """Set the handle where that is allowed: unregistered users, or any where uniqueness is off (R160-R163, G252).

    A registered user's handle stays as it is while the client requires unique handles.
    """
    if users.unregistered(user):
        return users.update(change, user, handle=handle)
    if not client.unique_handles and ask(change, accounts.REGISTERED_RENAME) == "changes":
        return users.update(change, user, handle=handle)
    return user
