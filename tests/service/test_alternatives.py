"""Every alternative of how requests are read, of sizes and of first values works when a profile chooses it."""

from __future__ import annotations

from typing import Any

import pytest

from confsim import Misuse, Simulator
from confsim.assumptions.protocol import initial
from confsim.domain.clients import clients
from kit import ADMIN, API_TOKEN, CUSTOMER, START
from kit.each import each

PNG = b"\x89PNG\r\n\x1a\n"


def under(profile: dict[str, Any], *, operation: str, caller: str | None = API_TOKEN, **arguments: Any) -> Any:
    """The answer to one call of the demo world under a profile; nothing in it is a bug."""
    sim = Simulator(clock=START, profile=profile)
    answer = sim.call(operation, caller, **arguments)
    assert sim.service.bugs == []
    return answer


READING = [
    ("parse.state-case", "ignore", 200, {"operation": "set_friendly_urls_state", "state": "ENABLE"}),
    ("parse.state-case", "ignore", 200, {"operation": "list_users", "order": "DESC", "imgSize": "Large"}),
    ("parse.unknown-query", "refuse", 400, {"operation": "list_users", "Limit": "1"}),
    ("parse.unknown-query", "refuse", 400, {"operation": "get_client_settings", "for_client": CUSTOMER}),
    ("parse.unknown-query", "refuse", 403, {"operation": "list_users", "for_client": CUSTOMER}),
    ("parse.empty-query", "absent", 200, {"operation": "list_users", "limit": "", "sort": "", "levels": ""}),
    ("parse.empty-query", "absent", 200, {"operation": "list_users", "for_client": ""}),
    ("parse.empty-query", "absent", 200, {"operation": "list_sessions", "channel": ""}),
    ("parse.empty-query", "absent", 200, {"operation": "list_available_dial_numbers", "countryCode": ""}),
    ("parse.content-type", "ignore", 200, {"operation": "create_api_token", "body": b"{}", "content_type": "text/x"}),
    ("size.json-body", 20, 413, {"operation": "create_api_token", "body": {"label": "x" * 20}}),
    ("size.handle", 3, 400, {"operation": "reserve_handle", "body": {"handle": "Zora"}}),
    ("size.label", 3, 400, {"operation": "create_api_token", "body": {"label": "long"}}),
    ("size.text", 3, 400, {"operation": "create_predefined_user", "body": {"name": "A", "description": "long"}}),
    ("size.property-key", 3, 400, {"operation": "get_user_property", "userId": "1004", "key": "long"}),
    ("size.image", 8, 413, {"operation": "set_user_image", "caller": "demo-user", "userId": "me", "body": PNG + b"1"}),
    ("providers.unknown", "ignore", 200, {"operation": "set_auth_providers", "body": ["nobody"]}),
    ("providers.empty", "refuse", 400, {"operation": "set_auth_providers", "body": []}),
]


@pytest.mark.parametrize(("entry", "chosen", "status", "call"), READING, ids=[f"{row[0]} {row[2]}" for row in READING])
def test_alternatives_of_reading(entry, chosen, status, call):
    """What a profile refuses is refused, and what it admits is taken; by default it is the other way."""
    assert under({entry: chosen}, **call).status == status


@each(
    "entry, chosen, query, found",
    [
        ("parse.list-separator", ";", {"levels": "10;20"}, 1),
        ("parse.list-separator", "|", {"levels": "10|20"}, 1),
        ("parse.list-separator", " ", {"levels": "10 20"}, 1),
        ("size.page-default", 2, {}, 2),
        ("size.page-most", 1, {"limit": 3}, 1),
        ("size.page-most", 1, {}, 1),
    ],
)
def test_alternatives_of_reading_the_user_list(entry, chosen, query, found):
    """The user list has three users, one of them with a level: the number on a page shows how the query was read."""
    assert len(under({entry: chosen}, operation="list_users", **query).body["results"]) == found


@each(
    "entry, chosen, field, value",
    [
        ("initial.unique-handles", False, "uniqueUsersHandle", False),
        ("initial.friendly-urls", False, "friendlyURLs", False),
        ("initial.speech2text", True, "speech2text", True),
        ("initial.dial-in", True, "dialIn", True),
        ("initial.dial-out", True, "dialOut", True),
        ("initial.midi", True, "midi", True),
        ("initial.events", True, "events", True),
    ],
)
def test_first_values_of_a_client(entry, chosen, field, value):
    """A client that is made has the settings that the profile says."""
    sim = Simulator(clock=START, profile={entry: chosen})
    made = sim.call("create_client", "demo-partner-admin", body={"name": "Kid"}).body["id"]
    items = sim.call("list_clients", "demo-partner-admin").body["results"]
    assert next(item for item in items if item["id"] == made)[field] is value


@each(
    "entry, chosen, field, value",
    [
        ("initial.guest-access", False, "guestAccess", False),
        ("initial.lobby-open", True, "isOpen", True),
        ("initial.service-mode", "panel", "serviceMode", "panel"),
        ("initial.max-users", 7, "maxUsers", 7),
        ("initial.channel-reputation", 5, "reputation", 5),
    ],
)
def test_first_values_of_a_channel(entry, chosen, field, value):
    """A channel that is made has the settings that the profile says (G226, G301, G302)."""
    sim = Simulator(clock=START, profile={entry: chosen})
    made = sim.call("create_channel", "demo-owner", body={"name": "New"}).body["channelUuid"]
    assert sim.call("get_channel", "demo-owner", uuid=made).body[field] == value


@each(
    "flag, operation, field",
    [
        ("private", "get_channel", "isPrivate"),
        ("star", "get_channel", "isStar"),
        ("organization", "get_channel", "isOrganization"),
        ("premium", "get_channel", "isPremium"),
        ("range_enabled", "get_channel", "isRangeEnabled"),
        ("off_air", "get_channel_settings", "offAir"),
        ("wall_disabled", "get_channel_settings", "disableWall"),
        ("event_room", "get_channel_settings", "eventRoom"),
        ("auto_close", "get_channel_settings", "autoClose"),
        ("attendees_muted", "get_channel_settings", "muteAttendees"),
        ("public_pin", "get_channel_settings", "publicPIN"),
        ("broadcast_enabled", "get_channel_settings", "broadcastEnabled"),
    ],
)
def test_first_flags_of_a_channel(flag, operation, field):
    """Each flag of the table is up in a new channel when the profile says so, and down by default (G301)."""
    assert set(initial.CHANNEL_FLAGS.default.values()) == {False}
    for chosen in ({}, {"initial.channel-flags": {flag: True}}):
        sim = Simulator(clock=START, profile=chosen)
        made = sim.call("create_channel", "demo-owner", body={"name": "New"}).body["channelUuid"]
        assert sim.call(operation, "demo-owner", uuid=made).body[field] is bool(chosen)


def test_first_terms_and_providers_of_a_client():
    """Whether guests are bound, where the terms are, and by what users log in."""
    sim = Simulator(
        clock=START,
        profile={
            "initial.terms-required": True,
            "initial.terms-url": "https://t.example/1",
            "initial.providers": ["github"],
        },
    )
    made = sim.call("create_client", "demo-partner-admin", body={"name": "Kid"}).body["id"]
    terms = sim.call("get_client_terms", clientId=made).body
    assert (terms["required"], terms["url"], terms["version"]) == (True, "https://t.example/1", 1)
    assert [each["name"] for each in sim.call("list_client_auth_providers", clientId=made).body["providers"]] == [
        "github"
    ]


@pytest.mark.parametrize(("unit", "reported"), [("epoch-s", 1_769_904_000), ("epoch-days", 20_485)])
def test_terms_are_reported_in_other_units_by_choice(unit, reported):
    """The promulgation is an instant in the unit of the profile (G116)."""
    sim = Simulator(clock=START, profile={"units.promulgated": unit})
    sim.call("promulgate_terms", ADMIN, body={"url": "https://t.example/2"})
    assert sim.call("get_client_terms", clientId=CUSTOMER).body["promulgated"] == reported


@pytest.mark.parametrize(
    ("unit", "reported"), [("epoch-s", 1_769_907_600), ("seconds", 3500), ("milliseconds", 3_500_000)]
)
def test_invitations_expire_in_other_units_by_choice(unit, reported):
    """As the invitation shows it, and the list of users (G113)."""
    sim = Simulator(clock=START, profile={"units.invitation-expires": unit})
    made = sim.call("create_predefined_user", ADMIN, body={"name": "Pre"}).body["id"]
    sim.call("create_invitation", ADMIN, userId=made, ttl="1h")
    sim.clock.advance("100s")
    assert sim.call("get_invitation", ADMIN, userId=made).body["expires"] == reported
    listed = sim.call("list_users", ADMIN, search="Pre").body["results"]
    assert [each["invitationExpiry"] for each in listed] == [reported]


@pytest.mark.parametrize(
    ("entry", "names", "problem"),
    [
        ("encode.absent", ["imageUrl", "imageURL", "no"], "there is no option 'imageURL', 'no'"),
        ("terms.open-calls", ["get_me", "get_mee"], "there is no operation 'get_mee'"),
        ("service.open-while-disabled", ["nope"], "there is no operation 'nope'"),
    ],
)
def test_lists_name_what_there_is(entry, names, problem):
    """A typo would do nothing, without a word."""
    with pytest.raises(Misuse, match=f"{entry}.*{problem}"):
        Simulator(profile={entry: names})


@pytest.mark.parametrize(
    ("chosen", "null"),
    [
        ("omit", set()),
        ("null", {"description", "imageUrl", "languages"}),
        (["imageUrl", "readyTime"], {"imageUrl"}),
        ([], set()),
    ],
)
def test_options_without_a_value(chosen, null):
    """Left out, null, or null where the profile lists their field (G077)."""
    sim = Simulator(clock=START, profile={"encode.absent": chosen})
    assert {name for name, value in sim.call("get_me", "demo-user").body.items() if value is None} == null


def test_the_first_terms_count_as_accepted_by_choice():
    """Nobody is asked before new terms are published; then everybody is (G168)."""
    sim = Simulator(clock=START, profile={"terms.first": "accepted"})
    new = sim.token(sim.call("create_predefined_user", API_TOKEN, body={"name": "Pre"}).body["id"])
    state = {"currentVersion": 1, "termsUrl": "https://terms.example/1", "firstAccept": False, "isCurrent": True}
    assert sim.call("get_user_terms", new).body == state
    assert sim.call("get_me", new).status == 200
    sim.call("promulgate_terms", ADMIN, body={"url": "https://t.example/2"})
    assert sim.call("get_me", new).body["code"] == "terms_not_accepted"
    reported = sim.call("get_user_terms", new).body
    assert (reported["isCurrent"], reported["firstAccept"], reported["currentVersion"]) == (False, True, 2)


def test_terms_are_copied_from_the_parent_by_choice():
    """A new client has the version and the link of its parent, and keeps them (G168, G169)."""
    sim = Simulator(clock=START, profile={"initial.terms-from": "parent"})
    publish = {"operation": "promulgate_terms", "caller": "demo-partner-admin"}
    sim.call(**publish, body={"url": "https://t.example/2"})
    sim.call("accept_terms", "demo-partner-admin", version=2)
    made = sim.call("create_client", "demo-partner-admin", body={"name": "Kid"}).body["id"]
    before = sim.call("get_client_terms", clientId=made).body
    sim.call(**publish, body={"url": "https://t.example/3"})
    assert (before["version"], before["url"]) == (2, "https://t.example/2")
    assert sim.call("get_client_terms", clientId=made).body == before


def test_more_calls_are_open_before_acceptance_by_choice():
    """A profile may let blocked users read themselves (G175)."""
    sim = Simulator(clock=START, profile={"terms.open-calls": ["get_user_terms", "accept_terms", "get_me"]})
    sim.call("promulgate_terms", ADMIN, body={"url": "https://t.example/2"})
    assert sim.call("get_me", "demo-user").status == 200
    assert sim.call("list_channels", "demo-user").body["code"] == "terms_not_accepted"


def test_all_or_stored_providers_by_choice():
    """No names mean every provider; unknown names are stored (G184, G185)."""
    sim = Simulator(clock=START, profile={"providers.empty": "all", "providers.unknown": "store"})
    for body, names in (([], 5), (["acme", "google", "acme"], 2)):
        sim.call("set_auth_providers", ADMIN, body=body)
        assert len(sim.call("list_client_auth_providers", clientId=CUSTOMER).body["providers"]) == names


@each("size", ["small", "large", "xlarge", "xxlarge", "unfurl"])
def test_default_size_of_images(size):
    """Without imgSize the URL names the size of the profile (G101)."""
    sim = Simulator(clock=START, profile={"images.default-size": size})
    sim.call("set_user_image", "demo-user", userId="me", body=PNG)
    assert sim.call("get_me", "demo-user").body["imageUrl"].endswith(f"?size={size}")


def test_images_that_cannot_be_had_by_choice():
    """URLs below a prefix of the profile answer no image (G110)."""
    call = {"operation": "set_user_image", "caller": "demo-user", "userId": "me", "url": "https://down.example/1.png"}
    assert under({"images.unreachable": ["https://down.example/"]}, **call).body["code"] == "image_unreachable"
    assert under({"images.unreachable": []}, **call).status == 200


def test_a_second_header_carries_the_id_of_the_request():
    """The id that the journal knows stands in the header of the profile too (G013)."""
    sim = Simulator(clock=START, profile={"http.request-id": "X-Request-Id"})
    headers = sim.client(API_TOKEN).get("/users").headers
    assert headers["X-Request-Id"] == headers["X-Confsim-Request-Id"]


@pytest.mark.parametrize(("ttl", "status"), [("1y", 200), ("1Year", 200), ("1m", 400), ("2Y", 400)])
def test_other_units_of_a_ttl_by_choice(ttl, status):
    """The units are those of the profile's table and no others (G125)."""
    sim = Simulator(clock=START, profile={"parse.ttl-units": {"y": 31_536_000_000, "Year": 31_536_000_000}})
    made = sim.call("create_predefined_user", ADMIN, body={"name": "Pre"}).body["id"]
    answer = sim.call("create_invitation", ADMIN, userId=made, ttl=ttl)
    assert answer.status == status
    assert status != 200 or answer.body["expires"] == (1_769_904_000 + 31_536_000) * 1000


def test_a_child_may_have_the_reseller_interface_by_choice():
    """Then its own Partner Admin could make clients (G296)."""
    sim = Simulator(clock=START, profile={"initial.reseller": True})
    made = sim.call("create_client", "demo-partner-admin", body={"name": "Kid"}).body["id"]
    assert clients.get(sim.service.change(), made).reseller
    assert not clients.get(Simulator(clock=START).service.change(), CUSTOMER).reseller
