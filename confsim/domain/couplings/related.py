"""What a channel, those in it, its session, recordings and broadcasts have to do with each other, for the couplings."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from confsim.assumptions import clients as assumed_clients
from confsim.assumptions import recordings as assumed_recordings
from confsim.assumptions import runtime
from confsim.assumptions.register import ask
from confsim.domain.broadcast import broadcasts
from confsim.domain.channels import channels
from confsim.domain.channels.channels import CHANNELS, Channel
from confsim.domain.clients import clients
from confsim.domain.clients.clients import Client
from confsim.domain.recordings import assets, recordings
from confsim.domain.recordings.assets import Asset
from confsim.domain.recordings.recordings import Recording
from confsim.domain.runtime import presence, sessions, streaming
from confsim.domain.runtime.presence import Crowd, Presence
from confsim.domain.runtime.sessions import Run
from confsim.domain.runtime.streaming import Placement
from confsim.domain.users.users import USERS, User
from confsim.kernel.world import Change


def crowd(change: Change, present: Presence) -> Iterable[Crowd]:
    """The crowd of the channel where the user is."""
    return (presence.crowd(change, present.client, present.channel),)


def run_at(change: Change, present: Presence) -> Iterable[Run]:
    """The session of the very place where the user is."""
    return (sessions.run(change, present.client, present.place or present.channel),)


def attending(change: Change, present: Presence, run: Run) -> dict[str, Any]:
    """Who comes to the session, and how many are inside by now."""
    user = USERS.of(change, present.client)[present.user]
    place = channels.get(change, present.client, run.channel)
    return {"user": user, "inside": presence.number_inside(change, place)}


def run_of(change: Change, subject: Crowd | Placement) -> Iterable[Run]:
    """The session of the channel."""
    return (sessions.run(change, subject.client, subject.channel),)


def run_of_base(change: Change, placement: Placement) -> Iterable[Run]:
    """The session of a room is made when the room opens, not when its address is asked for."""
    channel = channels.get(change, placement.client, placement.channel)
    if channel.parent is None and ask(change, runtime.PLACED_SESSION):
        yield from run_of(change, placement)


def placement(change: Change, subject: Crowd | Run) -> Iterable[Placement]:
    """Where the channel is hosted."""
    return (streaming.placement(change, subject.client, subject.channel),)


def channel(change: Change, crowd: Crowd) -> Iterable[Channel]:
    """The channel of the crowd."""
    return (channels.get(change, crowd.client, crowd.channel),)


def left_empty(change: Change, present: Presence) -> Iterable[Channel]:
    """The event room that nobody is in any more, where those in its breakout rooms do not count (G334)."""
    if not presence.crowd(change, present.client, present.channel).count:
        return  # it is empty either way
    channel = channels.get(change, present.client, present.channel)
    if not presence.number_inside(change, channel) and ask(change, runtime.CHANNEL_EMPTY) == "channel":
        yield channel


def empty_already(change: Change, channel: Channel) -> Iterable[Channel]:
    """The channel, when nobody is in it and that counts as becoming empty."""
    if not presence.crowd(change, channel.client, channel.id).count and ask(change, runtime.AUTO_CLOSE_EMPTY):
        yield channel


def channels_below(change: Change, client: Client) -> Iterable[Channel]:
    """The channels of the client and of every client below it, when what runs in them ends with the service."""
    if ask(change, assumed_clients.DISABLE_ENDS) == "sessions":
        for tenant in clients.descendants(change, client):
            yield from list(CHANNELS.of(change, tenant.id))


def waiting(change: Change, channel: Channel) -> Iterable[Presence]:
    """Those in the lobby, when they come in as the door opens."""
    if ask(change, runtime.LOBBY_ON_OPEN) == "admit":
        yield from presence.fresh(change, presence.waiting(change, channel))


def fits(change: Change, channel: Channel, present: Presence) -> dict[str, Any]:
    """Whether there is room for one more."""
    return presence.room_left(change, channel)


def attendees(change: Change, channel: Channel) -> Iterable[Presence]:
    """Those inside who are no hosts, when they go to the lobby as the door closes."""
    if ask(change, runtime.LOBBY_ON_CLOSE) == "lobby":
        found = presence.inside(change, channel)
        yield from (each for each in presence.fresh(change, found) if not presence.hosts(change, each))


def connected(change: Change, run: Run) -> Iterable[Presence]:
    """Everybody in the channel, its lobby and its rooms; of a room those inside. When a session ends because the last
    one has left, who waits goes on waiting.
    """
    channel = channels.get(change, run.client, run.channel)
    if channel.parent is not None:
        return presence.fresh(change, presence.inside(change, channel))
    if not presence.crowd(change, channel.client, channel.id).count:
        return ()
    return presence.fresh(change, presence.everybody(change, channel))


def wherever(change: Change, user: User) -> Iterable[Presence]:
    """Every place where the user is."""
    found = presence.PRESENCES.of(change, user.client).find(presence.BY_USER, user.id)
    return presence.fresh(change, found)


def broadcast_of(change: Change, run: Run) -> Iterable[broadcasts.Run]:
    """The broadcast of the channel."""
    return (broadcasts.run(change, run.client, run.channel),)


def showing(change: Change, run: Run, shown: broadcasts.Run) -> dict[str, Any]:
    """The session that a broadcast shows."""
    assert run.session is not None
    return {"session": run.session.id}


def recording_of(change: Change, run: Run) -> Iterable[Recording]:
    """The recording of the channel, when it stops with the session."""
    if ask(change, assumed_recordings.SESSION_ENDS) == "stops":
        current = recordings.running(change, run.client, run.channel)
        if current is not None:
            yield current


def asset_draft(change: Change, recording: Recording, draft: Asset) -> dict[str, Any]:
    """An asset that the processing makes."""
    return {"draft": draft}


def assets_of(change: Change, recording: Recording) -> Iterable[Asset]:
    """The assets of the recording."""
    return assets.of(change, recording.client, recording.id)


def end_of(change: Change, recording: Recording, asset: Asset) -> dict[str, Any]:
    """When the recording ended."""
    return {"ended": recording.ended}


def failed_to_remove(change: Change, recording: Recording) -> Iterable[Recording]:
    """The failed recording, when such ones are removed (G489)."""
    if ask(change, assumed_recordings.FAILED) == "removed":
        yield recording
