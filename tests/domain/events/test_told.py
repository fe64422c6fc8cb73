"""Kinds of events beside the life of a meeting, the order of one instant, and what is told of fields."""

from __future__ import annotations

import pytest

from confsim import Simulator
from confsim.api.events.webhooks import DATA
from confsim.assumptions.events import EventKind
from confsim.domain.channels.channels import Channel
from confsim.domain.couplings.events import CHANNEL_FIELDS, USER_FIELDS
from confsim.domain.events.event_log import BEGINNINGS, ENDS
from confsim.domain.users.users import User
from kit import ADMIN, CUSTOMER, EVENT_ROOM, OWNER, ROOM, START, USER, ok
from kit.things.listening import listening

#: Fields of a channel that no channel.changed tells of: drawn or fixed at its creation, and the door, by lobby.opened.
_UNTOLD_OF_CHANNELS = {"id", "client", "meeting_id", "url_name", "created", "number", "creator", "parent", "open"}
#: Fields of a user that no user.changed tells of: fixed, told by other kinds, or kept for the service.
_UNTOLD_OF_USERS = {
    *("id", "client", "account", "auth_kind", "identity", "origin_id", "accepted", "accepts_again", "channel"),
    *("pending", "follows", "inbound", "ends", "hosting"),
}


def told(sim):
    """The kinds and data of what was told."""
    return [(delivery.kind, delivery.payload["data"]) for delivery in sim.webhooks]


def kinds(sim):
    """The kinds of what was told."""
    return [kind for kind, _ in told(sim)]


def test_every_kind_has_one_payload_and_a_place():
    """The table of payloads is total; no kind both begins and ends something."""
    assert set(DATA) == set(EventKind)
    assert not set(BEGINNINGS) & set(ENDS)
    assert len({*BEGINNINGS, *ENDS}) == len(BEGINNINGS) + len(ENDS)


def test_every_field_is_told_of_or_not():
    """A new field of a channel or a user has to be told of, or to stand among those that are not."""
    assert {*CHANNEL_FIELDS, *_UNTOLD_OF_CHANNELS} == set(Channel.__struct_fields__)
    assert {*USER_FIELDS, *_UNTOLD_OF_USERS} == set(User.__struct_fields__)


def test_roles_are_told_of(heard, people):
    """A role that is given, one that is replaced, and one that is taken; a new channel names its owner itself."""
    user = people[USER]
    ok(heard, "add_operator", OWNER, uuid=ROOM, userId=user)
    ok(heard, "add_owner", OWNER, uuid=ROOM, userId=user)
    ok(heard, "remove_owner", OWNER, uuid=ROOM, userId=user)
    made = ok(heard, "create_channel", OWNER, body={"name": "Mine"})["channelUuid"]
    ok(heard, "delete_channel", OWNER, uuid=made)
    assert kinds(heard) == [*["role.changed"] * 3, "channel.created", "channel.deleted"]
    assert [data.get("role") for kind, data in told(heard) if kind == "role.changed"] == ["operator", "owner", None]
    assert told(heard)[3][1] == {"channel": made, "name": "Mine", "owners": [people[OWNER]]}


def test_details_of_channels_are_told_of_once_an_instant(heard):
    """The event names the fields that have other values; a switch that stays as it is tells nothing."""
    ok(heard, "rename_channel", OWNER, uuid=ROOM, name="Other")
    for _ in range(2):
        ok(heard, "set_wall_state", OWNER, uuid=ROOM, state="disable")
    heard.control("change_record", "channel", ROOM, star=True, maxUsers=7)
    assert told(heard) == [
        ("channel.changed", {"channel": ROOM, "name": "Other", "changed": ["name"]}),
        ("channel.changed", {"channel": ROOM, "name": "Other", "changed": ["disableWall"]}),
        ("channel.changed", {"channel": ROOM, "name": "Other", "changed": ["maxUsers", "isStar"]}),
    ]


def test_details_of_users_are_told_of(heard, people):
    """A user with another name, and one with another level."""
    ok(heard, "set_user_full_name", USER, userId=people[USER], body={"fullName": "Una User"})
    (kind, data), *_ = told(heard)
    assert (kind, data["user"], data["changed"]) == ("user.changed", people[USER], ["fullName"])


def test_registration_and_terms_are_told_of(heard):
    """A guest who registers, a predefined user who connects, and who accepts the terms."""
    guest = ok(heard, "create_guest", None, clientId=CUSTOMER, uuid=ROOM, body={"handle": "Gus"})["token"]
    reserved = ok(heard, "reserve_handle", guest, body={"handle": "Nova"})["reservationToken"]
    ok(heard, "create_user", guest, token=reserved, body={})
    made = ok(heard, "create_predefined_user", ADMIN, body={"name": "Stub"})["id"]
    heard.control("redeem_invitation", code=ok(heard, "create_invitation", ADMIN, userId=made)["code"])
    ok(heard, "accept_terms", USER, version=1)
    found = kinds(heard)
    for kind in ("user.registered", "user.connected", "terms.accepted"):
        assert found.count(kind) == 1
    assert found.index("user.created") < found.index("user.registered")
    accepted = next(data for kind, data in told(heard) if kind == "terms.accepted")
    assert accepted["version"] == 1


def test_presenters_and_assignments_are_told_of(heard, people):
    """Status given and taken; a room assigned, another one, and none."""
    user = people[USER]
    heard.presence.join(EVENT_ROOM, USER)
    for presenter in (True, False):
        heard.control("set_presenter", channel=EVENT_ROOM, userId=user, presenter=presenter)
    groups = ok(heard, "create_breakout_session", OWNER, uuid=EVENT_ROOM, body={})["id"]
    rooms = [
        ok(heard, "create_breakout_room", OWNER, uuid=EVENT_ROOM, breakoutSession=groups, body={})["id"]
        for _ in range(2)
    ]
    for room in rooms:
        named = {"uuid": EVENT_ROOM, "breakoutSession": groups, "breakoutRoom": room, "userId": user}
        ok(heard, "add_breakout_participant", OWNER, **named)
    ok(heard, "remove_breakout_participant", OWNER, **named)
    found = told(heard)
    assert [data["presenter"] for kind, data in found if kind == "presenter.changed"] == [True, False]
    assert [data.get("room") for kind, data in found if kind == "assignment.changed"] == [*rooms, None]


def test_who_leaves_the_lobby_is_told_of(heard, people):
    """Whoever waits is told to wait no longer, whether let in or gone."""
    ok(heard, "set_lobby_door", OWNER, uuid=ROOM, state="close")
    heard.presence.join(ROOM, USER)
    heard.presence.leave(ROOM, people[USER])
    assert kinds(heard) == ["lobby.closed", "participant.waiting", "participant.waited"]


def test_a_broadcast_that_never_ran_is_not_told_to_stop():
    """It is stopped while it starts."""
    sim = Simulator(clock=START, profile={"duration.broadcast-start": "time(60)"})
    ok(sim, "add_events_endpoint", ADMIN, body={"url": "https://hooks.example"})
    ok(sim, "set_broadcast_state", ADMIN, uuid=ROOM, state="enable")
    ok(sim, "add_broadcast_destination", OWNER, channel=ROOM, body={"destination": "rtmp://live.example/a"})
    ok(sim, "set_events_state", ADMIN, state="enable")
    ok(sim, "start_broadcast", OWNER, uuid=ROOM)
    ok(sim, "stop_broadcast", OWNER, uuid=ROOM)
    assert kinds(sim) == []


@pytest.mark.parametrize(
    ("order", "first", "last"),
    [
        ("nested", ["session.started", "participant.joined"], ["participant.left", "session.ended"]),
        ("as-caused", ["participant.joined", "session.started"], ["session.ended", "participant.left"]),
    ],
)
def test_the_order_of_an_instant_is_a_choice(order, first, last):
    """A session lies around its participants, or each event comes after what causes it."""
    sim = listening(order=order)
    sim.presence.join(ROOM, OWNER)
    ok(sim, "end_active_session", OWNER, uuid=ROOM)
    assert kinds(sim) == [*first, *last]
    (session,) = {data["session"] for _, data in told(sim)}
    assert session


def test_the_kinds_of_version_0_1_come_back():
    """The profile as-of-0.1 emits the kinds of version 0.1, in the order of their causes."""
    sim = Simulator(clock=START, profile="as-of-0.1")
    ok(sim, "add_events_endpoint", ADMIN, body={"url": "https://hooks.example"})
    ok(sim, "set_events_state", ADMIN, state="enable")
    ok(sim, "rename_channel", OWNER, uuid=ROOM, name="Other")
    sim.presence.join(ROOM, OWNER)
    assert kinds(sim) == ["participant.joined", "session.started"]
