from __future__ import annotations

import pytest

from confsim import Simulator
from confsim.assumptions.events import EventKind
from confsim.domain.channels import channels
from confsim.domain.clients import clients
from confsim.domain.events import event_log
from confsim.domain.events.event_log import EVENTS
from confsim.domain.runtime import presence
from confsim.domain.users import users
from kit import ADMIN, CUSTOMER, EVENT_ROOM, OTHER, OWNER, PARTNER_ADMIN, ROOM, START, ok
from kit.things.listening import listening


def events(sim, client=CUSTOMER):
    """The recorded events of the client."""
    return list(event_log.EVENTS.of(sim.service.change(), client).all)


def kinds(sim, client=CUSTOMER):
    """The kinds of the recorded events."""
    return [each.kind.value for each in events(sim, client)]


def within(sim, act):
    """Do something in the world that no documented call does."""
    change = sim.service.change()
    act(change, clients.get(change, CUSTOMER))
    sim.service.commit(change)


def join(sim, people, caller=OWNER, channel=ROOM):
    """The user of a token comes into a channel."""

    def act(change, client):
        user = users.get(change, CUSTOMER, people[caller])
        presence.join(change, client, channels.get(change, CUSTOMER, channel), user, host=True)

    within(sim, act)


def leave(sim, people, caller=OWNER, channel=ROOM):
    """The user goes again."""
    within(sim, lambda change, client: presence.leave(change, channels.get(change, CUSTOMER, channel), people[caller]))


def start_broadcast(sim):
    """Start a broadcast in the demo room."""
    ok(sim, "set_broadcast_state", ADMIN, uuid=ROOM, state="enable")
    ok(sim, "add_broadcast_destination", OWNER, channel=ROOM, body={"destination": "rtmp://live.example/a"})
    ok(sim, "start_broadcast", OWNER, uuid=ROOM)


# Recording


def test_an_event_has_kind_instant_client_and_payload(heard):
    """Kind, instant, client, payload, and an id and a number of its own."""
    heard.service.live.advance(5)
    media = ok(heard, "upload_channel_media", OWNER, uuid=ROOM, name="a", body=b"x")["id"]
    (event,) = events(heard)
    assert (event.kind, event.at, event.client) == (EventKind.MEDIA_ADDED, 1769904000005, CUSTOMER)
    assert event.payload == {"channel": ROOM, "media": media, "name": "a"}
    ok(heard, "delete_channel_media", OWNER, uuid=ROOM, mediaId=media)
    one, other = events(heard)
    assert (one.number + 1, one.id != other.id) == (other.number, True)


@pytest.mark.parametrize("deaf", ["off", "inactive", "removed", "never"])
def test_nothing_is_recorded_without_an_active_endpoint(deaf):
    """Events off, no endpoint, or none that is active: the world does not grow, and no id is used for it."""
    sim = listening()
    id = ok(sim, "list_events_endpoints", ADMIN)[0]["id"]
    if deaf == "off":
        ok(sim, "set_events_state", ADMIN, state="disable")
    elif deaf == "inactive":
        ok(sim, "update_events_endpoint", ADMIN, id=id, body={"active": False})
    elif deaf == "removed":
        ok(sim, "remove_events_endpoint", ADMIN, id=id)
    else:
        sim = Simulator(clock=START)
    counter = sim.service.world.id_counter
    ok(sim, "upload_channel_media", OWNER, uuid=ROOM, name="a", body=b"x")
    assert (events(sim), sim.service.world.id_counter) == ([], counter + 1)


def test_clients_hear_of_their_own_alone(heard):
    """An event of one is not recorded for another that has an endpoint too."""
    ok(heard, "add_events_endpoint", "demo-other-admin", body={"url": "https://hooks.example"})
    ok(heard, "set_events_state", "demo-other-admin", state="enable")
    ok(heard, "create_channel", OWNER, body={"name": "One more"})
    assert (kinds(heard), kinds(heard, OTHER)) == (["channel.created"], [])


def test_a_refused_call_leaves_nothing(heard):
    """Its change is dropped, and what happened in it with it."""
    assert heard.call("create_channel", OWNER, body={"name": "Demo Room"}).status == 409
    assert events(heard) == []


def test_only_the_latest_are_recorded():
    """Of many the last ones, in their order."""
    sim = listening(kept=3)
    for name in "abcdef":
        ok(sim, "upload_client_media", ADMIN, name=name, body=b"x")
    assert [each.payload["name"] for each in events(sim)] == ["d", "e", "f"]
    assert len(EVENTS.seen(sim.service.world, CUSTOMER)) == 3


def test_the_kinds_are_a_choice():
    """The list of kinds is a choice."""
    sim = listening(kinds=["media.removed"])
    ok(sim, "delete_client_media", ADMIN, mediaId=ok(sim, "upload_client_media", ADMIN, name="a", body=b"x")["id"])
    assert kinds(sim) == ["media.removed"]


def test_events_may_be_recorded_always():
    """Whether anybody listens or not, the making of the world included."""
    sim = Simulator(profile={"events.recorded": "always"})
    ok(sim, "upload_client_media", ADMIN, name="a", body=b"x")
    assert kinds(sim)[-1] == "media.added"


# Kinds


def test_sessions_and_participants_come_and_go(heard, people):
    """The second to come starts no session, the last to go ends it."""
    join(heard, people)
    join(heard, people, ADMIN)
    leave(heard, people)
    leave(heard, people, ADMIN)
    assert kinds(heard) == [
        "session.started",
        "participant.joined",
        "participant.joined",
        "participant.left",
        "participant.left",
        "session.ended",
    ]
    assert {each.payload["channel"] for each in events(heard)} == {ROOM}
    assert [each.payload.get("user") for each in events(heard)][:2] == [None, people[OWNER]]


def test_the_lobby_and_who_waits_there(heard, people):
    """Who comes to a closed door waits; the door emits events when it moves, by a call or by itself."""
    ok(heard, "set_lobby_auto_close", OWNER, uuid=ROOM, state="enable")
    ok(heard, "set_lobby_door", OWNER, uuid=ROOM, state="close")
    heard.presence.join(ROOM, ADMIN)
    for _ in range(2):
        ok(heard, "set_lobby_door", OWNER, uuid=ROOM, state="open")
    leave(heard, people, ADMIN)
    assert kinds(heard) == [
        "channel.changed",
        "lobby.closed",
        "participant.waiting",
        "session.started",
        "lobby.opened",
        "participant.waited",
        "participant.joined",
        "participant.left",
        "lobby.closed",
        "session.ended",
    ]
    closed, waiting = events(heard)[1:3]
    assert closed.payload == {"channel": ROOM}
    assert waiting.payload == {"channel": ROOM, "user": people[ADMIN], "handle": "Carla Customer", "byPhone": False}


def test_broadcasts_start_and_stop(heard):
    """Events when they run and when they have ended."""
    start_broadcast(heard)
    ok(heard, "stop_broadcast", OWNER, uuid=ROOM)
    _, started, stopped = events(heard)
    assert (started.kind, stopped.kind) == (EventKind.BROADCAST_STARTED, EventKind.BROADCAST_STOPPED)
    assert started.payload == stopped.payload


def test_breakout_sessions_start_and_end(heard):
    """By a call or by their duration; the channels of their rooms are told of by kinds of their own."""
    for end in (
        lambda: ok(heard, "stop_breakout_session", OWNER, uuid=EVENT_ROOM),
        lambda: heard.service.live.advance(60_000),
    ):
        made = ok(heard, "create_breakout_session", OWNER, uuid=EVENT_ROOM, body={"duration": 60_000})["id"]
        ok(heard, "create_breakout_room", OWNER, uuid=EVENT_ROOM, breakoutSession=made, body={})
        ok(heard, "start_breakout_session", OWNER, uuid=EVENT_ROOM)
        end()
    assert kinds(heard) == ["breakout.started", "room.created", "breakout.ended"] * 2


def test_channels_are_created_and_deleted(heard):
    """With their names; events of what belongs to a deleted channel come before its own."""
    id = ok(heard, "create_channel", OWNER, body={"name": "New"})["channelUuid"]
    ok(heard, "upload_channel_media", OWNER, uuid=id, name="a", body=b"x")
    ok(heard, "delete_channel", OWNER, uuid=id)
    assert kinds(heard) == ["channel.created", "media.added", "media.removed", "channel.deleted"]
    assert events(heard)[-1].payload == {"channel": id, "name": "New"}


def test_users_are_created(heard):
    """Whatever sort of account it is."""
    guest = ok(heard, "create_guest", None, clientId=CUSTOMER, uuid=ROOM, body={"handle": "Gus"})
    assert guest["token"]
    stub = ok(heard, "create_predefined_user", ADMIN, body={"name": "Stub"})["id"]
    linked = ok(heard, "create_linked_user", OWNER, uuid=EVENT_ROOM, body={"handle": "Lin"})["id"]
    found = [(each.payload["handle"], each.payload["account"]) for each in events(heard)]
    assert found == [("Gus", "guest"), ("Stub", "predefined"), ("Lin", "linked")]
    assert [each.payload["user"] for each in events(heard)][1:] == [stub, linked]


def test_users_are_removed(heard):
    """With the handle that they had."""
    linked = ok(heard, "create_linked_user", OWNER, uuid=EVENT_ROOM, body={"handle": "Lin"})["id"]
    ok(heard, "unlink_user", OWNER, uuid=EVENT_ROOM, userId=linked)
    assert kinds(heard) == ["user.created", "user.removed"]
    assert events(heard)[-1].payload == {"user": linked, "handle": "Lin", "account": "linked"}


def test_terms_and_service_are_told_of(heard):
    """New terms with version and link; the service when it is switched, not when it stays."""
    ok(heard, "promulgate_terms", ADMIN, body={"url": "https://terms.example/2"})
    for state in ("disable", "disable", "enable"):
        ok(heard, "set_client_service_state", PARTNER_ADMIN, clientId=CUSTOMER, state=state)
    assert kinds(heard) == ["terms.promulgated", "service.disabled", "service.enabled"]
    assert events(heard)[0].payload == {"version": 2, "url": "https://terms.example/2"}
