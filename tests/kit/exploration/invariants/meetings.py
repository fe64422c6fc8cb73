"""Invariants about meetings: who is inside which session, breakouts and their rooms, doors, phones, recordings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from kit.exploration.step import Step
from kit.exploration.view import View, word

from .doors import obstacle
from .invariant import Statements

STATED = Statements()


@STATED.world(
    "inside-a-session",
    "Everybody who is inside attends the running session of the channel in which they are.",
    "R285, R287, P2 Session L64-72",
    "presences", "sessions", "attendances",
)  # fmt: skip
def _inside_a_session(view: View) -> Iterator[str]:
    for presence in view.inside.values():
        session = view.sessions.get(presence.place or "")
        where = word(presence.state)
        if session is None or word(session.state) != "ongoing":
            yield f"{where}: no session goes on there"
        elif (session.id, presence.user) not in view.attended:
            yield f"{where}: not among the participants"


@STATED.world("nobody-without-channel", "Nobody is in a channel that is gone.", "R551, G309", "presences", "channels")
def _nobody_without_channel(view: View) -> Iterator[str]:
    for presence in view["presences"]:
        if presence.channel not in view.channels or (presence.place and presence.place not in view.channels):
            yield str(word(presence.state))
        if presence.user not in view.users:
            yield "somebody who is gone"


@STATED.world(
    "nobody-in-a-closed-room",
    "Rooms exist only while the breakout goes on: nobody is in a room that is closed or gone.",
    "R312, R356, R357",
    "presences", "breakout rooms", "breakout sessions",
)  # fmt: skip
def _nobody_in_a_closed_room(view: View) -> Iterator[str]:
    rooms = {room.id: room for room in view["breakout rooms"]}
    for presence in view["presences"]:
        if word(presence.state) == "in room":
            room = rooms.get(presence.room)
            if room is None or word(room.state) != "live":
                yield "the room is gone" if room is None else f"the room is {word(room.state)}"
            elif room.place != presence.place:
                yield "the place is that of another room"
        elif presence.room is not None:
            yield f"{word(presence.state)}, and in a room"


@STATED.world(
    "rooms-follow-the-breakout",
    "The rooms of a breakout session are open while it is active, and only then.",
    "R312, R355, R356, R357",
    "breakout rooms", "breakout sessions",
)  # fmt: skip
def _rooms(view: View) -> Iterator[str]:
    active = {each.id for each in view["breakout sessions"] if word(each.phase) == "active"}
    known = {each.id for each in view["breakout sessions"]}
    for room in view["breakout rooms"]:
        if room.breakout not in known:
            yield "a room without its breakout session"
        elif (word(room.state) == "live") is not (room.breakout in active):
            yield f"a room is {word(room.state)} while the breakout is {'active' if room.breakout in active else 'not'}"


@STATED.world(
    "breakout-in-a-meeting",
    "A breakout goes on only in an event room, and only while the main session goes on once it began.",
    "R405, G354, G432, G440",
    "breakout sessions", "channels", "sessions",
)  # fmt: skip
def _breakout(view: View) -> Iterator[str]:
    running = {session.id for session in view["sessions"] if word(session.state) != "ended"}
    for breakout in view["breakout sessions"]:
        channel = view.channels.get(breakout.channel)
        if channel is None:
            yield "a breakout session without its channel"
        elif word(breakout.phase) == "active":
            if not channel.event_room:
                yield "active, and the channel is not an event room"
            if breakout.main is not None and breakout.main not in running:
                yield "active, and the main session has ended"


@STATED.world(
    "no-session-in-a-disabled-client",
    "A disabled client has no open session: runtime operations are refused.",
    "P1 States L178, R111, G163",
    "sessions", "clients",
)  # fmt: skip
def _disabled(view: View) -> Iterator[str]:
    for session in view.sessions.values():
        if word(session.state) == "ongoing" and not view.is_served(session.client):
            yield "a session goes on"


@STATED.world(
    "population",
    "The population of a channel is the number of those inside it and its rooms.",
    "G327, G346",
    "presences", "occupancies",
)  # fmt: skip
def _population(view: View) -> Iterator[str]:
    inside = Counter(channel for channel, _ in view.inside)
    counted = {each.channel: each.count for each in view["occupancies"]}
    for channel in inside.keys() | counted.keys():
        if inside[channel] != counted.get(channel, 0):
            yield f"{inside[channel]} inside, {counted.get(channel, 0)} counted"


@STATED.world(
    "peak",
    "The peak of a session is at least the number of those who are in it.",
    "P2 Session L64, L236",
    "sessions", "presences",
)  # fmt: skip
def _peak(view: View) -> Iterator[str]:
    inside = Counter(presence.place for presence in view.inside.values())
    for session in view.sessions.values():
        if word(session.state) == "ongoing" and session.peak < inside[session.channel]:
            yield "less than the number inside"


@STATED.world(
    "participants",
    "The participants of a session are those who took part in it.",
    "R287, P2 Session L64",
    "sessions", "attendances",
)  # fmt: skip
def _participants(view: View) -> Iterator[str]:
    took_part = Counter(session for session, _ in view.attended)
    for session in view["sessions"]:
        if session.participants != took_part[session.id]:
            yield f"{session.participants} counted, {took_part[session.id]} took part"


@STATED.world(
    "ongoing-session-is-not-empty",
    "A session ends when its last user leaves; that of a breakout room goes on until the breakout session is over.",
    "G359, G438, P2 Session L72",
    "sessions", "presences", "breakout sessions", "breakout rooms",
)  # fmt: skip
def _not_empty(view: View) -> Iterator[str]:
    places = {presence.place for presence in view.inside.values()}
    for session in view.sessions.values():
        if word(session.state) == "ongoing" and session.channel not in places and session.grace_ends is None:
            rooms = any(each.channel == session.channel and word(each.state) == "in room" for each in
                        view["presences"])  # fmt: skip
            channel = view.channels.get(session.channel)
            if not rooms and session.channel not in view.active_rooms:
                yield "a room of a breakout" if channel is not None and channel.parent else "a channel"


@STATED.step(
    "nobody-waits-before-an-open-door",
    "When the door opens, everyone enters whom the channel admits and has room for; others go on waiting.",
    "R339, G329",
    "channels",
)
def _waits(step: Step) -> Iterator[str]:
    for channel_id, user_id in step.after.waiting:
        before, channel = step.before.channels.get(channel_id), step.after.channels.get(channel_id)
        user = step.after.users.get(user_id)
        if before is None or channel is None or user is None or before.open or not channel.open:
            continue
        limit = channel.max_users if channel.population_limit is None else channel.population_limit
        is_full = sum(each == channel_id for each, _ in step.after.inside) >= limit
        if not is_full and not obstacle(step.after, channel, user):
            yield "there is room"


@STATED.world(
    "waiting-is-nowhere",
    "Users in the lobby are in no place and are not presenters.",
    "R340, G328",
    "presences",
)
def _nowhere(view: View) -> Iterator[str]:
    for presence in view.waiting.values():
        if presence.place is not None or presence.presenter:
            yield "in a place" if presence.place is not None else "a presenter"
    for presence in view.inside.values():
        if presence.place is None or (word(presence.state) == "in" and presence.place != presence.channel):
            yield "inside, and not in the place"


@STATED.step(
    "presenters-limit",
    "Nobody becomes a presenter where there are as many presenters as the limit allows.",
    "P2 States L161, R349, R351, G338, G339",
    "presences",
)
def _presenters(step: Step) -> Iterator[str]:
    for key, presence in step.after.inside.items():
        was, channel = step.before.inside.get(key), step.after.channels.get(presence.channel)
        if presence.presenter and not (was is not None and was.presenter) and channel is not None:
            present = sum(each.presenter for each in step.after.inside.values() if each.channel == channel.id)
            if channel.presenters_limit is not None and present > channel.presenters_limit:
                yield f"{present} presenters, limited to {channel.presenters_limit}"


@STATED.step(
    "door-closes-by-itself",
    "With auto-close, the door closes when the channel becomes empty.",
    "R342, G333",
)
def _closes(step: Step) -> Iterator[str]:
    before, after = ({channel for channel, _ in view.inside} for view in (step.before, step.after))
    for channel_id in before - after:
        channel = step.after.channels.get(channel_id)
        if channel is not None and channel.auto_close and channel.open:
            yield "open"


@STATED.world(
    "phones-and-presence",
    "A phone on a call is present in the channel, and nobody is present by a phone that has hung up.",
    "R489, G452, G466",
    "calls", "presences", "users",
)  # fmt: skip
def _phones(view: View) -> Iterator[str]:
    present = {(presence.channel, presence.user) for presence in view["presences"]}
    answered = {(call.channel, call.user) for call in view["calls"] if word(call.state) == "answered"}
    for call in answered:
        if call not in present:
            yield "a call without anybody present"
    for channel, user_id in present:
        user = view.users.get(user_id)
        if user is not None and word(user.account) == "dialled" and (channel, user_id) not in answered:
            yield "somebody present without a call"


@STATED.world(
    "recording-of-a-session",
    "Recordings are made of sessions: one that is in progress belongs to the running session of its channel.",
    "R557, R359, G487",
    "recordings", "sessions",
)  # fmt: skip
def _recording(view: View) -> Iterator[str]:
    known = {session.id: session for session in view["sessions"]}
    for recording in view["recordings"]:
        session = known.get(recording.session)
        if session is None:
            yield "a recording without its session"
        elif not session.had_recording:
            yield "the session does not know that it was recorded"
        elif word(recording.state) == "in progress" and word(session.state) != "ongoing":
            yield f"in progress, and the session is {word(session.state)}"
        if (recording.ended is None) is not (word(recording.state) == "in progress"):
            yield f"{word(recording.state)}, ended {recording.ended is not None}"
        if (recording.ready is not None) is not (word(recording.state) == "ready"):
            yield f"{word(recording.state)}, ready {recording.ready is not None}"


@STATED.step(
    "recordings-come-to-an-end",
    "A recording that has stopped is processed, and becomes ready or fails; if its channel is deleted meanwhile, it is "
    "told to have failed.",
    "R362, R363, R364, G309",
)
def _ends(step: Step) -> Iterator[str]:
    after = {recording.id: word(recording.state) for recording in step.after["recordings"]}
    after |= {event.payload["recording"]: "failed" for event in step.events if word(event.kind) == "recording.failed"}
    for recording in step.before["recordings"]:
        if word(recording.state) in ("in progress", "processing") and recording.id not in after:
            yield f"it was {word(recording.state)}, and vanished"


@STATED.world(
    "assets-follow-the-recording",
    "The files of a recording are uploaded once it is ready, and failed if it failed.",
    "R299, R362, R364, G491",
    "recordings", "recording assets",
)  # fmt: skip
def _assets(view: View) -> Iterator[str]:
    recordings = {recording.id: recording for recording in view["recordings"]}
    for asset in view["recording assets"]:
        recording = recordings.get(asset.recording)
        if recording is None:
            yield "a file without its recording"
        elif word(recording.state) == "ready" and word(asset.state) != "uploaded":
            yield f"ready, and a file is {word(asset.state)}"
        elif word(recording.state) == "failed" and word(asset.state) != "failed":
            yield f"failed, and a file is {word(asset.state)}"


@STATED.world(
    "instants-in-order", "Nothing ends before it started, and nothing that has ended goes on.", "R292, R293, P2 L69-77",
    "sessions", "recordings", "calls", "broadcasts",
)  # fmt: skip
def _instants(view: View) -> Iterator[str]:
    ends = {"sessions": "ended", "calls": "ended", "broadcasts": "ended"}
    for table in ("sessions", "recordings", "calls", "broadcasts"):
        for record in view[table]:
            began = getattr(record, "started", None) or getattr(record, "placed", None)
            if record.ended is not None and began is not None and record.ended < began:
                yield f"{table}: ended before it started"
            if table in ends and (record.ended is None) is (word(record.state) in ("ended", "busy", "failed")):
                yield f"{table}: {word(record.state)} without the right end"
            if any(instant is not None and instant > view.now for instant in (began, record.ended)):
                yield f"{table}: in the future"


@STATED.world(
    "broadcast-of-a-session",
    "The end of the session of a broadcast ends it.",
    "P2 Session L72, G569",
    "broadcasts", "sessions",
)  # fmt: skip
def _broadcast(view: View) -> Iterator[str]:
    open_sessions = {session.id for session in view.sessions.values()}
    for broadcast in view["broadcasts"]:
        if word(broadcast.state) != "ended" and broadcast.sessions and open_sessions.isdisjoint(broadcast.sessions):
            yield str(word(broadcast.state))


INVARIANTS = tuple(STATED.invariants)
