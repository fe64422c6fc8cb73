"""Worlds made in this process, under the choices of anyone who runs a whole suite."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from confsim import Misuse, Simulator
from confsim.transport.in_process import overriding


def test_worlds_follow_the_choices_of_a_block():
    """Those that are made in it, by this thread: over the profile that each is given; the worlds are built under it."""
    given = {"channels.unique-names": "refuse", "users.me": "properties"}
    with overriding({"channels.unique-names": "allow"}):
        assert dict(Simulator().service.profile) == {"channels.unique-names": "allow"}
        assert Simulator("demo", 0, None, given).service.profile["channels.unique-names"] == "allow"
        assert Simulator(profile=given).service.profile.keys() == given.keys()
        with ThreadPoolExecutor(1) as other:
            assert not other.submit(Simulator).result(30).service.profile
    assert Simulator(profile=given).service.profile["channels.unique-names"] == "refuse"


def test_a_block_that_fails_leaves_nothing_behind():
    """The next world is made without its choices."""
    with pytest.raises(Misuse), overriding({"channels.unique-names": "allow"}):
        Simulator(world="no such world")
    assert not Simulator().service.profile
