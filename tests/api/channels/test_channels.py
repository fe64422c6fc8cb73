"""Channels: made, read, listed, changed, deleted."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from confsim import Simulator
from confsim.domain import images
from confsim.domain.channels import channels
from confsim.domain.channels.channels import CHANNELS
from confsim.domain.clients import clients
from confsim.domain.identity.credentials import CREDENTIALS, Credential
from confsim.domain.users import users
from confsim.domain.users.users import Account, Level
from confsim.kernel.table import Rows
from confsim.service.conformance import Conformance
from kit import CUSTOMER, EVENT_ROOM, ROOM, START

SECONDS = 1769904000
HOSTS = ("demo-owner", "demo-operator", "demo-customer-admin", "demo-api-token")
OWNERS = ("demo-owner", "demo-customer-admin", "demo-api-token")
OPTIONAL = {"description", "parent", "parentName", "friendlyURL", "imageUrl"}
FIELDS = {
    "channelUuid": str, "name": str, "channelName": str, "clientId": str, "serviceMode": str, "reputation": int,
    "favorite": int, "isFavorite": bool, "isStar": bool, "isOperator": bool, "isOwner": bool, "maxUsers": int,
    "urlName": str, "meetingId": str, "isEventRoom": bool, "makePrivate": bool, "isOrganization": bool, "isMidi": bool,
    "isPremium": bool, "audioQuality": str, "isPrivate": bool, "isOpen": bool, "offAir": bool, "isRangeEnabled": bool,
    "disableWall": bool, "guestAccess": bool,
}  # fmt: skip


def make(sim, name="New", who="demo-owner", **body):
    """The id of a new channel."""
    return sim.call("create_channel", who, body={"name": name, **body}).body["channelUuid"]


def read(sim, channel=ROOM, who="demo-owner", **query):
    """The details of the channel."""
    return sim.call("get_channel", who, uuid=channel, **query).body


def listed(sim, who="demo-owner", **query):
    """The names in the channel list, in its order."""
    return [item["name"] for item in sim.call("list_channels", who, **query).body["results"]]


def put(sim, channel=ROOM, **fields):
    """Change fields that no documented call sets."""
    change = sim.service.change()
    channels.update(change, channels.get(change, CUSTOMER, channel), **fields)
    sim.service.commit(change)


def room(sim, name="Breakout", parent=EVENT_ROOM):
    """The id of a new channel below another."""
    change = sim.service.change()
    above = channels.get(change, CUSTOMER, parent)
    made = channels.create_room(change, clients.get(change, CUSTOMER), above, name)
    sim.service.commit(change)
    return made.id


def profiled(chosen):
    """The demo world under a profile."""
    return Simulator(clock=START, profile=chosen)


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
def test_favourites_are_counted_and_the_callers_own_is_told(sim, people):
    """Favorite counts, isFavorite is about the caller; an API token has none."""
    put(sim, favourites=(people["demo-owner"], people["demo-user"]))
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
def test_the_client_of_a_channel_is_told(sim):
    """It is the one in the details."""
    answer = sim.call("get_channel_client", "demo-user", channelUuid=ROOM)
    assert answer.body == {"id": read(sim)["clientId"]}


# Changing


@pytest.mark.rule("R013", "R376")
def test_the_description_is_set_from_a_json_body(sim):
    """The text of the body is the one in the details."""
    assert sim.call("set_channel_description", "demo-operator", uuid=ROOM, body={"description": "New"}).status == 200
    assert read(sim)["description"] == "New"
    assert sim.call("set_channel_description", "demo-operator", uuid=ROOM, description="x").status == 400


@pytest.mark.rule("R376", "R373")
@pytest.mark.parametrize(
    ("text", "status"), [("x" * 200, 200), ("x" * 201, 400), ("\U0001f600" * 200, 200), ("é" * 201, 400)]
)
def test_a_description_has_up_to_200_characters(sim, text, status):
    """Code points count, when it is set and when the channel is made (G303, G304)."""
    answer = sim.call("set_channel_description", "demo-owner", uuid=ROOM, body={"description": text})
    made = sim.call("create_channel", "demo-owner", body={"name": "New", "description": text})
    assert (answer.status, made.status) == (status, status)
    if status == 400:
        assert answer.body["code"] == made.body["code"] == "description_too_long"
        assert read(sim)["description"] == "A room that admits guests"
    else:
        assert read(sim)["description"] == text


@pytest.mark.rule("R377")
def test_an_empty_description_clears_it(sim):
    """The field is gone from the details, also when the channel was made with an empty one (G305)."""
    sim.call("set_channel_description", "demo-owner", uuid=ROOM, body={"description": ""})
    assert "description" not in read(sim)
    assert "description" not in read(sim, make(sim, description=""))


def test_a_cleared_description_may_be_an_empty_text():
    """It is then there, and says nothing (G305)."""
    sim = Simulator(clock=START, profile={"channels.description-cleared": "empty"})
    sim.call("set_channel_description", "demo-owner", uuid=ROOM, body={"description": ""})
    assert read(sim)["description"] == ""


@pytest.mark.rule("R381", "R278")
def test_renaming_changes_the_name_alone(sim):
    """Links, ids and roles stay (G307)."""
    before = read(sim)
    assert sim.call("rename_channel", "demo-operator", uuid=ROOM, name="Town Hall").status == 200
    assert read(sim) == before | {"name": "Town Hall", "channelName": "Town Hall"}


@pytest.mark.rule("R276", "R381")
def test_renaming_keeps_names_unique(sim):
    """Another channel's name is refused, the own is not; the old name is free afterwards."""
    taken = sim.call("rename_channel", "demo-owner", uuid=ROOM, name="Demo Event Room")
    assert (taken.status, taken.body["code"]) == (409, "channel_name_taken")
    assert sim.call("rename_channel", "demo-owner", uuid=ROOM, name="Demo Room").status == 200
    sim.call("rename_channel", "demo-owner", uuid=ROOM, name="Town Hall")
    assert sim.call("create_channel", "demo-owner", body={"name": "Demo Room"}).status == 200


@pytest.mark.rule("R006")
def test_the_new_name_counts_in_the_query_only(sim):
    """In the body it is not taken; missing or blank it is refused."""
    assert sim.call("rename_channel", "demo-owner", uuid=ROOM, body={"name": "Town Hall"}).status == 400
    assert sim.call("rename_channel", "demo-owner", uuid=ROOM, name=" ").status == 400
    assert read(sim)["name"] == "Demo Room"


@pytest.mark.rule("R014")
def test_the_new_name_is_decoded(sim):
    """URL-encoded UTF-8 in the query becomes the name."""
    sim.client("demo-owner").post(f"/channels/{ROOM}/rename?name=Caf%C3%A9+%26%20Bar")
    assert read(sim)["name"] == "Café & Bar"


PNG = images.STUB


@pytest.mark.rule("R378", "R379")
def test_an_image_comes_from_the_body_or_from_the_url(sim):
    """The url wins and is fetched at once; a new image takes the place of the old, whose bytes are gone."""
    assert sim.call("set_channel_image", "demo-operator", uuid=ROOM, body=PNG + b"body").status == 200
    first = read(sim)["imageUrl"]
    sim.call("set_channel_image", "demo-operator", uuid=ROOM, body=PNG + b"body", url="https://images.example/a.png")
    kept = [image.data for image in images.IMAGES.seen(sim.service.world, CUSTOMER)]
    assert read(sim)["imageUrl"] != first
    assert kept == [images.STUB]


@pytest.mark.rule("R378", "R379", "R011", "R248")
@pytest.mark.parametrize(
    ("body", "url", "status", "code"),
    [
        (b"", None, 400, "image_missing"),
        (b'{"url": "https://images.example/a.png"}', None, 400, "image_unknown_format"),
        (b"GIF89a" + b"x" * 8 * 2**20, None, 413, "image_too_large"),
        (b"", "http://unreachable.invalid/a.png", 400, "image_unreachable"),
        (b"", "a.png", 400, "invalid_input"),
    ],
)
def test_images_that_are_refused(sim, body, url, status, code):
    """Nothing at all, a JSON body, more than 8 Mbytes, what cannot be fetched, what is no URL."""
    answer = sim.call("set_channel_image", "demo-owner", uuid=ROOM, body=body, url=url)
    assert (answer.status, answer.body["code"]) == (status, code)
    assert "imageUrl" not in read(sim)


@pytest.mark.rule("R380")
def test_an_image_is_removed(sim):
    """It is gone from the details; removing it again is no error (G536)."""
    sim.call("set_channel_image", "demo-owner", uuid=ROOM, body=PNG)
    for _ in range(2):
        assert sim.call("remove_channel_image", "demo-operator", uuid=ROOM).status == 200
    assert "imageUrl" not in read(sim)


@pytest.mark.rule("R031", "R029")
def test_img_size_changes_the_image_alone(sim):
    """In details and list the other fields stay the same; an unknown size is refused."""
    sim.call("set_channel_image", "demo-owner", uuid=ROOM, body=PNG)
    small, large = (read(sim, imgSize=size) for size in ("small", "xxlarge"))
    assert small.pop("imageUrl") != large.pop("imageUrl")
    assert small == large
    items = [sim.call("list_channels", "demo-owner", imgSize=size).body["results"] for size in ("small", "unfurl")]
    urls = [[item.pop("imageUrl", None) for item in page] for page in items]
    assert [url[1].rpartition("=")[2] for url in urls] == ["small", "unfurl"]
    assert items[0] == items[1]
    assert sim.call("list_channels", "demo-owner", imgSize="huge").status == 400


CHANGES = {
    "set_channel_description": {"body": {"description": "x"}},
    "set_channel_image": {"body": PNG},
    "remove_channel_image": {},
    "rename_channel": {"name": "x"},
    "set_guest_access": {"state": "disable"},
}


@pytest.mark.parametrize("operation", CHANGES)
@pytest.mark.parametrize("who", [*HOSTS, "demo-user", "demo-guest"])
def test_hosts_and_administrators_change_a_channel(sim, operation, who):
    """Owner, operator, Customer Admin and API token may (G306, G565)."""
    answer = sim.call(operation, who, uuid=ROOM, **CHANGES[operation])
    assert answer.status == (200 if who in HOSTS else 403)


@pytest.mark.rule("R274")
def test_guest_access_is_switched(sim):
    """The call, the details and the list agree; a guest cannot be made while it is off."""
    sim.call("set_guest_access", "demo-operator", uuid=ROOM, state="disable")
    assert sim.call("get_guest_access", "demo-user", uuid=ROOM).body == {"guestAccess": False}
    assert read(sim)["guestAccess"] is False
    items = {item["name"]: item for item in sim.call("list_channels", "demo-owner").body["results"]}
    assert items["Demo Room"]["guestAccess"] is False
    assert sim.call("create_guest", clientId=CUSTOMER, uuid=ROOM, body={"handle": "G"}).status == 403
    sim.call("set_guest_access", "demo-operator", uuid=ROOM, state="enable")
    assert sim.call("get_guest_access", "demo-user", uuid=ROOM).body == {"guestAccess": True}


@pytest.mark.parametrize("state", ["open", "close", "ENABLE", "on"])
def test_guest_access_takes_its_two_words(sim, state):
    """Enable and disable (G565); what holds already may be set again (G537)."""
    assert sim.call("set_guest_access", "demo-owner", uuid=ROOM, state=state).body["code"] == "invalid_state"
    assert sim.call("set_guest_access", "demo-owner", uuid=ROOM, state="enable").status == 200


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
    assert list(images.IMAGES.seen(sim.service.world, CUSTOMER)) == []
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


# Listing


@pytest.mark.rule("R384", "R275", "R278", "R279", "R265")
def test_a_list_item_agrees_with_the_details(sim):
    """A page of items, each with the fields of the table and the values of the details; created is in seconds."""
    made = make(sim, who="demo-user")
    sim.call("set_channel_friendly_url", "demo-user", uuid=made, body={"url": "hall"})
    sim.call("set_channel_image", "demo-user", uuid=made, body=PNG)
    answer = sim.call("list_channels", "demo-user").body
    details = read(sim, made, "demo-user")
    same = {
        name: details[name]
        for name in ("name", "urlName", "friendlyURL", "isOwner", "isOpen", "guestAccess", "imageUrl")
    }
    assert answer == {"total": 1, "results": [{**same, "channelUuid": made, "created": SECONDS}]}


@pytest.mark.rule("R275", "R277")
def test_options_of_a_list_item_are_left_out(sim):
    """IsOwner is there for operators only, and tells owner from plain operator (G326)."""
    item = sim.call("list_channels", "demo-api-token").body["results"][0]
    assert set(item) == {"name", "urlName", "channelUuid", "isOpen", "guestAccess", "created"}
    assert sim.call("list_channels", "demo-owner").body["results"][0]["isOwner"] is True
    assert sim.call("list_channels", "demo-operator").body["results"][0]["isOwner"] is False


@pytest.mark.rule("R385", "R386")
@pytest.mark.parametrize(
    ("who", "seen"),
    [
        ("demo-owner", 2),
        ("demo-operator", 2),
        ("demo-user", 1),
        ("demo-guest", 0),
        ("demo-customer-admin", 3),
        ("demo-api-token", 3),
        ("demo-other-admin", 0),
    ],
)
def test_callers_see_the_channels_they_operate_and_administrators_all(sim, who, seen):
    """Nothing for who operates nothing (G323), all of the client for administrators and API tokens (G324)."""
    make(sim, who="demo-user")
    answer = sim.call("list_channels", who).body
    assert (answer["total"], len(answer["results"])) == (seen, seen)


@pytest.mark.rule("R280", "R387", "R019")
def test_the_newest_channel_comes_first(sim):
    """The default order is created, descending; asking for the defaults gives the same."""
    for name in ("one", "two"):
        make(sim, name)
    assert listed(sim)[:2] == ["two", "one"]
    assert listed(sim, sort="created", order="desc") == listed(sim)
    assert listed(sim, order="asc") == listed(sim)[::-1]


@pytest.mark.rule("R027", "R028", "R387")
def test_the_list_is_sorted_by_name(sim):
    """Without letter case, in both directions; other columns and directions are refused (G084, G087)."""
    for name in ("b", "A", "c"):
        make(sim, name)
    by_name = listed(sim, sort="name", order="asc")
    assert by_name == ["A", "b", "c", "Demo Event Room", "Demo Room"]
    assert listed(sim, sort="name") == by_name[::-1]
    assert sim.call("list_channels", "demo-owner", sort="title").status == 400
    assert sim.call("list_channels", "demo-owner", order="up").status == 400


@pytest.mark.rule("R388", "R023")
def test_search_filters_by_name(sim):
    """Anywhere in the name, without case (G092); total counts what matches."""
    make(sim, "Quarterly Review")
    assert listed(sim, search="REVIEW") == ["Quarterly Review"]
    assert sim.call("list_channels", "demo-owner", search="demo", limit=1).body["total"] == 2
    assert sim.call("list_channels", "demo-customer-admin", search="nothing").body == {"total": 0, "results": []}
    assert listed(sim, search="") == listed(sim)


@pytest.mark.rule("R020", "R022")
@pytest.mark.parametrize("who", ["demo-owner", "demo-customer-admin"])
def test_pages_cut_the_list(sim, who):
    """Limit and offset are numbers in text; total stays the same on every page."""
    for number in range(3):
        make(sim, str(number))
    whole = listed(sim, who)
    pages = [sim.call("list_channels", who, limit="2", offset=str(start)).body for start in range(0, 6, 2)]
    assert [item["name"] for page in pages for item in page["results"]] == whole
    assert {page["total"] for page in pages} == {5}
    assert sim.call("list_channels", who, limit="x").status == 400


def test_rooms_are_not_listed(sim):
    """A channel with a parent is in no list, for administrators neither (G325)."""
    room(sim)
    for who in ("demo-owner", "demo-api-token"):
        assert sim.call("list_channels", who).body["total"] == 2


def test_the_default_page_looks_at_no_more_than_it_shows(sim, monkeypatch):
    """An administrator's page of the newest is cut from the table: its cost does not grow with the table."""
    for number in range(300):
        make(sim, str(number))
    looked = []
    through = Rows.__iter__

    def counting(rows):
        for record in through(rows):
            looked.append(record)
            yield record

    monkeypatch.setattr(Rows, "__iter__", counting)
    answer = sim.call("list_channels", "demo-api-token", limit=10).body
    assert (answer["total"], len(answer["results"]), len(looked)) == (302, 10, 10)


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.sampled_from(["a", "B", "b", "É", "e", "10", "9"]), max_size=7, unique=True),
    st.sampled_from(["created", "name"]),
)
def test_descending_is_ascending_reversed(names, sort):
    """Ties included (G086)."""
    sim = Simulator(clock=START)
    for name in names:
        make(sim, name)
    assert listed(sim, sort=sort, order="asc") == listed(sim, sort=sort, order="desc")[::-1]


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


@pytest.mark.rule("R382", "R384")
@pytest.mark.parametrize("more", ["", "&limit=1", "&search=x&sort=name"])
def test_over_http_meeting_id_decides_what_is_meant(sim, more):
    """One route: with meetingId the look-up, whatever else is there, without it the list (G319)."""
    client, meeting = sim.client("demo-owner"), read(sim)["meetingId"]
    assert client.get(f"/channels?meetingId={meeting}{more}").json == {"uuid": ROOM}
    assert client.get(f"/channels?{more}").json.keys() == {"total", "results"}
    assert client.get(f"/channels?meetingId={more}").status_code == 400


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
    child = sim.call("create_client", "demo-partner-admin", body={"name": "Kid"}).body["id"]
    answer = sim.call("create_channel", "demo-partner-admin", body={"name": "Demo Room"}, for_client=child)
    assert answer.status == status


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
