"""States of tables are values, however far their indexes are."""

from __future__ import annotations

from confsim import Simulator
from confsim.domain.channels.channels import CHANNELS
from confsim.domain.users.users import USERS
from confsim.service.files import world_file
from kit import CUSTOMER, OWNER, ROOM, START


def test_equal_worlds_are_equal_whatever_was_read():
    """The same change of the same world, in one of which an index is read; another change makes another world."""
    one, other, third = (Simulator(clock=START) for _ in range(3))
    for each in (one, other):
        each.call("rename_channel", OWNER, uuid=ROOM, name="Planning")
    third.call("rename_channel", OWNER, uuid=ROOM, name="Review")
    assert len(CHANNELS.seen(one.service.world, CUSTOMER).all) > 1
    assert one.service.world == other.service.world
    assert one.service.world != third.service.world
    tables = one.service.world.shared
    assert tables[0] != tables


def test_a_world_that_is_built_twice_is_equal():
    """What another profile leaves as it is, and what was read since."""
    document = world_file.read("demo")
    one, other = (world_file.build(document, 0, {}).world for _ in range(2))
    assert len(USERS.seen(one, CUSTOMER).all) > 1
    assert one == other
