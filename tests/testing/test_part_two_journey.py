"""Journeys through the lobby, presence, sessions and breakout rooms, with a plain model of who is where beside."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings, strategies as st
from hypothesis.stateful import initialize, invariant, precondition, rule, run_state_machine_as_test

from confsim import Simulator
from confsim.testing.journey import Journey
from confsim.testing.targets import Core, Target, Wsgi
from kit import EVENT_ROOM, ROOM, START
from kit.budgets import THOROUGH, quick
from kit.part_two import HOSTS, Place, Round

SECOND = 1000
#: The operations of the control plane by what somebody does.
MOVES = {"join": "join_channel", "leave": "leave_channel", "admit": "admit_to_channel", "presenter": "set_presenter"}

PEOPLE = (*HOSTS, "demo-user", "demo-customer-admin", "demo-guest")
CHANNELS = st.sampled_from([ROOM, EVENT_ROOM])
WHO = st.sampled_from(PEOPLE)
MEMBERS = st.sampled_from(PEOPLE[:-1])
HOST = st.sampled_from(HOSTS)


class PartTwo(Journey):
    """Two channels of the demo world, one of them an event room, and five people."""

    def targets(self) -> tuple[Target, ...]:
        """The core and the WSGI app, from the first call on."""
        return Core(Simulator(clock=START)), Wsgi(Simulator(clock=START))

    @initialize(
        attending=st.sets(MEMBERS),
        meeting=st.sets(WHO),
        assigned=st.sets(MEMBERS, min_size=1),
        begun=st.booleans(),
        on=st.booleans(),
    )
    def model(self, attending: set[str], meeting: set[str], assigned: set[str], begun: bool, on: bool) -> None:
        """Some are in the event room, whose door is open; some in the other one or its lobby. A breakout session is
        prepared, or has begun.
        """
        info = self.control("get_info").body
        self.now = info["now"]
        self.ids = {who: info["tokens"][who]["userId"] for who in PEOPLE}
        self.names = {id: who for who, id in self.ids.items()}
        self.places = {ROOM: Place(ROOM, open=False), EVENT_ROOM: Place(EVENT_ROOM)}
        self.switch("set_lobby_door", ROOM, "demo-owner", "close")
        for channel, people in ((EVENT_ROOM, attending), (ROOM, meeting)):
            self.auto_close(channel, "demo-owner", on)
            self.lock(channel, "demo-operator", on)
            for who in sorted(people):
                self.join(channel, who)
        self.prepare("demo-owner", 60 * SECOND, assigned)
        if begun:
            self.start("demo-operator")

    # Coming and going

    def move(self, verb: str, channel: str, who: str, **body: Any) -> Any:
        """Call an operation of the control plane about somebody in a channel."""
        return self.control(MOVES[verb], channel=channel, userId=self.ids[who], **body)

    @rule(channel=CHANNELS, data=st.data())
    def reconnect(self, channel: str, data: Any) -> None:
        """Somebody goes and comes again, who was let in before."""
        place = self.places[channel]
        who = self.someone(data, [*place.inside, *place.waiting])
        self.go(place, who)
        self.join(channel, who)

    @rule(channel=CHANNELS, who=WHO)
    def join(self, channel: str, who: str) -> None:
        """In by the open door, as a host or again in the same session; else into the lobby."""
        place = self.places[channel]
        outcome = self.move("join", channel, who)
        reason = self.barred(place, who)
        if reason is not None:
            assert (outcome.status, outcome.body["reason"]) == (409, reason)
            return
        assert outcome.status == 200
        if who in place.inside:
            place.inside[who] = False
        elif place.passes(who):
            place.enter(who)
            if place.session is None:
                assert outcome.body["session"] not in place.past
                place.begin(outcome.body["session"])
        elif who not in place.waiting:
            place.waiting.append(who)
        state = "in" if who in place.inside else "waiting"
        assert (outcome.body["state"], outcome.body.get("session")) == (state, place.session)

    def barred(self, place: Place, who: str) -> str | None:
        """Which rule of the channel keeps somebody out altogether."""
        if who == "demo-guest" and place.id == EVENT_ROOM:
            return "guest_elsewhere"
        if who == "demo-guest" and not place.guests:
            return "guest_access_off"
        return "channel_full" if who not in place.inside and place.passes(who) and place.full else None

    def someone(self, data: Any, likely: Iterable[str]) -> str:
        """Anybody, more likely one of these."""
        who: str = data.draw(st.sampled_from([*PEOPLE, *(each for each in likely for _ in range(4))]))
        return who

    @rule(channel=CHANNELS, data=st.data())
    def leave(self, channel: str, data: Any) -> None:
        """The last one to leave ends the session."""
        place = self.places[channel]
        self.go(place, self.someone(data, [*place.inside, *place.waiting]))

    def go(self, place: Place, who: str) -> None:
        """Somebody leaves, from wherever it is."""
        outcome = self.move("leave", place.id, who)
        if who in place.waiting:
            place.waiting.remove(who)
        elif who in place.inside:
            del place.inside[who]
            place.presenters.discard(who)
            if not place.inside:
                place.become_empty()
        else:
            assert (outcome.status, outcome.body["reason"]) == (409, "not_present")
            return
        assert (outcome.status, outcome.body["state"]) == (200, "away")

    @rule(channel=CHANNELS, data=st.data())
    def admit(self, channel: str, data: Any) -> None:
        """An operator lets in who waits."""
        place = self.places[channel]
        who = self.someone(data, place.waiting)
        outcome = self.move("admit", channel, who)
        if who not in place.inside and who not in place.waiting:
            assert (outcome.status, outcome.body["reason"]) == (409, "not_present")
        elif who in place.waiting and place.full:
            assert (outcome.status, outcome.body["reason"]) == (409, "channel_full")
        else:
            assert (outcome.status, outcome.body["state"]) == (200, "in")
            if who in place.waiting:
                self.let_in(place, [who])

    def let_in(self, place: Place, people: list[str]) -> None:
        """These come in from the lobby, as many as fit; the first of an empty channel begins a session."""
        for who in people:
            if place.full:
                return
            place.enter(who)
            if place.session is None:
                found = self.call("list_sessions", "demo-owner", channel=place.id, limit="1")
                place.begin(found.body["results"][0]["id"])

    # What hosts set

    def switch(self, operation: str, channel: str, caller: str, state: str) -> bool:
        """Switch something that is the hosts' to switch; answers whether it was done."""
        outcome = self.call(operation, caller, uuid=channel, state=state)
        allowed = caller in (*HOSTS, "demo-api-token")
        assert outcome.status == (200 if allowed else 403), outcome
        return allowed

    @rule(
        channel=CHANNELS, caller=st.sampled_from([*PEOPLE, "demo-api-token"]), state=st.sampled_from(["open", "close"])
    )
    def door(self, channel: str, caller: str, state: str) -> None:
        """Opening lets in who waits, the longest wait first; closing sends nobody out."""
        place = self.places[channel]
        if self.switch("set_lobby_door", channel, caller, state):
            opened = state == "open" and not place.open
            place.open = state == "open"
            if opened:
                self.let_in(place, list(place.waiting))

    @rule(channel=CHANNELS, caller=HOST | WHO, on=st.booleans())
    def auto_close(self, channel: str, caller: str, on: bool) -> None:
        """It closes nothing by itself, not even the door of an empty channel."""
        if self.switch("set_lobby_auto_close", channel, caller, "enable" if on else "disable"):
            self.places[channel].auto_close = on

    @rule(channel=CHANNELS, caller=HOST | WHO, on=st.booleans())
    def lock(self, channel: str, caller: str, on: bool) -> None:
        """All who are no hosts are muted, also those who come later."""
        if self.switch("set_attendees_state", channel, caller, "mute" if on else "unmute"):
            self.places[channel].muted = on

    @rule(channel=CHANNELS, caller=HOST, on=st.booleans())
    def guest_access(self, channel: str, caller: str, on: bool) -> None:
        """Guests inside stay, new ones are refused."""
        if self.switch("set_guest_access", channel, caller, "enable" if on else "disable"):
            self.places[channel].guests = on

    @rule(channel=CHANNELS, limit=st.sampled_from([0, 1, 2, 3, None, None]))
    def population_limit(self, channel: str, limit: int | None) -> None:
        """A limit below what is inside sends nobody out."""
        assert self.control("change_record", "channel", channel, populationLimit=limit).status == 200
        self.places[channel].limit = 100 if limit is None else limit

    @rule(channel=CHANNELS, limit=st.sampled_from([0, 1, None]))
    def presenters_limit(self, channel: str, limit: int | None) -> None:
        """A lower limit takes nobody's status."""
        path = {"uuid": channel} if limit is None else {"uuid": channel, "limit": str(limit)}
        operation = "remove_presenters_limit" if limit is None else "set_presenters_limit"
        assert self.call(operation, "demo-operator", **path).status == 200
        self.places[channel].presenters_limit = limit

    @rule(channel=CHANNELS, presenter=st.booleans(), data=st.data())
    def present(self, channel: str, presenter: bool, data: Any) -> None:
        """As many may present as the limit says."""
        place = self.places[channel]
        who = self.someone(data, place.inside)
        outcome = self.move("presenter", channel, who, presenter=presenter)
        limit = place.presenters_limit
        full = limit is not None and len(place.presenters) >= limit and who not in place.presenters
        if who not in place.inside:
            assert (outcome.status, outcome.body["reason"]) == (409, "not_present")
        elif presenter and full:
            assert (outcome.status, outcome.body["reason"]) == (409, "presenters_full")
        else:
            assert outcome.body == {"presenter": presenter}
            (place.presenters.add if presenter else place.presenters.discard)(who)

    # Sessions

    @rule(channel=CHANNELS, who=MEMBERS)
    def ask_for_the_proxy(self, channel: str, who: str) -> None:
        """All with access get the address, waiting or not; it starts nothing."""
        outcome = self.call("get_streaming_proxy", who, uuid=channel)
        assert (outcome.status, outcome.body["mode"]) == (200, "conference")

    @rule(channel=CHANNELS, caller=WHO)
    def end_active(self, channel: str, caller: str) -> None:
        """Everybody is disconnected, those who wait too."""
        outcome = self.call("end_active_session", caller, uuid=channel)
        self.ended(outcome.status, self.places[channel], caller, self.places[channel].session)

    @precondition(lambda self: any(place.past for place in self.places.values()))
    @rule(channel=CHANNELS, caller=WHO, data=st.data())
    def end_by_id(self, channel: str, caller: str, data: Any) -> None:
        """That session and no other; one that is over stays as it is, one of another channel is not there."""
        known = [id for place in self.places.values() for id in (*place.past, place.session) if id is not None]
        id = data.draw(st.sampled_from(known))
        place = self.places[channel]
        outcome = self.call("end_session", caller, uuid=channel, sessionId=id)
        if id != place.session and id not in place.past:
            assert outcome.status == 404
        elif caller in HOSTS and id in place.past:
            assert outcome.status == 200
        else:
            self.ended(outcome.status, place, caller, place.session)

    def ended(self, status: int, place: Place, caller: str, session: str | None) -> None:
        """What becomes of a channel whose session a caller ends."""
        if caller not in HOSTS:
            assert status == 403
        elif session is None:
            assert status == 404
        else:
            assert status == 200
            place.waiting, place.inside = [], {}
            place.become_empty()

    # Breakout sessions

    @precondition(lambda self: len(self.places[EVENT_ROOM].prepared) < 2)
    @rule(caller=HOST, duration=st.sampled_from([0, 5 * SECOND, 60 * SECOND]), assigned=st.sets(MEMBERS, max_size=3))
    def prepare(self, caller: str, duration: int, assigned: set[str]) -> None:
        """A breakout session of one room, and who is to go there."""
        made = self.call("create_breakout_session", caller, body={"duration": duration}, uuid=EVENT_ROOM)
        path = {"uuid": EVENT_ROOM, "breakoutSession": made.body["id"]}
        room = self.call("create_breakout_room", caller, body={}, **path).body["id"]
        self.places[EVENT_ROOM].prepared.append(Round(made.body["id"], room, duration, set()))
        for who in sorted(assigned):
            self.assign(self.places[EVENT_ROOM].prepared[-1], caller, who)

    def assign(self, found: Round, caller: str, who: str) -> int:
        """Assign somebody to the room of a breakout session; answers the status."""
        path = {
            "uuid": EVENT_ROOM,
            "breakoutSession": found.id,
            "breakoutRoom": found.room,
            "userId": str(self.ids[who]),
        }
        status = self.call("add_breakout_participant", caller, **path).status
        if status == 200:
            found.assigned.add(who)
        return status

    @precondition(
        lambda self: (
            self.places[EVENT_ROOM].prepared or self.places[EVENT_ROOM].active or self.places[EVENT_ROOM].finished
        )
    )
    @rule(caller=HOST, who=MEMBERS, data=st.data())
    def assign_one_more(self, caller: str, who: str, data: Any) -> None:
        """Only before the start."""
        place = self.places[EVENT_ROOM]
        running = [place.active] if place.active else []
        found = data.draw(st.sampled_from([*place.prepared, *running, *place.finished]))
        assert self.assign(found, caller, who) == (200 if found in place.prepared else 409)

    @rule(caller=HOST | MEMBERS)
    def start(self, caller: str) -> None:
        """The oldest one that is prepared; who is inside goes to the assigned room."""
        place = self.places[EVENT_ROOM]
        status = self.call("start_breakout_session", caller, uuid=EVENT_ROOM).status
        if caller not in HOSTS:
            assert status == 403
        elif place.active is not None or not place.prepared:
            assert status == 409
        else:
            assert status == 200
            place.active = begun = place.prepared.pop(0)
            begun.end = self.now + begun.duration if begun.duration else None
            begun.main = place.session
            begun.visited = bool(begun.assigned & place.inside.keys())
            place.inside = {who: who in begun.assigned for who in place.inside}
            path = {"uuid": EVENT_ROOM, "breakoutSession": begun.id}
            begun.place = self.call("list_breakout_rooms", caller, **path).body[0]["channelUuid"]

    @rule(caller=HOST | MEMBERS)
    def stop(self, caller: str) -> None:
        """Everybody is back."""
        place = self.places[EVENT_ROOM]
        status = self.call("stop_breakout_session", caller, uuid=EVENT_ROOM).status
        if caller not in HOSTS:
            assert status == 403
        else:
            assert status == (409 if place.active is None else 200)
            place.end_round()

    @rule(seconds=st.sampled_from([1, 4, 5, 56, 60]))
    def wait(self, seconds: int) -> None:
        """A breakout session ends at its own instant."""
        self.advance(f"{seconds}s")
        self.now += seconds * SECOND
        place = self.places[EVENT_ROOM]
        if place.active is not None and place.active.end is not None and place.active.end <= self.now:
            place.end_round()

    # What can be seen

    def read(self, operation: str, caller: str, query: dict[str, str] | None = None, **path: str) -> Any:
        """The body of a GET of the core that succeeds; after each call the worlds of all ways are the same."""
        outcome = self.driven[0].call(operation, caller, **path, **(query or {}))
        assert outcome.status in {200, 204}, outcome
        return outcome.body

    @invariant()
    def everybody_is_where_the_model_says(self) -> None:
        """In, in the breakout room or waiting; muted by the lock, presenting by the host."""
        for channel, place in getattr(self, "places", {}).items():
            seen = self.driven[0].control("list_presence", channel=channel).body
            room = place.active.room if place.active else None
            present = {self.names[each["userId"]]: (each["state"], each.get("room")) for each in seen}
            expected: dict[str, tuple[str, str | None]] = dict.fromkeys(place.waiting, ("waiting", None))
            expected |= {who: ("in", room if routed else None) for who, routed in place.inside.items()}
            assert present == expected
            assert {self.names[each["userId"]] for each in seen if each["presenter"]} == place.presenters
            locked = {who for who in place.inside if who not in HOSTS} if place.muted else set()
            assert {self.names[each["userId"]] for each in seen if each["muted"]} == locked

    @invariant()
    def populations_and_doors_agree(self) -> None:
        """Live channels alone are counted, each by who is in it."""
        if not hasattr(self, "places"):
            return
        active = self.places[EVENT_ROOM].active
        rooms = [active.place] if active else []
        counted = self.read("get_populations", "demo-owner", channelIds=",".join([ROOM, EVENT_ROOM, *rooms, "no-uuid"]))
        expected = {
            id: list(place.inside.values()).count(False)
            for id, place in self.places.items()
            if place.session is not None
        }
        if active is not None and active.visited:
            expected[active.place] = list(self.places[EVENT_ROOM].inside.values()).count(True)
        assert counted == expected
        for channel, place in self.places.items():
            assert self.read("get_channel", "demo-user", uuid=channel)["isOpen"] is place.open
            shown = self.read("get_channel_settings", "demo-user", uuid=channel)
            assert (shown["open"], shown["autoClose"], shown["muteAttendees"]) == (
                place.open,
                place.auto_close,
                place.muted,
            )

    @invariant()
    def sessions_agree(self) -> None:
        """The one that goes on has no end; past ones keep who took part; participants come by their last join."""
        for channel, place in getattr(self, "places", {}).items():
            listed = self.read("list_sessions", "demo-operator", {"channel": channel, "limit": "200"})["results"]
            going_on = {each["id"]: each["participantsCount"] for each in listed if "ended" not in each}
            assert going_on == ({} if place.session is None else {place.session: len(place.attended)})
            assert {each["id"]: each["participantsCount"] for each in listed if "ended" in each} == place.past
            if place.session is not None:
                took_part = self.read("list_session_participants", "demo-owner", sessionId=place.session)
                assert [self.names[each["id"]] for each in took_part] == place.attended
            participants = self.read("list_channel_participants", "demo-owner", uuid=channel)["results"]
            assert [self.names[each["id"]] for each in participants] == place.visits

    @invariant()
    def breakout_sessions_agree(self) -> None:
        """Those not completed by creation, the finished ones by their session, and everybody's own view."""
        if not hasattr(self, "places"):
            return
        place = self.places[EVENT_ROOM]
        running = [place.active] if place.active else []
        listed = self.read("list_breakout_sessions", "demo-owner", {"limit": "200"}, uuid=EVENT_ROOM)
        assert {each["id"]: each["isActive"] for each in listed} == {
            **{each.id: True for each in running},
            **{each.id: False for each in place.prepared},
        }
        for main in place.past:
            past = self.read(
                "list_breakout_sessions", "demo-owner", {"sessionId": main, "limit": "200"}, uuid=EVENT_ROOM
            )
            assert [each["id"] for each in past] == [each.id for each in place.finished if each.main == main]
        mine = self.read("get_active_breakout_session", "demo-user", uuid=EVENT_ROOM)
        if place.active is None:
            assert mine is None
        else:
            assert mine["id"] == place.active.id
            assert ("breakoutRoom" in mine) is ("demo-user" in place.active.assigned)


@pytest.mark.rule("R339", "R340", "R341", "R342", "R343", "R344", "R346", "R347", "R351", "R355", "R356", "R357")
@pytest.mark.rule("R358", "R390", "R392", "R415", "R419", "R457", "R459", "R464", "R553")
def test_part_two_agrees_with_its_model() -> None:
    """Lobby, presence, sessions and breakout rooms behave as a few lists say, in core and WSGI alike."""
    run_state_machine_as_test(PartTwo, settings=quick(8, stateful_step_count=40))


#: Readings of the documents that are not those of the model, each with steps after which it shows: who is in the event
#: room, who waits at the other channel, whether the breakout session has begun, and what happens then.
READINGS: dict[str, tuple[str, set[str], set[str], bool, Callable[[PartTwo], object]]] = {
    "lobby.on-open": ("wait", set(), {"demo-user"}, False, lambda run: run.door(ROOM, "demo-owner", "open")),
    "lobby.on-close": ("lobby", {"demo-user"}, set(), False, lambda run: run.door(EVENT_ROOM, "demo-owner", "close")),
    "sessions.end": ("by-call", {"demo-user"}, set(), False, lambda run: run.go(run.places[EVENT_ROOM], "demo-user")),
    "breakout.latecomers": ("stay", {"demo-owner"}, set(), True, lambda run: run.join(EVENT_ROOM, "demo-user")),
    "breakout.main-session-ends": (
        *("goes-on", {"demo-user"}, set(), True),
        lambda run: run.end_active(EVENT_ROOM, "demo-owner"),
    ),
    "populations.counts": ("with-rooms", {"demo-user", "demo-owner"}, set(), True, lambda run: None),
}


def under(reading: dict[str, str]) -> type[PartTwo]:
    """The journey against the core alone, under a reading of the documents."""

    class Otherwise(PartTwo):
        def targets(self) -> tuple[Target, ...]:
            return (Core(Simulator(clock=START, profile=reading)),)

    return Otherwise


def taken(reading: dict[str, str], steps: tuple[Any, ...]) -> None:
    """Take the steps of a reading; raises what the model finds wrong."""
    attending, meeting, begun, then = steps
    run = under(reading)()
    run.model(attending=attending, meeting=meeting, assigned={"demo-user"}, begun=begun, on=False)
    then(run)
    run.everybody_is_where_the_model_says()
    run.populations_and_doors_agree()
    run.sessions_agree()
    run.breakout_sessions_agree()


@pytest.mark.parametrize("id", READINGS)
def test_the_model_tells_other_readings_apart(id: str) -> None:
    """Steps that agree with the model fail under another reading of the documents: the model does look."""
    value, *steps = READINGS[id]
    taken({}, tuple(steps))
    with pytest.raises((AssertionError, LookupError)):
        taken({id: value}, tuple(steps))


@pytest.mark.parametrize("id", READINGS if THOROUGH else ["populations.counts", "breakout.latecomers"])
def test_journeys_come_upon_other_readings(id: str) -> None:
    """Random journeys find such steps by themselves; two of the readings in the quick profile."""
    found = settings(
        max_examples=150,
        stateful_step_count=40,
        derandomize=True,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    with pytest.raises((AssertionError, LookupError)):
        run_state_machine_as_test(under({id: READINGS[id][0]}), settings=found)
