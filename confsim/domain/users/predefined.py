"""Predefined users: accounts that hold roles and details before any authentication is attached to them."""

from confsim.assumptions import Reason, ask
from confsim.assumptions.users import users as assumed
from confsim.domain import images
from confsim.domain.clients import clients
from confsim.domain.clients.clients import Client
from confsim.kernel import Change, Refusal

from . import emails, handles, users
from .users import BY_ORIGIN, USERS, Account, User


def create(
    change: Change,
    client: Client,
    name: str,
    *,
    email: str | None = None,
    description: str | None = None,
    image: str | None = None,
    origin_id: str | None = None,
) -> User:
    """A new predefined user (R058, R059, R178).

    Refusals ORIGIN_ID_TAKEN, EMAIL_MALFORMED; EMAIL_TAKEN where that is assumed (G225), HANDLE_TAKEN where the name
    must be free (G209), IMAGE_UNREACHABLE where the image is fetched (G243).
    """
    if origin_id is not None:
        known = USERS.one(change, BY_ORIGIN, origin_id, client.id)
        if known is not None:
            if ask(change, assumed.ORIGIN_TWICE) == "existing":
                return known
            raise Refusal(Reason.ORIGIN_ID_TAKEN, originId=origin_id)
    handle, full_name = _named(change, client, name)
    user = users.create(
        change,
        client.id,
        handle,
        Account.PREDEFINED,
        full_name=full_name,
        description=description or None,
        image=images.stored_url(change, client.id, image),
        origin_id=origin_id,
    )
    return emails.set_initial(change, user, email, ask(change, assumed.PREDEFINED_EMAIL)) if email else user


def get(change: Change, client: Client, origin_id: str) -> User:
    """The user of this origin id in the client (G214). Refusal PREDEFINED_USER_NOT_FOUND."""
    user = USERS.one(change, BY_ORIGIN, origin_id, client.id)
    if user is None or (user.account is not Account.PREDEFINED and ask(change, assumed.ORIGIN_LOOKUP) == "predefined"):
        raise Refusal(Reason.PREDEFINED_USER_NOT_FOUND, id=origin_id)
    return user


def _named(change: Change, client: Client, name: str) -> tuple[str, str | None]:
    """The handle and the full name, or None, from the single name (G209). Refusal HANDLE_TAKEN."""
    where = ask(change, assumed.PREDEFINED_NAME)
    if where == "both":
        return name, name
    if where == "full-name":
        return f"user-{change.count('made-up handle')}", name
    if clients.has_unique_handles(change, client) and not handles.is_free(change, client, name):
        raise Refusal(Reason.HANDLE_TAKEN, handle=name)
    return name, None
