"""What the effects of rows change in a record, for each row on its own; and guards at their limits."""

from __future__ import annotations

import pytest
from msgspec.structs import asdict, replace

import confsim.api.catalogue  # noqa: F401 its modules declare the machines
from confsim import Simulator
from confsim.assumptions.events import EventKind
from confsim.assumptions.register import ProfileContext
from confsim.domain.breakout.breakout_rooms import Room
from confsim.domain.broadcast.broadcasts import Broadcast
from confsim.domain.channels import channels, switches
from confsim.domain.channels.channels import ServiceMode
from confsim.domain.clients import clients
from confsim.domain.events.deliveries import Delivery
from confsim.domain.identity import credentials
from confsim.domain.identity.credentials import CREDENTIALS, Credential
from confsim.domain.mail import MAILS
from confsim.domain.runtime import presence, sessions
from confsim.domain.runtime.presence import Presence, Where
from confsim.domain.runtime.sessions import Session
from confsim.domain.runtime.streaming import Placement
from confsim.domain.telephony.calls import PhoneCall
from confsim.domain.users import emails, users
from confsim.domain.users.users import USERS, Account
from confsim.kernel.due import fire_due_timers
from confsim.kernel.machine import Machine
from confsim.kernel.refusal import Refusal
from confsim.kernel.world import World
from kit import CUSTOMER, ROOM as ROOM_ID

NOW = 5000
SESSION = Session(id="s", client="c", channel="r", name="R", service_mode=next(iter(ServiceMode)), created=1)
ROOM = Room(id="b", client="c", channel="r", breakout="k", name="Room", place="p", session="s")
CALL = PhoneCall(id="t", client="c", channel="r", user=1, number="+1", placed=1)
BROADCAST = Broadcast(id="x", client="c", channel="r", created=1, sessions=("a",), polls_left=1, starting_ends=9)
DELIVERY = Delivery(id="d", number=1, client="c", endpoint="e", message="m", kind=EventKind.SESSION_STARTED, at=1,
                    payload={}, due=9)  # fmt: skip
INSIDE = Presence(client="c", channel="r", user=1, state=Where.IN, place="r", since=1)
WAITING = Presence(client="c", channel="r", user=1, state=Where.WAITING, since=1)
IN_ROOM = Presence(client="c", channel="r", user=1, state=Where.IN_ROOM, place="p", room="b", since=1)
PLACEMENT = Placement("r", "c", polls_left=2, ready=9)


@pytest.mark.parametrize(
    ("machine", "state", "trigger", "record", "facts", "changed"),
    [
        *(("session", state, "be recorded", SESSION, {}, {"had_recording": True})
          for state in ("INITIALISED", "ONGOING", "ENDED")),
        ("session", "INITIALISED", "belong", SESSION, {"parent": "q"}, {"parent_id": "q"}),
        *(("breakout room", state, "meet", ROOM, {"session": "n"}, {"session": "n"})
          for state in ("PLANNED", "LIVE", "CLOSED")),
        *(("breakout room", state, "lose channel", ROOM, {}, {"place": None, "session": None})
          for state in ("PLANNED", "CLOSED")),
        ("call", "RINGING", "be busy", CALL, {}, {"ended": NOW}),
        ("call", "RINGING", "fail", CALL, {}, {"ended": NOW}),
        *(("call", state, "hang up", CALL, {}, {"ended": NOW}) for state in ("RINGING", "ANSWERED")),
        ("call", "RINGING", "answer", CALL, {}, {"connected": NOW, "joined": True}),
        ("broadcast", "STARTING", "come up", BROADCAST, {}, {"started": NOW, "polls_left": 0, "starting_ends": None}),
        *(("broadcast", state, "take session in", BROADCAST, {"session": "b"}, {"sessions": ("a", "b")})
          for state in ("STARTING", "RUNNING")),
        *(("webhook delivery", state, trigger, DELIVERY, {}, {"due": None})
          for state, trigger in (("WAITING", "release"), ("READY", "lose"), ("LATER", "redeliver"))),
        ("presence", "IN", "send to the lobby", INSIDE, {}, {"place": None, "since": NOW}),
        ("presence", "IN", "route", INSIDE, {"place": "p", "room": "b"}, {"place": "p", "room": "b"}),
        ("presence", "IN_ROOM", "route", IN_ROOM, {"place": "q", "room": "d"}, {"place": "q", "room": "d"}),
        ("presence", "IN_ROOM", "return", IN_ROOM, {}, {"place": "r", "room": None}),
        ("presence", "WAITING", "admit", WAITING, {"channel": None}, {"place": "r", "since": NOW}),
        ("streaming placement", "CREATING", "place", PLACEMENT, {}, {"polls_left": 0, "ready": None}),
        ("streaming placement", "CREATING", "ask", replace(PLACEMENT, polls_left=0), {},
         {"ready": None}),
        ("broadcast", "STARTING", "poll", replace(BROADCAST, polls_left=0), {},
         {"started": NOW, "starting_ends": None}),
        ("call", "RINGING", "be picked up", CALL, {}, {"connected": NOW, "joined": True}),
    ],
)  # fmt: skip
def test_what_an_effect_changes(machine, state, trigger, record, facts, changed):
    """The first row out of the state changes these fields, and no others but the state."""
    found = Machine.declared[machine]
    row = next(row for row in found.triggers[trigger].rows if state in {each.name for each in row.on})
    after = row.apply(World(seed=1).change(NOW), record, (), facts)
    before, after = asdict(record), asdict(after)
    assert {name: after[name] for name in after if after[name] != before[name]} == changed


@pytest.mark.parametrize(("expires", "valid"), [(None, True), (NOW + 1, True), (NOW, False), (NOW - 1, False)])
def test_a_token_is_admitted_as_its_row_says(expires, valid):
    """Until the instant at which it expires; presenting it asks the guard's question without firing the trigger."""
    change = World(seed=1).change(NOW)
    client = clients.create(change, "C", None)
    user = users.create(change, client.id, "u", Account.REGISTERED)
    CREDENTIALS.of(change).put(Credential("t", client.id, user=user.id, expires=expires))
    if valid:
        assert credentials.authenticate(change, "t").user == user
        return
    with pytest.raises(Refusal, match="credential_expired"):
        credentials.authenticate(change, "t")


@pytest.mark.parametrize(
    ("choice", "premium", "holds"),
    [("same", False, True), ("same", True, True), ("needs-premium", True, True), ("needs-premium", False, False)],
)
def test_when_midi_may_be_enabled(choice, premium, holds):
    """With a midi token, or where none is needed (G318)."""
    sim = Simulator(clock=NOW, profile={"flags.midi-token": choice})
    change = sim.service.change()
    channel = channels.update(change, channels.get(change, CUSTOMER, ROOM_ID), premium=premium)
    assert switches.MIDI.on.admits(change, channel) is holds


def test_a_guest_ends_at_the_instant_of_its_limit():
    """The user is gone then, and not before."""
    change = World(seed=1).change(NOW)
    client = clients.create(change, "C", None)
    guest = users.create(change, client.id, "g", Account.GUEST, channel="r")
    assert users.limit(change, guest, NOW + 10).ends == NOW + 10
    world = change.commit()
    for until, there in ((NOW + 9, True), (NOW + 10, False)):
        world, _ = fire_due_timers(world, until)
        assert (USERS.of(world.change(until), client.id).get(guest.id) is not None) is there


def test_codes_are_sent_again_to_all_addresses_that_wait():
    """Also while an earlier address is verified."""
    change = World(seed=1).change(NOW)
    client = clients.create(change, "C", None)
    user = users.create(change, client.id, "u", Account.REGISTERED)
    user = emails.trust(change, user, "a@example.com")
    for address in ("b@example.com", "c@example.com"):
        user = emails.SET(change, user, address)
    sent = len(MAILS.of(change).all)
    assert emails.RESEND(change, user) == user
    assert [mail.to for mail in list(MAILS.of(change).all)[sent:]] == ["b@example.com", "c@example.com"]


@pytest.mark.parametrize(
    ("second", "code", "admitted"),
    [
        ("NEVER", "right", True),
        ("WHEN_VERIFIED", "right", True),
        ("NEVER", "wrong", False),
        ("AT_ONCE", "wrong", False),
    ],
)
def test_a_second_address_is_verified_by_its_code_alone(second, code, admitted):
    """Whatever a new address does to a verified one (G223)."""
    change = World(seed=1).change(NOW)
    client = clients.create(change, "C", None)
    user = users.create(change, client.id, "u", Account.REGISTERED)
    user = emails.trust(change, user, "a@example.com")
    user = emails.SET(change, user, "b@example.com")
    profile = ProfileContext({"emails.second": second.lower().replace("_", "-")})
    change = change.commit().change(NOW, profile)
    assert emails.verify.admits(change, user, user.pending[0][1] if code == "right" else "wrong") is admitted


def test_a_channel_that_is_stopped_is_empty():
    """Its users are disconnected and its session is over, by the first step of a removal; the channel stays."""
    sim = Simulator(clock=NOW)
    sim.presence.join(ROOM_ID, "demo-owner")
    change = sim.service.change()
    channel = channels.get(change, CUSTOMER, ROOM_ID)
    assert list(presence.inside(change, channel))
    channels.STOP(change, channel)
    assert not list(presence.inside(change, channel))
    assert sessions.find_active(change, channel) is None
    assert channels.get(change, CUSTOMER, ROOM_ID) == channel
