"""App sessions: runs of client applications and what is linked to them (P2 App sessions)."""

from collections.abc import Mapping
from typing import Annotated, Any

from msgspec import Meta

from confsim.api.forms import AppSessionId, ChannelId, ClientId, SessionId, UserId
from confsim.assumptions import app_sessions as assumed, ask, in_force
from confsim.assumptions.protocol import sizes, units
from confsim.assumptions.protocol.transport import SESSION_WITHOUT_ID
from confsim.contract import FreeText, Limit, Long, Offset, Page, Present, Said, Sized, Source, Wire, gates
from confsim.domain import app_sessions
from confsim.domain.app_sessions import AppSessionFilter
from confsim.domain.channels.channels import Channel
from confsim.domain.users.users import USERS, User

from . import views
from .admission import admit
from .call import API, Call
from .things import LinkedSession, OwnClient
from .views import Id

operation = API.family(gate=gates.SIGNED_IN.assumed("G380"), line="P2 App sessions")
named = API.family(line="P2 L354", source=Source.NAME_ONLY)


#: epoch milliseconds on the clock of the caller (G382)
Milliseconds = Annotated[int, Meta(ge=0, le=2**63 - 1)]
Address = Annotated[str, Sized(sizes.URL)]


def _near(profile: Mapping[str, Any]) -> str:
    """Return how far from now a run may begin (G382)."""
    within = in_force(profile, assumed.STARTED_WITHIN)
    return f"It lies at most {within} milliseconds from now." if within else ""


class AppSessionRegistration(Wire):
    """One run of a client application: ``started`` in UTC milliseconds, ``channel`` the id of a channel."""

    started: Annotated[Milliseconds, Said(_near), "The instant at which the run began, in UTC milliseconds."]
    url: Annotated[Address, "The address at which the application ran."]
    channel: Annotated[ChannelId | None, "The channel that the run is linked to from the beginning."] = None


class AppSessionUser(Wire):
    """A user of an app session (G386)."""

    id: Annotated[UserId, "The number of the user."]
    handle: Annotated[str, "The display name of the user."]


class AppSession(Wire):
    """An app session (P2 App session). ``channelsSessions`` are ids of channel sessions."""

    id: Annotated[AppSessionId, "The id of the app session."]
    clientId: Annotated[ClientId, "The client that it belongs to."]
    url: Annotated[str, "The address at which the application ran."]
    started: Annotated[Long, "The instant at which the run began, in UTC milliseconds."]
    channels: Annotated[list[ChannelId], "The uuids of the channels that are linked to it."]
    channelsSessions: Annotated[list[SessionId], "The ids of the channel sessions that are linked to it."]
    users: Annotated[list[AppSessionUser], "The users linked to it."]


class NewAppSessionLog(Wire):
    """One log to be appended."""

    time: Annotated[Long, "The instant of the log, in milliseconds."]
    data: Annotated[str, "The logged text."]
    index: Annotated[
        Long | None, "A sequence number, unique in the app session.", Present(assumed.INDEX_NEEDED, always={True})
    ] = None


class AppSessionLog(Wire):
    """One log: ``time`` in milliseconds, ``index`` a sequence number that is unique in the app session."""

    time: Annotated[Long, "The instant of the log, in milliseconds."]
    data: Annotated[str, "The logged text."]
    index: Annotated[Long | None, "A sequence number, unique in the app session."] = None


def _app_session_view(call: Call, run: app_sessions.AppSession) -> AppSession:
    people = USERS.of(call.change, run.client)
    found = [people.get(id) for id in run.users]
    return AppSession(
        id=run.id,
        clientId=run.client,
        url=run.url,
        started=run.started,
        channels=list(run.channels),
        channelsSessions=list(run.sessions),
        users=[AppSessionUser(id=user.id, handle=user.handle) for user in found if user is not None],
    )


@operation(
    "POST /app_sessions/new/{clientId}",
    rules="R012 R307 R427",
    gaps="G157 G381 G382",
    identifies={"id": "app_sessions"},
)
def create_app_session(call: Call, client: OwnClient, body: AppSessionRegistration) -> Id:
    """Create the record of one run of a client application in the caller's own client.

    404 for another client, 400 for a channel that the client has not; a channel that the caller may not access is
    refused like one in the path.
    """
    id = body.channel
    if id is not None:
        call.channel = channel = app_sessions.find_channel(call.change, client, id)
        if channel is not None:
            id = channel.id
            if ask(call.change, assumed.CHANNEL_ACCESS) == "accessible":
                admit(call, gates.ACCESS.grants)
    return Id(id=app_sessions.register(call.change, call.require_caller(), body.started, body.url, id).id)


@operation("POST /app_sessions/{appSession}/logs", rules="R428 R429", gaps="G120 G383 G384")
def add_app_session_log(call: Call, app_session: app_sessions.AppSession, body: NewAppSessionLog) -> None:
    """Add a log to an app session. 409 for an index that a different log has."""
    app_sessions.append(call.change, app_session, body.time, body.data, body.index)


@operation(
    "GET /app_sessions/{appSessionId}", gate=gates.SELF_OR_ADMIN.assumed("G380"), rules="R306 R307 R430", gaps="G386"
)
def get_app_session(call: Call, app_session: app_sessions.AppSession) -> AppSession:
    """Get an app session: for administrators and the caller who created it."""
    return _app_session_view(call, app_session)


@operation(
    "GET /app_sessions",
    gate=gates.ADMIN.assumed("G380"),
    rules="R021 R023 R306 R431 R432 R433",
    gaps="G121 G377 G389 G390",
)
def list_app_sessions(
    call: Call,
    *,
    offset: Offset | None = None,
    limit: Limit | None = None,
    user: UserId | None = None,
    channelSession: SessionId | None = None,
    channel: ChannelId | None = None,
    url: Annotated[FreeText | None, "A part of the address."] = None,
    startedBefore: Annotated[Long | None, "Runs that began before this instant (UTC)."] = None,
    startedAfter: Annotated[Long | None, "Runs that began after this instant (UTC)."] = None,
) -> Page[AppSession]:
    """List the app sessions of the client that match every given filter, the latest first.

    ``url`` is a part of the address; ``startedBefore`` and ``startedAfter`` are UTC milliseconds.
    """
    filters = AppSessionFilter(user, channelSession, channel, url, _at(call, startedBefore), _at(call, startedAfter))
    found = app_sessions.list_app_sessions(call.change, call.client, call.require_caller(), filters)
    return views.page(call, found, limit, offset, lambda shown: [_app_session_view(call, run) for run in shown])


def _at(call: Call, given: int | None) -> int | None:
    return given if given is None or ask(call.change, units.APP_SESSION_FILTER) == "epoch-ms" else given * 1000


@operation(
    "POST /app_sessions/{appSession}/link/channel/session/{channelUuid}/{channelSession}",
    gate=gates.ACCESS.assumed("G380"),
    rules="R434",
    gaps="G387 G388",
)
def link_app_session_to_channel_session(
    call: Call, app_session: app_sessions.AppSession, channel: Channel, session: LinkedSession
) -> None:
    """Link a channel and a session of it to an app session; linking again changes nothing."""
    app_sessions.link_channel(call.change, app_session, channel, session)


@operation(
    "POST /app_sessions/{appSession}/link/channel/session/{channelUuid}",
    gate=gates.ACCESS.assumed("G380"),
    rules="R434 R435",
    gaps="G361 G388",
    slash=SESSION_WITHOUT_ID,
)
def link_app_session_to_channel(call: Call, app_session: app_sessions.AppSession, channel: Channel) -> None:
    """Link a channel alone to an app session; linking again changes nothing."""
    app_sessions.link_channel(call.change, app_session, channel)


@named("GET /app_sessions/{appSession}/logs", gate=gates.SELF_OR_ADMIN.assumed("G380"), rules="R428", gaps="G385 G581")
def list_app_session_logs(
    call: Call, app_session: app_sessions.AppSession, *, offset: Offset | None = None, limit: Limit | None = None
) -> Page[AppSessionLog]:
    """List the logs of an app session by their index: for administrators and the caller who created it."""
    return views.page(
        call,
        app_sessions.list_logs(call.change, app_session),
        limit,
        offset,
        lambda shown: [AppSessionLog(time=log.time, data=log.data, index=log.index) for log in shown],
    )


@named(
    "POST /app_sessions/{appSession}/link/user/{userId}",
    gate=gates.SIGNED_IN.assumed("G380"),
    rules="R306",
    gaps="G388 G582",
)
def link_app_session_to_user(call: Call, app_session: app_sessions.AppSession, user: User) -> None:
    """Link a user of the client to an app session; linking again changes nothing."""
    app_sessions.link_user(call.change, app_session, user)
