"""Services: followers are called with each that is made."""

from __future__ import annotations

from confsim.service.service import Service


def test_a_follower_is_called_with_every_service_until_it_stops(sim):
    """Each follower on its own, once for each."""
    first, second = [], []
    Service.follow_each(first.append)
    Service.follow_each(second.append)
    try:
        one = sim.service.fork()
        Service.stop_following_each(first.append)
        other = sim.service.fork()
    finally:
        Service.stop_following_each(first.append)
        Service.stop_following_each(second.append)
    sim.service.fork()
    assert (first, second) == ([one], [one, other])
