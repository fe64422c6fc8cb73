"""What is left of a channel after its deletion, and of people who were renamed or removed."""

from __future__ import annotations

import pytest

from kit import ADMIN, API_TOKEN, CUSTOMER, EVENT_ROOM, OWNER, ROOM, START_MS, USER, code, demo, ok
from kit.things.recordings import fetch

DAY = "24h"


def recorded(sim, channel=ROOM):
    """The id of a session in which the owner is recorded."""
    sim.presence.join(channel, OWNER)
    ok(sim, "start_recording", OWNER, uuid=channel)
    sim.clock.advance("10m")
    return ok(sim, "list_sessions", OWNER, channel=channel)["results"][0]["id"]


@pytest.mark.rule("R374", "R551")
@pytest.mark.parametrize("caller", [ADMIN, API_TOKEN, OWNER])
def test_history_is_erased_with_its_channel(caller):
    """Session and recordings are not there for anybody, and a recording that is being processed is told to fail."""
    sim = demo(channels__history_after_deletion="erased")
    session = recorded(sim)
    ok(sim, "delete_channel", OWNER, uuid=ROOM)
    sim.clock.advance(DAY)
    for operation in ("get_session", "list_session_participants", "list_session_recordings"):
        assert sim.call(operation, caller, sessionId=session).status == 404
    assert not ok(sim, "list_sessions", caller)["total"]
    assert not [mail for mail in sim.mail if "recording" in mail.subject]


@pytest.mark.rule("R374", "R551")
@pytest.mark.parametrize("caller", [ADMIN, API_TOKEN])
@pytest.mark.parametrize("chosen", [{}, {"sessions__image": "snapshot"}, {"sessions__administrators": "all"}])
def test_history_outlives_its_channel_for_administrators_by_choice(chosen, caller):
    """Sessions are read and listed, their participants and recordings too; the channel and its calls are not there."""
    sim = demo(channels__history_after_deletion="kept", **chosen)
    session = recorded(sim)
    before = ok(sim, "get_session", ADMIN, sessionId=session)
    ok(sim, "delete_channel", OWNER, uuid=ROOM)
    shown = ok(sim, "get_session", caller, sessionId=session)
    assert (shown["ended"], shown["channel"], shown["hadRecording"]) == (START_MS + 600_000, ROOM, True)
    assert shown.keys() - before.keys() == {"ended"}
    assert [each["handle"] for each in ok(sim, "list_session_participants", caller, sessionId=session)] == [
        "Olaf Owner"
    ]
    for arguments in ({}, {"channel": ROOM}, {"sort": "name"}, {"from": 1, "hasRecording": True}):
        assert [each["id"] for each in ok(sim, "list_sessions", caller, **arguments)["results"]] == [session]
    assert ok(sim, "list_sessions", caller, channel=EVENT_ROOM)["total"] == 0
    for operation in ("list_recordings", "list_channel_participants"):
        name = "channelId" if operation == "list_recordings" else "uuid"
        assert sim.call(operation, caller, **{name: ROOM}).status == 404


@pytest.mark.rule("R374", "R363")
def test_a_recording_gets_ready_after_its_channel_by_choice():
    """It is mailed to those who owned the channel; the mailed link and the URLs of its assets answer the files."""
    sim = demo(channels__history_after_deletion="kept")
    session = recorded(sim)
    ok(sim, "delete_channel", OWNER, uuid=ROOM)
    assert sim.control("list_records", kind="recordings").records
    sim.clock.advance(DAY)
    (mail,) = [mail for mail in sim.mail if mail.link]
    assert "Demo Room" in mail.text
    for asset in ok(sim, "list_session_recordings", sessionId=session):
        assert fetch(sim, asset["url"]).status_code == 200
    sim.clock.advance("6m")
    assert fetch(sim, asset["url"]).status_code == 403


@pytest.mark.rule("R374", "R241")
@pytest.mark.parametrize("caller", [OWNER, "demo-operator"])
def test_nobody_hosts_a_channel_that_is_gone(caller):
    """Hosts of other channels, and those who hosted it, do not read its sessions; they are not in their lists."""
    sim = demo(channels__history_after_deletion="kept")
    session = recorded(sim)
    ok(sim, "create_channel", caller, body={"name": "Another", "description": "x"})
    ok(sim, "delete_channel", OWNER, uuid=ROOM)
    assert code(sim.call("get_session", caller, sessionId=session)) == (403, "role_missing")
    assert ok(sim, "list_sessions", caller)["total"] == 0


@pytest.mark.rule("R374")
def test_the_token_of_a_guest_leads_to_no_channel_that_is_gone():
    """Even where every caller may read sessions."""
    sim = demo(channels__history_after_deletion="kept", gate__get_session=["signed-in"])
    guest = ok(sim, "create_guest", None, clientId=CUSTOMER, uuid=ROOM, body={"handle": "Gus"})["token"]
    session = recorded(sim)
    assert sim.call("get_session", guest, sessionId=session).ok
    ok(sim, "delete_channel", OWNER, uuid=ROOM)
    assert sim.call("get_session", guest, sessionId=session).status == 404
    assert sim.call("get_session", OWNER, sessionId=session).ok


@pytest.mark.rule("R374")
def test_calls_outlive_their_channel_by_choice():
    """They have ended, and nothing waits for them."""
    sim = demo(channels__history_after_deletion="kept")
    ok(sim, "set_dial_out_state", ADMIN, uuid=ROOM, state="enable")
    sim.presence.join(ROOM, OWNER)
    ok(sim, "dial_unregistered_user", OWNER, uuid=ROOM, body={"number": "+31201234567", "name": "Phil"})
    ok(sim, "delete_channel", OWNER, uuid=ROOM)
    (call,) = sim.control("list_records", kind="calls").records
    assert call.record["state"] in ("ended", "failed")


@pytest.mark.rule("R290", "R415", "R419")
@pytest.mark.parametrize(
    ("choice", "past", "present"),
    [("then", "Uma User", "Ursula"), ("now", "Uschi", "Uschi"), ("last-join", "Uma User", "Uma User")],
)
def test_a_past_session_shows_people_as_they_were(choice, past, present):
    """Renamed between two sessions, in the second, and after it: as then, as now, or as at the last join."""
    sim = demo(sessions__participant_handle=choice)
    ok(sim, "set_handle_uniqueness", state="disable")
    user = ok(sim, "get_me", USER)["id"]
    first = sim.presence.join(ROOM, USER).session
    sim.presence.leave(ROOM, user)
    ok(sim, "end_active_session", OWNER, uuid=ROOM) if "ended" not in ok(sim, "get_session", sessionId=first) else None
    second = sim.presence.join(ROOM, USER).session
    ok(sim, "set_user_handle", USER, userId="me", body={"handle": "Ursula"})
    sim.presence.leave(ROOM, user)
    ok(sim, "set_user_handle", USER, userId="me", body={"handle": "Uschi"})
    shown = [ok(sim, "list_session_participants", sessionId=id)[0]["handle"] for id in (first, second)]
    assert (first != second, shown) == (True, [past, present])
