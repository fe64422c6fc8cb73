"""Loops over the lists of a simulator."""

from __future__ import annotations

import pytest

from kit.things.webhooks import happen, listening


@pytest.mark.parametrize("listed", ["requests", "webhooks", "faults"])
def test_a_loop_lists_once(listed, monkeypatch):
    """A loop over calls, deliveries or faults asks for the list once, not for each of its elements."""
    sim = listening()
    happen(sim, "a.txt", "b.txt", "c.txt")
    sim.faults.put([{"operation": "get_me", "do": {"status": 503}}] * 3)
    facade, asked = getattr(sim, listed), []
    item = type(facade).__getitem__
    monkeypatch.setattr(type(facade), "__getitem__", lambda self, place: asked.append(place) or item(self, place))
    assert len(list(facade)) == len(facade) >= 3
    assert len(asked) == 1
