"""The events of a meeting, read as an integrator reads them: by their payloads alone, in order of delivery."""

from __future__ import annotations

from typing import Any

import pytest
from jsonschema import Draft202012Validator

from confsim import Simulator
from kit import ADMIN, CUSTOMER, EVENT_ROOM, OWNER, START, ok
from kit.openapi import plain

_NUMBER = "+12025550123"


@pytest.fixture
def heard() -> Simulator:
    """A meeting with a lobby, a phone, a recording and a breakout session, of which somebody hears."""
    sim = Simulator(clock=START)
    ok(sim, "add_events_endpoint", ADMIN, body={"url": "https://hooks.example"})
    ok(sim, "set_dial_in_state", ADMIN, uuid=EVENT_ROOM, state="enable")
    code = ok(sim, "assign_dial_number", OWNER, uuid=EVENT_ROOM, number=_NUMBER)["code"]
    groups = ok(sim, "create_breakout_session", OWNER, uuid=EVENT_ROOM, body={"name": "Groups"})["id"]
    room = {"uuid": EVENT_ROOM, "breakoutSession": groups}
    room["breakoutRoom"] = ok(sim, "create_breakout_room", OWNER, **room, body={"name": "Group 1"})["id"]
    guest = ok(sim, "create_guest", None, clientId=CUSTOMER, uuid=EVENT_ROOM, body={"handle": "Gus Guest"})["token"]
    user = ok(sim, "get_me", guest)["id"]
    ok(sim, "set_events_state", ADMIN, state="enable")

    ok(sim, "set_lobby_door", OWNER, uuid=EVENT_ROOM, state="close")
    sim.presence.join(EVENT_ROOM, guest)
    sim.presence.join(EVENT_ROOM, OWNER)
    phone = sim.calls.dial_in(_NUMBER, code=code)
    sim.presence.admit(EVENT_ROOM, user)
    ok(sim, "set_lobby_door", OWNER, uuid=EVENT_ROOM, state="open")
    ok(sim, "start_recording", OWNER, uuid=EVENT_ROOM)
    ok(sim, "add_breakout_participant", OWNER, **room, userId=user)
    ok(sim, "start_breakout_session", OWNER, uuid=EVENT_ROOM)
    ok(sim, "stop_breakout_session", OWNER, uuid=EVENT_ROOM)
    sim.calls.hang_up(phone.userId)
    ok(sim, "end_active_session", OWNER, uuid=EVENT_ROOM)
    sim.clock.advance("1h")
    return sim


class Reader:
    """An integrator who keeps what stands open; a message that does not fit to what was told before is an error."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.rooms: dict[str, str] = {}
        self.sessions: dict[str, str] = {}
        self.waiting: set[str] = set()
        self.inside: dict[str, str] = {}
        self.in_room: dict[str, str] = {}
        self.calls: set[str] = set()
        self.recordings: set[str] = set()

    def read(self, kind: str, data: dict[str, Any]) -> None:
        """Take one message in."""
        who = data.get("handle", "")
        place = "Group 1" if data.get("eventRoom") or data.get("room") else "the event room"
        self._read_of_people(kind, data, who)
        self._read_of_things(kind, data)
        self.lines.append(f"{kind} {who or place}" + (f", {place}" if who and kind != "user.created" else ""))

    def _read_of_things(self, kind: str, data: dict[str, Any]) -> None:
        session = data.get("session", "")
        if kind == "room.created":
            self.rooms[data["channel"]] = data["room"]
        elif kind == "session.started":
            assert "eventRoom" not in data or data["channel"] in self.rooms
            self.sessions[session] = data["channel"]
        elif kind == "session.ended":
            del self.sessions[session]
            assert session not in {*self.inside.values(), *self.in_room.values()}
            assert not self.recordings or "eventRoom" in data
        elif kind == "call.started":
            self.calls.add(data["call"])
        elif kind == "call.ended":
            self.calls.remove(data["call"])
        elif kind == "recording.started":
            assert session in self.sessions
            self.recordings.add(data["recording"])
        elif kind == "recording.stopped":
            self.recordings.remove(data["recording"])

    def _read_of_people(self, kind: str, data: dict[str, Any], who: str) -> None:
        session = data.get("session", "")
        if kind == "participant.waiting":
            self.waiting.add(who)
        elif kind == "participant.waited":
            self.waiting.remove(who)
        elif kind == "participant.joined":
            assert self.sessions[session] == data["channel"]
            assert who not in self.waiting
            self.inside[who] = session
        elif kind == "participant.left":
            assert self.inside.pop(who) == session
            assert who not in self.in_room
        elif kind == "room.entered":
            assert who in self.inside
            assert self.rooms[self.sessions[session]] == data["room"]
            self.in_room[who] = session
        elif kind == "room.left":
            assert self.in_room.pop(who) == session


def test_a_meeting_is_told_in_an_order_that_can_be_followed(heard):
    """What opens closes: sessions around their participants, waiting before joining, rooms within the event room."""
    reader = Reader()
    for delivery in heard.webhooks:
        reader.read(delivery.kind, delivery.payload["data"])
    assert reader.lines == [
        "lobby.closed the event room",
        "participant.waiting Gus Guest, the event room",
        "session.started the event room",
        "participant.joined Olaf Owner, the event room",
        "user.created anonymous",
        "call.started the event room",
        "call.answered the event room",
        "participant.waiting anonymous, the event room",
        "participant.waited Gus Guest, the event room",
        "participant.joined Gus Guest, the event room",
        "lobby.opened the event room",
        "participant.waited anonymous, the event room",
        "participant.joined anonymous, the event room",
        "recording.started the event room",
        "assignment.changed Gus Guest, Group 1",
        "breakout.started the event room",
        "room.created Group 1",
        "session.started Group 1",
        "room.entered Gus Guest, Group 1",
        "room.left Gus Guest, Group 1",
        "session.ended Group 1",
        "breakout.ended the event room",
        "participant.left anonymous, the event room",
        "call.ended the event room",
        "participant.left Gus Guest, the event room",
        "participant.left Olaf Owner, the event room",
        "recording.stopped the event room",
        "session.ended the event room",
        "recording.ready the event room",
    ]
    left = (reader.waiting, reader.inside, reader.in_room, reader.sessions, reader.calls, reader.recordings)
    assert not any(left)


def test_each_message_of_a_meeting_is_valid_by_the_openapi_document(heard):
    """Its schema stands in the section of webhooks."""
    made = plain()
    for delivery in heard.webhooks:
        content = made["webhooks"][delivery.kind]["post"]["requestBody"]["content"]["application/json"]
        Draft202012Validator({**content["schema"], "components": made["components"]}).validate(delivery.payload)
