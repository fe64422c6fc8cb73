from __future__ import annotations

import pytest

from confsim.assumptions.events import EventKind
from confsim.assumptions.protocol.refusals import Reason
from confsim.assumptions.register import ProfileContext
from confsim.domain import couplings
from confsim.domain.channels import channels
from confsim.domain.clients import clients
from confsim.domain.events import event_log
from confsim.domain.identity import credentials
from confsim.domain.runtime import presence, sessions
from confsim.domain.runtime.presence import Where
from confsim.domain.telephony import calls, number_assignments, numbers, pins
from confsim.domain.telephony.calls import CallState
from confsim.domain.users import users
from confsim.domain.users.users import Account
from confsim.kernel.due import fire_due_timers
from confsim.kernel.rows import ABSENT
from confsim.kernel.world import Change, World
from kit import refused
from kit.things.channels import create_room

FOLLOWED = couplings
LINE, PHONE = "+12025550123", "+12025550147"
MANUAL = {"duration.call-answered": "manual(1)"}


class Office:
    """A client with a user, an inbound number and an open channel with telephony on, under a profile."""

    def __init__(self, profile=None, **fields):
        self.profile = {"events.recorded": "always", **(profile or {})}
        self.now = 0
        self.change = change = World(seed=1).change(self.now, ProfileContext(self.profile))
        self.client = clients.create(change, "C", None)
        self.user = users.create(change, self.client.id, "Ann", Account.REGISTERED, accepted=1).id
        self.line = numbers.add(change, self.client, LINE)
        self.id = channels.create(change, self.client, "A", None, None).id
        self.update(**{"dial_in": True, "dial_out": True, "open": True, **fields})
        self.code = number_assignments.assign(change, self.room, self.line).code

    def begin(self, world: World, at: int) -> Change:
        """Begin the change of a timer."""
        return world.change(at, ProfileContext(self.profile))

    @property
    def room(self):
        """The channel as it is."""
        return channels.get(self.change, self.client.id, self.id)

    def update(self, **fields):
        """Set fields of the channel."""
        channels.update(self.change, self.room, **fields)

    def wait(self, seconds):
        """Let time pass, and what is due happen."""
        self.now += seconds * 1000
        world, _ = fire_due_timers(self.change.commit(), self.now, self.begin)
        self.change = world.change(self.now, ProfileContext(self.profile))

    def call(self, number=PHONE, user=None, **fields):
        """Call a number for the registered user, or the one given."""
        return calls.dial_registered(self.change, self.room, number, user or self.user, **fields)

    def ring(self, **keyed):
        """Let a phone dial in by the code of the channel."""
        return calls.dial_in(self.change, LINE, **{"code": self.code, **keyed})

    def where(self, user):
        """Where the user is."""
        return presence.MACHINE.state(presence.find(self.change, self.room, user))

    def state(self, call):
        """The state of a call as it is now."""
        return calls.CALLS.of(self.change, self.client.id)[call.id].state


@pytest.fixture
def office():
    """An office where phones are answered at once."""
    return Office()


# Dialling out


@pytest.mark.rule("R489")
def test_a_callee_appears_as_the_registered_user(office):
    """Answered at once, the user is in the channel, and the call has started its session."""
    call = office.call()
    assert (call.state, call.number, office.where(office.user)) == (CallState.ANSWERED, PHONE, Where.IN)
    assert sessions.find_active(office.change, office.room) is not None


@pytest.mark.rule("R491", "R492", "R498")
def test_each_unregistered_call_makes_a_user(office):
    """Also for the same number, however it is written, and the same name; the user belongs to the channel."""
    made = [calls.dial_unregistered(office.change, office.room, "1 (202) 555-0147", "Bob") for _ in range(2)]
    people = [users.get(office.change, office.client.id, call.user) for call in made]
    assert people[0].id != people[1].id
    for call, user in zip(made, people, strict=True):
        assert (call.number, user.handle, user.account, user.inbound) == (PHONE, "Bob", Account.DIALLED, False)
        assert (user.channel, office.where(user.id)) == (office.id, Where.IN)


@pytest.mark.rule("R490", "R493")
def test_dial_out_must_be_enabled(office):
    """Both calls are refused while it is off, and nobody is made."""
    office.update(dial_out=False)
    assert refused(office.call) is Reason.DIAL_OUT_OFF
    assert refused(calls.dial_unregistered, office.change, office.room, PHONE, "Bob") is Reason.DIAL_OUT_OFF
    assert len(users.USERS.of(office.change, office.client.id)) == 1


def test_whom_a_callee_can_appear_as(office):
    """A user of the client who is registered; by profile any."""
    guest = users.create(office.change, office.client.id, "Guest", Account.GUEST, channel=office.id)
    assert refused(office.call, user=99999) is Reason.NOT_FOUND
    assert refused(office.call, user=guest.id) is Reason.NOT_REGISTERED
    lax = Office({"dial.sip-user": "any"})
    guest = users.create(lax.change, lax.client.id, "Guest", Account.GUEST, channel=lax.id)
    lax.update(guest_access=True)
    assert lax.call(user=guest.id).user == guest.id


def test_calling_can_need_a_session():
    """By profile only a channel with an active session calls."""
    office = Office({"dial.no-session": "refuse"})
    assert refused(office.call) is Reason.CHANNEL_IDLE
    other = users.create(office.change, office.client.id, "Eve", Account.REGISTERED, accepted=1)
    presence.join(office.change, office.client, office.room, other)
    assert office.call().state is CallState.ANSWERED


def test_names_of_callees_can_be_held_to_uniqueness():
    """By profile a callee is not called like a registered user while handles are unique."""
    office = Office({"handles.unregistered": "unique"})
    assert refused(calls.dial_unregistered, office.change, office.room, PHONE, "ann") is Reason.HANDLE_TAKEN
    assert calls.dial_unregistered(office.change, office.room, PHONE, "Bob").state is CallState.ANSWERED


@pytest.mark.parametrize(("passes", "where"), [(True, Where.IN), (False, Where.WAITING)])
def test_a_callee_passes_a_closed_door(passes, where):
    """As one whom a host invited; by profile the callee waits."""
    office = Office({"dial.callees-pass": passes}, open=False)
    office.call()
    assert office.where(office.user) is where


def test_a_full_channel_takes_no_callee(office):
    """The call is refused as any who comes."""
    office.update(max_users=0)
    assert refused(office.call) is Reason.CHANNEL_FULL


@pytest.mark.rule("R494")
def test_whisper_is_noted(office):
    """It is false unless asked for."""
    first = office.call()
    calls.hang_up(office.change, first)
    assert (first.whisper, office.call(whisper=True).whisper) == (False, True)


# Ringing


@pytest.mark.parametrize(
    ("event", "state", "where"),
    [
        (calls.answer, CallState.ANSWERED, Where.IN),
        (calls.be_busy, CallState.BUSY, ABSENT),
        (calls.fail, CallState.FAILED, ABSENT),
        (calls.hang_up, CallState.ENDED, ABSENT),
    ],
)
def test_a_phone_rings_until_something_happens(event, state, where):
    """Nobody is in the channel while it rings; only who answers is then; what is over stays so."""
    office = Office(MANUAL)
    call = office.call()
    office.wait(3600)
    assert (office.state(call), office.where(office.user)) == (CallState.RINGING, ABSENT)
    moved = event(office.change, call)
    assert (moved.state, office.where(office.user)) == (state, where)
    for again in (calls.answer, calls.be_busy, calls.fail):
        assert refused(again, office.change, moved) is Reason.CALL_STANDS


def test_a_phone_is_answered_after_its_time():
    """Not before; a call that is over by then is not answered any more."""
    office = Office({"duration.call-answered": "time(5)"})
    first, second = office.call(), calls.dial_unregistered(office.change, office.room, PHONE, "Bob")
    calls.be_busy(office.change, second)
    office.wait(4)
    assert office.state(first) is CallState.RINGING
    office.wait(1)
    assert (office.state(first), office.where(office.user)) == (CallState.ANSWERED, Where.IN)
    assert (office.state(second), office.where(second.user)) == (CallState.BUSY, ABSENT)


def test_a_call_that_is_answered_too_late_fails():
    """When the channel has no room by then, the phone is not let in."""
    office = Office({"duration.call-answered": "time(5)"})
    call = office.call()
    office.update(max_users=0)
    office.wait(5)
    assert (office.state(call), office.where(office.user)) == (CallState.FAILED, ABSENT)


@pytest.mark.rule("R497")
def test_dtmf_is_sent_a_second_after_the_call_connects():
    """Each comma delays what follows by a second; nothing is sent after the phone is put down."""
    office = Office(MANUAL)
    call = office.call(f"{PHONE}#1,2,,3")
    office.wait(10)
    call = calls.answer(office.change, call)
    at = call.connected
    expected = [(at + 1000, "#"), (at + 1000, "1"), (at + 2000, "2"), (at + 4000, "3")]
    assert [len(calls.tones(call, at + ms)) for ms in (0, 999, 1000, 2000, 3999, 4000)] == [0, 0, 2, 3, 3, 4]
    assert calls.tones(call, at + 60_000) == expected
    office.wait(2)
    assert calls.tones(calls.hang_up(office.change, call), at + 60_000) == expected[:3]


def test_who_hangs_up_leaves_and_who_leaves_hangs_up(office):
    """A call and the presence that it made end together, whichever ends first."""
    first, second = office.call(), calls.dial_unregistered(office.change, office.room, PHONE, "Bob")
    calls.hang_up(office.change, first)
    presence.leave(office.change, office.room, second.user)
    assert office.state(second) is CallState.ENDED
    assert not presence.list_present(office.change, office.room)


def test_who_was_there_before_the_call_stays_after_it():
    """A user who is in the channel already is called, under dial.inside = call, and hangs up without leaving."""
    office = Office({"dial.inside": "call"})
    user = users.get(office.change, office.client.id, office.user)
    presence.join(office.change, office.client, office.room, user)
    call = office.call()
    calls.hang_up(office.change, call)
    assert office.where(office.user) is Where.IN


def test_calls_end_with_their_session_and_their_channel(office):
    """Everybody is disconnected; a deleted channel leaves no call behind, not even one that rings."""
    call = office.call()
    sessions.end_active(office.change, office.room)
    assert office.state(call) is CallState.ENDED
    quiet = Office({"duration.call-answered": "time(5)"})
    quiet.call()
    quiet.ring()
    channels.delete(quiet.change, quiet.room)
    quiet.wait(10)
    assert len(calls.CALLS.of(quiet.change, quiet.client.id)) == 0


def test_a_callee_who_is_removed_does_not_answer():
    """The call fails when its time has come."""
    office = Office({"duration.call-answered": "time(5)"})
    call = calls.dial_unregistered(office.change, office.room, PHONE, "Bob")
    users.END(office.change, users.get(office.change, office.client.id, call.user))
    office.wait(5)
    assert office.state(call) is CallState.FAILED


def test_the_latest_open_call_of_a_user_is_meant():
    """One that rings or is answered before one that is over; without any there is none."""
    office = Office({**MANUAL, "dial.inside": "call"})
    assert refused(calls.get_of_user, office.change, office.client, office.user) is Reason.NOT_FOUND
    first, second = office.call(), office.call()
    assert calls.get_of_user(office.change, office.client, office.user).id == second.id
    calls.fail(office.change, second)
    assert calls.get_of_user(office.change, office.client, office.user).id == first.id
    calls.fail(office.change, first)
    assert calls.get_of_user(office.change, office.client, office.user).id == second.id


def test_calls_are_told_of():
    """That they start and how they end, to anyone who listens to the events."""
    office = Office(MANUAL)
    calls.be_busy(office.change, office.call())
    office.ring()
    event_log.tell(office.change)
    reported = [
        (each.kind, each.payload["state"], each.payload["inbound"])
        for each in event_log.EVENTS.of(office.change, office.client.id).all
        if each.kind.startswith("call.")
    ]
    assert reported == [
        (EventKind.CALL_STARTED, "ringing", False),
        (EventKind.CALL_STARTED, "answered", True),
        (EventKind.CALL_ANSWERED, "answered", True),
        (EventKind.CALL_ENDED, "busy", False),
    ]


# Dialling in


@pytest.mark.parametrize("caller", ["+12025550199", None])
def test_each_phone_that_dials_in_is_a_new_user(office, caller):
    """Unregistered, born by an inbound call, with the caller's number; the call starts the session."""
    people = [users.get(office.change, office.client.id, office.ring(caller=caller)[0].user) for _ in range(2)]
    assert people[0].id != people[1].id
    for user in people:
        assert (user.handle, user.account, user.inbound) == (caller or "anonymous", Account.DIALLED, True)
        assert office.where(user.id) is Where.IN
    assert sessions.find_active(office.change, office.room).participants == 2


def test_a_phone_that_dials_in_does_not_whisper(office):
    """Only who calls out may ask for it (G453)."""
    call, _ = office.ring()
    assert (call.inbound, call.whisper) == (True, False)


def test_handles_of_callers_by_profile():
    """A template for the handle, and a word for those who send no number."""
    office = Office({"dial-in.handle": "Phone {number}", "dial-in.anonymous": "nobody"})
    call, _ = office.ring()
    assert users.get(office.change, office.client.id, call.user).handle == "Phone nobody"


def test_the_ways_to_a_channel(office):
    """By the code of the number, by the meeting id of any channel of the client, by an exclusive number alone."""
    other = channels.create(office.change, office.client, "B", None, None)
    channels.update(office.change, other, dial_in=True, open=True)
    call, _ = office.ring(code=None, meeting_id=other.meeting_id)
    assert call.channel == other.id
    for keyed in ({"code": "0"}, {"code": None}):
        assert refused(office.ring, **keyed) is Reason.CODE_UNKNOWN
    assert refused(office.ring, code=None, meeting_id="0") is Reason.MEETING_ID_UNKNOWN
    number_assignments.assign(office.change, office.room, office.line, exclusive=True)
    for keyed in ({"code": "0"}, {"code": None}, {"code": None, "meeting_id": other.meeting_id}):
        assert office.ring(**keyed)[0].channel == office.id


def test_numbers_that_lead_nowhere(office):
    """Unknown, disabled, or no number at all."""
    assert refused(calls.dial_in, office.change, "+1555") is Reason.NUMBER_UNAVAILABLE
    assert refused(calls.dial_in, office.change, "x") is Reason.NUMBER_MALFORMED
    numbers.STANDING.off(office.change, office.line)
    assert refused(office.ring) is Reason.NUMBER_UNAVAILABLE


def test_dial_in_must_be_enabled(office):
    """No phone comes in while it is off; those inside stay."""
    call, _ = office.ring()
    office.update(dial_in=False)
    assert refused(office.ring) is Reason.DIAL_IN_OFF
    assert office.state(call) is CallState.ANSWERED


@pytest.mark.rule("R478", "R479")
def test_pins_are_asked_for_once_set(office):
    """Anyone comes in without PINs; with one, only who keys it in."""
    assert office.ring(pin="9")[1].state is Where.IN
    pins.add(office.change, office.room, "0042")
    for wrong in (None, "42"):
        assert refused(office.ring, pin=wrong) is Reason.PIN_WRONG
    assert office.ring(pin="0042")[1].state is Where.IN


@pytest.mark.rule("R324")
@pytest.mark.parametrize(("organizer", "waiting"), [("passes", Where.WAITING), ("opens-door", Where.IN)])
def test_an_organizer_pin_starts_the_meeting(organizer, waiting):
    """Others wait at the closed door; the organizer comes in and the session starts. By profile the door opens."""
    office = Office({"dial-in.organizer": organizer}, open=False)
    pins.add(office.change, office.room, "1")
    pins.add(office.change, office.room, "2", organizer=True)
    call, present = office.ring(pin="1")
    assert (present.state, sessions.find_active(office.change, office.room)) == (Where.WAITING, None)
    assert office.ring(pin="2")[1].state is Where.IN
    assert sessions.find_active(office.change, office.room) is not None
    assert office.where(call.user) is waiting


def test_a_phone_that_waits_can_be_put_down(office):
    """The caller is gone from the lobby."""
    office.update(open=False)
    call, present = office.ring()
    assert present.state is Where.WAITING
    calls.hang_up(office.change, call)
    assert office.where(call.user) is ABSENT


def test_a_disabled_service_takes_no_calls(office):
    """Neither in nor out."""
    clients.switch_service(office.change, office.client, "disable")
    office.client = clients.get(office.change, office.client.id)
    assert refused(office.ring) is Reason.SERVICE_DISABLED
    assert refused(office.call) is Reason.SERVICE_DISABLED


def test_a_caller_holds_no_token(office):
    """Phones do not log in."""
    call, _ = office.ring()
    assert not credentials.CREDENTIALS.of(office.change).where(credentials.BY_USER, (office.client.id, call.user))


def test_calls_of_a_breakout_room_go_through_its_event_room(office):
    """The switch is the event room's at first; while the room is not open, who is called is in the event room."""
    place = create_room(office.change, office.room, "Room 1")
    assert place.dial_out is office.room.dial_out is True
    closed = channels.update(office.change, place, dial_out=False)
    assert refused(calls.dial_unregistered, office.change, closed, PHONE, "Bob") is Reason.DIAL_OUT_OFF
    place = channels.update(office.change, closed, dial_out=True)
    call = calls.dial_unregistered(office.change, place, PHONE, "Bob")
    assert (call.channel, office.where(call.user)) == (office.id, Where.IN)
