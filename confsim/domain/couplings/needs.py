"""The needs of one machine before it moves: triggers fired first on another, whose refusals reach the caller."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from confsim.assumptions import recordings as assumed
from confsim.assumptions.register import ask
from confsim.domain.breakout import breakout_rooms
from confsim.domain.breakout.breakout_rooms import BY_PLACE, ROOMS, Room
from confsim.domain.channels import channels
from confsim.domain.channels.channels import Channel
from confsim.domain.clients import clients
from confsim.domain.identity import api_tokens, credentials
from confsim.domain.recordings import recordings
from confsim.domain.recordings.recordings import Recording, RecordingState
from confsim.domain.runtime import presence, sessions
from confsim.domain.runtime.presence import Presence, Where
from confsim.domain.runtime.sessions import Session
from confsim.domain.telephony import calls
from confsim.domain.telephony.calls import CallState, PhoneCall
from confsim.domain.users import users
from confsim.kernel.influence import Need
from confsim.kernel.world import Change

from . import related_identity

# A phone joins the channel


def _channel(change: Change, call: PhoneCall) -> Channel:
    return channels.get(change, call.client, call.channel)


def _presence(change: Change, call: PhoneCall) -> Iterable[Presence | None]:
    """The presence of the user of the call in its channel, None when there is none."""
    return (presence.find(change, _channel(change, call), call.user),)


def _joining(change: Change, call: PhoneCall, present: Presence | None) -> dict[str, Any]:
    """The facts of joining the channel by phone. Refusals of ``presence.join``; NOT_FOUND for a removed user."""
    user, client = users.get(change, call.client, call.user), clients.get(change, call.client)
    host = calls.bypasses_lobby(change, call)
    return presence.join_facts(change, client, _channel(change, call), user, host=host, phone=True)


def _limit(change: Change, call: PhoneCall, present: Presence | None) -> dict[str, Any]:
    """The details of a refusal because the channel is full."""
    return {"limit": presence.capacity(_channel(change, call))}


def _in_event_room(change: Change, call: PhoneCall) -> Iterable[Presence]:
    """The presence of the user in the event room of the breakout room of the call, assigned to it or not.

    None for a user in the lobby, or when the room is no longer open.
    """
    room = _room(change, call)
    if room is not None and room.state is breakout_rooms.RoomState.LIVE:
        for present in _presence(change, call):
            if present is not None and present.state is not Where.WAITING:
                yield present


def _room(change: Change, call: PhoneCall) -> Room | None:
    return None if call.place is None else ROOMS.one(change, BY_PLACE, call.place, call.client)


def _route_facts(change: Change, call: PhoneCall, present: Presence) -> dict[str, Any]:
    """The breakout room of the call and its channel."""
    room = _room(change, call)
    assert room is not None
    return {"room": room.id, "place": room.place}


def _of_draft(function: Any) -> Any:
    """The function of a call, or of a call and what is related to it, for a call that is being created."""

    def of_draft(change: Change, call: None, draft: PhoneCall) -> Any:
        return function(change, draft)

    def of_related(change: Change, call: None, related: Any, draft: PhoneCall) -> Any:
        return function(change, draft, related)

    return {2: of_draft, 3: of_related}[function.__code__.co_argcount]


def _phone(to: str, of: Any, source: str) -> tuple[Need, ...]:
    """The needs of a call that is answered by this trigger; ``of`` adapts functions of the call."""
    join = Need(
        calls.MACHINE,
        to,
        CallState.ANSWERED,
        presence.MACHINE,
        "join",
        of(_presence),
        facts=of(_joining),
        details=of(_limit),
        source=source,
    )
    route = Need(
        calls.MACHINE,
        to,
        CallState.ANSWERED,
        presence.MACHINE,
        "route",
        of(_in_event_room),
        facts=of(_route_facts),
        source="R498, G450",
    )
    return join, route


# The session of a recording counts as recorded; one that has not started starts with it

_INITIALISED = sessions.SessionState.INITIALISED


def _new_session(change: Change, recording: Recording | None, channel: Channel) -> Iterable[dict[str, Any]]:
    """A session without a parent, when the channel has none that has not ended."""
    session = sessions.find_open(change, channel.client, channel.id)
    return ({"channel": channel, "parent": None},) if session is None else ()


def _initialised(change: Change, recording: Recording | None, channel: Channel) -> Iterable[Session]:
    """The session of the channel that has not started yet."""
    session = sessions.find_open(change, channel.client, channel.id)
    return () if session is None or session.state is not _INITIALISED else (session,)


def _recorded(change: Change, recording: Recording | None, channel: Channel) -> Iterable[Session]:
    """The active session of the channel, where it counts as recorded once a recording of it starts (G374)."""
    session = sessions.find_active(change, channel)
    return () if session is None or ask(change, assumed.HAD_RECORDING) != "started" else (session,)


def _with_recording(change: Change, recording: Recording) -> Iterable[Session]:
    """The session of the recording, where it counts as recorded once a recording of it is ready (G374)."""
    if ask(change, assumed.HAD_RECORDING) == "ready":
        yield sessions.SESSIONS.of(change, recording.client)[recording.session]


NEEDS: tuple[Need, ...] = (
    *_phone("answer", lambda function: function, "P2 L307, R497, G450, G452"),
    *_phone("be picked up", lambda function: function, "P2 L307, R497, G450, G452"),
    *_phone("dial in", _of_draft, "P2 L296-297, R324, R478, R479, G466"),
    Need(
        recordings.MACHINE,
        "start with session",
        RecordingState.IN_PROGRESS,
        sessions.MACHINE,
        "initialise",
        _new_session,
        creates=True,
        source="R359, G483",
    ),
    Need(
        recordings.MACHINE,
        "start with session",
        RecordingState.IN_PROGRESS,
        sessions.MACHINE,
        "start",
        _initialised,
        source="R359, G483",
    ),
    *(
        Need(
            recordings.MACHINE,
            trigger,
            RecordingState.IN_PROGRESS,
            sessions.MACHINE,
            "be recorded",
            _recorded,
            source="R286, G374",
        )
        for trigger in ("start", "start with session")
    ),
    Need(
        recordings.MACHINE,
        "finish",
        RecordingState.READY,
        sessions.MACHINE,
        "be recorded",
        _with_recording,
        source="R286, G374",
    ),
    Need(
        api_tokens.MACHINE,
        "regenerate",
        api_tokens.ApiTokenState.EXISTS,
        credentials.MACHINE,
        "revoke",
        related_identity.value_of,
        source="P1 States L183, R118, G280",
    ),
)
