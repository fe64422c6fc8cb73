"""What no schema says of how a call is read is said in words, and lists and booleans in one text are judged."""

from __future__ import annotations

import re

import pytest
from jsonschema_rs import Draft202012Validator

from confsim import Simulator
from confsim.service.messages import Request
from kit import ADMIN, CUSTOMER, EVENT_ROOM, OWNER, ROOM, START, START_MS
from kit.openapi import described, operations, parameters
from kit.proofs.flips import flips


def parameter(operation, name, profile):
    """A parameter of an operation in the document of a profile."""
    document = described(profile)
    return next(each for each in parameters(operations(document)[operation], document) if each["name"] == name)


def sent(profile, operation, **arguments):
    """The status of a call by an administrator."""
    return Simulator(clock=START, profile=profile).call(operation, ADMIN, **arguments).status


def test_every_choice_of_reading_shows_in_the_document():
    """Another value of an entry makes another document."""
    usual = described({})
    same = [
        str(flip)
        for id, each in flips().items()
        for flip in each
        if id.startswith("parse.") and described({id: flip.value}) == usual
    ]
    assert same == []


#: A choice of reading, a query or a body, and the status; what the document says then.
READ = [
    ({}, "x=1", 200, "parameters that an operation does not list are ignored"),
    ({"parse.unknown-query": "refuse"}, "x=1", 400, "parameters that an operation does not list are refused"),
    ({}, "limit=0&limit=x", 200, "given more than once the first value counts"),
    ({"parse.repeated-query": "last"}, "limit=0&limit=x", 400, "given more than once the last value counts"),
    ({"parse.repeated-query": "join"}, "limit=1&limit=1", 400, "given more than once are joined by commas"),
    ({"parse.repeated-query": "refuse"}, "limit=1&limit=1", 400, "that is given more than once is refused"),
    ({}, "search=%zz", 400, "Broken percent escapes are refused"),
    ({"parse.broken-escapes": "replace"}, "search=%ff", 200, "Broken percent escapes are read as replacement"),
    ({}, b'{"duration": 60000.0}', 200, "5.0 is the integer 5"),
    ({"parse.numbers": "strict"}, b'{"duration": 60000.0}', 400, "5.0 is no integer"),
    ({}, b'{"duration": 60000, "duration": 60000}', 400, "a key twice is refused"),
    ({"parse.duplicate-keys": "last"}, b'{"duration": 1, "duration": 60000}', 200, "twice the last value counts"),
    ({"parse.places": "query too"}, "duration=-1", 400, "takes the fields of the body from its query"),
]


@pytest.mark.parametrize(("profile", "given", "status", "said"), READ)
def test_calls_are_read_as_the_document_says(profile, given, status, said):
    """In its description, where a schema has no word for it."""
    assert said in described(profile)["info"]["description"]
    sim = Simulator(clock=START, profile=profile)
    headers = {"host": "confsim.test", "authorization": f"Bearer {OWNER}"}
    if isinstance(given, bytes) or "parse.places" in profile:
        query, body = ("", given) if isinstance(given, bytes) else (given, b"")
        target = f"/v1_0/channels/{EVENT_ROOM}/breakout/sessions"
        answer = sim.app(Request("POST", target, query, {**headers, "content-type": "application/json"}, body))
    else:
        answer = sim.app(Request("GET", "/v1_0/channels", given, headers))
    assert answer.status == status


#: Lists in one text, ',' standing for what separates them.
LISTS = [
    ("get_users", "userIds", ["1002,1003", " 1002 , 1003", "1002,,1003", "1002,", ",", "x", "1002,x", "1" * 20]),
    ("list_users", "levels", ["10", "10,20", "10,,20", ",", "x", "10 ,20"]),
    ("list_client_media", "tags_all", ["", "a", "a,b", "a,,b", ",", " ", "a , b", "a\x01", "\x01"]),
    ("get_config", "categories", ["a", "a,b", "a,,b", ",", "x" * 255, "x" * 256, "a,\x01", "a, b", "", "a,\t", " "]),
]


@pytest.mark.parametrize("empty", ["skip", "refuse"])
@pytest.mark.parametrize("separator", [",", ";", "|", " "])
@pytest.mark.parametrize(("operation", "name", "texts"), LISTS)
def test_a_list_in_one_text_is_valid_where_it_is_taken(operation, name, texts, separator, empty):
    """With a style item by item, where numbers may be beside items that are left out; else the text itself."""
    profile = {"parse.list-separator": separator, "parse.empty-items": empty}
    declared = parameter(operation, name, profile)
    valid = Draft202012Validator(declared["schema"]).is_valid
    assert f"empty ones are {'refused' if empty == 'refuse' else 'left out'}" in declared["description"]
    for text in (each.replace(",", separator) for each in texts):
        taken = sent(profile, operation, **{name: text}) == 200
        if "style" not in declared:
            assert valid(text) is taken, text
            continue
        items = list(map(_meant, text.split(separator)))
        if declared["schema"]["items"]["type"] == "string" or "" not in items:
            assert valid(items) is taken, text


def _meant(item):
    return int(item) if re.fullmatch(" *-?[0-9]{1,19} *", item) else item


@pytest.mark.parametrize("words", [None, {"yes": True, "no": False}, {"true": True, "false": False, "on": True}])
def test_the_words_of_a_boolean_are_named(words):
    """Those of JSON by the type, others in a list of them, or beside the type in its description with their meaning."""
    profile = {} if words is None else {"parse.booleans": words}
    declared = parameter("list_templates", "onlyEnabled", profile)
    for word in ("true", "false", "1", "0", "yes", "no", "on", "True"):
        value = {"true": True, "false": False}.get(word, word) if declared["schema"]["type"] == "boolean" else word
        valid = Draft202012Validator(declared["schema"]).is_valid(value)
        named = re.search(rf"\b{word} means (true|false)", declared["description"]) is not None
        assert (valid or named) is (sent(profile, "list_templates", onlyEnabled=word) == 200), word


@pytest.mark.parametrize(
    ("profile", "said", "status"),
    [
        ({}, "by ','. Items are trimmed; empty ones are left out", 200),
        ({"parse.list-separator": ";"}, "by ';'", 200),
        ({"parse.empty-items": "refuse"}, "empty ones are refused", 400),
    ],
)
def test_ids_in_one_text_of_a_path(profile, said, status):
    """How they are separated, and what becomes of empty ones."""
    assert said in parameter("get_populations", "channelIds", profile)["description"]
    ids = profile.get("parse.list-separator", ",").join((ROOM, "", EVENT_ROOM))
    assert sent(profile, "get_populations", channelIds=ids) == status


def test_limits_that_no_schema_says_stand_in_descriptions():
    """What 0 and too much are for pages, how characters are counted, how near an instant has to be."""
    profile = {
        "app-sessions.started-within": 86_400_000,
        "channels.description-count": "utf-16",
        "lists.beyond-end": "last-page",
        "parse.limit-zero": "absent",
        "size.page-most": 2,
    }

    def field(component, name, chosen):
        return described(chosen)["components"]["schemas"][component]["properties"][name]["description"]

    def of_list(name, chosen):
        return parameter("list_users", name, chosen)["description"]

    sim = Simulator(clock=START, profile=profile)
    assert sim.call("list_users", ADMIN, limit=0).body["results"]
    assert len(sim.call("list_users", ADMIN, limit=99).body["results"]) == 2
    assert sim.call("list_users", ADMIN, offset=99).body["results"]
    assert "0 counts as none. One above 2 is cut to it." in of_list("limit", profile)
    assert "0 gives an empty page. One above 200 is cut to it." in of_list("limit", {})
    assert "is cut" not in of_list("limit", {"parse.limit-large": "refuse"})
    assert "it is the last page" in of_list("offset", profile)
    assert "the page is empty" in of_list("offset", {})

    faces = {"description": "\U0001f600" * 101}
    assert sim.call("set_channel_description", OWNER, uuid=ROOM, body=faces).status == 400
    assert "UTF-16" in field("ChannelDescription", "description", profile)
    assert "UTF-16" not in field("ChannelDescription", "description", {})

    run = {"url": "https://a.example", "started": START_MS - 86_400_001}
    assert sim.call("create_app_session", ADMIN, clientId=CUSTOMER, body=run).status == 400
    assert "at most 86400000 milliseconds from now" in field("AppSessionRegistration", "started", profile)
    assert "from now" not in field("AppSessionRegistration", "started", {})
