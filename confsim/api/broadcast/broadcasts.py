"""Live streaming: destinations of a channel, its broadcast and their history (P2 Live streaming)."""

from datetime import UTC, datetime
from typing import Annotated

from confsim.api.call import API, Call
from confsim.api.forms import BroadcastId, ChannelId, ClientId, DestinationId, DestinationUrl, SessionId
from confsim.api.views import Id, page
from confsim.assumptions import Reason, ask, broadcast as assumed, note
from confsim.assumptions.protocol import units
from confsim.contract import (
    NO_CONTENT,
    Chosen,
    InUnit,
    Label,
    Limit,
    NoContent,
    Offset,
    SortOrder,
    Source,
    Switch,
    Wire,
    gates,
)
from confsim.domain.broadcast import broadcasts, destinations
from confsim.domain.broadcast.broadcasts import BroadcastSort
from confsim.domain.broadcast.destinations import Destination
from confsim.domain.channels import switches
from confsim.domain.channels.channels import Channel
from confsim.domain.conventions import turn
from confsim.domain.members import roles
from confsim.kernel import Refusal


def _require_feature(call: Call, channel: Channel, *_: object) -> None:
    broadcasts.require_feature(call.change, channel)


operation = API.family(gate=gates.OPERATOR.assumed("G519"), requires=_require_feature, line="P2 Live streaming")
named = API.family(requires=_require_feature, line="P2 L354", source=Source.NAME_ONLY)
broadcasting = API.family(
    gate=gates.OPERATOR, requires=_require_feature, line="P2 L176", source=Source.NAME_ONLY, runtime=True
)


class BroadcastDestination(Wire):
    """A destination of the broadcasts of a channel; ``destination`` is the RTMP URL (P2 Broadcast)."""

    id: Annotated[DestinationId | None, "The id of the destination."] = None
    label: Annotated[str | None, "The name of the destination."] = None
    destination: Annotated[
        str | None, "The RTMP URL that is streamed to; its key is masked for callers who own nothing."
    ] = None
    channelId: Annotated[ChannelId | None, "The channel that it belongs to."] = None
    enabled: Annotated[bool | None, "Whether broadcasts that start go there."] = None


class NewDestination(Wire):
    """A destination to be added."""

    destination: Annotated[DestinationUrl, "The RTMP URL to stream to."]
    label: Annotated[Label | None, "The name of the destination."] = None
    enabled: Annotated[bool | None, "Whether broadcasts that start go there."] = None


Created = Annotated[str | None, "The instant at which the broadcast was asked for.", InUnit(units.BROADCAST_TIMES)]
Started = Annotated[str | None, "The instant at which it began to run; absent before.", InUnit(units.BROADCAST_TIMES)]
Ended = Annotated[str | None, "The instant of its end; absent before.", InUnit(units.BROADCAST_TIMES)]


class BroadcastRecord(Wire):
    """A broadcast (P2 Broadcast); the times are absent as long as they have not come."""

    id: Annotated[BroadcastId | None, "The id of the broadcast."] = None
    clientId: Annotated[ClientId | None, "The client that it belongs to."] = None
    channelId: Annotated[ChannelId | None, "The channel that is broadcast."] = None
    created: Created = None
    started: Started = None
    ended: Ended = None
    sessions: Annotated[list[SessionId] | None, "The sessions of the channel that it showed."] = None


class BroadcastHistory(Wire):
    """A page of the history, with rows where other pages have results (P2 L142)."""

    total: Annotated[int | None, "The number of matching broadcasts."] = None
    rows: Annotated[list[BroadcastRecord] | None, "The broadcasts of the page."] = None


class BroadcastState(Wire):
    """Whether a channel is broadcasting: off, starting or running."""

    state: Annotated[str, "Whether a broadcast is off, starting or running."]


def _time(call: Call, at: int | None) -> str | None:
    if at is None:
        return None
    if ask(call.change, units.BROADCAST_TIMES) == "epoch-ms":
        return str(at)
    return _iso(at)


def _iso(at: int) -> str:
    """An instant (epoch milliseconds) in ISO 8601."""
    instant = datetime.fromtimestamp(at // 1000, UTC).replace(microsecond=at % 1000 * 1000)
    return instant.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _record_view(call: Call, each: broadcasts.Broadcast) -> BroadcastRecord:
    return BroadcastRecord(
        id=each.id,
        clientId=each.client,
        channelId=each.channel,
        created=_time(call, each.created),
        started=_time(call, each.started),
        ended=_time(call, each.ended),
        sessions=list(each.sessions),
    )


def _history_row_view(call: Call, each: broadcasts.Broadcast) -> BroadcastRecord:
    record = _record_view(call, each)
    if ask(call.change, assumed.ROWS) == "summary":
        record = BroadcastRecord(id=record.id, created=record.created, started=record.started, ended=record.ended)
    return record


@operation("GET /channels/{channel}/broadcast/destinations", rules="R024 R334 R524", gaps="G520")
def list_broadcast_destinations(call: Call, channel: Channel) -> list[BroadcastDestination]:
    """List the destinations of a channel, in order of creation."""
    user = call.maybe_user
    whole = ask(call.change, assumed.KEYS) == "shown" or user is None or roles.is_owner(call.change, channel, user)
    return [
        BroadcastDestination(
            id=each.id,
            label=each.label,
            destination=each.url if whole else f"{each.url.rpartition('/')[0]}/***",
            channelId=each.channel,
            enabled=each.enabled,
        )
        for each in destinations.list_destinations(call.change, channel)
    ]


@named(
    "POST /channels/{channel}/broadcast/destinations",
    gate=gates.OWNER,
    rules="R525 R526",
    gaps="G518 G568",
    identifies={"id": "destinations"},
)
def add_broadcast_destination(call: Call, channel: Channel, body: NewDestination) -> Id:
    """Add a destination to a channel; for owners only.

    400 for a URL that is not RTMP.
    """
    return Id(id=destinations.add(call.change, channel, body.destination, body.label, body.enabled).id)


@named(
    "POST /channels/{channel}/broadcast/destinations/{destinationId}/{state}",
    gate=gates.OWNER,
    rules="R369 R525 R526",
    gaps="G568",
)
def set_broadcast_destination_state(call: Call, channel: Channel, destination: Destination, state: Switch) -> None:
    """Enable or disable a destination of a channel; for owners only. A running broadcast is unchanged.

    404 for an id that is none of the channel's.
    """
    turn(call.change, destinations.MACHINE.to(state), destination)


@named(
    "POST /channels/{uuid}/settings/broadcast/{state}",
    gate=gates.ADMIN.assumed("G526 G569"),
    requires=None,
    rules="R523",
    gaps="G569 G597",
)
def set_broadcast_state(call: Call, channel: Channel, state: Switch) -> None:
    """Enable or disable live streaming for a channel."""
    switches.set_feature(call.change, channel, switches.BROADCAST.to(state))
    if state is Switch.DISABLE:
        note(call.change, assumed.OFF_WHILE_RUNNING)


@named("GET /channels/{uuid}/broadcast", gate=gates.OPERATOR.assumed("G570"), rules="R370", gaps="G570")
def get_broadcast_state(call: Call, channel: Channel) -> BroadcastState:
    """Get whether a broadcast of the channel is starting up or running."""
    off, starting, running = ask(call.change, assumed.STATES)
    found = broadcasts.poll(call.change, channel)
    if found is None:
        return BroadcastState(state=off)
    return BroadcastState(state=starting if found.state is broadcasts.BroadcastState.STARTING else running)


@broadcasting(
    "POST /channels/{uuid}/broadcast/start", requires=None, rules="R368 R369 R370 R523 R527 R537", gaps="G569"
)
def start_broadcast(call: Call, channel: Channel) -> None:
    """Start a broadcast of the channel to the destinations that are enabled now; for any host.

    403 while live streaming is off for the channel; 409 without an enabled destination, or when one is running.
    """
    broadcasts.start(call.change, channel)


@broadcasting("POST /channels/{uuid}/broadcast/stop", rules="R527 R537", gaps="G569")
def stop_broadcast(call: Call, channel: Channel) -> None:
    """Stop the broadcast of the channel; for any host.

    409 when there is none.
    """
    broadcasts.stop(call.change, channel)


@operation(
    "GET /channels/{uuid}/broadcast/history", rules="R026 R027 R028 R528", gaps="G523", identifies={"id": "broadcasts"}
)
def list_broadcast_history(
    call: Call,
    channel: Channel,
    *,
    session: Annotated[SessionId | None, "The session that a broadcast showed."] = None,
    sort: BroadcastSort | None = None,
    order: SortOrder = SortOrder.DESC,
    offset: Offset | None = None,
    limit: Limit | None = None,
) -> BroadcastHistory:
    """List the broadcasts of a channel, or those that showed one session, the latest first unless asked otherwise."""
    found = broadcasts.list_history(call.change, channel, session, sort, descending=order is SortOrder.DESC)
    if not found and ask(call.change, assumed.EMPTY_HISTORY) == "absent":
        return BroadcastHistory()
    shown = page(call, found, limit, offset, lambda rows: [_history_row_view(call, each) for each in rows])
    return BroadcastHistory(total=shown.total, rows=shown.results)


@operation("GET /channels/{uuid}/broadcast/history/{broadcastID}", rules="R335 R529")
def get_broadcast(call: Call, channel: Channel, broadcast: broadcasts.Broadcast) -> BroadcastRecord:
    """Get one broadcast of a channel.

    404 for an id that is none of the channel's.
    """
    return _record_view(call, broadcast)


_WITHOUT = Chosen(assumed.WITHOUT, {"404": BroadcastRecord, "204": BroadcastRecord | NoContent, "{}": BroadcastRecord})


@operation("GET /channels/{uuid}/broadcast/metrics", rules="R335 R370 R530", gaps="G524 G525")
def get_broadcast_metrics(call: Call, channel: Channel) -> Annotated[BroadcastRecord | NoContent, _WITHOUT]:
    """Get the metrics of the running broadcast; without started while it is starting up.

    404 when nothing is broadcast.
    """
    found = broadcasts.poll(call.change, channel)
    if found is not None:
        return _record_view(call, found)
    answer = ask(call.change, assumed.WITHOUT)
    if answer == "404":
        raise Refusal(Reason.NO_BROADCAST)
    return NO_CONTENT if answer == "204" else BroadcastRecord()
