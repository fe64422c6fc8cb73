"""Short ways to make channels and to read them."""

from __future__ import annotations

from confsim.domain import images
from confsim.domain.channels import channels
from confsim.domain.runtime import sessions
from kit import CUSTOMER, EVENT_ROOM, ROOM

HOSTS = ("demo-owner", "demo-operator", "demo-customer-admin", "demo-api-token")


def make(sim, name="New", who="demo-owner", **body):
    """The id of a new channel."""
    return sim.call("create_channel", who, body={"name": name, **body}).body["channelUuid"]


def read(sim, channel=ROOM, who="demo-owner", **query):
    """The details of the channel."""
    return sim.call("get_channel", who, uuid=channel, **query).body


def listed(sim, who="demo-owner", **query):
    """The names in the channel list, in its order."""
    return [item["name"] for item in sim.call("list_channels", who, **query).body["results"]]


def put(sim, channel=ROOM, **fields):
    """Change fields that no documented call sets."""
    change = sim.service.change()
    channels.update(change, channels.get(change, CUSTOMER, channel), **fields)
    sim.service.commit(change)


def room(sim, name="Breakout", parent=EVENT_ROOM):
    """The id of a new channel below another."""
    change = sim.service.change()
    made = create_room(change, channels.get(change, CUSTOMER, parent), name)
    sim.service.commit(change)
    return made.id


def create_room(change, event_room, name):
    """A new channel below another, as a breakout room gets one."""
    return channels.create_room(change, change.uuid(), event_room, name)


def initialise(change, channel):
    """The session of the channel that has not ended, created when there is none."""
    session = sessions.find_open(change, channel.client, channel.id)
    return session or sessions.initialise(change, None, channel, None)


PNG = images.STUB
