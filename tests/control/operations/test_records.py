"""Fields that no documented call sets."""

from __future__ import annotations

import json

import pytest

from confsim import Simulator
from confsim.control.operations.info import control_document
from confsim.control.operations.records import RecordEditor
from confsim.kernel.machine import Machine
from kit import CUSTOMER, PARTNER, ROOM, START, USER
from kit.openapi import operations


def test_a_user(plane, sim, people):
    """Reputation and following show in the user."""
    owner, user = people["demo-owner"], people["demo-user"]
    status, record = plane("POST", f"/records/user/{owner}", {"reputation": 9, "follow": [user], "authKind": None})
    assert (status, record["reputation"]) == (200, 9)
    seen = sim.call("get_users", "demo-user", userIds=str(owner)).body[0]
    assert (seen["reputation"], seen["followedBy"]) == (9, True)


def test_a_channel(plane, sim, people):
    """Star, premium, favourites and reputation show in the channel."""
    given = {"star": True, "premium": True, "reputation": 15, "favourite": [people["demo-user"]], "populationLimit": 7}
    assert plane("POST", f"/records/channel/{ROOM}", given)[0] == 200
    seen = sim.call("get_channel", "demo-user", uuid=ROOM).body
    assert (seen["isStar"], seen["isPremium"], seen["reputation"]) == (True, True, 15)
    assert (seen["favorite"], seen["isFavorite"]) == (1, True)


def test_live_streaming_is_switched_as_the_api_does():
    """The operator's flag moves the same switch: where that ends what runs, so does this; other fields leave it be."""
    sim = Simulator(clock=START, profile={"broadcast.off-while-running": "ends"})
    sim.change_record("channel", ROOM, broadcastEnabled=True)
    target = {"destination": "rtmp://live.example/app", "enabled": True}
    sim.call("add_broadcast_destination", "demo-owner", channel=ROOM, body=target)
    sim.call("start_broadcast", "demo-owner", uuid=ROOM)
    sim.change_record("channel", ROOM, broadcastEnabled=True, star=True)
    assert sim.call("get_broadcast_state", "demo-owner", uuid=ROOM).body == {"state": "running"}
    found = sim.change_record("channel", ROOM, broadcastEnabled=False, reputation=9)
    assert sim.call("get_broadcast_state", "demo-owner", uuid=ROOM).body == {"state": "off"}
    assert sim.call("get_channel_settings", "demo-owner", uuid=ROOM).body["broadcastEnabled"] is False
    assert (found["broadcast_enabled"], found["star"], found["reputation"]) == (False, True, 9)


def test_a_client(plane, sim):
    """The reseller interface lets its Partner Admin act for children; required terms bind guests."""
    assert plane("POST", f"/records/client/{PARTNER}", {"reseller": False})[0] == 200
    assert sim.call("list_api_tokens", "demo-partner-admin", for_client=CUSTOMER).status == 403
    assert sim.change_record("client", CUSTOMER, termsRequired=True)["terms"]["required"] is True
    assert sim.call("get_client_terms", clientId=CUSTOMER).body["required"] is True


def test_media(plane, sim):
    """Tags show in the asset, in a channel's pool and in the client's; its bytes are not shown."""
    pools = {"channel": ("demo-owner", {"uuid": ROOM}), "client": ("demo-api-token", {})}
    for pool, (caller, path) in pools.items():
        id = sim.call(f"upload_{pool}_media", caller, name="a", body=b"abc", **path).body["id"]
        status, record = plane("POST", f"/records/media/{id}", {"tags": ["red", "blue", "red"]})
        assert (status, record["tags"], "data" in record) == (200, ["red", "blue"], False)
        found = sim.call(f"list_{pool}_media", caller, tags_all="red,blue", **path).body["results"]
        assert [each["tags"] for each in found] == [[{"name": "red"}, {"name": "blue"}]]


@pytest.mark.parametrize(
    ("place", "body", "status"),
    [
        ("planet/1", {}, 404),
        ("user/1", {}, 404),
        ("user/nobody", {}, 404),
        ("user/٣", {}, 404),
        ("user/1004", {"handle": "X"}, 400),
        ("user/1004", {"reputation": "high"}, 400),
        ("user/1004", {"reputation": None}, 400),
        ("user/1004", {"follow": [5]}, 404),
        ("user/1004", {"authKind": "Magic"}, 400),
        ("user/1004", [], 400),
        ("channel/nope", {}, 404),
        (f"channel/{ROOM}", {"reputation": 16}, 400),
        (f"channel/{ROOM}", {"name": "X"}, 400),
        (f"channel/{ROOM}", {"favourite": [5]}, 404),
        (f"channel/{ROOM}", {"audioQuality": "superb"}, 400),
        (f"channel/{ROOM}", {"maxUsers": -1}, 400),
        (f"channel/{ROOM}", {"populationLimit": -1}, 400),
        ("media/nope", {"tags": []}, 404),
        ("media/nope", {"tags": [1]}, 400),
        ("client/nope", {}, 404),
        (f"client/{CUSTOMER}", {"name": "X"}, 400),
    ],
)
def test_what_cannot_be_set_is_reported(plane, sim, place, body, status):
    """Unknown kinds, records and fields, and values that do not fit; the world stays."""
    before = sim.service.world
    found, problem = plane("POST", f"/records/{place}", body)
    assert (found, problem["status"]) == (status, status)
    assert sim.service.world is before


def test_limits_are_reported_by_their_names(plane):
    """In the words of anyone who sets them."""
    found = plane("POST", f"/records/channel/{ROOM}", {"maxUsers": -1, "populationLimit": -2})[1]["detail"]
    assert found == "channel: maxUsers, populationLimit below 0"


@pytest.mark.parametrize("kind", RecordEditor.declared.values(), ids=lambda kind: kind.name)
def test_an_unknown_field_is_reported_with_those_there_are(plane, kind):
    """The problem lists the fields of the kind."""
    problem = plane("POST", f"/records/{kind.name}/1", {"nonsense": 1})[1]
    assert "nonsense" in problem["detail"]
    assert all(name in problem["detail"] for name in kind.fields.__struct_encode_fields__)


def test_the_state_of_a_machine_is_no_field_to_set():
    """One that is goes through the function of its module, which fires a trigger."""
    states = {machine.field.name for machine in Machine.declared.values()}
    settable = {name for kind in RecordEditor.declared.values() for name in kind.fields.__struct_fields__}
    assert settable & states == {"broadcast_enabled"}


@pytest.mark.parametrize("kind", RecordEditor.declared)
def test_the_document_describes_the_fields_of_every_kind(kind):
    """Each with the kinds that have it, and no other; and the kinds."""
    document = json.loads(control_document())
    operation = operations(document)["change_record"]
    reference = operation["requestBody"]["content"]["application/json"]["schema"]["$ref"]
    schema = document["components"]["schemas"][reference.rpartition("/")[2]]
    of_kind = {
        name
        for name, each in schema["properties"].items()
        if kind in each["description"].rpartition("Of: ")[2].rstrip(".").split(", ")
    }
    assert of_kind == {*RecordEditor.declared[kind].fields.__struct_encode_fields__}
    assert schema["additionalProperties"] is False
    (place,) = (each for each in operation["parameters"] if each["name"] == "kind")
    assert kind in place["schema"]["enum"]


def test_a_record_says_which_of_its_fields_can_be_set(sim):
    """With their schemas; its kind is accepted by its own name and by that of its table."""
    fields = {each.name: each.schema for each in sim.control("get_record", "channels", ROOM).editable}
    assert fields["reputation"]["type"] == "integer"
    assert [each["type"] for each in fields["populationLimit"]["anyOf"]] == ["integer", "null"]
    assert fields["serviceMode"]["enum"]
    for kind in ("channel", "channels"):
        assert sim.control("change_record", kind, ROOM, reputation=3)["reputation"] == 3
    assert sim.control("get_record", "user", "1004").id == sim.control("get_record", "users", "1004").id
    assert sim.control("get_record", "credentials", USER).editable == []
