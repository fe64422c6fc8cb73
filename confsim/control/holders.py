"""The clients of a world, and the holders of its tokens that never expire."""

from __future__ import annotations

from typing import Annotated

from confsim.contract.types import Wire
from confsim.domain.clients.clients import CLIENTS
from confsim.domain.identity.credentials import CREDENTIALS, LASTING, Credential
from confsim.domain.users.users import USERS, Hosting, Level, User, unregistered
from confsim.kernel.world import Change


class ClientInfo(Wire):
    """A client; ``parent`` is null for a top-level client."""

    id: Annotated[str, "The id of the client."]
    name: Annotated[str, "The name of the client."]
    parent: Annotated[str | None, "The client above it; null at the top."]


class TokenInfo(Wire):
    """The holder of a token; ``userId`` is null for an API token. ``role`` is the highest role that the holder has."""

    userId: Annotated[int | None, "The user whose token it is; null for an API token."]
    clientId: Annotated[str, "The client of the token."]
    role: Annotated[str, "The highest role that the holder has."]


def clients_and_tokens(change: Change) -> tuple[list[ClientInfo], dict[str, TokenInfo]]:
    """Return the clients of a world, and the tokens that never expire with their holders."""
    known = [ClientInfo(id=each.id, name=each.name, parent=each.parent) for each in CLIENTS.of(change).all]
    return known, {each.value: describe_token(change, each) for each in CREDENTIALS.where(change, LASTING, True)}


def describe_token(change: Change, credential: Credential) -> TokenInfo:
    """Return the holder of a credential."""
    user = None if credential.user is None else USERS.of(change, credential.client).get(credential.user)
    role = "api-token" if user is None else role_of(change, user)
    return TokenInfo(userId=credential.user, clientId=credential.client, role=role)


def role_of(change: Change, user: User) -> str:
    """Return the word for the highest role that a user has."""
    if Level.PARTNER_ADMIN in user.levels:
        return "partner-admin"
    if user.levels:
        return "customer-admin"
    if user.hosting is not Hosting.NONE:
        return str(user.hosting.value)
    return "guest" if unregistered(user) else "user"
