"""Users: look-ups, the user list, details and images (P1 Endpoints, Users)."""

from typing import Annotated, ClassVar

from confsim.api.call import API, Call
from confsim.api.forms import UserId
from confsim.api.paths import MeOrOwner, MeOrUser
from confsim.api.things import UserProperty, Users, UserValue
from confsim.api.values import image as uploaded_image, instant, packed, shown
from confsim.api.views import (
    AccessLevel,
    Id,
    NumberId,
    User as UserView,
    access_level_view,
    auth_kind,
    image_url,
    kind,
    page,
    user_view,
)
from confsim.assumptions import note
from confsim.assumptions.protocol import images, units
from confsim.assumptions.users import users as assumed
from confsim.contract import (
    FreeText,
    FullName,
    Handle,
    ImageLink,
    ImageSize,
    InUnit,
    Json,
    Key,
    Limit,
    Long,
    Offset,
    Page,
    Search,
    SortOrder,
    SoughtAddress,
    Source,
    Url,
    Wire,
    gates,
)
from confsim.domain import properties
from confsim.domain.config import json_documents
from confsim.domain.identity import invitations
from confsim.domain.users import user_images, user_list, users
from confsim.domain.users.user_list import UserSort
from confsim.domain.users.users import Account, User

operation = API.family(line="P1 Users")
named = API.family(line="P1 Users", source=Source.NAME_ONLY)


class UserItem(Wire, kw_only=True):
    """A user as the user list shows one (P1 User list item)."""

    COMPONENT: ClassVar[str] = "UserListItem"

    levels: Annotated[list[AccessLevel], "The access levels of the user."]
    id: Annotated[UserId, "The number of the user."]
    authKind: Annotated[str | None, "The authentication method of the user; absent for guests."] = None
    kind: Annotated[str, "The kind of user."]
    invitationExpiry: Annotated[
        Long | None, "When a pending invitation of a predefined user expires.", InUnit(units.INVITATION_EXPIRES)
    ] = None
    imageUrl: Annotated[ImageLink | None, "The URL of the image of the user."] = None
    handle: Annotated[str, "The display name of the user."]


class UserDescription(Wire):
    """The description of a user; empty text clears it."""

    description: Annotated[FreeText, "The description of the user; an empty text clears it."]


class NewFullName(Wire):
    """The full name of a user; empty text clears it."""

    fullName: Annotated[FullName, "The full name of the user; an empty text clears it."]


@operation(
    "GET /users/multiple/{userIds}",
    gate=gates.SIGNED_IN.assumed("G218"),
    rules="R029 R031 R043 R047 R048 R058 R146",
    gaps="G098 G216 G217",
    container=assumed.SEVERAL_CONTAINER,
    shows_identity=True,
)
def get_users(call: Call, people: Users, *, imgSize: ImageSize | None = None) -> list[UserView]:
    """Get several users by a comma separated list of ids.

    One user for each distinct id, in the order of the request. An empty list and one of too many ids are refused.
    """
    return [user_view(call, user, imgSize) for user in people]


@operation(
    "GET /users/me",
    gate=gates.USER,
    rules="R029 R031 R043 R045 R046 R047 R048 R049 R050 R051 R053 R054 R071 R147",
    gaps="G159",
    about_caller=True,
    shows_identity=True,
)
def get_me(call: Call, *, imgSize: ImageSize | None = None) -> UserView:
    """Get the caller. An API token is no user and is refused."""
    return user_view(call, call.user, imgSize)


@operation(
    "GET /users/{userId}",
    gate=gates.Gate(gates.Grant.PARTNER_ADMIN, gates.Grant.API_TOKEN).assumed("G215"),
    rules="R029 R031 R032 R043 R148 R149 R150",
    for_client=True,
    shows_identity=True,
)
def get_user(call: Call, user: User, *, imgSize: ImageSize | None = None) -> UserView:
    """Get a user of a child client, or of the caller's own client."""
    note(call.change, assumed.DELETION)
    return user_view(call, user, imgSize)


@operation(
    "GET /users",
    gate=gates.ADMIN.assumed("G219"),
    rules="R014 R019 R020 R021 R022 R023 R027 R028 R029 R031 R032 R053 R055 R056 R057 R151 R152 R153 R154 R155 R156",
    gaps="G087 G090 G091 G092 G219",
    for_client=True,
)
def list_users(
    call: Call,
    *,
    search: Search | None = None,
    limit: Limit | None = None,
    offset: Offset | None = None,
    imgSize: ImageSize | None = None,
    sort: UserSort = UserSort.LEVEL,
    order: SortOrder = SortOrder.DESC,
    levels: Annotated[list[int] | None, "Users with at least one of these access levels."] = None,
) -> Page[UserItem]:
    """List the users who have a role in the client, owners and operators of channels included, and predefined users.

    ``search`` filters handles and full names, ``levels`` selects holders of at least one of these access level ids.
    ``invitationExpiry`` is an instant, in epoch milliseconds by default.
    """
    found = user_list.list_users(call.change, call.client, search, levels, sort, descending=order is SortOrder.DESC)
    return page(call, found, limit, offset, lambda shown: [_item_view(call, user, imgSize) for user in shown])


def _item_view(call: Call, user: User, size: ImageSize | None) -> UserItem:
    pending = invitations.find_pending(call.change, user) if user.account is Account.PREDEFINED else None
    expiry = None if pending is None else instant(call, units.INVITATION_EXPIRES, pending.expires)
    return UserItem(
        levels=[access_level_view(call, level) for level in user.levels],
        id=user.id,
        authKind=auth_kind(call, user),
        kind=kind(call, user),
        invitationExpiry=expiry,
        imageUrl=image_url(call, user.client, user.image, size),
        handle=user.handle,
    )


@operation(
    "POST /users/{userId}/image",
    upload=images.FORM,
    gate=gates.SELF_OR_ADMIN.assumed("G160"),
    rules="R011 R165 R166 R167 R168 R169 R248",
    gaps="G105 G106 G107 G110 G158",
)
def set_user_image(
    call: Call,
    user: MeOrUser,
    body: bytes,
    *,
    url: Annotated[Url | None, "The URL of the image; it wins over the body."] = None,
) -> None:
    """Set the image of a user from ``url``, or from the bytes of the body when url is absent.

    At most 8 Mbytes (a larger image is refused with 413), known by their signature: PNG, JPEG, GIF or WebP.
    """
    user_images.put(call.change, user, uploaded_image(call, body, url), url)


@named("DELETE /users/{userId}/image", gate=gates.SELF_OR_ADMIN.assumed("G160"), gaps="G550")
def remove_user_image(call: Call, user: MeOrUser) -> None:
    """Remove the image of a user; no effect when there is none."""
    user_images.remove(call.change, user)


@named("POST /users/{userId}/description", gate=gates.SELF_OR_ADMIN.assumed("G160"), gaps="G551")
def set_user_description(call: Call, user: MeOrUser, body: UserDescription) -> None:
    """Set the description of a user; an empty text clears it."""
    users.update(call.change, user, description=body.description or None)


@named("POST /users/{userId}/fullname", gate=gates.SELF_OR_ADMIN.assumed("G160"), gaps="G552")
def set_user_full_name(call: Call, user: MeOrUser, body: NewFullName) -> None:
    """Set the full name of a user; an empty text clears it."""
    users.update(call.change, user, full_name=body.fullName or None)


@named(
    "GET /users/{userId}/client",
    gate=gates.SIGNED_IN.assumed("G548"),
    gaps="G548",
    identifies={"id": "clients"},
    shows_identity=True,
)
def get_user_client(call: Call, user: MeOrUser) -> Id:
    """Get the id of the client that a user belongs to."""
    return Id(id=user.client)


@named("GET /users/find/handle", gate=gates.SIGNED_IN.assumed("G559"), gaps="G559", shows_identity=True)
def find_user_by_handle(call: Call, *, handle: Annotated[Handle, "The handle that is looked for."]) -> NumberId:
    """Find the registered user who has a handle."""
    return NumberId(id=user_list.get_by_handle(call.change, call.client, handle).id)


@named("GET /users/find/email", gate=gates.ADMIN.assumed("G560"), gaps="G560")
def find_user_by_email(
    call: Call,
    *,
    email: Annotated[SoughtAddress, "The verified address that is looked for."],
    imgSize: ImageSize | None = None,
) -> UserView:
    """Find the user who has verified an address; pending addresses are not found."""
    return user_view(call, user_list.get_by_email(call.change, call.client, email), imgSize)


operation = API.family(gate=gates.SELF_OR_ADMIN.assumed("G161"), line="P1 Users")
named = API.family(gate=gates.SELF_OR_ADMIN.assumed("G161"), line="P1 Users", source=Source.NAME_ONLY)


@operation("GET /users/{userId}/properties/{key}", rules="R041 R190 R192 R193", gaps="G099 G158 G247")
def get_user_property(call: Call, user: MeOrOwner, value: UserValue) -> Json:
    """Get the JSON value under a key."""
    return shown(call, value)


@operation("POST /users/{userId}/properties/{key}", rules="R041 R191 R192 R337", gaps="G158 G248 G249")
def set_user_property(call: Call, user: MeOrOwner, key: Key, body: Json) -> None:
    """Set the JSON value under a key."""
    properties.put(call.change, properties.of_user(user), key, packed(json_documents.bounded(call.change, body)))


@named("DELETE /users/{userId}/properties/{key}", gaps="G555")
def delete_user_property(call: Call, user: MeOrOwner, stored: UserProperty) -> None:
    """Delete the value under a key."""
    properties.remove(call.change, stored)


@named("GET /users/{userId}/properties", gaps="G556")
def list_user_properties(call: Call, user: MeOrOwner) -> list[str]:
    """List the keys that have a value, sorted."""
    return properties.keys(call.change, properties.of_user(user))
