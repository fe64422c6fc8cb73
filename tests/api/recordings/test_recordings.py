"""Recordings: starting, stopping, their states, lists, and the end of their channel."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from confsim.domain.events import event_log
from confsim.domain.runtime.sessions import SESSIONS
from confsim.domain.users.users import USERS
from confsim.kernel.refusal import Misuse
from kit import (
    ADMIN,
    API_TOKEN,
    CUSTOMER,
    EVENT_ROOM,
    GUEST,
    NOTHING,
    OPERATOR,
    OTHER_ADMIN,
    OWNER,
    ROOM,
    START_MS,
    USER,
    code,
)
from kit.each import each
from kit.things.recordings import assets, fetch, listed, read, record, recorded, simulator, start, stop, user_id


def set_email(sim, handle, email):
    """Give a user of the customer a verified address, or take it away."""
    change = sim.service.change()
    people = USERS.of(change, CUSTOMER)
    people.put(replace(next(user for user in people.all if user.handle == handle), email=email))
    sim.service.commit(change)


# Whether it is possible


@pytest.mark.rule("R499")
def test_recording_is_possible_with_a_verified_owner(sim):
    """One owner with a confirmed address is enough, no matter who asks."""
    for caller in (OWNER, OPERATOR, USER):
        assert sim.call("check_record_possible", caller, uuid=ROOM).body == {"possible": True}


@pytest.mark.rule("R499", "R501")
def test_a_verified_operator_does_not_make_it_possible(sim):
    """Only owners count."""
    set_email(sim, "Olaf Owner", None)
    set_email(sim, "Opal Operator", "opal@customer.example")
    assert sim.call("check_record_possible", OPERATOR, uuid=ROOM).body == {"possible": False}


@pytest.mark.rule("R500")
def test_it_is_always_possible_for_an_api_token(sim):
    """Also when no owner has an address."""
    set_email(sim, "Olaf Owner", None)
    assert sim.call("check_record_possible", API_TOKEN, uuid=ROOM).body == {"possible": True}


@pytest.mark.rule("R159", "R499")
def test_setting_an_address_does_not_confirm_it(sim):
    """Only the code does."""
    set_email(sim, "Olaf Owner", None)
    owner = user_id(sim, OWNER)
    assert sim.call("set_user_email", OWNER, userId=owner, body={"email": "new@customer.example"}).ok
    assert sim.call("check_record_possible", OWNER, uuid=ROOM).body == {"possible": False}
    assert sim.call("verify_user_email", OWNER, userId=owner, code=sim.mail[-1].code).ok
    assert sim.call("check_record_possible", OWNER, uuid=ROOM).body == {"possible": True}


def test_the_answer_is_a_bare_boolean_by_choice():
    """The documents do not show the body."""
    sim = simulator(recordings__possible="bare")
    assert sim.call("check_record_possible", OWNER, uuid=ROOM).content == b"true"


# Starting


@pytest.mark.rule("R291", "R359")
def test_a_recording_in_progress_has_no_end(sim):
    """It is of the active session, and started now."""
    answer = start(sim)
    assert (answer.status, answer.content) == (200, b"")
    session = sim.call("list_sessions", OPERATOR).body["results"][0]["id"]
    found = listed(sim)[0]
    assert found == {"id": found["id"], "channel": ROOM, "session": session, "startTime": START_MS}


@pytest.mark.rule("R360", "R537")
@pytest.mark.parametrize(
    ("caller", "status"),
    [(OWNER, 200), (OPERATOR, 200), (API_TOKEN, 200), (USER, 403), (ADMIN, 403), (OTHER_ADMIN, 404), (None, 401)],
)
def test_operators_and_api_tokens_start(sim, caller, status):
    """Nobody else does, neither users with access nor administrators."""
    assert start(sim, caller).status == status
    assert len(listed(sim)) == (status == 200)


@pytest.mark.rule("R502")
def test_an_api_token_starts_without_a_verified_owner(sim):
    """An operator is refused then, and nothing is recorded."""
    set_email(sim, "Olaf Owner", None)
    assert code(start(sim)) == (409, "recording_needs_email")
    assert listed(sim) == []
    assert start(sim, API_TOKEN).ok


@pytest.mark.rule("R359")
def test_there_is_no_recording_without_a_session(sim):
    """Recordings are made of sessions, so an active one is needed, also by an API token."""
    assert code(start(sim, API_TOKEN, EVENT_ROOM)) == (409, "recording_needs_session")


@pytest.mark.rule("R554")
def test_one_recording_of_a_channel_is_in_progress(sim):
    """A second start is refused; another channel may be recorded meanwhile."""
    assert start(sim).ok
    assert code(start(sim, API_TOKEN)) == (409, "recording_in_progress")
    sim.presence.join(EVENT_ROOM, OWNER)
    assert start(sim, channel=EVENT_ROOM).ok
    assert (len(listed(sim)), len(listed(sim, EVENT_ROOM))) == (1, 1)


def test_a_session_can_be_recorded_more_than_once(sim):
    """As soon as one has stopped the next may start, while the first is processed."""
    one = record(sim)
    assert start(sim).ok
    assert [each["id"] == one for each in listed(sim)] == [False, True]


@pytest.mark.rule("R286")
def test_the_session_has_had_a_recording(sim):
    """From the start of the recording on, and for good."""
    session = sim.call("list_sessions", OPERATOR).body["results"][0]
    assert session["hadRecording"] is False
    start(sim)
    assert sim.call("get_session", OPERATOR, sessionId=session["id"]).body["hadRecording"] is True
    assert sim.call("list_sessions", OPERATOR, hasRecording=True).body["total"] == 1
    assert sim.call("list_sessions", OPERATOR, hasRecording=False).body["total"] == 0


def test_had_recording_waits_for_the_recording_by_choice():
    """It becomes true when the recording is ready."""
    sim = simulator(recordings__had_recording="ready")
    record(sim)
    assert sim.call("list_sessions", OPERATOR, hasRecording=True).body["total"] == 0
    sim.clock.advance("2s")
    assert sim.call("list_sessions", OPERATOR, hasRecording=True).body["total"] == 1


def test_starting_is_laxer_by_choice():
    """Without a verified owner, while one is in progress, without a session."""
    lax = {"without_email": "start", "start_again": "ignore", "without_session": "start-session"}
    sim = simulator(**{f"recordings__{name}": value for name, value in lax.items()})
    set_email(sim, "Olaf Owner", None)
    assert (start(sim).status, start(sim).status, start(sim, channel=EVENT_ROOM).status) == (200, 200, 200)
    assert (len(listed(sim)), len(listed(sim, EVENT_ROOM))) == (1, 1)
    begun = SESSIONS.seen(sim.service.world, CUSTOMER)[listed(sim, EVENT_ROOM)[0]["session"]]
    assert (begun.channel, begun.started, begun.had_recording) == (EVENT_ROOM, START_MS, True)


# Stopping and processing


@pytest.mark.rule("R292", "R293", "R361", "R504")
def test_a_stopped_recording_is_processed_and_then_ready(sim):
    """EndTime is set at once, readyTime at the instant at which the processing is done."""
    id = record(sim)
    assert read(sim, "get_recording", id).body == {**listed(sim)[0], "endTime": START_MS + 10_000}
    assert "readyTime" not in listed(sim)[0]
    sim.clock.advance("1h")
    assert read(sim, "get_recording", id).body == listed(sim)[0]
    assert listed(sim)[0]["readyTime"] == START_MS + 12_000


@pytest.mark.rule("R361")
@pytest.mark.parametrize(
    ("caller", "status"), [(OWNER, 200), (API_TOKEN, 200), (USER, 403), (ADMIN, 403), (OTHER_ADMIN, 404)]
)
def test_who_may_start_may_stop(sim, caller, status):
    """Also what another has started."""
    start(sim)
    assert stop(sim, caller).status == status
    assert ("endTime" in listed(sim)[0]) is (status == 200)


def test_only_the_starter_stops_by_choice():
    """Other hosts are refused."""
    sim = simulator(recordings__stopped_by="starter")
    start(sim)
    assert code(stop(sim, OWNER)) == (403, "recording_stopped_by_starter")
    assert stop(sim, OPERATOR).ok


@pytest.mark.rule("R554")
def test_stopping_needs_a_recording_in_progress(sim):
    """Neither before the first nor after the stop."""
    assert code(stop(sim)) == (404, "no_recording")
    record(sim)
    assert code(stop(sim)) == (404, "no_recording")


def test_stopping_nothing_does_nothing_by_choice():
    """Nothing is recorded by it."""
    sim = simulator(recordings__stop_nothing="ignore")
    assert stop(sim).ok
    assert listed(sim) == []


@pytest.mark.rule("R557")
def test_the_end_of_the_session_stops_its_recording(sim):
    """The end of the recording is that of the session, by a call or by the last who leaves."""
    start(sim)
    sim.clock.advance("5s")
    assert sim.call("end_active_session", OPERATOR, uuid=ROOM).ok
    sim.presence.join(ROOM, USER)
    start(sim)
    sim.clock.advance("5s")
    sim.presence.leave(ROOM, user_id(sim, USER))
    sessions = sim.call("list_sessions", OPERATOR).body["results"]
    assert [(each["session"], each["endTime"]) for each in listed(sim)] == [
        (each["id"], each["ended"]) for each in sessions
    ]
    sim.clock.advance("2s")
    assert all("readyTime" in each for each in listed(sim))


def test_a_recording_outlives_its_session_by_choice():
    """It goes on until it is stopped, still of the same session."""
    sim = simulator(recordings__session_ends="goes-on")
    start(sim)
    sim.call("end_active_session", OPERATOR, uuid=ROOM)
    assert "endTime" not in listed(sim)[0]
    assert stop(sim).ok


# Success and failure


@pytest.mark.rule("R363", "R364")
def test_owners_with_verified_addresses_are_mailed_the_link(sim):
    """Once, at the instant at which it is ready, to each of them and to nobody else."""
    set_email(sim, "Opal Operator", "opal@customer.example")
    set_email(sim, "Uma User", "uma@customer.example")
    assert sim.call("add_owner", OWNER, uuid=ROOM, userId=user_id(sim, USER)).ok
    assert sim.call("add_owner", OWNER, uuid=ROOM, userId=user_id(sim, ADMIN)).ok
    set_email(sim, "Carla Customer", None)
    record(sim)
    sim.clock.advance(1999)
    assert sim.mail == []
    sim.clock.advance("1h")
    reported = [(mail.to, mail.at, mail.kind) for mail in sim.mail]
    assert reported == [
        (to, START_MS + 12_000, "recording") for to in ("olaf@customer.example", "uma@customer.example")
    ]
    assert all(mail.link in mail.text for mail in sim.mail)


@pytest.mark.rule("R363")
def test_the_link_in_the_mail_leads_to_the_combined_video(sim):
    """For a week, without any token."""
    recorded(sim)
    link = sim.mail[-1].link
    assert fetch(sim, link).headers["Content-Type"] == "video/mp4"
    sim.clock.advance("7d")
    assert fetch(sim, link).status_code == 403


@pytest.mark.rule("R364")
def test_nobody_is_mailed_when_processing_fails():
    """The recording stays without readyTime, its assets say that they failed."""
    sim = simulator(recordings__processing="fails")
    id = recorded(sim)
    assert sim.mail == []
    assert "readyTime" not in listed(sim)[0]
    assert {each["state"] for each in assets(sim, id)} == {"Failed"}
    assert code(read(sim, "get_recording_download", id, OWNER)) == (409, "recording_not_ready")


def test_a_failed_recording_is_removed_by_choice():
    """Nothing of it is left."""
    sim = simulator(recordings__processing="fails", recordings__failed="removed")
    id = recorded(sim)
    assert listed(sim) == []
    assert read(sim, "get_recording", id).status == 404


@pytest.mark.rule("R364")
@pytest.mark.parametrize(("outcome", "ready", "mails"), [("ready", True, 1), ("failed", False, 0)])
def test_the_control_plane_ends_the_processing(sim, outcome, ready, mails):
    """At once, and only while it goes on."""
    id = record(sim)
    sim.change_record("recording", id, outcome=outcome)
    assert (("readyTime" in listed(sim)[0]), len(sim.mail)) == (ready, mails)
    with pytest.raises(Misuse):
        sim.change_record("recording", id, outcome="failed")
    sim.clock.advance("1h")
    assert len(sim.mail) == mails


def test_the_control_plane_knows_its_recordings(sim):
    """An unknown one is not found, and a recording is answered in its present state."""
    with pytest.raises(Misuse):
        sim.change_record("recording", NOTHING)
    assert sim.change_record("recording", record(sim))["channel"] == ROOM


@each(
    "choice, by, to",
    [
        ("owners-when-ready", OPERATOR, ["uma@customer.example"]),
        ("owners-at-stop", OPERATOR, ["olaf@customer.example"]),
        ("not-for-api-tokens", OPERATOR, ["uma@customer.example"]),
        ("not-for-api-tokens", API_TOKEN, []),
        ("owners-when-ready", API_TOKEN, ["uma@customer.example"]),
    ],
)
def test_who_is_mailed_is_a_choice(choice, by, to):
    """When owners change between stop and ready, and when an API token has started it."""
    sim = simulator(recordings__mailed=choice)
    set_email(sim, "Uma User", "uma@customer.example")
    record(sim, by=by)
    assert sim.call("add_owner", OWNER, uuid=ROOM, userId=user_id(sim, USER)).ok
    assert sim.call("remove_owner", USER, uuid=ROOM, userId=user_id(sim, OWNER)).ok
    sim.clock.advance("2s")
    assert [mail.to for mail in sim.mail] == to


def test_the_link_in_the_mail_is_a_choice():
    """Ids and the token stand in it where it says so."""
    sim = simulator(recordings__mail_link="https://a.example/{client}/{channel}/{recording}")
    id = recorded(sim)
    assert sim.mail[0].link == f"https://a.example/{CUSTOMER}/{ROOM}/{id}"


# Lists


@pytest.mark.rule("R021", "R503")
@pytest.mark.parametrize(("query", "picked"), [({}, [2, 1, 0]), ({"limit": 1}, [2]), ({"limit": 2, "offset": 2}, [0])])
def test_a_page_tells_the_total(sim, query, picked):
    """The object is exactly total and results."""
    ids = [recorded(sim) for _ in range(3)]
    body = sim.call("list_recordings", OPERATOR, channelId=ROOM, **query).body
    assert list(body) == ["total", "results"]
    assert (body["total"], [each["id"] for each in body["results"]]) == (3, [ids[place] for place in picked])


@pytest.mark.rule("R027", "R028", "R503")
@pytest.mark.parametrize(
    ("query", "starts"),
    [
        ({}, [10, 5, 0]),
        ({"sort": "started"}, [10, 5, 0]),
        ({"order": "asc"}, [0, 5, 10]),
        ({"sort": "ended"}, [10, 5, 0]),
        ({"sort": "ended", "order": "asc"}, [0, 5, 10]),
    ],
)
def test_recordings_are_listed_in_order(sim, query, starts):
    """By started, the latest first, unless asked otherwise; one in progress counts as ended last."""
    for _ in range(2):
        record(sim, 5)
    start(sim)
    assert [(each["startTime"] - START_MS) // 1000 for each in listed(sim, **query)] == starts


@pytest.mark.parametrize(("order", "starts"), [("asc", [0, 5]), ("desc", [0, 5])])
def test_recordings_in_progress_come_last_by_choice(order, starts):
    """Whatever the order by ended is."""
    sim = simulator(recordings__not_ended="last")
    record(sim, 5)
    start(sim)
    assert [(each["startTime"] - START_MS) // 1000 for each in listed(sim, sort="ended", order=order)] == starts


@pytest.mark.rule("R027", "R028")
@pytest.mark.parametrize("query", [{"sort": "ready"}, {"order": "up"}, {"limit": -1}, {"offset": "x"}])
def test_other_columns_and_orders_are_refused(sim, query):
    """Only the values stated for the call are allowed."""
    assert sim.call("list_recordings", OPERATOR, channelId=ROOM, **query).status == 400


@pytest.mark.rule("R503", "R557")
def test_session_keeps_the_recordings_of_one_session(sim):
    """Every recording is of one session of the channel; an unknown session has none."""
    one = recorded(sim)
    sim.call("end_active_session", OPERATOR, uuid=ROOM)
    sim.presence.join(ROOM, USER)
    other = recorded(sim)
    sessions = {each["id"]: each["session"] for each in listed(sim)}
    assert len(set(sessions.values())) == 2
    assert [each["id"] for each in listed(sim, session=sessions[one])] == [one]
    assert [each["id"] for each in listed(sim, session=sessions[other])] == [other]
    assert listed(sim, session=NOTHING) == []


READING = [
    ("list_recordings", {}),
    ("get_recording", {"recordingId": 0}),
    ("list_recording_assets", {"recordingId": 0}),
    ("get_recording_asset", {"recordingId": 0, "assetId": 1}),
    ("get_recording_download", {"recordingId": 0}),
    ("get_recording_credentials", {"recordingId": 0}),
]


@pytest.mark.rule("R503", "R504", "R505", "R507", "R536")
@pytest.mark.parametrize(("name", "arguments"), READING)
@pytest.mark.parametrize("caller", [OWNER, OPERATOR, ADMIN, API_TOKEN, USER, GUEST, OTHER_ADMIN, None])
def test_who_reads_recordings(sim, name, arguments, caller):
    """Hosts, administrators and API tokens read; the download is for owners, the credentials for hosts."""
    id = recorded(sim)
    ids = (id, assets(sim, id)[0]["id"])
    named = {key: ids[place] for key, place in arguments.items()}
    status = sim.call(name, caller, channelId=ROOM, **named).status
    if caller in (OTHER_ADMIN, None):
        assert status == (404 if caller else 401)
    else:
        fine = {OWNER}
        fine |= {OPERATOR, API_TOKEN} if name != "get_recording_download" else set()
        fine |= {ADMIN} if name not in ("get_recording_download", "get_recording_credentials") else set()
        assert (status == 200) is (caller in fine), status
        assert status in (200, 401, 403)


@pytest.mark.parametrize(("name", "arguments"), READING[1:])
def test_a_recording_of_another_channel_is_not_there(sim, name, arguments):
    """Neither is one that there never was, nor an asset of another recording."""
    one, other = recorded(sim), recorded(sim)
    ids = (one, assets(sim, one)[0]["id"])
    named = {key: ids[place] for key, place in arguments.items()}
    assert code(sim.call(name, OWNER, channelId=EVENT_ROOM, **named)) == (404, "not_found")
    assert code(sim.call(name, OWNER, channelId=ROOM, **{**named, "recordingId": NOTHING})) == (404, "not_found")
    if "assetId" in named:
        assert code(sim.call(name, OWNER, channelId=ROOM, **{**named, "recordingId": other})) == (404, "not_found")


# The end of the channel, and events


def test_nothing_of_a_deleted_channel_is_reachable(sim):
    """Neither recordings nor files, by no URL and no token; nobody is mailed about what was processed."""
    id = recorded(sim)
    url = read(sim, "get_recording_download", id, OWNER).body["url"]
    token = read(sim, "get_recording_credentials", id).body["jwt"]
    asset, session = assets(sim, id)[0], listed(sim)[0]["session"]
    start(sim)
    assert sim.call("delete_channel", OWNER, uuid=ROOM).ok
    sim.clock.advance("1m")
    assert len(sim.mail) == 1
    assert [fetch(sim, each, OWNER).status_code for each in (url, asset["url"])] == [404, 404]
    assert sim.call("list_downloadable_assets", jwtToken=token).status == 404
    assert sim.call("list_session_recordings", ADMIN, sessionId=session).status == 404
    for name, arguments in READING:
        named = {key: (id, asset["id"])[place] for key, place in arguments.items()}
        assert sim.call(name, API_TOKEN, channelId=ROOM, **named).status == 404
    assert not [name for (_, name), _ in sim.service.world.tables() if "recording" in name]
    assert not [timer for timer in sim.service.world.timers if timer.kind.startswith("recording")]


@pytest.mark.parametrize(
    ("outcome", "kinds"),
    [
        ("succeeds", ["recording.started", "recording.stopped", "recording.ready"]),
        ("fails", ["recording.started", "recording.stopped", "recording.failed"]),
    ],
)
def test_events_tell_of_recordings(outcome, kinds):
    """They name recording and session, and say when it started, stopped and was ready, and where it is then."""
    sim = simulator(events__recorded="always", recordings__processing=outcome)
    id = recorded(sim)
    reported = [
        each for each in event_log.EVENTS.of(sim.service.change(), CUSTOMER).all if each.kind.startswith("recording")
    ]
    assert [each.kind.value for each in reported] == kinds
    session = listed(sim)[0]["session"]
    ids = {"channel": ROOM, "session": session, "recording": id}
    assert all(event.payload.items() >= ids.items() for event in reported)
    times = [[name for name in ("started", "ended", "ready") if name in event.payload] for event in reported]
    assert times[:2] == [["started"], ["started", "ended"]]
    if outcome == "succeeds":
        ready = reported[-1].payload
        assert ready["started"] <= ready["ended"] <= ready["ready"] == reported[-1].at
        assert fetch(sim, f"/v1_0{ready['link']}", OWNER).status_code == 200
