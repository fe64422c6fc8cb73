"""Friendly URLs of channels."""

from __future__ import annotations

import pytest

from confsim import Simulator
from kit import CUSTOMER, EVENT_ROOM, OTHER, ROOM, START, code


def give(sim, url="town-hall", channel=ROOM, who="demo-owner"):
    """Set the friendly URL of the channel."""
    return sim.call("set_channel_friendly_url", who, uuid=channel, body={"url": url})


def find(sim, url="town-hall", client=CUSTOMER):
    """Look the friendly URL up, without a token."""
    return sim.call("find_channel_by_friendly_url", clientId=client, url=url)


def shown(sim, channel=ROOM):
    """The friendly URL that the details of the channel show."""
    return sim.call("get_channel", "demo-owner", uuid=channel).body.get("friendlyURL")


@pytest.mark.rule("R223", "R226")
def test_a_channel_is_found_by_its_friendly_url(sim):
    """Once set, the URL leads to the channel and stands in its details."""
    assert give(sim).status == 200
    assert find(sim).body == {"uuid": ROOM}
    assert shown(sim) == "town-hall"


@pytest.mark.rule("R223")
def test_what_no_channel_has_is_not_found(sim):
    """A free URL leads nowhere (G284)."""
    answer = find(sim)
    assert code(answer) == (404, "friendly_url_unknown")


@pytest.mark.rule("R224", "R562")
def test_the_look_up_stays_in_the_client_of_the_path(sim):
    """Another client of the same service does not know the URL."""
    give(sim)
    assert find(sim, client=OTHER).status == 404


def test_letters_match_without_case_and_are_shown_as_given(sim):
    """The URL keeps its letters (G289)."""
    give(sim, "Town-Hall")
    assert find(sim, "tOWN-hALL").body == {"uuid": ROOM}
    assert shown(sim) == "Town-Hall"


@pytest.mark.rule("R226")
def test_a_new_friendly_url_frees_the_one_before(sim):
    """A channel has one friendly URL at a time."""
    give(sim)
    give(sim, "other")
    assert find(sim).status == 404
    assert give(sim, channel=EVENT_ROOM).status == 200


@pytest.mark.rule("R227")
@pytest.mark.parametrize("url", ["town-hall", "TOWN-HALL"])
def test_a_friendly_url_is_unique_in_the_client(sim, url):
    """Another channel cannot have it, and nothing changes; the same channel may set it again (G290)."""
    give(sim)
    answer = give(sim, url, EVENT_ROOM)
    assert code(answer) == (409, "friendly_url_taken")
    assert shown(sim, EVENT_ROOM) is None
    assert give(sim, url).status == 200


@pytest.mark.rule("R227")
def test_two_clients_use_the_same_friendly_url(sim):
    """Uniqueness ends at the client."""
    give(sim)
    made = sim.call("create_channel", "demo-other-admin", body={"name": "Hall"}).body["channelUuid"]
    assert give(sim, channel=made, who="demo-other-admin").status == 200
    assert find(sim, client=OTHER).body == {"uuid": made}


@pytest.mark.parametrize("url", ["", "a b", "a/b", "ä", "x" * 65, "https://x.example/a", "a\n"])
def test_the_form_of_friendly_urls(sim, url):
    """One word of a path: letters, digits, hyphen and underscore, up to 64 (G289)."""
    assert give(sim, url).body["code"] == "friendly_url_malformed"
    assert sim.call("check_friendly_url", clientId=CUSTOMER, url=url).status == 400


def test_the_url_comes_in_a_json_body(sim):
    """A query parameter or another body is not taken."""
    assert sim.call("set_channel_friendly_url", "demo-owner", uuid=ROOM, url="hall").status == 400
    assert sim.call("set_channel_friendly_url", "demo-owner", uuid=ROOM, body={"url": 1}).status == 400
    assert sim.call("set_channel_friendly_url", "demo-owner", uuid=ROOM, body={"url": "hall"}).status == 200


@pytest.mark.rule("R014")
def test_query_values_are_decoded():
    """The url of a look-up arrives URL-encoded over HTTP; another form of friendly URLs is a choice (G289)."""
    sim = Simulator(clock=START, profile={"friendly-urls.form": ".+"})
    give(sim, "größe & mehr")
    answer = sim.client().get(f"/clients/{CUSTOMER}/find/channel?url=gr%C3%B6%C3%9Fe%20%26+mehr")
    assert answer.json == {"uuid": ROOM}


@pytest.mark.rule("R222", "R242")
def test_the_check_tells_who_has_the_url(sim):
    """Without a token: uuid of the channel that has it, no uuid when it is free (G283)."""
    assert sim.call("check_friendly_url", clientId=CUSTOMER, url="town-hall").body == {}
    give(sim)
    assert sim.call("check_friendly_url", clientId=CUSTOMER, url="town-hall").body == {"uuid": ROOM}
    assert sim.call("check_friendly_url", clientId=OTHER, url="town-hall").body == {}


@pytest.mark.parametrize("operation", ["check_friendly_url", "find_channel_by_friendly_url"])
def test_the_public_calls_need_a_client_and_a_url(sim, operation):
    """An unknown client is not found, a missing url refused."""
    assert sim.call(operation, clientId="nobody", url="a").status == 404
    assert sim.call(operation, clientId=CUSTOMER).body["code"] == "invalid_input"


@pytest.mark.rule("R228")
def test_a_friendly_url_is_removed(sim):
    """It is free again and leads nowhere; removing it again is no error (G536)."""
    give(sim)
    for _ in range(2):
        assert sim.call("remove_channel_friendly_url", "demo-owner", uuid=ROOM).status == 200
    assert find(sim).status == 404
    assert shown(sim) is None


@pytest.mark.rule("R551")
def test_deleting_the_channel_frees_its_friendly_url(sim):
    """Another channel may have it afterwards."""
    give(sim)
    sim.call("delete_channel", "demo-owner", uuid=ROOM)
    assert find(sim).status == 404
    assert give(sim, channel=EVENT_ROOM).status == 200


@pytest.mark.rule("R225")
def test_switched_off_urls_are_stored_but_not_found(sim):
    """Off: none is found or set, those there are shown still; on again: all as before (G285)."""
    give(sim)
    assert sim.call("set_friendly_urls_state", "demo-customer-admin", state="disable").status == 200
    assert find(sim).status == 404
    assert give(sim, "other").body["code"] == "friendly_urls_off"
    assert shown(sim) == "town-hall"
    sim.call("set_friendly_urls_state", "demo-customer-admin", state="enable")
    assert find(sim).body == {"uuid": ROOM}


@pytest.mark.rule("R225")
def test_the_switch_is_the_clients(sim):
    """It shows in the parent's client list, and in no other client."""
    sim.call("set_friendly_urls_state", "demo-api-token", state="disable")
    assert sim.call("list_clients", "demo-partner-admin").body["results"][0]["friendlyURLs"] is False
    made = sim.call("create_channel", "demo-other-admin", body={"name": "Hall"}).body["channelUuid"]
    assert give(sim, channel=made, who="demo-other-admin").status == 200


@pytest.mark.parametrize("state", ["on", "ENABLE", "open", "true", "enabled"])
def test_the_switch_takes_its_two_words(sim, state):
    """Enable and disable, literally."""
    answer = sim.call("set_friendly_urls_state", "demo-customer-admin", state=state)
    assert code(answer) == (400, "invalid_state")


@pytest.mark.parametrize("state", ["enable", "disable"])
def test_setting_the_state_that_holds_succeeds(sim, state):
    """State words describe the wanted state (G537), unless a profile refuses."""
    for _ in range(2):
        assert sim.call("set_friendly_urls_state", "demo-api-token", state=state).status == 200
    strict = Simulator(clock=START, profile={"states.repeated": "refuse"})
    strict.call("set_friendly_urls_state", "demo-api-token", state=state)
    again = strict.call("set_friendly_urls_state", "demo-api-token", state=state)
    assert code(again) == (409, "state_holds")


@pytest.mark.parametrize("who", ["demo-operator", "demo-user", "demo-guest"])
def test_owners_set_urls_and_administrators_the_switch(sim, who):
    """Operators and users may neither set nor remove nor switch (G287, G288)."""
    assert give(sim, who=who).status == 403
    assert sim.call("remove_channel_friendly_url", who, uuid=ROOM).status == 403
    assert sim.call("set_friendly_urls_state", who, state="disable").status == 403


@pytest.mark.parametrize("who", ["demo-owner", "demo-customer-admin", "demo-api-token"])
def test_administrators_set_urls_too(sim, who):
    """Owner, Customer Admin and API token (G288)."""
    assert give(sim, who=who).status == 200
    assert sim.call("remove_channel_friendly_url", who, uuid=ROOM).status == 200


def test_foreign_channels_are_not_there(sim):
    """A channel of another client can be given no URL."""
    assert give(sim, who="demo-other-admin").status == 404
    assert sim.call("remove_channel_friendly_url", "demo-other-admin", uuid=ROOM).status == 404


@pytest.mark.parametrize(
    ("choice", "free", "taken"),
    [("not-found-when-free", 404, 200), ("conflict-when-taken", 200, 409)],
)
def test_alternatives_for_the_check(choice, free, taken):
    """404 means that it is free, or 409 that it is taken (G283)."""
    sim = Simulator(clock=START, profile={"friendly-urls.available": choice})
    assert sim.call("check_friendly_url", clientId=CUSTOMER, url="town-hall").status == free
    give(sim)
    assert sim.call("check_friendly_url", clientId=CUSTOMER, url="town-hall").status == taken


def test_alternative_that_a_taken_url_moves():
    """The channel that had it has none any more (G290)."""
    sim = Simulator(clock=START, profile={"friendly-urls.taken": "move"})
    give(sim)
    assert give(sim, channel=EVENT_ROOM).status == 200
    assert find(sim).body == {"uuid": EVENT_ROOM}
    assert shown(sim) is None


@pytest.mark.parametrize(("choice", "found", "stored"), [("remove", 404, None), ("nothing", 200, "town-hall")])
def test_alternatives_for_switching_off(choice, found, stored):
    """All are removed, or nothing happens but in the user interface (G285)."""
    sim = Simulator(clock=START, profile={"friendly-urls.off": choice})
    give(sim)
    sim.call("set_friendly_urls_state", "demo-customer-admin", state="disable")
    assert find(sim).status == found
    assert shown(sim) == stored


def test_alternative_that_removing_nothing_is_refused():
    """An empty slot is not found where that is assumed (G536)."""
    sim = Simulator(clock=START, profile={"delete.empty-slot": "refuse"})
    assert sim.call("remove_channel_friendly_url", "demo-owner", uuid=ROOM).status == 404


def room_of(sim):
    """The channel of a breakout room of the demo event room."""
    session = sim.call("create_breakout_session", "demo-owner", uuid=EVENT_ROOM, body={}).body["id"]
    sim.call("create_breakout_room", "demo-owner", uuid=EVENT_ROOM, breakoutSession=session, body={})
    sim.call("start_breakout_session", "demo-owner", uuid=EVENT_ROOM)
    rooms = sim.call("list_breakout_rooms", "demo-owner", uuid=EVENT_ROOM, breakoutSession=session)
    return rooms.body[0]["channelUuid"]


@pytest.mark.rule("R223", "R226")
def test_the_channel_of_a_breakout_room_has_one_like_any_other(sim):
    """It leads there, nobody else has it, and it is free once it is removed."""
    room = room_of(sim)
    assert give(sim, channel=room).status == 200
    assert find(sim).body == {"uuid": room}
    assert give(sim, "Town-Hall").body["code"] == "friendly_url_taken"
    sim.call("remove_channel_friendly_url", "demo-owner", uuid=room)
    assert find(sim).status == 404
    assert give(sim).status == 200


def test_alternative_that_switching_off_removes_those_of_breakout_rooms_too():
    """All of the client go (G285)."""
    sim = Simulator(clock=START, profile={"friendly-urls.off": "remove"})
    room = room_of(sim)
    give(sim, channel=room)
    sim.call("set_friendly_urls_state", "demo-customer-admin", state="disable")
    sim.call("set_friendly_urls_state", "demo-customer-admin", state="enable")
    assert (find(sim).status, shown(sim, room)) == (404, None)
