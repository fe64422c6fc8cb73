"""Admission: the gates of operations, evaluated for the caller and the records in the path."""

from collections.abc import Callable

from confsim.assumptions import Reason, ask, clients as assumed_clients, members
from confsim.contract import FOR_USERS, Grant
from confsim.domain.channels import channels
from confsim.domain.clients import clients
from confsim.domain.clients.clients import Client
from confsim.domain.identity import credentials
from confsim.domain.identity.credentials import Caller
from confsim.domain.members import channel_access, roles
from confsim.domain.members.roles import Role
from confsim.domain.users import users
from confsim.kernel import Refusal

from .call import Call


def admit(call: Call, grants: tuple[Grant, ...]) -> None:
    """Check that the caller holds one of the grants of the operation's gate (R241).

    An API token of the client passes its administrative and host gates, not those of owners (R221, G149, G150).
    A thing of the path that does not exist has no host and no owner. Raises Refusal ROLE_MISSING, GUEST_ELSEWHERE for
    a guest of another channel, NO_USER_CONTEXT for an API token if a user is needed.
    """
    caller = call.caller
    if caller is None:
        return
    user = caller.user
    if user is not None and user.channel is not None and call.channel is not None:
        channel_access.require_home_channel(call.change, user, call.channel)
    for grant in grants:
        if _HOLDS[grant](call, caller):
            return
    if any(grant in grants for grant in _passes(call, caller)):
        return
    if caller.api_token is not None and FOR_USERS.issuperset(grants):
        raise Refusal(Reason.NO_USER_CONTEXT)
    raise Refusal(Reason.ROLE_MISSING, operation=call.operation.name, gate=" or ".join(grants))


def _passes(call: Call, caller: Caller) -> tuple[str, ...]:
    """Return the grants that the caller has by assumption, beyond those it holds itself."""
    if caller.api_token is not None:
        return ask(call.change, members.API_TOKEN_PASSES)
    return ask(call.change, members.CUSTOMER_ADMIN_PASSES) if caller.customer_admin else ()


def require_service(call: Call, client: Client) -> None:
    """Raise Refusal SERVICE_DISABLED if the operation needs a service that is disabled (R086, G156, G162, G164)."""
    if clients.is_served(call.change, client):
        return
    operation = call.operation
    everything = ask(call.change, assumed_clients.WHILE_DISABLED) == "everything"
    if not (everything or operation.changes or operation.runtime):
        return
    if operation.name not in ask(call.change, assumed_clients.OPEN_WHILE_DISABLED):
        raise Refusal(Reason.SERVICE_DISABLED, client=client.id)


def _customer_admin(call: Call, caller: Caller) -> bool:
    if call.client.id == caller.client.id:
        return caller.customer_admin
    return caller.partner_admin and "children" in ask(call.change, members.PARTNER_ADMIN_INCLUDES)


def _operator(call: Call, caller: Caller) -> bool:
    """Return whether the caller hosts the channel of the path, or the one its linked user was made for (G240, G443).

    Any channel counts if the path names neither a channel nor a user (G219).
    """
    channel, subject = call.channel, call.subject
    if channel is None and subject is not None and subject.account is users.Account.LINKED and subject.channel:
        channel = channels.get(call.change, subject.client, subject.channel)
    if channel is not None:
        host = None if caller.user is None else roles.find(call.change, channel, caller.user.id)
        return host is not None and (host.role is Role.OPERATOR or ask(call.change, members.OWNER_IS_OPERATOR))
    user = _host_of_any(call, caller)
    if user is None:
        return False
    first = roles.roles_of(call.change, user).first
    if first is None or first.role is Role.OPERATOR or ask(call.change, members.OWNER_IS_OPERATOR):
        return first is not None
    return bool(roles.roles_as(call.change, user, Role.OPERATOR))


def _owner(call: Call, caller: Caller) -> bool:
    """Return whether the caller owns the channel of the path; any, if it names neither a channel nor a user (G219)."""
    if call.channel is not None:
        return roles.is_owner(call.change, call.channel, caller.user)
    user = _host_of_any(call, caller)
    return user is not None and bool(roles.roles_as(call.change, user, Role.OWNER))


def _host_of_any(call: Call, caller: Caller) -> users.User | None:
    """Return the user whose roles in any channel count; None when the path names a channel or a user, be it one that is
    gone (G040), or another client.
    """
    named = any(place.gates and place.names in _WITH_ROLES for place in call.operation.path_parameters)
    return None if named or call.subject is not None or call.client.id != caller.client.id else caller.user


#: What paths name that has hosts, or is a user.
_WITH_ROLES = frozenset({"channels", "sessions", "users"})
#: Grants that depend on a thing in the path.
OF_THING = frozenset({Grant.ACCESS, Grant.OPERATOR, Grant.OWNER, Grant.SELF})

_HOLDS: dict[Grant, Callable[[Call, Caller], bool]] = {
    Grant.PUBLIC: lambda call, caller: True,
    Grant.SIGNED_IN: lambda call, caller: True,
    Grant.USER: lambda call, caller: caller.user is not None,
    Grant.REGISTERED: lambda call, caller: caller.user is not None and not users.unregistered(caller.user),
    Grant.SELF: lambda call, caller: (
        caller.user is not None and call.subject is not None and call.subject.id == caller.user.id
    ),
    Grant.API_TOKEN: lambda call, caller: caller.api_token is not None,
    Grant.CUSTOMER_ADMIN: _customer_admin,
    Grant.PARTNER_ADMIN: lambda call, caller: credentials.manages_children(call.change, caller),
    Grant.ACCESS: lambda call, caller: (
        caller.user is not None
        and call.channel is not None
        and channel_access.has_access(call.change, caller, call.channel)
    ),
    Grant.OPERATOR: _operator,
    Grant.OWNER: _owner,
}
