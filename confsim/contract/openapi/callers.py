"""The refusals of an OpenAPI document that concern the caller: they follow from the gate of an operation."""

from collections.abc import Iterator

from confsim.assumptions import Reason, channels, clients, in_force, members
from confsim.assumptions.protocol import wire
from confsim.contract.gates import FOR_USERS, Grant
from confsim.contract.operation import Operation
from confsim.contract.schema import Profile

from .parts import grants_of

#: The reasons that ``of_callers`` decides.
REASONS = frozenset(
    {
        *(Reason.CREDENTIAL_MISSING, Reason.CREDENTIAL_INVALID, Reason.CREDENTIAL_EXPIRED, Reason.CREDENTIAL_AMBIGUOUS),
        *(Reason.SERVICE_DISABLED, Reason.RESELLER_DISABLED, Reason.FOR_CLIENT_REFUSED),
        *(Reason.ROLE_MISSING, Reason.NO_USER_CONTEXT, Reason.GUEST_ELSEWHERE),
    }
)
#: The kinds of things in a path by which the channel concerned is known.
_OF_CHANNELS = frozenset({"channels", "sessions"})


def of_callers(operation: Operation, profile: Profile, *, anonymous: bool, asks_user: bool) -> Iterator[Reason]:
    """Yield the reasons for which an operation can refuse a caller under a profile.

    ``anonymous`` is set if it can answer a call without a caller, ``asks_user`` if it refuses API tokens by itself.
    """
    grants = frozenset(grants_of(operation, profile))
    if Grant.PUBLIC in grants:
        yield from _of_public(operation, profile, anonymous=anonymous)
        return
    yield Reason.CREDENTIAL_MISSING
    yield from _of_tokens(profile)
    yield Reason.TERMS_NOT_ACCEPTED
    if _needs_service(operation, profile):
        yield Reason.SERVICE_DISABLED
    reseller = in_force(profile, clients.RESELLER_CALLS)
    if operation.name in reseller or (operation.for_client and "for_client" in reseller):
        yield Reason.RESELLER_DISABLED
    if operation.for_client:
        yield from (Reason.ROLE_MISSING, Reason.FOR_CLIENT_REFUSED)
    yield from _of_gate(operation, profile, grants, asks_user=asks_user)


def _of_public(operation: Operation, profile: Profile, *, anonymous: bool) -> Iterator[Reason]:
    """Yield the reasons of a public call: its client is that of the path, a token counts only where it is checked."""
    if not anonymous:
        yield Reason.CREDENTIAL_MISSING
    of_client = any(each.names == "clients" for each in operation.path_parameters)
    if (of_client or (operation.changes and Grant.PUBLIC in operation.gate.grants)) and _needs_service(
        operation, profile
    ):
        yield Reason.SERVICE_DISABLED
    if in_force(profile, wire.PUBLIC_CREDENTIALS) == "checked":
        yield from _of_tokens(profile)


def _of_gate(operation: Operation, profile: Profile, grants: frozenset[Grant], *, asks_user: bool) -> Iterator[Reason]:
    """Yield the reasons of a gate that is not public, and of what the path names."""
    tokens = bool(grants & {Grant.SIGNED_IN, Grant.API_TOKEN, *in_force(profile, members.API_TOKEN_PASSES)})
    for_users = grants <= FOR_USERS
    named = {each.names for each in operation.path_parameters if each.gates}
    if (for_users and not tokens) or (asks_user and (tokens or "users" in named)):
        yield Reason.NO_USER_CONTEXT
    users = Grant.USER in grants or (Grant.ACCESS in grants and in_force(profile, channels.ACCESS) == "anyone")
    everybody = Grant.SIGNED_IN in grants or (users and (tokens or for_users))
    of_child = any(each.names == "clients" for each in operation.path_parameters)
    if not everybody or (of_child and in_force(profile, clients.PATH_CLIENT) != "own"):
        yield Reason.ROLE_MISSING
    if named & _OF_CHANNELS:
        yield Reason.GUEST_ELSEWHERE


def _needs_service(operation: Operation, profile: Profile) -> bool:
    """Return whether a disabled service refuses the operation (R086, R245, G162)."""
    if operation.name in in_force(profile, clients.OPEN_WHILE_DISABLED):
        return False
    everything = in_force(profile, clients.WHILE_DISABLED) == "everything"
    return everything or operation.changes or operation.runtime


def _of_tokens(profile: Profile) -> Iterator[Reason]:
    """Yield the reasons for which a token is refused: two are one too many, in a header or in two ways (G024)."""
    yield from (Reason.CREDENTIAL_INVALID, Reason.CREDENTIAL_EXPIRED)
    ways = in_force(profile, wire.PRESENTATION)
    if len(ways) > 1 or wire.presentation(ways[0]).place == "header":
        yield Reason.CREDENTIAL_AMBIGUOUS
