"""Which records are moved along with others, where a profile says whether they are."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from confsim.assumptions.register import ProfileContext
from confsim.domain.channels import channels
from confsim.domain.clients import clients
from confsim.domain.couplings import channels as of_channels, clients as of_clients, runtime
from confsim.domain.identity import validators
from confsim.domain.runtime import presence, sessions
from confsim.domain.telephony import number_assignments, numbers
from confsim.domain.users import users
from confsim.domain.users.users import Account, Level
from confsim.kernel.world import World
from kit import CUSTOMER, EVENT_ROOM, ROOM, demo
from kit.things.breakout import prepare, start

SECRET = "a secret that is long enough for everybody"


def stage(**profile):
    """A change, a client with an active validator and an assigned number, and another client with the same."""
    change = World(seed=1).change(
        0, ProfileContext({id.replace("__", ".").replace("_", "-"): each for id, each in profile.items()})
    )
    made = []
    for name, number in (("One", "+12025550123"), ("Two", "+12025550124")):
        client = clients.create(change, name, None)
        room = channels.create(change, client, "Room", None, None)
        validators.enable(change, validators.add(change, client, "v", "HS256", SECRET))
        validators.add(change, client, "w", "HS256", SECRET)
        found = numbers.add(change, client, number, "US")
        number_assignments.assign(change, room, found)
        made.append(client)
    return change, made


@pytest.mark.parametrize(("choice", "released"), [("nothing", False), ("validator-and-numbers", True)])
def test_what_a_client_loses_with_its_service(choice, released):
    """Nothing, or its active validator and its numbers; another client keeps its own (G543)."""
    change, (one, two) = stage(clients__disable_releases=choice)
    assert [each.id for each in of_clients._released_validator(change, one)] == ["v"] * released
    assert len(list(of_clients._released_numbers(change, one))) == int(released)
    clients.switch_service(change, one, "disable")
    for client, left in ((one, not released), (two, True)):
        assert len(list(validators.list_active(change, client.id))) == int(left)
        assert len(list(number_assignments.ASSIGNMENTS.of(change, client.id).all)) == int(left)


def test_the_session_in_which_somebody_is_connected():
    """That of the channel, or of the breakout room where the user is; none where none is open."""
    sim = demo()
    sim.presence.join(EVENT_ROOM, 1002)
    change = sim.service.change()
    present = presence.find(change, channels.get(change, CUSTOMER, EVENT_ROOM), 1002)
    assert runtime.session_at(change, present).channel == EVENT_ROOM
    assert runtime.session_at(change, replace(present, place=ROOM)) is None


@pytest.mark.parametrize("choice", ["completes", "goes-on"])
def test_whether_a_breakout_session_outlasts_the_session_of_its_room(choice):
    """The one that runs ends with it, or none does (G440)."""
    sim = demo(breakout__main_session_ends=choice)
    sim.presence.join(EVENT_ROOM, 1002)

    def ending():
        change = sim.service.change()
        session = sessions.find_active(change, channels.get(change, CUSTOMER, EVENT_ROOM))
        return [each.id for each in runtime._breakout_of(change, session)]

    assert ending() == []
    running = prepare(sim, duration=60_000)
    assert start(sim).ok
    assert ending() == [running] * (choice == "completes")


@pytest.mark.parametrize(
    ("choice", "others"), [(None, False), ("creator", False), ("creator-and-customer-admins", True)]
)
def test_who_owns_a_new_channel(choice, others):
    """Its creator, and the Customer Admins where that is assumed, each once; a token makes one without (G298)."""
    change, (one, _) = stage(**({} if choice is None else {"channels__first_owners": choice}))
    creator = users.create(change, one.id, "c", Account.REGISTERED, levels=(Level.CUSTOMER_ADMIN,))
    admin = users.create(change, one.id, "a", Account.REGISTERED, levels=(Level.CUSTOMER_ADMIN,))
    for by, owners in ((creator, [creator.id]), (None, [])):
        channel = channels.create(change, one, f"Room of {by and by.id}", None, by)
        extra = [each.id for each in (creator, admin) if each.id not in owners] if others else []
        found = list(of_channels._first_owners(change, channel))
        assert [(each.record, each.args) for each in found] == [(None, (channel, owner)) for owner in owners + extra]
