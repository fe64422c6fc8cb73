"""Services that are wrong in one way, followed beside the model until an answer distinguishes them."""

from __future__ import annotations

import pytest

from confsim.testing.learning.calls import ModelCall
from confsim.testing.learning.comparing.places import Shapes
from confsim.testing.learning.model import machine_rows_noted
from confsim.testing.learning.things import Thing
from confsim.testing.verifying.planning import Planner
from confsim.testing.verifying.sweeping.wrong_services import Way, WrongServices, halved
from kit.beside import Beside


class _Side:
    """A run on the model alone: calls are made and noted."""

    def __init__(self) -> None:
        run = Beside().verifier()._make()
        list(run.opening())
        self.model, self.things = run.model, run.things
        planner = Planner(run.model, run.things, run.scope, run.names, 0, run.numbers)
        self.wrongs = WrongServices(planner.candidates, Shapes({}))
        self.tokens = run.accounts.tokens
        self.channel = self.call("create_channel", "owner", body={"name": "cvtest one"})["channelUuid"]

    def call(self, operation, role, body=None, caller=None, **path):
        kind = None if body is None else "application/json"
        call = ModelCall(operation, caller or self.tokens[role], path, {}, body, kind)
        predicted = self.model.call(call)
        self.wrongs.note(call, predicted)
        return predicted.reply.body

    def open(self, operation):
        ways = {each.way for each in self.wrongs.open if each.call.operation == operation}
        return ways - {Way.ASTRAY}


@pytest.fixture
def side():
    """A run that has made a channel."""
    return _Side()


def test_a_lost_change_is_told_by_a_read_of_it_and_not_by_another(side):
    """The description of a channel shows in the channel, and not in its settings."""
    side.call("set_channel_description", "owner", {"description": "new"}, uuid=side.channel)
    assert side.open("set_channel_description") == {Way.LOST}
    side.call("get_channel_settings", "owner", uuid=side.channel)
    assert side.open("set_channel_description") == {Way.LOST}
    side.call("get_channel", "owner", uuid=side.channel)
    assert side.open("set_channel_description") == set()
    assert ("set_channel_description", (), Way.LOST) in side.wrongs.distinguished


def test_one_read_tells_several(side):
    """A refused change that was made, and a lost one, both show in the channel."""
    side.call("rename_channel", "owner", uuid=side.channel, name="cvtest two")
    side.call("set_channel_description", "owner", {"description": "new"}, uuid=side.channel)
    side.call("set_channel_description", "operator", {"description": "other"}, uuid=side.channel)
    assert side.open("set_channel_description") == {Way.LOST, Way.MADE}
    side.call("get_channel", "owner", uuid=side.channel)
    assert side.wrongs.open == []


def test_what_was_created_and_lost_is_told_by_its_use(side):
    """A call of what was never stored is refused there."""
    assert side.open("create_channel") == {Way.LOST}
    side.call("get_guest_access", "owner", uuid=side.channel)
    assert side.open("create_channel") == set()


def test_a_change_without_effect_begins_nothing(side):
    """What is as it was before cannot be lost."""
    for _ in range(2):
        side.call("set_wall_state", "owner", uuid=side.channel, state="enable")
    side.call("get_channel_settings", "owner", uuid=side.channel)
    side.wrongs.distinguished.clear()
    side.call("set_wall_state", "owner", uuid=side.channel, state="enable")
    assert side.open("set_wall_state") == set()


def test_half_of_a_body_lacks_the_last_field():
    """A body of one field has no half."""
    assert halved(ModelCall("create_channel", None, body={"name": "a", "description": "b"})).body == {"name": "a"}
    assert halved(ModelCall("create_channel", None, body={"name": "a"})) is None


def test_a_row_of_a_machine_is_followed_when_its_operation_was_told_before(side):
    """To make an owner of an operator is another row than to make one of nobody; the owners show each."""
    first, second = (side.call("get_me", role)["id"] for role in ("user", "operator"))
    with machine_rows_noted():
        side.call("add_owner", "owner", uuid=side.channel, userId=str(first))
        side.call("list_owners", "owner", uuid=side.channel)
        assert side.open("add_owner") == set()
        side.call("add_operator", "owner", uuid=side.channel, userId=str(second))
        side.call("add_owner", "owner", uuid=side.channel, userId=str(second))
        assert side.open("add_owner") == {Way.UNMOVED}
        side.call("list_owners", "owner", uuid=side.channel)
        assert side.open("add_owner") == set()


def test_what_was_made_before_is_followed_when_it_is_made_anew(side):
    """An owner is removed, and made again by the same call: a service may answer that from memory."""
    owner = {"uuid": side.channel, "userId": str(side.call("get_me", "user")["id"])}
    side.call("add_owner", "owner", **owner)
    side.call("list_owners", "owner", uuid=side.channel)
    side.call("remove_owner", "owner", **owner)
    side.call("list_owners", "owner", uuid=side.channel)
    assert side.wrongs.open == []
    side.call("add_owner", "owner", **owner)
    assert side.open("add_owner") == {Way.UNMOVED}
    side.call("list_owners", "owner", uuid=side.channel)
    assert side.open("add_owner") == set()


def test_a_machine_that_is_led_to_another_state_is_told_by_a_read_of_it(side):
    """An endpoint that is moved, and is inactive then, shows in the endpoints."""
    with machine_rows_noted():
        side.call("set_events_state", "customer-admin", state="enable")
        endpoint = side.call("add_events_endpoint", "customer-admin", {"url": "https://example.com/1"})["id"]
        side.things.add(Thing("endpoints", endpoint, side.things.accounts_client))
        side.call("update_events_endpoint", "customer-admin", {"url": "https://example.com/2"}, id=endpoint)
        key = ("update_events_endpoint", (("events endpoint", 5), ("then", "INACTIVE")), Way.ASTRAY)
        assert key in {each.key for each in side.wrongs.open}
        side.call("list_events_endpoints", "customer-admin")
    assert key in side.wrongs.distinguished


def test_a_word_that_is_lost_does_not_lose_another(side):
    """Whoever loses what lets attendees speak makes what mutes them."""
    for state in ("mute", "unmute", "mute"):
        side.call("set_attendees_state", "owner", uuid=side.channel, state=state)
    lost = {each.key: each for each in side.wrongs.open if each.way is Way.LOST}
    wrong = lost["set_attendees_state", (("state", "unmute"),), Way.LOST]
    side.call("set_attendees_state", "owner", uuid=side.channel, state="unmute")
    read = ModelCall("get_channel_settings", side.tokens["owner"], {"uuid": side.channel})
    assert side.model.imagine(read, wrong.world).reply.body["muteAttendees"] is True
    assert side.model.imagine(read).reply.body["muteAttendees"] is False


def test_a_refused_change_is_followed_where_another_client_alone_has_made_it(side):
    """Who may make it is sought among the callers of the client that has the channel."""
    other = side.things.callers[-1]
    channel = side.call("create_channel", "", caller=other.token, body={"name": "cvtest two"})["channelUuid"]
    side.things.add(Thing("channels", side.channel, side.things.accounts_client))
    side.things.add(Thing("channels", channel, other.home))
    side.call("set_channel_description", "", {"description": "new"}, caller=other.token, uuid=channel)
    side.call("get_channel", "", caller=other.token, uuid=channel)
    assert side.open("set_channel_description") == set()
    side.call("set_channel_description", "operator", {"description": "other"}, uuid=side.channel)
    assert side.open("set_channel_description") == {Way.MADE}
    side.call("get_channel", "owner", uuid=side.channel)
    assert side.open("set_channel_description") == set()
