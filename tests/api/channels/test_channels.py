"""Channels: making, reading, deleting, looking up."""

from __future__ import annotations

import pytest

from confsim.domain import images
from confsim.domain.channels import channels
from confsim.domain.clients import clients
from confsim.domain.users import users
from kit import CUSTOMER, EVENT_ROOM, ROOM
from kit.things.channels import HOSTS, PNG, listed, make, put, read, room

OWNERS = ("demo-owner", "demo-customer-admin", "demo-api-token")
OPTIONAL = {"description", "parent", "parentName", "friendlyURL", "imageUrl"}
FIELDS = {
    "channelUuid": str, "name": str, "channelName": str, "clientId": str, "serviceMode": str, "reputation": int,
    "favorite": int, "isFavorite": bool, "isStar": bool, "isOperator": bool, "isOwner": bool, "maxUsers": int,
    "urlName": str, "meetingId": str, "isEventRoom": bool, "makePrivate": bool, "isOrganization": bool, "isMidi": bool,
    "isPremium": bool, "audioQuality": str, "isPrivate": bool, "isOpen": bool, "offAir": bool, "isRangeEnabled": bool,
    "disableWall": bool, "guestAccess": bool,
}  # fmt: skip


# Making


@pytest.mark.rule("R371", "R372", "R251", "R012")
def test_a_channel_is_made_in_the_callers_client(sim):
    """Name and description come in one JSON object; the id answered is the one it is read by."""
    answer = sim.call("create_channel", "demo-owner", body={"name": "New", "description": "Talks"})
    assert (answer.status, set(answer.body)) == (200, {"channelUuid"})
    details = read(sim, answer.body["channelUuid"])
    assert (details["channelUuid"], details["name"]) == (answer.body["channelUuid"], "New")
    assert (details["description"], details["clientId"]) == ("Talks", CUSTOMER)


@pytest.mark.rule("R015", "R016", "R005")
@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"name": "New"}, 200),
        ({"name": "New", "description": None}, 200),
        ({"description": "Talks"}, 400),
        ({"name": None}, 400),
        ({"name": 1}, 400),
        ({"name": "  "}, 400),
        ({"name": "x" * 256}, 400),
        ([], 400),
    ],
)
def test_the_name_is_needed_and_the_description_is_not(sim, body, status):
    """An option may be left out; what is none may not, nor be of another type."""
    assert sim.call("create_channel", "demo-owner", body=body).status == status


@pytest.mark.rule("R005")
def test_a_name_in_the_query_is_not_taken(sim):
    """Body parameters count in the body only."""
    assert sim.call("create_channel", "demo-owner", name="New").status == 400
    made = sim.call("create_channel", "demo-owner", body={"name": "New"}, name="Other", description="Talks")
    assert read(sim, made.body["channelUuid"])["name"] == "New"
    assert "description" not in read(sim, made.body["channelUuid"])


@pytest.mark.rule("R545", "R260")
def test_the_creator_owns_the_channel(sim):
    """The user who makes it is owner, another user is nothing."""
    made = make(sim, who="demo-user")
    assert (read(sim, made, "demo-user")["isOwner"], read(sim, made, "demo-user")["isOperator"]) == (True, True)
    assert read(sim, made)["isOwner"] is False


@pytest.mark.parametrize(("who", "status"), [("demo-user", 200), ("demo-api-token", 200), ("demo-guest", 403)])
def test_registered_users_and_api_tokens_make_channels(sim, who, status):
    """Guests do not (G299)."""
    assert sim.call("create_channel", who, body={"name": "New"}).status == status


@pytest.mark.rule("R276")
def test_names_are_unique_in_the_client(sim):
    """Exactly the same name is refused, another letter case and another client are not (G300)."""
    taken = sim.call("create_channel", "demo-user", body={"name": "Demo Room"})
    assert (taken.status, taken.body["code"]) == (409, "channel_name_taken")
    assert sim.call("create_channel", "demo-user", body={"name": "demo room"}).status == 200
    assert sim.call("create_channel", "demo-other-admin", body={"name": "Demo Room"}).status == 200


@pytest.mark.rule("R111", "R245")
def test_a_disabled_service_makes_no_channel(sim):
    """The answer is 403."""
    sim.call("set_client_service_state", "demo-partner-admin", clientId=CUSTOMER, state="disable")
    answer = sim.call("create_channel", "demo-owner", body={"name": "New"})
    assert (answer.status, answer.body["code"]) == (403, "service_disabled")


@pytest.mark.rule("R088")
def test_a_new_channel_takes_the_clients_flags(sim):
    """IsMidi of a new channel is the client's default."""
    change = sim.service.change()
    clients.update(change, clients.get(change, CUSTOMER), midi=True)
    sim.service.commit(change)
    assert read(sim, make(sim))["isMidi"] is True
    assert read(sim)["isMidi"] is False


# Reading


@pytest.mark.rule("R250", "R375")
def test_details_carry_every_field(sim):
    """All fields of the table with their types; options only when they have a value (G301)."""
    details = read(sim, make(sim))
    assert {name: type(value) for name, value in details.items()} == FIELDS
    sim.call("set_channel_friendly_url", "demo-owner", uuid=EVENT_ROOM, body={"url": "hall"})
    sim.call("set_channel_description", "demo-owner", uuid=EVENT_ROOM, body={"description": "x"})
    sim.call("set_channel_image", "demo-owner", uuid=EVENT_ROOM, url="https://images.example/a.png")
    below = read(sim, room(sim))
    assert set(read(sim, EVENT_ROOM)) | set(below) == set(FIELDS) | OPTIONAL


@pytest.mark.rule("R256", "R257", "R264", "R265", "R266", "R268", "R269", "R270", "R271", "R272")
def test_a_new_channel_has_neutral_values(sim):
    """A conference of toll quality, closed, public, without any distinction (G301, G302)."""
    details = read(sim, make(sim))
    assert (details["serviceMode"], details["audioQuality"], details["reputation"]) == ("conference", "toll", 1)
    assert (details["isOpen"], details["guestAccess"], details["makePrivate"]) == (False, True, True)
    for name in ("isStar", "isPremium", "isPrivate", "isOrganization", "isRangeEnabled", "offAir", "isEventRoom"):
        assert details[name] is False, name


@pytest.mark.rule(
    "R256", "R257", "R263", "R264", "R265", "R266", "R267", "R268", "R269", "R270", "R271", "R272", "R273", "R274"
)
@pytest.mark.parametrize(
    ("field", "value", "wire"),
    [
        ("service_mode", channels.ServiceMode.PANEL, "serviceMode"),
        ("audio_quality", "broadcast", "audioQuality"),
        ("reputation", 15, "reputation"),
        ("event_room", True, "isEventRoom"),
        ("open", False, "isOpen"),
        ("off_air", True, "offAir"),
        ("midi", True, "isMidi"),
        ("premium", True, "isPremium"),
        ("star", True, "isStar"),
        ("private", True, "isPrivate"),
        ("make_private", False, "makePrivate"),
        ("organization", True, "isOrganization"),
        ("range_enabled", True, "isRangeEnabled"),
        ("wall_disabled", True, "disableWall"),
        ("guest_access", False, "guestAccess"),
        ("max_users", 7, "maxUsers"),
    ],
)
def test_each_field_of_the_details_tells_of_the_channel(sim, field, value, wire):
    """What is set for the channel is what its details show."""
    before = read(sim)
    put(sim, **{field: value})
    assert read(sim) == before | {wire: value}


@pytest.mark.rule("R258")
def test_favourites_are_counted_and_the_callers_own_is_reported(sim, people):
    """Favorite counts, isFavorite is about the caller; an API token has none."""
    ids = [people["demo-owner"], people["demo-user"]]
    sim.change_record("channel", ROOM, favourite=ids)
    assert [read(sim, who=who)["isFavorite"] for who in ("demo-owner", "demo-operator", "demo-api-token")] == [
        True,
        False,
        False,
    ]
    assert read(sim)["favorite"] == 2


@pytest.mark.rule("R259", "R260")
@pytest.mark.parametrize(
    ("who", "operator", "owner"),
    [
        ("demo-owner", True, True),
        ("demo-operator", True, False),
        ("demo-user", False, False),
        ("demo-guest", False, False),
        ("demo-customer-admin", False, False),
        ("demo-api-token", False, False),
    ],
)
def test_details_tell_the_callers_role(sim, who, operator, owner):
    """An owner counts as operator (G148); an API token is no user (G281)."""
    details = read(sim, who=who)
    assert (details["isOperator"], details["isOwner"]) == (operator, owner)


@pytest.mark.rule("R252", "R253", "R255")
def test_a_room_tells_of_its_parent(sim):
    """The name is compounded, channelName canonical (G311); base channels have neither parent nor compound."""
    base, below = read(sim, EVENT_ROOM), read(sim, room(sim, "Red"))
    assert (base["name"], base["channelName"]) == ("Demo Event Room", "Demo Event Room")
    assert not {"parent", "parentName"} & set(base)
    assert (below["name"], below["channelName"]) == ("Demo Event Room/Red", "Red")
    assert (below["parent"], below["parentName"]) == (EVENT_ROOM, "Demo Event Room")


@pytest.mark.rule("R261", "R262")
def test_links_and_meeting_ids_are_of_one_channel(sim):
    """UrlName differs from channel to channel, meetingId is nine digits that find it."""
    all_ = [read(sim, make(sim, str(number))) for number in range(5)]
    assert len({details["urlName"] for details in all_}) == 5
    for details in all_:
        assert details["meetingId"].isdigit()
        assert len(details["meetingId"]) == 9
        found = sim.call("find_channel_by_meeting_id", "demo-user", meetingId=details["meetingId"])
        assert found.body == {"uuid": details["channelUuid"]}


@pytest.mark.parametrize("who", ["demo-owner", "demo-user", "demo-guest", "demo-customer-admin", "demo-api-token"])
def test_who_reads_a_channel(sim, who):
    """Every user of the client and the channel's own guest (G310); ids match without case (G061)."""
    assert read(sim, who=who)["channelUuid"] == ROOM
    assert read(sim, ROOM.upper(), who)["channelUuid"] == ROOM


def test_a_private_channel_is_for_hosts_and_administrators(sim):
    """Users of the client without a role are refused, those with one are not (G310)."""
    put(sim, private=True)
    assert sim.call("get_channel", "demo-user", uuid=ROOM).body["code"] == "role_missing"
    for who in (*HOSTS, "demo-guest"):
        assert sim.call("get_channel", who, uuid=ROOM).status == 200, who


def test_a_guest_stays_in_the_channel(sim, people):
    """Another channel is refused to a guest (G228), its rooms and channels it hosts are not."""
    answer = sim.call("get_channel", "demo-guest", uuid=EVENT_ROOM)
    assert (answer.status, answer.body["code"]) == (403, "guest_elsewhere")
    assert sim.call("get_channel", "demo-guest", uuid=room(sim, parent=ROOM)).status == 200
    sim.call("add_operator", "demo-owner", uuid=EVENT_ROOM, userId=people["demo-guest"])
    assert sim.call("get_channel", "demo-guest", uuid=EVENT_ROOM).status == 200


@pytest.mark.parametrize(
    "operation",
    [
        "get_channel", "delete_channel", "set_channel_description", "set_channel_image", "remove_channel_image",
        "rename_channel", "get_channel_client", "get_guest_access", "set_guest_access",
    ],
)  # fmt: skip
@pytest.mark.parametrize(
    ("who", "channel"), [("demo-other-admin", ROOM), ("demo-owner", "nope"), ("demo-api-token", "")]
)
def test_foreign_and_unknown_channels_are_not_there(sim, operation, who, channel):
    """Whatever the call, a channel outside the caller's client is not found."""
    name = "channelUuid" if operation == "get_channel_client" else "uuid"
    state = {"state": "enable"} if operation == "set_guest_access" else {}
    answer = sim.call(operation, who, **{name: channel}, **state)
    assert (answer.status, answer.body["code"]) == (404, "not_found")


@pytest.mark.rule("R254", "R383")
def test_the_client_of_a_channel_is_reported(sim):
    """It is the one in the details."""
    answer = sim.call("get_channel_client", "demo-user", channelUuid=ROOM)
    assert answer.body == {"id": read(sim)["clientId"]}


# Deleting


@pytest.mark.rule("R374")
@pytest.mark.parametrize("who", [*OWNERS, "demo-operator", "demo-user", "demo-guest"])
def test_owners_and_administrators_delete_a_channel(sim, who):
    """Afterwards it is not there for anyone (G308)."""
    answer = sim.call("delete_channel", who, uuid=ROOM)
    assert answer.status == (200 if who in OWNERS else 403)
    assert sim.call("get_channel", "demo-owner", uuid=ROOM).status == (404 if who in OWNERS else 200)
    assert ("Demo Room" in listed(sim)) is (who not in OWNERS)


@pytest.mark.rule("R551", "R374")
def test_a_deleted_channel_frees_what_it_had(sim):
    """Its name is free, its meeting id leads nowhere, its image is gone."""
    sim.call("set_channel_image", "demo-owner", uuid=ROOM, body=PNG)
    meeting = read(sim)["meetingId"]
    sim.call("delete_channel", "demo-owner", uuid=ROOM)
    assert sim.call("find_channel_by_meeting_id", "demo-owner", meetingId=meeting).status == 404
    assert len(images.IMAGES.seen(sim.service.world, CUSTOMER)) == 0
    assert sim.call("create_channel", "demo-owner", body={"name": "Demo Room"}).status == 200
    assert sim.call("delete_channel", "demo-owner", uuid=ROOM).status == 404


@pytest.mark.rule("R365")
def test_linked_users_go_with_the_channel(sim):
    """Users made for the channel are removed with every role, also elsewhere."""
    made = sim.call("create_linked_user", "demo-owner", uuid=ROOM, body={"handle": "Lin"}).body["id"]
    sim.call("add_operator", "demo-owner", uuid=EVENT_ROOM, userId=made)
    sim.call("delete_channel", "demo-owner", uuid=ROOM)
    assert made not in users.USERS.seen(sim.service.world, CUSTOMER)
    assert made not in [host["id"] for host in sim.call("list_operators", "demo-owner", uuid=EVENT_ROOM).body]


def test_guests_of_a_deleted_channel_lead_nowhere(sim, people):
    """Their record stays, their token reaches no channel (G309)."""
    sim.call("delete_channel", "demo-owner", uuid=ROOM)
    assert people["demo-guest"] in users.USERS.seen(sim.service.world, CUSTOMER)
    assert sim.call("get_channel", "demo-guest", uuid=ROOM).status == 404
    assert sim.call("get_channel", "demo-guest", uuid=EVENT_ROOM).status == 403


def test_rooms_go_with_their_parent(sim):
    """A channel with a parent is deleted with it."""
    below = room(sim)
    sim.call("delete_channel", "demo-owner", uuid=EVENT_ROOM)
    assert sim.call("get_channel", "demo-customer-admin", uuid=below).status == 404


# Looking up by meeting id


@pytest.mark.rule("R382")
def test_a_meeting_id_finds_one_channel(sim):
    """The answer is the uuid alone; unknown ids and those of other clients are not found (G320, G321)."""
    meeting = read(sim)["meetingId"]
    for who in ("demo-user", "demo-guest", "demo-api-token"):
        assert sim.call("find_channel_by_meeting_id", who, meetingId=meeting).body == {"uuid": ROOM}
    unknown = sim.call("find_channel_by_meeting_id", "demo-other-admin", meetingId=meeting)
    assert (unknown.status, unknown.body["code"]) == (404, "meeting_id_unknown")
    assert sim.call("find_channel_by_meeting_id", "demo-owner", meetingId="").body["code"] == "invalid_input"


@pytest.mark.rule("R382")
@pytest.mark.parametrize("more", ["", "&limit=1", "&search=x&sort=name"])
def test_over_http_meeting_id_decides_what_is_meant(sim, more):
    """One route: with meetingId the look-up, whatever else is there, without it the list (G319)."""
    client, meeting = sim.client("demo-owner"), read(sim)["meetingId"]
    assert client.get(f"/channels?meetingId={meeting}{more}").json == {"uuid": ROOM}
    assert client.get(f"/channels?{more}").json.keys() == {"total", "results"}
    assert client.get(f"/channels?meetingId={more}").status_code == 400
