"""Legacy settings of clients and channels, as parts of their configuration."""

from __future__ import annotations

import pytest

from confsim import Simulator
from confsim.domain.channels import channels
from kit import ADMIN, CUSTOMER, EVENT_ROOM, ROOM, demo

# Legacy settings


CLIENT_FLAGS = {"uniqueUsersHandle", "speech2text", "dialOut", "friendlyURLs", "midi", "dialIn"}


@pytest.mark.rule("R314", "R452")
def test_client_settings_are_six_booleans(sim):
    """The answer has exactly the documented fields, each a boolean."""
    settings = sim.call("get_client_settings", "demo-guest").body
    assert set(settings) == CLIENT_FLAGS
    assert all(isinstance(value, bool) for value in settings.values())


@pytest.mark.rule("R317", "R318", "R453")
def test_channel_settings_of_a_fresh_channel(sim):
    """All switches are booleans, the pool size a number, and limits that are not set are left out."""
    uuid = sim.call("create_channel", "demo-user", body={"name": "New"}).body["channelUuid"]
    settings = sim.call("get_channel_settings", "demo-user", uuid=uuid).body
    assert settings.pop("mediaPoolSize") == 2**30
    assert settings == dict.fromkeys(SWITCHES, False)


SWITCHES = [
    *("speech2text", "muteAttendees", "broadcastEnabled", "autoClose", "eventRoom", "open", "publicPIN"),
    *("dialOut", "dialIn", "midi", "offAir", "disableWall"),
]
SHOWN = {
    "speech2text": "speech2text",
    "muteAttendees": "attendees_muted",
    "broadcastEnabled": "broadcast_enabled",
    "autoClose": "auto_close",
    "eventRoom": "event_room",
    "open": "open",
    "publicPIN": "public_pin",
    "dialOut": "dial_out",
    "dialIn": "dial_in",
    "presentersLimit": "presenters_limit",
    "populationLimit": "population_limit",
    "mediaPoolSize": "media_pool_size",
    "midi": "midi",
    "offAir": "off_air",
    "disableWall": "wall_disabled",
}


def change_room(sim, **fields):
    """Change the demo room as the service operator can."""
    change = sim.service.change()
    channels.update(change, channels.get(change, CUSTOMER, ROOM), **fields)
    sim.service.commit(change)


@pytest.mark.rule("R317", "R318", "R319")
@pytest.mark.parametrize("field", SHOWN)
def test_each_channel_setting_shows_its_own_switch(sim, field):
    """Changing one thing of the channel changes exactly the setting that speaks of it."""
    before = sim.call("get_channel_settings", "demo-user", uuid=ROOM).body
    value = 7 if field in {"presentersLimit", "populationLimit", "mediaPoolSize"} else not before[field]
    change_room(sim, **{SHOWN[field]: value})
    assert sim.call("get_channel_settings", "demo-user", uuid=ROOM).body == {**before, field: value}


@pytest.mark.rule("R318")
def test_a_channel_without_a_limit_of_users_has_no_such_field_whatever_the_profile():
    """P2 L116: it is omitted if there is no limit; any other option without a value may be null."""
    for fields in ("null", ("populationLimit", "presentersLimit")):
        shown = demo(encode__absent=fields).call("get_channel_settings", "demo-user", uuid=ROOM).body
        assert shown["presentersLimit"] is None
        assert "populationLimit" not in shown


@pytest.mark.rule("R263", "R265", "R266", "R273")
@pytest.mark.parametrize(
    ("setting", "detail"),
    [("eventRoom", "isEventRoom"), ("open", "isOpen"), ("offAir", "offAir"), ("disableWall", "disableWall")],
)
@pytest.mark.parametrize("value", [True, False])
def test_settings_and_details_of_a_channel_agree(sim, setting, detail, value):
    """The fields that both views of a channel have are equal."""
    change_room(sim, **{SHOWN[setting]: value})
    settings = sim.call("get_channel_settings", "demo-owner", uuid=ROOM).body
    details = sim.call("get_channel", "demo-owner", uuid=ROOM).body
    assert settings[setting] is details[detail] is value


@pytest.mark.rule("R088", "R315", "R316")
def test_a_client_flag_is_the_default_of_new_channels_alone(sim):
    """Speech to text of the client shows in its settings and in channels made after it, not in those before."""
    assert sim.call("set_client_speech2text_state", ADMIN, state="enable").content == b""
    assert sim.call("get_client_settings", "demo-user").body["speech2text"] is True
    uuid = sim.call("create_channel", "demo-user", body={"name": "New"}).body["channelUuid"]
    assert sim.call("get_channel_settings", "demo-user", uuid=uuid).body["speech2text"] is True
    assert sim.call("get_channel_settings", "demo-user", uuid=ROOM).body["speech2text"] is False
    assert sim.call("set_client_speech2text_state", "demo-api-token", state="disable").ok
    assert sim.call("get_channel_settings", "demo-user", uuid=uuid).body["speech2text"] is True


def test_the_state_word_of_a_client_flag(sim):
    """Another word than enable and disable is a 400; repeating one is not."""
    assert sim.call("set_client_speech2text_state", ADMIN, state="on").status == 400
    assert [sim.call("set_client_speech2text_state", ADMIN, state="enable").status for _ in range(2)] == [200, 200]


def test_a_repeated_state_of_a_client_flag_may_be_refused():
    """Where repeating a state is refused, the second call is a 409."""
    sim = Simulator(profile={"states.repeated": "refuse"})
    statuses = [sim.call("set_client_speech2text_state", ADMIN, state="enable").status for _ in range(2)]
    assert statuses == [200, 409]


@pytest.mark.parametrize("caller", ["demo-owner", "demo-user", "demo-guest"])
def test_only_administrators_switch_client_flags(sim, caller):
    """Users without level are refused."""
    assert sim.call("set_client_speech2text_state", caller, state="enable").status == 403


def test_settings_are_for_the_client_and_those_with_access(sim):
    """Everybody of the client reads the settings; a foreign channel is a 404, a private one a 403."""
    assert sim.call("get_channel_settings", "demo-guest", uuid=ROOM).ok
    assert sim.call("get_channel_settings", "demo-guest", uuid=EVENT_ROOM).status == 403
    assert sim.call("get_channel_settings", "demo-other-admin", uuid=ROOM).status == 404
    assert sim.call("get_client_settings").status == 401
