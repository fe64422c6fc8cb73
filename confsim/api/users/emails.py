"""Addresses of users and their verification (P1 Endpoints, Users)."""

from typing import Annotated

from confsim.api.call import API, Call
from confsim.api.forms import Email
from confsim.api.paths import MeOrUser
from confsim.api.things import AddressCode
from confsim.contract import Source, Wire, gates
from confsim.domain.users import emails

named = API.family(line="P1 Users", source=Source.NAME_ONLY)


class NewAddress(Wire):
    """An address to be verified; without one, the user's address is cleared."""

    email: Annotated[Email | None, "The address to verify; without one the address is cleared."] = None


class UserAddress(Wire, kw_only=True):
    """The address of a user, and whether it is verified."""

    email: Annotated[str | None, "The address, if there is one."] = None
    verified: Annotated[bool, "Whether it is verified."]


@API.operation(
    "POST /users/{userId}/email",
    gate=gates.SELF_OR_ADMIN.assumed("G160 G251"),
    rules="R015 R157 R158 R159",
    gaps="G158 G220 G221 G222 G223 G224 G225",
    line="P1 Users",
)
def set_user_email(call: Call, user: MeOrUser, body: NewAddress) -> None:
    """Set the address of a user and mail a verification code to it.

    Of several addresses the first one verified is accepted, and the codes of the others are void. A verified address
    stays until a new one is verified.
    """
    emails.put(call.change, user, body.email)


@named("GET /users/{userId}/email", gate=gates.SELF_OR_ADMIN.assumed("G549"), gaps="G549")
def get_user_email(call: Call, user: MeOrUser) -> UserAddress:
    """Get the verified address of a user, or the one that was set last and is pending."""
    return UserAddress(email=emails.find_latest(user), verified=user.email is not None)


@named(
    "POST /users/{userId}/email/verify/{code}", gate=gates.SELF_OR_ADMIN.assumed("G222"), rules="R158 R159", gaps="G553"
)
def verify_user_email(call: Call, user: MeOrUser, code: AddressCode) -> None:
    """Verify the pending address that has this code."""
    emails.verify(call.change, user, code)
