"""The placement of channels on streaming servers and the kinds of data channels, at the domain's own functions."""

from __future__ import annotations

from contextlib import suppress

import pytest

from confsim import Simulator
from confsim.assumptions.protocol.refusals import Reason
from confsim.assumptions.register import ProfileContext
from confsim.domain.channels import channels
from confsim.domain.runtime import streaming
from confsim.domain.runtime.streaming import Placed
from confsim.kernel.refusal import NotYet
from confsim.kernel.world import World
from kit import CUSTOMER, ROOM, refused

KNOWN = ("chat", "wall", "whiteboard", "captions")


def test_a_data_channel_is_of_any_kind_or_of_a_known_one():
    """Any word of letters, digits, hyphen and underscore by default; by profile the four known ones alone (G347)."""
    free, closed = (World().change(0, ProfileContext(profile)) for profile in ({}, {"data.kinds": "known"}))
    for change in (free, closed):
        for kind in KNOWN:
            streaming.require_data_channel(change, kind)
        for broken in ("", "a b", "a/b", "chat\n", "ä"):
            assert refused(streaming.require_data_channel, change, broken) is Reason.NOT_FOUND
    streaming.require_data_channel(free, "My-own_1")
    assert refused(streaming.require_data_channel, closed, "My-own_1") is Reason.NOT_FOUND


def asked(service):
    """Whether a request for the streaming server of the demo room finds it placed."""
    change = service.change()
    with suppress(NotYet):
        streaming.place(change, channels.get(change, CUSTOMER, ROOM))
    service.commit(change)
    return streaming.find(service.change(), CUSTOMER, ROOM).state is Placed.HOSTED


@pytest.mark.rule("R395", "R396", "R397")
@pytest.mark.parametrize(
    ("word", "found"),
    [
        ("immediate", [True, True, True, True]),
        ("manual(2)", [False, False, True, True]),
        ("time(2)", [False, False, True, True]),
    ],
)
def test_a_channel_is_placed_at_once_after_some_requests_or_with_time(word, found):
    """The first request begins the placement, and each one until it is done is answered by a wait (G349)."""
    service = Simulator(clock=0, profile={"duration.placement": word}).service
    for expected in found:
        assert asked(service) is expected
        service.live.advance(1000)


def test_a_placement_ends_by_itself_when_its_time_is_over():
    """Also when nobody asks (G349)."""
    service = Simulator(clock=0, profile={"duration.placement": "time(2)"}).service
    assert not asked(service)
    states = []
    for _ in range(3):
        states.append(streaming.find(service.change(), CUSTOMER, ROOM).state)
        service.live.advance(1000)
    assert states == [Placed.CREATING, Placed.CREATING, Placed.HOSTED]
