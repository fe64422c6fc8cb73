"""Resolvers of path parameters: the records that they name, looked up in the client of the call.

A resolver also sets what gates depend on: ``call.channel``, the channel concerned, and ``call.subject``, the user
concerned. It raises Refusal NOT_FOUND for a missing record.

The things of a channel, a user or a client are resolved in ``api.things``.
"""

from collections.abc import Mapping
from typing import Annotated, Any

from msgspec import Struct

from confsim.assumptions import Context, Reason, ask, not_found, note
from confsim.assumptions.channels import CLIENT_ACROSS_TENANTS
from confsim.assumptions.clients import PATH_CLIENT
from confsim.assumptions.users import users as assumed_users
from confsim.contract import Grant, TextForm, integer, resolves
from confsim.domain import app_sessions
from confsim.domain.app_sessions import AppSession
from confsim.domain.channels import channels
from confsim.domain.channels.channels import Channel
from confsim.domain.clients import clients
from confsim.domain.clients.clients import Client
from confsim.domain.config import templates
from confsim.domain.config.templates import VisibleTemplate
from confsim.domain.identity import credentials
from confsim.domain.runtime import sessions
from confsim.domain.runtime.sessions import Session
from confsim.domain.users import users
from confsim.domain.users.users import User
from confsim.kernel import Refusal

from .call import Call


class Me(Struct, frozen=True):
    """Marks a userId that also accepts the literal ``me`` (P1 Conventions 9), always or if users.me says so."""

    always: bool = False


#: A user of the call's client by number, or ``me`` for the caller (G158).
MeOrUser = Annotated[User, Me()]
#: The owner of properties: a user by number, or ``me`` for the caller, regardless of users.me (G158).
MeOrOwner = Annotated[User, Me(always=True)]


def _me_or_number(context: Context, text: str) -> str | int:
    """Read the literal ``me`` if users.me says so, else the number of a user."""
    return text if text == "me" and ask(context, assumed_users.ME) == "unmarked" else _number(context, text)


def _me_or_number_always(context: Context, text: str) -> str | int:
    """Read the literal ``me``, regardless of users.me, or the number of a user."""
    if text != "me":
        return _number(context, text)
    note(context, assumed_users.ME)
    return text


def _number(context: Context, text: str) -> int:
    return integer(context, "path userId", text, "neither me nor a whole number")


def _me_or_number_keywords(profile: Mapping[str, Any]) -> dict[str, Any]:
    return {"pattern": "^(me|-?[0-9]{1,19})$"}


class Anywhere:
    """Marks a channel that may belong to another client than the caller's (G322)."""


#: A channel of any client, if channels.client-across-tenants says so.
AnyChannel = Annotated[Channel, Anywhere()]


@resolves(User, int, "users", gates=True, about="The user, by number.")
def _user(call: Call, id: int) -> User:
    """A user of the call's client: the subject of the call."""
    call.subject = users.get(call.change, call.client.id, id)
    return call.subject


@resolves(
    MeOrOwner,
    Annotated[str, TextForm(_me_or_number_always, _me_or_number_keywords)],
    "users",
    gates=True,
    about="The user by number, or me for the caller.",
)
@resolves(
    MeOrUser,
    Annotated[str, TextForm(_me_or_number, _me_or_number_keywords)],
    "users",
    gates=True,
    about="The user by number, or me for the caller.",
)
def _me_or_user(call: Call, id: str | int) -> User:
    """A user of the call's client, or the caller by ``me``: the subject of the call."""
    call.subject = found = call.user if isinstance(id, str) else users.get(call.change, call.client.id, id)
    return found


@resolves(Channel, str, "channels", gates=True, about="The channel, by uuid.")
def _channel(call: Call, id: str) -> Channel:
    """A channel of the call's client, on which gates depend."""
    call.channel = found = channels.get(call.change, call.client.id, id)
    return found


@resolves(AnyChannel, str, "channels", gates=True, about="The channel, by uuid.")
def _any_channel(call: Call, id: str) -> Channel:
    """A channel of any client if the profile says so, without effect on gates; otherwise like ``Channel`` (G322)."""
    if ask(call.change, CLIENT_ACROSS_TENANTS):
        found = channels.find_anywhere(call.change, id.lower())
        if found is not None:
            return found
    own: Channel = _channel(call, id)
    return own


@resolves(Client, str, "clients", about="The client, by id.")
def _client(call: Call, id: str) -> Client:
    """The client of the path: any on a public call; else the caller's own, or a child for a Partner Admin (G157).

    A public call runs in the context of this client. Raises Refusal ROLE_MISSING for a child and any other caller.
    """
    client = clients.get(call.change, id)
    if call.caller is None:
        call.client = client
    elif client.id != call.client.id:
        if ask(call.change, PATH_CLIENT) == "own" or not clients.is_below(call.change, client, call.client):
            not_found("client", id)
        if not credentials.manages_children(call.change, call.caller):
            raise Refusal(Reason.ROLE_MISSING, operation=call.operation.name, gate=Grant.PARTNER_ADMIN)
    return client


@resolves(VisibleTemplate, str, "templates", about="The template, by id.")
def _template(call: Call, id: str) -> VisibleTemplate:
    """A template that the call's client may see, as that client sees it (G408)."""
    return templates.get(call.change, call.client, id)


@resolves(Session, str, "sessions", gates=True, about="The session, by id.")
def _session(call: Call, id: str) -> Session:
    """A session of the call's client; gates depend on its channel (G366), which nobody hosts once it is deleted."""
    session = sessions.get(call.change, call.client.id, id)
    call.channel = channels.find(call.change, call.client.id, session.channel)
    if call.channel is None and call.caller is not None and call.caller.user is not None and call.caller.user.channel:
        not_found("session", id)  # the token of a guest leads nowhere but to its own channel
    return session


@resolves(AppSession, str, "app_sessions", gates=True, about="The app session, by id.")
def _app_session(call: Call, id: str) -> AppSession:
    """An app session of the call's client; the user who registered it is the subject of the call (G380)."""
    run = app_sessions.get(call.change, call.client.id, id)
    if run.by is not None:
        call.subject = users.USERS.get(call.change, run.by, call.client.id)
    return run
