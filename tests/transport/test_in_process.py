"""Worlds made in this process, under the choices of anyone who runs a whole suite."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from confsim import Misuse, Simulator, demo
from confsim.api.catalogue import API
from confsim.transport.in_process import overriding
from kit import ROOM


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


#: By operation, the text for an id with which its path is that of another one, as the documents list the paths.
OF_ANOTHER = {
    "get_user": ("userId", "me", "get_me"),
    "list_user_access_levels": ("userId", "me", "list_own_access_levels"),
    "get_user_email": ("userId", "find", "find_user_by_email"),
    "get_channel": ("uuid", "active", "list_active_channels"),
    "get_channel_media": ("mediaId", "size", "get_channel_media_pool_size"),
    "get_client_media": ("mediaId", "size", "get_client_media_pool_size"),
    "link_user": ("userId", "new", "create_linked_user"),
    "list_dial_number_assignments": ("channel", "available", "list_available_dial_numbers"),
}


@pytest.mark.parametrize("operation", OF_ANOTHER)
def test_a_call_whose_path_is_that_of_another_operation_is_no_call_of_this_one(operation):
    """It could not be sent as a request; the error says which operation it would be, and nothing is noted."""
    simulator = Simulator()
    name, text, other = OF_ANOTHER[operation]
    rest = {each: ROOM for each in API[operation].placeholders if each != name}
    with pytest.raises(Misuse, match=f"^{operation} with {name} '{text}' is {other}, by its path: call that$"):
        simulator.call(operation, demo.OWNER, **{name: text}, **rest)
    assert len(simulator.service.journal) == 0
    assert simulator.call(operation, demo.OWNER, **{name: text.upper()}, **rest).status >= 400
