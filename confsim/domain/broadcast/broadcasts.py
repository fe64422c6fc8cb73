"""Broadcasts: live streams of a channel to its destinations, and their history."""

from __future__ import annotations

from enum import Enum, StrEnum
from typing import Any

from msgspec.structs import replace

from confsim.assumptions import broadcast as assumed
from confsim.assumptions.protocol import durations
from confsim.assumptions.refusals import Reason
from confsim.assumptions.register import ask
from confsim.domain import delays
from confsim.domain.channels import switches
from confsim.domain.channels.channels import Channel
from confsim.domain.lists import ordered
from confsim.domain.runtime import sessions
from confsim.kernel.old_machine import Facts, Guard, Machine, Row
from confsim.kernel.refusal import Refusal
from confsim.kernel.table import Index, Record, Table
from confsim.kernel.timers import on_timer
from confsim.kernel.world import Change

from . import destinations


class Life(Enum):
    """Where the broadcast of a channel is in its life (P2 States L176)."""

    OFF = "off"
    STARTING = "starting"
    RUNNING = "running"
    ENDED = "ended"


class Broadcast(Record, kw_only=True):
    """One broadcast. Instants in epoch milliseconds; ``sessions`` are ids of the channel's sessions it has shown.

    ``destinations`` are the URLs it goes to, fixed when it starts (R369). ``looks`` is how often it is still looked at
    in vain before it runs, None when time will tell.
    """

    id: str
    client: str
    channel: str
    created: int
    started: int | None = None
    ended: int | None = None
    sessions: tuple[str, ...] = ()
    destinations: tuple[str, ...] = ()
    looks: int | None = 0


BY_CHANNEL: Index[Broadcast] = Index("channel", lambda each: (each.channel,))
#: The broadcast of a channel that has not ended: there is at most one.
OPEN: Index[Broadcast] = Index("open", lambda each: (each.channel,) if each.ended is None else ())
BROADCASTS: Table[str, Broadcast] = Table("broadcasts", Broadcast, "id", BY_CHANNEL, OPEN)


class Run(Record):
    """The broadcast of a channel, there or not: what the machine moves."""

    client: str
    channel: str
    broadcast: Broadcast | None


def _life(run: Run, facts: Facts) -> Life:
    broadcast = run.broadcast
    if broadcast is None:
        return Life.OFF
    if broadcast.ended is not None:
        return Life.ENDED
    return Life.STARTING if broadcast.started is None else Life.RUNNING


def _put(change: Change, run: Run, broadcast: Broadcast) -> Run:
    return Run(run.client, run.channel, BROADCASTS.of(change, run.client).put(broadcast))


def _of(run: Run) -> Broadcast:
    assert run.broadcast is not None
    return run.broadcast


def _start(change: Change, run: Run, facts: Facts) -> Run:
    """It starts up, to the destinations that are enabled now."""
    looks = delays.begin(
        change, durations.BROADCAST_START, "broadcast start", run.client, run.channel, since=change.now
    )
    made = Broadcast(
        id=change.uuid(),
        client=run.client,
        channel=run.channel,
        created=change.now,
        sessions=facts["sessions"],
        destinations=facts["destinations"],
        looks=looks,
    )
    return _put(change, run, made)


def _look(change: Change, run: Run, facts: Facts) -> Run:
    """One more look in vain."""
    broadcast = _of(run)
    return run if not broadcast.looks else _put(change, run, replace(broadcast, looks=broadcast.looks - 1))


def _come_up(change: Change, run: Run, facts: Facts) -> Run:
    """It runs."""
    return _put(change, run, replace(_of(run), started=change.now, looks=0))


def _take_in(change: Change, run: Run, facts: Facts) -> Run:
    """A session that starts meanwhile is shown too."""
    broadcast = _of(run)
    return _put(change, run, replace(broadcast, sessions=(*broadcast.sessions, facts["session"])))


def _end(change: Change, run: Run, facts: Facts) -> Run:
    """It is over for good."""
    change.cancel("broadcast start", run.client, run.channel)
    return _put(change, run, replace(_of(run), ended=change.now))


_DESTINED = Guard("a destination is enabled", lambda run, facts: bool(facts["destinations"]))
_LOOKED = Guard("it was looked at often enough", lambda run, facts: run.broadcast.looks == 0)
_UNDER_WAY = (Life.STARTING, Life.RUNNING)

MACHINE: Machine[Life, Run] = Machine(
    "broadcast",
    "A live stream of a channel (R335, R368-R370, R523, R527).",
    Life,
    (
        Row("start", Life.OFF, Life.STARTING, only_if=_DESTINED, effect=_start, source="P2 L176, R368, R369"),
        Row("look", Life.STARTING, Life.RUNNING, only_if=_LOOKED, effect=_come_up, source="P2 L176, R370, G525"),
        Row("look", Life.STARTING, Life.STARTING, only_if=~_LOOKED, effect=_look, source="G525"),
        Row("look", Life.RUNNING, Life.RUNNING, source="P2 L352"),
        Row("come up", Life.STARTING, Life.RUNNING, effect=_come_up, source="P2 L176, R370, G525"),
        Row("take session in", Life.STARTING, Life.STARTING, effect=_take_in, source="P2 L141"),
        Row("take session in", Life.RUNNING, Life.RUNNING, effect=_take_in, source="P2 L141"),
        Row("stop", _UNDER_WAY, Life.ENDED, effect=_end, source="P2 L345, R527"),
        Row("lose session", _UNDER_WAY, Life.ENDED, effect=_end, source="P2 Session L72, G569"),
    ),
    read=_life,
    refusals={
        ("start", Life.OFF): Reason.NO_DESTINATION,
        "start": Reason.BROADCAST_RUNNING,
        "stop": Reason.NOT_BROADCASTING,
        None: Reason.NO_BROADCAST,
    },
    initial=Life.OFF,
)


def run(change: Change, client: str, channel: str) -> Run:
    """The broadcast of the channel that has not ended, or its absence."""
    return Run(client, channel, BROADCASTS.of(change, client).first(OPEN, channel))


def require_feature(change: Change, channel: Channel, *, start: bool = False) -> None:
    """Refuse what needs the feature while it is off for the channel (R523, G520). Refusal BROADCAST_OFF."""
    if not channel.broadcast_enabled and (start or ask(change, assumed.WHILE_OFF) == "all-refused"):
        raise Refusal(Reason.BROADCAST_OFF)


def switch(change: Change, channel: Channel, event: str) -> None:
    """Enable or disable the feature for the channel; what runs goes on, or ends (G526)."""
    switches.set_feature(change, channel, switches.BROADCAST, event)
    if event == "disable" and ask(change, assumed.OFF_WHILE_RUNNING) == "ends":
        MACHINE.follow(change, run(change, channel.client, channel.id), "stop")


def start(change: Change, channel: Channel) -> Broadcast:
    """Start a broadcast of the channel.

    Refusals BROADCAST_OFF, NO_DESTINATION, BROADCAST_RUNNING, NO_ACTIVE_SESSION.
    """
    require_feature(change, channel, start=True)
    session = sessions.active(change, channel)
    if session is None and ask(change, assumed.NEEDS_SESSION):
        raise Refusal(Reason.NO_ACTIVE_SESSION)
    begun = MACHINE.fire(
        change,
        run(change, channel.client, channel.id),
        "start",
        destinations=destinations.enabled(change, channel),
        sessions=() if session is None else (session.id,),
    )
    if _of(begun).looks == 0:
        begun = MACHINE.fire(change, begun, "come up")
    return _of(begun)


def stop(change: Change, channel: Channel) -> None:
    """Stop the broadcast of the channel, also while it starts up. Refusal NOT_BROADCASTING."""
    MACHINE.fire(change, run(change, channel.client, channel.id), "stop")


def look(change: Change, channel: Channel) -> Broadcast | None:
    """The broadcast of the channel that starts up or runs, None when there is none; looking may bring it up (G525)."""
    return MACHINE.follow(change, run(change, channel.client, channel.id), "look").broadcast


class Sort(StrEnum):
    """The columns by which the history is listed (G523)."""

    CREATED = "created"
    STARTED = "started"
    ENDED = "ended"


def history(
    change: Change, channel: Channel, session: str | None, sort: Sort | None, *, descending: bool
) -> list[Broadcast]:
    """The broadcasts of the channel, those of one session if it is given, in order (R528)."""
    found = BROADCASTS.of(change, channel.client).find(BY_CHANNEL, channel.id)
    kept = [each for each in found if _shown(change, each) and (session is None or session in each.sessions)]
    column = ask(change, assumed.SORT) if sort is None else sort.value
    return ordered(change, kept, lambda each: _instant(each, column), descending=descending)


def _instant(broadcast: Broadcast, column: str) -> Any:
    at = getattr(broadcast, column)
    return (at is None, at or 0)


def _shown(change: Change, broadcast: Broadcast) -> bool:
    return broadcast.ended is not None or ask(change, assumed.HISTORY) == "all"


def get(change: Change, channel: Channel, id: str) -> Broadcast:
    """The broadcast of the channel of this id. Refusal NOT_FOUND."""
    broadcast = BROADCASTS.of(change, channel.client).get(id)
    if broadcast is None or broadcast.channel != channel.id or not _shown(change, broadcast):
        raise Refusal(Reason.NOT_FOUND, what="broadcast", id=id)
    return broadcast


@on_timer("broadcast start")
def _started(change: Change, client: str, channel: str) -> bool:
    MACHINE.follow(change, run(change, client, channel), "come up")
    return True


def stop_in_channel(change: Change, channel: Channel) -> None:
    """The broadcast of a channel that is deleted stops (G309)."""
    MACHINE.follow(change, run(change, channel.client, channel.id), "stop")


def remove_of_channel(change: Change, channel: Channel) -> None:
    """The history of broadcasts goes with the channel (G309)."""
    rows = BROADCASTS.of(change, channel.client)
    for broadcast in rows.find(BY_CHANNEL, channel.id):
        rows.remove(broadcast.id)
