"""What faults do to things in the world."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from confsim import Misuse, Simulator
from confsim.assumptions.protocol.refusals import Reason
from confsim.domain import fault_points, mail
from confsim.domain.fault_points import FAULT_POINTS, TIMED, FaultOutcome
from confsim.kernel.refusal import Refusal
from kit import ADMIN, CUSTOMER, EVENT_ROOM, OPERATOR, OWNER, ROOM, START_MS, USER
from kit.crowded.happenings import hit, injected


def counts(sim):
    """What each fault met and hit."""
    return [(each.met, each.hits) for each in sim.faults]


def ok(sim, operation, caller=OWNER, **arguments):
    """Make a call that succeeds, and answer its body."""
    answer = sim.call(operation, caller, **arguments)
    assert answer.ok, answer
    return answer.body


@pytest.mark.parametrize(
    ("thing", "outcome"),
    [(thing.name, outcome) for thing in FAULT_POINTS.values() for outcome in thing.outcomes],
)
def test_every_outcome_of_every_thing_can_be_asked_for(sim, thing, outcome):
    """By its word alone, or with the duration that it takes."""
    do = {"outcome": outcome.value, "by": "1m"} if outcome in TIMED else outcome.value
    assert sim.faults.add(thing=thing, do=do).do == do


@pytest.mark.parametrize("fault", [*injected()], ids=lambda fault: f"{fault['thing']} {fault['do']['outcome']}")
def test_every_hit_is_shown_by_what_it_hit(sim, people, fault):
    """The entry or the delivery that a fault hit names it once, with its effect, and so does the inspector."""
    ok(sim, "set_events_state", ADMIN, state="enable")
    ok(sim, "add_events_endpoint", ADMIN, body={"url": "http://127.0.0.1:1/hook"})
    hit(sim, {"user": people[USER]}, fault)
    entries = [each for each in sim.control("list_requests", kind="all") if each.fault]
    deliveries = [each for each in sim.webhooks if each.fault]
    hits = [hit for each in (*entries, *deliveries) for hit in each.fault]
    assert [(hit.id, hit.do) for hit in hits] == [(sim.faults[0].id, fault["do"])]
    page = f"requests/{entries[0].id}" if entries else f"webhooks/{deliveries[0].id}"
    shown = sim.client().get(f"/_confsim/inspector/{page}").text
    assert shown.count(f"Fault {hits[0].id}") == 1
    assert fault["do"]["outcome"] in shown


@pytest.mark.parametrize("thing", FAULT_POINTS.values(), ids=lambda thing: thing.name)
def test_every_fault_point_is_asked_somewhere(thing):
    """No point of the table is without effect: some module but the table itself asks for its fault."""
    root = Path(fault_points.__file__).parents[1]
    name = next(name for name, value in vars(fault_points).items() if value is thing)
    readers = [path for path in root.rglob("*.py") if path.name != "fault_points.py"]
    assert any(re.search(rf"\bfault_for\(change, {name}\b", path.read_text()) for path in readers)


def test_there_is_no_fault_unless_one_is_injected(sim):
    """A change without a source of faults takes its course."""
    assert fault_points.fault_for(sim.service.change(), fault_points.MAIL, to="a@example.com") is None


# The lobby


@pytest.fixture
def waiting(sim, people):
    """Somebody waits in the lobby of the room; answers the user id."""
    sim.presence.join(ROOM, OWNER)
    ok(sim, "set_lobby_door", uuid=ROOM, state="close")
    assert sim.presence.join(ROOM, USER).state == "waiting"
    return people[USER]


def test_a_host_who_never_admits(sim, waiting):
    """Who waits goes on waiting, and the host says so or does not react; counted each time."""
    sim.faults.put(
        [
            {"thing": "admission", "times": 1, "do": "refused"},
            {"thing": "admission", "match": {"user": waiting}, "on": 2, "times": 2, "do": "ignored"},
        ]
    )
    with pytest.raises(Misuse) as reported:
        sim.presence.admit(ROOM, waiting)
    assert (reported.value.status, reported.value.facts["reason"]) == (409, "admission_refused")
    assert [sim.presence.admit(ROOM, waiting) for _ in range(3)] == ["waiting", "waiting", "in"]
    assert counts(sim) == [(4, 1), (4, 2)]
    entries = sim.control("list_requests", kind="control")
    admitted = [entry for entry in entries if entry.operation == "admit_to_channel"]
    assert [[(hit.id, hit.do, hit.when) for hit in entry.fault] for entry in admitted] == [
        [("f1", "refused", "within")],
        [("f2", "ignored", "within")],
        [("f2", "ignored", "within")],
        [],
    ]


def test_who_is_inside_already_needs_no_host(sim, waiting):
    """Only who waits can be kept waiting."""
    sim.presence.admit(ROOM, waiting)
    sim.faults.add(thing="admission", times="always", do="refused")
    assert sim.presence.admit(ROOM, waiting) == "in"
    assert counts(sim) == [(0, 0)]


# Phones


@pytest.mark.parametrize(("outcome", "state"), [("busy", "busy"), ("failed", "failed"), ("unanswered", "ringing")])
@pytest.mark.parametrize("lasts", ["immediate", "time(5)", "manual(0)"])
def test_a_callee_who_is_not_to_be_had(outcome, state, lasts):
    """Engaged, not reached, or ringing for ever, however long answering takes otherwise."""
    sim = Simulator(clock=START_MS, profile={"duration.call-answered": lasts})
    ok(sim, "set_dial_out_state", ADMIN, uuid=ROOM, state="enable")
    sim.presence.join(ROOM, OWNER)
    sim.faults.add(thing="call", match={"number": "+12025550147"}, do=outcome)
    users = [
        ok(sim, "dial_unregistered_user", uuid=ROOM, body={"number": number, "name": "Bob"})["id"]
        for number in ("+12025550148", "+12025550147")
    ]
    sim.clock.advance("1d")
    states = {call.userId: call.state for call in sim.calls()}
    assert [states[user] for user in users] == ["answered", state]
    assert counts(sim) == [(1, 1)]


def test_a_phone_that_nobody_answers_can_be_moved_by_hand(sim):
    """It rings until the control plane says otherwise."""
    ok(sim, "set_dial_out_state", ADMIN, uuid=ROOM, state="enable")
    sim.presence.join(ROOM, OWNER)
    sim.faults.add(thing="call", do="unanswered")
    user = ok(sim, "dial_unregistered_user", uuid=ROOM, body={"number": "+12025550147", "name": "Bob"})["id"]
    assert sim.calls.answer(user) == "answered"


# Recordings


def recorded(sim):
    """Record for ten seconds; answers the id of the recording."""
    ok(sim, "start_recording", OPERATOR, uuid=ROOM)
    sim.clock.advance("10s")
    ok(sim, "stop_recording", OPERATOR, uuid=ROOM)
    return ok(sim, "list_recordings", OPERATOR, channelId=ROOM)["results"][0]["id"]


def record(sim, id):
    """The recording as the world has it."""
    rows = sim.state["tables"]["recordings"][CUSTOMER]
    return next(each for each in rows if each["id"] == id)


@pytest.fixture
def meeting(sim):
    """The demo world, somebody in the demo room."""
    sim.presence.join(ROOM, USER)
    return sim


def test_a_recording_that_is_stuck(meeting):
    """Its processing never ends; the next one's does."""
    meeting.faults.add(thing="recording", do="stuck")
    stuck, fine = recorded(meeting), recorded(meeting)
    meeting.clock.advance("52w")
    assert (record(meeting, stuck)["ready"], record(meeting, stuck)["state"]) == (None, "processing")
    assert record(meeting, fine)["ready"] is not None
    assert counts(meeting) == [(2, 1)]


@pytest.mark.parametrize("lasts", ["immediate", "time(2)", "manual(1)"])
def test_a_recording_that_fails(lasts):
    """When its processing ends, as long as that takes."""
    sim = Simulator(clock=START_MS, profile={"duration.recording-processing": lasts})
    sim.presence.join(ROOM, USER)
    sim.faults.add(thing="recording", match={"channel": ROOM}, do="failed")
    id = recorded(sim)
    sim.clock.advance("2s")
    for _ in range(3):
        sim.call("get_recording", OPERATOR, channelId=ROOM, recordingId=id)
    assert (record(sim, id)["ready"], record(sim, id)["state"]) == (None, "failed")


@pytest.mark.parametrize(("lasts", "ready"), [("immediate", 600), ("time(2)", 602), ("manual(3)", 600)])
def test_a_recording_that_is_late(lasts, ready):
    """So much later than it would have been."""
    sim = Simulator(clock=START_MS, profile={"duration.recording-processing": lasts})
    sim.presence.join(ROOM, USER)
    sim.faults.add(thing="recording", do={"outcome": "late", "by": "10m"})
    id = recorded(sim)
    sim.clock.advance((ready - 1) * 1000)
    assert record(sim, id)["ready"] is None
    sim.clock.advance("1s")
    assert record(sim, id)["ready"] == START_MS + (10 + ready) * 1000


# The streaming proxy


def test_a_proxy_that_is_never_ready(sim):
    """409 as the document has it, as often as is said, and then it is there at once."""
    sim.faults.add(thing="proxy", match={"channel": ROOM}, times=3, do="creating")
    reported = [sim.call("get_streaming_proxy", USER, uuid=ROOM) for _ in range(4)]
    assert [each.status for each in reported] == [409, 409, 409, 200]
    assert reported[0].body["code"] == "channel_being_created"
    assert ok(sim, "get_streaming_proxy", uuid=EVENT_ROOM)
    assert counts(sim) == [(4, 3)]
    assert [[each.when for each in entry.fault] for entry in sim.requests] == [["within"]] * 3 + [[], []]


# Mail


def mailed(sim, address):
    """Have a code sent to an address."""
    ok(sim, "set_user_email", USER, userId="me", body={"email": address})


def test_a_mail_that_is_lost(sim):
    """The call succeeds and the outbox stays empty; others arrive."""
    sim.faults.add(thing="mail", match={"to": "lost@example.com"}, times="always", do="lost")
    for name in ("lost", "found", "Lost"):
        mailed(sim, f"{name}@example.com")
    assert [mail.to for mail in sim.mail] == ["found@example.com"]
    assert counts(sim) == [(2, 2)]
    assert sim.requests[0].fault[0].do == "lost"


def test_a_mail_that_falls_due_is_lost_too(meeting):
    """A fault applies to mail sent by a timer as to mail sent by a call; the entry of the timer reports it."""
    ok(meeting, "set_user_email", OWNER, userId="me", body={"email": "owner@example.com"})
    ok(meeting, "verify_user_email", OWNER, userId="me", code=meeting.mail[-1].code)
    meeting.faults.add(thing="mail", match={"kind": "recording"}, do="lost")
    for _ in range(2):
        recorded(meeting)
        meeting.clock.advance("1m")
    assert len([mail for mail in meeting.mail if mail.kind == "recording" and mail.to == "owner@example.com"]) == 1
    assert counts(meeting) == [(2, 1)]
    entries = meeting.control("list_requests", kind="all")
    assert [(entry.kind, hit.do, hit.when) for entry in entries for hit in entry.fault] == [("timer", "lost", "within")]


@pytest.mark.unlisted
@pytest.mark.parametrize(
    ("error", "status"), [(Refusal(Reason.EMAIL_TAKEN, email="x"), 409), (ZeroDivisionError("of ours"), 500)]
)
def test_what_a_call_that_fails_would_have_done_does_not_count(sim, monkeypatch, error, status):
    """A mail that was never sent is no mail, whether the call is refused or confsim itself fails."""

    def failing(*args, **named):
        send(*args, **named)
        raise error

    send = mail.send
    sim.faults.add(thing="mail", do="lost")
    monkeypatch.setattr(mail, "send", failing)
    assert sim.call("set_user_email", USER, userId="me", body={"email": "a@example.com"}).status == status
    assert (counts(sim), sim.requests[-1].fault) == ([(0, 0)], [])
    sim.service.bugs.clear()


# Webhooks


@pytest.fixture
def inbox(sim):
    """What arrives at an endpoint of the demo client, which hears when media are removed or added."""
    received: list = []
    ok(sim, "set_events_state", ADMIN, state="enable")
    ok(sim, "add_events_endpoint", ADMIN, body={"url": "http://127.0.0.1:1/hook"})
    sim.webhooks.deliver_to(received)
    return received


def reported(inbox):
    """The names of the media whose events were emitted."""
    return [message.json["data"]["name"] for message in inbox]


def happen(sim, *names):
    """Make calls that emit events."""
    for name in names:
        ok(sim, "upload_client_media", ADMIN, body=b"x", name=name)


def test_a_webhook_that_is_lost(sim, inbox):
    """It never arrives, and is not tried again."""
    sim.faults.add(thing="webhook", match={"kind": "media.added"}, on=2, do="lost")
    happen(sim, "a", "b", "c")
    sim.clock.advance("1d")
    assert reported(inbox) == ["a", "c"]
    assert counts(sim) == [(3, 1)]


def test_a_webhook_that_is_doubled(sim, inbox):
    """The same message arrives twice."""
    sim.faults.add(thing="webhook", on=2, do="doubled")
    happen(sim, "a", "b", "c")
    assert reported(inbox) == ["a", "b", "b", "c"]
    assert inbox[1] == inbox[2]


def test_a_webhook_that_is_late(sim, inbox):
    """Those behind it wait; it is delayed once, however often the fault applies."""
    sim.faults.add(thing="webhook", on=2, times="always", do={"outcome": "late", "by": "10m"})
    happen(sim, "a", "b")
    sim.clock.advance("9m")
    assert reported(inbox) == ["a"]
    sim.clock.advance("1m")
    assert reported(inbox) == ["a", "b"]
    assert counts(sim) == [(2, 1)]


def test_a_webhook_that_is_out_of_order(sim, inbox):
    """Those behind it pass; it comes a minute later where nothing is said."""
    sim.faults.add(thing="webhook", on=1, do="out of order")
    happen(sim, "a", "b")
    assert reported(inbox) == ["b"]
    sim.clock.advance("1m")
    assert reported(inbox) == ["b", "a"]


def test_a_webhook_that_was_put_off_is_not_put_off_again_after_a_restore(sim, inbox):
    """What a snapshot holds is decided; what happens after it is not."""
    sim.faults.add(thing="webhook", times="always", do={"outcome": "late", "by": "10m"})
    happen(sim, "a")
    sim.snapshot("s")
    for _ in range(2):
        sim.restore("s")
        happen(sim, "b")
        sim.clock.advance("10m")
    assert reported(inbox) == ["a", "a"]


def test_timed_outcomes_are_those_of_webhooks_and_recordings():
    """Only what can come later takes a duration."""
    timed = {thing.name for thing in FAULT_POINTS.values() if set(thing.outcomes) & set(TIMED)}
    assert (timed, TIMED) == ({"recording", "webhook"}, (FaultOutcome.LATE, FaultOutcome.OUT_OF_ORDER))
