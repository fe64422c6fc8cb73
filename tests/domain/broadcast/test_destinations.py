"""Destinations of broadcasts at the domain's own functions."""

from __future__ import annotations

import pytest

from confsim import Simulator
from confsim.assumptions.protocol.refusals import Reason
from confsim.assumptions.register import ProfileContext
from confsim.domain.broadcast import destinations
from confsim.domain.channels import channels
from confsim.domain.conventions import turn
from confsim.kernel.refusal import Refusal
from kit import CUSTOMER, EVENT_ROOM, NOTHING, ROOM, refused


@pytest.fixture
def change():
    """A change of the demo world."""
    return Simulator(clock=0).service.change()


@pytest.mark.rule("R526")
@pytest.mark.parametrize(
    "url",
    [
        "rtmp://h/app/key",
        "rtmps://h:443/app",
        "RTMP://H",
        "rtmp://user:pw@h/app",
        "rtmp://[::1]:1935/a",
        "rtmp://h/a?k=v",
    ],
)
def test_valid_rtmp_urls_are_taken(change, url):
    """As they were given."""
    room = channels.get(change, CUSTOMER, ROOM)
    assert destinations.add(change, room, url, None, None).url == url
    assert destinations.enabled(change, room) == (url,)


@pytest.mark.rule("R526")
@pytest.mark.parametrize(
    "url",
    [
        "rtmp:h",
        "//h/app",
        "rtmp://",
        "rtmp://:1935/a",
        "rtmp://h:0/",
        "rtmp://h:99999/",
        "rtmp://[::1/",
        "srt://h/a",
        "rtmp://h/a b",
    ],
)
def test_other_urls_are_refused(change, url):
    """Of another scheme, without a host, with no port that there is."""
    with pytest.raises(Refusal, match="body destination"):
        destinations.add(change, channels.get(change, CUSTOMER, ROOM), url, None, None)


def test_a_state_that_holds_is_refused_by_choice(change):
    """A destination is enabled when it is added; each state is refused by its name (G537)."""
    change.carried = ProfileContext({"states.repeated": "refuse"})
    room = channels.get(change, CUSTOMER, ROOM)
    made = destinations.add(change, room, "rtmp://h/app", None, None)
    with pytest.raises(Refusal) as caught:
        turn(change, destinations.MACHINE.to("enable"), made)
    assert (caught.value.reason, caught.value.facts) == (Reason.STATE_HOLDS, {"state": "enabled"})
    turn(change, destinations.MACHINE.to("disable"), made)
    with pytest.raises(Refusal):
        turn(change, destinations.MACHINE.to("disable"), destinations.get(change, room, made.id))


@pytest.mark.rule("R526")
def test_a_destination_is_found_in_its_own_channel(change):
    """As it was added and is enabled or not since; in another channel, or by another id, there is none."""
    room, other = (channels.get(change, CUSTOMER, id) for id in (ROOM, EVENT_ROOM))
    made = destinations.add(change, room, "rtmp://h/app", "Main", enabled=False)
    assert destinations.get(change, room, made.id) == made
    for trigger, urls in (("enable", ("rtmp://h/app",)), ("disable", ())):
        turn(change, destinations.MACHINE.to(trigger), destinations.get(change, room, made.id))
        found = destinations.get(change, room, made.id)
        assert (found.label, found.enabled) == ("Main", trigger == "enable")
        assert destinations.enabled(change, room) == urls
    for where, id in ((other, made.id), (room, NOTHING)):
        assert refused(destinations.get, change, where, id) is Reason.NOT_FOUND
