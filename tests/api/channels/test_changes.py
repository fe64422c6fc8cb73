"""Changes of a channel: its name, description, images, who may join."""

from __future__ import annotations

import pytest

from confsim import Simulator
from confsim.domain import images
from kit import CUSTOMER, ROOM, START
from kit.things.channels import HOSTS, PNG, make, read

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


@pytest.mark.rule("R378", "R379")
def test_an_image_comes_from_the_body_or_from_the_url(sim):
    """The url wins and is fetched at once; a new image takes the place of the old, whose bytes are gone."""
    assert sim.call("set_channel_image", "demo-operator", uuid=ROOM, body=PNG + b"body").status == 200
    first = read(sim)["imageUrl"]
    sim.call("set_channel_image", "demo-operator", uuid=ROOM, body=PNG + b"body", url="https://images.example/a.png")
    stored = [image.data for image in images.IMAGES.seen(sim.service.world, CUSTOMER).all]
    assert read(sim)["imageUrl"] != first
    assert stored == [images.STUB]


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
