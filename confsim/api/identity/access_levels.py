"""Access levels: administrative roles of users in a client (P1 Endpoints, Access levels)."""

from confsim.api.call import API, Call
from confsim.api.views import AccessLevel, access_level_view
from confsim.contract import Source, gates
from confsim.domain.identity import access_levels
from confsim.domain.users.users import Level, User

operation = API.family(line="P1 Access levels", for_client=True)


@operation(
    "POST /acl/{userId}/level/{level}",
    gate=gates.ADMIN.assumed("G141"),
    rules="R032 R056 R060 R209 R210 R212 R214",
    gaps="G140 G142 G143 G144 G146",
)
def add_access_level(call: Call, user: User, level: Level) -> None:
    """Add an access level to a user, by the number of the level.

    Only levels that the caller's list of assignable levels holds, never the caller's own, and not for guests.
    """
    access_levels.add(call.change, call.require_caller(), call.client, user, level)


@operation(
    "DELETE /acl/{userId}/level/{level}", gate=gates.ADMIN.assumed("G141"), rules="R032 R211 R214", gaps="G142 G144"
)
def remove_access_level(call: Call, user: User, level: Level) -> None:
    """Remove an access level from a user. Refused with 404 when the user does not have it."""
    access_levels.remove(call.change, call.require_caller(), call.client, user, level)


@operation("GET /acl/levels", gate=gates.SIGNED_IN.assumed("G141"), rules="R024 R032 R213", gaps="G139 G140")
def list_assignable_access_levels(call: Call) -> list[AccessLevel]:
    """List the levels that the caller may add to other users and remove from them; none for callers without a level."""
    found = access_levels.grantable(call.change, call.require_caller(), call.client)
    return [access_level_view(call, level) for level in found]


@operation(
    "GET /acl/{userId}/levels",
    gate=gates.SELF_OR_ADMIN.assumed("G145"),
    rules="R024 R032 R215",
    gaps="G136",
    shows_identity=True,
)
def list_user_access_levels(call: Call, user: User) -> list[AccessLevel]:
    """List the access levels of a user, in the order in which they were added."""
    return [access_level_view(call, level) for level in user.levels]


@API.operation(
    "GET /acl/me/levels",
    gate=gates.USER.assumed("G566"),
    source=Source.NAME_ONLY,
    gaps="G566",
    line="P1 L247",
    about_caller=True,
    shows_identity=True,
)
def list_own_access_levels(call: Call) -> list[AccessLevel]:
    """List the access levels of the caller."""
    return [access_level_view(call, level) for level in call.user.levels]
