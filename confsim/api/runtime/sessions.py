"""Sessions of channels and their participants (P2 Endpoints, Sessions)."""

from collections.abc import Sequence
from typing import Annotated

from msgspec.structs import replace

from confsim.api.call import API, Call
from confsim.api.forms import ChannelId, ClientId, GroupKey, SessionId
from confsim.api.recordings.recordings import asset_view
from confsim.api.recordings.shapes import RecordingAsset
from confsim.api.things import SessionOfChannel
from confsim.api.values import instants
from confsim.api.views import UserSummary, image_url, page
from confsim.assumptions import ask
from confsim.assumptions.protocol import transport, units
from confsim.assumptions.runtime import sessions as assumed_sessions
from confsim.contract import (
    ImageLink,
    ImageSize,
    Int,
    InUnit,
    Limit,
    Long,
    Offset,
    Page,
    Search,
    SortOrder,
    Wire,
    gates,
)
from confsim.domain import lists
from confsim.domain.channels import channels
from confsim.domain.channels.channels import Channel, ServiceMode
from confsim.domain.recordings import assets, recording_list
from confsim.domain.runtime import session_list, sessions
from confsim.domain.runtime.session_list import SessionFilter, SessionSort
from confsim.domain.runtime.sessions import Attendance
from confsim.domain.users.users import USERS

operation = API.family(line="P2 Sessions")


class Session(Wire, kw_only=True):
    """A session (P2 Session). Instants in epoch milliseconds by default (G118)."""

    id: Annotated[SessionId, "The id of the session."]
    name: Annotated[str, "The name of the session."]
    channel: Annotated[ChannelId, "The channel that it is a run of."]
    clientId: Annotated[ClientId, "The client that it belongs to."]
    serviceMode: Annotated[ServiceMode, "Whether it runs as a panel or a conference."]
    participantsCount: Annotated[Int, "The number of participants."]
    hadRecording: Annotated[bool, "Whether it was recorded."]
    groupId: Annotated[GroupKey | None, "A key by which sessions are grouped."] = None
    parentId: Annotated[SessionId | None, "The session of the event room, for a breakout."] = None
    imageUrl: Annotated[ImageLink | None, "The URL of the image of its channel."] = None
    created: Annotated[Long, "The instant at which it was set up on a streaming server.", InUnit(units.SESSION)]
    started: Annotated[Long | None, "The instant of its start; absent before.", InUnit(units.SESSION)] = None
    ended: Annotated[Long | None, "The instant of its end; absent while it is going on.", InUnit(units.SESSION)] = None


_READ = gates.OPERATOR_OR_ADMIN.assumed("G366")


def _session_views(call: Call, found: Sequence[sessions.Session], size: ImageSize | None) -> list[Session]:
    if not found:
        return []
    change = call.change
    current = ask(call.change, assumed_sessions.IMAGE) == "current"
    participants = session_list.participants(change)
    shown = []
    times = instants(call, units.SESSION, [(each.created, each.started, each.ended) for each in found])
    for session, (created, started, ended) in zip(found, times, strict=True):
        channel = channels.find(change, session.client, session.channel)
        present = None if channel is None else channel.image
        image = present if current else session.image
        view = Session(
            id=session.id,
            name=session.name,
            channel=session.channel,
            clientId=session.client,
            serviceMode=session.service_mode,
            participantsCount=participants(session),
            hadRecording=session.had_recording,
            groupId=session.group_id,
            parentId=session.parent_id,
            imageUrl=None if image is None else image_url(call, session.client, image, size),
            created=created,
            started=started,
            ended=ended,
        )
        shown.append(view)
    return shown


def _participants(call: Call, found: Sequence[Attendance]) -> Sequence[Attendance]:
    """Participants under the handles that the profile chooses (G372); removed users may be left out (G446)."""
    people = USERS.of(call.change, call.client.id)
    if ask(call.change, assumed_sessions.REMOVED) == "leave-out":
        found = [each for each in found if each.user in people]
    choice = ask(call.change, assumed_sessions.PARTICIPANT_HANDLE)
    if choice == "last-join":
        return found

    def known(each: Attendance) -> Attendance:
        user = people.get(each.user)
        handle = each.handle if user is None else user.handle
        if choice == "then" and each.left_as is not None:
            handle = each.left_as
        return each if handle == each.handle else replace(each, handle=handle)

    return lists.MappedSequence(found, known)


def _participant_view(call: Call, attendance: Attendance, size: ImageSize | None) -> UserSummary:
    user = USERS.get(call.change, attendance.user, call.client.id)
    image = None if user is None else image_url(call, user.client, user.image, size)
    return UserSummary(id=attendance.user, handle=attendance.handle, imageUrl=image)


@operation(
    "GET /sessions/{sessionId}",
    gate=_READ,
    rules="R256 R282 R283 R284 R285 R286 R287 R288 R289 R414",
    gaps="G118 G359 G367 G368 G369 G370 G371",
)
def get_session(call: Call, session: sessions.Session, *, imgSize: ImageSize | None = None) -> Session:
    """Get a session, as a host of its channel or an administrator."""
    (view,) = _session_views(call, (session,), imgSize)
    return view


@operation("GET /sessions/{sessionId}/participants", gate=_READ, rules="R024 R290 R415", gaps="G372 G446")
def list_session_participants(
    call: Call, session: sessions.Session, *, imgSize: ImageSize | None = None
) -> list[UserSummary]:
    """List the participants of a session: every user once, by first join."""
    found = list(_participants(call, sessions.list_attendances(call.change, session)))
    choice = ask(call.change, assumed_sessions.PARTICIPANTS)
    if choice == "handle":
        found.sort(key=lambda attendance: lists.text_key(call.change, attendance.handle))
    elif choice == "every-join":
        entries = sorted(((join, each) for each in found for join in each.joins), key=lambda entry: entry[0])
        found = [each for _, each in entries]
    return [_participant_view(call, each, imgSize) for each in found]


@operation(
    "GET /sessions/{sessionId}/recordings",
    gate=_READ,
    rules="R024 R294 R295 R296 R297 R298 R299 R300 R301 R302 R303 R304 R416 R557",
)
def list_session_recordings(call: Call, session: sessions.Session) -> list[RecordingAsset]:
    """List the assets of the recordings of a session, as a host of its channel or an administrator."""
    found = recording_list.list_of_session(call.change, session)
    return [
        asset_view(call, asset) for each in found for asset in assets.list_assets(call.change, each.client, each.id)
    ]


@operation(
    "DELETE /channels/{uuid}/session/{sessionId}",
    gate=gates.OPERATOR.assumed("G364"),
    rules="R353 R417 R552",
    gaps="G360 G362 G363 G365",
)
def end_session(call: Call, channel: Channel, session: SessionOfChannel) -> None:
    """End this session of the channel; everybody in it is disconnected.

    A different session that is active is left alone, and a session that has ended stays as it is. Refusal NOT_FOUND
    for a session of another channel.
    """
    sessions.end(call.change, session)


@operation(
    "DELETE /channels/{uuid}/session",
    gate=gates.OPERATOR.assumed("G364"),
    rules="R353 R418 R552",
    gaps="G360 G361 G362 G365",
    slash=transport.SESSION_WITHOUT_ID,
)
def end_active_session(call: Call, channel: Channel) -> None:
    """End the active session of the channel; everybody in it is disconnected. Refusal NO_ACTIVE_SESSION."""
    sessions.end_active(call.change, channel)


@operation(
    "GET /channels/{uuid}/participants",
    gate=gates.OPERATOR_OR_ADMIN.assumed("G373"),
    rules="R021 R290 R419 R420",
    gaps="G092 G446",
)
def list_channel_participants(
    call: Call,
    channel: Channel,
    *,
    search: Search = "",
    offset: Offset | None = None,
    limit: Limit | None = None,
    imgSize: ImageSize | None = None,
) -> Page[UserSummary]:
    """List the participants of the sessions of the channel, the latest first; ``search`` matches the handle."""
    found = _participants(call, sessions.participants_of_channel(call.change, channel))
    if search:
        found = [each for each in found if lists.matches(call.change, search, each.handle)]
    return page(call, found, limit, offset, lambda shown: [_participant_view(call, each, imgSize) for each in shown])


@operation(
    "GET /sessions",
    gate=gates.SIGNED_IN.assumed("G378"),
    rules="R021 R023 R027 R028 R282 R289 R421 R422 R423 R424 R425 R426",
    gaps="G084 G085 G086 G088 G089 G092 G375 G376 G377 G379 G439",
    identifies={"id": "sessions"},
)
def list_sessions(
    call: Call,
    *,
    channel: ChannelId | None = None,
    search: Search = "",
    limit: Limit | None = None,
    offset: Offset | None = None,
    imgSize: ImageSize | None = None,
    sort: SessionSort = SessionSort.STARTED,
    order: SortOrder = SortOrder.DESC,
    from_: Annotated[int | None, "Sessions that started after this instant, in epoch milliseconds."] = None,
    to: Annotated[int | None, "Sessions that started before this instant, in epoch milliseconds."] = None,
    hasRecording: Annotated[bool | None, "Sessions with a recording, or without."] = None,
) -> Page[Session]:
    """List the sessions of the channels where the caller is at least operator; administrators host none by that.

    ``from`` and ``to`` are epoch milliseconds: sessions that started after, and before. ``presence`` sorts by the
    number of participants.
    """
    filters = SessionFilter(channel, search, from_, to, hasRecording)
    caller = call.require_caller()
    found = session_list.list_sessions(
        call.change, call.client, caller, filters, sort, descending=order is SortOrder.DESC
    )
    return page(call, found, limit, offset, lambda shown: _session_views(call, shown, imgSize))
