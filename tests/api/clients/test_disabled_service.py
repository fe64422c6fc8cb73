"""A client whose service is disabled is silent: what runs has ended, nobody logs in, and nothing begins."""

from __future__ import annotations

import pytest

from confsim.domain.breakout.breakouts import BREAKOUTS, BreakoutState
from confsim.domain.broadcast.broadcasts import BROADCASTS
from confsim.domain.recordings.recordings import RECORDINGS, RecordingState
from confsim.domain.runtime.presence import PRESENCES
from confsim.domain.runtime.sessions import SESSIONS, SessionState
from confsim.domain.runtime.streaming import PLACEMENTS
from confsim.domain.telephony.calls import CALLS, CallState
from confsim.kernel.refusal import Misuse
from kit import ADMIN, CUSTOMER, EVENT_ROOM, GUEST, OPERATOR, OWNER, PARTNER_ADMIN, ROOM, USER, demo, ok
from kit.things.breakout import routed

PHONE = "+12025550147"


def running(sim):
    """What runs in the client: kinds of records that are under way."""
    change = sim.service.change()
    sessions = SESSIONS.of(change, CUSTOMER).all
    under_way = {
        "session": any(each.state is not SessionState.ENDED for each in sessions),
        "breakout": any(each.phase is BreakoutState.ACTIVE for each in BREAKOUTS.of(change, CUSTOMER).all),
        "recording": any(each.state is RecordingState.IN_PROGRESS for each in RECORDINGS.of(change, CUSTOMER).all),
        "broadcast": any(each.ended is None for each in BROADCASTS.of(change, CUSTOMER).all),
        "call": any(each.state in (CallState.RINGING, CallState.ANSWERED) for each in CALLS.of(change, CUSTOMER).all),
        "people": bool(PRESENCES.of(change, CUSTOMER).all),
        "placement": bool(PLACEMENTS.of(change, CUSTOMER).all),
    }
    return {kind for kind, runs in under_way.items() if runs}


@pytest.fixture
def busy(people):
    """A breakout session that is recorded and shown, and a room with somebody in its lobby and a phone that rings."""
    slow = {"call_answered": "time(60)", "broadcast_start": "time(180)", "placement": "time(60)"}
    sim = demo(**{f"duration__{name}": value for name, value in slow.items()})
    ok(sim, "set_dial_out_state", uuid=ROOM, state="enable")
    routed(sim, people)
    ok(sim, "start_recording", OWNER, uuid=EVENT_ROOM)
    ok(sim, "set_broadcast_state", uuid=EVENT_ROOM, state="enable")
    ok(sim, "add_broadcast_destination", OWNER, channel=EVENT_ROOM, body={"destination": "rtmp://live.example"})
    ok(sim, "start_broadcast", OWNER, uuid=EVENT_ROOM)
    ok(sim, "set_lobby_door", OWNER, uuid=ROOM, state="close")
    assert sim.presence.join(ROOM, GUEST).state == "waiting"
    ok(sim, "dial_unregistered_user", OPERATOR, uuid=ROOM, body={"number": PHONE, "name": "Bob"})
    assert sim.call("get_streaming_proxy", OWNER, uuid=ROOM).status == 409
    return sim


def switch(sim, state):
    """Switch the service of the customer."""
    ok(sim, "set_client_service_state", PARTNER_ADMIN, clientId=CUSTOMER, state=state)


@pytest.mark.rule("R109", "R111")
def test_everything_that_runs_ends(busy):
    """At once, and nothing comes up later by itself."""
    assert running(busy) == {"session", "breakout", "recording", "broadcast", "call", "people", "placement"}
    switch(busy, "disable")
    assert running(busy) == set()
    busy.clock.advance("1h")
    assert running(busy) == set()


@pytest.mark.rule("R111", "R112")
def test_nobody_logs_in_by_any_way(sim):
    """Neither by an identity token nor by an invitation, nor as a guest, nor with a token into a channel."""
    invited = ok(sim, "create_predefined_user", body={"name": "Rita"})["id"]
    code = ok(sim, "create_invitation", userId=invited)["code"]
    linked = ok(sim, "create_linked_user", OWNER, uuid=ROOM, body={"handle": "Linus"})["id"]
    persistent = ok(sim, "get_invitation", OWNER, userId=linked)["code"]
    switch(sim, "disable")
    for token in (sim.identity_token(sim.demo.user), persistent):
        answer = sim.call("exchange_identity_token", None, clientId=CUSTOMER, body={"idToken": token})
        assert (answer.status, answer.body["code"]) == (403, "service_disabled")
    answer = sim.call("create_guest", None, clientId=CUSTOMER, uuid=ROOM, body={"handle": "Gus"})
    assert (answer.status, answer.body["code"]) == (403, "service_disabled")
    with pytest.raises(Misuse) as refused:
        sim.control("redeem_invitation", code=code)
    assert (refused.value.status, refused.value.facts["code"]) == (403, "service_disabled")
    with pytest.raises(Misuse):
        sim.presence.join(ROOM, USER)
    switch(sim, "enable")
    assert sim.control("redeem_invitation", code=code).userId == invited
    assert sim.presence.join(ROOM, USER).state == "in"


def test_what_runs_may_go_on():
    """By assumption (clients.disable-ends), until it ends by itself."""
    sim = demo(clients__disable_ends="nothing")
    sim.presence.join(ROOM, USER)
    switch(sim, "disable")
    assert running(sim) == {"session", "people", "placement"}
    assert sim.call("end_active_session", ADMIN, uuid=ROOM).status == 403


@pytest.mark.rule("R111", "R342")
def test_a_door_that_closes_by_itself_does(sim):
    """The channel becomes empty when its session ends with the service."""
    ok(sim, "set_lobby_auto_close", OWNER, uuid=ROOM, state="enable")
    sim.presence.join(ROOM, USER)
    switch(sim, "disable")
    assert ok(sim, "get_channel_settings", OWNER, uuid=ROOM)["open"] is False
