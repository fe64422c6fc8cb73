"""The template that a channel uses: selected, exchanged, removed."""

from __future__ import annotations

import pytest

from confsim.assumptions.protocol.refusals import Reason
from confsim.assumptions.register import ProfileContext
from confsim.domain.channels import channels
from confsim.domain.clients import clients
from confsim.domain.config import template_choice
from confsim.kernel.world import World
from kit import refused


def stage(**profile):
    """A change and two channels."""
    change = World(seed=1).change(
        0, ProfileContext({id.replace("__", ".").replace("_", "-"): each for id, each in profile.items()})
    )
    client = clients.create(change, "C", None)
    return change, *(channels.create(change, client, name, None, None) for name in ("One", "Two"))


@pytest.mark.rule("R322")
def test_a_channel_uses_what_was_selected_last():
    """Another takes its place, and none is used after it was removed; other channels keep theirs (G586)."""
    change, one, two = stage()
    assert template_choice.find_selected(change, one) is None
    template_choice.select(change, two, "A", enabled=True)
    for template in ("A", "B"):
        template_choice.select(change, one, template, enabled=True)
        assert template_choice.find_selected(change, one) == template
    template_choice.deselect(change, one)
    assert template_choice.find_selected(change, one) is None
    assert template_choice.find_selected(change, two) == "A"
    assert template_choice.is_used(change, [one.client], "A")
    assert not template_choice.is_used(change, [one.client], "B")


def test_what_the_client_does_not_offer_is_not_selected():
    """Neither for the first time nor in place of another (G586)."""
    change, one, _ = stage()
    for selected in (None, "A"):
        assert refused(template_choice.select, change, one, "B", enabled=False) is Reason.TEMPLATE_DISABLED
        assert template_choice.find_selected(change, one) == selected
        template_choice.select(change, one, "A", enabled=True)


def test_removing_where_nothing_is_selected():
    """No error, or refused, as every removal of nothing (G536)."""
    change, one, _ = stage()
    template_choice.deselect(change, one)
    change, one, _ = stage(delete__empty_slot="refuse")
    assert refused(template_choice.deselect, change, one) is Reason.NOT_FOUND
    template_choice.select(change, one, "A", enabled=True)
    template_choice.deselect(change, one)
    assert template_choice.find_selected(change, one) is None
