"""Related subjects and facts of users, invitations and validators, for the couplings."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from confsim.assumptions import clients as assumed_clients
from confsim.assumptions import identity as assumed
from confsim.assumptions.register import ask
from confsim.domain.clients import clients
from confsim.domain.clients.clients import Client
from confsim.domain.identity import invitations, providers, validators
from confsim.domain.identity.api_tokens import ApiToken
from confsim.domain.identity.credentials import BY_USER, CREDENTIALS, Credential
from confsim.domain.identity.invitations import Invitation, InvitationKind
from confsim.domain.identity.validators import Validator
from confsim.domain.users.users import USERS, Account, AuthKind, Identity, User
from confsim.kernel.world import Change


def invited(change: Change, invitation: Invitation) -> Iterable[User]:
    """The predefined user who logged in by the code."""
    user = USERS.get(change, invitation.user, invitation.client)
    if user is not None and user.account is Account.PREDEFINED and invitation.kind is InvitationKind.NONCE:
        yield user


def login(change: Change, invitation: Invitation, user: User) -> dict[str, Any]:
    """The claims of the login provider about the user. Refusal PROVIDER_NOT_ENABLED."""
    provider = providers.to_log_in(change, clients.get(change, user.client), invitation.provider)
    return {"identity": Identity(provider, user.full_name or "", user.email or "")}


def earlier_tokens(change: Change, invitation: Invitation) -> Iterable[Credential]:
    """The tokens of the user, where they are revoked when the invitation is created again (G236)."""
    if ask(change, assumed.RECREATION) == "die":
        yield from CREDENTIALS.where(change, BY_USER, (invitation.client, invitation.user))


def exchanged_tokens(change: Change, validator: Validator) -> Iterable[Credential]:
    """The tokens of those who came by an identity token, where a validator that is disabled ends them (G194)."""
    if ask(change, assumed.DISABLED_VALIDATOR) == "end":
        for user in USERS.of(change, validator.client).all:
            if user.auth_kind is AuthKind.CUSTOM:
                yield from CREDENTIALS.where(change, BY_USER, (user.client, user.id))


def value_of(change: Change, token: ApiToken) -> Iterable[Credential]:
    """The credential of the value that the API token has, or had when it was deleted."""
    yield CREDENTIALS.of(change)[token.value]


def new_value(change: Change, token: ApiToken) -> Iterable[dict[str, Credential]]:
    """The credential to issue for a new value of the API token."""
    yield {"draft": Credential(token.value, token.client, api_token=token.id, expires=token.expires)}


def new_expiry(change: Change, token: ApiToken, credential: Credential) -> dict[str, Any]:
    """The instant at which the API token expires."""
    return {"expires": token.expires}


def released_validator(change: Change, client: Client) -> Iterable[Validator]:
    """The active validator of a client that loses its service, where that disables it (G543)."""
    if ask(change, assumed_clients.DISABLE_RELEASES) == "validator-and-numbers":
        yield from validators.list_active(change, client.id)


def nonce(change: Change, user: User) -> Iterable[Invitation]:
    """The pending Nonce of a user who is connected by an identity token, when that uses it up (G202)."""
    invitation = invitations.find_pending(change, user)
    if (
        invitation is not None
        and invitation.kind is InvitationKind.NONCE
        and ask(change, assumed.INVITATION_ON_EXCHANGE) == "consumed"
    ):
        yield invitation


def invitation(change: Change, user: User) -> Iterable[Invitation]:
    """The pending invitation of the user."""
    pending = invitations.find_pending(change, user)
    if pending is not None:
        ask(change, assumed.INVITATION_ON_EXCHANGE)
        yield pending


def other_active(change: Change, validator: Validator) -> Iterable[Validator]:
    """The validator of the client that was active before."""
    return [other for other in validators.list_active(change, validator.client) if other.id != validator.id]
