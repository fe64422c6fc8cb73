"""Related subjects and facts of channels, presences, sessions, recordings and broadcasts, for the couplings."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from confsim.assumptions import broadcast as assumed_broadcast
from confsim.assumptions import clients as assumed_clients
from confsim.assumptions import recordings as assumed_recordings
from confsim.assumptions import terms as assumed_terms
from confsim.assumptions.register import ask
from confsim.assumptions.runtime import presence as assumed_presence
from confsim.assumptions.runtime import streaming as assumed_streaming
from confsim.domain import terms
from confsim.domain.broadcast import broadcasts
from confsim.domain.broadcast.broadcasts import Broadcast
from confsim.domain.channels import channels
from confsim.domain.channels.channels import CHANNELS, Channel
from confsim.domain.clients import clients
from confsim.domain.clients.clients import Client
from confsim.domain.recordings import assets, recordings
from confsim.domain.recordings.assets import RecordingAsset
from confsim.domain.recordings.recordings import Recording
from confsim.domain.runtime import occupancy, presence, sessions, streaming
from confsim.domain.runtime.occupancy import Occupancy
from confsim.domain.runtime.presence import Presence
from confsim.domain.runtime.sessions import Session
from confsim.domain.runtime.streaming import Placement
from confsim.domain.users.users import USERS, User
from confsim.kernel.world import Change


def occupancy_of(change: Change, present: Presence) -> Iterable[Occupancy | None]:
    """The occupancy of the channel of the presence."""
    return (occupancy.find(change, present.client, present.channel),)


def occupied(change: Change, present: Presence, occupancy: Occupancy | None) -> dict[str, Any]:
    """The client and the channel with one user more."""
    return {"client": present.client, "channel": present.channel}


def session_at(change: Change, present: Presence) -> Iterable[Session | None]:
    """The open session of the channel in which the user is connected."""
    return (sessions.find_open(change, present.client, present.place or present.channel),)


def attending(change: Change, present: Presence, session: Session | None) -> dict[str, Any]:
    """The user who joins the session, and the number of users inside."""
    user = USERS.of(change, present.client)[present.user]
    place = channels.get(change, present.client, present.place or present.channel)
    return {"user": user, "inside": presence.count_inside(change, place)}


def session_of(change: Change, record: Occupancy | Placement) -> Iterable[Session | None]:
    """The open session of the channel."""
    return (sessions.find_open(change, record.client, record.channel),)


def session_of_base(change: Change, placement: Placement) -> Iterable[Session | None]:
    """The open session of a base channel; that of a room is made when the room opens, not when it is placed."""
    channel = channels.get(change, placement.client, placement.channel)
    if channel.parent is None and ask(change, assumed_streaming.PLACED_SESSION):
        yield from session_of(change, placement)


def new_session(change: Change, record: Occupancy | Placement, session: Session | None) -> dict[str, Any]:
    """The channel of a session without a parent."""
    return {"channel": channels.get(change, record.client, record.channel), "parent": None}


def after_last(change: Change, occupancy: Occupancy, session: Session | None) -> dict[str, Any]:
    """The grace period of an empty session."""
    return sessions.ending(change)


def placement(change: Change, record: Occupancy | Session) -> Iterable[Placement | None]:
    """The placement of the channel."""
    return (streaming.find(change, record.client, record.channel),)


def placed(change: Change, occupancy: Occupancy, placement: Placement | None) -> dict[str, Any]:
    """The channel that is placed."""
    return {"channel": channels.get(change, occupancy.client, occupancy.channel)}


def channel(change: Change, occupancy: Occupancy) -> Iterable[Channel]:
    """The channel."""
    return (channels.get(change, occupancy.client, occupancy.channel),)


def left_empty(change: Change, present: Presence) -> Iterable[Channel]:
    """The event room that became empty, where users in its breakout rooms do not count (G334)."""
    if not occupancy.occupants(change, present.client, present.channel):
        return  # it is empty either way
    channel = channels.get(change, present.client, present.channel)
    if not presence.count_inside(change, channel) and ask(change, assumed_presence.CHANNEL_EMPTY) == "channel":
        yield channel


def empty_already(change: Change, channel: Channel) -> Iterable[Channel]:
    """The channel, when no user is in it and that counts as becoming empty."""
    if not occupancy.occupants(change, channel.client, channel.id) and ask(change, assumed_presence.AUTO_CLOSE_EMPTY):
        yield channel


def channels_below(change: Change, client: Client) -> Iterable[Channel]:
    """The channels of the client and of every client below it, where their sessions end with the service."""
    if ask(change, assumed_clients.DISABLE_ENDS) == "sessions":
        for tenant in clients.descendants(change, client):
            yield from CHANNELS.of(change, tenant.id).all.descending


def present_in_client(change: Change, client: Client) -> Iterable[Presence]:
    """The presences of the client's users who must accept new terms, where these put them out (G177)."""
    if ask(change, assumed_terms.SESSIONS) == "put-out":
        for user in USERS.of(change, client.id).all:
            if terms.is_blocked(change, client, user):
                yield from presences_of_user(change, user)


def waiting(change: Change, channel: Channel) -> Iterable[Presence]:
    """The presences in the lobby, where they are admitted when the door opens."""
    if ask(change, assumed_presence.LOBBY_ON_OPEN) == "admit":
        yield from presence.current(change, presence.waiting(change, channel))


def room_left(change: Change, channel: Channel, present: Presence) -> dict[str, Any]:
    """Whether the channel is full."""
    return {"full": presence.is_full(change, channel)}


def attendees(change: Change, channel: Channel) -> Iterable[Presence]:
    """The presences inside that are no hosts, where they move to the lobby when the door closes."""
    if ask(change, assumed_presence.LOBBY_ON_CLOSE) == "lobby":
        inside = presence.current(change, presence.inside(change, channel))
        yield from (present for present in inside if not presence.hosts(change, present))


def connected(change: Change, session: Session) -> Iterable[Presence]:
    """The presences in the channel, its lobby and its rooms; of a room those inside. Those in the lobby are omitted
    when the session ends because the last user has left.
    """
    channel = channels.get(change, session.client, session.channel)
    if channel.parent is not None:
        return presence.current(change, presence.inside(change, channel))
    if not occupancy.occupants(change, channel.client, channel.id):
        return ()
    return presence.current(change, presence.list_present(change, channel))


def same_presence(change: Change, present: Presence) -> Iterable[Presence]:
    """The presence."""
    return presence.current(change, (present,))


def presences_of_user(change: Change, user: User) -> Iterable[Presence]:
    """The presences of the user in every channel."""
    found = presence.PRESENCES.where(change, presence.BY_USER, user.id, user.client)
    return presence.current(change, found)


def broadcast_of(change: Change, session: Session) -> Iterable[Broadcast]:
    """The broadcast of the channel."""
    broadcast = broadcasts.find_open(change, session.client, session.channel)
    return () if broadcast is None else (broadcast,)


def disabled_broadcast(change: Change, channel: Channel) -> Iterable[Broadcast]:
    """The broadcast of a channel without the feature, where it does not continue (G526)."""
    broadcast = broadcasts.find_open(change, channel.client, channel.id)
    if broadcast is not None and ask(change, assumed_broadcast.OFF_WHILE_RUNNING) == "ends":
        yield broadcast


def showing(change: Change, session: Session, broadcast: Broadcast) -> dict[str, Any]:
    """The session to add to a broadcast."""
    return {"session": session.id}


def recording_of(change: Change, session: Session) -> Iterable[Recording]:
    """The recording of the channel, where it stops with the session."""
    if ask(change, assumed_recordings.SESSION_ENDS) == "stops":
        current = recordings.find_running(change, session.client, session.channel)
        if current is not None:
            yield current


def assets_of(change: Change, recording: Recording) -> Iterable[RecordingAsset]:
    """The assets of the recording."""
    return assets.list_of_recording(change, recording.client, recording.id)


def end_of(change: Change, recording: Recording, asset: RecordingAsset) -> dict[str, Any]:
    """The end of the recording."""
    return {"ended": recording.ended}


def failed_to_remove(change: Change, recording: Recording) -> Iterable[Recording]:
    """The failed recording, where failed recordings are removed (G489)."""
    if ask(change, assumed_recordings.FAILED) == "removed":
        yield recording
