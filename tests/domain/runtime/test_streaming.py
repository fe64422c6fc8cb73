"""What is assumed of data channels, at the domain's own function."""

from __future__ import annotations

from confsim.assumptions.protocol.refusals import Reason
from confsim.domain.runtime import streaming
from confsim.kernel.world import World
from kit import refused

KNOWN = ("chat", "wall", "whiteboard", "captions")


def test_a_data_channel_is_of_any_kind_or_of_a_known_one():
    """Any word of letters, digits, hyphen and underscore by default; by profile the four known ones alone (G347)."""
    free, closed = (World().change(0, profile) for profile in ({}, {"data.kinds": "known"}))
    for change in (free, closed):
        for kind in KNOWN:
            streaming.require_data_channel(change, kind)
        for broken in ("", "a b", "a/b", "chat\n", "ä"):
            assert refused(streaming.require_data_channel, change, broken) is Reason.NOT_FOUND
    streaming.require_data_channel(free, "My-own_1")
    assert refused(streaming.require_data_channel, closed, "My-own_1") is Reason.NOT_FOUND
