"""The switches and limits of a channel, at the domain's own functions."""

from __future__ import annotations

import pytest

from confsim.assumptions.protocol.refusals import Reason
from confsim.assumptions.register import ProfileContext
from confsim.domain.channels import channels, switches
from confsim.domain.channels.switches import LIMIT
from confsim.domain.clients import clients
from confsim.kernel.world import World
from kit import refused


def stage(**profile):
    """A change and a channel in it."""
    change = World(seed=1).change(0, ProfileContext({id.replace("__", "."): value for id, value in profile.items()}))
    return change, channels.create(change, clients.create(change, "C", None), "Room", None, None)


def test_a_limit_of_presenters_is_set_replaced_and_lifted():
    """The state follows the number; lifting what is not there is no error (G536)."""
    change, channel = stage()
    for limit in (3, 1, None, None, 2):
        channel = switches.limit_presenters(change, channel, limit)
        assert channel.presenters_limit == limit
        assert LIMIT.state(channel).name == ("NONE" if limit is None else "LIMITED")
        assert channels.get(change, channel.client, channel.id) == channel


@pytest.mark.parametrize(("choice", "expected"), [("nobody", 0), ("unlimited", None), ("refuse", Reason.INVALID_INPUT)])
def test_a_limit_of_no_presenters(choice, expected):
    """Nobody may present, there is no limit, or it is refused (G338)."""
    change, channel = stage(presenters__zero=choice)
    if expected is Reason.INVALID_INPUT:
        assert refused(switches.limit_presenters, change, channel, 0) is expected
    else:
        assert switches.limit_presenters(change, channel, 0).presenters_limit == expected


def test_a_limit_that_is_not_there_may_be_refused():
    """As every removal of nothing (G536)."""
    change, channel = stage(**{"delete.empty-slot": "refuse"})
    assert refused(switches.limit_presenters, change, channel, None) is Reason.NOT_FOUND
    channel = switches.limit_presenters(change, channel, 1)
    assert switches.limit_presenters(change, channel, None).presenters_limit is None
