"""Registration of users, and changes of handles, by reservation tokens."""

from typing import Any

from confsim.assumptions import Reason, ask
from confsim.assumptions.users import emails as assumed_emails, handles as assumed_handles, users as assumed_users
from confsim.domain import images
from confsim.domain.users import emails, handles, users
from confsim.domain.users.handles import Reservation
from confsim.domain.users.users import Account, User
from confsim.kernel import Change, Refusal

from .credentials import Caller


def register(
    change: Change,
    caller: Caller,
    reservation: Reservation,
    *,
    description: str | None,
    full_name: str | None,
    email: str | None,
    image: str | None,
) -> User:
    """Register a user with the reserved handle: the calling guest, or a new user for an administrator (G244).

    Refusals: NO_USER_CONTEXT, NOT_A_GUEST, HANDLE_TAKEN, EMAIL_MALFORMED, EMAIL_TAKEN where that
    is assumed (G225), IMAGE_UNREACHABLE where the image is fetched (G243).
    """
    client = caller.client
    guest = _registering_user(change, caller)
    handle = handles.use_reservation(change, client, reservation, user=guest)
    if guest is None:
        user = users.create(change, client.id, handle, Account.REGISTERED)
    else:
        user = users.register(change, guest, handle)
    details: dict[str, Any] = {
        "description": description or None,
        "full_name": full_name or None,
        "image": images.stored_url(change, client.id, image),
    }
    if image is not None:
        images.remove(change, client.id, user.image)
    given = {name: value for name, value in details.items() if value is not None}
    if given:
        user = users.update(change, user, **given)
    return emails.set_initial(change, user, email, ask(change, assumed_emails.EMAIL_AT_REGISTRATION))


def _registering_user(change: Change, caller: Caller) -> User | None:
    """The calling user when that one is registered, None when a new one is. Refusal NO_USER_CONTEXT."""
    whom = ask(change, assumed_users.REGISTERS)
    if whom == "caller" and caller.user is None:
        raise Refusal(Reason.NO_USER_CONTEXT)
    made = whom == "new" or (whom == "by-caller" and (caller.user is None or caller.customer_admin))
    return None if made else caller.user


def change_handle(change: Change, caller: Caller, user: User, reservation: Reservation) -> User:
    """Replace the caller's handle by the reserved one; the former one is free at once (R098, R100, G268).

    Refusal HANDLE_TAKEN.
    """
    handle = handles.use_reservation(change, caller.client, reservation, user=user)
    if user.account is Account.GUEST and ask(change, assumed_handles.GUEST_HANDLE_CHANGE) == "registers":
        return users.register(change, user, handle)
    return users.update(change, user, handle=handle)
