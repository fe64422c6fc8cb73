"""Invariants about events: the log tells exactly what opened and closed in the records, once each, in this order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from msgspec import Struct

from kit.exploration.step import Step
from kit.exploration.view import View, word

from .invariant import Statements

STATED = Statements()


class Told(Struct, frozen=True):
    """What opens and closes: its records as keys with the payload that tells of each, and the kinds of event.

    ``channel`` and so on are the fields of a payload that name the record.
    """

    opens: str
    closes: str
    names: Callable[[dict[str, Any]], Any]
    present: Callable[[View], set[Any]]


def _states(table: str, field: str, *states: str) -> Callable[[View], set[Any]]:
    return lambda view: {record.id for record in view[table] if word(getattr(record, field)) in states}


def _participant(payload: dict[str, Any]) -> Any:
    return payload.get("channel"), payload.get("user")


def _named(field: str) -> Callable[[dict[str, Any]], Any]:
    return lambda payload: payload.get(field)


#: What is told when it opens, and when it closes; "" where the documents and the register name no event for it.
TOLD: tuple[Told, ...] = (
    Told("participant.joined", "participant.left", _participant, lambda view: set(view.inside)),
    Told("participant.waiting", "participant.waited", _participant, lambda view: set(view.waiting)),
    Told(
        "room.entered",
        "room.left",
        lambda payload: (*_participant(payload), payload.get("room")),
        lambda view: {(*who, present.room) for who, present in view.inside.items() if present.room is not None},
    ),
    Told(
        "room.created",
        "room.deleted",
        _named("channel"),
        lambda view: {channel.id for channel in view["room channels"]},
    ),
    Told("session.started", "session.ended", _named("session"), _states("sessions", "state", "ongoing")),
    Told(
        "breakout.started", "breakout.ended", _named("breakoutSession"), _states("breakout sessions", "phase", "active")
    ),
    Told("recording.started", "recording.stopped", _named("recording"), _states("recordings", "state", "in progress")),
    Told("recording.ready", "", _named("recording"), _states("recordings", "state", "ready")),
    Told("recording.failed", "", _named("recording"), _states("recordings", "state", "failed")),
    Told("broadcast.started", "broadcast.stopped", _named("broadcast"), _states("broadcasts", "state", "running")),
    Told("call.answered", "", _named("call"), _states("calls", "state", "answered")),
    Told("call.started", "call.ended", _named("call"), _states("calls", "state", "ringing", "answered")),
    Told("channel.created", "channel.deleted", _named("channel"), lambda view: {each.id for each in view["channels"]}),
    Told("user.created", "user.removed", _named("user"), lambda view: set(view.users)),
    Told(
        "lobby.opened",
        "lobby.closed",
        _named("channel"),
        lambda view: {channel.id for channel in view["channels"] if channel.open},
    ),
    Told(
        "media.added",
        "media.removed",
        _named("media"),
        lambda view: {asset.id for table in ("channel media", "client media") for asset in view[table]},
    ),
    Told(
        "service.enabled",
        "service.disabled",
        _named("client"),
        lambda view: {client.id for client in view["clients"] if word(client.service) == "enabled"},
    ),
)
#: Kinds that tell of something that exists when it opens, so that a removal of the record closes nothing by itself.
_ONCE = {"recording.ready", "recording.failed", "call.answered"}


def _moves(step: Step) -> Iterator[tuple[str, Any]]:
    """Yield the events that the records ask for, as kind and name of the record."""
    for told in TOLD if step.tables else ():
        before, after = told.present(step.before), told.present(step.after)
        for name in after - before:
            yield told.opens, name
        for name in before - after:
            if told.closes:
                yield told.closes, name
            elif told.opens not in _ONCE:
                yield f"the end of {told.opens}", name


def _told(step: Step) -> Counter[tuple[str, Any]]:
    by_kind = {kind: told.names for told in TOLD for kind in (told.opens, told.closes) if kind}
    return Counter(
        (str(word(event.kind)), by_kind[str(word(event.kind))](event.payload))
        for event in step.events
        if str(word(event.kind)) in by_kind
    )


def _is_new_client(step: Step, name: Any) -> bool:
    return (name in step.after.clients) is not (name in step.before.clients)


def _is_new_channel(step: Step, name: Any) -> bool:
    return (name in step.after.channels) is not (name in step.before.channels)


@STATED.step(
    "told",
    "What opens and closes in the records is told, once each.",
    "G533, P2 Events L366-376",
)
def _is_told(step: Step) -> Iterator[str]:
    told = _told(step)
    for kind, name in _moves(step):
        if kind.startswith("service.") and _is_new_client(step, name):
            continue
        if kind.startswith("lobby.") and _is_new_channel(step, name):
            continue
        if told[kind, name] != 1:
            yield f"{kind}: {told[kind, name]} times"


@STATED.step(
    "told-of-what-happened",
    "Only what has happened is told: each event has its change in the records.",
    "G533, P2 Events L366-376",
)
def _happened(step: Step) -> Iterator[str]:
    moves = Counter(_moves(step))
    passing = _passing(step)
    for (kind, name), count in _told(step).items():
        if moves[kind, name] < count and (kind, name) not in passing:
            yield f"{kind}: {'again' if moves[kind, name] else 'nothing happened'}"


def _passing(step: Step) -> set[tuple[str, Any]]:
    """Return the events of what opened and closed within one step: both must be told then."""
    told = _told(step)
    found = set()
    for each in TOLD:
        for kind, name in list(told):
            if kind == each.opens and each.closes and told[each.closes, name] == told[kind, name]:
                found |= {(each.opens, name), (each.closes, name)}
    # A call that is answered and over within one step is told to be answered, too.
    found |= {("call.answered", name) for kind, name in told if kind == "call.ended" and told["call.started", name]}
    # A recording that is processed when its channel is deleted fails, and goes with it (R364, G309).
    recordings = {each.id: word(each.state) for each in step.before["recordings"]}
    gone = recordings.keys() - {each.id for each in step.after["recordings"]}
    found |= {("recording.failed", id) for id in gone if recordings[id] in ("in progress", "processing")}
    # Switches may be set again to what they are; the register has an event for each call (G537).
    return found | {
        (kind, name) for kind, name in told if kind.split(".")[0] in ("lobby", "service") and told[kind, name] == 1
    }


#: Of two kinds told in one step about one channel, the first comes first.
ORDER: tuple[tuple[str, str], ...] = (
    ("channel.created", "session.started"),
    ("session.started", "participant.joined"),
    ("participant.left", "session.ended"),
    ("session.ended", "channel.deleted"),
    ("recording.stopped", "session.ended"),
    ("recording.started", "recording.stopped"),
    ("recording.stopped", "recording.ready"),
    ("breakout.ended", "session.ended"),
    ("broadcast.stopped", "session.ended"),
    ("participant.left", "user.removed"),
    ("user.created", "participant.joined"),
    ("call.started", "call.ended"),
    ("lobby.opened", "participant.joined"),
    ("room.created", "session.started"),
    ("session.ended", "room.deleted"),
    ("breakout.started", "room.entered"),
    ("room.left", "breakout.ended"),
    ("broadcast.started", "broadcast.stopped"),
    ("call.started", "call.answered"),
    ("call.answered", "call.ended"),
)
#: Of two kinds told in one step about one user.
ORDER_OF_USER: tuple[tuple[str, str], ...] = (
    ("user.created", "participant.waiting"),
    ("participant.waited", "participant.joined"),
    ("participant.joined", "room.entered"),
    ("room.left", "participant.left"),
    ("participant.left", "participant.waiting"),
    ("participant.left", "user.removed"),
    ("participant.waited", "user.removed"),
    ("call.started", "participant.joined"),
    ("participant.left", "call.ended"),
)


@STATED.step(
    "told-in-order",
    "Events are told in this order: what contains something begins before it and ends after it.",
    "G533, the order of the table ORDER",
)
def _in_order(step: Step) -> Iterator[str]:
    places: dict[tuple[str, str], list[int]] = {}
    for place, event in enumerate(step.events):
        about = str(event.payload.get("channel") or event.payload.get("user"))
        places.setdefault((str(word(event.kind)), about), []).append(place)
        if "user" in event.payload:
            places.setdefault((str(word(event.kind)), event.payload["user"]), []).append(place)
    for first, second in (*ORDER, *ORDER_OF_USER):
        for (kind, about), at in places.items():
            later = places.get((second, about))
            if (first, second) in ORDER_OF_USER and not isinstance(about, int):
                continue
            if kind == first and later and max(at) > min(later):
                yield f"{second} before {first}"


#: What belongs to the session that its payload names.
IN_A_SESSION = frozenset(
    {
        *("participant.joined", "participant.left", "room.entered", "room.left"),
        *("recording.started", "recording.stopped"),
    }
)


@STATED.step(
    "told-within-the-session",
    "What belongs to a session names one, and is told after its start and before its end.",
    "G533, P2 Session L64-70",
)
def _is_within(step: Step) -> Iterator[str]:
    started, ended, known = {}, {}, None
    for place, event in enumerate(step.events):
        kind, session = str(word(event.kind)), event.payload.get("session")
        if kind == "session.started":
            started[session] = place
        elif kind == "session.ended":
            ended[session] = place
    for place, event in enumerate(step.events):
        kind, session = str(word(event.kind)), event.payload.get("session")
        if kind not in IN_A_SESSION:
            continue
        known = known or {each.id for view in (step.before, step.after) for each in view["sessions"] if each.started}
        if session not in known | started.keys():
            yield f"{kind} names no session that has started"
        if place < started.get(session, -1):
            yield f"{kind} before its session.started"
        if place > ended.get(session, place):
            yield f"{kind} after its session.ended"


@STATED.step(
    "told-one-room-at-a-time",
    "Who is told to enter a room is in no other one then, and who is told to leave a room is in it.",
    "G533, P2 States L166-168",
)
def _one_at_a_time(step: Step) -> Iterator[str]:
    rooms = {who: present.room for who, present in step.before.inside.items() if present.room is not None}
    for event in step.events:
        kind, who, room = str(word(event.kind)), _participant(event.payload), event.payload.get("room")
        if kind == "room.entered":
            if who in rooms:
                yield "a room is entered from within a room"
            rooms[who] = room
        elif kind == "room.left" and rooms.pop(who, None) != room:
            yield "a room is left by who is not in it"


def _roles(view: View) -> dict[Any, Any]:
    return {(host.channel, host.user): word(host.role) for host in view["hosts"]}


def _assigned(view: View) -> dict[Any, Any]:
    return {(each.breakout, each.user): each.room for each in view["assignments"]}


def _presenting(view: View) -> dict[Any, Any]:
    return {who: present.presenter for who, present in view.inside.items()}


def _accepted(view: View) -> dict[Any, Any]:
    return {user.id: user.accepted for user in view["users"]}


def _accounts(kind: str) -> Callable[[View], dict[Any, Any]]:
    return lambda view: {user.id: word(user.account) for user in view["users"] if word(user.account) in kind.split()}


def _details(table: str, *untold: str) -> Callable[[View], dict[Any, Any]]:
    def details(view: View) -> dict[Any, Any]:
        return {
            each.id: tuple(getattr(each, name) for name in each.__struct_fields__ if name not in untold)
            for each in view[table]
        }

    return details


class ToldChange(Struct, frozen=True):
    """What is told when a value differs: the kind of event, what names the record, its value by this name.

    ``stays`` is whether only records that there were before and are afterwards count.
    """

    kind: str
    names: Callable[[dict[str, Any]], Any]
    values: Callable[[View], dict[Any, Any]]
    stays: bool = True


#: Of a user: what follows from other records, what has kinds of its own, and what only the service knows.
_UNTOLD_OF_USERS = (
    *(
        "account",
        "accepted",
        "accepts_again",
        "auth_kind",
        "channel",
        "ends",
        "follows",
        "hosting",
        "identity",
        "origin_id",
        "pending",
    ),
)
CHANGES: tuple[ToldChange, ...] = (
    ToldChange("role.changed", _participant, _roles, stays=False),
    ToldChange(
        "assignment.changed", lambda payload: (payload["breakoutSession"], payload["user"]), _assigned, stays=False
    ),
    ToldChange("presenter.changed", _participant, _presenting),
    ToldChange("terms.accepted", _named("user"), _accepted),
    ToldChange("user.registered", _named("user"), _accounts("guest registered")),
    ToldChange("user.connected", _named("user"), _accounts("predefined registered")),
    ToldChange("user.changed", _named("user"), _details("users", *_UNTOLD_OF_USERS)),
    ToldChange("channel.changed", _named("channel"), _details("channels", "open")),
    ToldChange("channel.changed", _named("channel"), _details("room channels", "open")),
)


def _outlasts(table: str) -> Callable[[View, View, Any], bool]:
    """Return whether what a name begins with is in the table before and afterwards."""
    return lambda before, after, name: all(name[0] in {each.id for each in view[table]} for view in (before, after))


#: Kinds of changes within something: with that itself they begin and end untold.
_WITHIN = {"role.changed": _outlasts("channels"), "assignment.changed": _outlasts("breakout sessions")}


@STATED.step(
    "changes-are-told",
    "What integrators follow is told when its value differs: roles, assignments, presenters, terms, accounts, details.",
    "G533, P2 Events L366-376",
)
def _changes_are_told(step: Step) -> Iterator[str]:
    told = {
        (str(word(event.kind)), change.names(event.payload))
        for event in step.events
        for change in CHANGES
        if change.kind == str(word(event.kind))
    }
    for change in CHANGES if step.tables else ():
        before, after = change.values(step.before), change.values(step.after)
        for name in before.keys() & after.keys() if change.stays else before.keys() | after.keys():
            if change.kind in _WITHIN and not _WITHIN[change.kind](step.before, step.after, name):
                continue
            if before.get(name) != after.get(name) and (change.kind, name) not in told:
                yield f"{change.kind}: not told"


#: The same when the last user leaves: the channel is empty, its door closes, then the session ends.
ORDER_OF_LEAVING: tuple[tuple[str, str], ...] = (
    ("participant.left", "lobby.closed"),
    ("lobby.closed", "session.ended"),
)


@STATED.step(
    "told-in-order-of-leaving",
    "When the last user leaves, the channel becomes empty, the door closes by itself, and then the session ends.",
    "R342, G359, the order of the table ORDER_OF_LEAVING",
)
def _in_order_of_leaving(step: Step) -> Iterator[str]:
    if len(step.events) > 1 and step.act.operation in ("leave_channel", "hang_up"):
        kinds = [(str(word(event.kind)), event.payload.get("channel")) for event in step.events]
        for first, second in ORDER_OF_LEAVING:
            for place, (kind, channel) in enumerate(kinds):
                if kind == second and (first, channel) in kinds[place:]:
                    yield f"{second} before {first}"


def _clients(step: Step, payload: dict[str, Any]) -> set[str]:
    """Return the clients of what a payload names, before or after the step."""
    found: set[str] = set()
    for view in (step.after, step.before):
        named = (view.channels.get(payload.get("channel", "")), view.users.get(payload.get("user", -1)))
        found |= {record.client for record in named if record is not None}
    return found | {payload["client"]} if payload.get("client") else found


@STATED.step(
    "told-to-its-client",
    "An event stands in the log of the client of the records that it names.",
    "P1 L7, G533",
)
def _to_its_client(step: Step) -> Iterator[str]:
    for event in step.events:
        if _clients(step, event.payload) - {event.client}:
            yield f"{word(event.kind)} is told to another client"


@STATED.step(
    "events-are-numbered",
    "Events of a client are recorded at the instant at which they happen, each with a number and an id of its own.",
    "G533, G534",
)
def _numbered(step: Step) -> Iterator[str]:
    numbers = Counter((event.client, event.number) for event in step.events)
    ids = Counter(event.id for event in step.events)
    if max(numbers.values(), default=1) > 1 or max(ids.values(), default=1) > 1:
        yield "two events with one number"
    if step.act.operation != "advance_clock" and any(event.at != step.after.now for event in step.events):
        yield "at another instant"


INVARIANTS = tuple(STATED.invariants)
