from __future__ import annotations

import pytest

from confsim.assumptions.protocol.refusals import Reason
from confsim.assumptions.register import ProfileContext
from confsim.domain.channels import channels
from confsim.domain.clients import clients
from confsim.domain.clients.clients import Default
from confsim.domain.conventions import turn
from confsim.kernel.refusal import Refusal
from confsim.kernel.world import World


def made(profile=None):
    """A change and a fresh client in it."""
    change = World(seed=1).change(0, ProfileContext(profile or {}))
    return change, clients.create(change, "C", None)


@pytest.mark.rule("R088", "R315", "R316")
@pytest.mark.parametrize("flag", Default)
def test_a_flag_seeds_new_channels_and_moves_no_other(flag):
    """A channel made after the switch has the flag, one made before has not, and the other flags stay off."""
    change, client = made()
    before = channels.create(change, client, "Before", None, None)
    client = turn(change, clients.DEFAULTS[flag].to("enable"), client)
    after = channels.create(change, client, "After", None, None)
    for each in Default:
        assert getattr(clients.get(change, client.id), each.value) is (each is flag)
        assert getattr(after, each.value) is (each is flag)
        assert getattr(channels.get(change, client.id, before.id), each.value) is False


@pytest.mark.parametrize("trigger", ["enable", "disable"])
def test_a_switch_may_be_set_to_where_it_stands(trigger):
    """Repeating changes nothing, or is refused where that is assumed."""
    change, client = made()
    client = turn(change, clients.DEFAULTS[Default.MIDI].to(trigger), client)
    assert turn(change, clients.DEFAULTS[Default.MIDI].to(trigger), client) == client
    strict, client = made({"states.repeated": "refuse"})
    with pytest.raises(Refusal) as refused:
        turn(strict, clients.DEFAULTS[Default.MIDI].to("disable"), client)
    assert refused.value.reason is Reason.STATE_HOLDS
