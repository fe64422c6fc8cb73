"""Broadcasts: live streams of a channel to its destinations, and their history."""

from collections.abc import Sequence
from enum import Enum, StrEnum

from confsim.assumptions import Reason, ask, broadcast as assumed, not_found, note_shown
from confsim.assumptions.protocol import durations
from confsim.domain import delays
from confsim.domain.channels.channels import Channel
from confsim.domain.conventions import fresh_id
from confsim.domain.delays import NO_POLL_LEFT, count_poll
from confsim.domain.lists import in_order
from confsim.domain.runtime import sessions
from confsim.kernel import (
    ABSENT,
    CREATED,
    Change,
    Guard,
    Index,
    Machine,
    Order,
    Record,
    Refusal,
    Row,
    Table,
    Unique,
    replace,
)

from . import destinations


class BroadcastState(Enum):
    """The state of a broadcast (P2 States L176)."""

    STARTING = "starting"
    RUNNING = "running"
    ENDED = "ended"


class Broadcast(Record, kw_only=True):
    """One broadcast. Instants in epoch milliseconds; ``sessions`` are the ids of the channel's sessions in it.

    ``destinations`` are its URLs, fixed when it starts (R369). ``polls_left`` is the number of further reads that find
    it starting, None when a timer ends the starting, at ``starting_ends``.
    """

    id: str
    client: str
    channel: str
    created: int
    started: int | None = None
    ended: int | None = None
    state: BroadcastState = BroadcastState.STARTING
    sessions: tuple[str, ...] = ()
    destinations: tuple[str, ...] = ()
    polls_left: int | None = 0
    starting_ends: int | None = None


def _places(channel: str, sessions: tuple[str, ...], state: BroadcastState) -> tuple[tuple[str, str | None, bool], ...]:
    """The channel with each session, and None for any; and whether it is among those that have ended, or among all."""
    which = (False, True) if state is BroadcastState.ENDED else (False,)
    return tuple((channel, session, ended) for session in (None, *sessions) for ended in which)


#: The columns by which a history is sorted; those that have not started, or ended, are the latest.
COLUMNS: dict[str, Order[Broadcast]] = {
    "created": Order("created", "created"),
    "started": Order("started", "started", key=lambda started: (started is None, started or 0)),
    "ended": Order("ended", "ended", key=lambda ended: (ended is None, ended or 0)),
}
HISTORY: Index[Broadcast] = Index(
    "history", "channel", "sessions", "state", of=_places, orders=(CREATED, *COLUMNS.values())
)
BY_CHANNEL: Index[Broadcast] = Index("channel", "channel")
#: The broadcast of a channel that has not ended, at most one.
OPEN: Unique[Broadcast] = Unique(
    "open", "channel", "state", of=lambda channel, state: () if state is BroadcastState.ENDED else (channel,)
)
BROADCASTS: Table[str, Broadcast] = Table("broadcasts", Broadcast, "id", BY_CHANNEL, OPEN, HISTORY)


MACHINE: Machine[BroadcastState, Broadcast] = Machine(
    "broadcast",
    "A live stream of a channel (R335, R368-R370, R523, R527).",
    BROADCASTS,
    BroadcastState,
    state="state",
    refused=Reason.NO_BROADCAST,
)
_POLL = MACHINE.trigger("poll")
_COME_UP = MACHINE.trigger("come up")
STOP = MACHINE.trigger("stop", refused=Reason.NOT_BROADCASTING)
LOSE_SESSION = MACHINE.trigger("lose session")
REMOVE = MACHINE.trigger("remove")
_WHEN_OPEN = dict.fromkeys((BroadcastState.STARTING, BroadcastState.RUNNING), Reason.BROADCAST_RUNNING)


@MACHINE.effect("start", refused={ABSENT: Reason.NO_DESTINATION, **_WHEN_OPEN})
def _start(change: Change, broadcast: Broadcast | None, channel: Channel) -> Broadcast:
    """The broadcast is starting, to the destinations that are enabled now."""
    wait = delays.wait(change, durations.BROADCAST_START, since=change.now)
    session = sessions.find_active(change, channel)
    return Broadcast(
        id=fresh_id(change),
        client=channel.client,
        channel=channel.id,
        created=change.now,
        sessions=() if session is None else (session.id,),
        destinations=destinations.enabled(change, channel),
        polls_left=wait.polls_left,
        starting_ends=wait.ends,
    )


def _come_up(change: Change, broadcast: Broadcast) -> Broadcast:
    """The broadcast is running."""
    return replace(broadcast, started=change.now, polls_left=0, starting_ends=None)


@MACHINE.effect("take session in")
def take_session_in(change: Change, broadcast: Broadcast, session: str) -> Broadcast:
    """A session that starts during the broadcast is added to it."""
    return replace(broadcast, sessions=(*broadcast.sessions, session))


def _end(change: Change, broadcast: Broadcast) -> Broadcast:
    """The broadcast has ended."""
    return replace(broadcast, ended=change.now, starting_ends=None)


_DESTINED = Guard(
    "a destination is enabled", lambda change, broadcast, channel: bool(destinations.enabled(change, channel))
)
_STARTED = MACHINE.deadline("broadcast start", lambda broadcast: broadcast.starting_ends, subject="channel")
_STARTING, _RUNNING, _ENDED = BroadcastState
_OPEN = (_STARTING, _RUNNING)

MACHINE.declare(
    Row(_start, ABSENT, _STARTING, only_if=_DESTINED, source="P2 L176, R368, R369"),
    Row(_POLL, _STARTING, _RUNNING, only_if=NO_POLL_LEFT, effect=_come_up, source="P2 L176, R370, G525"),
    Row(_POLL, _STARTING, _STARTING, only_if=~NO_POLL_LEFT, effect=count_poll, source="G525"),
    Row(_POLL, _RUNNING, _RUNNING, source="P2 L352"),
    Row(_COME_UP, _STARTING, _RUNNING, effect=_come_up, at=_STARTED, source="P2 L176, R370, G525"),
    Row(take_session_in, _STARTING, _STARTING, source="P2 L141"),
    Row(take_session_in, _RUNNING, _RUNNING, source="P2 L141"),
    Row(STOP, _OPEN, _ENDED, effect=_end, source="P2 L345, R527"),
    Row(LOSE_SESSION, _OPEN, _ENDED, effect=_end, source="P2 Session L72, G569"),
    Row(REMOVE, tuple(BroadcastState), ABSENT, source="G309"),
)


def find_open(change: Change, client: str, channel: str) -> Broadcast | None:
    """The broadcast of the channel that has not ended, or None."""
    return BROADCASTS.one(change, OPEN, channel, client)


def require_feature(change: Change, channel: Channel, *, start: bool = False) -> None:
    """Refusal BROADCAST_OFF when the feature is off for the channel and the call requires it (R523, G520)."""
    note_shown(change, channel, "broadcast_enabled")
    if not channel.broadcast_enabled and (start or ask(change, assumed.WHILE_OFF) == "all-refused"):
        raise Refusal(Reason.BROADCAST_OFF)


def start(change: Change, channel: Channel) -> Broadcast:
    """Start a broadcast of the channel.

    Refusals BROADCAST_OFF, NO_DESTINATION, BROADCAST_RUNNING, NO_ACTIVE_SESSION.
    """
    require_feature(change, channel, start=True)
    session = sessions.find_active(change, channel)
    if session is None and ask(change, assumed.NEEDS_SESSION):
        raise Refusal(Reason.NO_ACTIVE_SESSION)
    broadcast = _start(change, find_open(change, channel.client, channel.id), channel)
    return _COME_UP(change, broadcast) if broadcast.polls_left == 0 else broadcast


def stop(change: Change, channel: Channel) -> None:
    """Stop the broadcast of the channel, also while it is starting. Refusal NOT_BROADCASTING."""
    STOP(change, find_open(change, channel.client, channel.id))


def poll(change: Change, channel: Channel) -> Broadcast | None:
    """The starting or running broadcast of the channel, or None; a read may end the starting (G525)."""
    return _POLL.if_allowed(change, find_open(change, channel.client, channel.id))


class BroadcastSort(StrEnum):
    """The columns by which the history is listed (G523)."""

    CREATED = "created"
    STARTED = "started"
    ENDED = "ended"


def list_history(
    change: Change, channel: Channel, session: str | None, sort: BroadcastSort | None, *, descending: bool
) -> Sequence[Broadcast]:
    """The broadcasts of the channel, those of one session when given, in order (R528)."""
    is_open = find_open(change, channel.client, channel.id) is not None
    ended = is_open and ask(change, assumed.HISTORY) != "all"
    found = BROADCASTS.where(change, HISTORY, (channel.id, session, ended), channel.client)
    column = ask(change, assumed.SORT) if sort is None else sort.value
    return in_order(change, found, COLUMNS[column], descending=descending)


def _shown(change: Change, broadcast: Broadcast) -> bool:
    return broadcast.state is BroadcastState.ENDED or ask(change, assumed.HISTORY) == "all"


def get(change: Change, channel: Channel, id: str) -> Broadcast:
    """The broadcast of the channel of this id. Refusal NOT_FOUND."""
    broadcast = BROADCASTS.get(change, id, channel.client)
    if broadcast is None or broadcast.channel != channel.id or not _shown(change, broadcast):
        not_found("broadcast", id)
    return broadcast
