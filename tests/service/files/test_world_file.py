"""World files: what they say, what they cannot say, and their schema."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from confsim import Misuse, Simulator
from confsim.assumptions.register import REGISTER
from confsim.domain.channels.channels import CHANNELS
from confsim.domain.clients.clients import CLIENTS
from confsim.domain.telephony.numbers import NUMBERS, Listing, NumberState
from confsim.domain.users.users import USERS
from confsim.service.files import world_file

FIXTURES = Path(__file__).parents[3] / "fixtures"
SCHEMA = json.loads((FIXTURES / "schema" / "world.json").read_text())


def world(**client):
    """A world file of one client."""
    return {"version": 1, "at": "2026-01-01T00:00:00Z", "clients": [{"name": "One", **client}]}


def test_the_schema_is_current():
    """It is made from the types that read world files: write world_file.schema() to it when they change."""
    assert (FIXTURES / "schema" / "world.json").read_bytes() == world_file.schema()


@pytest.mark.parametrize("name", world_file.SHIPPED)
def test_a_shipped_world_fits_the_schema_and_builds(name):
    """An independent referee reads it too."""
    jsonschema.validate(json.loads((FIXTURES / f"{name}.json").read_text()), SCHEMA)
    assert Simulator(name).service.world.digest() == Simulator(name).service.world.digest()


def test_the_demo_and_the_empty_world_ship():
    """By name, from wherever confsim is installed."""
    assert {"demo", "empty"} <= set(world_file.SHIPPED)


def test_what_a_file_says_is_there():
    """Everything that a client can hold."""
    sim = Simulator(
        world(
            id="c1",
            reseller=True,
            termsUrl="https://terms.example/own",
            users=[
                {"handle": "Ann", "token": "ann", "levels": ["customer-admin"], "email": "ann@x.example"},
                {"handle": "Gus", "token": "gus", "account": "guest", "channel": "Room", "acceptedTerms": False},
                {"handle": "Pre", "account": "predefined", "originId": "o1"},
            ],
            channels=[{"name": "Room", "id": "r1", "owners": ["Ann"], "friendlyUrl": "room", "guestAccess": True}],
            apiTokens=[{"token": "api", "label": "mine"}],
            numbers=[
                {"number": "+4930123456", "isDefault": True},
                {"number": "+15550100", "code": "CA"},
                {"number": "+443000000", "enabled": False},
            ],
            validators=[
                {"id": "v1", "algorithm": "HS256", "key": "a secret of at least thirty-two bytes", "active": True}
            ],
        )
    )
    assert sim.call("get_client_terms", clientId="c1").body["url"] == "https://terms.example/own"
    assert sim.call("get_channel", "ann", uuid="r1").body["isOwner"] is True
    assert sim.call("get_user_terms", "gus").body["firstAccept"] is True
    assert sim.call("find_predefined_user", "api", originId="o1").ok
    assert sim.call("list_validators", "api").body[0]["active"] is True
    assert sim.call("list_api_tokens", "api").body[0]["label"] == "mine"
    numbers = {
        each.number: (each.country, each.listing, each.standing) for each in NUMBERS.seen(sim.service.world, "c1").all
    }
    assert numbers == {
        "+4930123456": ("DE", Listing.DEFAULT, NumberState.ENABLED),
        "+15550100": ("CA", Listing.PLAIN, NumberState.ENABLED),
        "+443000000": ("GB", Listing.PLAIN, NumberState.DISABLED),
    }


@pytest.mark.parametrize(
    ("file", "reported"),
    [
        ({}, "version"),
        ({"version": 1}, "at"),
        ({**world(), "version": 2}, "version 2"),
        ({**world(), "at": "now"}, "at: 'now' is no instant"),
        ({**world(), "colour": 1}, "colour"),
        (world(colour=1), "colour"),
        (world(users=[{}]), "handle"),
        (world(users=[{"handle": 5}]), "handle"),
        (world(users=[{"handle": "A", "levels": ["king"]}]), "king"),
        (world(users=[{"handle": "A", "account": "robot"}]), "robot"),
        (world(users=[{"handle": "A", "account": "removed"}]), "removed"),
        (world(users=[{"handle": "A", "channel": "Nowhere"}]), "Nowhere"),
        (world(channels=[{"name": "R", "owners": ["Nobody"]}]), "Nobody"),
        (world(parent="Nobody"), "Nobody"),
        (world(validators=[{"id": "v", "algorithm": "none", "key": ""}]), "none"),
        ({**world(), "clients": [{"name": "A"}, {"name": "A"}]}, "clients: name 'A' is given 2 times"),
        ({**world(), "clients": [{"name": "A", "id": "i"}, {"name": "B", "id": "i"}]}, "clients: id 'i'"),
        (world(channels=[{"name": "A", "id": "i"}, {"name": "B", "id": "i"}]), "channels: id 'i'"),
        (world(users=[{"handle": "A", "token": "t"}], apiTokens=[{"token": "t"}]), "token 't' is given 2 times"),
        (
            world(users=[{"handle": "A"}, {"handle": "A"}], channels=[{"name": "R", "owners": ["A"]}]),
            "channel 'R': the client has several users named 'A'",
        ),
        (world(channels=[{"name": "R"}, {"name": "R"}]), "client 'One': channel_name_taken"),
        (
            world(users=[{"handle": "A", "channel": "R"}], channels=[{"name": "R"}, {"name": "R"}]),
            "user 'A': the client has several channels named 'R'",
        ),
    ],
)
def test_what_a_file_cannot_say_is_reported(file, reported):
    """Misuse names the thing."""
    with pytest.raises(Misuse, match=reported):
        Simulator(file)


def test_files_are_read_by_path(tmp_path):
    """As text or as a Path; what cannot be read is reported."""
    path = tmp_path / "own.json"
    path.write_text(json.dumps(world(id="c1")))
    for each in (path, str(path)):
        assert Simulator(each).call("get_client_terms", clientId="c1").ok
    for wrong in ("{", json.dumps(world(parent="Nobody"))):
        path.write_text(wrong)
        with pytest.raises(Misuse, match=r"^world '.*own\.json': "):
            Simulator(path)
    with pytest.raises(Misuse, match="shipped are demo, empty"):
        Simulator("nowhere")
    with pytest.raises(Misuse, match=r"nowhere\.json': no such file"):
        Simulator(tmp_path / "nowhere.json")


def test_the_same_seed_makes_the_same_world():
    """And another another, in its ids and tokens."""
    one, same, other = (Simulator(seed=seed).service.world for seed in (1, 1, 2))
    assert one is same
    assert one.digest() != other.digest()


def test_a_profile_applies_to_records_of_a_world_file():
    """Initial values of clients and channels follow it."""
    sim = Simulator(world(id="c1"), profile={"initial.terms-url": "https://chosen.example/"})
    assert sim.call("get_client_terms", clientId="c1").body["url"] == "https://chosen.example/"
    first = Simulator(profile={"users.first-id": 5})
    assert first.control("get_info").tokens["demo-partner-admin"].userId == 5
    assert Simulator().control("get_info").tokens["demo-partner-admin"].userId == 1000


def test_whether_a_door_is_open_and_who_logged_in():
    """A door that a file says nothing of is as a new channel's; a provider knows the name that the file gives."""
    made = Simulator(
        world(
            users=[
                {"handle": "named", "provider": "google", "fullName": "Nora Named", "email": "n@example.com"},
                {"handle": "nameless", "provider": "google"},
            ],
            channels=[{"name": "a", "open": True}, {"name": "b", "open": False}, {"name": "c"}],
        )
    ).service.world
    client = next(iter(CLIENTS.seen(made).all)).id
    doors = {each.name: each.open for each in CHANNELS.seen(made, client).all}
    assert (doors["a"], doors["b"]) == (True, False)
    logins = {each.handle: each.identity for each in USERS.seen(made, client).all}
    assert (logins["named"].name, logins["named"].email) == ("Nora Named", "n@example.com")
    assert (logins["nameless"].name, logins["nameless"].email) == ("", "")


def test_profiles_share_a_world_where_it_is_the_same_under_both():
    """Another value of anything that its making asks makes another; one of what it does not ask makes none."""
    plain = world_file.load("demo", 0, {})
    for id in plain.assumptions:
        for value in REGISTER.entries[id].candidates()[:1]:
            built = world_file.build(world_file.read("demo"), 0, {id: value})
            loaded = world_file.load("demo", 0, {id: value})
            assert (loaded.world.digest(), loaded.assumptions) == (built.world.digest(), built.assumptions), id
    plain = world_file.load("demo", 0, {})  # the first may have made way for those of the other profiles
    assert world_file.load("demo", 0, {"status.role-missing": 418}).world is plain.world
    assert world_file.load("demo", 0, {"users.first-id": 5000}).world is not plain.world


def test_the_names_of_shipped_worlds_are_those_of_the_files():
    """All of them, in order."""
    assert tuple(sorted(each.stem for each in FIXTURES.glob("*.json"))) == world_file.SHIPPED
