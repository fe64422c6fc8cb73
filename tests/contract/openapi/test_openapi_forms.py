"""Schemas of texts that have a form of their own take what the service takes, and say which things are named."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from confsim import Simulator
from confsim.contract.schema import SPACE, Schemas
from confsim.control.operations.info import control_document
from kit import ADMIN, CUSTOMER, OWNER, ROOM, START
from kit.openapi import described

NAMES = "x-confsim-names"


def document(**profile: object) -> dict[str, Any]:
    """The document of the API under a profile."""
    return described({id.replace("__", "."): value for id, value in profile.items()})


def parameter(made: dict[str, Any], path: str, method: str, name: str) -> dict[str, Any]:
    """A parameter of an operation."""
    given = made["paths"][path][method]["parameters"]
    shared = made["components"]["parameters"]
    return next(
        each
        for each in (shared.get(one.get("$ref", "").rpartition("/")[2], one) for one in given)
        if each["name"] == name
    )


def body(made: dict[str, Any], path: str) -> dict[str, Any]:
    """The schema of the body that an operation takes by POST."""
    schema = made["paths"][path]["post"]["requestBody"]["content"]["application/json"]["schema"]
    return {**schema, "components": made["components"]}


def fits(schema: dict[str, Any], value: object) -> bool:
    """Whether a value is valid by a schema."""
    return Draft202012Validator(schema).is_valid(value)


@pytest.mark.parametrize(
    "text",
    ["1m", "9d", "12.5h", "0d", "0m", "999999999999w", "999999999s", "5", "5y", "m", "1.m"],
)
@pytest.mark.parametrize("number", ["fraction", "whole"])
def test_times_to_live(text, number):
    """A number of at least one and a unit, up to the longest time."""
    profile = {"parse.ttl-number": number}
    schema = parameter(document(**{"parse__ttl-number": number}), "/users/{userId}/invitation", "post", "ttl")["schema"]
    sim = Simulator(clock=START, profile=profile)
    made = sim.call("create_predefined_user", ADMIN, body={"name": "Stub"}).body["id"]
    assert fits(schema, text) == (sim.call("create_invitation", ADMIN, userId=made, ttl=text).status == 200)


@pytest.mark.parametrize(
    "url",
    [
        "https://a",
        "http://a/b?c#d",
        "http://[",
        "http://",
        "http:///a",
        "ftp://a",
        "https://a b",
        "http://a[",
        "a",
        "http://a..b",
        "http://-bad-/",
        f"http://{'x' * 64}/",
        "http://a_b.c.d.example.:65535/",
        "http://a:65536",
        "http://a:0",
    ],
)
def test_urls(url):
    """With a host that can be read."""
    given = {"url": url}
    answer = Simulator(clock=START).call("update_terms_url", ADMIN, body=given)
    assert fits(body(document(), "/terms"), given) == (answer.status == 200)


@pytest.mark.parametrize("make", [document, lambda: json.loads(control_document())], ids=["api", "control"])
def test_patterns_mean_the_same_in_every_dialect(make):
    """Classes by name do not: for JSON Schema (ECMA-262) U+0085 is no white space, and U+FEFF is some."""
    assert not re.findall(r'"pattern": "[^"]*\\\\[sSwWdDbB][^"]*"', json.dumps(make()))
    space = re.compile(f"[{SPACE}]")
    assert [chr for chr in map(chr, range(32, 0x3100)) if bool(space.match(chr)) != chr.isspace()] == []


@pytest.mark.parametrize(
    "url",
    [
        "rtmp://a/b",
        "rtmp://a\x85b/c",
        "rtmp://a/\ufeffb",
        "rtmp://[a/b",
        "rtmp://a/b\u2028",
        "rtmp://a..b/c",
        "rtmp://a:65535/b",
    ],
)
def test_destinations(url):
    """Without white space, which is what the service means by it."""
    given = {"destination": url, "label": "Live"}
    answer = Simulator(clock=START).call("add_broadcast_destination", OWNER, channel=ROOM, body=given)
    schema = body(document(), "/channels/{channel}/broadcast/destinations")
    assert fits(schema, given) == (answer.status == 200)


@pytest.mark.parametrize("form", ["hyphen", "underscore", "supported"])
@pytest.mark.parametrize("code", ["en", "de-CH", "de_CH", "oz", "EN", "en-us", "tlh"])
def test_languages(form, code):
    """Of ISO 639-1, or those that are supported."""
    sim = Simulator(clock=START, profile={"languages.codes": form})
    given = {"languages": [code]}
    answer = sim.call("set_user_languages", ADMIN, userId="1004", body=given)
    schema = body(document(languages__codes=form), "/users/{userId}/languages")
    assert fits(schema, given) == (answer.status == 200)


@pytest.mark.parametrize("unknown", ["refuse", "ignore"])
@pytest.mark.parametrize("empty", ["none", "refuse"])
@pytest.mark.parametrize("names", [["google"], ["google", "myspace"], [""], []])
def test_providers(unknown, empty, names):
    """Those that the service has, at least one where none is refused."""
    profile = {"providers.unknown": unknown, "providers.empty": empty}
    schema = body(described(profile), "/providers/auth")
    answer = Simulator(clock=START, profile=profile).call("set_auth_providers", ADMIN, body=names)
    lenient = unknown == "ignore" and names == [""] and empty == "refuse"  # nothing is left of the list
    assert lenient or fits(schema, names) == (answer.status == 200)


@pytest.mark.parametrize(("chosen", "fitting"), [("refuse", False), ("absent", True)])
def test_lists_in_a_query(chosen, fitting):
    """An empty text is no list where it is refused."""
    made = document(**{"parse__empty-query": chosen})
    assert fits(parameter(made, "/users", "get", "levels")["schema"], []) == fitting
    assert fits(parameter(made, "/media", "get", "tags_all")["schema"], [""]) == fitting
    answer = Simulator(clock=START, profile={"parse.empty-query": chosen}).call("list_users", ADMIN, levels="")
    assert (answer.status == 200) == fitting


def test_what_is_named():
    """Parameters, fields of bodies and elements of lists say it; answers do not."""
    made = document()
    assert parameter(made, "/channels/{uuid}", "get", "uuid")[NAMES] == "channels"
    assert parameter(made, "/app_sessions", "get", "user")[NAMES] == "users"
    assert parameter(made, "/users", "get", "for_client")[NAMES] == "clients"
    assert NAMES not in parameter(made, "/users", "get", "search")
    assert body(made, "/media/delete")["items"][NAMES] == "media"
    call = made["components"]["schemas"][body(made, "/channels/{uuid}/dial/registered")["$ref"].rpartition("/")[2]]
    assert call["properties"]["sipUserId"][NAMES] == "users"
    assert made["paths"]["/channels/create"]["post"]["x-confsim-identifies"] == {"channelUuid": "channels"}
    assert "x-confsim-identifies" not in made["paths"]["/channels/{uuid}/settings"]["get"]


def test_bodies_of_which_one_field_is_given():
    """Exactly one, as the service takes it."""
    made = json.loads(control_document())
    for name, some, none, both in (
        ("AdvanceClock", {"by": "1m"}, {}, {"by": "1m", "until": "next"}),
        (
            "JoinChannel",
            {"channel": ROOM, "userId": 1},
            {"channel": ROOM},
            {"channel": ROOM, "userId": 1, "token": "x"},
        ),
        ("IssueToken", {"userId": 1, "ttl": "5m"}, {}, {"userId": 1, "clientId": CUSTOMER}),
        ("WaitTarget", {"mail": {}}, {}, {"mail": {}, "delivery": {}}),
    ):
        schema = {"$ref": f"#/components/schemas/{name}", "components": made["components"]}
        assert (fits(schema, some), fits(schema, none), fits(schema, both)) == (True, False, False), name
        parts = made["components"]["schemas"][name]["dependentSchemas"].values()
        assert all(each["additionalProperties"] for each in parts)


def test_durations_end_where_the_service_ends_them():
    """The largest number is taken, the next is not."""
    made = document()
    schema = body(made, "/channels/{uuid}/breakout/sessions")
    sim = Simulator(clock=START)
    room = sim.call("list_channels", OWNER, sort="name").body["results"][0]["channelUuid"]
    sim.call("set_event_room_state", OWNER, uuid=room, state="enable")
    for duration, status in ((10**15, 200), (10**15 + 1, 400)):
        given = {"duration": duration}
        assert sim.call("create_breakout_session", OWNER, uuid=room, body=given).status == status
        assert fits(schema, given) == (status == 200)


def integers(schema):
    """The schemas of integers in a schema, with their bounds."""
    if isinstance(schema, dict):
        if schema.get("format") in ("int32", "int64"):
            yield schema
        schema = list(schema.values())
    for each in schema if isinstance(schema, list) else ():
        yield from integers(each)


def test_small_integers_have_32_bits():
    """Of those that are no texts where large ones are."""
    found = integers(document(encode__numbers="texts"))
    small = [each for each in found if each["format"] == "int32" and "minimum" in each]  # no status of an error
    assert {(-(2**31), 2**31 - 1), (1, 15)} <= {(each["minimum"], each["maximum"]) for each in small}
    assert all(-(2**31) <= each["minimum"] < each["maximum"] < 2**31 for each in small)


@pytest.mark.parametrize("given", [0, 1, 2, -1, "0", "1", "TRUE", "yes", True])
def test_booleans_of_a_body_in_other_words(given):
    """Where texts of numbers are read, two numbers and some words are; no others."""
    profile = {"parse.numbers": "coerce"}
    schema = {"$ref": "#/components/schemas/NewPin", "components": described(profile)["components"]}
    sent = {"pin": "4321", "organizer": given}
    sim = Simulator(clock=START, profile=profile)
    sim.call("set_dial_in_state", ADMIN, uuid=ROOM, state="enable")
    assert fits(schema, sent) == (sim.call("add_dial_pin", OWNER, uuid=ROOM, body=sent).status == 200)


def test_a_body_is_described_before_any_parameter():
    """The texts of numbers in it are valid, whatever was described before."""
    schemas = Schemas({"parse.numbers": "coerce"})
    assert "anyOf" in schemas.body(int)
    assert "anyOf" not in schemas.parameter(int)
    assert "anyOf" in schemas.body(int)
