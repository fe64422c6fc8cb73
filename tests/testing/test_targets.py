"""Ways in to a world: the same call by each of them, also where a profile moves what stands in a request."""

from __future__ import annotations

import importlib
from types import ModuleType

import pytest

from confsim import Simulator
from confsim.testing.targets import Core, Url, Wsgi
from kit import ROOM, START

PROFILES = (
    {},
    {"route.prefix": "/api/v1_0"},
    {"auth.presentation": ["?token={token}"]},
    {"route.list_supported_languages": "PUT /tongues"},
)
CALLS = (
    ("get_me", "demo-owner", {}),
    ("get_channel", "demo-owner", {"uuid": ROOM}),
    ("list_supported_languages", "demo-owner", {}),
)


@pytest.mark.parametrize("profile", PROFILES, ids=lambda profile: next(iter(profile), "default"))
def test_every_way_leads_where_the_profile_says(profile):
    """The same status and body, whatever the prefix, the route and the presentation of tokens."""
    at = START
    sims = [Simulator(clock=at, profile=profile) for _ in range(3)]
    with sims[2].serve() as server:
        ways = (Core(sims[0]), Wsgi(sims[1]), Url(server.base_url, profile))
        for name, caller, path in CALLS:
            outcomes = [way.call(name, caller, **path) for way in ways]
            assert outcomes[0].status == 200
            assert outcomes[1:] == outcomes[:1] * 2
        ways[2].close()


def test_every_public_name_is_what_it_says_also_when_all_modules_are_imported():
    """A module that has the name of what it holds would be found in its place."""
    package = importlib.import_module("confsim.testing")
    for _ in range(2):
        assert not [name for name in package.__all__ if isinstance(getattr(package, name), ModuleType)]
