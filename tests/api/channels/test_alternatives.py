"""Channels under other readings of the documents."""

from __future__ import annotations

import pytest

from confsim import Simulator
from confsim.domain.channels.channels import CHANNELS
from confsim.domain.identity.credentials import CREDENTIALS, Credential
from confsim.domain.users import users
from confsim.domain.users.users import Account, Level
from confsim.service.conformance import Conformance
from kit import CUSTOMER, EVENT_ROOM, ROOM, START
from kit.things.channels import make, put, read, room


def profiled(chosen):
    """The demo world under a profile."""
    return Simulator(clock=START, profile=chosen)


# Alternatives


@pytest.mark.parametrize("choice", ["limit", "none"])
def test_alternatives_for_the_description_at_creation(choice):
    """Without the limit a long text is taken when the channel is made (G303)."""
    sim = profiled({"channels.description-at-creation": choice})
    made = sim.call("create_channel", "demo-owner", body={"name": "New", "description": "x" * 201})
    assert made.status == (200 if choice == "none" else 400)


def test_alternatives_for_long_descriptions():
    """UTF-16 units count, or what is too long is cut (G304)."""
    units = profiled({"channels.description-count": "utf-16"})
    body = {"description": "\U0001f600" * 101}
    assert units.call("set_channel_description", "demo-owner", uuid=ROOM, body=body).status == 400
    cut = profiled({"channels.description-too-long": "cut", "channels.description-count": "utf-16"})
    cut.call("set_channel_description", "demo-owner", uuid=ROOM, body=body)
    assert read(cut)["description"] == "\U0001f600" * 100


def test_alternative_that_names_need_not_differ():
    """Two channels then have one name (G300)."""
    sim = profiled({"channels.unique-names": "allow"})
    assert sim.call("create_channel", "demo-user", body={"name": "Demo Room"}).status == 200


def test_alternative_that_a_name_gets_a_number():
    """The first that is free, at creation and by renaming (G300)."""
    sim = profiled({"channels.unique-names": "number"})
    made = [make(sim, name="Demo Room") for _ in range(2)]
    assert [read(sim, uuid)["name"] for uuid in made] == ["Demo Room (2)", "Demo Room (3)"]
    sim.call("rename_channel", "demo-owner", uuid=made[1], name="Demo Room")
    assert read(sim, made[1])["name"] == "Demo Room (3)"
    sim.call("rename_channel", "demo-owner", uuid=made[0], name="Other")
    sim.call("rename_channel", "demo-owner", uuid=made[1], name="Demo Room")
    assert read(sim, made[1])["name"] == "Demo Room (2)"


def test_a_numbered_name_is_no_longer_than_a_name_may_be():
    """The name gives way to the number (G300, G072)."""
    sim = profiled({"channels.unique-names": "number"})
    made = [make(sim, name="x" * 255) for _ in range(3)]
    assert [read(sim, uuid)["name"][249:] for uuid in made] == ["xxxxxx", "xx (2)", "xx (3)"]


@pytest.mark.parametrize(("choice", "status"), [("refuse", 200), ("refuse-everywhere", 409)])
def test_alternative_that_names_differ_everywhere(choice, status):
    """No two clients have channels of one name then (G300)."""
    sim = profiled({"channels.unique-names": choice})
    assert sim.call("create_channel", "demo-partner-admin", body={"name": "Demo Room"}).status == status


def test_alternative_that_customer_admins_own_new_channels(people):
    """Beside the creator, and of an API token's channel too (G298)."""
    sim = profiled({"channels.first-owners": "creator-and-customer-admins"})
    owners = sim.call("list_owners", "demo-user", uuid=make(sim, who="demo-user")).body
    assert [host["id"] for host in owners] == [people["demo-user"], people["demo-customer-admin"]]


@pytest.mark.parametrize(
    ("chosen", "who", "total"),
    [
        ({"channels.api-token-lists-all": False}, "demo-api-token", 0),
        ({"channels.list-rooms": True}, "demo-api-token", 3),
        ({"channels.list-rooms": True}, "demo-operator", 3),
        ({"channels.list-rooms": True}, "demo-user", 0),
    ],
)
def test_alternatives_for_what_is_listed(chosen, who, total):
    """Nothing for API tokens (G324), or rooms beside base channels (G325)."""
    sim = profiled(chosen)
    below = room(sim)
    answer = sim.call("list_channels", who).body
    assert answer["total"] == total
    shown = [item for item in answer["results"] if item["channelUuid"] == below]
    assert [(item["parentId"], item["parentName"]) for item in shown] == [(EVENT_ROOM, "Demo Event Room")] * (
        total == 3
    )


def test_alternatives_for_the_form_of_the_list():
    """A bare array (G093), or isOwner for owners alone (G326)."""
    arrays = profiled({"channels.list-container": "array"})
    arrays.service.pipeline.hold_against(Conformance(arrays.service.profile))
    assert isinstance(arrays.call("list_channels", "demo-owner").body, list)
    assert arrays.service.bugs == []
    owners = profiled({"channels.list-is-owner": "owners"})
    assert "isOwner" not in owners.call("list_channels", "demo-operator").body["results"][0]
    assert owners.call("list_channels", "demo-owner").body["results"][0]["isOwner"] is True


def test_alternatives_for_details():
    """An API token as operator (G281), another compound (G311), other first values (G301)."""
    assert read(profiled({"channels.api-token-is-operator": True}), who="demo-api-token")["isOperator"] is True
    compound = profiled({"channels.compound-name": "{parent} - {name}"})
    assert read(compound, room(compound, "{parent}"))["name"] == "Demo Event Room - {parent}"
    starry = profiled({"initial.channel-flags": {"star": True}, "initial.audio-quality": "broadcast"})
    details = read(starry, make(starry))
    assert (details["isStar"], details["isPremium"], details["audioQuality"]) == (True, False, "broadcast")


def test_alternatives_for_access():
    """Anyone of the client who knows the id (G310), or guests wherever guests are admitted (G228)."""
    anyone = profiled({"channels.access": "anyone"})
    put(anyone, private=True)
    assert anyone.call("get_channel", "demo-user", uuid=ROOM).status == 200
    free = profiled({"channels.guests-confined": False})
    assert free.call("get_channel", "demo-guest", uuid=EVENT_ROOM).status == 200
    put(free, EVENT_ROOM, guest_access=False)
    assert free.call("get_channel", "demo-guest", uuid=EVENT_ROOM).status == 403


def test_alternatives_for_looking_up(people):
    """The client of any tenant's channel (G322), UUIDs as meeting ids (G133), empty ones looked up (G319)."""
    across = profiled({"channels.client-across-tenants": True})
    assert across.call("get_channel_client", "demo-other-admin", channelUuid=ROOM).body == {"id": CUSTOMER}
    assert across.call("get_channel_client", "demo-other-admin", channelUuid="nope").status == 404
    long = profiled({"ids.meeting-id": "uuid"})
    meeting = read(long, make(long))["meetingId"]
    assert len(meeting) == 36
    assert long.call("find_channel_by_meeting_id", "demo-owner", meetingId=meeting).status == 200
    empty = profiled({"channels.meeting-id-empty": "look-up"})
    assert empty.call("find_channel_by_meeting_id", "demo-owner", meetingId="").status == 404


def test_alternatives_for_empty_and_repeated_changes():
    """An image that is not there, a state that holds: refused where that is assumed (G536, G537)."""
    slots = profiled({"delete.empty-slot": "refuse"})
    assert slots.call("remove_channel_image", "demo-owner", uuid=ROOM).status == 404
    states = profiled({"states.repeated": "refuse"})
    assert states.call("set_guest_access", "demo-owner", uuid=ROOM, state="enable").body["code"] == "state_holds"


def test_alternative_that_a_running_session_keeps_the_channel():
    """It is refused while somebody is inside, and done once the session has ended (G309)."""
    sim = profiled({"channels.deletion": "refuse"})
    sim.presence.join(ROOM, "demo-user")
    answer = sim.call("delete_channel", "demo-owner", uuid=ROOM)
    assert (answer.status, answer.body["code"]) == (409, "channel_in_use")
    sim.call("end_active_session", "demo-owner", uuid=ROOM)
    assert sim.call("delete_channel", "demo-owner", uuid=ROOM).status == 200


def test_alternative_that_guests_go_with_the_channel(people):
    """Their record and their token are gone (G309)."""
    sim = profiled({"channels.guests-after-deletion": "go"})
    sim.call("delete_channel", "demo-owner", uuid=ROOM)
    assert people["demo-guest"] not in users.USERS.seen(sim.service.world, CUSTOMER)
    assert sim.call("get_user_terms", "demo-guest").status == 401


def test_a_partner_admin_sees_all_of_the_own_client(sim):
    """The level includes Customer Admin there (G139, G324)."""
    change = sim.service.change()
    boss = users.create(change, CUSTOMER, "boss", Account.REGISTERED, levels=(Level.PARTNER_ADMIN,), accepted=1)
    CREDENTIALS.of(change).put(Credential("boss", CUSTOMER, user=boss.id))
    sim.service.commit(change)
    assert sim.call("list_channels", "boss").body["total"] == len(CHANNELS.seen(sim.service.world, CUSTOMER))


@pytest.mark.parametrize(
    ("choice", "named", "with_url", "nameless"),
    [("stable", None, None, None), ("name", "other", "other", None), ("friendly-url", None, "hall", "hall")],
)
def test_alternatives_for_the_name_of_a_channel_in_urls(choice, named, with_url, nameless):
    """As it was made, here None; by its name, if that has a letter or digit; or its friendly URL, if any (G134)."""
    sim = profiled({"channels.url-name": choice})
    stable = read(profiled({}))["urlName"]
    assert sim.call("set_friendly_urls_state", "demo-customer-admin", state="enable").ok

    def renamed(name):
        assert sim.call("rename_channel", "demo-owner", uuid=ROOM, name=name).ok
        return read(sim)["urlName"]

    assert renamed("Other") == (named or stable)
    assert sim.call("set_channel_friendly_url", "demo-owner", uuid=ROOM, body={"url": "hall"}).ok
    assert read(sim)["urlName"] == (with_url or stable)
    assert renamed("?!") == (nameless or stable)
