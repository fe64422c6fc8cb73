"""Credentials for TURN."""

from __future__ import annotations

import pytest

from kit import ROOM, USER, demo

# TURN credentials


@pytest.mark.rule("R328", "R389")
def test_turn_credentials_are_complete(sim, people):
    """They carry a user name with its end, a password, the time to live in seconds and the addresses."""
    reported = sim.call("get_turn_credentials", USER, uuid=ROOM).body
    assert set(reported) == {"username", "password", "ttl", "uris"}
    assert reported["username"] == f"{1769904000 + reported['ttl']}:{people[USER]}"
    assert reported["ttl"] == 86_400
    assert all(uri.startswith(("turn:", "turns:")) for uri in reported["uris"])


@pytest.mark.parametrize(("choice", "same"), [("fresh", False), ("constant", True)])
def test_turn_credentials_are_fresh_or_constant(choice, same):
    """A later call gets later credentials, or by assumption the same."""
    sim = demo(turn__credentials=choice)
    first = sim.call("get_turn_credentials", USER, uuid=ROOM).body
    sim.clock.advance("1h")
    assert (sim.call("get_turn_credentials", USER, uuid=ROOM).body == first) is same
