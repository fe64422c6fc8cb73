"""What a profile changes of parameters, bodies and answers: the document says what the service takes and shows."""

from __future__ import annotations

from functools import cache

import pytest
from jsonschema_rs import Draft202012Validator

from confsim import Simulator
from confsim.api.catalogue import API
from confsim.contract.gates import Grant
from confsim.service.messages import Request
from kit import ADMIN, CUSTOMER, EVENT_ROOM, OWNER, START, USER, ok
from kit.openapi import described, operations, parameters

#: Choices of what is taken, and of what is refused for its form; none hides another.
FORMS = {
    "app-sessions.index-needed": True,
    "breakout.zero-duration": "refuse",
    "channels.description-at-creation": "none",
    "config.structure": "contexts",
    "embedding.check": True,
    "events.empty-update": "refuse",
    "events.schemes": "https",
    "gateway.kind-case": "ignore",
    "parse.booleans": {"yes": True, "no": False},
    "parse.limit-large": "refuse",
    "parse.list-separator": "|",
    "parse.numbers": "coerce",
    "parse.state-case": "ignore",
    "presenters.zero": "refuse",
    "providers.unknown": "store",
    "size.page-most": 10,
    "size.user-ids": 2,
    "size.whole-number": 2**31 - 1,
}
#: Operations and their bodies: whether they are taken under the defaults, and by those choices.
BODIES = [
    ("add_broadcast_destination", {"destination": "rtmp://a.example/b", "enabled": "true"}, False, True),
    ("create_breakout_session", {"duration": 0}, True, False),
    ("create_breakout_session", {"duration": 1}, True, True),
    ("create_breakout_session", {"duration": "60000"}, False, True),
    ("create_channel", {"name": "Long", "description": "x" * 300}, False, True),
    ("set_channel_description", {"description": "x" * 300}, False, False),
    ("create_gateway_endpoint", {"kind": "rtmp"}, False, True),
    ("set_auth_providers", [" "], False, False),
    ("set_auth_providers", ["own"], False, True),
    ("set_config", {"theme": "dark"}, True, False),
    ("set_config", {"ui": {"colours": {"page": "red"}}, "old": None}, True, True),
    ("set_domains", ["https://a.example"], True, False),
    ("set_domains", ["a.example"], True, True),
    ("set_origins", ["a.example"], True, False),
    ("set_origins", ["HTTPS://a.example:80"], True, True),
    ("add_events_endpoint", {"url": "http://a.example/"}, True, False),
    ("add_events_endpoint", {"url": "https://a.example/"}, True, True),
    ("update_events_endpoint", {}, True, False),
    ("update_events_endpoint", {"active": False}, True, True),
    ("add_app_session_log", {"time": 1, "data": "x"}, True, False),
    ("add_app_session_log", {"time": 1, "data": "x", "index": 1}, True, True),
]
#: Operations, a parameter and its text: whether it is taken under the defaults, and by those choices.
TEXTS = [
    ("get_users", "userIds", "1002|1003", False, True),
    ("get_users", "userIds", "1002|1003|1004", False, False),
    ("get_users", "userIds", "1002,1003", True, False),
    ("list_app_sessions", "user", "3000000000", True, False),
    ("list_sessions", "hasRecording", "true", True, False),
    ("list_sessions", "hasRecording", "yes", False, True),
    ("list_users", "limit", "11", True, False),
    ("list_users", "limit", "10", True, True),
    ("list_users", "order", "ASC", False, True),
    ("set_presenters_limit", "limit", "0", True, False),
    ("set_presenters_limit", "limit", "1", True, True),
    ("set_wall_state", "state", "Enable", False, True),
]
#: What the paths of operations name.
THINGS = {"uuid": EVENT_ROOM, "clientId": CUSTOMER, "channel": EVENT_ROOM, "userId": "me", "state": "enable"}
PROFILES = {False: {}, True: FORMS}


@cache
def prepared(chosen):
    """A world with an events endpoint and an app session under a profile, and what paths name there."""
    sim = Simulator(clock=START, profile=PROFILES[chosen])
    ok(sim, "set_events_state", state="enable")
    ok(sim, "set_broadcast_state", uuid=EVENT_ROOM, state="enable")
    endpoint = ok(sim, "add_events_endpoint", body={"url": "https://hooks.example/"})
    run = ok(sim, "create_app_session", clientId=CUSTOMER, body={"url": "https://a.example/", "started": 1})
    return sim, {**THINGS, "id": endpoint["id"], "appSession": run["id"]}


def is_taken(operation, *, chosen, **arguments):
    """Whether the service takes the arguments of a call, in a fork of the world; else it says that they are invalid."""
    sim, things = prepared(chosen)
    path = {name: things[name] for name in API[operation].placeholders if name not in arguments}
    caller = ADMIN if Grant.CUSTOMER_ADMIN in API[operation].gate.grants else OWNER
    answer = sim.fork().call(operation, caller, **path, **arguments)
    assert answer.ok or answer.status == 400, answer
    return answer.ok


def is_listed(schema, value, document):
    """Whether a value is valid by a schema of a document."""
    return Draft202012Validator({**schema, "components": document["components"]}).is_valid(value)


def meant(schema, style, text):
    """The value that a client means by the text of a parameter."""
    if schema.get("type") == "array":
        items = text.split("|" if style == "pipeDelimited" else ",")
        return [meant(schema["items"], "", item) for item in items]
    if schema.get("type") == "integer" and text.isdecimal():
        return int(text)
    return text == "true" if schema.get("type") == "boolean" and text in {"true", "false"} else text


@pytest.mark.parametrize("chosen", PROFILES)
@pytest.mark.parametrize(("operation", "body", "before", "after"), BODIES)
def test_a_body_is_valid_where_it_is_taken(operation, body, before, after, chosen):
    """Under the defaults, and by choices of what is refused for its form."""
    document = described(PROFILES[chosen])
    schema = operations(document)[operation]["requestBody"]["content"]["application/json"]["schema"]
    taken = after if chosen else before
    assert is_taken(operation, chosen=chosen, body=body) is taken
    assert is_listed(schema, body, document) is taken


@pytest.mark.parametrize("chosen", PROFILES)
@pytest.mark.parametrize(("operation", "name", "text", "before", "after"), TEXTS)
def test_a_parameter_is_valid_where_it_is_taken(operation, name, text, before, after, chosen):
    """Under the defaults, and by choices of how texts are read."""
    document = described(PROFILES[chosen])
    listed = parameters(operations(document)[operation], document)
    parameter = next(each for each in listed if each["name"] == name)
    taken = after if chosen else before
    assert is_taken(operation, chosen=chosen, **{name: text}) is taken
    value = meant(parameter["schema"], parameter.get("style"), text)
    assert is_listed(parameter["schema"], value, document) is taken


@pytest.mark.parametrize(
    ("id", "value", "operation", "required"),
    [
        ("parse.no-body", "refuse", "create_user", True),
        ("parse.places", "query too", "update_terms_url", False),
        ("events.empty-update", "refuse", "update_events_endpoint", True),
    ],
)
def test_a_body_is_required_where_a_call_without_is_refused(id, value, operation, required):
    """By a choice; under the defaults it is the other way."""
    assert operations(described({id: value}))[operation]["requestBody"]["required"] is required
    assert operations(described({}))[operation]["requestBody"]["required"] is not required


#: Choices of what answers show, none of which hides another.
SHOWN = {
    "events.endpoint": "with-created",
    "friendly-urls.available": "fresh-when-free",
    "lists.page-fields": "with-limits",
    "providers.fields": "name",
    "validators.fields": "id",
}
#: Components of answers with the fields that they have by those choices and not under the defaults (+), with those that
#: are required by the choices alone (!), and under the defaults alone (-).
FIELDS = """
EventsEndpoint       !created
MaybeChannel         !uuid
Provider             -icon
UserList             +limit +offset !limit !offset
Validator            -name -active
"""


def test_answers_have_the_fields_that_a_profile_shows():
    """A field is required by the profiles under which it is always there, whatever the others show."""
    usual = described({})["components"]["schemas"]
    shown = described(SHOWN)["components"]["schemas"]
    for line in FIELDS.strip().splitlines():
        name, *marks = line.split()
        made, before = shown[name], usual[name]
        required, needed = {*made.get("required", ())}, {*before.get("required", ())}
        found = {f"+{field}" for field in made["properties"].keys() - before["properties"].keys()}
        found |= {f"!{field}" for field in required - needed} | {f"-{field}" for field in needed - required}
        assert found == {*marks}, name


def test_options_that_are_null_are_required():
    """Where they are null without a value, they are always there; those of webhooks are left out."""
    schemas = described({"encode.absent": "null"})["components"]["schemas"]
    assert {*schemas["Recording"]["properties"]} == {*schemas["Recording"]["required"]}
    assert "channel" not in schemas["MediaEventData"]["required"]


@pytest.mark.parametrize(("shown", "nulls"), [("plain", True), ("with-created", False)])
def test_a_field_that_is_always_there_is_never_null(shown, nulls):
    """Even where options are null without a value."""
    profile = {"encode.absent": "null", "events.endpoint": shown}
    checked = described(profile)["components"]["schemas"]["EventsEndpoint"]
    assert ("null" in str(checked["properties"]["created"])) == nulls


def test_words_of_an_answer_are_those_that_a_profile_has():
    """No other can occur; under the defaults they are those of the documents."""
    kinds = {
        "recordings.asset-kinds": {"archive": "video", "combined": "audio", "captions": "audio", "individual": "audio"},
        "recordings.download-kinds": dict.fromkeys(("archive", "combined", "captions", "individual"), "other"),
        "invitations.kind": "always",
    }
    made, usual = described(kinds)["components"]["schemas"], described({})["components"]["schemas"]
    expected = {
        "RecordingAsset": ["audio", "video"],
        "DownloadableAsset": ["other"],
        "Invitation": ["Persistent"],
    }
    assert {name: made[name]["properties"]["kind"]["enum"] for name in expected} == expected
    assert not any("enum" in usual[name]["properties"]["kind"] for name in expected)


def test_webhooks_are_of_the_kinds_that_are_sent():
    """The envelope names no other kind."""
    made = described({"events.kinds": ["session.started", "session.ended"]})
    assert made["components"]["schemas"]["SessionEvent"]["properties"]["kind"]["enum"] == [*made["webhooks"]]


@pytest.mark.parametrize("caching", ["no-store", "silent", "etag"])
def test_headers_of_answers_are_those_that_are_listed(caching):
    """Those of caches, and of a download; a condition is answered as the document says."""
    profile = {"http.caching": caching}
    sim, listed = Simulator(clock=START, profile=profile), operations(described(profile))["get_me"]["responses"]
    headers = {"host": "confsim.test", "authorization": f"Bearer {USER}", "if-none-match": "*"}
    answer = sim.app(Request("GET", "/v1_0/users/me", "", headers))
    assert answer.status == (304 if caching == "etag" else 200)
    assert {name for name, _ in answer.headers} - {"Content-Type"} == {*listed[str(answer.status)]["headers"]}
    assert ("304" in listed) is (caching == "etag")
    download = operations(described(profile))["download_recording_asset"]["responses"]
    assert {"200", "206", "304", "416"} <= download.keys()
    assert {"Accept-Ranges", "Content-Disposition", "ETag"} <= download["200"]["headers"].keys()


def test_request_headers_are_parameters():
    """The key of repeated calls, and the language of a configuration, where a profile reads them."""

    def headers(operation, profile):
        document = described(profile)
        return [
            each["name"] for each in parameters(operations(document)[operation], document) if each["in"] == "header"
        ]

    profile = {"http.idempotency-key": "Idempotency-Key", "http.accept-language": "configuration"}
    assert headers("create_channel", profile) == ["Idempotency-Key"]
    assert headers("get_config", profile) == ["Accept-Language"]
    assert headers("get_me", profile) == headers("create_channel", {}) == headers("get_config", {}) == []
