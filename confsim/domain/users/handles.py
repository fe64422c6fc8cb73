"""Handles: availability, and reservation for fifteen minutes."""

from collections.abc import Iterable, Iterator
from enum import Enum

from confsim.assumptions import Reason, ask, not_found
from confsim.assumptions.users import handles as assumed
from confsim.domain.clients import clients
from confsim.domain.clients.clients import CLIENTS, Client
from confsim.kernel import Change, Collection, Index, Record, Refusal, SecretForm, Table, Toggle

from . import users
from .users import BY_HANDLE, USERS, User, folded

#: P1 Limits L332: a reservation lasts 15 minutes.
RESERVATION = 15 * 60_000


class Reservation(Record):
    """A handle reserved for the bearer of ``token`` until ``expires`` (epoch milliseconds).

    ``by`` is the user id or API token id of the caller who made it.
    """

    token: str
    client: str
    folded: str
    handle: str
    by: str
    expires: int


BY_FOLDED: Index[Reservation] = Index("handle", "folded")
BY_MAKER: Index[Reservation] = Index("maker", "by")
RESERVATIONS: Table[str, Reservation] = Table(
    "reservations", Reservation, "token", BY_FOLDED, BY_MAKER, secrets={"token": SecretForm.TEXT}
)


RESERVED: Collection[Reservation] = Collection(
    "handle reservation",
    "A handle of a client, held by the reservation of a caller (R094-R099, R174).",
    RESERVATIONS,
    refused=Reason.RESERVATION_NOT_FOUND,
)
_END = RESERVED.deadline("handle reservation", lambda reservation: reservation.expires)
_RESERVE = RESERVED.added("reserve", source="P1 States L172, R094, G259")
_REPLACE = RESERVED.removed("replace", source="G261")
RELEASE = RESERVED.removed("release", source="R174, G557")
_USE = RESERVED.removed("use", source="P1 States L173-174, R096, R098")
RESERVED.removed("expire", at=_END, source="P1 Limits L332, R095")


def _draft(change: Change, client: Client, handle: str, by: str) -> Reservation:
    """A reservation with a new token for fifteen minutes."""
    return Reservation(change.token(), client.id, folded(handle), handle, by, change.now + RESERVATION)


class Uniqueness(Enum):
    """Whether a client requires unique handles (P1 Client list item)."""

    REQUIRED = "required"
    OFF = "off"


#: Existing duplicate handles are unchanged (G557).
UNIQUENESS: Toggle[Uniqueness, Client] = Toggle(
    "handle uniqueness",
    "Whether a client requires unique handles (R162, R171).",
    CLIENTS,
    "unique_handles",
    Uniqueness,
    refused=Reason.INVALID_STATE,
    sources=("P1 L147, L247, G557, G537", "P1 L231, L247, G557, G537"),
    initial=Uniqueness.REQUIRED,
)


def _same(change: Change, one: str, other: str) -> bool:
    """Whether two handles that are equal when folded count as equal (G254)."""
    return ask(change, assumed.HANDLE_EQUALITY) == "caseless" or one == other


def find_holder(change: Change, client: Client, handle: str, but: User | None = None) -> User | None:
    """The first user except ``but`` who occupies the handle, or None."""
    return next((user for user in holders(change, client, handle) if but is None or user.id != but.id), None)


def holders(change: Change, client: Client, handle: str) -> Iterator[User]:
    """The users who occupy the handle, by default only registered ones (G257, G256), in order of creation."""
    key = folded(handle)
    where = [client]
    if ask(change, assumed.HANDLE_SCOPE) == "everywhere":
        where += [each for each in CLIENTS.of(change).all if each.id != client.id]
    for each in where:
        rows = USERS.of(change, each.id)
        if ask(change, assumed.HANDLE_OCCUPIERS) == "everybody":
            found: Iterable[User] = [user for user in rows.all if folded(user.handle) == key]
        else:
            found = rows.where(BY_HANDLE, key)
        yield from (user for user in found if _same(change, user.handle, handle))


def list_reservations(change: Change, client: Client, handle: str) -> list[Reservation]:
    """The reservations of the handle."""
    reservations = RESERVATIONS.where(change, BY_FOLDED, folded(handle), client.id)
    return [reservation for reservation in reservations if _same(change, reservation.handle, handle)]


def list_later(change: Change, client: Client) -> list[Reservation]:
    """The reservations of handles that an earlier reservation holds as well."""
    return [
        reservation
        for reservation in RESERVATIONS.of(change, client.id).all
        if len(RESERVATIONS.where(change, BY_FOLDED, reservation.folded, client.id)) > 1
        and list_reservations(change, client, reservation.handle)[0].token != reservation.token
    ]


def is_free(change: Change, client: Client, handle: str, *, by: str = "") -> bool:
    """Whether no registered user has the handle and no reservation visible to ``by`` holds it (R170, G260)."""
    if find_holder(change, client, handle) is not None:
        return False
    seen = ask(change, assumed.HANDLE_CHECK_RESERVED)
    if seen == "everybody":
        return True
    return not [
        reservation
        for reservation in list_reservations(change, client, handle)
        if seen == "nobody" or reservation.by != by
    ]


def reserve(change: Change, client: Client, handle: str, *, by: str, user: User | None = None) -> Reservation:
    """Reserve the handle for fifteen minutes (R094); an earlier reservation by the same caller is replaced.

    ``by`` names the caller and ``user`` is the calling user. Refusal HANDLE_TAKEN when another registered user has the
    handle or another caller holds it, unless the client does not require unique handles (G259).
    """
    reservations = list_reservations(change, client, handle)
    own = next((each for each in reservations if each.by == by), None)
    available = True
    if clients.has_unique_handles(change, client) or ask(change, assumed.RESERVATION_CHECKED) == "always":
        others = len(reservations) > (own is not None)
        available = not others and find_holder(change, client, handle, user) is None
    if own is not None and ask(change, assumed.RESERVATION_REPEATED) == "refused":
        available = False
    if ask(change, assumed.RESERVATIONS_HELD) == "one":
        for former in RESERVATIONS.where(change, BY_MAKER, by, client.id):
            if former is not own:
                _REPLACE(change, former)
    if not available:
        raise Refusal(Reason.HANDLE_TAKEN, handle=handle)
    reservation = _RESERVE(change, _draft(change, client, handle, by))
    if own is not None:
        _REPLACE(change, own)
    return reservation


def get_reservation(change: Change, client: Client, token: str, *, by: str) -> Reservation:
    """The reservation of this token, for the caller ``by``.

    Refusal RESERVATION_NOT_FOUND when it is unknown, used or expired (G262-G264).
    """
    reservation = RESERVATIONS.get(change, token, client.id)
    if reservation is not None and reservation.by != by and ask(change, assumed.RESERVATION_BEARER) == "maker":
        reservation = None
    if reservation is None:
        raise Refusal(Reason.RESERVATION_NOT_FOUND)
    return reservation


def use_reservation(change: Change, client: Client, reservation: Reservation, *, user: User | None = None) -> str:
    """Use up a reservation; returns its handle, for ``user`` or a new user.

    Refusal HANDLE_TAKEN when another user has the handle by now.
    """
    available = (
        not clients.has_unique_handles(change, client) or find_holder(change, client, reservation.handle, user) is None
    )
    if user is not None:
        _hold_former(change, client, user)
    if not available:
        raise Refusal(Reason.HANDLE_TAKEN, handle=reservation.handle)
    _USE(change, reservation)
    return reservation.handle


def _hold_former(change: Change, client: Client, user: User) -> None:
    """Reserve the handle that a registered user gives up, for nobody, where it is not free at once (G268)."""
    if ask(change, assumed.HANDLE_FREED) == "later" and not users.unregistered(user):
        _RESERVE(change, _draft(change, client, user.handle, ""))


def require_usable(
    change: Change, client: Client, handle: str, user: User | None = None, *, channel: str | None = None
) -> None:
    """Raise Refusal HANDLE_TAKEN for a handle that an unregistered user, existing or new, may not have (G232).

    ``channel`` is the id of the one that a new user is made for.
    """
    if not clients.has_unique_handles(change, client):
        return
    how = ask(change, assumed.UNREGISTERED_HANDLES)
    if how == "unique" and find_holder(change, client, handle, user) is not None:
        raise Refusal(Reason.HANDLE_TAKEN, handle=handle)
    of = channel if user is None else user.channel
    if how == "unique-in-channel" and of is not None:
        key = folded(handle)
        for each in USERS.of(change, client.id).all:
            same = each.channel == of and folded(each.handle) == key and _same(change, each.handle, handle)
            if same and (user is None or each.id != user.id):
                raise Refusal(Reason.HANDLE_TAKEN, handle=handle)


def rename(change: Change, client: Client, user: User, handle: str) -> User:
    """Set the handle where that is allowed: unregistered users, or any where uniqueness is off (R160-R163, G252).

    A registered user's handle is unchanged while the client requires unique handles. Refusal HANDLE_TAKEN when
    unregistered users must have unique handles too (G232).
    """
    if users.unregistered(user):
        require_usable(change, client, handle, user)
        return users.update(change, user, handle=handle)
    if not clients.has_unique_handles(change, client) and ask(change, assumed.REGISTERED_RENAME) == "changes":
        _hold_former(change, client, user)
        return users.update(change, user, handle=handle)
    return user


def rename_in_channel(change: Change, client: Client, user: User, channels: tuple[str, ...], handle: str) -> User:
    """Rename an unregistered user on behalf of a host of the channel that the user was made for (R194-R197).

    ``channels`` are the ids of the channel and of the one that it is a room of. Refusals: NOT_UNREGISTERED (G267);
    NOT_FOUND for a user of another channel, or of none (G266); HANDLE_TAKEN as ``rename``.
    """
    if not users.unregistered(user):
        if ask(change, assumed.RENAME_REGISTERED) == "ignored":
            return user
        raise Refusal(Reason.NOT_UNREGISTERED, id=user.id)
    if user.channel not in channels and ask(change, assumed.CHANNEL_RENAME) != "any":
        not_found("user", user.id)
    return rename(change, client, user, handle)
