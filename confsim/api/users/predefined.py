"""Predefined users and their ids in a third-party identity system (P1 Users)."""

from typing import Annotated

from confsim.api.call import API, Call
from confsim.api.forms import Email
from confsim.api.paths import MeOrUser
from confsim.api.things import UserByOrigin
from confsim.api.views import NumberId
from confsim.contract import ExactName, FreeText, Name, Source, Url, Wire, gates
from confsim.domain.users import predefined

operation = API.family(line="P1 Users")


class PredefinedUser(Wire):
    """A user to come; ``originId`` is the user's id in the third-party identity system."""

    name: Annotated[Name, "The name of the user."]
    email: Annotated[Email | None, "The address of the user."] = None
    description: Annotated[FreeText | None, "The description of the user."] = None
    imageUrl: Annotated[Url | None, "The URL of the image of the user."] = None
    originId: Annotated[ExactName | None, "The id of the user in a third-party identity system."] = None


class OriginId(Wire):
    """The id of a user in the third-party identity system, left out when the user has none."""

    originId: Annotated[str | None, "The id of the user in a third-party identity system."] = None


@operation(
    "POST /users/predefined",
    gate=gates.ADMIN.assumed("G242"),
    rules="R008 R012 R032 R044 R058 R059 R061 R111 R178 R179 R245",
    gaps="G209 G212 G213 G243",
    for_client=True,
    identifies={"id": "users"},
)
def create_predefined_user(call: Call, body: PredefinedUser) -> NumberId:
    """Create a user who can have roles and details before any authentication is attached.

    Refusals ORIGIN_ID_TAKEN, EMAIL_MALFORMED.
    """
    user = predefined.create(
        call.change,
        call.client,
        body.name,
        email=body.email,
        description=body.description,
        image=body.imageUrl,
        origin_id=body.originId,
    )
    return NumberId(id=user.id)


@operation("GET /users/predefined/{originId}", gate=gates.API_TOKEN, rules="R179 R187 R188 R189 R246", gaps="G214")
def find_predefined_user(call: Call, user: UserByOrigin) -> NumberId:
    """Find a user of the token's client by origin id; for API tokens alone.

    Refusal PREDEFINED_USER_NOT_FOUND.
    """
    return NumberId(id=user.id)


@operation(
    "GET /users/{userId}/origin",
    gate=gates.SELF_OR_ADMIN.assumed("G554"),
    source=Source.NAME_ONLY,
    line="P1 Users, known by name only",
    gaps="G554",
)
def get_user_origin_id(call: Call, user: MeOrUser) -> OriginId:
    """Get the id of a user in the third-party identity system."""
    return OriginId(originId=user.origin_id)
