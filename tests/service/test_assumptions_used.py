"""What a world rests on is reported: its start, calls of both planes, timers; in the call that changes by it."""

from __future__ import annotations

import pytest

from confsim import Misuse, Simulator
from confsim.api.catalogue import API
from confsim.assumptions.users.users import FIRST_USER_ID
from confsim.service.messages import Request
from kit import ADMIN, API_TOKEN, CUSTOMER, EVENT_ROOM, GUEST, OTHER_ADMIN, OWNER, ROOM, START, USER, ok

SHOWING_USERS = (
    "create_user create_guest create_invitation get_invitation create_predefined_user find_predefined_user get_users "
    "get_me get_user list_users find_user_by_handle find_user_by_email list_operators list_owners "
    "list_active_channels list_session_participants list_session_recordings list_channel_participants "
    "get_app_session list_app_sessions list_breakout_participants create_linked_user list_linked_users "
    "dial_unregistered_user list_recording_assets get_recording_asset exchange_identity_token "
    "get_turn_credentials"
)


def test_the_start_reports_what_it_was_built_on(sim):
    """Before any call; a fork, a scenario and a reset keep it, and the start of a fork is what its world came from."""
    built = {"initial.midi", "initial.terms-required", "users.reputation", "users.first-id", "ids.meeting-id"}
    assert built <= set(sim.assumptions_used)
    ok(sim, "update_terms_url", body={"url": "https://terms.example/3"})
    assert {*built, "encode.empty"} <= sim.fork().service.start_assumptions
    assert "encode.empty" not in sim.service.start_assumptions
    sim.reset()
    assert sim.assumptions_used == sorted(sim.service.start_assumptions)
    after = Simulator(clock=START, scenario="lobby")
    assert {*built, "lobby.passes"} <= after.service.start_assumptions
    assert len(after.service.journal) == 0


@pytest.mark.parametrize(
    ("entry", "operation", "arguments"),
    [
        ("initial.midi", "get_channel_settings", {"uuid": ROOM}),
        ("initial.service-mode", "get_channel", {"uuid": ROOM}),
        ("initial.providers", "list_client_auth_providers", {"clientId": CUSTOMER}),
        ("users.reputation", "get_me", {}),
        ("users.first-id", "get_me", {}),
        ("ids.form", "get_channel", {"uuid": ROOM}),
        ("ids.form", "list_channels", {}),
        ("ids.form", "get_turn_credentials", {"uuid": ROOM}),
        ("users.first-id", "get_turn_credentials", {"uuid": ROOM}),
        ("initial.guest-access", "list_channels", {}),
        ("initial.guest-access", "get_guest_access", {"uuid": ROOM}),
    ],
)
def test_a_call_that_shows_what_the_start_was_built_on_says_so(sim, entry, operation, arguments):
    """A call names the entry of each value in its answer that nobody has set since the world was made."""
    ok(sim, operation, OWNER, **arguments)
    assert entry in list(sim.service.journal)[-1].assumptions
    ok(sim, "get_client_settings", ADMIN)
    assert "initial.service-mode" not in sim.requests[-1].assumptions


@pytest.mark.parametrize(
    ("scenario", "entry", "operation", "arguments"),
    [
        ("api-token-rotation", "tokens.format", "list_api_tokens", {"caller": ADMIN}),
        ("api-token-rotation", "duration.api-token", "list_api_tokens", {"caller": ADMIN}),
        ("breakout-session", "breakout.unassigned", "list_sessions", {"caller": ADMIN}),
        ("broadcast", "duration.broadcast-start", "list_broadcast_history", {"caller": OWNER, "uuid": ROOM}),
        ("media-library", "media.read-default", "list_client_media", {"caller": ADMIN}),
        ("phones", "dial-in.handle", "list_channel_participants", {"caller": OWNER, "uuid": ROOM}),
        ("phones", "dial-in.anonymous", "list_channel_participants", {"caller": OWNER, "uuid": ROOM}),
        ("phones", "sessions.end", "list_channel_participants", {"caller": OWNER, "uuid": ROOM}),
        (
            "recording-to-download",
            "recordings.individual-streams",
            "list_recordings",
            {"caller": OWNER, "channelId": ROOM},
        ),
        ("running-a-meeting", "channels.first-owners", "list_channels", {"caller": OWNER}),
        ("running-a-meeting", "numbers.defaults", "list_dial_number_assignments", {"caller": OWNER, "channel": ROOM}),
        ("service-suspension", "clients.disable-releases", "list_validators", {"caller": ADMIN}),
        ("terms-renewal", "terms.version", "get_client_terms", {"caller": ADMIN, "clientId": CUSTOMER}),
        ("terms-renewal", "terms.version", "accept_terms", {"caller": USER, "version": 1}),
        (
            "service-suspension",
            "clients.disable-releases",
            "exchange_identity_token",
            {"clientId": CUSTOMER, "body": {"idToken": "x"}},
        ),
        ("invitations", "users.predefined-name", "list_users", {"caller": ADMIN}),
        ("invitations", "users.reputation", "list_linked_users", {"caller": OWNER, "uuid": ROOM}),
    ],
)
def test_a_call_that_shows_what_a_scenario_made_says_what_decided_it(scenario, entry, operation, arguments):
    """The scenario is the start of the world; its own calls are in no journal."""
    sim = Simulator(clock=START, scenario=scenario)
    sim.call(operation, **arguments)
    assert entry in sim.requests[-1].assumptions


FEATURES = {
    "initial.dial-in": "set_dial_in_state",
    "initial.dial-out": "set_dial_out_state",
    "initial.midi": "set_midi_state",
    "initial.speech2text": "set_speech2text_state",
}


@pytest.mark.parametrize(("entry", "switch"), FEATURES.items())
def test_a_read_names_the_entry_of_a_field_until_somebody_sets_it(sim, entry, switch):
    """The settings of a channel rest on the entry of a feature while the channel has it as it was created."""
    ok(sim, "get_channel_settings", OWNER, uuid=ROOM)
    assert entry in sim.requests[-1].assumptions
    ok(sim, switch, OWNER if entry == "initial.midi" else ADMIN, uuid=ROOM, state="enable")
    ok(sim, "get_channel_settings", OWNER, uuid=ROOM)
    assert entry not in sim.requests[-1].assumptions


def test_the_terms_of_a_client_rest_on_their_entry_until_they_are_replaced(sim):
    """A user who reads the terms sees the URL of a new client, or the one that somebody has set."""
    ok(sim, "get_user_terms", USER)
    assert "initial.terms-url" in sim.requests[-1].assumptions
    ok(sim, "update_terms_url", ADMIN, body={"url": "https://terms.example/3"})
    ok(sim, "get_user_terms", USER)
    assert "initial.terms-url" not in sim.requests[-1].assumptions


def test_a_breakout_room_rests_on_what_its_event_room_does_not_decide(sim):
    """The call that creates a room names the entries of a new channel, except those that the event room decides."""
    breakout = ok(sim, "create_breakout_session", OWNER, uuid=EVENT_ROOM, body={"name": "Groups"})["id"]
    ok(sim, "create_breakout_room", OWNER, uuid=EVENT_ROOM, breakoutSession=breakout, body={"name": "One"})
    ok(sim, "start_breakout_session", OWNER, uuid=EVENT_ROOM)
    named = {id for id in sim.requests[-1].assumptions if id.startswith("initial.")}
    assert "initial.channel-reputation" in named
    assert not named & {"initial.max-users", "initial.audio-quality", "initial.guest-access", "initial.lobby-open"}


def test_the_conventions_that_are_off_are_named_where_they_would_act(sim):
    """A read after a change names the delay of reads, a repeated call its key, the sixty-first call the limit."""
    ok(sim, "list_channels", OWNER)
    assert "time.visibility-lag" not in sim.requests[-1].assumptions
    target, body = f"/v1_0{API['create_channel'].path}", b'{"name": "New"}'
    headers = {"authorization": f"Bearer {OWNER}", "idempotency-key": "1", "content-type": "application/json"}
    assert sim.app(Request("POST", target, headers=headers, body=body)).status == 200
    assert {"http.idempotency-key", "http.request-id"} <= set(sim.requests[-1].assumptions)
    ok(sim, "list_channels", OWNER)
    assert "time.visibility-lag" in sim.requests[-1].assumptions
    for _ in range(57):
        ok(sim, "list_channels", OWNER)
    assert "http.rate-limit" not in sim.requests[-1].assumptions
    ok(sim, "list_channels", OWNER)
    assert "http.rate-limit" in sim.requests[-1].assumptions


@pytest.mark.parametrize(
    ("request_", "entry"),
    [
        (Request("GET", "/v1_0/users/me", "q=" + "x" * 17_000), "size.request-url"),
        (Request("GET", "/v1_0/users/me", fault="headers_too_large"), "size.request-headers"),
        (Request("POST", "/v1_0/channels", fault="body_too_large"), "size.request-body"),
    ],
)
def test_a_large_request_names_the_limit_that_could_refuse_it(sim, request_, entry):
    """A request names the limit that refuses it, and a long URL the limit by which it would be refused."""
    sim.app(request_)
    assert entry in list(sim.service.journal)[-1].assumptions
    ok(sim, "get_me", USER)
    assert entry not in sim.requests[-1].assumptions


def test_a_call_that_shows_an_instant_of_a_world_without_a_clock_says_so():
    """Every instant is from its clock; a call that shows none does not name it."""
    sim = Simulator()
    ok(sim, "list_channels", OWNER)
    assert "time.source" in sim.requests[-1].assumptions
    ok(sim, "get_channel_settings", OWNER, uuid=ROOM)
    assert not {"time.source", "ids.form"} & set(sim.requests[-1].assumptions)


def test_the_first_user_id_concerns_every_call_that_shows_or_names_a_user():
    """An answer shows a user by number, a path names one, and two calls create one without showing the number."""
    naming = {each.name for each in API if any(parameter.names == "users" for parameter in each.path_parameters)}
    assert set(API.concerned(FIRST_USER_ID)) == naming | set(SHOWING_USERS.split())


@pytest.mark.parametrize(("required", "status"), [(False, 200), (True, 401)])
def test_whether_guests_must_accept_terms_is_told_where_it_decides(required, status):
    """In the call of a guest, though the client was made with the world."""
    sim = Simulator(clock=START, profile={"initial.terms-required": required})
    assert sim.call("get_me", GUEST).status == status
    assert "initial.terms-required" in sim.requests[-1].assumptions
    ok(sim, "list_active_channels", API_TOKEN)
    assert "initial.terms-required" not in sim.requests[-1].assumptions


@pytest.mark.parametrize(
    ("operation", "arguments", "entry"),
    [
        ("get_client_terms", {"caller": USER, "clientId": CUSTOMER}, "initial.terms-required"),
        ("get_channel_config", {"caller": USER, "uuid": ROOM}, "initial.channel-flags"),
        ("list_dial_pins", {"caller": USER, "uuid": ROOM}, "initial.channel-flags"),
        ("start_broadcast", {"caller": OWNER, "uuid": ROOM}, "initial.channel-flags"),
        ("start_breakout_session", {"caller": OWNER, "uuid": ROOM}, "initial.channel-flags"),
    ],
)
def test_what_a_new_thing_is_like_is_told_where_it_decides(sim, operation, arguments, entry):
    """Though the thing was made with the world."""
    sim.call(operation, **arguments)
    assert entry in sim.requests[-1].assumptions


def test_what_a_call_relied_on_is_named_once():
    """A call that uses an entry which a call of the scenario has used too names it once."""
    sim = Simulator(clock=START, scenario="running-a-meeting")
    assert sim.call("create_channel", OWNER, body={"name": "New"}).ok
    (entry,) = sim.service.journal
    relied_on = sim.service.relied_on(entry)
    assert set(entry.assumptions) & set(sim.service.provenance.assumptions)
    assert sorted(relied_on) == sorted(set(relied_on))
    assert relied_on == sim.requests[-1].assumptions


def test_a_control_call_is_in_the_journal_with_its_assumptions(sim):
    """With what it changed; calls of the API are counted and listed without it, unless it is asked for."""
    sim.presence.join(ROOM, 1002)
    sim.presence.leave(ROOM, 1002)
    joined, left = sim.requests.between()
    assert (joined.kind, joined.id, joined.operation, joined.method) == ("control", "c1", "join_channel", "POST")
    assert (joined.path, joined.status, joined.body) == (
        "/_confsim/presence/join",
        200,
        {"channel": ROOM, "userId": 1002},
    )
    assert {"sessions.name", "presence.joining"} <= set(joined.assumptions)
    assert "sessions" in {each.table for each in joined.changes}
    assert {"sessions.end", "duration.session-grace"} <= set(left.assumptions)
    assert {"sessions.end", "sessions.name"} <= set(sim.assumptions_used)
    assert (len(sim.requests), sim.requests.matching(), sim.requests.find()) == (0, 0, [])


def test_a_refused_control_call_is_in_the_journal_with_what_refused_it(sim):
    """A refusal by the rules of the channel is an answer that an assumption may change."""
    sim.change_record("channel", ROOM, private=True)
    with pytest.raises(Misuse) as refusal:
        sim.presence.join(ROOM, 1004)
    found = sim.requests.between()[-1]
    assert (found.status, found.operation, found.changes) == (refusal.value.status, "join_channel", [])
    assert "channels.access" in found.assumptions


def test_a_timer_is_in_the_journal_with_its_assumptions(sim):
    """At its due instant, before the call that comes after it, with what it changed."""
    sim.presence.join(ROOM, 1002)
    session = ok(sim, "list_sessions", OWNER)["results"][0]["id"]
    assert session
    ok(sim, "start_recording", OWNER, uuid=ROOM)
    sim.presence.leave(ROOM, 1002)
    sim.clock.advance("1h")
    ok(sim, "list_sessions", OWNER)
    everything = sim.control("list_requests", kind="all")
    timers = [each for each in everything if each.kind == "timer"]
    assert [(each.operation, each.path, each.status) for each in timers] == [(None, "", 0)] * len(timers)
    assert any(each.changes and each.assumptions for each in timers)
    assert all(each.fired[0].at == each.at for each in timers)
    assert [each.id for each in everything][-1] == "r3"
    assert sim.control("list_requests", kind="timer") == timers
    assert sim.control("list_requests", kind="timer", limit=1) == timers[-1:]


def test_kinds_are_listed_apart(sim):
    """By operation too; an operation of the other plane is unknown to a kind."""
    sim.presence.join(ROOM, 1002)
    ok(sim, "get_me", USER)
    listed = sim.control("list_requests", kind="all")
    assert [(each.kind, each.operation) for each in listed] == [("control", "join_channel"), ("call", "get_me")]
    assert [each.operation for each in sim.control("list_requests", kind="control")] == ["join_channel"]
    assert [each.operation for each in sim.control("list_requests", kind="all", operation="join_channel")] == [
        "join_channel"
    ]
    with pytest.raises(Exception, match="no operation 'get_me'"):
        sim.control("list_requests", kind="control", operation="get_me")
    with pytest.raises(Exception, match="no operation 'join_channel'"):
        sim.control("list_requests", operation="join_channel")


@pytest.mark.parametrize(
    ("entry", "operation", "arguments"),
    [
        ("channels.unique-names", "create_channel", {"caller": OTHER_ADMIN, "body": {"name": "Demo Room"}}),
        ("size.page-most", "list_users", {"caller": ADMIN}),
        ("size.name", "create_channel", {"caller": ADMIN, "body": {"name": "New"}}),
        ("size.json-body", "create_channel", {"caller": ADMIN, "body": {"name": "New"}}),
        ("size.url", "update_terms_url", {"caller": ADMIN, "body": {"url": "https://terms.example/2"}}),
        ("events.recorded", "create_channel", {"caller": ADMIN, "body": {"name": "New"}}),
        ("auth.presentation", "get_me", {"caller": "nobody"}),
    ],
)
def test_what_might_matter_is_noted(sim, entry, operation, arguments):
    """Also where the value in force lets the call pass."""
    sim.call(operation, **arguments)
    assert entry in sim.requests[-1].assumptions


@pytest.mark.parametrize(
    "entry",
    ["http.request-id", "http.rate-limit", "http.idempotency-key", "time.visibility-lag", "world.reset-clock"],
)
def test_what_a_world_is_served_under_is_reported_from_the_start(sim, entry):
    """No call asks for it as long as it is off."""
    assert entry in sim.assumptions_used


def test_the_clock_of_a_world_is_an_assumption_where_none_is_given(sim):
    """With a clock of its own a world rests on none."""
    assert "time.source" in Simulator().assumptions_used
    assert "time.source" not in sim.assumptions_used


def test_a_fault_that_matches_callers_rests_on_how_tokens_are_presented(sim):
    """It hits anyone who presents the token so, instead of the operation."""
    sim.faults.add("get_me", do={"status": 503}, match={"caller": USER})
    assert sim.client(USER).get("/users/me").status_code == 503
    assert "auth.presentation" in sim.requests[-1].assumptions


def test_a_request_that_cannot_be_is_reported_too(sim):
    """A malformed fault in a header of the request is answered as misuse, and is not in the journal."""
    assert sim.client(USER).get("/users/me", headers={"X-Confsim": "no JSON"}).status_code == 400
    assert "route.prefix" in sim.assumptions_used
