"""What each alternative of smaller gaps changes, seen by a caller: the answer by default, and the answer under it."""

from __future__ import annotations

import pytest

from confsim import Simulator
from confsim.service.messages import Request
from kit import (
    ADMIN,
    API_TOKEN,
    CUSTOMER,
    EVENT_ROOM,
    GUEST,
    OTHER_ADMIN,
    OWNER,
    PARTNER,
    PARTNER_ADMIN,
    ROOM,
    START,
    USER,
    ok,
)
from kit.things import identity_tokens

URL = {"url": "https://terms.example/2"}


def status(sim, operation, caller=ADMIN, **arguments):
    """The status of one call."""
    return sim.call(operation, caller, **arguments).status


def http(sim, path, caller=ADMIN, **headers):
    """The status and the body of a GET over HTTP, with more headers."""
    sent = {"host": "confsim.test", "authorization": f"Bearer {caller}", **headers}
    target, _, query = path.partition("?")
    response = sim.app(Request("GET", f"/v1_0{target}", query, sent))
    return response.status, response.body


def version(sim):
    """The version after new terms were published."""
    ok(sim, "promulgate_terms", body=URL)
    return ok(sim, "get_client_terms", clientId=CUSTOMER)["version"]


def promulgated(sim):
    """Whether another link counts as published later."""
    before = ok(sim, "get_client_terms", clientId=CUSTOMER)["promulgated"]
    sim.clock.advance("1h")
    ok(sim, "update_terms_url", body=URL)
    return ok(sim, "get_client_terms", clientId=CUSTOMER)["promulgated"] - before >= 3_600_000


def put_out(sim):
    """How many are left in a channel when new terms come."""
    sim.presence.join(ROOM, 1002)
    ok(sim, "promulgate_terms", API_TOKEN, body=URL)
    return len(sim.presence(ROOM))


def validators(sim):
    """How many validators the child of the partner is shown."""
    sim.make_validator(PARTNER, "above", "HS256", "a secret of thirty-two characters")
    return "above" in {each["id"] for each in ok(sim, "list_validators")}


def token_after_use(sim):
    """Whether a token that was used within its life holds beyond it."""
    token = ok(sim, "create_guest", None, clientId=CUSTOMER, uuid=ROOM, body={"handle": "G"})["token"]
    sim.clock.advance("20h")
    ok(sim, "get_me", token)
    sim.clock.advance("20h")
    return status(sim, "get_me", token)


def following(sim):
    """Whether a user sees whom the service operator lets follow."""
    sim.change_record("user", 1004, follow=[1002])
    return ok(sim, "get_users", USER, userIds="1002")[0]["following"]


def taken_elsewhere(sim):
    """The status of reserving a handle that another client's user has."""
    handle = ok(sim, "get_me", OTHER_ADMIN)["handle"]
    return status(sim, "reserve_handle", USER, body={"handle": handle})


def freed(sim):
    """The status of reserving the handle that a user had until now."""
    was = ok(sim, "get_me", USER)["handle"]
    token = ok(sim, "reserve_handle", USER, body={"handle": "Zora"})["reservationToken"]
    ok(sim, "change_handle_with_reservation", USER, nonce=token)
    return status(sim, "reserve_handle", OWNER, body={"handle": was})


def in_channel(sim):
    """The status of a second guest of one handle in a channel."""
    ok(sim, "create_guest", None, clientId=CUSTOMER, uuid=ROOM, body={"handle": "Twin"})
    return status(sim, "create_guest", None, clientId=CUSTOMER, uuid=ROOM, body={"handle": "twin"})


def again(sim):
    """The status of making an operator of who is one."""
    return status(sim, "add_operator", OWNER, uuid=ROOM, userId="1003")


def same_name(sim):
    """The status of a second client of one name."""
    ok(sim, "create_client", PARTNER_ADMIN, body={"name": "Twin"})
    return status(sim, "create_client", PARTNER_ADMIN, body={"name": "Twin"})


def details(sim):
    """The name among the details of a client."""
    return (ok(sim, "get_client", clientId=CUSTOMER).get("details") or {}).get("name")


def released(sim):
    """Whether the validator of a client is active after it lost its service and got it back."""
    ok(sim, "enable_validator", validatorId=ok(sim, "list_validators")[0]["id"])
    ok(sim, "assign_dial_number", OWNER, uuid=ROOM, number="+12025550123")
    for state in ("disable", "enable"):
        ok(sim, "set_client_service_state", PARTNER_ADMIN, clientId=CUSTOMER, state=state)
    return any(each["active"] for each in ok(sim, "list_validators"))


def url_name(sim):
    """The urlName of a channel that was renamed, and has a friendly URL."""
    ok(sim, "set_channel_friendly_url", OWNER, uuid=ROOM, body={"url": "friendly"})
    ok(sim, "rename_channel", OWNER, uuid=ROOM, name="Other Room")
    found = ok(sim, "get_channel", OWNER, uuid=ROOM)["urlName"]
    return found if found in {"friendly", "other-room"} else "its own"


def client_id(sim):
    """The length of the id of a new client, and whether it names it."""
    id = ok(sim, "create_client", PARTNER_ADMIN, body={"name": "New Client"})["id"]
    assert ok(sim, "get_client", PARTNER_ADMIN, clientId=id)["clientId"] == id
    return id if id == "new-client" else len(id)


def channel_id(sim):
    """The length of the id of a new channel, by which it is found."""
    id = ok(sim, "create_channel", body={"name": "New"})["channelUuid"]
    return len(ok(sim, "get_channel", uuid=id)["channelUuid"])


def keys(sim):
    """The keys of the properties of a channel."""
    ok(sim, "set_channel_property", OWNER, uuid=ROOM, key="k", body={"a": 1})
    return ok(sim, "list_channel_properties", OWNER, uuid=ROOM)


def text(sim):
    """The bytes of a property that is a text."""
    ok(sim, "set_user_property", USER, userId="me", key="k", body="hello")
    return sim.call("get_user_property", USER, userId="me", key="k").content


def own_token(sim):
    """The status of the list of assets behind a JWT that is none, which only the reading of it decides."""
    return status(sim, "list_downloadable_assets", None, jwtToken="a.b.c")


def beyond(sim):
    """The answer to a page beyond the end: how many elements, or the status."""
    answer = sim.call("list_users", ADMIN, offset="90", limit="2")
    return len(answer.body["results"]) if answer.ok else answer.status


def people(sim):
    """The operators of a channel, from the last appointed."""
    for id in ("1005", "1004"):
        ok(sim, "add_operator", OWNER, uuid=EVENT_ROOM, userId=id)
    found = [each["id"] for each in ok(sim, "list_operators", OWNER, uuid=EVENT_ROOM) if not each["isOwner"]]
    return [each for each in found if each in {1004, 1005}]


def language(sim):
    """The text of a configuration that is read with a header for another language."""
    for code, said in (("en", "hello"), ("de", "hallo")):
        ok(sim, "set_config", body={"ui": {"customTexts": {"greeting": said}}}, language=code)
    return b"hallo" in http(sim, "/config", **{"accept-language": "de, en;q=0.5"})[1]


def ended(sim, path):
    """The status of ending a session by the path without its id."""
    sim.presence.join(ROOM, 1002)
    headers = {"host": "confsim.test", "authorization": f"Bearer {OWNER}"}
    return sim.app(Request("DELETE", f"/v1_0/channels/{ROOM}/session{path}", "", headers)).status


@pytest.mark.parametrize(
    ("entry", "play", "default", "others"),
    [
        ("terms.version", version, 2, {"timestamp": 1_769_904_000}),
        ("terms.link-change", promulgated, False, {"changes": True}),
        ("terms.sessions", put_out, 1, {"put-out": 0}),
        ("terms.url", lambda sim: status(sim, "update_terms_url", body={"url": "no link"}), 400, {"any": 200}),
        ("validators.inherited", validators, False, {True: True}),
        ("tokens.use", token_after_use, 401, {"prolongs": 200}),
        ("users.following", following, True, {"never": False}),
        ("handles.scope", taken_elsewhere, 200, {"everywhere": 409}),
        ("handles.freed", freed, 200, {"later": 409}),
        ("handles.unregistered", in_channel, 200, {"unique-in-channel": 409}),
        ("roles.operator-again", again, 200, {"refuse": 409}),
        ("clients.names", same_name, 200, {"refuse": 409}),
        ("clients.details", details, None, {"object": "Demo Customer"}),
        ("clients.disable-releases", released, True, {"validator-and-numbers": False}),
        ("channels.url-name", url_name, "its own", {"name": "other-room", "friendly-url": "friendly"}),
        ("ids.client", client_id, 36, {"short": 10, "name": "new-client"}),
        ("ids.form", channel_id, 36, {"document": 24}),
        ("channel-properties.container", keys, ["k"], {"keys": {"keys": ["k"]}, "values": {"k": {"a": 1}}}),
        ("properties.text", text, b'"hello"', {"plain": b"hello", "object": b'{"value":"hello"}'}),
        ("recordings.token-in-path", own_token, 401, {"refuse": 414}),
        ("levels.filter", lambda sim: status(sim, "list_users", levels="x"), 400, {"ignore": 200}),
        ("lists.beyond-end", beyond, 0, {"refuse": 404, "last-page": 1}),
        (
            "lists.page-fields",
            lambda sim: sorted(ok(sim, "list_users", limit="2", offset="1")),
            ["results", "total"],
            {"with-limits": ["limit", "offset", "results", "total"]},
        ),
        ("lists.array-order", people, [1005, 1004], {"id": [1004, 1005], "handle": [1005, 1004]}),
        ("images.unknown-size", lambda sim: status(sim, "get_me", imgSize="huge"), 400, {"default": 200}),
        (
            "initial.origins",
            lambda sim: ok(
                sim,
                "list_domains",
                PARTNER_ADMIN,
                clientId=ok(sim, "create_client", PARTNER_ADMIN, body={"name": "New"})["id"],
            ),
            [],
            {("https://app.example",): ["https://app.example"]},
        ),
        (
            "encode.numbers",
            lambda sim: type(ok(sim, "get_dial_quote", OWNER, uuid=ROOM, number="+12025550100")["cost"]),
            float,
            {"texts": str},
        ),
        ("size.whole-number", lambda sim: http(sim, f"/users/{2**53}/email")[0], 404, {2**53 - 1: 400}),
        ("http.accept-language", language, False, {"configuration": True}),
        ("encode.empty", lambda sim: sim.call("update_terms_url", ADMIN, body=URL).content, b"", {"200 true": b"true"}),
        (
            "friendly-urls.available",
            lambda sim: "uuid" in ok(sim, "check_friendly_url", None, clientId=CUSTOMER, url="free"),
            False,
            {"fresh-when-free": True},
        ),
    ],
    ids=lambda value: value if isinstance(value, str) and "." in value else "",
)
def test_an_alternative_changes_the_answer(entry, play, default, others):
    """By default as the statement says first, under each alternative as it says of that; nothing in it is a bug."""
    for chosen, answer in ({None: default} | others).items():
        value = list(chosen) if isinstance(chosen, tuple) else chosen
        sim = Simulator(clock=START, profile={} if chosen is None else {entry: value})
        assert (chosen, play(sim)) == (chosen, answer)
        assert sim.service.bugs == []
        assert entry in sim.assumptions_used


@pytest.mark.parametrize(("choice", "answer"), [("hold", 200), ("end", 401)])
def test_tokens_of_identity_tokens_end_with_their_validator(choice, answer):
    """By choice, when it is disabled; a guest's goes on."""
    sim = identity_tokens.chosen(validators__disabled_tokens=choice)
    token = identity_tokens.exchange(sim, identity_tokens.hs(identity_tokens.CLAIMS)).body["token"]
    active = next(each["id"] for each in ok(sim, "list_validators") if each["active"])
    ok(sim, "disable_validator", validatorId=active)
    assert (status(sim, "get_user_terms", token), status(sim, "get_me", GUEST)) == (answer, 200)


@pytest.mark.parametrize(
    ("chosen", "paths"), [("either", {"": 200, "/": 200}), ("current", {"": 404, "/current": 200})]
)
def test_the_path_of_the_active_session(chosen, paths):
    """Without the id, with a slash or not; or with a word in its place."""
    for path, answer in paths.items():
        sim = Simulator(clock=START, profile={"route.session-without-id": chosen})
        assert ended(sim, path) == answer
